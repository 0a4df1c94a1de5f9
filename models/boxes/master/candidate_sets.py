"""Sets of rows in which the number of groups of a point is looked at."""

import numpy as np

from starmin.instances.arrays import Bools, Floats
from starmin.models.boxes.walk.box_data import BoxData

_MOST_PAIRS = 60  # boxes whose unions are looked at


def candidate_sets(data: BoxData, members: Bools) -> Bools:
    """Return sets of types: half-spaces, values, boxes and unions of two.

    Parameters
    ----------
    data
        The problem.
    members
        The types of each of some boxes.
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
    outside = (~sets).astype(np.float32) @ members.T.astype(np.float32)
    return np.asarray(outside < 0.5)


def groups_inside(sets: Bools, members: Bools, y: Floats) -> Floats:
    """Return how many groups of a point lie in each set."""
    return np.asarray(boxes_inside(sets, members) @ y)
