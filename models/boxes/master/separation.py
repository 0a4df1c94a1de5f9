"""Sets of rows in which a fractional point has too many groups: cuts."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Bytes, Floats, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.master.side_constraints import most_in_each, needed_beyond
from starmin.models.boxes.walk.box_data import BoxData

# Sets of rows in which the number of groups of a point is looked at.

_MOST_PAIRS = 60  # boxes whose unions are looked at


def candidate_sets(data: BoxData, members: Bools) -> Bools:
    """Return sets of types: half-spaces, values, boxes and unions of two.

    ``members`` has the types of each of some boxes; the sets are rows by type, too, and
    no two of them are equal.
    """
    found = [np.ones((1, members.shape[1]), bool), members]
    for j, places in enumerate(data.place):
        if data.line[j]:
            for place in np.unique(places)[:-1]:
                found += [(places <= place)[np.newaxis], (places > place)[np.newaxis]]
            continue
        for node in range(data.loss.shape[1]):
            below = (data.first[j, node] <= places) & (places <= data.last[j, node])
            if below.any() and not below.all():
                found += [below[np.newaxis], ~below[np.newaxis]]
    if len(members) <= _MOST_PAIRS:
        one, other = np.triu_indices(len(members), 1)
        found.append(members[one] | members[other])
    sets = np.concatenate(found)
    _, first = np.unique(np.packbits(sets, axis=1), axis=0, return_index=True)
    return np.asarray(sets[first], bool)


def boxes_inside(sets: Bools, members: Bools) -> Bools:
    """Return which boxes lie in which sets, by the types of both.

    Examples
    --------
    >>> boxes_inside(np.array([[True, True, False]]), np.eye(3, dtype=bool)).tolist()
    [[True, True, False]]
    """
    outside, bits = np.packbits(~sets, axis=1), np.packbits(members, axis=1)
    inside: Bools = has_nothing_outside(outside, bits)
    return inside


@compiled
def has_nothing_outside(outside: Bytes, members: Bytes) -> Bools:
    """Return which boxes have nothing outside of which sets, by bits of types."""
    inside = np.ones((len(outside), len(members)), np.bool_)
    for s in range(len(outside)):
        for box in range(len(members)):
            for w in range(outside.shape[1]):
                if outside[s, w] & members[box, w]:
                    inside[s, box] = False
                    break
    return inside


def numbers_of(inside: Bools, y: Floats) -> Floats:
    """Return how many groups of a point lie in each set, by the boxes inside.

    A product of matrices would have threads of its own.
    """
    return np.asarray(np.einsum("sb,b->s", inside, y))


_STEPS = 12  # boxes that a set is grown by
_LEAST = 0.02  # groups too many
_WORK = 100_000_000  # words of boxes compared between two looks at the clock


def find_sets(
    data: BoxData,
    bits: Ints,
    y: Floats,
    most: int,
    check_time: Callable[[], None] = lambda: None,
) -> list[Bools]:
    """Find sets with more groups inside than they have rows for, the worst first.

    A set is grown from the types of one box of the point by those of further ones, each
    time by those that raise the excess most, or lower it least. ``bits`` are the boxes
    of the point, and ``y`` is how many groups are in each; at most ``most`` sets are
    returned. ``check_time`` is called now and then.
    """
    m, words = len(data.counts), bits.shape[1]
    excess, sets = np.zeros(len(y)), np.zeros((len(y), words), np.int64)
    needed = np.array(needed_beyond(data, data.least), np.int64)
    at_once = 1 + _WORK // (1 + len(y) * words)
    parts = []
    for first in range(0, len(y), at_once):
        check_time()
        parts.append(overlaps(bits, first, min(first + at_once, len(y))))
    shared = np.concatenate([size for size, _ in parts] or [excess[:0]])
    starts = np.append(0, np.cumsum(shared)).astype(np.int64)
    listed = np.concatenate([boxes for _, boxes in parts] or [starts[:0]])
    point, done = PointBoxes(bits, y, starts, listed), 0
    while done < len(y):
        check_time()
        done = grow_sets(data, point, needed, _STEPS, done, _WORK, excess, sets)
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

    ``members`` are the types of the boxes of the point, and ``y`` is how many groups
    are in each; the worst sets come first, at most ``most`` of them.
    """
    sets = candidate_sets(data, members)
    excess = numbers_of(boxes_inside(sets, members), y) - most_in_each(data, sets)
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

    ``starmin.models.boxes.master.side_constraints`` says why. ``held`` counts by
    sensitive value the rows that have it, and is overwritten where values are asked
    for; ``rows`` counts all. A group has at least ``share`` rows, and where values are
    asked for at least ``needed[j]`` of them have none of j values.
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
def rows_beyond(b: BoxData, box: Ints, inside: Ints, held: Ints) -> int:
    """Return how many rows a box has outside of a set; note their sensitive values."""
    rows, by_value = 0, b.values > 1
    for w in range(len(box)):
        left = box[w] & ~inside[w]
        if left == 0:
            continue
        for t in range(64 * w, min(64 * w + 64, len(b.counts))):
            if left >> (t & 63) & 1:
                rows += b.counts[t]
                if by_value:
                    held[b.value[t]] += b.counts[t]
    return rows


