"""Sets of rows in which the number of groups of a point is looked at."""

import numpy as np

from starmin.instances.arrays import Bools, Bytes, Floats
from starmin.instances.loops.compiled import compiled
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
    inside = np.empty((len(sets), len(members)), np.bool_)
    fill_inside(np.packbits(~sets, axis=1), np.packbits(members, axis=1), inside)
    return inside


@compiled
def fill_inside(outside: Bytes, members: Bytes, inside: Bools) -> None:
    """Mark which boxes have nothing outside of which sets, by bits of types."""
    for s in range(len(outside)):
        for box in range(len(members)):
            inside[s, box] = True
            for w in range(outside.shape[1]):
                if outside[s, w] & members[box, w]:
                    inside[s, box] = False
                    break


def numbers_of(inside: Bools, y: Floats) -> Floats:
    """Return how many groups of a point lie in each set, by the boxes inside.

    A product of matrices would have threads of its own.
    """
    return np.asarray(np.einsum("sb,b->s", inside, y))
