"""Groups as patterns with the rows dealt to them; changes can be taken back."""

from typing import NamedTuple, TypeAlias

import numba
import numpy as np
import numpy.typing as npt

from instances import BoolArray, Objective, RowTypes, Table

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]
Loads: TypeAlias = tuple[Small, Small, Ints]

MOST_COLUMNS = 62  # a set of columns is a mask of that many bits
NONE = -1

# Places in State.heads: the first free node, free groups, entries of the log, masks.
NODES, GROUPS, USED, MASKS = 0, 1, 2, 3


class State(NamedTuple):
    """Copies of row types dealt to groups, and what compiled loops need beside.

    A *group* is open while it has rows. Its pattern is a *mask*, bit j of which says
    that column j is starred, and the values of row type ``rep`` in the other columns;
    no two groups have the same pattern. A *node* says that some copies of a type are in
    a group. The nodes of a type and those of a group are linked lists; -1 ends a list.

    Attributes
    ----------
    k, l, once, weights, starrable
        The requirement, 1 where none; the objective (``once``: tuples); the mask of
        the columns that may be starred.
    codes, value
        The row types and, for l > 1, their sensitive values.
    places, salt, posted, posts
        Value v of column j has number ``places[j] + v``, a random number for the keys
        of patterns, and a list of the types that have it; a last list has all types.
    mask, rep, key, cost, load, width, locked
        Of each group; ``width``: nodes; ``locked``: it must not be changed for now.
    lookup
        The groups by the keys of their patterns, a hash table.
    masks
        Those in use, the cheapest first.
    log_type, log_from, log_to, log_copies
        What was moved.
    picked
        Space for a list of nodes.
    tally
        For l > 1: rows of each group with each sensitive value.
    """

    k: int
    l: int
    once: bool
    weights: Ints
    starrable: int
    codes: Small
    value: Ints
    places: Ints
    salt: Ints
    posted: Ints
    posts: Small
    mask: Ints
    rep: Small
    key: Ints
    cost: Ints
    load: Ints
    width: Ints
    locked: BoolArray
    first_of_group: Small
    free_groups: Small
    lookup: Small
    masks: Ints
    first_of_type: Small
    node_type: Small
    node_group: Small
    node_copies: Ints
    next_of_type: Small
    next_of_group: Small
    last_of_group: Small
    log_type: Small
    log_from: Small
    log_to: Small
    log_copies: Ints
    picked: Small
    tally: Small
    heads: Ints


def empty_state(
    table: Table,
    types: RowTypes,
    values: npt.NDArray[np.integer],
    objective: Objective,
    bounds: tuple[int, int],
    groups: int,
    rng: np.random.Generator,
) -> State:
    """A state without rows, with room for ``groups`` groups.

    Parameters
    ----------
    bounds
        k and l.
    """
    m, d = types.codes.shape
    sizes = np.array(table.qi_cardinalities, np.int64)
    places = np.cumsum(sizes) - sizes
    numbers = np.full((d + 1, m), sizes.sum())
    numbers[:d] = (types.codes + places).T
    counts = np.bincount(numbers.ravel(), minlength=int(sizes.sum()) + 1)
    masks = 1 << np.arange(d, dtype=np.int64)
    n = int(types.counts.sum())
    linked = np.arange(1, n + 3, dtype=np.int32)
    linked[-1] = NONE

    def ints(size: int) -> Ints:
        return np.zeros(size, np.int64)

    def small(size: int) -> Small:
        return np.full(size, NONE, np.int32)

    log = 8 * n + 4096
    return State(
        k=bounds[0],
        l=bounds[1],
        once=objective.kind == "tuples",
        weights=objective.column_weights(table),
        starrable=int(masks[~objective.kept(table)].sum()),
        codes=types.codes,
        value=np.asarray(values, np.int64),
        places=places,
        salt=rng.integers(1 << 62, size=int(sizes.sum())),
        posted=np.concatenate([[0], np.cumsum(counts)]),
        posts=np.asarray(np.argsort(numbers.ravel(), kind="stable") % m, np.int32),
        mask=ints(groups),
        rep=small(groups),
        key=ints(groups),
        cost=ints(groups),
        load=ints(groups),
        width=ints(groups),
        locked=np.zeros(groups, bool),
        first_of_group=small(groups),
        free_groups=np.arange(groups, dtype=np.int32)[::-1].copy(),
        lookup=small(1 << (2 * groups).bit_length()),
        masks=ints(groups + 64),
        first_of_type=small(m),
        node_type=small(n + 2),
        node_group=small(n + 2),
        node_copies=ints(n + 2),
        next_of_type=linked,
        next_of_group=small(n + 2),
        last_of_group=small(n + 2),
        log_type=small(log),
        log_from=small(log),
        log_to=small(log),
        log_copies=ints(log),
        picked=small(n + 2),
        tally=np.zeros(
            (groups if bounds[1] > 1 else 0, int(values.max()) + 1), np.int32
        ),
        heads=np.array([0, groups, 0, 0]),
    )


