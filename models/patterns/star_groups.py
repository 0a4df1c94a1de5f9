"""Row types that agree on a set of columns, found from those that agree on a smaller
one."""

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled


@compiled
def split_groups(
    types: Int32s, group: Int32s, column: Int32s, counts: Ints, least: int
) -> tuple[Int32s, Int32s]:
    """Split groups of row types by a further column, and keep those that are large.

    Parameters
    ----------
    types, group
        The row types, group after group, and the number of the group of each.
    column
        The code of each row type in the column.
    counts
        Multiplicities of the row types.
    least
        Groups with fewer rows are left out.

    Returns
    -------
    types, group
        Likewise; groups in order of their codes, then of the group they were in, and
        types in their order.
    """
    starts = np.zeros(column.max() + 2, np.int64)
    for t in types:
        starts[column[t] + 1] += 1
    for code in range(1, len(starts)):
        starts[code] += starts[code - 1]
    ordered, was_in = np.empty_like(types), np.empty_like(group)
    for i in range(len(types)):
        at = starts[column[types[i]]]
        starts[column[types[i]]] += 1
        ordered[at], was_in[at] = types[i], group[i]
    size, groups, begin, rows = 0, 0, 0, 0
    for i in range(len(ordered)):
        rows += counts[ordered[i]]
        if (
            i + 1 < len(ordered)
            and was_in[i + 1] == was_in[begin]
            and column[ordered[i + 1]] == column[ordered[begin]]
        ):
            continue
        if rows >= least:
            for j in range(begin, i + 1):
                ordered[size], was_in[size] = ordered[j], groups
                size += 1
            groups += 1
        begin, rows = i + 1, 0
    return ordered[:size].copy(), was_in[:size].copy()


@compiled
def closed_groups(
    types: Int32s,
    group: Int32s,
    codes: Int32s,
    starred: Ints,
    values: Int32s,
    least_values: int,
) -> tuple[Ints, Int32s]:
    """Select groups that differ in each of some columns and are diverse enough.

    Parameters
    ----------
    types, group
        As ``split_groups`` returns them.
    codes, starred
        The codes of the row types, columns x types, and the columns in which a group
        must differ.
    values, least_values
        The sensitive values of the row types, columns x types, and how many different
        ones a group must have in each of these columns.

    Returns
    -------
    The sizes of the groups that are selected, in row types, and their types.
    """
    sizes, members = np.empty(len(types), np.int64), np.empty(len(types), np.int32)
    seen = np.full(values.max() + 1 if values.size else 1, -1, np.int64)
    groups, size, begin, looks = 0, 0, 0, 0
    while begin < len(types):
        end = begin + 1
        while end < len(types) and group[end] == group[begin]:
            end += 1
        selected = True
        for j in starred:
            i, own = begin + 1, codes[j, types[begin]]
            while i < end and codes[j, types[i]] == own:
                i += 1
            selected &= i < end
        for j in range(len(values)):
            found, i = 0, begin
            while i < end and found < least_values:
                if seen[values[j, types[i]]] != looks:
                    seen[values[j, types[i]]] = looks
                    found += 1
                i += 1
            looks += 1
            selected &= found >= least_values
        if selected:
            sizes[groups] = end - begin
            groups += 1
            for i in range(begin, end):
                members[size] = types[i]
                size += 1
        begin = end
    return sizes[:groups].copy(), members[:size].copy()