@inner
def groups_among(
    bits: Ints, y: Floats, inside: Ints, near: Ints, beside: Bools, more: Ints
) -> float:
    """Return the groups in a set: of the boxes near to one part of it, or to another.

    ``bits`` are the boxes of the point, and ``y`` is how many groups are in each.
    ``near`` lists and ``beside`` marks the boxes that have a type of one part of the
    set ``inside``; ``more`` lists those that have a type of the other one.
    """
    groups = 0.0
    for box in near:
        if is_inside(bits[box], inside):
            groups += y[box]
    for box in more:
        if not beside[box] and is_inside(bits[box], inside):
            groups += y[box]
    return groups


@compiled
def overlaps(bits: Ints, first: int, end: int) -> tuple[Ints, Ints]:
    """List those that some boxes share a type with: how many of each, and all."""
    many, size = np.zeros(end - first, np.int64), 0
    listed = np.zeros(16 * (end - first) + 16, np.int64)
    for one in range(first, end):
        for other in range(len(bits)):
            shared = False
            for w in range(bits.shape[1]):
                if bits[one, w] & bits[other, w]:
                    shared = True
                    break
            if shared:
                if size == len(listed):
                    longer = np.zeros(2 * size, np.int64)
                    longer[:size] = listed
                    listed = longer
                listed[size] = other
                many[one - first] += 1
                size += 1
    return many, listed[:size]


class PointBoxes(NamedTuple):
    """The boxes of a fractional point."""

    bits: Ints  # bits, y: their types, and how many groups are in each
    y: Floats
    starts: Ints  # starts, listed: by box: those that it shares a type with
    listed: Ints


@compiled
def grow_sets(
    b: BoxData,
    point: PointBoxes,
    needed: Ints,
    steps: int,
    done: int,
    work: int,
    excess: Floats,
    sets: Ints,
) -> int:
    """Fill in the best set grown from each box, and its excess.

    A box joins that shares a type with the set: of two sets without a common box the
    excess is no more than the sum of theirs, but for what both round off. At most
    ``steps`` boxes join. ``needed`` is as for ``room_for``.

    Sets are grown from the first ``done`` boxes already; this pauses when some ``work``
    words are compared, and returns from how many boxes sets are grown by now.
    ``excess`` and ``sets``, by box, are overwritten.
    """
    bits, y, starts, listed = point
    words = bits.shape[1]
    now, other, next_set = np.zeros(words, np.int64), bits[0].copy(), bits[0].copy()
    held = np.zeros(b.value.max() + 1 if b.values > 1 else 1, np.int64)
    trial = held.copy()
    near, beside = np.zeros(len(y), np.int64), np.zeros(len(y), np.bool_)
    nothing = listed[:0]
    for start in range(done, len(y)):
        if work <= 0:
            return start
        now[:] = 0
        held[:] = 0
        rows = rows_beyond(b, bits[start], now, held)
        now[:] = bits[start]
        beside[:] = False
        size = 0
        trial[:] = held
        room = room_for(trial, rows, b.least, needed)
        for box in listed[starts[start] : starts[start + 1]]:
            beside[box], near[size] = True, box
            size += 1
        groups = groups_among(bits, y, now, near[:size], beside, nothing)
        sets[start] = now
        excess[start] = groups - np.floor(room)
        for _ in range(steps):
            best, joined = -1.0e9, -1
            for box in near[:size]:
                if is_inside(bits[box], now):
                    continue
                for w in range(words):
                    other[w] = now[w] | bits[box, w]
                trial[:] = held
                larger = rows + rows_beyond(b, bits[box], now, trial)
                room = room_for(trial, larger, b.least, needed)
                more = listed[starts[box] : starts[box + 1]]
                work -= words * (1 + size + len(more))
                groups = groups_among(bits, y, other, near[:size], beside, more)
                score = groups - np.floor(room) + 0.1 * (groups - room)
                if score > best:
                    best, joined = score, box
                    next_set[:] = other
            if joined < 0:
                break
            rows += rows_beyond(b, bits[joined], now, held)
            now[:] = next_set
            for box in listed[starts[joined] : starts[joined + 1]]:
                if not beside[box]:
                    beside[box], near[size] = True, box
                    size += 1
            trial[:] = held
            room = room_for(trial, rows, b.least, needed)
            groups = groups_among(bits, y, now, near[:size], beside, nothing)
            if groups - np.floor(room) > excess[start]:
                excess[start] = groups - np.floor(room)
                sets[start] = now
    return len(y)
