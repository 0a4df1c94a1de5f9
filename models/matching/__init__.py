"""Exact methods by matching and factors in graphs.

Methods: ``bipartite_matching`` (read it first), ``general_factor``. ``two_factor``
serves the heuristic ``factor_cover``.
"""

from starmin.instances.releases.objective_kinds import BY_STARS
from starmin.instances.runs.method import Method

GENERAL_FACTOR = Method(
    "starmin.models.matching.general_factor",
    "exact",
    requirements=("k",),
    objectives=BY_STARS,
    guarantee="optimal; for k = 2, in polynomial time",
    reach="100 rows",
    source="Blocki, Williams 2010; Dudycz, Paluch 2018",
)

BIPARTITE_MATCHING = Method(
    "starmin.models.matching.bipartite_matching",
    "exact",
    requirements=("l", "k+l"),
    objectives=("stars",),
    guarantee="optimal; for l = 2 and two sensitive values, in polynomial time",
    reach="100,000 rows x 6 quasi-identifiers",
    source="Xiao, Yi, Tao 2010",
    pauses=True,
)

METHODS = (GENERAL_FACTOR, BIPARTITE_MATCHING)
