"""The loops of TopDown: seeds far apart, and rows joined to the nearer half."""

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.scales.scale_arrays import ScaleArrays
from starmin.instances.scales.scale_loops import extent


@compiled
def split_groups(
    places: Int32s,
    starts: Ints,
    picks: Ints,
    arrays: ScaleArrays,
    weights: Floats,
    least: int,
    scans: int,
) -> npt.NDArray[np.int8]:
    """Split each of many groups in two; O(n d).

    ``places`` are n x d, the positions of the rows of one group after the other.
    ``starts`` says where each group starts, and n; ``picks`` has the place of a row of
    each group to look for seeds from. ``arrays`` and ``weights`` are those of
    ``Scales.arrays`` and ``Objective.range_prices``: what ranges cost. Each half must
    have ``least`` rows, if the group has twice as many. There are ``scans`` scans for
    seeds that are far apart. Returns the half of each row, 0 or 1.
    """
    half = np.zeros(len(places), np.int8)
    for g in range(len(starts) - 1):
        low, high = starts[g], starts[g + 1]
        one, other = _seeds(places, low, high, picks[g], scans, arrays, weights)
        _assign(places, half, low, high, one, other, arrays, weights)
        ones = 0
        for row in range(low, high):
            ones += half[row]
        if ones < least:
            _fill(places, half, low, high, other, 1, least - ones, arrays, weights)
        elif high - low - ones < least:
            short = least - (high - low - ones)
            _fill(places, half, low, high, one, 0, short, arrays, weights)
    return half


@inner
def _distance(
    places: Int32s, row: int, seed: int, arrays: ScaleArrays, weights: Floats
) -> float:
    """Return what a group of the two rows alone costs each of them."""
    distance = 0.0
    for j in range(places.shape[1]):
        a, b = places[row, j], places[seed, j]
        if a != b:
            distance += weights[j] * extent(arrays, j, min(a, b), max(a, b))
    return distance


@inner
def _seeds(
    places: Int32s,
    low: int,
    high: int,
    pick: int,
    scans: int,
    arrays: ScaleArrays,
    weights: Floats,
) -> tuple[int, int]:
    """Find two rows far apart: the farthest from one, then the farthest from that."""
    one, other = pick, pick
    farthest = -1.0
    for _ in range(scans):
        best, at = farthest, -1
        for row in range(low, high):
            distance = _distance(places, row, other, arrays, weights)
            if distance > best:
                best, at = distance, row
        if at == -1:
            break
        one, other, farthest = other, at, best
    return one, other


@inner
def _assign(
    places: Int32s,
    half: npt.NDArray[np.int8],
    low: int,
    high: int,
    one: int,
    other: int,
    arrays: ScaleArrays,
    weights: Floats,
) -> None:
    """Join each row to the half where it adds less; if equal, to the nearer seed."""
    d = places.shape[1]
    seeds = (one, other)
    least = np.stack((places[one], places[other]))  # the ranges of the halves
    most = least.copy()
    lost = np.zeros((2, d))
    costs, distances = np.zeros(2), np.zeros(2)
    for row in range(low, high):
        if row in (one, other):
            half[row] = row == other
            continue
        mixed = 0  # on a tie, equal rows go the same way
        for j in range(d):
            mixed = (mixed + places[row, j]) * 0x9E3779B1
        for side in range(2):
            costs[side] = 0
            for j in range(d):
                place = places[row, j]
                if least[side, j] <= place <= most[side, j]:
                    costs[side] += lost[side, j]
                else:
                    costs[side] += weights[j] * extent(
                        arrays, j, min(least[side, j], place), max(most[side, j], place)
                    )
        side = 0
        if costs[1] != costs[0]:
            side = int(costs[1] < costs[0])
        else:
            for at in range(2):
                distances[at] = _distance(places, row, seeds[at], arrays, weights)
            if distances[1] != distances[0]:
                side = int(distances[1] < distances[0])
            else:
                side = mixed >> 16 & 1
        half[row] = side
        for j in range(d):
            place = places[row, j]
            if not least[side, j] <= place <= most[side, j]:
                least[side, j] = min(least[side, j], place)
                most[side, j] = max(most[side, j], place)
                lost[side, j] = weights[j] * extent(
                    arrays, j, least[side, j], most[side, j]
                )


@inner
def _fill(
    places: Int32s,
    half: npt.NDArray[np.int8],
    low: int,
    high: int,
    seed: int,
    side: int,
    short: int,
    arrays: ScaleArrays,
    weights: Floats,
) -> None:
    """Move the ``short`` rows of the other half that are nearest to this one's seed."""
    distances = np.empty(high - low)
    for row in range(low, high):
        distances[row - low] = _distance(places, row, seed, arrays, weights)
        if half[row] == side:
            distances[row - low] = np.inf
    for at in np.argsort(distances, kind="mergesort")[:short]:
        half[low + at] = side
