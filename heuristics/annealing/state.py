"""Rows dealt to open patterns, with cheap changes that can be taken back."""

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from models.patterns.patterns import Patterns

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

NONE = -1  # no pattern, no type
USED, FREE = 0, 1  # places in State.heads: entries of the log, first free node


class State(NamedTuple):
    """Copies of row types dealt to patterns, and what compiled loops need beside.

    A *node* says that some copies of a type are in a pattern. The nodes of a type and
    those of a pattern are linked lists; -1 ends a list. Pattern number P, after the
    real ones, holds the *orphans*: copies that have lost their pattern.

    Attributes
    ----------
    k, l
        The requirement; 1 where none.
    cost, starts, types
        The patterns, as in ``models.patterns.patterns``.
    type_starts, type_patterns
        The patterns of each type, cheapest first.
    value, price
        The sensitive value of each type, and what a copy of it is worth.
    load, excess
        Copies in each pattern, and how much more they pay there than they are worth.
    tally, top, ties
        For l > 1: copies of each value in each pattern, the most of one value, and
        how many values have as many.
    node_type, node_pattern, node_copies, next_of_type, next_of_pattern, last_of_pattern
        The nodes and their lists.
    first_of_type, first_of_pattern
        Where the lists begin.
    log_type, log_from, log_to, log_copies, heads
        Changes since the last proposal, to take them back.
    mark, gain, number, touched, sources, fall
        Scratch of the moves, by pattern; ``fall`` by type.
    pick_type, pick_from, pick_cost
        Scratch for the copies that a pattern may take.
    """

    k: int
    l: int
    cost: Ints
    starts: Ints
    types: Small
    type_starts: Ints
    type_patterns: Small
    value: Ints
    price: Floats
    load: Ints
    excess: Floats
    tally: Small
    top: Ints
    ties: Ints
    node_type: Small
    node_pattern: Small
    node_copies: Ints
    next_of_type: Small
    next_of_pattern: Small
    last_of_pattern: Small
    first_of_type: Small
    first_of_pattern: Small
    log_type: Small
    log_from: Small
    log_to: Small
    log_copies: Ints
    heads: Ints
    mark: Ints
    gain: Ints
    number: Ints
    touched: Small
    sources: Small
    fall: Ints
    pick_type: Small
    pick_from: Small
    pick_cost: Ints


def empty_state(
    patterns: Patterns,
    values: Ints | Small,
    prices: Floats,
    k: int,
    l: int,
    nodes: int,
) -> State:
    """A state without nodes, room for ``nodes`` of them.

    Parameters
    ----------
    patterns
        Each type fits one at least.
    values, prices
        The sensitive value of each type, and what a copy of it is worth.
    """
    count, m = len(patterns), len(patterns.counts)
    # The coarsest pattern of a type is the last, also where others cost no less.
    order = np.lexsort((np.diff(patterns.starts), patterns.cost))
    type_starts, type_patterns = by_type(patterns.starts, patterns.types, order, m)
    wide = int(values.max()) + 1 if l > 1 else 1

    def ints(size: int) -> Ints:
        return np.zeros(size, np.int64)

    def small(size: int) -> Small:
        return np.full(size, -1, np.int32)

    linked = small(nodes)
    linked[:-1] = np.arange(1, nodes)
    log = 8 * nodes + 4096
    return State(
        k=k,
        l=l,
        cost=patterns.cost.astype(np.int64),
        starts=patterns.starts.astype(np.int64),
        types=patterns.types,
        type_starts=type_starts,
        type_patterns=type_patterns,
        value=values.astype(np.int64),
        price=prices,
        load=ints(count + 1),
        excess=np.zeros(count + 1),
        tally=np.zeros((count + 1 if l > 1 else 1, wide), np.int32),
        top=ints(count + 1),
        ties=ints(count + 1),
        node_type=small(nodes),
        node_pattern=small(nodes),
        node_copies=ints(nodes),
        next_of_type=linked,
        next_of_pattern=small(nodes),
        last_of_pattern=small(nodes),
        first_of_type=small(m),
        first_of_pattern=small(count + 1),
        log_type=small(log),
        log_from=small(log),
        log_to=small(log),
        log_copies=ints(log),
        heads=ints(2),
        mark=ints(count + 1),
        gain=ints(count + 1),
        number=ints(count + 1),
        touched=small(count + 1),
        sources=small(count + 1),
        fall=ints(m),
        pick_type=small(nodes),
        pick_from=small(nodes),
        pick_cost=ints(nodes),
    )


@numba.njit(cache=True, nogil=True)
def by_type(starts: Ints, types: Small, order: Ints, m: int) -> tuple[Ints, Small]:
    """The patterns of each type in this order."""
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


@numba.njit(cache=True)
def wide(number: int) -> int:
    """The same in 64 bits.

    Numba compiles a function again for each type of its arguments, a literal being one,
    and with a state among them that takes a second.
    """
    return int(np.int64(number))


