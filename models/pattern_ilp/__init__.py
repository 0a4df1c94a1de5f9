"""The pattern formulation solved exactly.

Methods: ``pattern_ilp`` (read it first), ``pattern_subsets``, ``branch_and_bound``,
whose tree is a proof, and ``column_generation`` for wide tables. ``priced_program``
leaves patterns out that no better release uses, ``prove`` grows a tree for other
methods as well: ``tree_certificate`` writes it, each ``node_solver`` being a worker,
which offers the splits of a node (``split_counts``); ``tree_relaxation`` solves a node;
``multipliers`` has the open nodes, and computes in whole numbers what a node proves.
"""

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.method import DIVERSE, Method, Need

PATTERN_ILP = Method(
    "starmin.models.pattern_ilp.pattern_ilp",
    "exact",
    requirements=DIVERSE,
    objectives=("stars", "gcp"),
    guarantee="optimal",
    reach="30,000 rows x 4-6 quasi-identifiers; 200,000 with few distinct rows",
    source="Chakaravarthy, Pandit, Sabharwal 2010; Bredereck et al. 2013",
    counted=True,
    solver="HiGHS",
    needs=(Need("pairs", a_second=20_000, most=1_000_000),),
)

PATTERN_SUBSETS = Method(
    "starmin.models.pattern_ilp.pattern_subsets",
    "exact",
    requirements=("k",),
    objectives=("stars",),
    guarantee="optimal",
    reach="50 to 100 patterns, any number of rows",
    source="Chakaravarthy, Pandit, Sabharwal 2010",
)

BRANCH_AND_BOUND = Method(
    "starmin.models.pattern_ilp.branch_and_bound",
    "exact",
    requirements=DIVERSE,
    objectives=ANY_OBJECTIVE,
    guarantee="optimal, with a certificate of it",
    reach="30,000 rows x 4-5 quasi-identifiers where the relaxation is nearly tight",
    source="Land, Doig 1960; Fisher 1981",
    needs=(Need("pairs", a_second=2_000_000), Need("types", most=10_000)),
    pauses=True,
)

COLUMN_GENERATION = Method(
    "starmin.models.pattern_ilp.column_generation",
    "exact",
    requirements=("k", "l", "k+l"),
    objectives=("stars", "gcp"),
    guarantee="optimal if few patterns matter; else a bound near the linear relaxation",
    reach="30,000 rows x 16-24 quasi-identifiers for the bound",
    source="here; Desaulniers, Desrosiers, Solomon 2005",
    solver="HiGHS",
    pauses=True,
)

METHODS = (PATTERN_ILP, PATTERN_SUBSETS, BRANCH_AND_BOUND, COLUMN_GENERATION)
