"""The pattern formulation solved exactly.

Methods: ``pattern_ilp`` (read it first) and ``pattern_subsets``.
``pattern_kernel_search`` finds releases and bounds;
``starmin.models.neighbourhoods.destroy_operators`` gives the first release.
"""

from starmin.instances.runs.method import Method, Need

PATTERN_ILP = Method(
    "starmin.models.pattern_ilp.pattern_ilp",
    "exact",
    requirements=(
        "k",
        "l",
        "k+l",
        "distinct",
        "distinct+k",
        "distinct+l",
        "distinct+k+l",
    ),
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

METHODS = (PATTERN_ILP, PATTERN_SUBSETS)
