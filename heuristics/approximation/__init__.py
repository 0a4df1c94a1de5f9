"""Approximation algorithms for groups: covers, cycles, forests and three phases.

Methods: ``pattern_cover`` (read it first), ``greedy_cover``, ``diverse_cover``,
``near_linear_cover``, ``cycle_cover``, ``factor_cover`` and ``forest``; each states its
ratio in its first paragraph.

``three_phase`` approximates l-diversity (Xiao, Yi and Tao 2010); ``three_phase_loops``
has its arrays and compiled loops. ``three_phase_hybrid`` and ``coarse_three_phase``,
which are beside it, go on from there.
"""

from functools import partial

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE, BY_STARS
from starmin.instances.runs.method import Method

_heuristic = partial(Method, kind="heuristic", requirements=("k",), objectives=BY_STARS)

THREE_PHASE = _heuristic(
    "starmin.heuristics.approximation.three_phase",
    requirements=("l", "k+l"),
    guarantee="ratio l for tuples, l d for stars; for l = 2 at most 1 tuple too many",
    reach="10 million rows",
    source="Xiao, Yi, Tao 2010",
)

THREE_PHASE_HYBRID = _heuristic(
    "starmin.heuristics.approximation.three_phase:three_phase_hybrid",
    requirements=("l", "k+l"),
    guarantee="as three_phase; never worse than it",
    reach="600,000 rows x 7 quasi-identifiers",
    source="Xiao, Yi, Tao 2010",
)

COARSE_THREE_PHASE = _heuristic(
    "starmin.heuristics.approximation.three_phase:coarse_three_phase",
    requirements=("l", "k+l"),
    objectives=("gcp",),
    guarantee="none",
    reach="600,000 rows x 4 quasi-identifiers",
    source="Xiao, Yi, Tao 2010",
)

GREEDY_COVER = _heuristic(
    "starmin.heuristics.approximation.greedy_cover",
    guarantee="ratio O(k log k): 5.5 for k = 2; of all sets O(log k): 2.75",
    reach="30,000 rows x 8 quasi-identifiers in seconds",
    source="Meyerson, Williams 2004; Park, Shim 2007",
)

PATTERN_COVER = _heuristic(
    "starmin.heuristics.approximation.pattern_cover",
    objectives=ANY_OBJECTIVE,
    guarantee="ratio O(log k): (2k - 1)/k (1 + 1/2 + .. + 1/k); 2.25 for k = 2; "
    "none for losses with a greatest width",
    reach="30,000 rows x 8 quasi-identifiers in seconds",
    source="Park, Shim 2007; Kenig, Tassa 2012",
)

CYCLE_COVER = _heuristic(
    "starmin.heuristics.approximation.cycle_cover",
    guarantee="ratio 1.6, for k = 2",
    reach="4,000 rows",
    source="starmin",
)

FACTOR_COVER = _heuristic(
    "starmin.heuristics.approximation.factor_cover",
    guarantee="ratio 3, for k = 3; 2 for stars where columns have two values",
    reach="1,000 rows",
    source="Aggarwal et al. 2005; starmin",
)

DIVERSE_COVER = _heuristic(
    "starmin.heuristics.approximation.diverse_cover",
    requirements=("l", "k+l"),
    guarantee="as three_phase where that applies, else none; never worse than it",
    reach="30,000 rows x 8 quasi-identifiers in seconds",
    source="Kenig, Tassa 2012",
)

FOREST = _heuristic(
    "starmin.heuristics.approximation.forest",
    guarantee="ratio max(2k - 1, 3k - 5)",
    reach="30,000 rows x 8 quasi-identifiers in seconds; 100,000 distinct rows",
    source="Aggarwal et al. 2005",
)

NEAR_LINEAR_COVER = _heuristic(
    "starmin.heuristics.approximation.near_linear_cover",
    guarantee="ratio O(log k): 1.25 (2k - 1)/k (1 + 1/2 + .. + 1/k); 2.81 for k = 2; "
    "times ceil(d / 10) for d > 10 columns of equal weight",
    reach="millions of distinct rows x 8 quasi-identifiers in minutes",
    source="starmin; after Aydin et al. 2025 and Park, Shim 2007",
    counted=True,
)

METHODS = (
    THREE_PHASE,
    THREE_PHASE_HYBRID,
    COARSE_THREE_PHASE,
    GREEDY_COVER,
    PATTERN_COVER,
    CYCLE_COVER,
    FACTOR_COVER,
    DIVERSE_COVER,
    FOREST,
    NEAR_LINEAR_COVER,
)
