"""The exact programs of one dimension as methods: rows on a line, cut by one program.

Rows are put on the Hilbert curve, those of one column of numbers by these. Read
``by_program``: each method there cuts the line by another loss, ``k_largest``,
``k_mean`` and ``k_order`` for k-anonymity, ``l_ordered``, ``l_by_dual``, ``l_total``
and ``l_mean`` for l-diversity. What a program minimises on the line it does not
minimise in the table: the programs are in ``starmin.models.one_dimensional``.
"""

from starmin.instances.runs.method import Method


def _method(name: str, requirement: str, guarantee: str, reach: str) -> Method:
    return Method(
        f"starmin.heuristics.line.by_program:{name}",
        "heuristic",
        requirements=(requirement,),
        objectives=("stars", "gcp"),
        guarantee=f"none; on the line {guarantee}",
        reach=reach,
        source="Ghinita, Karras, Kalnis, Mamoulis 2009",
    )


K_LARGEST = _method("k_largest", "k", "the least largest extent", "10 million rows")
K_MEAN = _method("k_mean", "k", "the least mean extent", "10 million rows")
K_ORDER = _method(
    "k_order",
    "k",
    "the least size times extent of consecutive groups",
    "1 million rows",
)
L_ORDERED = _method(
    "l_ordered", "l", "the least largest extent", "200 rows, three sensitive values"
)
L_BY_DUAL = _method(
    "l_by_dual", "l", "the least largest extent", "200 rows, three sensitive values"
)
L_TOTAL = _method(
    "l_total",
    "l",
    "the least sum of extents of ordered groups",
    "200 rows, three sensitive values",
)
L_MEAN = _method(
    "l_mean",
    "l",
    "the least mean extent of ordered groups",
    "200 rows, three sensitive values",
)

METHODS = (K_LARGEST, K_MEAN, K_ORDER, L_ORDERED, L_BY_DUAL, L_TOTAL, L_MEAN)
