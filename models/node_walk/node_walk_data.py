"""What the compiled walk over vectors of nodes reads and writes."""

from typing import NamedTuple

from starmin.instances.arrays import Int32s, Ints

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
# into numbers and missing values (``starmin.models.node_walk.node_walk``).
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
    # than the threshold (``starmin.models.node_walk.descent``)
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
