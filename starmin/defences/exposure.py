"""Whom a decoy exposes: rows of dearer classes that its class would take from then."""

import numpy as np

from starmin.defences.value_counts import FormerClasses
from starmin.instances.arrays import Bools, Ints

MOST_VALUES = 256  # combinations of values: with more nobody is said to be exposed


class Exposure:
    """Count rows that lose a possible value if a class gets decoys.

    An optimal release rules out that a row has a value with which a cheaper class would
    take it. A class at its limit takes few values: none of its most frequent one, say.
    With a decoy more it may take all, and each row of a dearer class that lies in its
    box and could be spared there with such a value is then known not to have it.

    ``classes`` are those before there were decoys.
    """

    def __init__(self, classes: FormerClasses) -> None:
        values, groups, positions, self._low, self._high, self._costs = classes
        self._values = values
        self._few = len(values.example) <= MOST_VALUES
        hidden = np.flatnonzero((self._costs[groups] > 0) & self._few)
        self._at, self._of = positions[hidden], groups[hidden]
        self._value = values.of_row[hidden]
        self._spared = self._can_be_spared()
        self._known: dict[int, Ints] = {}

    def _can_be_spared(self) -> Bools:
        """Return for each hidden row whether its class would hold without it."""
        width = len(self._values.example)
        order = np.argsort(self._of, kind="stable")
        kinds, start = np.unique(self._of[order], return_index=True)
        spared = np.zeros(len(order), bool)
        for rows in np.split(order, start[1:]) if len(kinds) else []:
            counts = np.bincount(self._value[rows], minlength=width).astype(np.int64)
            there = np.flatnonzero(counts)
            fine = self._values.hold_with(counts, there, -1)
            spared[rows] = fine[np.searchsorted(there, self._value[rows])]
        return spared

    def _near(self, group: int) -> Ints:
        """Return how many rows of each value a class could take, were it to hold."""
        if group not in self._known:
            inside = self._spared & (self._costs[self._of] > self._costs[group])
            some = np.flatnonzero(inside)
            at = self._at[some]
            fits = (self._low[group] <= at) & (at <= self._high[group])
            values = self._value[some[fits.all(axis=1)]]
            width = len(self._values.example)
            self._known[group] = np.bincount(values, minlength=width)
        return self._known[group]

    def count(self, group: int, before: Ints, after: Ints) -> int:
        """Return how many rows of dearer classes lose a possible value.

        ``group`` gets decoys; ``before`` and ``after`` count by combination of values
        how often it has each, without them and with them.
        """
        if not self._few:
            return 0
        near = self._near(group)
        which = np.flatnonzero(near)
        if len(which) == 0:
            return 0
        new = self._values.hold_since(before, after, which, 1)
        return int(near[which[new]].sum())
