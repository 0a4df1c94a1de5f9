"""Enumerate sets of splits with pruning: the best that a requirement allows.

Splits are the steps by which single-dimensional recodings become finer; a metric
judges a recoding.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from starmin.instances import (
    IntArray,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.scales.scale import Layout

Value: TypeAlias = Callable[[Int32s], int]


@dataclass(frozen=True)
class Metric:
    """A number that never grows where groups become finer."""

    value: Value  # of the groups of all rows
    # what no coarser groups, each with as many rows as are asked for, fall below
    bound: Value


def loss(table: Table, objective: Objective) -> Metric:
    """Charge groups for their own ranges, as releases are charged."""

    def value(groups: Int32s) -> int:
        return Partition(groups).value(table, objective)

    return Metric(value, value)


def discernibility(least: int) -> Metric:
    r"""Charge each row the size of its group: :math:`\sum_g |g|^2`.

    ``least`` is the fewest rows that any group may have: no row is charged less.

    Examples
    --------
    >>> metric = discernibility(least=3)
    >>> groups = np.array([0, 0, 1, 1, 1, 1], np.int32)
    >>> metric.value(groups), metric.bound(groups)
    (20, 22)
    """

    def value(groups: Int32s) -> int:
        sizes = np.bincount(groups).astype(np.int64)
        return int(sizes @ sizes)

    def bound(groups: Int32s) -> int:
        sizes = np.bincount(groups).astype(np.int64)
        return int(sizes @ np.maximum(sizes, least))

    return Metric(value, bound)


def classification(labels: Int32s) -> Metric:
    """Charge rows whose label is not the most frequent one of their group.

    Examples
    --------
    >>> metric = classification(np.array([0, 0, 1, 1]))
    >>> metric.value(np.array([0, 0, 0, 1], np.int32))
    1
    """
    values = int(labels.max()) + 1

    def value(groups: Int32s) -> int:
        keys = groups.astype(np.int64) * values + labels
        cells, counts = np.unique(keys, return_counts=True)
        begins = np.flatnonzero(np.diff(cells // values, prepend=-1))
        return len(labels) - int(np.maximum.reduceat(counts, begins).sum())

    return Metric(value, value)


class Splits:
    """All splits of a table's columns: a recoding is a set of them.

    Of numbers there is one between two values that follow each other, so that a
    recoding cuts them into ranges; missing values are split off first. Of a taxonomy
    there is one for each inner node, which replaces it by its children. A flat column
    has a single one, which replaces the star by the values. Columns to be kept are as
    they are, and rows that may not share a group do not.

    Examples
    --------
    >>> from starmin.instances import STARS
    >>> table = Table.from_rows(["p"], [["1"], ["2"], ["1"]], qi=["p"])
    >>> splits = Splits(table, STARS)
    >>> len(splits), splits.groups(np.array([True])).tolist()
    (1, [0, 1, 0])
    """

    def __init__(self, table: Table, objective: Objective) -> None:
        self.parents: list[int] = []  # by split the one that it needs; -1 for none
        # by column the class of each position under a choice of splits
        self._classes: dict[int, Callable[[Bools], Ints]] = {}
        self._places = objective.scales_of(table).row_positions(table)
        self._apart = Partition.coarsest(table, objective).groups
        for j, (scale, kept) in enumerate(
            zip(objective.scales_of(table).scales, objective.kept(table), strict=True)
        ):
            if kept or scale.size < 2:
                continue
            splits = self._numbers if scale.layout.is_line else self._tree
            self._classes[j] = splits(scale.layout)

    def __len__(self) -> int:
        return len(self.parents)

    def groups(self, chosen: Bools) -> Int32s:
        """Return the group of each row under the splits that are chosen."""
        keys: list[IntArray] = [self._apart]
        sizes = [int(self._apart.max()) + 1]
        for j, classes_under in self._classes.items():
            classes = classes_under(chosen)
            keys.append(classes[self._places[:, j]])
            sizes.append(int(classes.max()) + 1)
        return group_by(keys, sizes).inverse

    def recoded(self, chosen: Bools) -> int:
        """Return how many cells that may change are published as several values."""
        cells = 0
        for j, classes_under in self._classes.items():
            classes = classes_under(chosen)
            wide = np.bincount(classes)[classes] > 1
            cells += int(wide[self._places[:, j]].sum())
        return cells

    @cached_property
    def closures(self) -> list[list[int]]:
        """For each split itself and those that it needs."""
        closed: list[list[int]] = []
        for i, parent in enumerate(self.parents):
            above = closed[parent] if parent >= 0 else []
            closed.append([*above, i])
        return closed

    @cached_property
    def below(self) -> list[list[int]]:
        """For each split itself and those that need it."""
        found: list[list[int]] = [[] for _ in self.parents]
        for i, closure in enumerate(self.closures):
            for above in closure:
                found[above].append(i)
        return found

    def _new(self, parent: int) -> int:
        self.parents.append(parent)
        return len(self.parents) - 1

    def _numbers(self, layout: Layout) -> Callable[[Bools], Ints]:
        size, missing = len(layout.places), len(layout.missing)
        first = self._new(-1) if missing else -1
        cuts = np.array([self._new(first) for _ in range(size - missing - 1)], int)

        def classes(chosen: Bools) -> Ints:
            if first >= 0 and not chosen[first]:
                return np.zeros(size, np.int64)
            ranges = np.append(0, np.cumsum(chosen[cuts]))
            return np.concatenate([np.arange(missing), missing + ranges])

        return classes

    def _tree(self, layout: Layout) -> Callable[[Bools], Ints]:
        """Make a split for each inner node."""
        path = layout.path
        splits: dict[int, int] = {}
        for t in range(len(path) - 1):
            for above, node, below in zip(
                path[max(0, t - 1)].tolist(),
                path[t].tolist(),
                path[t + 1].tolist(),
                strict=True,
            ):
                if node != below and node not in splits:
                    splits[node] = self._new(splits[above] if t else -1)

        def classes(chosen: Bools) -> Ints:
            split = np.zeros(int(path.max()) + 1, bool)
            for node, number in splits.items():
                split[node] = chosen[number]
            found: Ints = path[0].copy()
            for above, below in pairwise(path):
                found = np.where((found == above) & split[above], below, found)
            return found

        return classes


class SetEnumeration:
    """The search for the best recoding (Bayardo and Agrawal 2005).

    A node of the tree has splits that are taken (the head) and splits that may still be
    (the tail). Three things prune it. A tail loses each split that breaks the
    requirement when the head alone is taken with it: requirements are monotone, so it
    breaks it below, too. No recoding below is better than the bound of the head with
    all of its tail. And where these together satisfy the requirement they are the best
    below. The split is branched on whose absence costs most.

    ``best``, ``groups`` and ``value`` are the best set of splits so far, its groups,
    and its value; ``nodes`` counts the heads that were looked at.
    """

    def __init__(
        self, table: Table, requirement: Requirement, splits: Splits, metric: Metric
    ) -> None:
        self._table, self._requirement = table, requirement
        self._splits, self._metric = splits, metric
        self.nodes = 0
        self.best = np.zeros(len(splits), bool)
        self.groups = splits.groups(self.best)
        self.value = metric.value(self.groups)

    def run(self, check_time: Callable[[], None]) -> None:
        """Search to the end; ``check_time`` may raise to stop before."""
        self._greedy(check_time)
        none = np.zeros(len(self._splits), bool)
        waiting = [(none, ~none)]
        while waiting:
            head, tail = waiting.pop()
            check_time()
            self.nodes += 1
            tail = self._allowed(head, tail, check_time)
            finest = self._splits.groups(head | tail)
            if self._metric.bound(finest) >= self.value:
                continue
            if self._holds(finest):
                self._take(head | tail, finest)
                continue
            chosen = self._dearest(head, tail, check_time)
            without = tail.copy()
            without[self._splits.below[chosen]] = False
            waiting.append((head, without))
            taken = head.copy()
            taken[chosen] = True
            tail = tail.copy()
            tail[chosen] = False
            waiting.append((taken, tail))

    def _greedy(self, check_time: Callable[[], None]) -> None:
        """Take the split that gains most, as long as one is allowed."""
        head, tail = self.best, ~self.best
        while True:
            tail = self._allowed(head, tail, check_time)
            if not (ready := self._ready(head, tail)):
                return
            found = [self._with(head, [i]) for i in ready]
            values = [self._metric.value(self._splits.groups(each)) for each in found]
            head = found[int(np.argmin(values))]
            tail = tail & ~head
            if min(values) < self.value:
                self._take(head, self._splits.groups(head))

    def _allowed(
        self, head: Bools, tail: Bools, check_time: Callable[[], None]
    ) -> Bools:
        """Return the splits of a tail that the requirement allows beside the head."""
        tail = tail.copy()
        for i in np.flatnonzero(tail).tolist():
            if not tail[i]:
                continue
            check_time()
            one = self._with(head, self._splits.closures[i])
            if not self._holds(self._splits.groups(one)):
                tail[self._splits.below[i]] = False
        return tail

    def _dearest(self, head: Bools, tail: Bools, check_time: Callable[[], None]) -> int:
        """Return the split of the tail without which the bound is highest."""
        worst, chosen = -1, -1
        for i in self._ready(head, tail):
            check_time()
            rest = head | tail
            rest[self._splits.below[i]] = False
            if (bound := self._metric.bound(self._splits.groups(rest))) > worst:
                worst, chosen = bound, i
        return chosen

    def _ready(self, head: Bools, tail: Bools) -> list[int]:
        """Return the splits of the tail whose parents are in the head."""
        tails = np.flatnonzero(tail).tolist()
        parents = self._splits.parents
        return [i for i in tails if parents[i] < 0 or head[parents[i]]]

    @staticmethod
    def _with(head: Bools, more: Sequence[int]) -> Bools:
        taken = head.copy()
        taken[more] = True
        return taken

    def _holds(self, groups: Int32s) -> bool:
        return bool(self._requirement.holds_in(self._table, groups).all())

    def _take(self, chosen: Bools, groups: Int32s) -> None:
        """Keep a recoding if it is the best one."""
        value = self._metric.value(groups)
        if value < self.value:
            self.best, self.groups, self.value = chosen, groups, value


def search_recodings(run: Run, metric: Metric, name: str | None = None) -> Result:
    """Search a run's table for the recoding that is best by a metric.

    The best recoding so far is published, whatever ended the search. In ``stats`` its
    value has this ``name``; default: it is the run's own value.
    """

    def search() -> None:
        splits = Splits(run.table, run.objective)
        tree = SetEnumeration(run.table, run.requirement, splits, metric)
        try:
            tree.run(run.check_time)
        finally:
            run.offer(Partition.from_labels(tree.groups))
            run.stats |= {
                "recoded": splits.recoded(tree.best),
                "splits": len(splits),
                "nodes": tree.nodes,
            }
            if name is not None:
                run.stats[name] = tree.value

    return run.carry_out(search)