@numba.njit(cache=True)
def put(s: State, t: int, p: int, copies: int) -> None:
    """Add copies of a type to a pattern."""
    node = s.first_of_type[t]
    while node >= 0 and s.node_pattern[node] != p:
        node = s.next_of_type[node]
    if node < 0:
        node = s.heads[FREE]
        s.heads[FREE] = s.next_of_type[node]
        s.node_type[node], s.node_pattern[node], s.node_copies[node] = t, p, 0
        s.next_of_type[node] = s.first_of_type[t]
        s.first_of_type[t] = node
        after = s.first_of_pattern[p]
        s.next_of_pattern[node], s.last_of_pattern[node] = after, -1
        if after >= 0:
            s.last_of_pattern[after] = node
        s.first_of_pattern[p] = node
    s.node_copies[node] += copies
    s.load[p] += copies
    if p == len(s.cost):
        return
    s.excess[p] += copies * (s.cost[p] - s.price[t])
    if s.l > 1:
        v = s.value[t]
        s.tally[p, v] += copies
        if s.tally[p, v] > s.top[p]:
            s.top[p], s.ties[p] = s.tally[p, v], 1
        elif s.tally[p, v] == s.top[p]:
            s.ties[p] += 1


@numba.njit(cache=True)
def take(s: State, t: int, p: int, copies: int) -> None:
    """Remove copies of a type from a pattern, which has as many."""
    node, before = s.first_of_type[t], -1
    while s.node_pattern[node] != p:
        node, before = s.next_of_type[node], node
    s.node_copies[node] -= copies
    s.load[p] -= copies
    if s.node_copies[node] == 0:
        after, ahead = s.next_of_pattern[node], s.last_of_pattern[node]
        if after >= 0:
            s.last_of_pattern[after] = ahead
        if ahead >= 0:
            s.next_of_pattern[ahead] = after
        else:
            s.first_of_pattern[p] = after
        if before >= 0:
            s.next_of_type[before] = s.next_of_type[node]
        else:
            s.first_of_type[t] = s.next_of_type[node]
        s.next_of_type[node] = s.heads[FREE]
        s.heads[FREE] = node
    if p == len(s.cost):
        return
    s.excess[p] -= copies * (s.cost[p] - s.price[t])
    if s.l > 1:
        v = s.value[t]
        was_top = s.tally[p, v] == s.top[p]
        s.tally[p, v] -= copies
        if was_top:
            s.ties[p] -= 1
            if s.ties[p] == 0:
                _find_top(s, p)


@numba.njit(cache=True)
def _find_top(s: State, p: int) -> None:
    s.top[p], s.ties[p] = 0, 0
    if s.load[p] == 0:
        return
    for copies in s.tally[p]:
        if copies > s.top[p]:
            s.top[p], s.ties[p] = copies, 1
        elif copies == s.top[p] and copies > 0:
            s.ties[p] += 1


@numba.njit(cache=True)
def shift(s: State, t: int, p: int, q: int, copies: int) -> None:
    """Move copies of a type from pattern p to q, and note it in the log."""
    at = s.heads[USED]
    s.log_type[at], s.log_from[at], s.log_to[at] = t, p, q
    s.log_copies[at] = copies
    s.heads[USED] = at + 1
    take(s, t, p, copies)
    put(s, t, q, copies)


@numba.njit(cache=True)
def take_back(s: State, mark: int) -> None:
    """Undo all that was noted in the log since it had ``mark`` entries."""
    for i in range(s.heads[USED] - 1, mark - 1, -1):
        t = wide(s.log_type[i])
        take(s, t, wide(s.log_to[i]), s.log_copies[i])
        put(s, t, wide(s.log_from[i]), s.log_copies[i])
    s.heads[USED] = mark


@numba.njit(cache=True)
def lack(s: State, p: int) -> int:
    """How many rows, of values that are not its most frequent, a pattern lacks."""
    if s.load[p] == 0:
        return 0
    return int(max(s.k, s.l * s.top[p]) - s.load[p]) if s.l > 1 else s.k - s.load[p]


@numba.njit(cache=True)
def spare(s: State, p: int, v: int) -> int:
    """How many rows of value v a pattern can give away and be a group still."""
    if s.l == 1:
        return int(s.load[p] - s.k)
    top = s.top[p]
    if s.tally[p, v] == top and s.ties[p] == 1:
        top = 0
        for w in range(s.tally.shape[1]):
            if w != v and s.tally[p, w] > top:
                top = s.tally[p, w]
    return int(s.load[p] - max(s.k, s.l * top))


@numba.njit(cache=True)
def room(s: State, p: int, v: int) -> int:
    """How many rows of value v an open pattern can take and be a group still."""
    if s.l == 1:
        return 1 << 40
    return int((s.load[p] - s.l * s.tally[p, v]) // (s.l - 1))


@numba.njit(cache=True)
def cheapest_open(s: State, t: int, avoid: int) -> int:
    """The cheapest open pattern that can take a row of type t; -1 if none."""
    for i in range(s.type_starts[t], s.type_starts[t + 1]):
        p = wide(s.type_patterns[i])
        if s.load[p] > 0 and p != avoid and room(s, p, s.value[t]) > 0:
            return int(p)
    return -1
