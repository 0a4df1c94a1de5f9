"""Ejection chains: a row enters a pattern, another leaves it for the next pattern.

With the blocks of all patterns given, the releases are the flows of a network: from
the types to the values of the patterns they fit, at most h copies of a value, and on
to the patterns, at least l h copies each. A chain is a path of its residual network. A
row that enters a pattern which has its value h times already makes one of the same
value leave; otherwise any other may leave. A row costs as much as its pattern, whoever
it is, so what a chain costs depends on nothing but its ends: whether there is one is
all that matters.
"""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.annealing.annealing_state import wide
from starmin.heuristics.large_neighbourhood.ejection_state import (
    COST,
    STAMP,
    USED,
    WAITING,
    State,
)
from starmin.instances.arrays import Floats, Int32s
from starmin.instances.loops.compiled import inner


class Search(NamedTuple):
    """Scratch of the searches, marks being the number of the search."""

    # steps forward, from a row that waits: the type that leaves its pattern next, the
    # step before, the incidence it leaves, the one that the type of the step before
    # takes, and how many steps are before it
    ahead: Int32s
    # steps backward, from the pattern that gets a row: the pattern and the value that
    # it takes, the step after, the incidence that the row which goes on there leaves,
    # and the one it takes
    behind: Int32s
    rank: Floats  # by pattern, scratch of the moves
    seen: Int32s  # seen, step: by type: the mark of the search forward, and its step
    step: Int32s
    # wanted, step_behind, entry: by type: the mark of the search backward, its step,
    # and the incidence that the type would take
    wanted: Int32s
    step_behind: Int32s
    entry: Int32s
    # value_ahead, value_behind, pattern_ahead, pattern_behind: marks by pattern and
    # value, and by pattern
    value_ahead: Int32s
    value_behind: Int32s
    pattern_ahead: Int32s
    pattern_behind: Int32s
    found: Int32s  # patterns found by ``reachable_patterns``
    # family, hits, depth, last: by pattern: the family of searches that found it, how
    # many of them did, in how many steps all together, and the last one
    family: Int32s
    hits: Int32s
    depth: Int32s
    last: Int32s


def empty_search(s: State) -> Search:
    """Return scratch for searches in a state of this size."""
    m, (count, values) = len(s.value), s.tally.shape

    def small(*shape: int) -> Int32s:
        return np.zeros(shape, np.int32)

    return Search(
        small(m + 1, 5),
        small(m + count * values, 5),
        np.zeros(count),
        *small(5, m),
        *small(2, count, values),
        *small(7, count),
    )


@inner
def begin(s: State, f: Search, t: int) -> int:
    """Begin a search forward with a copy of t that waits; return its mark."""
    s.heads[STAMP] += 1
    mark = wide(s.heads[STAMP])
    f.ahead[0, 0], f.ahead[0, 1], f.ahead[0, 4] = t, -1, 0
    f.seen[t], f.step[t] = mark, 0
    return int(mark)


# The two loops hold arrays in variables of their own and take many steps in a call:
# they run four times as fast as functions of one step each.


