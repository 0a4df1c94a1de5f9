"""The state of the annealing: copies of row types in open patterns."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.annealing.move_params import MOVE_PARAMS, MoveParams
from starmin.heuristics.dealt_rows.move_log import MoveLog, empty_log
from starmin.heuristics.dealt_rows.nodes import Nodes, empty_nodes
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.patterns.patterns import Patterns

NONE = -1  # Stands for no pattern and for no type.


class PatternList(NamedTuple):
    """The patterns that rows are dealt to.

    Attributes
    ----------
    cost, starts, types
        What a row pays in each; the row types that fit pattern p are
        ``types[starts[p]:starts[p + 1]]``.
    type_starts, type_patterns
        The patterns of each type, cheapest first.
    """

    cost: Ints
    starts: Ints
    types: Int32s
    type_starts: Ints
    type_patterns: Int32s


class Worth(NamedTuple):
    """What copies of each row type are.

    Attributes
    ----------
    value, price
        Its sensitive value, and what a copy of it is worth.
    """

    value: Ints
    price: Floats


class Held(NamedTuple):
    """What is in each pattern.

    Attributes
    ----------
    load, excess
        How many copies, and what they cost there beyond their prices.
    tally, top, ties
        For l > 1: copies of each value, the most of one value, and how many values
        have as many.
    """

    load: Ints
    excess: Floats
    tally: Int32s
    top: Ints
    ties: Ints


class Scratch(NamedTuple):
    """Space that moves need.

    Attributes
    ----------
    mark, gain, number, touched, sources
        By pattern.
    fall
        By type.
    pick_type, pick_from, pick_cost, pick_number
        For the copies that a pattern may take, and for a heap of them.
    """

    mark: Ints
    gain: Ints
    number: Ints
    touched: Int32s
    sources: Int32s
    fall: Ints
    pick_type: Int32s
    pick_from: Int32s
    pick_cost: Ints
    pick_number: Int32s


class State(NamedTuple):
    """Copies of row types dealt to patterns, and what compiled loops need besides.

    Pattern number P, after the real ones, holds the *orphans*: copies that have lost
    their pattern.

    Attributes
    ----------
    params
        Constants that steer the moves.
    k, l
        The requirement; 1 where there is none.
    patterns, worth
        The patterns, and the row types.
    nodes, held
        How many copies of each type are in each pattern, and what they are in all.
    log
        The moves since the last proposal.
    scratch
        Space that moves need.
    """

    params: MoveParams
    k: int
    l: int
    patterns: PatternList
    worth: Worth
    nodes: Nodes
    held: Held
    log: MoveLog
    scratch: Scratch


def empty_state(
    patterns: Patterns,
    values: Ints | Int32s,
    prices: Floats,
    k: int,
    l: int,
    nodes: int,
    params: MoveParams = MOVE_PARAMS,
) -> State:
    """Return a state without nodes, with room for ``nodes`` of them.

    Parameters
    ----------
    patterns
        Each type fits one at least.
    values, prices
        The sensitive value of each type, and what a copy of it is worth.
    k, l
        The requirement; 1 where there is none.
    nodes
        See ``starmin.heuristics.annealing.start.most_nodes``.
    params
        Constants that steer the moves.
    """
    count, m = len(patterns), len(patterns.counts)
    # The coarsest pattern of a type is the last, also where others cost no less.
    order = np.lexsort((np.diff(patterns.starts), patterns.cost))
    type_starts, type_patterns = by_type(patterns.starts, patterns.types, order, m)
    most = int(values.max()) + 1 if l > 1 else 1

    def ints(size: int) -> Ints:
        return np.zeros(size, np.int64)

    def scratch(size: int) -> Int32s:
        return np.empty(size, np.int32)

    return State(
        params=params,
        k=k,
        l=l,
        patterns=PatternList(
            cost=patterns.cost.astype(np.int64, copy=False),
            starts=patterns.starts.astype(np.int64, copy=False),
            types=patterns.types,
            type_starts=type_starts,
            type_patterns=type_patterns,
        ),
        worth=Worth(value=values.astype(np.int64), price=prices),
        nodes=empty_nodes(nodes, m, count + 1),
        held=Held(
            load=ints(count + 1),
            excess=np.zeros(count + 1),
            tally=np.zeros((count + 1 if l > 1 else 1, most), np.int32),
            top=ints(count + 1),
            ties=ints(count + 1),
        ),
        log=empty_log(8 * nodes + 4096),
        scratch=Scratch(
            mark=ints(count + 1),
            gain=ints(count + 1),
            number=ints(count + 1),
            touched=scratch(count + 1),
            sources=scratch(count + 1),
            fall=ints(m),
            pick_type=scratch(nodes),
            pick_from=scratch(nodes),
            pick_cost=ints(nodes),
            pick_number=scratch(nodes),
        ),
    )


@compiled
def by_type(starts: Ints, types: Int32s, order: Ints, m: int) -> tuple[Ints, Int32s]:
    """Return the patterns of each type in a given order.

    Parameters
    ----------
    starts, types
        The patterns, as in ``starmin.models.patterns.patterns``.
    order
        The numbers of the patterns, in the order wanted.
    m
        How many row types there are.

    Returns
    -------
    type_starts, type_patterns
        The patterns of each type, cheapest first.
    """
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


@inner
def wide(number: int) -> int:
    """Return the number in 64 bits.

    Numba compiles a function again for each type of its arguments, a literal being one,
    and with a state among them that takes a second.
    """
    return int(np.int64(number))
