"""Decoys: some row types that could be published whole have a row that is hidden."""

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from starmin.defences.leaving_rows import (
    Exposure,
    FormerClasses,
    LeavingRows,
    ValueCounts,
)
from starmin.defences.pad import scales_of
from starmin.instances import Partition, Problem
from starmin.instances.arrays import Ints

MOST_CLASSES = 20  # that are tried for a type, the cheapest first


def with_decoys(
    problem: Problem, partition: Partition, share: float, draws: random.Random
) -> tuple[Partition, dict[str, Any]]:
    """Move rows of types that are published whole to classes with stars.

    Who sees a type with rows enough, some of them hidden, takes it for one that does
    not hold by itself (the type rule). Here some types that do are published so too:
    one row of each, or all of them where the rest would not hold, goes to the cheapest
    class whose box it lies in, so that this and the rest still hold, and no row of this
    or a dearer class loses a possible value; else to the one by which fewest do, and
    nowhere where they would be more than the rows that are hidden.

    Each type whose rows are all published whole is drawn with the chance ``share``.
    ``draws`` draws types and rows: nobody else may know them. Beside the groups it is
    returned how many types are published whole, were drawn, and got a hidden row, and
    how many rows are hidden by that.

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
        self._draws = draws
        self.groups = partition.groups.astype(np.int64)
        nodes = scales.nodes(*partition.ranges(table, scales))
        self._low, self._high = scales.spans(nodes)
        hidden = (self._low != self._high).any(axis=1)
        self._open = np.flatnonzero(hidden)
        self._costs = scales.ncp(self._low, self._high).sum(axis=1)
        types = table.row_types
        self._positions = scales.type_positions(table)
        order = np.argsort(types.inverse, kind="stable")
        ends = np.cumsum(types.counts)[:-1]
        self._rows = np.split(order, ends)
        members = np.argsort(self.groups, kind="stable")
        of_group = np.split(members, np.cumsum(partition.sizes)[:-1])
        self._values = ValueCounts.of(table, problem.requirement)
        self._members = {g: of_group[g] for g in self._open.tolist()}
        rows = self._positions[types.inverse]
        boxes = self._low, self._high, self._costs
        former = FormerClasses(self._values, self.groups.copy(), rows, *boxes)
        self._exposure, self._leaving = Exposure(former), LeavingRows(former)
        shown = np.bincount(types.inverse, ~hidden[self.groups], len(types.counts))
        self.whole = np.flatnonzero(shown == types.counts)

    def move(self, type_: int) -> int:
        """Move a row of a type, or all; return how many, 0 where nothing may be."""
        rows = self._rows[type_]
        best, least = None, math.inf
        for moved, group, before, after in self._ways(type_):
            exposed = self._exposure.count(group, before, after)
            exposed += self._leaving.count(group, before, after)
            if exposed < least and exposed <= len(moved):
                best, least = (moved, group), exposed
            if exposed == 0:
                break
        if best is None:
            return 0
        moved, group = best
        rest = np.setdiff1d(rows, moved)
        self._members[group] = np.concatenate([self._members[group], moved])
        self.groups[rest] = self.groups[rest[:1]]  # published alike
        self.groups[moved] = group
        return len(moved)

    def _ways(self, type_: int) -> Iterator[tuple[Ints, int, Ints, Ints]]:
        """Yield rows, a class that may get them, and its values before and then."""
        rows = self._rows[type_]
        every = self._values.count(rows)
        for moved in self._choices(rows):
            more = self._values.count(moved)
            if len(moved) < len(rows) and not self._values.hold(every - more):
                continue
            for group in self._classes(type_):
                before = self._values.count(self._members[group])
                if self._values.hold(before + more):
                    yield moved, group, before, before + more

    def _choices(self, rows: Ints) -> Iterator[Ints]:
        """Yield single rows in a random order, one of each value; then all rows."""
        mixed = self._draws.sample(rows.tolist(), len(rows))
        first = {int(self._values.of_row[row]): row for row in mixed}
        yield from (np.array([row]) for row in first.values())
        yield rows

    def _classes(self, type_: int) -> Iterator[int]:
        """Yield classes whose boxes a type lies in, the cheapest first."""
        at, some = self._positions[type_], self._open
        fits = ((self._low[some] <= at) & (at <= self._high[some])).all(axis=1)
        near = np.flatnonzero(fits).tolist()
        self._draws.shuffle(near)
        near.sort(key=self._costs[some].__getitem__)
        yield from some[near[:MOST_CLASSES]].tolist()
