"""Compiled loops of AC: groups within a bound, and rows moved between neighbours."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.scales.scale import ScaleArrays
from starmin.instances.scales.scale_loops import extent
from starmin.instances.tables.table_loops import by_key


class Space(NamedTuple):
    """The rows in their order, and what ranges cost."""

    places: Int32s  # n x d positions
    sensitive: Int32s  # n sensitive values
    start: Ints  # where the positions of each column begin in a group's ``held``
    # arrays, weights: those of ``Scales.arrays`` and ``Objective.range_prices``
    arrays: ScaleArrays
    weights: Floats
    bound: float  # the most that a row may pay


class Group(NamedTuple):
    """A group that rows come to and go from."""

    held: Ints  # how many of its rows have each position, column after column
    low: Int32s  # low, high: the least and the greatest position in each column
    high: Int32s
    counts: Ints  # how many of its rows have each sensitive value
    size: Ints  # one number: its rows


@inner
def empty_group(start: Ints, values: int) -> Group:
    """Return a group without rows."""
    d = len(start) - 1
    return Group(
        np.zeros(start[-1], np.int64),
        np.zeros(d, np.int32),
        np.zeros(d, np.int32),
        np.zeros(values, np.int64),
        np.zeros(1, np.int64),
    )


@inner
def clear(space: Space, group: Group) -> None:
    """Take all rows from a group."""
    if group.size[0] > 0:
        for j in range(len(group.low)):
            at = space.start[j]
            group.held[at + group.low[j] : at + group.high[j] + 1] = 0
    group.counts[:] = 0
    group.size[0] = 0


@inner
def add(space: Space, group: Group, row: int) -> None:
    """Put a row into a group."""
    for j in range(len(group.low)):
        place = space.places[row, j]
        group.held[space.start[j] + place] += 1
        if group.size[0] == 0 or place < group.low[j]:
            group.low[j] = place
        if group.size[0] == 0 or place > group.high[j]:
            group.high[j] = place
    group.counts[space.sensitive[row]] += 1
    group.size[0] += 1


@inner
def remove(space: Space, group: Group, row: int) -> bool:
    """Take a row from a group that has others; return whether that gets narrower."""
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


@inner
def loss_with(space: Space, group: Group, row: int) -> float:
    """Return what a row of the group pays once this one is in it."""
    loss = 0.0
    for j in range(len(group.low)):
        place = space.places[row, j]
        low, high = min(group.low[j], place), max(group.high[j], place)
        if low == high:
            continue
        if space.weights[j] < 0:
            return np.inf
        loss += space.weights[j] * extent(space.arrays, j, low, high)
    return loss


@inner
def is_inside(space: Space, group: Group, row: int) -> bool:
    """Check whether the row is within the ranges of the group, so widens none."""
    for j in range(len(group.low)):
        if not group.low[j] <= space.places[row, j] <= group.high[j]:
            return False
    return True


@compiled
def bounded_groups(space: Space) -> tuple[Int32s, Ints]:
    """Return the group of each row, as long as the bound allows, and all begins."""
    n = len(space.places)
    groups, starts = np.empty(n, np.int32), [0]
    group = empty_group(space.start, space.sensitive.max() + 1)
    for row in range(n):
        if group.size[0] > 0 and loss_with(space, group, row) > space.bound:
            clear(space, group)
            starts.append(row)
        add(space, group, row)
        groups[row] = len(starts) - 1
    return groups, np.array(starts)


@compiled
def adjust_groups(
    space: Space, groups: Int32s, starts: Ints, low: int, high: int, by_loss: bool
) -> int:
    """Move rows between the groups low, .., high - 1 and the next ones; count them.

    ``groups``, by row, is changed in place; ``starts`` says where groups began. With
    ``by_loss`` the row to move is chosen by what the other group would lose.
    """
    ends = np.append(starts, len(groups))
    values = space.sensitive.max() + 1
    before, now = empty_group(space.start, values), empty_group(space.start, values)
    moved = 0
    for label in range(low + 1, high + 1):
        clear(space, before)
        clear(space, now)
        # Rows that came from the group before stay.
        for row in range(ends[max(0, label - 2)], ends[label + 1]):
            if groups[row] == label - 1:
                add(space, before, row)
            elif groups[row] == label:
                add(space, now, row)
        stretch = (ends[label - 1], ends[label + 1])
        moved += _adjust(space, before, now, groups, stretch, label, by_loss)
    return moved


@compiled
def first_within(space: Space) -> Ints:
    """Return for each row the first one of a stretch up to it that keeps the bound."""
    n = len(space.places)
    window = empty_group(space.start, space.sensitive.max() + 1)
    first = np.empty(n, np.int64)
    begin = 0
    for row in range(n):
        while window.size[0] > 0 and loss_with(space, window, row) > space.bound:
            if window.size[0] == 1:
                clear(space, window)
            else:
                remove(space, window, begin)
            begin += 1
        add(space, window, row)
        first[row] = begin
    return first


@inner
def _adjust(
    space: Space,
    before: Group,
    now: Group,
    groups: Int32s,
    stretch: tuple[int, int],
    label: int,
    by_loss: bool,
) -> int:
    """Move rows between two groups while the smaller privacy does not fall; count them.

    The rows of both are in ``stretch``; ``before`` has the number ``label - 1``,
    ``now`` has ``label``.
    """
    way = np.zeros(len(now.counts), np.int8)  # of each value: which way it moves
    # Values of which no row may go: as long as the target does not get narrower.
    blocked = np.zeros((2, len(now.counts)), np.bool_)
    begin, rows = by_key(space.sensitive[stretch[0] : stretch[1]], len(now.counts))
    rows += stretch[0]
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
                if remove(space, source, row):
                    blocked[2 - step] = False
                add(space, target, row)
                groups[row], way[value] = there, step
                moved, more = moved + 1, True
                break
    return moved


@inner
def _better(source: Group, target: Group, value: int) -> bool:
    """Check whether the smaller privacy of the two does not fall if a row moves."""
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


@inner
def _nearest(
    space: Space, target: Group, groups: Int32s, here: int, among: Ints, by_loss: bool
) -> int:
    """Return the row of group ``here`` that widens the target least, -1: none may go.

    ``among`` has the nearest on the line first.
    """
    best, least = -1, np.inf
    for row in among:
        if groups[row] != here:
            continue
        loss = loss_with(space, target, row)
        if loss < least and loss <= space.bound:
            best, least = row, loss
        if not by_loss or is_inside(space, target, row):
            break
    return best
