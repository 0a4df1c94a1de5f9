"""Sets of rows in which a fractional point has too many groups: cuts."""

import numpy as np

from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.master.candidate_sets import candidate_sets, groups_inside
from starmin.models.boxes.walk.box_data import BoxData

_STEPS = 12  # boxes that a set is grown by
_LEAST = 0.02  # groups too many


def find_sets(
    bits: Ints, y: Floats, counts: Ints, share: int, most: int
) -> list[Bools]:
    """Find sets with more groups inside than they have rows for, the worst first.

    A set is grown from the types of one box of the point by those of further ones, each
    time by those that raise the excess most, or lower it least.

    Parameters
    ----------
    bits, y
        The boxes of the point, and how many groups are in each.
    counts
        Of the types.
    share
        Rows of a group: a set of S rows has S div ``share`` groups.
    most
        So many sets at most.
    """
    m, words = len(counts), bits.shape[1]
    excess, sets = np.zeros(len(y)), np.zeros((len(y), words), np.int64)
    grow_sets(bits, y, counts, share, _STEPS, excess, sets)
    at = np.arange(m)
    chosen: list[Bools] = []
    used: set[bytes] = set()
    for i in np.argsort(-excess, kind="stable"):
        if excess[i] < _LEAST or len(chosen) == most:
            break
        inside = np.asarray(sets[i, at >> 6] >> (at & 63) & 1, bool)
        if inside.tobytes() not in used:
            used.add(inside.tobytes())
            chosen.append(inside)
    return chosen


def full_sets(data: BoxData, members: Bools, y: Floats, most: int) -> list[Bools]:
    """Find candidate sets with more groups inside than they have rows for.

    Parameters
    ----------
    data
        The problem.
    members, y
        The types of the boxes of the point, and how many groups are in each.
    most
        So many sets at most.
    """
    sets = candidate_sets(data, members)
    excess = groups_inside(sets, members, y) - sets @ data.counts // data.least
    order = np.argsort(-excess, kind="stable")[:most]
    return [sets[s] for s in order if excess[s] >= _LEAST]


@inner
def is_inside(box: Ints, inside: Ints) -> bool:
    out = 0
    for w in range(len(box)):
        out |= box[w] & ~inside[w]
    return bool(out == 0)


@inner
def rows_in(inside: Ints, counts: Ints) -> int:
    rows = 0
    for t in range(len(counts)):
        if inside[t >> 6] >> (t & 63) & 1:
            rows += counts[t]
    return int(rows)


@inner
def groups_in(bits: Ints, y: Floats, inside: Ints) -> float:
    groups = 0.0
    for box in range(len(y)):
        if is_inside(bits[box], inside):
            groups += y[box]
    return groups


@compiled
def grow_sets(
    bits: Ints,
    y: Floats,
    counts: Ints,
    share: int,
    steps: int,
    excess: Floats,
    sets: Ints,
) -> None:
    """Fill in the best set grown from each box, and its excess.

    Parameters
    ----------
    bits, y, counts, share
        As for ``find_sets``.
    steps
        Boxes that join at most.
    excess, sets
        By box. Overwritten.
    """
    words = bits.shape[1]
    now, other, next_set = np.zeros(words, np.int64), bits[0].copy(), bits[0].copy()
    for start in range(len(y)):
        now[:] = bits[start]
        rows = rows_in(now, counts)
        sets[start] = now
        excess[start] = groups_in(bits, y, now) - rows // share
        for _ in range(steps):
            best, found = -1.0e9, False
            for box in range(len(y)):
                if is_inside(bits[box], now):
                    continue
                for w in range(words):
                    other[w] = now[w] | bits[box, w]
                rows = rows_in(other, counts)
                groups = groups_in(bits, y, other)
                score = groups - rows // share + 0.1 * (groups - rows / share)
                if score > best:
                    best, found = score, True
                    next_set[:] = other
            if not found:
                break
            now[:] = next_set
            rows = rows_in(now, counts)
            value = groups_in(bits, y, now) - rows // share
            if value > excess[start]:
                excess[start] = value
                sets[start] = now
