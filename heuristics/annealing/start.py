"""From rows to the state of a search, and back: a first release, and the last."""

import numpy as np

from starmin.heuristics.annealing.annealing_schedule import MOVE_PARAMS, MoveParams
from starmin.heuristics.annealing.annealing_state import (
    NONE,
    State,
    empty_state,
    lack,
    move,
    move_all,
    put,
    room,
    spare,
    wide,
)
from starmin.heuristics.annealing.dealt_rows import copies_at, loads_of
from starmin.heuristics.annealing.pattern_moves import settle
from starmin.heuristics.annealing.repair import cheapest_open
from starmin.instances import Partition, RowTypes
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.patterns.patterns import Patterns
from starmin.models.pricing.pool_sources import PatternPool


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

    ``used`` has the group's rows of each value, ``size`` all of them. What l-diverse
    rows take is never negative; below 0 the rows that are left cannot be diverse.
    """
    for v in range(len(reserve)):
        taken = size - l * used[v]
        if taken > 0 and reserve[v] - taken < max(least[v], 0.0):
            return False
    for v in range(len(reserve)):
        reserve[v] -= size - l * used[v]
    return True


def most_nodes(patterns: Patterns) -> int:
    """Bound the nodes of a state: a type has one for each pattern it fits, and one."""
    fits = np.bincount(patterns.types, minlength=len(patterns.counts)) + 1
    return int(np.minimum(patterns.counts, fits).sum()) + 1


def release_of(state: State, types: RowTypes) -> Partition:
    """Return the release that a state stands for."""
    return Partition.from_loads(types, *loads_of(state.nodes))


def state_of(
    pool: PatternPool,
    k: int,
    l: int,
    loads: Ints | None = None,
    params: MoveParams = MOVE_PARAMS,
) -> State:
    """Return the state of copies by incidence of a pool; other rows deal greedily."""
    patterns, values = pool.patterns, np.zeros(len(pool.types), np.int32)
    if l > 1:
        values = pool.types.sensitive[:, 0]
    nodes = most_nodes(patterns)
    state = empty_state(patterns, values, pool.worth, k, l, nodes, params)
    rest = patterns.counts.copy()
    if loads is not None:
        used = np.flatnonzero(loads)
        dealt = patterns.types[used], loads[used]
        deal_loads(state, patterns.pattern[used].astype(np.int64), *dealt)
        np.subtract.at(rest, *dealt)
    if rest.any():
        deal_greedily(state, rest)
    settle(state)
    return state


def loads_in(state: State, patterns: Patterns) -> Ints:
    """Return the copies by incidence that a state holds; it has no orphans."""
    loads = np.zeros(len(patterns.types), np.int64)
    note_loads(state, loads)
    return loads


@compiled
def deal_greedily(s: State, counts: Ints) -> None:
    """Deal these rows: pattern after pattern, in order of cost, takes all it can.

    A pattern opens if the rows that are left and fit it make a group, and those that
    are left then could be diverse together. Rows that are left at the end go to open
    patterns, or with others to the coarsest one they fit.
    """
    orphanage = len(s.patterns.cost)
    reserve = reserves(counts, s.worth.value, s.l) if s.l > 1 else np.zeros(1, np.int64)
    for t in range(len(counts)):
        if counts[t] > 0:
            put(s, t, orphanage, counts[t])
    order = np.argsort(s.patterns.cost, kind="mergesort")
    for p in order:
        _take_all(s, p, reserve)
    for t in range(len(counts)):
        _place(s, t)
    for t in range(len(counts)):
        if _orphans(s, t) > 0:
            _gather(
                s,
                wide(s.patterns.type_patterns[s.patterns.type_starts[t + 1] - 1]),
                order,
            )
            _place(s, t)


@compiled
def deal_loads(s: State, pattern: Ints, types: Int32s, copies: Ints) -> None:
    """Deal the rows to a state without any, as a release does, by incidence in use."""
    for i in range(len(pattern)):
        put(s, wide(types[i]), pattern[i], copies[i])


@compiled
def note_loads(s: State, loads: Ints) -> None:
    """Write to ``loads``, zeros, the copies of each incidence; there are no orphans."""
    copies = np.zeros(len(s.nodes.first_of_type), np.int64)
    for p in range(len(s.patterns.cost)):
        if s.held.load[p] == 0:
            continue
        node = s.nodes.first_of_group[p]
        while node >= 0:
            copies[s.nodes.type[node]] = s.nodes.copies[node]
            node = s.nodes.next_of_group[node]
        for i in range(s.patterns.starts[p], s.patterns.starts[p + 1]):
            loads[i] = copies[s.patterns.types[i]]
            copies[s.patterns.types[i]] = 0


@inner
def _orphans(s: State, t: int) -> int:
    """Return how many copies of type t are orphans."""
    return int(copies_at(s.nodes, t, len(s.patterns.cost)))


@inner
def _take_all(s: State, p: int, reserve: Ints) -> None:
    """Let p take the orphans that fit it, of each value as many as it may."""
    have = np.zeros(s.held.tally.shape[1], np.int64)
    for i in range(s.patterns.starts[p], s.patterns.starts[p + 1]):
        t = wide(s.patterns.types[i])
        have[s.worth.value[t] if s.l > 1 else 0] += _orphans(s, t)
    cap = have.max()
    if s.l > 1:
        while cap > 0 and np.minimum(have, cap).sum() < max(s.k, s.l * cap):
            cap -= 1
    rows = np.minimum(have, cap).sum()
    if cap == 0 or rows < s.k:
        return
    if s.l > 1 and not draw(
        reserve, np.minimum(have, cap), rows, s.l, np.zeros(len(reserve))
    ):
        return
    have[:] = cap
    for i in range(s.patterns.starts[p], s.patterns.starts[p + 1]):
        t = wide(s.patterns.types[i])
        v = s.worth.value[t] if s.l > 1 else 0
        copies = min(_orphans(s, t), have[v])
        if copies > 0:
            move(s, t, len(s.patterns.cost), p, copies)
            have[v] -= copies


@inner
def _place(s: State, t: int) -> None:
    """Move the orphans of type t to the cheapest open patterns with room for them."""
    left = _orphans(s, t)
    while left > 0:
        p = cheapest_open(s, t, int(NONE))
        if p < 0:
            return
        copies = min(left, room(s, p, s.worth.value[t]))
        move(s, t, len(s.patterns.cost), p, copies)
        left -= copies


@inner
def _gather(s: State, q: int, order: Ints) -> None:
    """Make the coarsest pattern q a group that holds all orphans that fit it.

    Rows that others can spare are added, then whole groups, the dearest first, until
    it is one; with all of them it is, or nothing is.
    """
    for i in range(s.patterns.starts[q], s.patterns.starts[q + 1]):
        t = wide(s.patterns.types[i])
        copies = _orphans(s, t)
        if copies > 0:
            move(s, t, len(s.patterns.cost), q, copies)
    for p in order[::-1]:
        if lack(s, q) <= 0:
            return
        if p == q or s.held.load[p] == 0 or not _same_class(s, p, q):
            continue
        _donate(s, p, q)
    for whole in range(2):
        for p in order[::-1]:
            if lack(s, q) <= 0:
                return
            if p == q or s.held.load[p] == 0 or not _same_class(s, p, q):
                continue
            if whole == 1 or _lack_with(s, p, q) < lack(s, q):
                move_all(s, wide(p), q)


@inner
def _same_class(s: State, p: int, q: int) -> bool:
    """Check whether q is the coarsest pattern of the rows of p."""
    t = s.patterns.types[s.patterns.starts[p]]
    return bool(s.patterns.type_patterns[s.patterns.type_starts[t + 1] - 1] == q)


@inner
def _donate(s: State, p: int, q: int) -> None:
    """Move rows that p can spare and that q lacks."""
    node = s.nodes.first_of_group[p]
    while node >= 0:
        t, following = wide(s.nodes.type[node]), s.nodes.next_of_group[node]
        v = s.worth.value[t]
        copies = min(s.nodes.copies[node], spare(s, p, v), lack(s, q))
        if s.l > 1:
            copies = min(copies, s.held.top[q] - s.held.tally[q, v])
        if copies > 0:
            move(s, t, p, q, copies)
        node = following


@inner
def _lack_with(s: State, p: int, q: int) -> int:
    """Return how many rows q lacks when all rows of p have joined it."""
    if s.l == 1:
        return int(s.k - s.held.load[p] - s.held.load[q])
    top = (s.held.tally[p] + s.held.tally[q]).max()
    return int(max(s.k, s.l * top) - s.held.load[p] - s.held.load[q])
