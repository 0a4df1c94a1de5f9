"""The state of ejection chains: copies of row types in patterns of blocks."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.models.patterns.patterns import Patterns


class ChainMoveParams(NamedTuple):
    """Constants of the moves; steps are those of a breadth-first search for chains."""

    # narrow, wide: fewest and most steps of a search for patterns that a row can get
    # to: each width is drawn half as often as the one of half the steps, so that every
    # width has the same time
    narrow: int = 128
    wide: int = 1 << 16
    place_steps: int = 1_000  # steps of a search for a place for a single row
    # steps of a search for a chain from a row to a given pattern
    chain_steps: int = 100_000
    tries: int = 12  # patterns that are tried for a new block of rows
    draws: int = 200  # rows that are drawn at most for one to begin a move with
    # probability that a drawn row is taken, for each star of excess in its pattern
    eager: float = 2.0
    # excess, in stars, that every pattern is drawn for besides its own
    least: float = 0.02
    # mean of the noise on the order in which patterns are tried, in stars
    noise: float = 0.5
    # share of the moves that take only one row from a pattern that can spare it
    spared: float = 0.5
    balance: int = 4  # steps backward that take as long as one step forward


CHAIN_MOVE_PARAMS = ChainMoveParams()


@dataclass(frozen=True)
class ChainParams:
    """Constants that steer the operator of ejection chains."""

    hot: float = 0.3  # hot, cold: first and last temperature, in stars
    cold: float = 0.1
    moves: int = 3  # moves for each group, at most
    batch: int = 50  # moves between two looks at the clock
    share: float = 0.04  # share of the time left for one neighbourhood
    least: float = 4.0  # least, most: the least and most seconds of one
    most: float = 60.0
    along: ChainMoveParams = CHAIN_MOVE_PARAMS  # constants of the moves themselves


CHAIN_PARAMS = ChainParams()


# Places in State.heads: changes in the log, types that wait, the cost of all copies,
# and the number of the last search.
USED, WAITING, COST, STAMP = 0, 1, 2, 3

# Changes that the log holds for one move, besides those of the block it gives up.
_CHANGES = 1 << 16


class State(NamedTuple):
    """Copies of row types dealt to patterns, and what compiled loops need besides.

    A pattern of h *blocks* holds at least ``max(k, l h)`` rows, and no value oftener
    than h times. A pattern without a block holds none. Rows that are in no pattern
    *wait*.
    """

    params: ChainMoveParams
    k: int  # k, l: the requirement
    l: int
    cost: Ints  # of the patterns
    pattern: Int32s  # pattern, type: of the incidences
    type: Int32s
    value: Int32s  # value, price: the sensitive value and the price of each type
    price: Floats
    # segments, by_value, place_by_value, used_by_value: the incidences of pattern p
    # with value v begin in ``by_value`` at ``segments[p, v]``, the next value's after
    # them; ``used_by_value[p, v]`` of them hold copies and come first;
    # ``place_by_value``: where each incidence is
    segments: Int32s
    by_value: Int32s
    place_by_value: Int32s
    used_by_value: Int32s
    # starts, by_type, place_by_type, used_by_type: the incidences of each type, in the
    # same way
    starts: Int32s
    by_type: Int32s
    place_by_type: Int32s
    used_by_type: Int32s
    copies: Ints  # by incidence
    # tally, size, blocks: copies of each value in each pattern, all of them, and h
    tally: Int32s
    size: Int32s
    blocks: Int32s
    # waits, waiting, place_waiting: copies of each type that wait; the types that have
    # some; where each is
    waits: Int32s
    waiting: Int32s
    place_waiting: Int32s
    log: Int32s  # changes since the last move began, to take them back
    # how many changes there are, how many types wait, what all copies cost, and the
    # last number of a search
    heads: Ints


def state_of_loads(
    patterns: Patterns,
    values: Int32s,
    prices: Floats,
    k: int,
    l: int,
    loads: Ints,
    params: ChainMoveParams = CHAIN_MOVE_PARAMS,
) -> State:
    """Return the state of a release, copies by incidence of patterns, for l > 1."""
    m, count = len(values), len(patterns)
    value = values.astype(np.int32)
    distinct = int(value.max()) + 1
    own = value[patterns.types]
    cell = patterns.pattern.astype(np.int64) * distinct + own
    unused = loads == 0

    def by_cell(weights: Ints) -> Int32s:
        filled = np.bincount(cell, weights, count * distinct)
        return filled.reshape(count, distinct).astype(np.int32)

    lengths = by_cell(np.ones_like(loads))
    ends = np.cumsum(lengths, axis=1) + patterns.starts[:-1, None]
    segments = np.concatenate([patterns.starts[:-1, None], ends], axis=1)
    by_value = np.lexsort((unused, cell)).astype(np.int32)
    by_type = np.lexsort((unused, patterns.types)).astype(np.int32)
    fits = np.bincount(patterns.types, minlength=m)
    tally = by_cell(loads)
    size = tally.sum(axis=1, dtype=np.int32)
    return State(
        params,
        k,
        l,
        patterns.cost.astype(np.int64),
        patterns.pattern.astype(np.int32),
        patterns.types.astype(np.int32),
        value,
        prices,
        segments.astype(np.int32),
        by_value,
        _places(by_value),
        by_cell(1 - unused),
        np.concatenate([[0], np.cumsum(fits)]).astype(np.int32),
        by_type,
        _places(by_type),
        np.bincount(patterns.types, ~unused, minlength=m).astype(np.int32),
        loads.astype(np.int64),
        tally,
        size,
        size // np.int32(l),
        np.zeros(m, np.int32),
        np.zeros(m, np.int32),
        np.zeros(m, np.int32),
        np.zeros((_CHANGES + k + 4 * l + distinct, 2), np.int32),
        np.array([0, 0, loads @ patterns.cost[patterns.pattern], 0], np.int64),
    )


def _places(order: Int32s) -> Int32s:
    """Return the inverse of a permutation."""
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places
