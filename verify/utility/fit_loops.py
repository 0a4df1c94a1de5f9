"""Compiled loops: which boxes a cell is in, and what they tell of it."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled


@compiled
def boxes_at(low: Int32s, high: Int32s, size: int) -> tuple[Ints, Int32s]:
    """List for each position of a column the boxes over it, with their starts."""
    begins = np.zeros(size + 1, np.int64)
    for box in range(len(low)):
        for place in range(low[box], high[box] + 1):
            begins[place + 1] += 1
    for place in range(size):
        begins[place + 1] += begins[place]
    boxes = np.empty(begins[-1], np.int32)
    at = begins[:-1].copy()
    for box in range(len(low)):
        for place in range(low[box], high[box] + 1):
            boxes[at[place]] = box
            at[place] += 1
    return begins, boxes


class BoxIndex(NamedTuple):
    """Which boxes are over the positions of a column."""

    # column, shift: the column, whose positions are shifted by so many bits
    column: int
    shift: int
    begins: Ints  # begins, boxes: of ``boxes_at``
    boxes: Int32s


class WeighedBoxes(NamedTuple):
    """Boxes of some columns of a ``Spread``."""

    low: Int32s  # low, high: the ends of each box in these columns
    high: Int32s
    weights: Floats  # what each box gives a cell in it
    group: Ints  # group, starts, values, shares: of the ``Spread``
    starts: Ints
    values: Ints
    shares: Floats


@compiled
def told_at(
    places: Int32s, sensitive: Int32s, index: BoxIndex, weighed: WeighedBoxes
) -> Floats:
    """Return what a release tells of cells, given by positions and sensitive codes."""
    narrow, shift, begins, boxes = index
    low, high, weights, group, starts, values, shares = weighed
    told = np.zeros(len(places))
    d = places.shape[1]
    for cell in range(len(places)):
        place = places[cell, narrow] >> shift
        for at in range(begins[place], begins[place + 1]):
            box = boxes[at]
            inside = True
            for j in range(d):
                if places[cell, j] < low[box, j] or places[cell, j] > high[box, j]:
                    inside = False
                    break
            if not inside:
                continue
            for entry in range(starts[group[box]], starts[group[box] + 1]):
                if values[entry] == sensitive[cell]:
                    told[cell] += weights[box] * shares[entry]
                    break
    return told
