"""The three phases as loops over integer counts (see ``three_phase``)."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.tables.table_loops import by_key

# The arrays of the three phases: QI groups, the residue, rows that move between.
#
# A *cell* is a row type by QI and sensitive value; the cells of QI group ``g`` are
# ``start[g] .. start[g + 1] - 1``. ``bucket[offset[g] + c]`` heads the list of the
# cells of ``g`` with ``c`` rows (Xiao, Yi, Tao, section 5.5), so that moving a row to
# the residue takes constant time and the pillars of a group are one list.

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
    """Put an item at the head of list ``at``; ``bucket`` has the first of each list."""
    head = bucket[at]
    following[item], previous[item] = head, NONE
    if head != NONE:
        previous[head] = item
    bucket[at] = item


@inner
def unlink(bucket: Ints, following: Ints, previous: Ints, at: int, item: int) -> None:
    """Take an item out of list ``at``."""
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


@compiled
def phase_one(
    start: Ints, value: Int32s, count: Ints, values: int, l: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Cap every group at the largest height that makes it l-eligible.

    Taking rows from pillars one at a time ends there, whatever the order: until all
    pillars have lost one, the height stays and the group shrinks. Changes ``count``,
    the rows of each cell; returns sizes, heights, the residue by value, and its size
    and height. O(n). The cells of a group begin at ``start``; ``value`` is by cell.
    """
    groups = len(start) - 1
    size, height = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    residue = np.zeros(values, np.int64)
    longest = 1
    for g in range(groups):
        for cell in range(start[g], start[g + 1]):
            size[g] += count[cell]
            height[g] = max(height[g], count[cell])
        longest = max(longest, height[g])
    exactly = np.zeros(longest + 1, np.int64)  # cells of the group with c rows
    for g in range(groups):
        if size[g] >= l * height[g]:
            continue
        top = height[g]
        for cell in range(start[g], start[g + 1]):
            exactly[count[cell]] += 1
        pillars = 0
        while size[g] < l * height[g]:
            pillars += exactly[height[g]]
            size[g] -= pillars
            height[g] -= 1
        exactly[: top + 1] = 0
        for cell in range(start[g], start[g + 1]):
            surplus = count[cell] - height[g]
            if surplus > 0:
                residue[value[cell]] += surplus
                count[cell] = height[g]
    totals = np.array([residue.sum(), residue.max()])
    return size, height, residue, totals


@compiled
def phase_two(s: Groups, group: Int32s, l: int) -> bool:
    """Move rows that do not raise ``h(R)``, rarest value first; say if that sufficed.

    What is dead stays dead: the residue's pillars only grow in number, so this is O(n).
    """
    values = len(s.residue)
    first, holders = by_key(s.value, values)
    end = first[1:].copy()
    # The candidate list: values that may be alive, by their rows in the residue.
    queue = np.full(s.totals[1] + 2, NONE, np.int64)
    following, previous = np.full(values, NONE), np.full(values, NONE)
    for v in range(values):
        link(queue, following, previous, s.residue[v], v)
    low = 0
    while low <= s.totals[1]:
        v = queue[low]
        if v == NONE:
            low += 1
            continue
        while end[v] > first[v]:
            cell = holders[end[v] - 1]
            if s.rows[cell] > 0 and not dead(s, group[cell], l):
                break
            end[v] -= 1
        if end[v] == first[v]:
            unlink(queue, following, previous, low, v)
            end[v] = NONE  # no longer in the queue
            continue
        g = group[cell]
        fat = s.size[g] > l * s.height[g]
        pillars = s.offset[g] + s.height[g]
        while True:
            if not fat:
                cell = s.bucket[pillars]
            w = s.value[cell]
            if end[w] != NONE:
                unlink(queue, following, previous, s.residue[w], w)
                link(queue, following, previous, s.residue[w] + 1, w)
            move(s, g, cell)
            if fat or s.bucket[pillars] == NONE:
                break
        if eligible(s, l):
            return True
    return False


@compiled
def phase_three(s: Groups, l: int) -> int:
    """Do rounds of set cover until the residue is l-eligible; return how many."""
    rounds = 0
    while not eligible(s, l):
        rounds += 1
        for g in _cover(s):
            move_pillars(s, g)
            if eligible(s, l):
                return rounds
        for g in range(len(s.size)):
            while not dead(s, g, l):
                if s.size[g] > l * s.height[g]:
                    move(s, g, _rarest(s, g))
                else:
                    move_pillars(s, g)
                if eligible(s, l):
                    return rounds
    return rounds


@inner
def _rarest(s: Groups, g: int) -> int:
    """Return the cell of a fat group whose value is least frequent in the residue.

    The residue, not being l-eligible, has fewer than l pillars, and the group at least
    l values: the one chosen is no pillar of the residue.
    """
    best = NONE
    for cell in range(s.start[g], s.start[g + 1]):
        if s.rows[cell] > 0 and (
            best == NONE or s.residue[s.value[cell]] < s.residue[s.value[best]]
        ):
            best = cell
    return best


@inner
def _cover(s: Groups) -> Ints:
    """Choose groups greedily such that each pillar of R is a non-conflicting one."""
    uncovered = s.residue == s.totals[1]
    chosen = [np.int64(0) for _ in range(0)]
    while uncovered.any():
        best, fewest = NONE, len(uncovered) + 1
        for g in range(len(s.size)):
            if s.size[g] == 0:
                continue
            shared = 0
            cell = s.bucket[s.offset[g] + s.height[g]]
            while cell != NONE:
                shared += uncovered[s.value[cell]]
                cell = s.following[cell]
            if shared < fewest:
                best, fewest = g, shared
        still = np.zeros(len(uncovered), np.bool_)
        cell = s.bucket[s.offset[best] + s.height[best]]
        while cell != NONE:
            still[s.value[cell]] = uncovered[s.value[cell]]
            cell = s.following[cell]
        uncovered = still
        chosen.append(np.int64(best))
    return np.array(chosen)


@compiled
def qi_groups(codes: Int32s) -> tuple[Int32s, Ints]:
    """Return the QI group of each cell, sorted by QI, and where each group starts."""
    cells, d = codes.shape
    group, start = np.empty(cells, np.int32), np.empty(cells + 1, np.int64)
    groups = 0
    for cell in range(cells):
        new = cell == 0
        for j in range(d):
            new = new or codes[cell, j] != codes[cell - 1, j]
        if new:
            start[groups] = cell
            groups += 1
        group[cell] = groups - 1
    start[groups] = cells
    return group, start[: groups + 1].copy()


@compiled
def label_rows(cell_of_row: Int32s, group: Int32s, left: Ints, size: Ints) -> Int32s:
    """Number the groups that are left without gaps, and the residue after them.

    The first ``left[cell]`` rows of each cell stay in its group, ``group[cell]``.
    """
    number = np.empty(len(size), np.int32)
    groups = 0
    for g in range(len(size)):
        number[g] = groups
        groups += size[g] > 0
    left = left.copy()
    labels = np.empty(len(cell_of_row), np.int32)
    for row in range(len(cell_of_row)):
        cell = cell_of_row[row]
        labels[row] = number[group[cell]] if left[cell] > 0 else groups
        left[cell] -= 1
    return labels
