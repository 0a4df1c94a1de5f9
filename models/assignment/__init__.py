"""Textbook formulations for tiny tables, as independent second opinions.

Methods: ``assignment_mip`` (rows to groups, in PuLP; read it first) and ``pairwise_cp``
(pairs of rows, in CP-SAT).
"""

from starmin.instances.releases.objective_kinds import BY_STARS
from starmin.instances.runs.method import Method

PAIRWISE_CP = Method(
    "starmin.models.assignment.pairwise_cp",
    "exact",
    requirements=("k", "l", "k+l"),
    objectives=BY_STARS,
    guarantee="optimal",
    reach="20 rows",
    source="starmin",
    aliases=("cp_sat",),
    solver="CP-SAT",
)

ASSIGNMENT_MIP = Method(
    "starmin.models.assignment.assignment_mip",
    "exact",
    requirements=("k", "l", "k+l"),
    objectives=BY_STARS,
    guarantee="optimal",
    reach="10 rows; any solver of pulp, and export",
    source="textbook",
    solver="HiGHS, or another one of PuLP",
)

METHODS = (PAIRWISE_CP, ASSIGNMENT_MIP)
