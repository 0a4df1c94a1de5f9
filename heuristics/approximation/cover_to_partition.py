"""The Reduce step: a cover of the rows by overlapping sets becomes a partition."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from starmin.instances import Partition, RowTypes
from starmin.instances.arrays import Ints


def cover_to_partition(
    types: RowTypes, cover: Sequence[dict[int, int]], k: int
) -> Partition:
    """Drop rows from larger sets and merges smaller ones until none overlap.

    While two sets share a row: it is dropped from one with more than k rows; if both
    have k rows they are merged, into at most 2k - 1. The sum over the sets of what a
    row pays in each never grows: two sets with a row in common have no starred column
    together that neither has alone.

    Rows of one type are interchangeable: a set is given as distinct rows with copies,
    and two sets share a row where the sets together want more copies than there are.

    Parameters
    ----------
    types
        The distinct rows of a table.
    cover
        Sets of k rows or more, of each type at most as many as there are; together
        they want every row.
    k
        The least size of a group.

    Notes
    -----
    O(k) for each copy of a type in a set.

    Examples
    --------
    >>> from starmin.instances import Table
    >>> rows = [["a"], ["b"], ["b"], ["c"], ["d"]]
    >>> types = Table.from_rows(["q"], rows, qi=["q"]).row_types
    >>> cover = [{0: 1, 1: 1}, {1: 1, 2: 1}, {2: 1, 3: 1}]
    >>> cover_to_partition(types, cover, 2).groups.tolist()
    [0, 0, 1, 1, 1]
    """
    sets = [dict(chosen) for chosen in cover]
    sizes = [sum(chosen.values()) for chosen in sets]
    excess = -types.counts
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for number, chosen in enumerate(sets):
        for node, copies in chosen.items():
            excess[node] += copies
            holders[node].append(number)

    def drop(number: int, node: int) -> None:
        """Drop what must and may be dropped of a type."""
        fewer = min(sets[number][node], sizes[number] - k, int(excess[node]))
        sets[number][node] -= fewer
        sizes[number] -= fewer
        excess[node] -= fewer

    def merge(number: int, other: int, node: int) -> None:
        """Move the second set into the first; they share a row of the type."""
        merged = sets[number]
        for each, copies in sets[other].items():
            if each not in merged:
                merged[each] = 0
                holders[each].append(number)
            together = merged[each] + copies - (each == node)
            kept = min(together, int(types.counts[each]))
            excess[each] -= merged[each] + copies - kept
            merged[each] = kept
        sets[other] = {}
        sizes[number], sizes[other] = sum(merged.values()), 0

    for node in np.flatnonzero(excess > 0).tolist():
        held = [number for number in holders[node] if sets[number].get(node)]
        for number in held:
            drop(number, node)
        held = [number for number in held if sets[number][node]]
        while excess[node] > 0:
            other, number = held.pop(), held[-1]
            merge(number, other, node)
            drop(number, node)
            if not sets[number][node]:
                held.pop()
    return _partition(types, sets)


def _partition(types: RowTypes, sets: Sequence[dict[int, int]]) -> Partition:
    """Make a partition of sets that do not overlap."""
    loads: Ints = np.array(
        [
            (number, node, copies)
            for number, chosen in enumerate(sets)
            for node, copies in chosen.items()
            if copies
        ],
        np.int64,
    )
    return Partition.from_loads(types, *loads.T)
