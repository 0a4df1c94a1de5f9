"""The rows on a line, cut into groups by a program of one dimension."""

from collections.abc import Callable
from math import prod

import numpy as np

from starmin.heuristics.cuts.row_order import RowOrder
from starmin.heuristics.mappings import Hilbert, Points
from starmin.instances import NotSupportedError, Objective, Run, Table
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.models.one_dimensional.sorted_values import Values

_MOST_BOUNDARIES = 1_000_000  # of l-diversity: how far each value may be used up

Starts = Callable[[Values], Ints]
Groups = Callable[[Values, Int32s], Ints]


def offer_cut(run: Run, cut: Starts, seed: int) -> None:
    """Offer a run what ``cut`` makes of the sorted values of each stretch of rows.

    Rows that differ in columns to be kept are in different stretches. The table of the
    run is feasible, ``cut`` returns where groups begin, and ``seed`` is for the
    mapping.
    """
    order, values = _on_line(run.table, run.objective, seed)
    starts = [part.start + cut(values[part]) for part in order.stretches()]
    run.offer(order.consecutive(np.concatenate(starts)))


def offer_groups(run: Run, groups_of: Groups, seed: int) -> None:
    """Offer a run the groups of each stretch, by values and sensitive values.

    Its table is feasible, and has one sensitive column. ``groups_of`` returns the group
    of each row, 0, 1, .. without gaps; ``seed`` is for the mapping.
    """
    table = run.table
    order, values = _on_line(table, run.objective, seed)
    sensitive = table.column(table.sensitive[0])[order.rows]

    def form(part: slice) -> Int32s:
        found = groups_of(values[part].astype(np.float64), sensitive[part])
        return found.astype(np.int32)

    run.offer(order.by_stretch(form))


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
    if len(table.sensitive) != 1:
        raise NotSupportedError(
            f"Expected one sensitive column, got {len(table.sensitive)}."
        )
    counts = np.bincount(table.column(table.sensitive[0])).tolist()
    boundaries = prod(count + 1 for count in counts)
    if boundaries > _MOST_BOUNDARIES:
        raise NotSupportedError(
            "Expected few rows of few sensitive values, so that no more than "
            f"{_MOST_BOUNDARIES:,} boundaries are between them; got {boundaries:.1e}."
        )


def plain_numbers(table: Table, objective: Objective) -> Ints | None:
    """Return the number of each row type, where one column of numbers is all there is.

    In whole units of its scale; None where there are other columns, missing values, or
    losses other than the lengths of ranges.
    """
    scale = objective.scales_of(table).scales[0]
    if table.d > 1 or objective.keep or not isinstance(scale, NumericScale):
        return None
    if scale.missing or scale.step or scale.free or scale.cap or scale.least:
        return None
    if (scale.reach < scale.size - 1).any():
        return None
    return scale.lower[scale.positions[table.row_types.codes[:, 0]]]


def _on_line(table: Table, objective: Objective, seed: int) -> tuple[RowOrder, Values]:
    """Return the rows by their numbers or, of several columns, along the curve."""
    numbers = plain_numbers(table, objective)
    if numbers is not None:
        order = RowOrder.of(table, [], numbers)
        return order, numbers[table.row_types.inverse[order.rows]]
    line = Hilbert()(Points.of(table, objective), seed)
    ranks = line.ranks()
    order = RowOrder.of(table, objective.apart(table), ranks)
    # Places on the curve may be too large to be added up as whole numbers.
    values = line.values[ranks[table.row_types.inverse[order.rows]]]
    return order, values.astype(np.float64)
