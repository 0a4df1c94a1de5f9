"""Mondrian: rows split at medians, column by column, as long as both halves hold."""

import numpy as np
import numpy.typing as npt

from starmin.heuristics.orders.along_order import both_hold
from starmin.heuristics.orders.mappings import Order, column_ranks
from starmin.heuristics.recoding import MONDRIAN
from starmin.instances import (
    STARS,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.scales.scale import FlatScale

# A column in which a group differs at no loss is so wide: it is split last.
_LEAST = 1e-9


def mondrian(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    display: bool = False,
    strict: bool = True,
    order: Order = "value",
) -> Result:
    """Split the rows in two at the median of a column, again and again.

    No guarantee; the classic baseline, made for ranges rather than for stars.

    The idea: a group is split at the median of the column in which it is widest,
    measured by places in the order of the column's values and in proportion to its
    domain; if one of the halves would violate the requirement, at the median of the
    next widest column, and so on; if none is left the group is final. All groups of a
    round are split at once.

    For ``gcp`` the widest column is the one with the greatest weighted NCP, and a
    column with a taxonomy is cut between children of the lowest node above the group,
    nearest to the median of the leaves.

    Parameters
    ----------
    table, requirement, objective
        Any problem. Rows that differ in columns to be kept are apart from the start.
    strict
        Equal values stay together, and the cut is the one nearest the median; else
        (relaxed) rows with the median are divided so that the halves are equal.
    order
        The order of the values of a column: by number or text, or by frequency. For
        ``gcp`` that of flat columns alone.

    Notes
    -----
    O(n d) and a sort for each of about log2(n / k) rounds, more where splits fail. A
    million rows by 7 columns take about 10 s.

    References
    ----------
    K. LeFevre, D. DeWitt, R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE
    2006.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["9", "b"], ["1", "a"], ["9", "b"], ["9", "c"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> mondrian(table, KAnonymity(2)).best.groups.tolist()
    [0, 1, 0, 1, 1]
    """
    run = Run(table, requirement, objective, display=display, method=MONDRIAN)

    def search() -> None:
        run.offer(_Splitter(run, _ranks(run, order), strict).split())

    def otherwise() -> None:
        run.offer(Partition.coarsest(table, objective))

    return run.carry_out(search, otherwise)


def _ranks(run: Run, order: Order) -> list[Int32s]:
    """Return for each QI column the place of each of its codes."""
    ranks = column_ranks(run.table, order)
    if not run.objective.by_node:
        return ranks
    scales = run.objective.scales_of(run.table).scales
    return [
        rank if isinstance(scale, FlatScale) else scale.positions
        for rank, scale in zip(ranks, scales, strict=True)
    ]


class _Splitter:
    """The groups that are still being split, and the numbers of those that are not."""

    def __init__(self, run: Run, ranks: list[Int32s], strict: bool) -> None:
        table, objective, requirement = run.table, run.objective, run.requirement
        self.table, self.objective, self.requirement = table, objective, requirement
        self.places = np.stack(
            [rank[table.column(c)] for rank, c in zip(ranks, table.qi, strict=True)]
        )
        self.most = int(self.places.max()) + 1
        self.weights = objective.column_weights(table)
        self.scales = objective.scales_of(table).scales
        self.strict, self.check_time = strict, run.check_time
        # No group that is smaller than twice this can be split.
        self.least = max(requirement.core.size, requirement.core.diversity)

    def split(self) -> Partition:
        """Split until nothing can be split; TimeoutError where all is to end."""
        classes = Partition.coarsest(self.table, self.objective).groups
        rows = np.argsort(classes, kind="stable")
        group, final = classes[rows], np.full(len(rows), -1, np.int32)
        while len(rows):
            self.check_time()
            rows, group = divide(final, rows, group, self._sides(rows, group))
        return Partition(final)

    def _sides(self, rows: Ints, group: Int32s) -> npt.NDArray[np.int8]:
        """Return the half, 0 or 1, of each row, in order of ``group``; -1: it stays."""
        starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
        sizes = np.diff(np.append(starts, len(rows)))
        widths = np.stack([self._widths(j, rows, starts) for j in range(self.table.d)])
        widest = np.argsort(-widths, axis=0, kind="stable")
        side = np.full(len(rows), -1, np.int8)
        undecided = sizes >= 2 * self.least
        for column_of in widest:
            undecided &= widths[column_of, np.arange(len(starts))] > 0
            if not undecided.any():
                break
            at = np.flatnonzero(undecided[group])
            part = (np.cumsum(undecided) - 1)[group[at]].astype(np.int32)
            halves = self._halves(rows[at], part, column_of[undecided])
            good = both_hold(self.table, self.requirement, 2 * part + halves, rows[at])
            side[at[good[part]]] = halves[good[part]]
            undecided[np.flatnonzero(undecided)[good]] = False
        return side

    def _widths(self, j: int, rows: Ints, starts: Ints) -> Floats:
        """Return how wide each group is in a column, as a share of its domain."""
        places = self.places[j, rows]
        high = np.maximum.reduceat(places, starts)
        low = np.minimum.reduceat(places, starts)
        if self.objective.by_node:
            lost = self.scales[j].extents(low, high) / self.scales[j].domain
            # What costs nothing is split last, in any case.
            wide = _LEAST + self.weights[j] * lost
            return np.asarray(np.where(low < high, wide, 0))
        return (high - low) / max(1, self.table.qi_cardinalities[j] - 1)

    def _halves(
        self, rows: Ints, group: Int32s, column_of: Ints
    ) -> npt.NDArray[np.int8]:
        """Return for each row whether it is beyond the median of its group's column."""
        places = self.places[column_of[group], rows]
        pairs = group_by([group, places], [len(column_of), self.most])
        of = group[pairs.first]
        sizes = np.bincount(of, pairs.counts).astype(np.int64)
        begin = np.cumsum(sizes) - sizes
        if not self.strict:
            rank = np.empty(len(rows), np.int64)
            rank[np.argsort(pairs.inverse, kind="stable")] = np.arange(len(rows))
            return np.asarray(rank - begin[group] >= sizes[group] // 2, np.int8)
        # Rows of the group up to and with each value; after the last there is no cut.
        upto = np.cumsum(pairs.counts) - begin[of]
        off = np.where(upto < sizes[of], abs(2 * upto - sizes[of]), len(rows) + 1)
        off[self._inside(places[pairs.first], of, column_of)] += len(rows)
        starts = np.flatnonzero(np.r_[True, of[1:] != of[:-1]])
        nearest = off == np.minimum.reduceat(off, starts)[of]
        first = np.full(len(sizes), len(of))
        np.minimum.at(first, of[nearest], np.flatnonzero(nearest))
        return np.asarray(pairs.inverse > first[group], np.int8)

    def _inside(self, places: Int32s, of: Int32s, column_of: Ints) -> Bools:
        """Return which cuts go through a child of the lowest node above a group."""
        inside = np.zeros(len(places), bool)
        if not self.objective.by_node:
            return inside
        last = np.r_[of[1:] != of[:-1], True]
        low, high = places[np.r_[True, last[:-1]]], places[last]
        for j, scale in enumerate(self.scales):
            if not scale.layout.is_line:
                above = scale.lowest
                at = np.flatnonzero((column_of[of] == j) & ~last)
                tops = above(low[of[at]], high[of[at]])
                inside[at] = above(places[at], places[at + 1]) != tops
        return inside


def divide(
    final: Int32s, rows: Ints, group: Int32s, side: npt.NDArray[np.int8]
) -> tuple[Ints, Int32s]:
    """Return the rows of groups that are split, by half, and the numbers of the halves.

    ``side`` says the half of each row, in order of ``group``; -1: its group stays, and
    has the next number in ``final``, by row of the table.
    """
    whole = side < 0
    number = final.max() + np.cumsum((np.diff(group, prepend=-1) > 0) & whole)
    final[rows[whole]] = number[whole]
    rows, label = rows[~whole], 2 * group[~whole] + side[~whole]
    by_label = np.argsort(label, kind="stable")
    halves = np.cumsum(np.diff(label[by_label], prepend=-1) > 0) - 1
    return rows[by_label], halves.astype(np.int32)
