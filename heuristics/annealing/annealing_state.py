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
    """The patterns that rows are dealt to."""

    cost: Ints  # what a row pays in each
    # starts, types: the row types that fit pattern p are
    # ``types[starts[p]:starts[p + 1]]``
    starts: Ints
    types: Int32s
    # type_starts, type_patterns: the patterns of each type, cheapest first
    type_starts: Ints
    type_patterns: Int32s


class Worth(NamedTuple):
    """What copies of each row type are."""

    value: Ints  # by type: its sensitive value
    price: Floats  # by type: what a copy of it is worth


class Held(NamedTuple):
    """What is in each pattern."""

    load: Ints  # how many copies
    excess: Floats  # what they cost there beyond their prices
    # tally, top, ties: for l > 1: copies of each value, the most of one value, and how
    # many values have as many
    tally: Int32s
    top: Ints
    ties: Ints


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
    """Copies of row types dealt to patterns, and what compiled loops need besides.

    Pattern number P, after the real ones, holds the *orphans*: copies that have lost
    their pattern.
    """

    params: MoveParams
    k: int  # k, l: the requirement; 1 where there is none
    l: int
    patterns: PatternList
    worth: Worth  # of the row types
    nodes: Nodes  # how many copies of each type are in each pattern
    held: Held  # what they are in all
    log: MoveLog  # the moves since the last proposal
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

    For their number see ``starmin.heuristics.annealing.start.most_nodes``. Each type
    fits one of ``patterns`` at least; ``values`` and ``prices`` are by type its
    sensitive value and what a copy of it is worth. ``k`` and ``l`` are 1 where nothing
    is required.
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

    ``starts`` and ``types`` are the patterns, as in
    ``starmin.models.patterns.patterns``, ``order`` has their numbers in the order
    wanted, and ``m`` is how many row types there are. Returns where the patterns of
    each type begin, and the patterns.
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
