"""The state of the local search: groups as patterns with the rows dealt to them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.heuristics.annealing.annealing_state import (
    NONE,
    Held,
    Worth,
    empty_held,
    put,
    take,
    wide,
)
from starmin.heuristics.annealing.dealt_rows import (
    MoveLog,
    Nodes,
    empty_log,
    empty_nodes,
)
from starmin.heuristics.local_search.local_search_params import MOVE_PARAMS, MoveParams
from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner

MOST_COLUMNS = 62  # A set of columns is a mask of at most that many bits.

# Places in OpenGroups.heads: the numbers of free groups and of masks.
GROUPS, MASKS = 0, 1


class Types(NamedTuple):
    """The row types, and what their columns cost."""

    codes: Int32s  # the row types
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


class State(NamedTuple):
    """A state as of ``annealing_state``, with groups for patterns, for its loops."""

    params: MoveParams
    k: int  # k, l: the requirement; 1 where there is none
    l: int
    patterns: OpenGroups
    worth: Worth  # of the row types; they have no prices
    nodes: Nodes  # how many copies of each type are in each group
    held: Held  # what they are in all
    log: MoveLog  # the moves since groups were last tidied
    types: Types
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
    """Return a state without rows, with room for ``groups`` groups, for k and l.

    ``values`` are by type; ``rng`` draws the numbers by which patterns are looked up.
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
            places=places,
            salt=rng.integers(1 << 62, size=int(sizes.sum())),
            posted=np.concatenate([[0], np.cumsum(counts)]),
            posts=np.asarray(np.argsort(numbers.ravel(), kind="stable") % m, np.int32),
            once=objective.once,
            weights=objective.column_weights(table),
            starrable=int(masks[~objective.kept(table)].sum()),
        ),
        patterns=OpenGroups(
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
        worth=Worth(np.asarray(values, np.int64), np.zeros(m)),
        nodes=empty_nodes(n + 2, m, groups),
        held=empty_held(groups, values, bounds[1]),
        log=empty_log(8 * n + 4096),
        picked=small(n + 2),
    )


@compiled
def undo(s: State, low: int, high: int) -> None:
    """Undo the moves from ``low`` up to ``high`` of the log, the last one first."""
    for i in range(high - 1, low - 1, -1):
        t = wide(s.log.types[i])
        take(s, t, wide(s.log.targets[i]), s.log.copies[i])
        put(s, t, wide(s.log.sources[i]), s.log.copies[i])


@inner
def width(s: State, g: int, most: int) -> int:
    """Return how many types have copies in a group; of more than that any number."""
    types, node = 0, s.nodes.first_of_group[g]
    while node != NONE and types <= most:
        types += 1
        node = s.nodes.next_of_group[node]
    return types
