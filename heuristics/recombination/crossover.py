"""Partition crossover: the regions of another release that cost less."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from starmin.instances.arrays import Int32s, Ints
from starmin.models.patterns.patterns import Patterns


def crossover(patterns: Patterns, best: Ints, other: Ints, k: int, l: int = 1) -> Ints:
    """Take from another release each region that costs no more there.

    The rows that two releases publish differently, and the patterns that gain or lose
    them, fall apart into regions that share neither a row type nor a pattern. Each can
    be taken from either release without regard to the others, as the patterns of a
    region have all their rows from the same release. For k-anonymity a pattern with k
    copies that both releases have is a group in any case, and joins no regions.

    Parameters
    ----------
    patterns
        The patterns.
    best, other
        Copies by incidence of ``patterns``: releases.
    k, l
        The requirement; 1 where there is none.

    Returns
    -------
    Copies by incidence: a release that costs no more than either.

    References
    ----------
    Tinos, Whitley and Ochoa (2020), A new generalized partition crossover for the
    traveling salesman problem: tunneling between local optima.

    Examples
    --------
    >>> from starmin.instances import STARS, Table
    >>> from starmin.models.patterns.closed_listing import closed_patterns
    >>> rows = [["a", "x"], ["a", "x"], ["a", "y"], ["b", "y"]]
    >>> table = Table.from_rows(["1", "2"], rows, qi=["1", "2"])
    >>> patterns = closed_patterns(table, table.row_types, STARS, 2)
    >>> all_starred = np.where(patterns.cost[patterns.pattern] == 2, 1, 0)
    >>> all_starred *= patterns.counts[patterns.types]
    >>> pair = patterns.starred.sum(axis=1)[patterns.pattern] == 0
    >>> both = np.where(patterns.counts[patterns.types] == 2, 2 * pair, all_starred)
    >>> merged = crossover(patterns, all_starred, both, 2)
    >>> int(merged @ patterns.cost[patterns.pattern])
    4
    """
    changed = np.flatnonzero(best != other)
    if len(changed) == 0:
        return best
    region = _regions(patterns, best, other, changed, k if l == 1 else np.inf)
    cost = patterns.cost[patterns.pattern[changed]]
    rise = np.zeros(int(region.max()) + 1, np.int64)
    np.add.at(rise, region, cost * (other[changed] - best[changed]))
    taken = changed[rise[region] <= 0]
    merged = best.copy()
    merged[taken] = other[taken]
    return merged


def _regions(
    patterns: Patterns, best: Ints, other: Ints, changed: Ints, enough: float
) -> Int32s:
    """Number the regions of the incidences that differ.

    Parameters
    ----------
    patterns, best, other
        As in ``crossover``.
    changed
        Incidences that differ.
    enough
        Copies that both releases have in a pattern which joins no regions.
    """
    common = np.bincount(
        patterns.pattern, np.minimum(best, other), minlength=len(patterns)
    )
    pattern, type_ = patterns.pattern[changed], patterns.types[changed]
    joins = common[pattern] < enough
    m = len(patterns.counts)
    ends = type_[joins], m + pattern[joins]
    size = m + len(patterns)
    graph = sparse.coo_array((np.ones(len(ends[0]), np.int8), ends), (size, size))
    _, component = connected_components(graph, directed=False)
    _, region = np.unique(component[type_], return_inverse=True)
    return region.astype(np.int32)
