"""Privacy that counts persons or households: reductions, and an exact program.

Method: ``person_ilp``. Read ``one_row_each`` first: which usual problems are easier
than one with persons, and releases of what is found for these. Then ``person_program``.
"""

from starmin.instances.releases.objective_kinds import ANY_OBJECTIVE
from starmin.instances.runs.method import Method

PERSON_ILP = Method(
    "starmin.models.persons.person_ilp",
    "exact",
    requirements=("persons",),
    objectives=ANY_OBJECTIVE,
    guarantee="optimal",
    reach="some hundred persons; larger tables as far as time allows",
    source="the pattern formulation, with persons in the place of rows",
    solver="HiGHS",
)

METHODS = (PERSON_ILP,)
