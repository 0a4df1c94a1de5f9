"""Ejection chains: a row enters a pattern, another leaves it for the next pattern.

With the blocks of all patterns given, the releases are the flows of a network: from
the types to the values of the patterns they fit, at most h copies of a value, and on
to the patterns, at least l h copies each. A chain is a path of its residual network. A
row that enters a pattern which has its value h times already makes one of the same
value leave; otherwise any other may leave. A row costs as much as its pattern, whoever
it is, so what a chain costs depends on nothing but its ends: whether there is one is
all that matters.
"""

from starmin.heuristics.annealing.annealing_state import wide
from starmin.heuristics.ejection_chains.breadth_first import (
    Search,
    backward,
    begin,
    forward,
)
from starmin.heuristics.ejection_chains.chain_changes import crowded, shift, take_back
from starmin.heuristics.ejection_chains.chain_state import USED, State
from starmin.instances.loops.compiled import inner


@inner
def insert_by_chain(s: State, f: Search, t: int, q: int, most: int) -> bool:
    """Insert a copy of t that waits, or the last row of a chain from it, into q.

    The chain is sought by breadth-first search from both ends, where fewer steps lie
    open, in ``most`` steps of both ends together. ``s`` and the scratch ``f`` are
    updated. Returns whether there was such a chain.
    """
    mark = begin(s, f, t)
    first, end, front, back, meeting = 0, 1, 0, 0, -1
    f.pattern_behind[q] = mark
    for v in range(s.tally.shape[1]):
        if s.tally[q, v] < s.blocks[q]:
            f.value_behind[q, v] = mark
            f.behind[back, 0], f.behind[back, 1], f.behind[back, 2] = q, v, -1
            back += 1
    while meeting < 0 and front < back and first < end and back + end < most:
        if back - front <= s.params.balance * (end - first):
            most_open = s.params.balance * (end - first)
            front, back, meeting = backward(s, f, front, back, most_open, mark)
        else:
            most_open = (back - front) // s.params.balance
            first, end, meeting = forward(s, f, first, end, most_open, most, q, mark)
    return meeting >= 0 and _follow(s, f, meeting)


@inner
def _follow(s: State, f: Search, meeting: int) -> bool:
    """Move all rows of a chain, unless its two halves are in each other's way."""
    if crowded(s):
        return False
    mark = wide(s.heads[USED])
    if not _follow_ahead(s, f, wide(f.step[meeting])):
        take_back(s, mark)
        return False
    shift(s, wide(f.entry[meeting]), 1)
    step = f.step_behind[meeting]
    while f.behind[step, 2] >= 0:
        if not _move(s, wide(f.behind[step, 3]), wide(f.behind[step, 4])):
            take_back(s, mark)
            return False
        step = f.behind[step, 2]
    for i in range(mark, s.heads[USED]):
        incidence = s.log[i, 0]
        p, v = s.pattern[incidence], s.value[s.type[incidence]]
        if s.tally[p, v] > s.blocks[p]:
            take_back(s, mark)
            return False
    return True


@inner
def _follow_ahead(s: State, f: Search, step: int) -> bool:
    """Move the rows before a step, so that a copy of its own type waits then."""
    while f.ahead[step, 1] >= 0:
        if not _move(s, wide(f.ahead[step, 2]), wide(f.ahead[step, 3])):
            return False
        step = f.ahead[step, 1]
    return True


@inner
def _move(s: State, leaves: int, takes: int) -> bool:
    """Move a copy from one incidence to another, if that can be done."""
    if s.copies[leaves] == 0 or crowded(s):
        return False
    shift(s, leaves, -1)
    shift(s, takes, 1)
    return True


@inner
def insert_near(s: State, f: Search, t: int, most: int) -> bool:
    """Insert a copy of t that waits, by a chain, into the cheapest pattern near to it.

    Near are the patterns that ``most`` steps of the search lead to. ``s`` and the
    scratch ``f`` are updated. Returns whether one of them had room.
    """
    done = forward(s, f, 0, 1, most, most, -1, begin(s, f, t))[0]
    best, entry, last = -1, -1, 0
    for step in range(done):
        t = wide(f.ahead[step, 0])
        v = s.value[t]
        for j in range(s.starts[t], s.starts[t + 1]):
            p = wide(s.pattern[s.by_type[j]])
            if s.tally[p, v] < s.blocks[p] and (best < 0 or s.cost[p] < s.cost[best]):
                best, entry, last = p, wide(s.by_type[j]), step
    if best < 0 or crowded(s):
        return False
    mark = wide(s.heads[USED])
    if not _follow_ahead(s, f, last):
        take_back(s, mark)
        return False
    shift(s, entry, 1)
    return True


@inner
def reachable_patterns(
    s: State, f: Search, t: int, family: int, start: bool, listed: int, most: int
) -> int:
    """List the patterns that a copy of t which waits can get to; return how many now.

    ``s`` and the scratch ``f`` are updated. ``listed`` are in ``f.found`` before.
    ``family`` is a mark of the searches for rows that shall be a block together;
    ``hits`` and ``depth`` add up over them. With ``start`` patterns are listed that no
    search of the family has found. It ends when ``most`` steps are noted.
    """
    mark = begin(s, f, t)
    done = forward(s, f, 0, 1, most, most, -1, mark)[0]
    starts, by_type, pattern, ahead = s.starts, s.by_type, s.pattern, f.ahead
    families, hits, depth, last = f.family, f.hits, f.depth, f.last
    for step in range(done):
        t = ahead[step, 0]
        for j in range(starts[t], starts[t + 1]):
            p = pattern[by_type[j]]
            if families[p] != family:
                if not start:
                    continue
                families[p], hits[p], depth[p], last[p] = family, 0, 0, 0
                f.found[listed] = p
                listed += 1
            if last[p] != mark:
                last[p] = mark
                hits[p] += 1
                depth[p] += ahead[step, 4]
    return listed
