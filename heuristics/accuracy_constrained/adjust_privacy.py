"""Compiled loops of AC: groups within a bound, and rows moved between neighbours."""

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from instances.scales.arrays import ScaleArrays
from instances.scales.loops import extent

Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Space(NamedTuple):
    """The rows in their order, and what ranges cost.

    Attributes
    ----------
    places, sensitive
        n x d positions, and n sensitive values.
    start
        Where the positions of each column begin in a group's ``held``.
    arrays, prices
        Of ``Scales.arrays`` and ``Objective.range_prices``.
    bound
        The most that a row may pay.
    """

    places: Codes
    sensitive: Codes
    start: Ints
    arrays: ScaleArrays
    prices: Floats
    bound: float


class Group(NamedTuple):
    """A group that rows come to and go from.

    Attributes
    ----------
    held
        How many of its rows have each position, column after column.
    low, high
        The least and the greatest position in each column.
    counts
        How many of its rows have each sensitive value.
    size
        One number: its rows.
    """

    held: Ints
    low: Codes
    high: Codes
    counts: Ints
    size: Ints


@numba.njit(cache=True)
def make_space(
    places: Codes,
    sizes: Ints,
    sensitive: Codes,
    arrays: ScaleArrays,
    prices: Floats,
    bound: float,
) -> Space:
    """The rows in their order, columns of ``sizes`` positions each."""
    start = np.append(0, np.cumsum(sizes))
    return Space(places, sensitive, start, arrays, prices, bound)


@numba.njit(cache=True)
def bounded_groups(space: Space) -> tuple[Codes, Ints]:
    """The group of each row, as long as the bound allows; and where groups begin."""
    n = len(space.places)
    groups, starts = np.empty(n, np.int32), [0]
    group = _empty(space.start, space.sensitive.max() + 1)
    for row in range(n):
        if group.size[0] > 0 and _loss_with(space, group, row) > space.bound:
            _clear(space, group)
            starts.append(row)
        _add(space, group, row)
        groups[row] = len(starts) - 1
    return groups, np.array(starts)


@numba.njit(cache=True)
def adjust_groups(
    space: Space, groups: Codes, starts: Ints, low: int, high: int, by_loss: bool
) -> int:
    """Move rows between the groups low, .., high - 1 and the next ones; how many."""
    ends = np.append(starts, len(groups))
    values = space.sensitive.max() + 1
    before, now = _empty(space.start, values), _empty(space.start, values)
    moved = 0
    for label in range(low + 1, high + 1):
        _clear(space, before)
        _clear(space, now)
        # Rows that came from the group before stay.
        for row in range(ends[max(0, label - 2)], ends[label + 1]):
            if groups[row] == label - 1:
                _add(space, before, row)
            elif groups[row] == label:
                _add(space, now, row)
        stretch = (ends[label - 1], ends[label + 1])
        moved += _adjust(space, before, now, groups, stretch, label, by_loss)
    return moved


@numba.njit(cache=True)
def first_within(space: Space) -> Ints:
    """For each row the first one of a stretch up to it that keeps the bound."""
    n = len(space.places)
    window = _empty(space.start, space.sensitive.max() + 1)
    first = np.empty(n, np.int64)
    begin = 0
    for row in range(n):
        while window.size[0] > 0 and _loss_with(space, window, row) > space.bound:
            if window.size[0] == 1:
                _clear(space, window)
            else:
                _remove(space, window, begin)
            begin += 1
        _add(space, window, row)
        first[row] = begin
    return first


@numba.njit(cache=True)
def _empty(start: Ints, values: int) -> Group:
    d = len(start) - 1
    return Group(
        np.zeros(start[-1], np.int64),
        np.zeros(d, np.int32),
        np.zeros(d, np.int32),
        np.zeros(values, np.int64),
        np.zeros(1, np.int64),
    )


@numba.njit(cache=True)
def _clear(space: Space, group: Group) -> None:
    if group.size[0] > 0:
        for j in range(len(group.low)):
            at = space.start[j]
            group.held[at + group.low[j] : at + group.high[j] + 1] = 0
    group.counts[:] = 0
    group.size[0] = 0


@numba.njit(cache=True)
def _add(space: Space, group: Group, row: int) -> None:
    for j in range(len(group.low)):
        place = space.places[row, j]
        group.held[space.start[j] + place] += 1
        if group.size[0] == 0 or place < group.low[j]:
            group.low[j] = place
        if group.size[0] == 0 or place > group.high[j]:
            group.high[j] = place
    group.counts[space.sensitive[row]] += 1
    group.size[0] += 1


