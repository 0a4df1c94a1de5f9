"""Local search on any release, for any requirement: move, swap, merge and split.

``local_search`` is the method; read it first. Stars and tuples are searched there, with
any requirement asked of many groups: ``local_search_state`` holds groups (see
``starmin.heuristics.annealing.dealt_rows``) and the constants, ``local_moves``
proposes, ``pattern_index`` finds groups by pattern. For losses it is ``range_search``.

``clustering`` is sequential clustering (Goldberger and Tassa 2010); ``cluster_groups``
makes the changes that a requirement allows, for it and for losses.
"""

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.method import Method

LOCAL_SEARCH = Method(
    "starmin.heuristics.local_search.local_search",
    "heuristic",
    requirements=("any", "persons"),
    objectives=ANY_OBJECTIVE,
    guarantee="none; never worse than its start",
    reach="300,000 rows x 9 quasi-identifiers",
    source="starmin; simulated annealing",
    pauses=True,
)

CLUSTERING = Method(
    "starmin.heuristics.local_search.clustering",
    "heuristic",
    requirements=("any",),
    objectives=ANY_OBJECTIVE,
    guarantee="none; never worse than its start: pattern_cover, diverse_cover",
    reach="30,000 rows x 8 quasi-identifiers in a minute",
    source="Goldberger, Tassa 2010",
)

METHODS = (LOCAL_SEARCH, CLUSTERING)
