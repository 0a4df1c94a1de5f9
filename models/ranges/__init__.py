"""The pattern formulation with ranges, for small tables.

``range_ilp`` is the method; read it first. ``incidences`` lists what groups can be
published as, which rows fit and what they pay.
"""

from starmin.instances.runs.method import Method

RANGE_ILP = Method(
    "starmin.models.ranges.range_ilp",
    "exact",
    requirements=("k", "l", "k+l"),
    objectives=("gcp",),
    guarantee="optimal",
    reach="40 rows x 1 quasi-identifier, 15 rows x 3",
    source="starmin; after Chakaravarthy, Pandit, Sabharwal 2010",
    solver="HiGHS and CP-SAT",
)

METHODS = (RANGE_ILP,)
