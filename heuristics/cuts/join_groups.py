"""Small groups along an order, joined until they are large enough."""

import numpy as np

from starmin.instances.arrays import Int32s
from starmin.instances.loops.compiled import compiled


@compiled
def join_groups(groups: Int32s, k: int) -> Int32s:
    """Join groups that follow each other in number until they have k rows.

    Parameters
    ----------
    groups
        The group of each row: 0, 1, .. without gaps.
    k
        The least size of a group. What is left at the end joins the last group.

    Examples
    --------
    >>> join_groups(np.array([0, 1, 0, 2, 1, 3, 2], np.int32), 3).tolist()
    [0, 0, 0, 1, 0, 1, 1]
    """
    sizes = np.bincount(groups)
    label = np.empty(len(sizes), np.int32)
    at, size = 0, 0
    for group in range(len(sizes)):
        label[group] = at
        size += sizes[group]
        if size >= k:
            at, size = at + 1, 0
    if size > 0 and at > 0:  # too few are left for a group
        label[label == at] = at - 1
    return label[groups]