@numba.njit(cache=True)
def _remove(space: Space, group: Group, row: int) -> bool:
    """Take a row from a group that has others, too; whether that gets narrower."""
    narrower = False
    for j in range(len(group.low)):
        at = space.start[j]
        group.held[at + space.places[row, j]] -= 1
        while group.held[at + group.low[j]] == 0:
            group.low[j] += 1
            narrower = True
        while group.held[at + group.high[j]] == 0:
            group.high[j] -= 1
            narrower = True
    group.counts[space.sensitive[row]] -= 1
    group.size[0] -= 1
    return narrower


@numba.njit(cache=True)
def _loss_with(space: Space, group: Group, row: int) -> float:
    """What a row of the group pays once this one is in it."""
    loss = 0.0
    for j in range(len(group.low)):
        place = space.places[row, j]
        low, high = min(group.low[j], place), max(group.high[j], place)
        if low == high:
            continue
        if space.prices[j] < 0:
            return np.inf
        loss += space.prices[j] * extent(space.arrays, j, low, high)
    return loss


@numba.njit(cache=True)
def _adjust(
    space: Space,
    before: Group,
    now: Group,
    groups: Codes,
    stretch: tuple[int, int],
    label: int,
    by_loss: bool,
) -> int:
    """Move rows between two groups while the smaller privacy does not fall.

    Parameters
    ----------
    stretch
        The rows among which those of both groups are; ``before`` has the number
        ``label - 1``, ``now`` has ``label``.

    Returns
    -------
    int
        How many rows moved.
    """
    way = np.zeros(len(now.counts), np.int8)  # of each value: which way it moves
    # Values of which no row may go: as long as the target does not get narrower.
    blocked = np.zeros((2, len(now.counts)), np.bool_)
    rows, begin = _by_value(space.sensitive, stretch, len(now.counts))
    moved, more = 0, True
    while more:
        more = False
        for forward in (True, False):
            source, target = (before, now) if forward else (now, before)
            here, there = (label - 1, label) if forward else (label, label - 1)
            step = 1 if forward else 2
            shut = blocked[step - 1]
            for value in np.argsort(-source.counts):
                if source.counts[value] == 0:
                    break
                if way[value] == 3 - step or shut[value]:
                    continue
                if not _better(source, target, value):
                    continue
                among = rows[begin[value] : begin[value + 1]]
                if forward:
                    among = among[::-1]
                row = _nearest(space, target, groups, here, among, by_loss)
                if row < 0:
                    shut[value] = True
                    continue
                if _remove(space, source, row):
                    blocked[2 - step] = False
                _add(space, target, row)
                groups[row], way[value] = there, step
                moved, more = moved + 1, True
                break
    return moved


@numba.njit(cache=True)
def _better(source: Group, target: Group, value: int) -> bool:
    """Whether the smaller privacy of the two does not fall if a row moves."""
    if source.size[0] == 1:
        return False
    old = min(
        source.size[0] / source.counts.max(), target.size[0] / target.counts.max()
    )
    source.counts[value] -= 1
    target.counts[value] += 1
    new = min(
        (source.size[0] - 1) / source.counts.max(),
        (target.size[0] + 1) / target.counts.max(),
    )
    source.counts[value] += 1
    target.counts[value] -= 1
    return bool(new >= old)


@numba.njit(cache=True)
def _by_value(
    sensitive: Codes, stretch: tuple[int, int], values: int
) -> tuple[Ints, Ints]:
    """The rows of a stretch by value, in order, and where each value begins."""
    begin = np.zeros(values + 1, np.int64)
    for row in range(stretch[0], stretch[1]):
        begin[sensitive[row] + 1] += 1
    begin = np.cumsum(begin)
    at = begin.copy()
    rows = np.empty(stretch[1] - stretch[0], np.int64)
    for row in range(stretch[0], stretch[1]):
        rows[at[sensitive[row]]] = row
        at[sensitive[row]] += 1
    return rows, begin


@numba.njit(cache=True)
def _nearest(
    space: Space, target: Group, groups: Codes, here: int, among: Ints, by_loss: bool
) -> int:
    """The row that widens the target least, -1 where none may go there.

    Parameters
    ----------
    here
        The group that the row is in.
    among
        The rows to choose from, the nearest on the line first.
    """
    best, least = -1, np.inf
    for row in among:
        if groups[row] != here:
            continue
        loss = _loss_with(space, target, row)
        if loss < least and loss <= space.bound:
            best, least = row, loss
        if not by_loss or _inside(space, target, row):
            break
    return best


@numba.njit(cache=True)
def _inside(space: Space, group: Group, row: int) -> bool:
    """Whether the row is within the ranges of the group, which it does not widen."""
    for j in range(len(group.low)):
        if not group.low[j] <= space.places[row, j] <= group.high[j]:
            return False
    return True
