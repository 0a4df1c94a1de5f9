"""Scan all row types for those near to one: rough costs first, in wide strides: loops.

Most types are far from the one at hand. What a row pays with each of a block of types
is added up in single precision, column by column, which processors do for eight of them
at once. It is never more than what they pay, but for a share of a
row that is far below ``SLACK``.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances import Scales
from starmin.instances.arrays import Bools, Float32s, Int32s, Ints
from starmin.instances.loops.compiled import inner
from starmin.instances.scales.scale import Layout

BLOCK = 512  # types at a time
SLACK = 1e-5  # of what a row loses that loses all: rounding of single precision
FREQUENT = 256  # positions that more than one in so many types have are classes
_MOST_CLASSES = 4_096  # in a column whose classes are looked up


class Scan(NamedTuple):
    """What row types are in each column, for rough costs."""

    # of each column the class of each type: single positions; where these are many, the
    # frequent ones, and of the others all leaves below the same node
    classes: npt.NDArray[np.uint16]
    # of each column where the values of the types lie on a line, as a share of what a
    # row loses that loses all. What a type pays with another is no less than their
    # distance.
    places: Float32s
    is_line: Bools  # whether a column has places; the others have classes
    # whether the classes of a column are not single positions. A type that has the same
    # rare position there pays less than its class does.
    is_mixed: Bools
    # examples, starts: a position of each class, and where the classes of each column
    # begin
    examples: Int32s
    starts: Ints
    # paid, rough: of each class what the type at hand pays with a type of it, and as a
    # share of ``whole``
    paid: Ints
    rough: Float32s
    of: npt.NDArray[np.uint16]  # the classes by type
    whole: float  # what a row loses that loses all
    sums: Float32s  # room for a block


def scan_of(
    scales: Scales, rows: Int32s, columns: Ints, units: Ints, whole: int
) -> Scan:
    """Return what a scan needs to know of types.

    ``rows`` are the positions of the types, in the order of ``columns``: those in which
    types pay most first. ``units`` are by column, below 0 where one is to be kept;
    ``whole`` is what a row loses that loses all.
    """
    m, d = rows.shape
    classes, places = np.zeros((d, m), np.uint16), np.zeros((d, m), np.float32)
    is_line, is_mixed = np.zeros((2, d), bool)
    examples = list[Int32s]()
    for j, column in enumerate(columns):
        layout, own = scales.scales[column].layout, rows[:, j]
        if layout.is_line and units[j] >= 0:
            is_line[j] = True
            places[j] = _places(layout, int(units[j]), whole)[own]
            examples.append(np.empty(0, np.int32))
            continue
        of, is_mixed[j] = _class_of(layout, own)
        _, first, number = np.unique(of, return_index=True, return_inverse=True)
        if len(first) > _MOST_CLASSES:  # rough costs are 0 there
            is_line[j], is_mixed[j] = True, False
            examples.append(np.empty(0, np.int32))
            continue
        classes[j] = number
        examples.append(own[first].astype(np.int32))
    starts = np.cumsum([0, *map(len, examples)])
    return Scan(
        classes=classes,
        places=places,
        is_line=is_line,
        is_mixed=is_mixed,
        examples=np.concatenate(examples),
        starts=starts,
        paid=np.zeros(starts[-1], np.int64),
        rough=np.zeros(starts[-1], np.float32),
        of=np.ascontiguousarray(classes.T),
        whole=float(whole),
        sums=np.zeros(BLOCK, np.float32),
    )


def _class_of(layout: Layout, own: Int32s) -> tuple[Int32s, bool]:
    """Return a number of the class of each type, and whether classes are mixed."""
    counts = np.bincount(own)
    if np.count_nonzero(counts) <= FREQUENT:
        return own, False
    above = layout.parents[own].astype(np.int32)
    frequent = counts[own] * FREQUENT >= len(own)
    return np.where(frequent, own + above.max() + 1, above), True


def _places(layout: Layout, unit: int, whole: int) -> npt.NDArray[np.floating]:
    """Return where ranges begin; all in one place where that says nothing of them."""
    lower = layout.lower
    if lower.max() - lower.min() > layout.losses[-1]:
        return np.zeros(len(lower))
    shares = [unit * begin / whole for begin in (lower - lower.min()).tolist()]
    return np.array(shares)


@inner
def add_up(s: Scan, r: int, begin: int, size: int) -> None:
    """Add up what a type pays at least with each of a block."""
    sums, rough = s.sums, s.rough
    for i in range(size):
        sums[i] = np.float32(0)
    for j in range(len(s.is_line)):
        if s.is_line[j]:
            places = s.places[j]
            here = places[r]
            for i in range(size):
                sums[i] += abs(places[begin + i] - here)
        else:
            of, paid = s.classes[j], rough[s.starts[j] :]
            for i in range(size):
                sums[i] += paid[of[begin + i]]
