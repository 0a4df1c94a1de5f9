"""Diversity where missing sensitive values are any value, or none.

Method: ``known_values_ilp``. ``usual_problem`` states one of the usual kind that bounds
it.
"""

from starmin.instances.runs.method import Method

KNOWN_VALUES_ILP = Method(
    "starmin.models.known_values.known_values_ilp",
    "exact",
    requirements=(
        "known-l",
        "k+known-l",
        "known-distinct",
        "k+known-distinct",
    ),
    objectives=("stars", "gcp"),
    guarantee="optimal",
    reach="some hundred distinct rows; larger tables as far as time allows",
    source="the pattern formulation, with rows for missing values",
)

METHODS = (KNOWN_VALUES_ILP,)
