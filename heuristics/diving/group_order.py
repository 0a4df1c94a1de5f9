"""An order of the groups of a release in which those next to each other are alike."""

import numpy as np

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.models.neighbourhoods.neighbourhood import random_order
from starmin.models.patterns.patterns import Patterns


def mean_places(
    codes: Int32s, patterns: Patterns, loads: Ints, rng: np.random.Generator
) -> Floats:
    """Compute the mean place of the rows of each pattern in a random sorted order.

    The rows are sorted by the columns in an order that ``rng`` draws, as it does the
    type that comes first. ``codes`` are QI codes of the types, a row each, and
    ``loads`` the release, as copies by incidence. By pattern; the place of an empty one
    is 0.

    Examples
    --------
    >>> starred = np.array([[False, True], [True, True]])
    >>> members = np.array([0, 1, 0, 1, 2], np.int32)
    >>> from starmin.models.price_unit import PriceUnit
    >>> unit = PriceUnit("table", 1 << 16, 1 << 32)
    >>> sizes, counts = np.array([0, 2, 5]), np.ones(3, int)
    >>> patterns = Patterns(
    ...     starred, np.array([1, 2]), sizes, members, counts, unit
    ... )
    >>> codes = np.array([[0, 0], [0, 1], [1, 0]])
    >>> places = mean_places(
    ...     codes, patterns, np.array([1, 1, 0, 0, 1]), np.random.default_rng(0)
    ... )
    >>> sorted(places.tolist()) in ([0.0, 1.5], [0.5, 2.0], [1.0, 1.0])
    True
    """
    place = np.empty(len(codes))
    place[random_order(codes, rng)] = np.arange(len(codes))
    rows = np.bincount(patterns.pattern, loads, minlength=len(patterns))
    total = np.bincount(
        patterns.pattern, loads * place[patterns.types], minlength=len(patterns)
    )
    return np.asarray(total / np.maximum(rows, 1))
