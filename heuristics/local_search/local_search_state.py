"""The state of the local search: groups as patterns with the rows dealt to them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.heuristics.annealing.dealt_rows import (
    NONE,
    Held,
    MoveLog,
    Nodes,
    Worth,
    empty_deal,
)
from starmin.heuristics.local_search.local_search_params import MOVE_PARAMS, MoveParams
from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Int32s, Ints

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

    # mask, rep, key, locked: of each group; ``locked``: it must not be changed for now
    mask: Ints
    rep: Int32s
    key: Ints
    locked: Bools
    lookup: Int32s  # the groups by the keys of their patterns, a hash table
    masks: Ints  # those in use, the cheapest first
    free: Int32s  # groups that are not open
    heads: Ints  # how many of both there are, at ``MASKS`` and ``GROUPS``


class State(NamedTuple):
    """A ``Deal`` of copies to groups, and what compiled loops need besides."""

    params: MoveParams
    k: int
    l: int
    orphans: int
    cost: Ints
    worth: Worth
    nodes: Nodes
    held: Held
    log: MoveLog  # the moves since groups were last tidied
    types: Types
    groups: OpenGroups  # by their patterns
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

    room = ints(groups), n + 2, 8 * n + 4096
    return State(
        params,
        *empty_deal(bounds, values, np.zeros(m), *room),
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
        groups=OpenGroups(
            mask=ints(groups),
            rep=small(groups),
            key=ints(groups),
            locked=np.zeros(groups, bool),
            lookup=small(1 << (2 * groups).bit_length()),
            masks=ints(groups + 64),
            free=np.arange(groups, dtype=np.int32)[::-1].copy(),
            heads=np.array([groups, 0]),
        ),
        picked=small(n + 2),
    )
