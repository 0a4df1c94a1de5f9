"""Decoys: some row types that could be published whole have a row that is hidden."""

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from starmin.defences.pad import scales_of
from starmin.instances import Partition, Problem
from starmin.instances.arrays import Ints
from starmin.instances.requirements.group_stats import GroupStats

MOST_CLASSES = 20  # that are tried for a type, the cheapest first


def with_decoys(
    problem: Problem, partition: Partition, share: float, draws: random.Random
) -> tuple[Partition, dict[str, Any]]:
    """Move rows of types that are published whole to classes with stars.

    Who sees a type with rows enough, some of them hidden, takes it for one that does
    not hold by itself (the type rule). Here some types that do are published so too:
    one row of each, or all of them where the rest would not hold, goes to the cheapest
    class whose box it lies in, so that this and the rest still hold.

    Parameters
    ----------
    problem
        The table and what was asked.
    partition
        What was found for it.
    share
        Each type whose rows are all published whole is drawn with this chance.
    draws
        Draws types and rows: nobody else may know them.

    Returns
    -------
    tuple
        The groups; how many types are published whole, were drawn, and got a hidden
        row, and how many rows are hidden by that.

    Notes
    -----
    O(t g d) for t types that are drawn and g groups.
    """
    search = _Decoys(problem, partition, draws)
    drawn = [t for t in search.whole.tolist() if draws.random() < share]
    draws.shuffle(drawn)
    moved = [search.move(t) for t in drawn]
    told = {
        "whole": len(search.whole),
        "drawn": len(drawn),
        "types": sum(rows > 0 for rows in moved),
        "rows": sum(moved),
    }
    return Partition.from_labels(search.groups), told


class _Decoys:
    """The groups, while rows are moved."""

    def __init__(
        self, problem: Problem, partition: Partition, draws: random.Random
    ) -> None:
        table, scales = problem.table, scales_of(problem)
        self._table, self._asked = table, problem.requirement
        self._draws = draws
        self.groups = partition.groups.astype(np.int64)
        nodes = scales.nodes(*partition.ranges(table, scales))
        self._low, self._high = scales.spans(nodes)
        hidden = (self._low != self._high).any(axis=1)
        self._open = np.flatnonzero(hidden)
        self._costs = scales.ncp(self._low, self._high)[hidden].sum(axis=1)
        types = table.row_types
        self._positions = scales.type_positions(table)
        order = np.argsort(types.inverse, kind="stable")
        ends = np.cumsum(types.counts)[:-1]
        self._rows = np.split(order, ends)
        members = np.argsort(self.groups, kind="stable")
        of_group = np.split(members, np.cumsum(partition.sizes)[:-1])
        self._members = {g: of_group[g] for g in self._open.tolist()}
        shown = np.bincount(types.inverse, ~hidden[self.groups], len(types.counts))
        self.whole = np.flatnonzero(shown == types.counts)

    def move(self, type_: int) -> int:
        """Move a row of a type, or all; return how many, 0 where nothing may be."""
        rows = self._rows[type_]
        for moved in self._choices(rows):
            rest = np.setdiff1d(rows, moved)
            if len(rest) and not self._hold(rest):
                continue
            for group in self._classes(type_):
                both = np.concatenate([self._members[group], moved])
                if self._hold(both):
                    self._members[group] = both
                    self.groups[rest] = self.groups[rest[:1]]  # published alike
                    self.groups[moved] = group
                    return len(moved)
        return 0

    def _choices(self, rows: Ints) -> Iterator[Ints]:
        """Yield single rows in a random order, one of each value; then all rows."""
        mixed = self._draws.sample(rows.tolist(), len(rows))
        columns = self._asked.columns + self._table.sensitive
        values = [self._table.column(column) for column in columns]
        first = {tuple(int(v[row]) for v in values): row for row in mixed}
        yield from (np.array([row]) for row in first.values())
        yield rows

    def _classes(self, type_: int) -> Iterator[int]:
        """Yield classes whose boxes a type lies in, the cheapest first."""
        at, some = self._positions[type_], self._open
        fits = ((self._low[some] <= at) & (at <= self._high[some])).all(axis=1)
        near = np.flatnonzero(fits).tolist()
        self._draws.shuffle(near)
        near.sort(key=self._costs.__getitem__)
        yield from some[near[:MOST_CLASSES]].tolist()

    def _hold(self, rows: Ints) -> bool:
        """Check whether some rows may be a class."""
        stats = GroupStats.of(self._table, np.zeros(len(rows), np.int32), rows)
        return bool(self._asked.holds(stats).all())
