"""Splits of a node: sets of rows with a fractional number of groups inside."""

import math

import numpy as np

from models.boxes.box_data import Bools, BoxData
from models.boxes.master import Point
from models.boxes.relaxation import Relaxation
from models.solvers.program import Floats

_NEAR = 0.02  # numbers of groups so near to a whole one are not split on
_TRIED = 12
_MOST_PAIRS = 60  # boxes whose unions are looked at


def best_split(relaxation: Relaxation, point: Point) -> tuple[Bools, int] | None:
    """Return a set of types and a number of groups, less and more than are inside.

    Of the sets whose number is least near to a whole one, each is tried for a few steps
    of the simplex method (strong branching). Sets are half-spaces, values, boxes of the
    point and unions of two.

    Returns
    -------
    None where the numbers are whole for all of them.
    """
    data, pool = relaxation.data, relaxation.pool
    y = relaxation.master.in_boxes(point.x, len(pool))
    support = np.flatnonzero(y > 1e-7)
    members = pool.members(support)
    sets, numbers = _fractional(_candidates(data, members), members, y[support])
    if len(sets) == 0:
        return None
    known = len(relaxation.sets)
    places = relaxation.add_sets([(inside, data.least) for inside in sets])
    scores = []
    for place, number in zip(places, numbers, strict=True):
        low, high = relaxation.least[place], relaxation.most[place]
        below = relaxation.master.try_sides(place, (float(low), math.floor(number)))
        above = relaxation.master.try_sides(place, (math.ceil(number), float(high)))
        gains = [max(each - point.value, 1e-9) for each in (below, above)]
        scores.append(min(gains) * 5 + max(gains))
    if len(relaxation.sets) > known:
        relaxation.drop_sets(len(relaxation.sets) - known)
    best = int(np.argmax(scores))
    return sets[best], math.floor(numbers[best])


def _candidates(data: BoxData, members: Bools) -> Bools:
    """Return sets of types, one in each line."""
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
    return np.unique(np.concatenate(found), axis=0)


def _fractional(sets: Bools, members: Bools, y: Floats) -> tuple[Bools, Floats]:
    """Select the sets whose numbers of groups are least near to whole ones."""
    outside = (~sets).astype(np.float32) @ members.T.astype(np.float32)
    numbers = (outside < 0.5) @ y
    far = np.abs(numbers - np.rint(numbers))
    order = np.argsort(-far, kind="stable")
    order = (
        order[far[order] > _NEAR] if (far > _NEAR).any() else order[far[order] > 1e-6]
    )
    chosen: list[int] = []
    seen: set[bytes] = set()
    for s in order:
        key = (outside[s] < 0.5).tobytes()  # the same groups inside
        if key not in seen and len(chosen) < _TRIED:
            seen.add(key)
            chosen.append(int(s))
    return sets[chosen], np.asarray(numbers[chosen])
