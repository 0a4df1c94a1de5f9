"""Lay out what the compiled walk over vectors of nodes reads and writes."""

from typing import Any, NamedTuple

import numpy as np

from starmin.instances import NotSupportedError, Table
from starmin.instances.arrays import Bools, Indices, Int32s, Ints
from starmin.instances.scales.scale import Layout
from starmin.models.patterns.patterns import Sought
from starmin.models.price_unit import NO_PRICE, PriceUnit

# What the compiled walk over vectors of nodes reads and writes.

NO_ROOM_FOUND, NO_ROOM_MEMBERS = 1, 2

PRICED, CHEAPEST, WITHIN, MATCHED = range(4)

# Places in NodeWalk.state and in the rows of NodeWalk.stack.
PATTERNS, INCIDENCES, WORK, FULL, LEVEL = range(5)
COLUMN_AT, LOW, HIGH, COST, BEGIN, END, TOP, STAGE, FIRST, PART, BEFORE, MOST = range(
    12
)
FRAME = 12
CHOOSE, SPLIT, NEXT = range(3)
# What a set of a column of numbers is: all; some of these; all, and to be told apart
# into numbers and missing values (``starmin.models.patterns.node_walk``).
ALL, SOME, APART = range(3)
# Places in the rows of NodeWalk.columns.
LINE, SIZE, ROOT, NODES, LINES, PATHS, MISSING, WHOLE, LEAST, RANGES = range(10)
COLUMN = 10


class NodeWalk(NamedTuple):
    """What the compiled walk reads and writes."""

    # codes, counts, prices, values: the types in order of falling prices: positions by
    # column in the order of the walk, multiplicities, prices, sensitive codes
    codes: Int32s
    counts: Ints
    prices: Ints
    values: Int32s
    # by column: whether its nodes are ranges of numbers, else those of a tree (LINE);
    # how many positions there are (SIZE); the root of its tree (ROOT); where it begins
    # in the arrays of nodes, numbers and ancestors (NODES, LINES, PATHS); of a line how
    # many missing values there are, which have the first positions (MISSING), the loss
    # of all of it (WHOLE), that of its shortest range (LEAST), and whether ranges may
    # be published (RANGES)
    columns: Ints
    loss: Ints  # of each node, -1 where it must not be published
    depth: Int32s  # of each node, 0 for roots
    above: Int32s  # by column, depth and leaf: the ancestor of the leaf at that depth
    # amount, begin: of each position of a line: what it adds to the loss of a range
    # that ends, and takes from that of one that begins, there
    amount: Ints
    begin: Ints
    # of each position of a line: where a range ends at last that begins there, if it is
    # not to be hidden, which is to be published as all of the line
    reach: Ints
    single: Ints  # of each position of a line: what it loses by itself
    # k, l: least copies, and least different values of each sensitive column, of a
    # pattern
    k: int
    l: int
    # PRICED, where l > 1: members are those of row sets of l copies that are worth less
    # than the threshold (``starmin.models.patterns.descent``)
    by_sets: bool
    threshold: int  # fills worth this or more are left out
    # PRICED; or CHEAPEST: the walk looks for the cheapest pattern of each type,
    # ``prices`` are the costs of the cheapest ones found so far, and all members of a
    # set stay; or WITHIN: members are those whose price is the cost or more; or
    # MATCHED: each member is a released row of its own that earns the k - 1 highest
    # other prices, and patterns are looked for that leave one less than ``least``
    mode: int
    least: Ints  # MATCHED: what is left to each type at least, as far as is known
    members: Int32s  # the sets on the way down, one after the other
    # tally, distinct, seen: room to sort members by nodes, and for marks of sensitive
    # values
    tally: Int32s
    distinct: Int32s
    seen: Int32s
    # heads, least_price: room for the types that begin a row set, and for the price
    # above which members are kept, by sensitive value
    heads: Int32s
    least_price: Ints
    # the sets on the way down: column, node or range, cost of the columns before, where
    # the members are and where there is room, what was done with it; of a line, below
    # which position the ranges begin that are looked for (BEFORE), and a loss beyond
    # which none counts (MOST)
    stack: Ints
    # chosen, chosen_high: the node, or the ends of the range, of each column before
    chosen: Int32s
    chosen_high: Int32s
    types: Int32s  # types, starts, cost, lows, highs: the patterns found
    starts: Ints
    cost: Ints
    lows: Int32s
    highs: Int32s
    # patterns and incidences so far; work until the next stop; what there was no room
    # for; how far down the walk is
    state: Ints


_FIRST_ROOM = 1 << 16  # patterns found; doubled when used up
_LONGEST = 46_340  # numbers of a column whose ranges have numbers in 32 bits


class _Column(NamedTuple):
    """What the walk knows of a column: see ``NodeWalk``."""

    is_line: bool
    size: int
    root: int
    missing: int
    whole: int
    least: int
    loss: Ints
    depth: Int32s
    above: Int32s
    amount: Ints
    begin: Ints
    reach: Ints
    single: Ints


