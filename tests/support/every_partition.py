"""Every partition and every group of a few rows: oracles by definition."""

import itertools
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.verify.utility.penalty import Penalty

Array = npt.NDArray[Any]


@cache
def partitions(n: int) -> npt.NDArray[np.int64]:
    """All partitions of n rows, a line of n sets of rows each, empty sets included."""
    found: list[list[int]] = [[]]
    for row in range(n):
        found = [
            [*parts[:at], part | 1 << row, *parts[at + 1 :]]
            for parts in found
            for at, part in enumerate([*parts, 0])
        ]
    return np.array([parts + [0] * (n - len(parts)) for parts in found])


def every_labelling(n: int) -> list[list[int]]:
    """All partitions of n rows, each as the group of every row."""
    return [
        [next(g for g, part in enumerate(parts) if part >> row & 1) for row in range(n)]
        for parts in partitions(n).tolist()
    ]


class Oracle(NamedTuple):
    """Of every partition whether it is allowed, and the losses of its groups."""

    allowed: npt.NDArray[np.bool_]
    losses: Array
    groups: npt.NDArray[np.int64]

    @classmethod
    def of(
        cls,
        n: int,
        allowed: Callable[[list[int]], bool],
        loss: Callable[[list[int]], Any],
    ) -> "Oracle":
        """Ask for every set of rows whether it may be a group, and what it costs."""
        sets = [[r for r in range(n) if mask >> r & 1] for mask in range(1 << n)]
        may = np.array([True] + [allowed(rows) for rows in sets[1:]])
        cost = np.array([0] + [loss(rows) for rows in sets[1:]])
        lines = partitions(n)
        return cls(may[lines].all(axis=1), cost[lines], np.count_nonzero(lines, axis=1))

    def total(self) -> Any:
        """The least sum."""
        return self.losses.sum(axis=1)[self.allowed].min()

    def largest(self) -> Any:
        """The least maximum."""
        return self.losses.max(axis=1)[self.allowed].min()

    def mean(self) -> Any:
        """The least mean over the groups."""
        return (self.losses.sum(axis=1) / self.groups)[self.allowed].min()


def groups_of(table, objective, k, l=1):
    """By definition: all groups of k rows that may be, and what each row pays.

    No sensitive value is in more than k / l of them, rounded up.
    """
    penalty, rows = Penalty(table, objective), [row[: table.d] for row in table.rows()]
    kept = [table.qi.index(column) for column in objective.keep]
    for chosen in itertools.combinations(range(table.n), k):
        own = [rows[i] for i in chosen]
        values = Counter(table.rows()[i][table.d] for i in chosen) if l > 1 else {"": 0}
        if max(values.values()) > -(-k // l):
            continue
        agree = all(len({row[j] for row in own}) == 1 for j in kept)
        if agree and penalty.allows(own):
            yield chosen, penalty.of(own) // k
