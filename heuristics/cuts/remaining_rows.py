"""The rows that remain for l-diverse groups, and whether they are l-eligible."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner


class RemainingRows(NamedTuple):
    """The rows that no group has taken; all arrays change in place."""

    after: Ints  # of each row the next one of the same value, n where there is none
    # head, counts: of each value the first row that remains, and how many do
    head: Ints
    counts: Ints
    with_count: Ints  # how many values have 0, 1, .. rows that remain
    # left, most: one number each: all rows that remain, and those of the most frequent
    # value
    left: Ints
    most: Ints


@compiled
def all_rows(sensitive: Int32s) -> RemainingRows:
    """Return the state in which all rows remain.

    Examples
    --------
    >>> rows = all_rows(np.array([0, 1, 0], np.int32))
    >>> rows.head.tolist(), rows.after.tolist(), rows.counts.tolist()
    ([0, 1], [2, 3, 3], [2, 1])
    """
    n, values = len(sensitive), sensitive.max() + 1
    after, head = np.empty(n, np.int64), np.full(values, n, np.int64)
    count = np.zeros(values, np.int64)
    for row in range(n - 1, -1, -1):
        value = sensitive[row]
        after[row], head[value] = head[value], row
        count[value] += 1
    with_count = np.zeros(n + 1, np.int64)
    for value in range(values):
        with_count[count[value]] += 1
    most = np.array([count.max()])
    return RemainingRows(after, head, count, with_count, np.array([n]), most)


@inner
def take(rows: RemainingRows, value: int) -> None:
    """Count one row of a value as taken; ``head`` stays."""
    rows.with_count[rows.counts[value]] -= 1
    rows.counts[value] -= 1
    rows.with_count[rows.counts[value]] += 1
    rows.left[0] -= 1
    if rows.with_count[rows.most[0]] == 0:
        rows.most[0] -= 1


@inner
def give_back(rows: RemainingRows, value: int) -> None:
    """Undo ``take``."""
    rows.with_count[rows.counts[value]] -= 1
    rows.counts[value] += 1
    rows.with_count[rows.counts[value]] += 1
    rows.left[0] += 1
    rows.most[0] = max(rows.most[0], rows.counts[value])


@inner
def eligible(rows: RemainingRows, l: int) -> bool:
    """Check whether no value has more than 1/l of the rows that remain."""
    return bool(l * rows.most[0] <= rows.left[0])


@inner
def fall_back(rows: RemainingRows, l: int) -> list[int]:
    """Take rows of the most frequent values until the others are l-eligible.

    At least l are taken, of equally frequent values first that of the first row.
    """
    n = len(rows.after)
    here = np.flatnonzero(rows.counts > 0)
    by_count = here[np.argsort(rows.head[here] - rows.counts[here] * n)]
    members = [0 for _ in range(0)]
    for value in by_count:
        members.append(rows.head[value])
        take(rows, value)
        if len(members) >= l and eligible(rows, l):
            break
    return members
