"""Sets of rows in which a fractional point has too many groups: cuts."""

import numpy as np

from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.master.candidate_sets import candidate_sets, groups_inside
from starmin.models.boxes.master.most_groups import most_in_each, needed_beyond
from starmin.models.boxes.walk.box_data import BoxData

_STEPS = 12  # boxes that a set is grown by
_LEAST = 0.02  # groups too many


def find_sets(data: BoxData, bits: Ints, y: Floats, most: int) -> list[Bools]:
    """Find sets with more groups inside than they have rows for, the worst first.

    A set is grown from the types of one box of the point by those of further ones, each
    time by those that raise the excess most, or lower it least.

    Parameters
    ----------
    data
        The problem.
    bits, y
        The boxes of the point, and how many groups are in each.
    most
        So many sets at most.
    """
    m, words = len(data.counts), bits.shape[1]
    excess, sets = np.zeros(len(y)), np.zeros((len(y), words), np.int64)
    needed = np.array(needed_beyond(data, data.least), np.int64)
    grow_sets(data, bits, y, needed, _STEPS, excess, sets)
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
    excess = groups_inside(sets, members, y) - most_in_each(data, sets)
    order = np.argsort(-excess, kind="stable")[:most]
    return [sets[s] for s in order if excess[s] >= _LEAST]


@inner
def is_inside(box: Ints, inside: Ints) -> bool:
    out = 0
    for w in range(len(box)):
        out |= box[w] & ~inside[w]
    return bool(out == 0)


@inner
def room_for(held: Ints, rows: int, share: int, needed: Ints) -> float:
    """Return how many groups fit into a set, as a fraction; its floor is exact.

    ``starmin.models.boxes.master.most_groups`` says why.

    Parameters
    ----------
    held
        By sensitive value the rows that have it. Overwritten where values are asked
        for.
    rows
        All rows.
    share
        Rows of a group, at least.
    needed
        By j, how many of these have none of j values, where values are asked for.
    """
    room = rows / share
    if len(needed) < 2:
        return room
    left = rows
    for j in range(len(needed)):
        room = min(room, left / needed[j])
        most = np.argmax(held)
        left -= held[most]
        held[most] = 0
    return room


@inner
def room_in(b: BoxData, inside: Ints, held: Ints, needed: Ints) -> float:
    """Return how many groups fit into a set of types, as a fraction."""
    rows, by_value = 0, b.values > 1
    if by_value:
        held[:] = 0
    for t in range(len(b.counts)):
        if inside[t >> 6] >> (t & 63) & 1:
            rows += b.counts[t]
            if by_value:
                held[b.value[t]] += b.counts[t]
    return float(room_for(held, rows, b.least, needed))


@inner
def groups_in(bits: Ints, y: Floats, inside: Ints) -> float:
    groups = 0.0
    for box in range(len(y)):
        if is_inside(bits[box], inside):
            groups += y[box]
    return groups


@compiled
def grow_sets(
    b: BoxData,
    bits: Ints,
    y: Floats,
    needed: Ints,
    steps: int,
    excess: Floats,
    sets: Ints,
) -> None:
    """Fill in the best set grown from each box, and its excess.

    Parameters
    ----------
    b
        The problem.
    bits, y
        The boxes of the point, and how many groups are in each.
    needed
        By j, how many of these have none of j values, where values are asked for.
    steps
        Boxes that join at most.
    excess, sets
        By box. Overwritten.
    """
    words = bits.shape[1]
    now, other, next_set = np.zeros(words, np.int64), bits[0].copy(), bits[0].copy()
    held = np.zeros(b.value.max() + 1, np.int64)
    for start in range(len(y)):
        now[:] = bits[start]
        room = room_in(b, now, held, needed)
        sets[start] = now
        excess[start] = groups_in(bits, y, now) - np.floor(room)
        for _ in range(steps):
            best, found = -1.0e9, False
            for box in range(len(y)):
                if is_inside(bits[box], now):
                    continue
                for w in range(words):
                    other[w] = now[w] | bits[box, w]
                room = room_in(b, other, held, needed)
                groups = groups_in(bits, y, other)
                score = groups - np.floor(room) + 0.1 * (groups - room)
                if score > best:
                    best, found = score, True
                    next_set[:] = other
            if not found:
                break
            now[:] = next_set
            room = room_in(b, now, held, needed)
            value = groups_in(bits, y, now) - np.floor(room)
            if value > excess[start]:
                excess[start] = value
                sets[start] = now
