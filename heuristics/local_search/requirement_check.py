"""Any requirement, asked of many groups at a time (see ``local_search``)."""

import numpy as np

from starmin.heuristics.local_search.local_changes import undo
from starmin.heuristics.local_search.local_search_state import NONE, State
from starmin.instances import GroupStats, Requirement, RowTypes, Table
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled


def undo_failing(
    s: State, starts: Ints, table: Table, types: RowTypes, requirement: Requirement
) -> None:
    """Undo the moves that left a group without what is required.

    ``starts`` says where in the log the moves begin; no two of them touch the same
    group. ``s`` is updated.
    """
    if len(starts) == 0:
        return
    ends = np.append(starts[1:], s.log.size[0])
    entries = np.arange(s.log.size[0])
    move = np.searchsorted(starts, entries, side="right") - 1
    touched = np.concatenate([s.log.sources[entries], s.log.targets[entries]])
    groups, first = np.unique(touched, return_index=True)
    open_ = s.held.load[groups] > 0
    groups, of_move = groups[open_], np.tile(move, 2)[first[open_]]
    number, type_, copies = members(s, groups.astype(np.int64))
    some_row = np.empty(len(types), np.int64)
    some_row[types.inverse] = np.arange(table.n)
    labels, rows = np.repeat(number, copies), np.repeat(some_row[type_], copies)
    holds = requirement.holds(GroupStats.of(table, labels, rows))
    for failing in np.unique(of_move[~holds]):
        undo(s, starts[failing], ends[failing])


@compiled
def members(s: State, groups: Ints) -> tuple[Ints, Ints, Ints]:
    """List what is in some groups.

    By node of these groups: the place of its group in the list, its row type, how many
    copies.
    """
    nodes = s.held.width[groups].sum()
    number, type_, copies = (
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
        np.empty(nodes, np.int64),
    )
    at = 0
    for i in range(len(groups)):
        node = s.nodes.first_of_group[groups[i]]
        while node != NONE:
            number[at], type_[at], copies[at] = (
                i,
                s.nodes.type[node],
                s.nodes.copies[node],
            )
            node = s.nodes.next_of_group[node]
            at += 1
    assert s.nodes.free[0] != NONE
    return number, type_, copies
