"""Sets of row types on their way through a walk, many at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from instances import group_by

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_BATCH = 2_000_000  # types looked at together
_MOST_WAITING = 4_000_000  # types that may wait


@dataclass(eq=False)
class Batch:
    """Sets of row types that fit the nodes chosen so far.

    Attributes
    ----------
    members
        The types, numbered by falling price; each set's one after the other, in
        rising order.
    lengths, cost, nodes
        For each set its size, the price of its nodes, and the nodes, one by column.
    fixed
        In a column of numbers: the least one of ranges that are narrowed from above,
        which must stay; -1 where it need not.
    """

    members: Ints
    lengths: Ints
    cost: Ints
    nodes: Ints
    fixed: Ints

    def __post_init__(self) -> None:
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.set_of = np.repeat(np.arange(len(self.lengths)), self.lengths)

    def select(self, members: Bools) -> "Batch":
        """Select the chosen members, and the sets that have some."""
        lengths = np.bincount(self.set_of[members], minlength=len(self.lengths))
        alive = lengths > 0
        return Batch(
            self.members[members],
            lengths[alive],
            self.cost[alive],
            self.nodes[alive],
            self.fixed[alive],
        )

    def keep(self, sets: Bools) -> "Batch":
        """Select the chosen sets."""
        return self.select(sets[self.set_of])

    @classmethod
    def join(cls, batches: Sequence["Batch"]) -> "Batch":
        """Join the sets of these batches, of which there is at least one."""
        if len(batches) == 1:
            return batches[0]
        parts = ("members", "lengths", "cost", "nodes", "fixed")
        return cls(*(np.concatenate([getattr(b, p) for b in batches]) for p in parts))

    def divide(self, by: Ints) -> "Batch":
        """Divide each set into those of its members that have the same number."""
        parts = group_by([self.set_of, by], [len(self.lengths), int(by.max()) + 1])
        order, whole = (
            np.argsort(parts.inverse, kind="stable"),
            self.set_of[parts.first],
        )
        return Batch(
            self.members[order],
            parts.counts,
            self.cost[whole],
            self.nodes[whole],
            self.fixed[whole],
        )


class Waiting:
    """Sets that are still to be looked at, those of one depth of a column together.

    Many small batches would take long. So all of a column come before the next one, as
    long as not too many types wait; then the last column comes first.
    """

    def __init__(self) -> None:
        self.batches: dict[tuple[int, int], list[Batch]] = {}
        self.members = 0

    def add(self, place: int, depth: int, batch: Batch) -> None:
        """Have a batch wait, in parts where it is large."""
        if len(batch.members) > _BATCH and len(batch.lengths) > 1:
            first = np.arange(len(batch.lengths)) < len(batch.lengths) // 2
            for sets in (first, ~first):
                self.add(place, depth, batch.keep(sets))
        elif len(batch.lengths):
            self.batches.setdefault((place, depth), []).append(batch)
            self.members += len(batch.members)

    def pop(self) -> tuple[int, int, Batch]:
        """Return the next sets, and in which column and at which depth they are."""
        key = (min if self.members <= _MOST_WAITING else max)(self.batches)
        there = self.batches[key]
        taken = [there.pop()]
        size = len(taken[0].members)
        while there and size + len(there[-1].members) <= _BATCH:
            taken.append(there.pop())
            size += len(taken[-1].members)
        if not there:
            del self.batches[key]
        self.members -= size
        return *key, Batch.join(taken)
