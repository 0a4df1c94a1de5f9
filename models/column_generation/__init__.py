"""Star minimisation in wide tables by column generation.

``column_generation`` is the method; the pricing problem lies in
``starmin.models.pricing``.
"""

from starmin.instances.runs.method import Method

COLUMN_GENERATION = Method(
    "starmin.models.column_generation.column_generation",
    "exact",
    requirements=("k", "l", "k+l"),
    objectives=("stars", "gcp"),
    guarantee="optimal if few patterns matter; else a bound near the linear relaxation",
    reach="30,000 rows x 16-24 quasi-identifiers for the bound",
    source="here; Desaulniers, Desrosiers, Solomon 2005",
    solver="HiGHS",
    pauses=True,
)

METHODS = (COLUMN_GENERATION,)
