"""The pattern formulation under distinct l-diversity.

The method ``pattern_ilp`` calls ``distinct_search``. Read ``distinct_reduction`` first:
which rows must be placed and which can be lent, the program of these, and the flow that
finds the rows that patterns borrow; then ``distinct_search``. ``distinct_prices``
bounds large programs, and is a method that bounds by these prices alone.
"""

from starmin.instances.runs.method import Method, Need

DISTINCT_PRICES = Method(
    "starmin.models.distinct.distinct_prices",
    "bound",
    requirements=("distinct", "distinct+k", "distinct+l", "distinct+k+l"),
    objectives=("stars",),
    guarantee="valid",
    reach="30,000 rows x 7 quasi-identifiers in seconds",
    source="here; Fisher 1981",
    needs=(Need("pairs", a_second=5_000_000),),
)

METHODS = (DISTINCT_PRICES,)
