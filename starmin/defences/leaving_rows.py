"""Whom a decoy exposes: rows of its class that this could spare from then."""

import numpy as np

from starmin.defences.exposure import MOST_VALUES
from starmin.defences.value_counts import FormerClasses
from starmin.instances.arrays import Bools, Ints


class LeavingRows:
    """Count rows of a class that lose a possible value if it gets decoys.

    A class at its limit spares few rows: of two people with two values none, and of one
    in which half have one value only these. With a decoy more it may spare any, and
    each of its rows that a cheaper class would take with a value is then known not to
    have it: it would have gone there.

    ``classes`` are those before there were decoys.
    """

    def __init__(self, classes: FormerClasses) -> None:
        self._values, groups, self._positions, low, high, costs = classes
        self._costs = costs
        self._cheapest = np.argsort(costs, kind="stable")
        # Columns by turns, as most classes drop out at the first ones.
        self._low = np.ascontiguousarray(low[self._cheapest].T)
        self._high = np.ascontiguousarray(high[self._cheapest].T)
        members = np.argsort(groups, kind="stable")
        ends = np.cumsum(np.bincount(groups, minlength=len(costs)))[:-1]
        self._members = np.split(members, ends)
        self._taken: dict[int, Bools] = {}
        self._takes: dict[int, Bools] = {}

    def count(self, group: int, before: Ints, after: Ints) -> int:
        """Return how many rows of a class lose a possible value.

        ``group`` gets decoys; ``before`` and ``after`` count by combination of values
        how often it has each, without them and with them.
        """
        if len(before) > MOST_VALUES:
            return 0
        there = np.flatnonzero(before)
        new = self._values.hold_since(before, after, there, -1)
        if not new.any():
            return 0
        return int(self._taken_of(group)[:, there[new]].any(axis=1).sum())

    def _taken_of(self, group: int) -> Bools:
        """Return for each row of a class the values with which a cheaper one takes it.

        Classes are as they were at first: one that got decoys since is contradicted.
        """
        if group not in self._taken:
            rows = self._members[group]
            kinds, which = np.unique(self._positions[rows], axis=0, return_inverse=True)
            found = [self._taken_at(at, self._costs[group]) for at in kinds]
            self._taken[group] = np.array(found)[which.ravel()]
        return self._taken[group]

    def _taken_at(self, at: Ints, below: float) -> Bools:
        """Return the values with which classes that cost less take a place."""
        costs = self._costs[self._cheapest]
        near = np.arange(np.searchsorted(costs, below))
        for j, position in enumerate(at.tolist()):
            low, high = self._low[j][near], self._high[j][near]
            near = near[(low <= position) & (position <= high)]
        taken = np.zeros(len(self._values.example), bool)
        for goal in self._cheapest[near].tolist():
            taken |= self._takes_of(goal)
            if taken.all():
                break
        return taken

    def _takes_of(self, group: int) -> Bools:
        """Return the values of which a class takes one more."""
        if group not in self._takes:
            counts = self._values.count(self._members[group])
            every = np.arange(len(counts))
            self._takes[group] = self._values.hold_with(counts, every, 1)
        return self._takes[group]
