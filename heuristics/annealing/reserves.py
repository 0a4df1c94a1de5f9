"""Reserves of sensitive values: how far the rows that are left are from no solution."""

import numpy as np

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import inner


@inner
def reserves(left: Ints, values: Int32s | Ints, l: int) -> Ints:
    """Count for each value how many rows are left beyond l times those that have it."""
    reserve = np.full(values.max() + 1, left.sum())
    for t in range(len(left)):
        reserve[values[t]] -= l * left[t]
    return reserve


@inner
def draw(reserve: Ints, used: Ints, size: int, l: int, least: Floats) -> bool:
    """Take a group out of the reserves, unless one would fall below ``least`` or 0.

    ``used`` has the group's rows of each value, and ``size`` is all of them. What a
    group of l-diverse rows takes is never negative; a reserve below 0 means that rows
    which are left cannot be diverse.
    """
    for v in range(len(reserve)):
        taken = size - l * used[v]
        if taken > 0 and reserve[v] - taken < max(least[v], 0.0):
            return False
    for v in range(len(reserve)):
        reserve[v] -= size - l * used[v]
    return True
