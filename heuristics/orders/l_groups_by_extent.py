"""l-diverse groups along a line: greedy step, fall-back step and look-ahead."""

import heapq

import numba
import numpy as np
import numpy.typing as npt

from heuristics.orders.remaining_rows import (
    Ints,
    Rest,
    eligible,
    fall_back,
    give_back,
    rest_of,
    take,
)


@numba.njit(cache=True)
def l_groups_by_extent(
    sensitive: npt.NDArray[np.int32], x: npt.NDArray[np.float64], l: int, ahead: bool
) -> npt.NDArray[np.int32]:
    """Groups of l to 2l - 1 or a few more rows of different values, nearest first.

    The *frontier* has the first row that is left of each sensitive value. A group
    takes the l first of these (greedy step), and if the rest is not l-eligible the
    next ones until it is. If it is not with all of them, the group is given up and
    takes rows of the l most frequent values that are left (fall-back step), and if
    need be of the next ones; that always succeeds.

    Look-ahead: let a be the first row of the new frontier and b its l-th, so that a
    would be in a group that is as long as from a to b at least. If a is nearer to the
    beginning of the group that was just formed, has another value, and the rest stays
    l-eligible, the group takes it.

    Parameters
    ----------
    sensitive
        n codes in the order of the line, no value more than n / l times.
    x
        Where the rows are on the line.
    ahead
        Whether to look ahead.

    Returns
    -------
    array
        The group of each row.

    Notes
    -----
    O(n log m) for m values, and O(m log m) for each fall-back.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009,
    section 4.3, where it takes O(m n).

    Examples
    --------
    >>> codes = np.array([0, 1, 2, 1, 0, 1, 2], np.int32)
    >>> x = np.array([1, 2, 3, 4, 8, 9, 10.0])
    >>> l_groups_by_extent(codes, x, 3, False).tolist()
    [0, 0, 0, 1, 1, 2, 1]
    """
    n = len(sensitive)
    rest = rest_of(sensitive)
    group = np.full(n, -1, np.int32)
    of_value = np.full(len(rest.head), -1, np.int64)  # the last group that has it
    frontier = [row for row in rest.head if row < n]
    heapq.heapify(frontier)
    label = 0
    while rest.left[0] > 0:
        members = _greedy(frontier, rest, sensitive, l)
        if len(members) == 0:
            members = fall_back(rest, l)
            frontier = [row for row in frontier if row not in members]
            heapq.heapify(frontier)
        for row in members:
            _pass(row, label, group, of_value, frontier, rest, sensitive)
        begin = x[min(members)]
        while ahead and rest.left[0] > 0:
            first = frontier[0]
            if of_value[sensitive[first]] == label:
                break
            if x[first] - begin >= x[_nth(frontier, l)] - x[first]:
                break
            take(rest, sensitive[first])
            if not eligible(rest, l):
                give_back(rest, sensitive[first])
                break
            heapq.heappop(frontier)
            _pass(first, label, group, of_value, frontier, rest, sensitive)
        label += 1
    return group


@numba.njit(cache=True)
def _greedy(
    frontier: list[int], rest: Rest, sensitive: npt.NDArray[np.int32], l: int
) -> list[int]:
    """The first rows of the frontier, off it; none where all of it does not do."""
    members = [0 for _ in range(0)]
    while len(frontier) > 0:
        row = heapq.heappop(frontier)
        members.append(row)
        take(rest, sensitive[row])
        if len(members) >= l and eligible(rest, l):
            return members
    for row in members:
        give_back(rest, sensitive[row])
        heapq.heappush(frontier, row)
    members.clear()
    return members


@numba.njit(cache=True)
def _pass(
    row: int,
    label: int,
    group: npt.NDArray[np.int32],
    of_value: Ints,
    frontier: list[int],
    rest: Rest,
    sensitive: npt.NDArray[np.int32],
) -> None:
    """Put a row into a group, and the next one of its value on the frontier."""
    value = sensitive[row]
    group[row], of_value[value] = label, label
    rest.head[value] = rest.after[row]
    if rest.head[value] < len(group):
        heapq.heappush(frontier, rest.head[value])


@numba.njit(cache=True)
def _nth(frontier: list[int], l: int) -> int:
    """The l-th row of the frontier."""
    first = [heapq.heappop(frontier) for _ in range(l)]
    for row in first:
        heapq.heappush(frontier, row)
    return first[-1]


@numba.njit(cache=True)
def joined(groups: npt.NDArray[np.int32], k: int) -> npt.NDArray[np.int32]:
    """Groups that follow each other in number joined until they have k rows.

    Examples
    --------
    >>> joined(np.array([0, 1, 0, 2, 1, 3, 2], np.int32), 3).tolist()
    [0, 0, 0, 1, 0, 1, 1]
    """
    sizes = np.bincount(groups)
    label = np.empty(len(sizes), np.int32)
    at, size = 0, 0
    for group in range(len(sizes)):
        label[group] = at
        size += sizes[group]
        if size >= k:
            at, size = at + 1, 0
    if size > 0 and at > 0:  # too few are left for a group
        label[label == at] = at - 1
    return label[groups]
