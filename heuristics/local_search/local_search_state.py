"""The state of the local search: groups as patterns with the rows dealt to them."""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starmin.heuristics.annealing.move_log import MoveLog, empty_log
from starmin.heuristics.local_search.local_search_params import MOVE_PARAMS, MoveParams
from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Int32s, Ints

Loads: TypeAlias = tuple[Int32s, Int32s, Ints]

MOST_COLUMNS = 62  # A set of columns is a mask of at most that many bits.
NONE = -1

# Places in State.heads: the first free node, the numbers of free groups and of masks.
NODES, GROUPS, MASKS = 0, 1, 2


class State(NamedTuple):
    """Copies of row types dealt to groups, and what compiled loops need besides.

    A *group* is open while it has rows. Its pattern is a *mask*, bit j of which says
    that column j is starred, and the values of row type ``rep`` in the other columns;
    no two groups have the same pattern. A *node* says that some copies of a type are in
    a group. The nodes of a type and those of a group are linked lists; -1 ends a list.

    Attributes
    ----------
    params
        Constants that steer the moves.
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
    log
        The moves since groups were last tidied.
    picked
        Space for a list of nodes.
    tally
        For l > 1: rows of each group with each sensitive value.
    """

    params: MoveParams
    k: int
    l: int
    once: bool
    weights: Ints
    starrable: int
    codes: Int32s
    value: Ints
    places: Ints
    salt: Ints
    posted: Ints
    posts: Int32s
    mask: Ints
    rep: Int32s
    key: Ints
    cost: Ints
    load: Ints
    width: Ints
    locked: Bools
    first_of_group: Int32s
    free_groups: Int32s
    lookup: Int32s
    masks: Ints
    first_of_type: Int32s
    node_type: Int32s
    node_group: Int32s
    node_copies: Ints
    next_of_type: Int32s
    next_of_group: Int32s
    last_of_group: Int32s
    log: MoveLog
    picked: Int32s
    tally: Int32s
    heads: Ints


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

    Parameters
    ----------
    table, types, values, objective
        The table, the row types to deal, the sensitive value of each, what stars cost.
    bounds
        k and l.
    groups
        How many groups there are room for.
    rng
        Source of the numbers by which patterns are looked up.
    params
        Constants that steer the moves.
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

    def small(size: int) -> Int32s:
        return np.full(size, NONE, np.int32)

    return State(
        params=params,
        k=bounds[0],
        l=bounds[1],
        once=objective.once,
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
        log=empty_log(8 * n + 4096),
        picked=small(n + 2),
        tally=np.zeros(
            (groups if bounds[1] > 1 else 0, int(values.max()) + 1), np.int32
        ),
        heads=np.array([0, groups, 0]),
    )


def loads_of(s: State) -> Loads:
    """Return the group, the type and the copies of each node in use."""
    used = np.flatnonzero(s.node_copies > 0)  # Freed nodes keep none.
    return s.node_group[used], s.node_type[used], s.node_copies[used]