def node_walk(
    sought: Sought, prices: Ints, order: Indices, unit: PriceUnit
) -> NodeWalk:
    """Return a walk for the patterns that count at prices.

    ``prices`` are those of the types, whole numbers of ``unit``, and ``order`` has the
    types by falling price. Raises NotSupportedError where a column has too many
    different numbers.
    """
    table, types, objective, k, l, _ = sought
    scales = objective.scales_of(table)
    units, kept = objective.units(table), objective.kept(table)
    columns = walk_order(table)
    of = [
        _column(scales.scales[j].layout, units[j] * unit.per_cost, bool(kept[j]))
        for j in columns.tolist()
    ]
    positions = scales.positions(types.codes)[np.ix_(order, columns)]
    steps = sum(2 * c.size if c.is_line else int(c.depth.max()) + 2 for c in of)
    d, most_nodes = table.d, max(len(c.loss) + 1 for c in of)
    values = int(types.sensitive.max(initial=0)) + 1
    parts = "loss", "depth", "above", "amount", "begin", "reach", "single"
    joined: dict[str, Any]
    joined = {part: np.concatenate([getattr(c, part) for c in of]) for part in parts}
    return NodeWalk(
        codes=np.ascontiguousarray(positions.T),
        counts=types.counts[order],
        prices=prices[order],
        values=np.ascontiguousarray(types.sensitive[order].T),
        columns=_places(of, ~kept[columns]),
        **joined,
        k=max(k, l),
        l=l,
        by_sets=False,
        threshold=0,
        mode=PRICED,
        least=np.empty(0, np.int64),
        members=np.empty(16 * len(types), np.int32),
        tally=np.zeros(most_nodes, np.int32),
        distinct=np.empty(most_nodes, np.int32),
        seen=np.full(values, -1, np.int32),
        heads=np.zeros(l, np.int32),
        least_price=np.full(values, NO_PRICE, np.int64),
        stack=np.zeros((steps + d + 2, FRAME), np.int64),
        chosen=np.zeros(d, np.int32),
        chosen_high=np.zeros(d, np.int32),
        types=np.empty(max(_FIRST_ROOM, 4 * len(types)), np.int32),
        starts=np.empty(_FIRST_ROOM, np.int64),
        cost=np.empty(_FIRST_ROOM, np.int64),
        lows=np.empty((_FIRST_ROOM, d), np.int32),
        highs=np.empty((_FIRST_ROOM, d), np.int32),
        state=np.zeros(5, np.int64),
    )


def _column(layout: Layout, unit: int, kept: bool) -> _Column:
    size = len(layout.places)
    amounts, begins, single = (
        unit * each for each in (layout.upper, layout.lower, layout.single)
    )
    line = amounts, begins, layout.reach, single
    if layout.is_line:
        if size > _LONGEST:
            raise NotSupportedError(
                f"Expected at most {_LONGEST:,} different numbers in a column, got "
                f"{size:,}; round them."
            )
        none = np.zeros(0, np.int64)
        few, apart = none.astype(np.int32), len(layout.missing)
        whole, least = unit * int(layout.losses[-1]), unit * layout.least
        return _Column(*(True, size, 0, apart, whole, least), none, few, few, *line)
    loss = np.where(layout.allowed, unit * layout.losses, -1)
    if kept:
        loss[size:] = -1
    path = layout.path.astype(np.int32)
    depth = np.zeros(len(loss), np.int32)
    for level in reversed(range(len(path))):
        depth[path[level]] = level
    root = int(path[0, 0])
    return _Column(False, size, root, 0, 0, 0, loss, depth, path.ravel(), *line)


def _places(columns: list[_Column], may_range: Bools) -> Ints:
    """Return for each column what ``NodeWalk.columns`` holds."""
    found = np.zeros((len(columns), COLUMN), np.int64)
    parts = (LINE, "is_line"), (SIZE, "size"), (ROOT, "root"), (MISSING, "missing")
    for place, part in (*parts, (WHOLE, "whole"), (LEAST, "least")):
        found[:, place] = [getattr(c, part) for c in columns]
    found[:, RANGES] = may_range
    for place, part in (NODES, "loss"), (LINES, "amount"), (PATHS, "above"):
        lengths = [len(getattr(c, part)) for c in columns]
        found[1:, place] = np.cumsum(lengths)[:-1]
    return found


def walk_order(table: Table) -> Indices:
    """Put columns of low entropy first: larger nodes of them are seldom used."""
    shares = [np.bincount(table.column(c)) / table.n for c in table.qi]
    entropies = [-(p[p > 0] @ np.log(p[p > 0])) for p in shares]
    return np.argsort(entropies, kind="stable")


def doubled(walk: Any, *names: str) -> Any:
    """Return a walk with twice the room in some arrays, which keep what they have."""
    larger = {}
    for name in names:
        array = getattr(walk, name)
        larger[name] = np.zeros((2 * len(array), *array.shape[1:]), array.dtype)
        larger[name][: len(array)] = array
    return walk._replace(**larger)
