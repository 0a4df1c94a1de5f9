"""Sets of row types on their way through a walk, many at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from starmin.instances import group_by
from starmin.instances.arrays import Bools, Ints

BATCH = 2_000_000  # types looked at together, as far as memory is concerned
_MOST_WAITING = 4_000_000  # types that may wait


@dataclass(eq=False)
class Batch:
    """Sets of row types, and what is known of each.

    Attributes
    ----------
    members
        The types, numbered by falling price; each set's one after the other, in
        rising order.
    lengths, cost
        For each set its size, and the price of what it publishes, for one row. What
        subclasses add has an entry for each set, too.
    """

    members: Ints
    lengths: Ints
    cost: Ints

    def __post_init__(self) -> None:
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.set_of = np.repeat(np.arange(len(self.lengths)), self.lengths)

    def _of(self, members: Ints, lengths: Ints, sets: Ints | Bools | slice) -> Self:
        """Return other members for some of the sets."""
        known = (getattr(self, each.name)[sets] for each in fields(self)[2:])
        return type(self)(members, lengths, *known)

    def select(self, members: Bools) -> Self:
        """Select the chosen members, and the sets that have some."""
        lengths = np.bincount(self.set_of[members], minlength=len(self.lengths))
        alive = lengths > 0
        return self._of(self.members[members], lengths[alive], alive)

    def keep(self, sets: Bools) -> Self:
        """Select the chosen sets."""
        return self.select(sets[self.set_of])

    def halves(self) -> list[Self]:
        """Split into two batches with half of the sets each."""
        middle = len(self.lengths) // 2
        at = int(self.starts[middle])
        first, last = slice(middle), slice(middle, None)
        return [
            self._of(self.members[:at], self.lengths[first], first),
            self._of(self.members[at:], self.lengths[last], last),
        ]

    @classmethod
    def join(cls, batches: Sequence[Self]) -> Self:
        """Join the sets of these batches, of which there is at least one."""
        if len(batches) == 1:
            return batches[0]
        names = [each.name for each in fields(cls)]
        return cls(*(np.concatenate([getattr(b, n) for b in batches]) for n in names))

    def divide(self, by: Ints) -> Self:
        """Divide each set into those of its members that have the same number."""
        parts = group_by([self.set_of, by], [len(self.lengths), int(by.max()) + 1])
        order = np.argsort(parts.inverse, kind="stable")
        return self._of(self.members[order], parts.counts, self.set_of[parts.first])


@dataclass(eq=False)
class StarredBatch(Batch):
    """Sets of row types that agree on the columns kept so far.

    Attributes
    ----------
    starred
        For each set its starred columns as bits.
    """

    starred: Ints


@dataclass(eq=False)
class NodeBatch(Batch):
    """Sets of row types that fit the nodes chosen so far.

    Attributes
    ----------
    nodes
        For each set its nodes, one by column.
    fixed
        In a column of numbers: the least one of ranges that are narrowed from above,
        which must stay; -1 where it need not.
    """

    nodes: Ints
    fixed: Ints


class Waiting:
    """Sets that are still to be looked at, those of one depth of a column together.

    Many small batches would take long. So all of a column come before the next one, as
    long as not too many types wait; then the last column comes first.
    """

    def __init__(self) -> None:
        self.batches: dict[tuple[int, int], list[NodeBatch]] = {}
        self.members = 0

    def add(self, place: int, depth: int, batch: NodeBatch) -> None:
        """Have a batch wait, in parts where it is large."""
        if len(batch.members) > BATCH and len(batch.lengths) > 1:
            for half in batch.halves():
                self.add(place, depth, half)
        elif len(batch.lengths):
            self.batches.setdefault((place, depth), []).append(batch)
            self.members += len(batch.members)

    def pop(self) -> tuple[int, int, NodeBatch]:
        """Return the next sets, and in which column and at which depth they are."""
        key = (min if self.members <= _MOST_WAITING else max)(self.batches)
        there = self.batches[key]
        taken = [there.pop()]
        size = len(taken[0].members)
        while there and size + len(there[-1].members) <= BATCH:
            taken.append(there.pop())
            size += len(taken[-1].members)
        if not there:
            del self.batches[key]
        self.members -= size
        return *key, NodeBatch.join(taken)
