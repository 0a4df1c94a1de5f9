"""Compiled loops over the scales of quasi-identifiers.

Imported when first called for: numba takes half a second to load.
"""

import numpy as np

from starmin.instances.arrays import Int32s, IntArray
from starmin.instances.loops.compiled import compiled, inlined
from starmin.instances.scales.scale import FLAT, NUMERIC, ScaleArrays


@inlined
def extent(arrays: ScaleArrays, j: int, low: int, high: int) -> int:
    """Return what a group loses in column ``j``, in whole numbers.

    For one value that is 0, but for what a floor stands for. ``low`` and ``high`` are
    the least and the greatest position of the group in this column.

    Examples
    --------
    >>> from starmin.instances.scales.scales import Scales
    >>> from starmin.instances.tables.table import Table
    >>> table = Table.from_rows(["a"], [["3"], ["5"], ["9"]], qi=["a"])
    >>> extent(Scales.of(table, ["a"]).arrays, 0, 1, 2)
    2
    """
    if arrays.kind[j] == FLAT:
        return int(low != high)
    at = arrays.start[j]
    if low == high:
        single: int = arrays.single[at + low]
        return single
    if arrays.kind[j] == NUMERIC:
        if arrays.parent[at + 1 + low] < high:
            whole: int = arrays.amount[at]
            return whole
        length = arrays.amount[at + 1 + high] - arrays.last[at + 1 + low]
        published: int = max(length, arrays.last[at])
        return published
    node = arrays.parent[at + low]
    while arrays.last[at + node] < high:
        node = arrays.parent[at + node]
    lost: int = arrays.amount[at + node]
    return lost


@compiled
def group_ranges(places: Int32s, groups: IntArray, low: Int32s, high: Int32s) -> None:
    """Fill in the least and the greatest place of each group.

    ``places`` and ``groups`` are for each row its position in the column, and its
    group; ``low`` and ``high``, by group, are overwritten.
    """
    low[:] = np.iinfo(np.int32).max
    high[:] = -1
    for i in range(len(places)):
        group, place = groups[i], places[i]
        if place < low[group]:
            low[group] = place
        if place > high[group]:
            high[group] = place
