"""The rows on a line, cut by an exact program of one dimension: one method for each.

No guarantee for what the groups lose in the table: a program minimises what it does on
the line. The programs are in ``starmin.models.one_dimensional``.
"""

from collections.abc import Callable
from math import prod

import numpy as np

from starmin.heuristics.orders import (
    K_LARGEST,
    K_MEAN,
    K_ORDER,
    L_BY_DUAL,
    L_MEAN,
    L_ORDERED,
    L_TOTAL,
)
from starmin.heuristics.orders.mappings import Hilbert
from starmin.heuristics.orders.preset import RowOrder, preset
from starmin.instances import NotSupportedError, Objective, Result, Run, Table
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.problem import expect_one_sensitive
from starmin.instances.runs.method import Method
from starmin.models.one_dimensional import k_order as k_programs
from starmin.models.one_dimensional import l_ordered as l_programs
from starmin.models.one_dimensional.k_total import Values

_MOST_BOUNDARIES = 1_000_000  # of l-diversity: how far each value may be used up


def expect_few_boundaries(table: Table) -> None:
    """Raise NotSupportedError where a program for l has too many boundaries.

    Examples
    --------
    >>> rows = [[str(i), str(i % 25)] for i in range(100)]
    >>> table = Table.from_rows(["x", "s"], rows, ["x"], ["s"])
    >>> expect_few_boundaries(table)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    starmin.instances.errors.NotSupportedError: Expected few rows of few sensitive ...
    """
    expect_one_sensitive(table)
    counts = table.text_counts(table.sensitive[0]).values()
    boundaries = prod(count + 1 for count in counts)
    if boundaries > _MOST_BOUNDARIES:
        raise NotSupportedError(
            "Expected few rows of few sensitive values, so that no more than "
            f"{_MOST_BOUNDARIES:,} boundaries are between them; got {boundaries:.1e}."
        )


def by_number(table: Table, objective: Objective) -> tuple[RowOrder, Ints] | None:
    """Return the rows by their numbers, and these, where one column has all there is.

    In whole units of its scale; None where there are other columns, missing values, or
    losses other than the lengths of ranges.
    """
    scale = objective.scales_of(table).scales[0]
    if table.d > 1 or objective.keep or (numbers := scale.plain()) is None:
        return None
    own = numbers[scale.positions[table.row_types.codes[:, 0]]]
    order = RowOrder.of(table, [], own)
    return order, own[table.row_types.inverse[order.rows]]


def _on_line(table: Table, objective: Objective, seed: int) -> tuple[RowOrder, Values]:
    """Return the rows by their numbers or, of several columns, along the curve."""
    if (found := by_number(table, objective)) is not None:
        return found
    order, values = RowOrder.along(Hilbert(), table, objective, seed)
    # Places on the curve may be too large to be added up as whole numbers.
    return order, values.astype(np.float64)


Cut = Callable[[Values, int], Ints]
Form = Callable[[Values, Int32s, int], Ints]


def _by_size(values: Values, k: int) -> Ints:
    """Return where groups begin of which sizes times extents add up to the least."""

    def loss(begin: Ints, end: Ints) -> Floats:
        # Differences of whole numbers are exact; as floats they may be rounded.
        extents: Floats = (values[end - 1] - values[begin]).astype(np.float64)
        return (end - begin) * extents

    return k_programs.k_order(loss, len(values), k)


def _cut(method: Method, cut: Cut, told: str) -> Callable[..., Result]:
    """Return the method that cuts the line by a program for k-anonymity."""

    def offer(run: Run, seed: int) -> None:
        k = run.requirement.core.size
        order, values = _on_line(run.table, run.objective, seed)
        starts = [part.start + cut(values[part], k) for part in order.stretches()]
        run.offer(order.consecutive(np.concatenate(starts)))

    cost = f"Ends for {method.reach}: O(n) or O(n log n) after a sort."
    return preset(method, offer, told, cost)


def _form(method: Method, form: Form, told: str) -> Callable[..., Result]:
    """Return the method that forms groups on the line by a program for l-diversity."""

    def offer(run: Run, seed: int) -> None:
        table, l = run.table, run.requirement.core.diversity
        order, values = _on_line(table, run.objective, seed)
        x, sensitive = values.astype(np.float64), table.column(table.sensitive[0])

        def groups(part: slice) -> Int32s:
            return form(x[part], sensitive[order.rows[part]], l).astype(np.int32)

        run.offer(order.by_stretch(groups))

    cost = (
        f"Ends for {method.reach}:\nhow far each is used up is a state of the program."
    )
    return preset(method, offer, told, cost, expect_few_boundaries)


k_largest = _cut(
    K_LARGEST,
    lambda values, k: k_programs.k_largest(values, k),
    """
    Group rows that are near on a Hilbert curve by the largest extent on it.

    The largest extent of the groups on the line is the least of all; no guarantee for
    what they lose in the table.
    """,
)

k_mean = _cut(
    K_MEAN,
    lambda values, k: k_programs.k_mean(values, k),
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
    lambda x, sensitive, l: l_programs.l_ordered(x, sensitive, l).groups,
    """
    Group rows that are near on a Hilbert curve by the largest extent, l-diverse.

    The largest extent of the groups on the line is the least of all, found by
    the program over boundaries; no guarantee for what they lose in the table.
    """,
)

l_by_dual = _form(
    L_BY_DUAL,
    lambda x, sensitive, l: l_programs.l_by_dual(x, sensitive, l).groups,
    """
    Group rows that are near on a Hilbert curve by the largest extent, l-diverse.

    The largest extent of the groups on the line is the least of all, found by
    bisection over the dual problem; no guarantee for what they lose in the table.
    """,
)

l_total = _form(
    L_TOTAL,
    lambda x, sensitive, l: l_programs.l_ordered(x, sensitive, l, "total").groups,
    """
    Group rows that are near on a Hilbert curve by the sum of extents, l-diverse.

    On the line the sum is the least of all ordered groups of l to 2l - 1 different
    values; other groups may have a smaller one, and there is no guarantee for what
    they lose in the table.
    """,
)

l_mean = _form(
    L_MEAN,
    lambda x, sensitive, l: l_programs.l_mean(x, sensitive, l)[1],
    """
    Group rows that are near on a Hilbert curve by the mean extent, l-diverse.

    On the line the mean is the least of all ordered groups of l to 2l - 1 different
    values; other groups may have a smaller one, and there is no guarantee for what
    they lose in the table.
    """,
)
