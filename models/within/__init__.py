"""Nested releases: unions of the classes of an earlier release, bounded and solved.

Methods: ``within_prices``, with the bound, and ``within_ilp``. Read ``listing`` first:
what is dealt to patterns are whole classes.
"""

from starmin.instances.runs.method import Method

WITHIN_ILP = Method(
    "starmin.models.within.within_ilp",
    "exact",
    requirements=("within",),
    objectives=("stars", "gcp"),
    guarantee="optimal",
    reach="some hundred classes; more as far as time allows",
    source="the pattern formulation, with classes in the place of rows",
    solver="HiGHS",
)
WITHIN_PRICES = Method(
    "starmin.models.within.within_prices",
    "bound",
    requirements=("within",),
    objectives=("stars", "gcp"),
    guarantee="the Lagrangian bound of the pattern formulation, nearly",
    reach="20,000,000 pairs of a class and a pattern that it fits",
    source="Lagrangian relaxation, with classes in the place of rows",
)

METHODS = (WITHIN_ILP, WITHIN_PRICES)
