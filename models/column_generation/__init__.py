"""Patterns priced out instead of listed, for wide tables.

``column_generation`` is the method; read it first. ``pricing`` and ``pricing_search``
find the patterns that matter at given prices, ``boxstep`` improves prices within boxes,
``pattern_pool`` is what searches work on.
"""

from instances.runs.method import Method

COLUMN_GENERATION = Method(
    "models.column_generation.column_generation",
    "exact",
    requirements=("k", "l", "k+l"),
    objectives=("stars",),
    guarantee="optimal if few patterns matter; else a bound near the linear relaxation",
    reach="30,000 rows x 16-24 QI columns for the bound",
    source="here; Desaulniers, Desrosiers, Solomon 2005",
)

METHODS = (COLUMN_GENERATION,)
