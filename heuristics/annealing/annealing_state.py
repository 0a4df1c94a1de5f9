"""The state of the annealing: copies of row types in open patterns."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.heuristics.annealing.annealing_schedule import MOVE_PARAMS, MoveParams
from starmin.heuristics.annealing.dealt_rows import (
    MoveLog,
    Nodes,
    add,
    copies_at,
    empty_log,
    empty_nodes,
    note,
    remove,
)
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inlined, inner
from starmin.models.patterns.patterns import Patterns

NONE = -1  # Stands for no pattern and for no type.


class PatternList(NamedTuple):
    """The patterns that rows are dealt to."""

    cost: Ints  # what a row pays in each
    # starts, types: the row types that fit pattern p are
    # ``types[starts[p]:starts[p + 1]]``
    starts: Ints
    types: Int32s
    # type_starts, type_patterns: the patterns of each type, cheapest first
    type_starts: Ints
    type_patterns: Int32s


class Worth(NamedTuple):
    """What copies of each row type are."""

    value: Ints  # by type: its sensitive value
    price: Floats  # by type: what a copy of it is worth


class Held(NamedTuple):
    """What is in each pattern."""

    load: Ints  # how many copies
    excess: Floats  # what they cost there beyond their prices
    # tally, top, ties: for l > 1: copies of each value, the most of one value, and how
    # many values have as many
    tally: Int32s
    top: Ints
    ties: Ints


class Scratch(NamedTuple):
    """Space that moves need."""

    mark: Ints  # mark, gain, number, touched, sources: by pattern
    gain: Ints
    number: Ints
    touched: Int32s
    sources: Int32s
    fall: Ints  # by type
    # pick_type, pick_from, pick_cost, pick_number: for the copies that a pattern may
    # take, and for a heap of them
    pick_type: Int32s
    pick_from: Int32s
    pick_cost: Ints
    pick_number: Int32s


class State(NamedTuple):
    """Copies of row types dealt to patterns, and what compiled loops need besides.

    Pattern P, after the real ones, holds the *orphans*: copies that lost their pattern.
    """

    params: MoveParams
    k: int  # k, l: the requirement; 1 where there is none
    l: int
    patterns: PatternList
    worth: Worth  # of the row types
    nodes: Nodes  # how many copies of each type are in each pattern
    held: Held  # what they are in all
    log: MoveLog  # the moves since the last proposal
    scratch: Scratch


def empty_held(groups: int, values: npt.NDArray[np.integer], l: int) -> Held:
    """Return what is in so many groups without copies; ``values`` are by type."""
    shape = (groups, int(values.max()) + 1) if l > 1 else (1, 1)
    load, top, ties = np.zeros((3, groups), np.int64)
    return Held(load, np.zeros(groups), np.zeros(shape, np.int32), top, ties)


def empty_state(
    patterns: Patterns,
    values: Ints | Int32s,
    prices: Floats,
    k: int,
    l: int,
    nodes: int,
    params: MoveParams = MOVE_PARAMS,
) -> State:
    """Return a state without nodes, with room for ``nodes`` of them.

    For their number see ``starmin.heuristics.annealing.start.most_nodes``. Each type
    fits one of ``patterns`` at least; ``values`` and ``prices`` are by type its
    sensitive value and what a copy of it is worth. ``k`` and ``l`` are 1 where nothing
    is required.
    """
    count, m = len(patterns), len(patterns.counts)
    # The coarsest pattern of a type is the last, also where others cost no less.
    order = np.lexsort((np.diff(patterns.starts), patterns.cost))
    type_starts, type_patterns = by_type(patterns.starts, patterns.types, order, m)
    mark, gain, number = np.zeros((3, count + 1), np.int64)
    touched, sources = np.empty((2, count + 1), np.int32)
    pick_type, pick_from, pick_number = np.empty((3, nodes), np.int32)
    return State(
        params=params,
        k=k,
        l=l,
        patterns=PatternList(
            cost=patterns.cost.astype(np.int64, copy=False),
            starts=patterns.starts.astype(np.int64, copy=False),
            types=patterns.types,
            type_starts=type_starts,
            type_patterns=type_patterns,
        ),
        worth=Worth(value=values.astype(np.int64), price=prices),
        nodes=empty_nodes(nodes, m, count + 1),
        held=empty_held(count + 1, values, l),
        log=empty_log(8 * nodes + 4096),
        scratch=Scratch(
            *(mark, gain, number, touched, sources, np.zeros(m, np.int64)),
            *(pick_type, pick_from, np.zeros(nodes, np.int64), pick_number),
        ),
    )


@compiled
def by_type(starts: Ints, types: Int32s, order: Ints, m: int) -> tuple[Ints, Int32s]:
    """Return the patterns of each type in a given order.

    ``starts`` and ``types`` are the patterns, as in
    ``starmin.models.patterns.patterns``, ``order`` has their numbers in the order
    wanted, and ``m`` is how many row types there are. Returns where the patterns of
    each type begin, and the patterns.
    """
    ends = np.zeros(m + 1, np.int64)
    for t in types:
        ends[t + 1] += 1
    ends = np.cumsum(ends)
    at = ends[:-1].copy()
    patterns = np.empty(len(types), np.int32)
    for p in order:
        for i in range(starts[p], starts[p + 1]):
            patterns[at[types[i]]] = p
            at[types[i]] += 1
    return ends, patterns


@inner
def wide(number: int) -> int:
    """Return the number in 64 bits.

    Numba compiles a function again for each type of its arguments, a literal being one,
    and with a state among them that takes a second.
    """
    return int(np.int64(number))


# Changes of a state: copies of a type are put into a pattern, taken, moved, undone.


@inner
def put(s: State, t: int, p: int, copies: int) -> None:
    """Add copies of row type ``t`` to pattern ``p``; ``s`` is updated."""
    add(s.nodes, t, p, copies)
    s.held.load[p] += copies
    if p == len(s.patterns.cost):
        return
    s.held.excess[p] += copies * (s.patterns.cost[p] - s.worth.price[t])
    if s.l > 1:
        v = s.worth.value[t]
        s.held.tally[p, v] += copies
        if s.held.tally[p, v] > s.held.top[p]:
            s.held.top[p], s.held.ties[p] = s.held.tally[p, v], 1
        elif s.held.tally[p, v] == s.held.top[p]:
            s.held.ties[p] += 1


@inner
def take(s: State, t: int, p: int, copies: int) -> None:
    """Remove copies of ``t`` from pattern ``p``, which has as many."""
    remove(s.nodes, t, p, copies)
    s.held.load[p] -= copies
    if p == len(s.patterns.cost):
        return
    s.held.excess[p] -= copies * (s.patterns.cost[p] - s.worth.price[t])
    if s.l > 1:
        v = s.worth.value[t]
        was_top = s.held.tally[p, v] == s.held.top[p]
        s.held.tally[p, v] -= copies
        if was_top:
            s.held.ties[p] -= 1
            if s.held.ties[p] == 0:
                _find_top(s, p)


@inner
def _find_top(s: State, p: int) -> None:
    """Recount the most copies of one value, and how many values have as many."""
    s.held.top[p], s.held.ties[p] = 0, 0
    if s.held.load[p] == 0:
        return
    for copies in s.held.tally[p]:
        if copies > s.held.top[p]:
            s.held.top[p], s.held.ties[p] = copies, 1
        elif copies == s.held.top[p] and copies > 0:
            s.held.ties[p] += 1


@inlined
def move(s: State, t: int, p: int, q: int, copies: int) -> None:
    """Move copies of a type from pattern p to q, without a note in the log."""
    take(s, t, p, copies)
    put(s, t, q, copies)


@inner
def move_all(s: State, p: int, q: int) -> None:
    """Move all copies in p to q, without notes in the log."""
    while s.nodes.first_of_group[p] >= 0:
        node = s.nodes.first_of_group[p]
        move(s, wide(s.nodes.type[node]), p, q, s.nodes.copies[node])


@inner
def shift(s: State, t: int, p: int, q: int, copies: int) -> None:
    """Move copies of a type from pattern p to q, and note it in the log."""
    note(s.log, t, p, q, copies)
    move(s, t, p, q, copies)


@inner
def reassign(s: State, t: int, p: int, q: int, copies: int) -> int:
    """Shift copies between patterns that are real; return the change in cost."""
    shift(s, t, p, q, copies)
    return int(copies * (s.patterns.cost[q] - s.patterns.cost[p]))


@compiled
def undo(s: State, low: int, high: int) -> None:
    """Undo the moves from ``low`` up to ``high`` of the log, the last one first."""
    for i in range(high - 1, low - 1, -1):
        t, p, q = s.log.types[i], s.log.sources[i], s.log.targets[i]
        move(s, wide(t), wide(q), wide(p), s.log.copies[i])


@inner
def take_back(s: State, mark: int) -> None:
    """Undo all moves that were noted since the log had ``mark`` of them."""
    undo(s, wide(mark), s.log.size[0])
    s.log.size[0] = mark


@inner
def crowded(s: State) -> bool:
    """Check whether the log may lack room for a step, which moves no node twice."""
    return bool(s.log.size[0] + 2 * len(s.nodes.type) > len(s.log.types))


@inner
def move_row(s: State, t: int, p: int, q: int) -> bool:
    """Move a row of type t from p to q; whether p has one."""
    has = copies_at(s.nodes, t, p) > 0
    if has:
        shift(s, t, p, q, 1)
    return bool(has)


@inner
def logged_change(s: State) -> int:
    """Return by how much the moves in the log change the cost."""
    change, orphanage = 0, len(s.patterns.cost)
    for i in range(s.log.size[0]):
        p, q = s.log.sources[i], s.log.targets[i]
        change -= s.log.copies[i] * s.patterns.cost[p] if p != orphanage else 0
        change += s.log.copies[i] * s.patterns.cost[q] if q != orphanage else 0
    return int(change)


@inner
def leaves_release(s: State) -> bool:
    """Check that no row lacks a place, and patterns in the log have k rows or none."""
    for i in range(s.log.size[0]):
        p, q = s.log.sources[i], s.log.targets[i]
        if 0 < s.held.load[p] < s.k or 0 < s.held.load[q] < s.k:
            return False
    return bool(s.held.load[len(s.patterns.cost)] == 0)


# How far the rows of a pattern are from what the requirement asks.


@inner
def lack(s: State, p: int) -> int:
    """Return how many rows, of values not its most frequent, a pattern lacks."""
    if s.held.load[p] == 0:
        return 0
    return (
        int(max(s.k, s.l * s.held.top[p]) - s.held.load[p])
        if s.l > 1
        else s.k - s.held.load[p]
    )


@inner
def spare(s: State, p: int, v: int) -> int:
    """Return how many rows of value v a pattern can give away and stay a group."""
    if s.l == 1:
        return int(s.held.load[p] - s.k)
    top = s.held.top[p]
    if s.held.tally[p, v] == top and s.held.ties[p] == 1:
        top = 0
        for w in range(s.held.tally.shape[1]):
            if w != v and s.held.tally[p, w] > top:
                top = s.held.tally[p, w]
    return int(s.held.load[p] - max(s.k, s.l * top))


@inner
def room(s: State, p: int, v: int) -> int:
    """Return how many rows of value v an open pattern can take and stay a group."""
    if s.l == 1:
        return 1 << 40
    return int((s.held.load[p] - s.l * s.held.tally[p, v]) // (s.l - 1))
