"""The state of the local search: groups as patterns with the rows dealt to them."""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starmin.heuristics.dealt_rows.move_log import MoveLog, empty_log
from starmin.heuristics.dealt_rows.nodes import Nodes, empty_nodes
from starmin.heuristics.local_search.local_search_params import MOVE_PARAMS, MoveParams
from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Int32s, Ints

Loads: TypeAlias = tuple[Int32s, Int32s, Ints]

MOST_COLUMNS = 62  # A set of columns is a mask of at most that many bits.
NONE = -1

# Places in OpenGroups.heads: the numbers of free groups and of masks.
GROUPS, MASKS = 0, 1


class Types(NamedTuple):
    """The row types, and what their columns cost.

    Attributes
    ----------
    codes, value
        The row types and, for l > 1, their sensitive values.
    places, salt, posted, posts
        Value v of column j has number ``places[j] + v``, a random number for the keys
        of patterns, and a list of the types that have it; a last list has all types.
    once, weights, starrable
        The objective (``once``: tuples); the mask of the columns that may be starred.
    """

    codes: Int32s
    value: Ints
    places: Ints
    salt: Ints
    posted: Ints
    posts: Int32s
    once: bool
    weights: Ints
    starrable: int


class OpenGroups(NamedTuple):
    """The groups, by their patterns.

    A *group* is open while it has rows. Its pattern is a *mask*, bit j of which says
    that column j is starred, and the values of row type ``rep`` in the other columns;
    no two groups have the same pattern.

    Attributes
    ----------
    mask, rep, key, cost, locked
        Of each group; ``locked``: it must not be changed for now.
    lookup
        The groups by the keys of their patterns, a hash table.
    masks
        Those in use, the cheapest first.
    free
        Groups that are not open.
    heads
        How many of both there are, at ``MASKS`` and ``GROUPS``.
    """

    mask: Ints
    rep: Int32s
    key: Ints
    cost: Ints
    locked: Bools
    lookup: Int32s
    masks: Ints
    free: Int32s
    heads: Ints


class Held(NamedTuple):
    """What is in each group.

    Attributes
    ----------
    load, width
        How many copies, and of how many types.
    tally
        For l > 1: rows with each sensitive value.
    """

    load: Ints
    width: Ints
    tally: Int32s


class State(NamedTuple):
    """Copies of row types dealt to groups, and what compiled loops need besides.

    Attributes
    ----------
    params
        Constants that steer the moves.
    k, l
        The requirement; 1 where there is none.
    types, groups
        The row types, and the groups by their patterns.
    nodes, held
        How many copies of each type are in each group, and what they are in all.
    log
        The moves since groups were last tidied.
    picked
        Space for a list of nodes.
    """

    params: MoveParams
    k: int
    l: int
    types: Types
    groups: OpenGroups
    nodes: Nodes
    held: Held
    log: MoveLog
    picked: Int32s


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