@inner
def backward(
    s: State, f: Search, front: int, back: int, most_open: int, mark: int
) -> tuple[int, int, int]:
    """Search backward from places for rows that could take them.

    A row that leaves its pattern for such a place is replaced by one of its value, or
    of a value for which there is room.

    The steps done and noted are ``front`` and ``back``, before and as returned; the
    third number is the type at which both ends met, or -1. It stops when more than
    ``most_open`` steps lie open. ``mark`` is the number of the search.
    """
    segments, by_value, tally, blocks = s.segments, s.by_value, s.tally, s.blocks
    starts, by_type, used = s.starts, s.by_type, s.used_by_type
    pattern, row_type, behind = s.pattern, s.type, f.behind
    value_behind, pattern_behind = f.value_behind, f.pattern_behind
    seen, wanted, step_behind, entry = f.seen, f.wanted, f.step_behind, f.entry
    values, offset = tally.shape[1], np.random.randint(1 << 30)
    while front < back and back - front <= most_open:
        p, v = behind[front, 0], behind[front, 1]
        begin, end = segments[p, v], segments[p, v + 1]
        at = begin + offset % max(end - begin, 1)
        for _ in range(begin, end):
            takes = by_value[at]
            t = row_type[takes]
            at = at + 1 if at + 1 < end else begin
            if wanted[t] == mark:
                continue
            wanted[t], step_behind[t], entry[t] = mark, front, takes
            if seen[t] == mark:
                return front, back, wide(t)
            for j in range(starts[t], starts[t] + used[t]):
                leaves = by_type[j]
                g = pattern[leaves]
                if g == p:
                    continue
                # In a pattern seen before only the place of this row is new.
                new = pattern_behind[g] != mark
                pattern_behind[g] = mark
                for u in range(0 if new else v, values if new else v + 1):
                    if value_behind[g, u] == mark:
                        continue
                    if u == v or tally[g, u] < blocks[g]:
                        value_behind[g, u] = mark
                        behind[back, 0], behind[back, 1] = g, u
                        behind[back, 2], behind[back, 3] = front, leaves
                        behind[back, 4] = takes
                        back += 1
        front += 1
    return front, back, -1


@inner
def forward(
    s: State,
    f: Search,
    first: int,
    end: int,
    most_open: int,
    most: int,
    q: int,
    mark: int,
) -> tuple[int, int, int]:
    """Search forward from rows for those whose places they could take.

    Of what is returned and of ``most_open`` see ``backward``. It also stops when
    ``most`` steps are noted. No chain leads through pattern ``q``; -1 for none.
    """
    segments, by_value, tally, blocks = s.segments, s.by_value, s.tally, s.blocks
    starts, by_type, used = s.starts, s.by_type, s.used_by_value
    pattern, row_type, value = s.pattern, s.type, s.value
    ahead, size, seen, found = f.ahead, s.size, f.seen, f.step
    value_ahead, pattern_ahead, wanted = f.value_ahead, f.pattern_ahead, f.wanted
    values = tally.shape[1]
    while first < end and end - first <= most_open and end < most:
        t = ahead[first, 0]
        v = value[t]
        for j in range(starts[t], starts[t + 1]):
            takes = by_type[j]
            p = pattern[takes]
            if size[p] == 0 or p == q:
                continue
            room = tally[p, v] < blocks[p] and pattern_ahead[p] != mark
            if room:
                pattern_ahead[p] = mark
            elif value_ahead[p, v] == mark:
                continue
            for u in range(0 if room else v, values if room else v + 1):
                value_ahead[p, u] = mark
                for i in range(segments[p, u], segments[p, u] + used[p, u]):
                    leaves = by_value[i]
                    other = row_type[leaves]
                    if seen[other] == mark:
                        continue
                    seen[other], found[other] = mark, end
                    ahead[end, 0], ahead[end, 1] = other, first
                    ahead[end, 2], ahead[end, 3] = leaves, takes
                    ahead[end, 4] = ahead[first, 4] + 1
                    end += 1
                    if wanted[other] == mark:
                        return first, end, wide(other)
        first += 1
    return first, end, -1


# Changes of the state of ejection chains: rows enter or leave, and all is undone.
#
# The log is one of its own (compare ``starmin.heuristics.annealing.dealt_rows``): an
# entry is the change of one incidence or of one pattern's number of blocks, half of a
# move there.

# Changes between two looks at what the log may hold, at most.
_STEP = 4


@inner
def need(s: State, blocks: int) -> int:
    """Return how many rows a pattern of so many blocks holds at least."""
    return max(s.k, s.l * blocks) if blocks > 0 else 0


@inner
def shift(s: State, incidence: int, copies: int) -> None:
    """Move copies that wait into an incidence, or back if negative, and note that."""
    _shift(s, incidence, copies)
    _note(s, incidence, copies)


@inner
def set_blocks(s: State, p: int, blocks: int) -> None:
    """Set the number of blocks of a pattern, and note that."""
    _note(s, -1 - p, wide(s.blocks[p]))
    s.blocks[p] = blocks


