"""Exact models and lower bounds of non-homogeneous k-anonymity.

Exact: ``pair_matching`` (k = 2, in polynomial time; read it first), ``matching_mip``,
``matching_cp_sat`` and ``matching_flow_tree``. Bounds: ``own_star_set``, which also
writes what bounds prove, and ``degree_prices``. ``cell_prices`` proves what is optimal
of small tables.
"""

from functools import partial

from starmin.instances.releases.objective_kinds import BY_STARS
from starmin.instances.runs.method import Method

_of_rows = partial(Method, requirements=("k",), recodings=("nonhomogeneous",))

PAIR_MATCHING = _of_rows(
    "starmin.models.nonhomogeneous.pair_matching",
    "exact",
    objectives=("stars",),
    guarantee="optimal; for k = 2, in polynomial time",
    reach="30,000 rows x 8 quasi-identifiers in minutes",
    source="Murakami, Uno 2018",
)

MATCHING_MIP = _of_rows(
    "starmin.models.nonhomogeneous.matching_mip",
    "exact",
    objectives=BY_STARS,
    guarantee="optimal",
    reach="20 rows; any solver of pulp",
    source="Murakami, Uno 2018; Doka et al. 2015",
    solver="HiGHS, or another one of PuLP",
)

MATCHING_CP_SAT = _of_rows(
    "starmin.models.nonhomogeneous.matching_cp_sat",
    "exact",
    objectives=BY_STARS,
    guarantee="optimal",
    reach="10 rows",
    source="Murakami, Uno 2018",
    solver="CP-SAT",
)

MATCHING_FLOW_TREE = _of_rows(
    "starmin.models.nonhomogeneous.matching_flow_tree",
    "exact",
    objectives=BY_STARS,
    guarantee="optimal, with a certificate",
    reach="12 rows x 6 quasi-identifiers",
    source="Murakami, Uno 2018; Kelley 1960",
)

OWN_STAR_SET = _of_rows(
    "starmin.models.nonhomogeneous.own_star_set",
    "bound",
    objectives=("stars",),
    guarantee="valid; never above degree_prices",
    reach="100,000 rows x 8 quasi-identifiers in seconds",
    source="Murakami, Uno 2018",
)

DEGREE_PRICES = _of_rows(
    "starmin.models.nonhomogeneous.degree_prices",
    "bound",
    objectives=("stars", "gcp"),
    guarantee="valid; never below own_star_set; for k = 2 its maximum is the optimum",
    reach="100,000 rows x 8 quasi-identifiers in minutes",
    source="Fisher 1981; Kingma, Ba 2015",
)

METHODS = (
    PAIR_MATCHING,
    MATCHING_MIP,
    MATCHING_CP_SAT,
    MATCHING_FLOW_TREE,
    OWN_STAR_SET,
    DEGREE_PRICES,
)
