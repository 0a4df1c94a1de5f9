"""Splits of a node: sets of rows with a fractional number of groups inside."""

import math

import numpy as np

from starmin.instances.arrays import Bools, Floats
from starmin.models.boxes.master.candidate_sets import (
    boxes_inside,
    candidate_sets,
    numbers_of,
)
from starmin.models.boxes.master.joint import TALLY, Joint, Tally, fractional_rows
from starmin.models.boxes.master.master import Point
from starmin.models.boxes.master.relaxation import Counted, Relaxation
from starmin.models.boxes.master.row_sets import PILES
from starmin.models.boxes.walk.group_rule import CAPPED

_SOME = 1e-9  # of a group: what floating point leaves of none
_NEAR = 0.02  # numbers of groups so near to a whole one are not split on


def best_split(
    relaxation: Relaxation, point: Point, tried: int, joint: Joint | None = None
) -> tuple[Counted, int] | None:
    """Return a set, and a number of groups, less and more than are inside.

    Where numbers of groups are whole, numbers of piles are looked at, if groups have
    several; or, with several sensitive columns, numbers of rows in a box. None where
    the numbers are whole for all of them.

    Of the sets whose number is least near to a whole one, up to ``tried`` are tried for
    a few steps of the simplex method (strong branching). Sets are half-spaces, values,
    boxes of the point and unions of two.
    """
    data, pool = relaxation.data, relaxation.pool
    y = relaxation.master.in_boxes(point.x, len(pool))
    support = np.flatnonzero(y > 1e-7)
    members, share = pool.members(support), data.least
    candidates = candidate_sets(data, members)
    sets, numbers = _fractional(candidates, members, y[support], tried)
    if len(sets) == 0 and joint is not None:
        return _split_rows(relaxation, point, joint)
    if len(sets) == 0 and data.kind == CAPPED:
        groups, share = relaxation.master.groups(), PILES
        x = point.x * (groups.sizes[: len(point.x)] // data.share)
        y = relaxation.master.in_boxes(x, len(pool))
        sets, numbers = _fractional(candidates, members, y[support], tried)
    if len(sets) == 0:
        return None
    known = len(relaxation.sets)
    places = relaxation.add_sets([(inside, share) for inside in sets])
    scores = []
    for place, number in zip(places, numbers, strict=True):
        relaxation.check_time()
        low, high = relaxation.least[place], relaxation.most[place]
        below = relaxation.master.try_sides(place, (float(low), math.floor(number)))
        above = relaxation.master.try_sides(place, (math.ceil(number), float(high)))
        gains = [max(each - point.value, 1e-9) for each in (below, above)]
        scores.append(min(gains) * 5 + max(gains))
    if len(relaxation.sets) > known:
        relaxation.drop_sets(len(relaxation.sets) - known)
    best = int(np.argmax(scores))
    return (sets[best], share), math.floor(numbers[best])


def rows_in_boxes(relaxation: Relaxation, x: Floats) -> dict[int, Floats]:
    """Return how many rows of each type a point publishes as each of its boxes."""
    groups, m = relaxation.master.groups(), len(relaxation.data.counts)
    found: dict[int, Floats] = {}
    for g in np.flatnonzero(x > _SOME).tolist():
        own = slice(int(groups.starts[g]), int(groups.starts[g + 1]))
        rows = found.setdefault(int(groups.box[g]), np.zeros(m))
        rows[groups.types[own]] += x[g] * groups.copies[own]
    return found


def _split_rows(
    relaxation: Relaxation, point: Point, joint: Joint
) -> tuple[Counted, int] | None:
    """Return a box with rows of some types, and a number less than these and more."""
    best, far = None, 1e-6
    for box, rows in rows_in_boxes(relaxation, point.x).items():
        (members,) = relaxation.pool.members(np.array([box]))
        distance, counted, number = fractional_rows(joint, members, rows)
        if distance > far:
            far = distance
            best = (members, TALLY, Tally.rows(counted)), math.floor(number)
    return best


def _fractional(
    sets: Bools, members: Bools, y: Floats, most: int
) -> tuple[Bools, Floats]:
    """Select the sets whose numbers of groups are least near to whole ones."""
    inside = boxes_inside(sets, members)
    numbers = numbers_of(inside, y)
    far = np.abs(numbers - np.rint(numbers))
    order = np.argsort(-far, kind="stable")
    order = (
        order[far[order] > _NEAR] if (far > _NEAR).any() else order[far[order] > 1e-6]
    )
    chosen: list[int] = []
    seen: set[bytes] = set()
    for s in order:
        key = inside[s].tobytes()
        if key not in seen and len(chosen) < most:
            seen.add(key)
            chosen.append(int(s))
    return sets[chosen], np.asarray(numbers[chosen])
