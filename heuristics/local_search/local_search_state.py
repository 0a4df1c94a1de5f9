"""The state of the local search: groups as patterns with the rows dealt to them."""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starmin.heuristics.annealing.annealing_state import wide
from starmin.heuristics.annealing.dealt_rows import (
    MoveLog,
    Nodes,
    add,
    empty_log,
    empty_nodes,
    note,
    remove,
)
from starmin.heuristics.local_search.local_search_params import MOVE_PARAMS, MoveParams
from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner

Loads: TypeAlias = tuple[Int32s, Int32s, Ints]

MOST_COLUMNS = 62  # A set of columns is a mask of at most that many bits.
NONE = -1

# Places in OpenGroups.heads: the numbers of free groups and of masks.
GROUPS, MASKS = 0, 1


class Types(NamedTuple):
    """The row types, and what their columns cost."""

    codes: Int32s  # the row types
    value: Ints  # for l > 1, their sensitive values
    places: Ints  # value v of column j has number ``places[j] + v``
    salt: Ints  # by that number: a random number for the keys of patterns
    # posted, posts: by that number: a list of the types that have it; a last list has
    # all types
    posted: Ints
    posts: Int32s
    once: bool  # the objective is tuples
    weights: Ints  # of the objective
    starrable: int  # the mask of the columns that may be starred


class OpenGroups(NamedTuple):
    """The groups, by their patterns.

    A *group* is open while it has rows. Its pattern is a *mask*, bit j of which says
    that column j is starred, and the values of row type ``rep`` in the other columns;
    no two groups have the same pattern.
    """

    # mask, rep, key, cost, locked: of each group; ``locked``: it must not be changed
    # for now
    mask: Ints
    rep: Int32s
    key: Ints
    cost: Ints
    locked: Bools
    lookup: Int32s  # the groups by the keys of their patterns, a hash table
    masks: Ints  # those in use, the cheapest first
    free: Int32s  # groups that are not open
    heads: Ints  # how many of both there are, at ``MASKS`` and ``GROUPS``


class Held(NamedTuple):
    """What is in each group."""

    load: Ints  # load, width: how many copies, and of how many types
    width: Ints
    tally: Int32s  # for l > 1: rows with each sensitive value


class State(NamedTuple):
    """Copies of row types dealt to groups, and what compiled loops need besides."""

    params: MoveParams
    k: int  # k, l: the requirement; 1 where there is none
    l: int
    types: Types
    groups: OpenGroups  # by their patterns
    nodes: Nodes  # how many copies of each type are in each group
    held: Held  # what they are in all
    log: MoveLog  # the moves since groups were last tidied
    picked: Int32s  # space for a list of nodes


def empty_state(
    table: Table,
    types: RowTypes,
    values: npt.NDArray[np.integer],
    objective: Objective,
    bounds: tuple[int, int],
    groups: int,
    rng: np.random.Generator,
    params: MoveParams = MOVE_PARAMS,
) -> State:
    """Return a state without rows, with room for ``groups`` groups.

    ``types`` are the row types to deal, ``values`` the sensitive value of each,
    ``objective`` says what stars cost, and ``bounds`` are k and l. ``rng`` draws the
    numbers by which patterns are looked up.
    """
    m, d = types.codes.shape
    sizes = np.array(table.qi_cardinalities, np.int64)
    places = np.cumsum(sizes) - sizes
    numbers = np.full((d + 1, m), sizes.sum())
    numbers[:d] = (types.codes + places).T
    counts = np.bincount(numbers.ravel(), minlength=int(sizes.sum()) + 1)
    masks = 1 << np.arange(d, dtype=np.int64)
    n = int(types.counts.sum())

    def ints(size: int) -> Ints:
        return np.zeros(size, np.int64)

    def small(size: int) -> Int32s:
        return np.full(size, NONE, np.int32)

    return State(
        params=params,
        k=bounds[0],
        l=bounds[1],
        types=Types(
            codes=types.codes,
            value=np.asarray(values, np.int64),
            places=places,
            salt=rng.integers(1 << 62, size=int(sizes.sum())),
            posted=np.concatenate([[0], np.cumsum(counts)]),
            posts=np.asarray(np.argsort(numbers.ravel(), kind="stable") % m, np.int32),
            once=objective.once,
            weights=objective.column_weights(table),
            starrable=int(masks[~objective.kept(table)].sum()),
        ),
        groups=OpenGroups(
            mask=ints(groups),
            rep=small(groups),
            key=ints(groups),
            cost=ints(groups),
            locked=np.zeros(groups, bool),
            lookup=small(1 << (2 * groups).bit_length()),
            masks=ints(groups + 64),
            free=np.arange(groups, dtype=np.int32)[::-1].copy(),
            heads=np.array([groups, 0]),
        ),
        nodes=empty_nodes(n + 2, m, groups),
        held=Held(
            load=ints(groups),
            width=ints(groups),
            tally=np.zeros(
                (groups if bounds[1] > 1 else 0, int(values.max()) + 1), np.int32
            ),
        ),
        log=empty_log(8 * n + 4096),
        picked=small(n + 2),
    )


def loads_of(s: State) -> Loads:
    """Return the group, the type and the copies of each node in use."""
    used = np.flatnonzero(s.nodes.copies > 0)  # Freed nodes keep none.
    return s.nodes.group[used], s.nodes.type[used], s.nodes.copies[used]


# Changes of a state: copies of a type are put into a group, taken, moved, undone.


@inner
def put(s: State, t: int, g: int, copies: int) -> None:
    """Add copies of row type ``t`` to group ``g``; ``s`` is updated."""
    s.held.width[g] += add(s.nodes, t, g, copies)
    s.held.load[g] += copies
    if s.l > 1:
        s.held.tally[g, s.types.value[t]] += copies


@inner
def take(s: State, t: int, g: int, copies: int) -> None:
    """Remove copies of type ``t`` from group ``g``, which has as many.

    ``s`` is updated.
    """
    s.held.width[g] -= remove(s.nodes, t, g, copies)
    s.held.load[g] -= copies
    if s.l > 1:
        s.held.tally[g, s.types.value[t]] -= copies


@inner
def shift(s: State, t: int, g: int, h: int, copies: int) -> int:
    """Move copies of a type from group g to h, note it; return the change in cost.

    ``s`` is updated.
    """
    note(s.log, t, g, h, copies)
    take(s, t, g, copies)
    put(s, t, h, copies)
    return int(copies * (s.groups.cost[h] - s.groups.cost[g]))


@inner
def take_back(s: State, mark: int) -> None:
    """Undo all moves that were noted since the log had ``mark`` of them."""
    undo(s, mark, s.log.size[0])
    s.log.size[0] = mark


@compiled
def undo(s: State, low: int, high: int) -> None:
    """Undo the moves from ``low`` up to ``high`` of the log, the last one first."""
    for i in range(high - 1, low - 1, -1):
        t = wide(s.log.types[i])
        take(s, t, wide(s.log.targets[i]), s.log.copies[i])
        put(s, t, wide(s.log.sources[i]), s.log.copies[i])


@inner
def lack(s: State, g: int) -> int:
    """Return how many rows, of values not its most frequent, a group lacks."""
    if s.held.load[g] == 0:
        return 0
    least = s.k if s.l == 1 else max(s.k, s.l * s.held.tally[g].max())
    return int(max(0, least - s.held.load[g]))


@inner
def room(s: State, g: int, v: int) -> int:
    """Return how many rows of value v a group can take."""
    if s.l == 1:
        return 1 << 40
    return int((s.held.load[g] - s.l * s.held.tally[g, v]) // (s.l - 1))
