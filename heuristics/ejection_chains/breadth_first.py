"""Breadth-first searches for ejection chains, from either end."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.annealing.annealing_state import wide
from starmin.heuristics.ejection_chains.chain_state import STAMP, State
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
    rank: Floats  # by pattern, scratch of the moves


def empty_search(s: State) -> Search:
    """Return scratch for searches in a state of this size."""
    m, (count, values) = len(s.value), s.tally.shape

    def small(*shape: int) -> Int32s:
        return np.zeros(shape, np.int32)

    return Search(
        small(m + 1, 5),
        small(m + count * values, 5),
        small(m),
        small(m),
        small(m),
        small(m),
        small(m),
        small(count, values),
        small(count, values),
        small(count),
        small(count),
        small(count),
        small(count),
        small(count),
        small(count),
        small(count),
        np.zeros(count),
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
    ``most_open`` steps lie open. ``mark`` is the number of the search; ``f`` is
    updated.
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

    The steps done and noted are ``first`` and ``end``, before and as returned; the
    third number is the type at which both ends met, or -1. It stops when more than
    ``most_open`` steps lie open, or ``most`` are noted. No chain leads through pattern
    ``q``; -1 for none. ``mark`` is the number of the search; ``f`` is updated.
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
