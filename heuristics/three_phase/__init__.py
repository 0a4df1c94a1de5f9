"""The three-phase approximation of l-diversity (Xiao, Yi and Tao 2010).

Methods: ``three_phase`` (read it first), ``three_phase_hybrid`` and
``coarse_three_phase``. ``phases`` has the arrays of the algorithm and its compiled
loops.
"""

from starmin.instances.releases.objective_kinds import BY_STARS
from starmin.instances.runs.method import Method

THREE_PHASE = Method(
    "starmin.heuristics.three_phase.three_phase",
    "heuristic",
    requirements=("l", "k+l"),
    objectives=BY_STARS,
    guarantee="ratio l for tuples, l d for stars; for l = 2 at most 1 tuple too many",
    reach="10 million rows",
    source="Xiao, Yi, Tao 2010",
)

THREE_PHASE_HYBRID = Method(
    "starmin.heuristics.three_phase.three_phase_hybrid",
    "heuristic",
    requirements=("l", "k+l"),
    objectives=BY_STARS,
    guarantee="as three_phase; never worse than it",
    reach="600,000 rows x 7 quasi-identifiers",
    source="Xiao, Yi, Tao 2010",
)

COARSE_THREE_PHASE = Method(
    "starmin.heuristics.three_phase.coarse_three_phase",
    "heuristic",
    requirements=("l", "k+l"),
    objectives=("gcp",),
    guarantee="none",
    reach="600,000 rows x 4 quasi-identifiers",
    source="Xiao, Yi, Tao 2010",
)

METHODS = (THREE_PHASE, THREE_PHASE_HYBRID, COARSE_THREE_PHASE)
