"""Decoys: some row types that could be published whole have a row that is hidden."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from starmin.defences.pad import scales_of
from starmin.instances import IntArray, Partition, Problem, Requirement, Table
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.requirements.group_stats import GroupStats

# Whether classes hold, known by how often they have each combination of values.


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """The combinations of values that a requirement asks about.

    >>> from starmin.instances import LDiversity
    >>> rows = [["1", "flu"], ["1", "flu"], ["2", "cold"]]
    >>> table = Table.from_rows(["age", "s"], rows, ["age"], ["s"])
    >>> values = ValueCounts.of(table, LDiversity(2))
    >>> two = values.count(np.array([0, 2]))
    >>> values.hold(two), values.hold_with(two, values.of_row, 1).tolist()
    (True, [False, False, False])
    """

    table: Table
    requirement: Requirement
    of_row: Int32s  # by row: its combination
    example: Ints  # by combination: a row that has it

    @classmethod
    def of(cls, table: Table, requirement: Requirement) -> "ValueCounts":
        """Take the combinations of a table of classes; rows count."""
        names = [*dict.fromkeys(requirement.columns + table.sensitive)]
        groups = table.grouped(names)
        return cls(table, requirement, groups.inverse, groups.first)

    def count(self, rows: IntArray) -> Ints:
        """Return how often some rows have each combination."""
        counts = np.bincount(self.of_row[rows], minlength=len(self.example))
        return counts.astype(np.int64)

    def hold(self, counts: Ints) -> bool:
        """Check whether rows with these combinations may be a class."""
        return bool(self._hold(counts[None])[0])

    def hold_with(self, counts: Ints, which: Ints | Int32s, more: int) -> Bools:
        """Check whether a class holds with one row more, or less, of some combinations.

        ``counts`` is by combination; ``more`` is 1 or -1, for one of ``which`` at a
        time. A class of which no row is left at last holds.
        """
        every = np.repeat(counts[None], len(which), axis=0)
        every[np.arange(len(which)), which] += more
        return self._hold(every)

    def hold_since(
        self, before: Ints, after: Ints, which: Ints | Int32s, more: int
    ) -> Bools:
        """Check likewise whether a class holds after decoys, and did not before."""
        holds = self.hold_with(after, which, more)
        return holds & ~self.hold_with(before, which, more)

    def _hold(self, every: Ints) -> Bools:
        holds = every.sum(axis=1) == 0
        labels, which = np.nonzero(every[~holds])
        if len(labels):
            copies = every[~holds][labels, which]
            rows = self.example[which]
            stats = GroupStats.of(self.table, labels, rows, copies)
            holds[~holds] = self.requirement.holds(stats)
        return np.asarray(holds)


# Whom a decoy exposes: rows of dearer classes that its class would take from then, and
# rows of its own that it would let go.

MOST_VALUES = 256  # combinations of values: with more nobody is said to be exposed


class Exposure:
    """Count rows that lose a possible value if a class gets decoys.

    An optimal release rules out that a row has a value with which a cheaper class would
    take it. A class at its limit takes few values: none of its most frequent one, say.
    With a decoy more it may take all, and each row of a dearer class that lies in its
    box and could be spared there with such a value is then known not to have it.

    Nor does it spare many rows: of two people with two values none, and of one in which
    half have one value only these. With a decoy more it may spare any, and each of its
    rows that a cheaper class would take with a value is then known not to have it: it
    would have gone there.

    All is as it was before there were decoys: by row ``groups``, and ``positions``, its
    place in each column; by group ``low`` and ``high``, its least and greatest places,
    and ``costs``, what a row of it costs.
    """

    def __init__(
        self,
        values: ValueCounts,
        groups: Int32s,
        positions: Ints | Int32s,
        low: Int32s,
        high: Int32s,
        costs: Floats,
    ) -> None:
        self._values, self._positions = values, positions
        self._low, self._high, self._costs = low, high, costs
        self._few = len(values.example) <= MOST_VALUES
        hidden = np.flatnonzero((costs[groups] > 0) & self._few)
        self._at, self._of = positions[hidden], groups[hidden]
        self._value = values.of_row[hidden]
        self._spared = self._can_be_spared()
        self._cheapest = np.argsort(costs, kind="stable")
        # Columns by turns, as most classes drop out at the first ones.
        self._lows = np.ascontiguousarray(low[self._cheapest].T)
        self._highs = np.ascontiguousarray(high[self._cheapest].T)
        self._members = Partition(groups).members()
        # Of a group each is asked for many types.
        self._near, self._taken_of = cache(self._find_near), cache(self._find_taken)
        self._takes_of = cache(self._find_takes)

    def count(self, group: int, before: Ints, after: Ints) -> int:
        """Return how many rows lose one where ``group`` gets decoys.

        ``before`` and ``after`` are its counts by combination, without and with them.
        """
        if not self._few:
            return 0
        found, near = 0, self._near(group)
        which = np.flatnonzero(near)
        if len(which):
            new = self._values.hold_since(before, after, which, 1)
            found = int(near[which[new]].sum())
        there = np.flatnonzero(before)
        new = self._values.hold_since(before, after, there, -1)
        if new.any():
            found += int(self._taken_of(group)[:, there[new]].any(axis=1).sum())
        return found

    def _can_be_spared(self) -> Bools:
        """Return for each hidden row whether its class would hold without it."""
        width = len(self._values.example)
        spared = np.zeros(len(self._of), bool)
        _, of_class = np.unique(self._of, return_inverse=True)
        classes = Partition(of_class.astype(np.int32))
        for rows in classes.members() if len(spared) else []:
            counts = np.bincount(self._value[rows], minlength=width).astype(np.int64)
            there = np.flatnonzero(counts)
            fine = self._values.hold_with(counts, there, -1)
            spared[rows] = fine[np.searchsorted(there, self._value[rows])]
        return spared

    def _find_near(self, group: int) -> Ints:
        """Return how many rows of each value a class could take, were it to hold."""
        inside = self._spared & (self._costs[self._of] > self._costs[group])
        some = np.flatnonzero(inside)
        at = self._at[some]
        fits = (self._low[group] <= at) & (at <= self._high[group])
        values = self._value[some[fits.all(axis=1)]]
        return np.bincount(values, minlength=len(self._values.example))

    def _find_taken(self, group: int) -> Bools:
        """Return for each row of a class the values with which a cheaper one takes it.

        Classes are as they were at first: one that got decoys since is contradicted.
        """
        rows = self._members[group]
        kinds, which = np.unique(self._positions[rows], axis=0, return_inverse=True)
        found = [self._taken_at(at, self._costs[group]) for at in kinds]
        return np.asarray(np.array(found)[which.ravel()])

    def _taken_at(self, at: Ints, below: float) -> Bools:
        """Return the values with which classes that cost less take a place."""
        costs = self._costs[self._cheapest]
        near = np.arange(np.searchsorted(costs, below))
        for j, position in enumerate(at.tolist()):
            low, high = self._lows[j][near], self._highs[j][near]
            near = near[(low <= position) & (position <= high)]
        taken = np.zeros(len(self._values.example), bool)
        for goal in self._cheapest[near].tolist():
            taken |= self._takes_of(goal)
            if taken.all():
                break
        return taken

    def _find_takes(self, group: int) -> Bools:
        """Return the values of which a class takes one more."""
        counts = self._values.count(self._members[group])
        return self._values.hold_with(counts, np.arange(len(counts)), 1)


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
        self._rows, of_group = Partition(types.inverse).members(), partition.members()
        self._values = ValueCounts.of(table, problem.requirement)
        self._members = {g: of_group[g] for g in self._open.tolist()}
        rows = self._positions[types.inverse]
        boxes = self._low, self._high, self._costs
        self._exposure = Exposure(self._values, partition.groups, rows, *boxes)
        shown = np.bincount(types.inverse, ~hidden[self.groups], len(types.counts))
        self.whole = np.flatnonzero(shown == types.counts)

    def move(self, type_: int) -> int:
        """Move a row of a type, or all; return how many, 0 where nothing may be."""
        rows = self._rows[type_]
        best, least = None, math.inf
        for moved, group, before, after in self._ways(type_):
            exposed = self._exposure.count(group, before, after)
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

    def _ways(self, type_: int) -> Iterator[tuple[IntArray, int, Ints, Ints]]:
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

    def _choices(self, rows: IntArray) -> Iterator[IntArray]:
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
