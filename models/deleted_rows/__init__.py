"""Releases that some rows are left out of, at a price: bounded and solved.

Methods: ``deletion_prices`` and ``deletion_ilp``. Read ``deletion_ilp`` first: to be
deleted is a pattern of its own that any number of rows may have; then
``deletion_prices``, which says why prices of row types prove a bound if none is above
the price of a deleted row. ``outliers`` deletes rows of a release that keeps them.
"""

from starmin.instances.runs.method import Method

DELETION_ILP = Method(
    "starmin.models.deleted_rows.deletion_ilp",
    "exact",
    requirements=("deleted rows",),
    objectives=("stars", "gcp"),
    guarantee="optimal",
    reach="some hundred rows; more as far as time allows",
    source="the pattern formulation, with a pattern for deleted rows",
    recodings=("suppression",),
    solver="HiGHS",
)
DELETION_PRICES = Method(
    "starmin.models.deleted_rows.deletion_prices",
    "bound",
    requirements=("deleted rows",),
    objectives=("stars", "gcp"),
    guarantee="the Lagrangian bound of the pattern formulation, nearly",
    reach="30,000 rows x 8 quasi-identifiers in a minute",
    source="Lagrangian relaxation, with prices that are capped",
    recodings=("suppression",),
)

METHODS = (DELETION_ILP, DELETION_PRICES)
