"""l-diverse groups along a line: greedy step, fall-back step and look-ahead."""

import heapq

import numpy as np

from starmin.heuristics.cuts.remaining_rows import (
    RemainingRows,
    all_rows,
    eligible,
    fall_back,
    give_back,
    take,
)
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner


@compiled
def l_groups_by_extent(sensitive: Int32s, x: Floats, l: int, ahead: bool) -> Int32s:
    """Form groups of l to 2l - 1 or a few more rows of different values, nearest first.

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
    l
        The least number of values in a group.
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
    rows = all_rows(sensitive)
    group = np.full(n, -1, np.int32)
    of_value = np.full(len(rows.head), -1, np.int64)  # the last group that has it
    frontier = [row for row in rows.head if row < n]
    heapq.heapify(frontier)
    label = 0
    while rows.left[0] > 0:
        members = _greedy(frontier, rows, sensitive, l)
        if len(members) == 0:
            members = fall_back(rows, l)
            frontier = [row for row in frontier if row not in members]
            heapq.heapify(frontier)
        for row in members:
            _assign(row, label, group, of_value, frontier, rows, sensitive)
        begin = x[min(members)]
        while ahead and rows.left[0] > 0:
            first = frontier[0]
            if of_value[sensitive[first]] == label:
                break
            if x[first] - begin >= x[_nth(frontier, l)] - x[first]:
                break
            take(rows, sensitive[first])
            if not eligible(rows, l):
                give_back(rows, sensitive[first])
                break
            heapq.heappop(frontier)
            _assign(first, label, group, of_value, frontier, rows, sensitive)
        label += 1
    return group


@inner
def _greedy(
    frontier: list[int], rows: RemainingRows, sensitive: Int32s, l: int
) -> list[int]:
    """Take the first rows off the frontier; none where not even all of them do."""
    members = [0 for _ in range(0)]
    while len(frontier) > 0:
        row = heapq.heappop(frontier)
        members.append(row)
        take(rows, sensitive[row])
        if len(members) >= l and eligible(rows, l):
            return members
    for row in members:
        give_back(rows, sensitive[row])
        heapq.heappush(frontier, row)
    members.clear()
    return members


@inner
def _assign(
    row: int,
    label: int,
    group: Int32s,
    of_value: Ints,
    frontier: list[int],
    rows: RemainingRows,
    sensitive: Int32s,
) -> None:
    """Put a row into a group, and the next one of its value on the frontier."""
    value = sensitive[row]
    group[row], of_value[value] = label, label
    rows.head[value] = rows.after[row]
    if rows.head[value] < len(group):
        heapq.heappush(frontier, rows.head[value])


@inner
def _nth(frontier: list[int], l: int) -> int:
    """Return the l-th row of the frontier."""
    first = [heapq.heappop(frontier) for _ in range(l)]
    for row in first:
        heapq.heappush(frontier, row)
    return first[-1]
