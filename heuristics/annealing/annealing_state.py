"""The state of the annealing: copies of row types in open patterns."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.annealing.annealing_schedule import MOVE_PARAMS, MoveParams
from starmin.heuristics.annealing.dealt_rows import (
    Held,
    MoveLog,
    Nodes,
    Worth,
    empty_deal,
)
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.patterns.patterns import Patterns


class PatternList(NamedTuple):
    """The patterns that rows are dealt to."""

    # starts, types: the row types that fit pattern p are
    # ``types[starts[p]:starts[p + 1]]``
    starts: Ints
    types: Int32s
    # type_starts, type_patterns: the patterns of each type, cheapest first
    type_starts: Ints
    type_patterns: Int32s


class Scratch(NamedTuple):
    """Space that moves need."""

    mark: Ints  # mark, gain, number, touched, sources: by pattern
    gain: Ints
    number: Ints
    touched: Int32s
    sources: Int32s
    fall: Ints  # by type
    # pick_type, pick_from, pick_cost, pick_number: for the copies that a pattern may
    # take, and for a heap of them
    pick_type: Int32s
    pick_from: Int32s
    pick_cost: Ints
    pick_number: Int32s


class State(NamedTuple):
    """A ``Deal`` of copies to patterns, and what compiled loops need besides.

    After the patterns come the *orphans*: copies that have lost their pattern.
    """

    params: MoveParams
    k: int
    l: int
    orphans: int
    cost: Ints
    worth: Worth
    nodes: Nodes
    held: Held
    log: MoveLog
    patterns: PatternList
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
    """Return a state without rows, with room for ``start.most_nodes`` nodes.

    Each type fits one of ``patterns`` at least; ``values`` and ``prices`` are by type.
    """
    count, m = len(patterns), len(patterns.counts)
    # The coarsest pattern of a type is the last, also where others cost no less.
    order = np.lexsort((np.diff(patterns.starts), patterns.cost))
    costs = np.append(patterns.cost, 0).astype(np.int64)
    room = nodes, 8 * nodes + 4096

    def ints(size: int) -> Ints:
        return np.zeros(size, np.int64)

    def scratch(size: int) -> Int32s:
        return np.empty(size, np.int32)

    return State(
        params,
        *empty_deal((k, l), values, prices, costs, *room, count),
        patterns=PatternList(
            patterns.starts.astype(np.int64, copy=False),
            patterns.types,
            *by_type(patterns.starts, patterns.types, order, m),
        ),
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
    """Return where the patterns of each of m types begin, and these in an order."""
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
