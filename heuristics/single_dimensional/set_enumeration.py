"""Set enumeration with pruning: the best set of splits that a requirement allows."""

from collections.abc import Callable, Sequence

import numpy as np

from starmin.heuristics.single_dimensional.recoding_metrics import Metric
from starmin.heuristics.single_dimensional.splits import Splits
from starmin.instances import GroupStats, Requirement, Table
from starmin.instances.arrays import Bools, Int32s


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
        of = self._splits.of
        tails = np.flatnonzero(tail).tolist()
        return [i for i in tails if of[i].parent < 0 or head[of[i].parent]]

    @staticmethod
    def _with(head: Bools, more: Sequence[int]) -> Bools:
        taken = head.copy()
        taken[more] = True
        return taken

    def _holds(self, groups: Int32s) -> bool:
        stats = GroupStats.of(self._table, groups)
        return bool(self._requirement.holds(stats).all())

    def _take(self, chosen: Bools, groups: Int32s) -> None:
        """Keep a recoding if it is the best one."""
        value = self._metric.value(groups)
        if value < self.value:
            self.best, self.groups, self.value = chosen, groups, value
