"""The state of ejection chains: copies of row types in patterns of blocks."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.ejection_chains.chain_params import (
    CHAIN_MOVE_PARAMS,
    ChainMoveParams,
)
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.models.patterns.patterns import Patterns

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
    """Return the state of a release.

    The requirement has l > 1. ``values`` and ``prices`` are by type, ``loads`` is the
    release as copies by incidence of ``patterns``, which are what rows can be groups
    of.
    """
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
