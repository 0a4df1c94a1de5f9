"""Sequential clustering (Goldberger and Tassa 2010).

``clustering`` is the method; ``cluster_groups`` makes the changes that a requirement
allows. Both have compiled loops.
"""

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.method import Method

CLUSTERING = Method(
    "starmin.heuristics.clustering.clustering",
    "heuristic",
    requirements=("any",),
    objectives=ANY_OBJECTIVE,
    guarantee="none; never worse than its start: pattern_cover, diverse_cover",
    reach="30,000 rows x 8 quasi-identifiers in a minute",
    source="Goldberger, Tassa 2010",
)

METHODS = (CLUSTERING,)
