"""Lower bounds with certificates, each a method.

Read ``lagrangian`` first, then ``own_pattern``, ``dual_ascent``,
``pattern_lp`` (the linear relaxation) and ``residue`` (for suppressed tuples).

Where patterns are too many to look at, ``cheapest_groups`` searches the groups of each
row type, among those that ``near_types`` finds; ``slack_search`` raises prices from
there, and ``group_columns`` generates groups until prices are near to the best. For
millions of types ``near_bounds`` improves prices on the patterns of ``near_listing``,
which cost little more than a type pays at least.
"""

from starmin.instances.runs.method import DIVERSE, Method, Need

OWN_PATTERN = Method(
    "starmin.models.bounds.own_pattern",
    "bound",
    requirements=DIVERSE,
    objectives=("stars", "gcp"),
    guarantee="valid; never above pattern_lp",
    reach="30,000 rows x 8 quasi-identifiers in seconds, losses of 24 in minutes",
    source="Murakami, Uno 2018",
    counted=True,
    needs=(Need("pairs", a_second=5_000_000, must=False),),
    pauses=True,
)

DUAL_ASCENT = Method(
    "starmin.models.bounds.dual_ascent",
    "bound",
    requirements=DIVERSE,
    objectives=("stars", "gcp"),
    guarantee="valid; never below what rows pay in their cheapest groups; "
    "with time the relaxation over all groups",
    reach="2,000 rows x 4 columns of numbers in a tenth of a second; the relaxation of "
    "300 rows x 17 in ten",
    source="Erlenkotter 1978; Ben-Ameur, Neto 2007",
    needs=(Need("comparisons", a_second=500_000_000),),
    pauses=True,
)

LAGRANGIAN = Method(
    "starmin.models.bounds.lagrangian",
    "bound",
    requirements=("k", "l", "k+l"),
    objectives=("stars", "gcp"),
    guarantee="valid; never below own_pattern; "
    "within 0.1 % of pattern_lp where measured; cuts go beyond it",
    reach="30,000 rows x 8 quasi-identifiers in seconds, with hierarchies in a minute",
    source="Fisher 1981; Kingma, Ba 2015",
    needs=(Need("pairs", a_second=1_000_000, must=False),),
    pauses=True,
    counted=True,
)

PATTERN_LP = Method(
    "starmin.models.bounds.pattern_lp",
    "bound",
    requirements=("k", "l", "k+l"),
    objectives=("stars", "gcp"),
    guarantee="valid; the linear relaxation of pattern_ilp",
    reach="30,000 rows x 5 quasi-identifiers in seconds",
    source="Chakaravarthy, Pandit, Sabharwal 2010",
)

RESIDUE = Method(
    "starmin.models.bounds.residue",
    "bound",
    requirements=DIVERSE,
    objectives=("tuples",),
    guarantee="valid; for l = 2 at most 1 below the optimum",
    reach="10 million rows",
    source="Xiao, Yi, Tao 2010",
    pauses=True,
)

METHODS = (OWN_PATTERN, DUAL_ASCENT, LAGRANGIAN, PATTERN_LP, RESIDUE)
