"""Local search on any release, for any requirement: move, swap, merge and split.

``local_search`` is the method; read it first. ``state`` holds groups, ``changes``
changes and undoes, ``moves`` and ``openings`` propose, ``pattern_index`` finds groups
by pattern, ``requirement_check`` asks any requirement of many groups, ``params`` are
the constants.
"""

from instances.runs.method import Method

LOCAL_SEARCH = Method(
    "heuristics.local_search.local_search",
    "heuristic",
    requirements=("any",),
    objectives=("stars", "tuples"),
    guarantee="none; never worse than its start",
    reach="300,000 rows x 9 QI columns",
    source="starmin; simulated annealing",
)

METHODS = (LOCAL_SEARCH,)
