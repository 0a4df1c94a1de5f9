"""The registry of methods: what each solves, and with what guarantee.

The command line, the choice of a method, the table in the README and the agreement
tests all read it: a new method is one file and one entry here.
"""

from collections.abc import Callable
from typing import Any

from instances import NotSupportedError, Objective, Requirement, Result
from instances.arguments import nearest
from starmin.registry.method import Kind, Method

K_AND_L = ("k", "l", "k+l")
ANY = ("any",)
BOTH = ("stars", "tuples")
EVERY = ("stars", "tuples", "gcp")
RANGES = ("stars", "gcp")
GCP_ONLY = ("gcp",)
STARS_ONLY = ("stars",)
TUPLES_ONLY = ("tuples",)
NONHOMOGENEOUS = ("nonhomogeneous",)

# Bounds come in the order in which `auto` tries them: the fast ones first.
LISTED: tuple[Method, ...] = (
    Method(
        "models.pattern_ilp.pattern_ilp",
        "exact",
        (*K_AND_L, "distinct", "distinct+k"),
        STARS_ONLY,
        "optimal",
        "30,000 rows x 4-6 QI columns; 200,000 with few row types",
        "Chakaravarthy, Pandit, Sabharwal 2010; Bredereck et al. 2013",
    ),
    Method(
        "models.column_generation.column_generation",
        "exact",
        K_AND_L,
        STARS_ONLY,
        "optimal if few patterns matter; else a bound near the linear relaxation",
        "30,000 rows x 16-24 QI columns for the bound",
        "here; Desaulniers, Desrosiers, Solomon 2005",
    ),
    Method(
        "models.tuples.tuple_ilp",
        "exact",
        K_AND_L,
        TUPLES_ONLY,
        "optimal",
        "600,000 rows x 7 QI columns",
        "Xiao, Yi, Tao 2010",
    ),
    Method(
        "models.ranges.range_ilp",
        "exact",
        K_AND_L,
        GCP_ONLY,
        "optimal",
        "40 rows x 1 QI column, 15 rows x 3",
        "starmin; after Chakaravarthy, Pandit, Sabharwal 2010",
        tiny=8,
    ),
    Method(
        "models.matching.general_factor",
        "exact",
        ("k",),
        BOTH,
        "optimal; for k = 2, in polynomial time",
        "100 rows",
        "Blocki, Williams 2010; Dudycz, Paluch 2018",
    ),
    Method(
        "models.matching.bipartite_matching",
        "exact",
        ("l", "k+l"),
        STARS_ONLY,
        "optimal; for l = 2 and two sensitive values, in polynomial time",
        "100,000 rows x 6 QI columns",
        "Xiao, Yi, Tao 2010",
    ),
    Method(
        "models.pattern_ilp.pattern_subsets",
        "exact",
        ("k",),
        STARS_ONLY,
        "optimal",
        "20 patterns, any number of rows",
        "Chakaravarthy, Pandit, Sabharwal 2010",
        tiny=7,
    ),
    Method(
        "models.assignment.pairwise_cp",
        "exact",
        K_AND_L,
        BOTH,
        "optimal",
        "20 rows",
        "starmin",
        tiny=7,
    ),
    Method(
        "models.assignment.assignment_mip",
        "exact",
        K_AND_L,
        BOTH,
        "optimal",
        "10 rows; any solver of pulp, and export",
        "textbook",
        tiny=6,
    ),
    Method(
        "heuristics.annealing.pattern_annealing",
        "heuristic",
        K_AND_L,
        STARS_ONLY,
        "none",
        "30,000 rows x 8 QI columns in seconds",
        "here; simulated annealing over open patterns",
    ),
    Method(
        "heuristics.diving.lagrangian_diving",
        "heuristic",
        ("l", "k+l"),
        STARS_ONLY,
        "none",
        "30,000 rows x 7 QI columns in seconds",
        "here; after Caprara, Fischetti, Toth 1999",
    ),
    Method(
        "heuristics.large_neighbourhood.large_neighbourhood",
        "heuristic",
        K_AND_L,
        STARS_ONLY,
        "none; never worse than its start",
        "30,000 rows x 8 QI columns",
        "starmin",
    ),
    Method(
        "heuristics.local_search.local_search",
        "heuristic",
        ANY,
        BOTH,
        "none; never worse than its start",
        "300,000 rows x 9 QI columns",
        "starmin; simulated annealing",
    ),
    Method(
        "heuristics.three_phase.three_phase",
        "heuristic",
        ("l", "k+l"),
        BOTH,
        "ratio l for tuples, l d for stars; for l = 2 at most 1 tuple too many",
        "10 million rows",
        "Xiao, Yi, Tao 2010",
    ),
    Method(
        "heuristics.three_phase.three_phase_hybrid",
        "heuristic",
        ("l", "k+l"),
        BOTH,
        "as three_phase; never worse than it",
        "600,000 rows x 7 QI columns",
        "Xiao, Yi, Tao 2010",
    ),
    Method(
        "heuristics.approximation.greedy_cover",
        "heuristic",
        ("k",),
        BOTH,
        "ratio O(k log k): 5.5 for k = 2; of all sets O(log k): 2.75",
        "30,000 rows x 8 QI columns in seconds",
        "Meyerson, Williams 2004; Park, Shim 2007",
    ),
    Method(
        "heuristics.approximation.pattern_cover",
        "heuristic",
        ("k",),
        BOTH,
        "ratio O(log k): (2k - 1)/k (1 + 1/2 + .. + 1/k); 2.25 for k = 2",
        "30,000 rows x 8 QI columns in seconds",
        "Park, Shim 2007; Kenig, Tassa 2012",
    ),
    Method(
        "heuristics.approximation.cycle_cover",
        "heuristic",
        ("k",),
        BOTH,
        "ratio 1.6, for k = 2",
        "4,000 rows",
        "starmin",
    ),
    Method(
        "heuristics.approximation.factor_cover",
        "heuristic",
        ("k",),
        BOTH,
        "ratio 3, for k = 3; 2 for stars where columns have two values",
        "1,000 rows",
        "Aggarwal et al. 2005; starmin",
    ),
    Method(
        "heuristics.approximation.diverse_cover",
        "heuristic",
        ("l", "k+l"),
        BOTH,
        "as three_phase where that applies, else none; never worse than it",
        "30,000 rows x 8 QI columns in seconds",
        "Kenig, Tassa 2012",
    ),
    Method(
        "heuristics.approximation.forest",
        "heuristic",
        ("k",),
        BOTH,
        "ratio max(2k - 1, 3k - 5)",
        "30,000 rows x 8 QI columns in seconds; 100,000 row types",
        "Aggarwal et al. 2005",
    ),
    Method(
        "heuristics.clustering.clustering",
        "heuristic",
        ANY,
        BOTH,
        "none; never worse than its start: pattern_cover, diverse_cover",
        "30,000 rows x 8 QI columns in a minute",
        "Goldberger, Tassa 2010",
    ),
    Method(
        "heuristics.orders.lexicographic_suppression",
        "heuristic",
        ANY,
        BOTH,
        "none",
        "10 million rows",
        "starmin",
    ),
    Method(
        "heuristics.orders.hilbert_suppression",
        "heuristic",
        ANY,
        BOTH,
        "none",
        "1 million rows x 7 QI columns in seconds",
        "Ghinita, Karras, Kalnis, Mamoulis 2009",
    ),
    Method(
        "heuristics.orders.hilbert",
        "heuristic",
        ANY,
        RANGES,
        "none; best of consecutive groups for k",
        "1 million rows x 7 QI columns in seconds",
        "Ghinita, Karras, Kalnis, Mamoulis 2009",
    ),
    Method(
        "heuristics.orders.hilbert_fast",
        "heuristic",
        ANY,
        RANGES,
        "none",
        "10 million rows",
        "Ghinita, Karras, Kalnis, Mamoulis 2009",
    ),
    Method(
        "heuristics.orders.idistance",
        "heuristic",
        ANY,
        RANGES,
        "none; best of consecutive groups for k",
        "1 million rows x 7 QI columns in seconds",
        "Ghinita, Karras, Kalnis, Mamoulis 2009",
    ),
    Method(
        "heuristics.orders.idistance_fast",
        "heuristic",
        ANY,
        RANGES,
        "none",
        "1 million rows x 7 QI columns in seconds",
        "Ghinita, Karras, Kalnis, Mamoulis 2009",
    ),
    Method(
        "heuristics.orders.gray_order",
        "heuristic",
        ANY,
        RANGES,
        "none; best of consecutive groups for k",
        "1 million rows x 7 QI columns in seconds",
        "starmin",
    ),
    Method(
        "heuristics.recoding.mondrian",
        "heuristic",
        ANY,
        EVERY,
        "none",
        "1 million rows x 7 QI columns in seconds",
        "LeFevre, DeWitt, Ramakrishnan 2006",
    ),
    Method(
        "heuristics.recoding.top_down",
        "heuristic",
        ANY,
        EVERY,
        "none",
        "1 million rows x 7 QI columns",
        "Xu et al. 2006",
    ),
    Method(
        "heuristics.recoding.top_down_specialization",
        "heuristic",
        ANY,
        EVERY,
        "none",
        "1 million rows x 7 QI columns",
        "Fung, Wang, Yu 2005",
    ),
    Method(
        "heuristics.recoding.incognito",
        "heuristic",
        ANY,
        EVERY,
        "optimal among full-domain recodings",
        "100,000 rows x 7 QI columns",
        "LeFevre, DeWitt, Ramakrishnan 2005",
    ),
    Method(
        "heuristics.recoding.anatomy",
        "heuristic",
        ("l", "k+l"),
        EVERY,
        "none; the most groups there can be",
        "10 million rows",
        "Xiao, Tao 2006",
    ),
    Method(
        "models.bounds.own_pattern",
        "bound",
        K_AND_L,
        STARS_ONLY,
        "valid; never above pattern_lp",
        "30,000 rows x 8 QI columns in seconds",
        "Murakami, Uno 2018",
    ),
    Method(
        "models.bounds.lagrangian",
        "bound",
        K_AND_L,
        STARS_ONLY,
        "valid; never below own_pattern; within 0.1 % of pattern_lp where measured",
        "30,000 rows x 8 QI columns in seconds",
        "Fisher 1981; Kingma, Ba 2015",
    ),
    Method(
        "models.bounds.pattern_lp",
        "bound",
        K_AND_L,
        STARS_ONLY,
        "valid; the linear relaxation of pattern_ilp",
        "30,000 rows x 5 QI columns in seconds",
        "Chakaravarthy, Pandit, Sabharwal 2010",
    ),
    Method(
        "models.bounds.residue",
        "bound",
        K_AND_L,
        TUPLES_ONLY,
        "valid; for l = 2 at most 1 below the optimum",
        "10 million rows",
        "Xiao, Yi, Tao 2010",
    ),
    Method(
        "models.nonhomogeneous.pair_matching",
        "exact",
        ("k",),
        STARS_ONLY,
        "optimal; for k = 2, in polynomial time",
        "30,000 rows x 8 QI columns in minutes",
        "Murakami, Uno 2018",
        recodings=NONHOMOGENEOUS,
        tiny=7,
    ),
    Method(
        "models.nonhomogeneous.matching_mip",
        "exact",
        ("k",),
        BOTH,
        "optimal",
        "20 rows; any solver of pulp",
        "Murakami, Uno 2018; Doka et al. 2015",
        recodings=NONHOMOGENEOUS,
        tiny=6,
    ),
    Method(
        "models.nonhomogeneous.matching_cp_sat",
        "exact",
        ("k",),
        BOTH,
        "optimal",
        "10 rows",
        "Murakami, Uno 2018",
        recodings=NONHOMOGENEOUS,
        tiny=6,
    ),
    Method(
        "heuristics.nonhomogeneous.rematching",
        "heuristic",
        ("k",),
        EVERY,
        "none",
        "100,000 rows x 10 QI columns in a minute; any number in blocks",
        "starmin",
        recodings=NONHOMOGENEOUS,
        tiny=7,
    ),
    Method(
        "heuristics.nonhomogeneous.blocks",
        "heuristic",
        ("k",),
        EVERY,
        "none",
        "10 million rows x 10 QI columns",
        "Murakami, Uno 2018",
        recodings=NONHOMOGENEOUS,
        tiny=7,
    ),
    Method(
        "heuristics.nonhomogeneous.two_phase",
        "heuristic",
        ("k",),
        EVERY,
        "none",
        "100,000 rows x 10 QI columns in seconds; any number in blocks",
        "Murakami, Uno 2018",
        recodings=NONHOMOGENEOUS,
        tiny=7,
    ),
    Method(
        "heuristics.nonhomogeneous.freeform",
        "heuristic",
        ("k",),
        EVERY,
        "none",
        "100,000 rows x 10 QI columns in seconds",
        "Doka, Xue, Tsoumakos, Karras 2015",
        recodings=NONHOMOGENEOUS,
        tiny=7,
    ),
    Method(
        "heuristics.nonhomogeneous.ring",
        "heuristic",
        ("k",),
        BOTH,
        "none",
        "10 million rows",
        "Wong, Mamoulis, Cheung 2010",
        recodings=NONHOMOGENEOUS,
        tiny=7,
    ),
    Method(
        "models.nonhomogeneous.own_star_set",
        "bound",
        ("k",),
        STARS_ONLY,
        "valid; never above degree_prices",
        "100,000 rows x 8 QI columns in seconds",
        "Murakami, Uno 2018",
        recodings=NONHOMOGENEOUS,
        tiny=7,
    ),
    Method(
        "models.nonhomogeneous.degree_prices",
        "bound",
        ("k",),
        STARS_ONLY,
        "valid; never below own_star_set; for k = 2 its maximum is the optimum",
        "100,000 rows x 8 QI columns in minutes",
        "Fisher 1981; Kingma, Ba 2015",
        recodings=NONHOMOGENEOUS,
        tiny=7,
    ),
)

METHODS: dict[str, Method] = {method.name: method for method in LISTED}


def load(name: str) -> Callable[..., Result[Any]]:
    """Import the function of the method called ``name``."""
    return find(name).load()


def find(name: str, *kinds: Kind) -> Method:
    """The method called ``name``, of one of ``kinds`` where any are given.

    Raises
    ------
    NotSupportedError
        There is none; the message names those there are.
    """
    among = [m for m in METHODS.values() if not kinds or m.kind in kinds]
    for method in among:
        if method.name == name:
            return method
    known = ", ".join(method.name for method in among)
    wanted = f"one of the {' and '.join(kinds)} methods" if kinds else "a method"
    close = nearest(name, [method.name for method in among])
    raise NotSupportedError(
        f"Expected {wanted}, got {name!r}{close}; these are: {known}."
    )


def supporting(
    requirement: Requirement,
    objective: Objective,
    *kinds: Kind,
    recoding: str = "suppression",
) -> list[Method]:
    """The methods of ``kinds`` (of any kind where none are given) for a problem."""
    return [
        method
        for method in METHODS.values()
        if (not kinds or method.kind in kinds)
        and method.supports(requirement, objective, recoding)
    ]