def loads_of(s: State) -> Loads:
    """The group, the type and the copies of each node."""
    used = np.flatnonzero(s.node_copies > 0)  # freed nodes keep none
    return s.node_group[used], s.node_type[used], s.node_copies[used]


@numba.njit(cache=True)
def put(s: State, t: int, g: int, copies: int) -> None:
    """Add copies of a type to a group."""
    node = s.first_of_type[t]
    while node != NONE and s.node_group[node] != g:
        node = s.next_of_type[node]
    if node == NONE:
        node = s.heads[NODES]
        s.heads[NODES] = s.next_of_type[node]
        s.node_type[node], s.node_group[node] = t, g
        s.next_of_type[node] = s.first_of_type[t]
        s.first_of_type[t] = node
        after = s.first_of_group[g]
        s.next_of_group[node], s.last_of_group[node] = after, NONE
        if after != NONE:
            s.last_of_group[after] = node
        s.first_of_group[g] = node
        s.width[g] += 1
    s.node_copies[node] += copies
    s.load[g] += copies
    if s.l > 1:
        s.tally[g, s.value[t]] += copies


@numba.njit(cache=True)
def take(s: State, t: int, g: int, copies: int) -> None:
    """Remove copies of a type from a group, which has as many."""
    node, before = s.first_of_type[t], NONE
    while s.node_group[node] != g:
        node, before = s.next_of_type[node], node
    s.node_copies[node] -= copies
    s.load[g] -= copies
    if s.l > 1:
        s.tally[g, s.value[t]] -= copies
    if s.node_copies[node] > 0:
        return
    after, ahead = s.next_of_group[node], s.last_of_group[node]
    if after != NONE:
        s.last_of_group[after] = ahead
    if ahead != NONE:
        s.next_of_group[ahead] = after
    else:
        s.first_of_group[g] = after
    if before != NONE:
        s.next_of_type[before] = s.next_of_type[node]
    else:
        s.first_of_type[t] = s.next_of_type[node]
    s.next_of_type[node] = s.heads[NODES]
    s.heads[NODES] = node
    s.width[g] -= 1


@numba.njit(cache=True)
def shift(s: State, t: int, g: int, h: int, copies: int) -> int:
    """Move copies of a type from group g to h, and note it; the change in cost."""
    at = s.heads[USED]
    s.log_type[at], s.log_from[at], s.log_to[at] = t, g, h
    s.log_copies[at] = copies
    s.heads[USED] = at + 1
    take(s, t, g, copies)
    put(s, t, h, copies)
    return int(copies * (s.cost[h] - s.cost[g]))


@numba.njit(cache=True)
def take_back(s: State, mark: int) -> None:
    """Undo all that was noted since the log had ``mark`` entries."""
    undo(s, mark, s.heads[USED])
    s.heads[USED] = mark


@numba.njit(cache=True)
def undo(s: State, low: int, high: int) -> None:
    """Undo some entries of the log, the last one first."""
    for i in range(high - 1, low - 1, -1):
        take(s, s.log_type[i], s.log_to[i], s.log_copies[i])
        put(s, s.log_type[i], s.log_from[i], s.log_copies[i])


@numba.njit(cache=True)
def held(s: State, t: int, g: int) -> int:
    """Copies of a type that are in a group."""
    node = s.first_of_type[t]
    while node != NONE and s.node_group[node] != g:
        node = s.next_of_type[node]
    return 0 if node == NONE else int(s.node_copies[node])


@numba.njit(cache=True)
def lack(s: State, g: int) -> int:
    """How many rows, of values that are not its most frequent, a group lacks."""
    if s.load[g] == 0:
        return 0
    least = s.k if s.l == 1 else max(s.k, s.l * s.tally[g].max())
    return int(max(0, least - s.load[g]))


@numba.njit(cache=True)
def room(s: State, g: int, v: int) -> int:
    """How many rows of value v a group can take."""
    if s.l == 1:
        return 1 << 40
    return int((s.load[g] - s.l * s.tally[g, v]) // (s.l - 1))
