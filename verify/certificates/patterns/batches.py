"""Sets of row types on their way through a walk, many at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Self, TypeVar

import numpy as np

from starmin.instances import group_by
from starmin.instances.arrays import Bools, IntArray, Ints
from starmin.instances.tables.grouping import COMPILED_FROM

BATCH = 1_000_000  # types looked at together, as far as memory is concerned
_MOST_WAITING = 4_000_000  # types that may wait


@dataclass(eq=False)
class Batch:
    """Sets of row types, and what is known of each.

    What subclasses add has an entry for each set, too.
    """

    # the types, numbered by falling price; each set's one after the other, in rising
    # order
    members: Ints
    # lengths, cost: by set: its size, and the price of what it publishes, for one row
    lengths: Ints
    cost: Ints

    @cached_property
    def starts(self) -> Ints:
        """Where each set begins among the members."""
        return np.asarray(np.cumsum(self.lengths) - self.lengths)

    @cached_property
    def set_of(self) -> Ints:
        """The set of each member."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

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
        return self if sets.all() else self.first(np.where(sets, self.lengths, 0))

    def first(self, lengths: Ints) -> Self:
        """Select so many members of each set, the first ones."""
        alive = lengths > 0
        if len(self.members) < COMPILED_FROM:
            place = np.arange(len(self.members)) - self.starts[self.set_of]
            members = self.members[place < lengths[self.set_of]]
        else:
            from starmin.verify.certificates.patterns.set_loops import first_members

            members = first_members(self.members, self.lengths, lengths)
        return self._of(members, lengths[alive], alive)

    def ends(self, places: IntArray) -> tuple[Ints, Ints]:
        """Return the least and the greatest place of the members of each set."""
        if len(self.members) >= COMPILED_FROM:
            from starmin.verify.certificates.patterns.set_loops import ends_of_sets

            low, high = ends_of_sets(places, self.members, self.lengths)
            return low, high
        own = places[self.members].astype(np.int64)
        low = np.minimum.reduceat(own, self.starts)
        return low, np.maximum.reduceat(own, self.starts)

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

    def divide(self, by: IntArray) -> Self:
        """Divide each set into those of its members that have the same number."""
        width = int(by.max()) + 1
        if len(self.members) >= COMPILED_FROM and width <= len(self.members):
            from starmin.verify.certificates.patterns.set_loops import divided_sets

            found = divided_sets(self.members, self.lengths, by, width)
            members, lengths, owner = found
            return self._of(members, lengths, owner)
        parts = group_by([self.set_of, by], [len(self.lengths), width])
        order = np.argsort(parts.inverse, kind="stable")
        return self._of(self.members[order], parts.counts, self.set_of[parts.first])


@dataclass(eq=False)
class StarredBatch(Batch):
    """Sets of row types that agree on the columns kept so far."""

    starred: Ints  # by set: its starred columns as bits


@dataclass(eq=False)
class NodeBatch(Batch):
    """Sets of row types that fit the nodes chosen so far."""

    nodes: Ints  # by set: its nodes, one by column
    # in a column of numbers: the least one of ranges that are narrowed from above,
    # which must stay; -1 where it need not
    fixed: Ints


AnyBatch = TypeVar("AnyBatch", bound=Batch)


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
