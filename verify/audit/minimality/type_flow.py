"""Which classes have a known composition, by the quasi-identifiers of all people."""

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.verify.audit.fixed_pairs import fixed_pairs
from starmin.verify.audit.minimality.types_in_classes import TypesInClasses
from starmin.verify.beyond import BeyondError

MOST_PAIRS = 3 * 10**7


def composition(known: TypesInClasses) -> tuple[int, Bools]:
    """Return how many people's classes are known, and which classes are known in full.

    The number of rows of each type in each class is a flow; it is fixed where no
    alternating cycle passes through the pair.

    Parameters
    ----------
    known
        Row types and classes.
    """
    pairs = _pairs(known)
    m, n = len(known.types), known.classes.number
    at, number = np.unique(known.of_row * n + known.classes.of_row, return_counts=True)
    wanted = pairs[:, 0] * n + pairs[:, 1]
    place = np.minimum(np.searchsorted(at, wanted), len(at) - 1)
    flow = np.where(at[place] == wanted, number[place], 0)
    fixed = fixed_pairs(pairs, flow, m, n)
    known_in_full = np.bincount(pairs[~fixed, 1], minlength=n) == 0
    lone = np.bincount(pairs[flow > 0, 0], minlength=m) == 1
    of_type = np.bincount(pairs[(flow > 0) & fixed, 0], minlength=m) == 1
    return int(known.sizes[lone & of_type].sum()), known_in_full


def _pairs(known: TypesInClasses) -> Ints:
    """Return all pairs of a type and a class whose box it lies in."""
    found, number = [], 0
    for some, fits in known.fitting(np.arange(len(known.types))):
        t, c = np.nonzero(fits)
        number += len(t)
        if number > MOST_PAIRS:
            raise BeyondError("too many row types lie in too many classes")
        found.append(np.stack([some[t], c], axis=1))
    return np.concatenate(found).astype(np.int64)
