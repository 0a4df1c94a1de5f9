"""The rows on a line, cut by an exact program of one dimension: one method for each.

No guarantee for what the groups lose in the table: a program minimises what it does on
the line. The programs are in ``starmin.models.one_dimensional``.
"""

from collections.abc import Callable

import numpy as np

from starmin.heuristics.cuts.preset import preset
from starmin.heuristics.line import (
    K_LARGEST,
    K_MEAN,
    K_ORDER,
    L_BY_DUAL,
    L_MEAN,
    L_ORDERED,
    L_TOTAL,
)
from starmin.heuristics.line.rows_on_line import (
    expect_few_boundaries,
    offer_cut,
    offer_groups,
)
from starmin.instances import Result, Run
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.runs.method import Method
from starmin.models.one_dimensional import k_largest as largest
from starmin.models.one_dimensional import k_mean as mean
from starmin.models.one_dimensional import k_order as by_order
from starmin.models.one_dimensional import l_by_dual as dual
from starmin.models.one_dimensional import l_mean as diverse_mean
from starmin.models.one_dimensional import l_ordered as ordered
from starmin.models.one_dimensional.sorted_values import Values

Cut = Callable[[Values, int], Ints]
Form = Callable[[Values, Int32s, int], Ints]


def _by_size(values: Values, k: int) -> Ints:
    """Return where groups begin of which sizes times extents add up to the least."""

    def loss(begin: Ints, end: Ints) -> Floats:
        # Differences of whole numbers are exact; as floats they may be rounded.
        extents: Floats = (values[end - 1] - values[begin]).astype(np.float64)
        return (end - begin) * extents

    return by_order.k_order(loss, len(values), k)


def _cut(method: Method, cut: Cut, told: str) -> Callable[..., Result]:
    """Return the method that cuts the line by a program for k-anonymity."""

    def offer(run: Run, seed: int) -> None:
        k = run.requirement.core.size
        offer_cut(run, lambda values: cut(values, k), seed)

    cost = f"Ends for {method.reach}: O(n) or O(n log n) after a sort."
    return preset(method, offer, told, cost)


def _form(method: Method, form: Form, told: str) -> Callable[..., Result]:
    """Return the method that forms groups on the line by a program for l-diversity."""

    def offer(run: Run, seed: int) -> None:
        l = run.requirement.core.diversity
        offer_groups(run, lambda x, sensitive: form(x, sensitive, l), seed)

    cost = (
        f"Ends for {method.reach}:\nhow far each is used up is a state of the program."
    )
    return preset(method, offer, told, cost, expect_few_boundaries)


k_largest = _cut(
    K_LARGEST,
    lambda values, k: largest.k_largest(values, k),
    """
    Group rows that are near on a Hilbert curve by the largest extent on it.

    The largest extent of the groups on the line is the least of all; no guarantee for
    what they lose in the table.
    """,
)

k_mean = _cut(
    K_MEAN,
    lambda values, k: mean.k_mean(values, k),
    """
    Group rows that are near on a Hilbert curve by the mean extent on it.

    The mean extent of the groups on the line is the least of all; no guarantee for
    what they lose in the table.
    """,
)

k_order = _cut(
    K_ORDER,
    _by_size,
    """
    Group rows that are near on a Hilbert curve by their number times their extent.

    The best of consecutive groups on the line; no guarantee for what they lose in the
    table. ``hilbert`` asks the columns what groups lose.
    """,
)

l_ordered = _form(
    L_ORDERED,
    lambda x, sensitive, l: ordered.l_ordered(x, sensitive, l).groups,
    """
    Group rows that are near on a Hilbert curve by the largest extent, l-diverse.

    The largest extent of the groups on the line is the least of all, found by
    the program over boundaries; no guarantee for what they lose in the table.
    """,
)

l_by_dual = _form(
    L_BY_DUAL,
    lambda x, sensitive, l: dual.l_by_dual(x, sensitive, l).groups,
    """
    Group rows that are near on a Hilbert curve by the largest extent, l-diverse.

    The largest extent of the groups on the line is the least of all, found by
    bisection over the dual problem; no guarantee for what they lose in the table.
    """,
)

l_total = _form(
    L_TOTAL,
    lambda x, sensitive, l: ordered.l_ordered(x, sensitive, l, "total").groups,
    """
    Group rows that are near on a Hilbert curve by the sum of extents, l-diverse.

    On the line the sum is the least of all ordered groups of l to 2l - 1 different
    values; other groups may have a smaller one, and there is no guarantee for what
    they lose in the table.
    """,
)

l_mean = _form(
    L_MEAN,
    lambda x, sensitive, l: diverse_mean.l_mean(x, sensitive, l)[1],
    """
    Group rows that are near on a Hilbert curve by the mean extent, l-diverse.

    On the line the mean is the least of all ordered groups of l to 2l - 1 different
    values; other groups may have a smaller one, and there is no guarantee for what
    they lose in the table.
    """,
)
