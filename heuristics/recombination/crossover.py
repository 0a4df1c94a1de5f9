"""Partition crossover: the regions of another release that cost less."""

import numpy as np

from starmin.heuristics.recombination.regions import take_regions
from starmin.instances.arrays import Ints
from starmin.models.patterns.patterns import Patterns

NEVER = 1 << 62  # copies in a pattern


def crossover(patterns: Patterns, best: Ints, other: Ints, k: int, l: int = 1) -> Ints:
    """Take from another release each region that costs no more there.

    The rows that two releases publish differently, and the patterns that gain or lose
    them, fall apart into regions that share neither a distinct row nor a pattern. Each
    can be taken from either release without regard to the others, as the patterns of a
    region have all their rows from the same release. For k-anonymity a pattern with k
    copies that both releases have is a group in any case, and joins no regions.

    Parameters
    ----------
    patterns
        The patterns.
    best, other
        Copies by pair of ``patterns``: releases.
    k, l
        The requirement; 1 where there is none.

    Returns
    -------
    Copies by pair: a release that costs no more than either.

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
    if (best == other).all():
        return best
    m = len(patterns.counts)
    merged = best.copy()
    take_regions(
        *(patterns.starts, patterns.types, patterns.cost, best, other),
        *(k if l == 1 else NEVER, np.arange(m), np.zeros(m, np.int64), merged),
    )
    return merged
