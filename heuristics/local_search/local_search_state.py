"""The state of the local search: groups as patterns with the rows dealt to them.

The constants that steer the local search and its moves are here, too.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.heuristics.annealing.annealing_state import NONE, Held, Worth, empty_held
from starmin.heuristics.annealing.dealt_rows import (
    MoveLog,
    Nodes,
    empty_log,
    empty_nodes,
)
from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import inner


class MoveParams(NamedTuple):
    """Constants that steer the moves of the local search."""

    dissolved: float = 0.03  # share of the moves that dissolve a group at once
    listed: int = 2048  # row types that one move looks at, at most
    # share of the rows that stay though they would pay less, so that the same move can
    # end otherwise
    skipped: float = 0.1
    # share of the groups with too few rows that may dissolve; the others take rows
    broken: float = 0.3
    tries: int = 1000  # nodes that are tried to fill a group up
    wide: int = 8  # groups of more nodes than that many times k + l are not dissolved
    companions: int = 8  # row types near which a pattern is sought for a row
    # by_mask, by_companion: shares of the moves whose pattern is drawn from the masks
    # in use, or joins a row with one that is near; the others clear one column of the
    # row's own mask
    by_mask: float = 0.5
    by_companion: float = 0.25
    # share of the moves that clear one column and may star another one
    stars_another: float = 0.15


MOVE_PARAMS = MoveParams()


class RangeMoveParams(NamedTuple):
    """Constants that steer the moves of the local search for losses."""

    # moved, swapped: shares of the moves that move a row, and that swap two; others
    # build groups anew
    moved: float = 0.25
    swapped: float = 0.25
    tries: int = 4  # rows of a near group that are tried for a swap
    broken: int = 4  # groups that are built anew, at most
    # what a row costs in a group is multiplied by 1 to 1 + ``noise`` at random when the
    # cheapest one is chosen
    noise: float = 0.4
    # share of the moves that build one group less, as many, or one more, drawn at
    # random; others build as many as there can be, where that is one more at most
    one_less: float = 0.15


RANGE_MOVE_PARAMS = RangeMoveParams()


@dataclass(frozen=True)
class LocalSearchParams:
    """Constants that steer the local search."""

    # hot, cold: first and last temperature, in mean costs of a star; for losses in what
    # the rows of a group of least size, or of mean size if that is less, pay on average
    hot: float = 0.3
    cold: float = 0.02
    # share of the time after which only moves are made that raise no cost
    anneal_share: float = 0.8
    # proposals between two checks, at most; a twentieth of the row types if more
    batch: int = 500
    # time until the next release is offered, as a multiple of what it took to recount
    # the last one
    between: float = 20
    # groups that a move takes rows from, at most, where the requirement is checked only
    # afterwards
    sources: int = 3
    # moves, range_moves: constants of the moves themselves, for stars and tuples, and
    # for losses
    moves: MoveParams = MOVE_PARAMS
    range_moves: RangeMoveParams = RANGE_MOVE_PARAMS
    range_hot: float = 0.1  # range_hot, range_cold: ``hot`` and ``cold`` for losses
    range_cold: float = 0.003
    # proposals between two checks for losses; an eighth of the groups if more
    range_batch: int = 100
    neighbours: int = 20  # types near to each type, for losses
    largest: int = 300  # rows that one move deals, at most, for losses


# The default of the method.
LOCAL_SEARCH_PARAMS = LocalSearchParams()

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


@inner
def width(s: State, g: int, most: int) -> int:
    """Return how many types have copies in a group; of more than that any number."""
    types, node = 0, s.nodes.first_of_group[g]
    while node != NONE and types <= most:
        types += 1
        node = s.nodes.next_of_group[node]
    return types
