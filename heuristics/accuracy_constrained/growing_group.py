"""A group whose rows come and go, and what its ranges cost (see ``adjust_privacy``)."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.scales.scale_arrays import ScaleArrays
from starmin.instances.scales.scale_loops import extent


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


@compiled
def make_space(
    places: Int32s,
    sizes: Ints,
    sensitive: Int32s,
    arrays: ScaleArrays,
    weights: Floats,
    bound: float,
) -> Space:
    """Make the space of rows in their order, columns of ``sizes`` positions each.

    ``places`` are n x d positions, ``sensitive`` n values; for ``arrays``, ``weights``
    and ``bound`` see ``Space``.
    """
    start = np.append(0, np.cumsum(sizes))
    return Space(places, sensitive, start, arrays, weights, bound)


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
