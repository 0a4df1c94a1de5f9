"""The rows that are left for l-diverse groups, and whether they are eligible."""

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


class Rest(NamedTuple):
    """The rows that are left.

    Attributes
    ----------
    after
        Of each row the next one of the same value, n where there is none.
    head, counts
        Of each value the first row that is left, and how many are.
    with_count
        How many values have 0, 1, .. rows.
    left, most
        One number each: all rows, and those of the most frequent value.
    """

    after: Ints
    head: Ints
    counts: Ints
    with_count: Ints
    left: Ints
    most: Ints


@numba.njit(cache=True)
def rest_of(sensitive: npt.NDArray[np.int32]) -> Rest:
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
    return Rest(after, head, count, with_count, np.array([n]), np.array([count.max()]))


@numba.njit(cache=True)
def take(rest: Rest, value: int) -> None:
    rest.with_count[rest.counts[value]] -= 1
    rest.counts[value] -= 1
    rest.with_count[rest.counts[value]] += 1
    rest.left[0] -= 1
    if rest.with_count[rest.most[0]] == 0:
        rest.most[0] -= 1


@numba.njit(cache=True)
def give_back(rest: Rest, value: int) -> None:
    rest.with_count[rest.counts[value]] -= 1
    rest.counts[value] += 1
    rest.with_count[rest.counts[value]] += 1
    rest.left[0] += 1
    rest.most[0] = max(rest.most[0], rest.counts[value])


@numba.njit(cache=True)
def eligible(rest: Rest, l: int) -> bool:
    """Whether no value has more than 1/l of the rows that are left."""
    return bool(l * rest.most[0] <= rest.left[0])


@numba.njit(cache=True)
def fall_back(rest: Rest, l: int) -> list[int]:
    """Rows of the most frequent values, of the first row among equals."""
    n = len(rest.after)
    here = np.flatnonzero(rest.counts > 0)
    by_count = here[np.argsort(rest.head[here] - rest.counts[here] * n)]
    members = [0 for _ in range(0)]
    for value in by_count:
        members.append(rest.head[value])
        take(rest, value)
        if len(members) >= l and eligible(rest, l):
            break
    return members
