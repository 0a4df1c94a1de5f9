"""The arrays of the three phases: QI groups, the residue, rows that move between.

A *cell* is a row type by QI and sensitive value; the cells of QI group ``g`` are
``start[g] .. start[g + 1] - 1``. ``bucket[offset[g] + c]`` heads the list of the cells
of ``g`` with ``c`` rows (Xiao, Yi, Tao, section 5.5), so that moving a row to the
residue takes constant time and the pillars of a group are one list.
"""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner

NONE = -1


class Groups(NamedTuple):
    """The QI groups and the residue; all arrays change in place."""

    start: Ints
    value: Int32s  # of each cell
    rows: Ints  # of each cell: those that are left
    size: Ints  # |Q| of each group
    height: Ints  # h(Q) of each group
    offset: Ints
    bucket: Ints
    following: Ints  # list links between cells
    previous: Ints
    residue: Ints  # R(v), rows of each sensitive value in the residue
    totals: Ints  # |R|, h(R)


@compiled
def fill_buckets(
    start: Ints, count: Ints, height: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Build the bucket lists of all groups; linear, with a bucket for each height."""
    groups, cells = len(height), len(count)
    offset = np.zeros(groups, np.int64)
    for g in range(1, groups):
        offset[g] = offset[g - 1] + height[g - 1] + 1
    bucket = np.full(offset[-1] + height[-1] + 1, NONE, np.int64)
    following, previous = np.full(cells, NONE, np.int64), np.full(cells, NONE, np.int64)
    for g in range(groups):
        for cell in range(start[g], start[g + 1]):
            if count[cell] > 0:
                link(bucket, following, previous, offset[g] + count[cell], cell)
    return offset, bucket, following, previous


@inner
def link(bucket: Ints, following: Ints, previous: Ints, at: int, item: int) -> None:
    """Put an item at the head of list ``at``; the arrays are updated.

    ``bucket`` is the first item of each list, ``following`` and ``previous`` are the
    links between items.
    """
    head = bucket[at]
    following[item], previous[item] = head, NONE
    if head != NONE:
        previous[head] = item
    bucket[at] = item


@inner
def unlink(bucket: Ints, following: Ints, previous: Ints, at: int, item: int) -> None:
    """Take an item out of list ``at``; the arrays are updated.

    ``bucket`` is the first item of each list, ``following`` and ``previous`` are the
    links between items.
    """
    before, after = previous[item], following[item]
    if before == NONE:
        bucket[at] = after
    else:
        following[before] = after
    if after != NONE:
        previous[after] = before


@inner
def move(s: Groups, g: int, cell: int) -> None:
    """Move one row of a cell of group ``g`` to the residue."""
    c = s.rows[cell]
    unlink(s.bucket, s.following, s.previous, s.offset[g] + c, cell)
    if c > 1:
        link(s.bucket, s.following, s.previous, s.offset[g] + c - 1, cell)
    s.rows[cell] = c - 1
    s.size[g] -= 1
    if c == s.height[g] and s.bucket[s.offset[g] + c] == NONE:
        s.height[g] = c - 1  # where the moved cell now is
    v = s.value[cell]
    s.residue[v] += 1
    s.totals[0] += 1
    s.totals[1] = max(s.totals[1], s.residue[v])


@inner
def _conflicting(s: Groups, g: int) -> bool:
    """Check whether a pillar of group ``g`` is one of the residue, too."""
    cell = s.bucket[s.offset[g] + s.height[g]]
    while cell != NONE:
        if s.residue[s.value[cell]] == s.totals[1]:
            return True
        cell = s.following[cell]
    return False


@inner
def dead(s: Groups, g: int, l: int) -> bool:
    """Check whether a group is dead: thin and conflicting, or empty."""
    if s.size[g] == 0:
        return True
    return bool(s.size[g] == l * s.height[g] and _conflicting(s, g))


@inner
def eligible(s: Groups, l: int) -> bool:
    """Check whether the residue is l-eligible."""
    return bool(s.totals[0] >= l * s.totals[1])


@inner
def move_pillars(s: Groups, g: int) -> None:
    """Move one row of each pillar of group ``g`` to the residue."""
    pillars = s.offset[g] + s.height[g]
    while s.bucket[pillars] != NONE:
        move(s, g, s.bucket[pillars])