@inner
def crowded(s: State) -> bool:
    """Check whether the log may lack room for another step of a chain."""
    return bool(s.heads[USED] + _STEP > len(s.log))


@inner
def take_back(s: State, mark: int) -> None:
    """Undo all changes since the log had ``mark`` of them."""
    while s.heads[USED] > mark:
        s.heads[USED] -= 1
        what, before = s.log[s.heads[USED]]
        if what < 0:
            s.blocks[-1 - what] = before
        else:
            _shift(s, wide(what), -before)


@inner
def keep_changes(s: State) -> None:
    """Empty the log; changed patterns have as many blocks as their rows allow."""
    for i in range(s.heads[USED]):
        what = s.log[i, 0]
        p = s.pattern[what] if what >= 0 else -1 - what
        while s.blocks[p] > 0 and s.size[p] >= need(s, s.blocks[p] + 1):
            s.blocks[p] += 1
    s.heads[USED] = 0


@inner
def _note(s: State, what: int, number: int) -> None:
    """Append to the log a change of copies, or the number of blocks before one."""
    s.log[s.heads[USED], 0] = what
    s.log[s.heads[USED], 1] = number
    s.heads[USED] += 1


@inner
def _shift(s: State, incidence: int, copies: int) -> None:
    """Move copies that wait into an incidence, or back if negative."""
    p, t = s.pattern[incidence], s.type[incidence]
    v = s.value[t]
    before = s.copies[incidence]
    s.copies[incidence] += copies
    if before == 0:
        _swap(s.by_value, s.place_by_value, incidence, _end_by_value(s, p, v))
        _swap(s.by_type, s.place_by_type, incidence, s.starts[t] + s.used_by_type[t])
        s.used_by_value[p, v] += 1
        s.used_by_type[t] += 1
    elif before == -copies:
        s.used_by_value[p, v] -= 1
        s.used_by_type[t] -= 1
        _swap(s.by_value, s.place_by_value, incidence, _end_by_value(s, p, v))
        _swap(s.by_type, s.place_by_type, incidence, s.starts[t] + s.used_by_type[t])
    s.tally[p, v] += copies
    s.size[p] += copies
    s.heads[COST] += copies * s.cost[p]
    _wait(s, t, -copies)


@inner
def _end_by_value(s: State, p: int, v: int) -> int:
    """Return where the incidences of p with value v end that hold copies."""
    return int(s.segments[p, v] + s.used_by_value[p, v])


@inner
def _swap(order: Int32s, places: Int32s, item: int, place: int) -> None:
    """Swap an item with the one at a place."""
    other, old = order[place], places[item]
    order[place], order[old] = item, other
    places[item], places[other] = place, old


@inner
def _wait(s: State, t: int, copies: int) -> None:
    """Let so many copies of t more wait."""
    before = s.waits[t]
    s.waits[t] += copies
    if before == 0:
        s.waiting[s.heads[WAITING]] = t
        s.place_waiting[t] = s.heads[WAITING]
        s.heads[WAITING] += 1
    elif before == -copies:
        s.heads[WAITING] -= 1
        last = s.waiting[s.heads[WAITING]]
        s.waiting[s.place_waiting[t]] = last
        s.place_waiting[last] = s.place_waiting[t]


@inner
def insert_by_chain(s: State, f: Search, t: int, q: int, most: int) -> bool:
    """Insert a copy of t that waits, or the last row of a chain from it, into q.

    The chain is sought by breadth-first search from both ends, where fewer steps lie
    open, in ``most`` steps of both together. Returns whether there was one.
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

    Near are those that ``most`` steps lead to. Returns whether one of them had room.
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

    ``listed`` are in ``f.found`` before. ``family`` is a mark of the searches for rows
    that shall be a block together; ``hits`` and ``depth`` add up over them. With
    ``start`` patterns are listed that no search of the family has found. It ends when
    ``most`` steps are noted.
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
