"""What the walk over boxes reads and writes."""

from typing import NamedTuple, TypeAlias

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.models.boxes.walk.box_data import BoxData

# Places in BoxWalk.state and in the rows of BoxWalk.stack.
DEPTH, FOUND, WORK, FULL = range(4)
COLUMN, BEGIN, END, COST, BOUND, FROM, AT = range(7)
NO_ROOM_BOXES, NO_ROOM_MEMBERS, NO_ROOM_STACK = 1, 2, 3


# The highest prices of copies, their sensitive values, and how many there are.
Highest: TypeAlias = tuple[Ints, Int32s, int]


class BoxWalk(NamedTuple):
    """What the walk reads and writes."""

    data: BoxData
    prices: Ints  # of the types
    # inside, share, charge: sets of types, by which boxes are charged beside their
    # fills: see ``charged``
    inside: Bools
    share: Ints
    charge: Ints
    threshold: Ints  # one number: boxes that are worth this or more are not looked for
    # the types of the sets that wait, one after the other, each by falling price
    members: Int32s
    # stack, lows, highs: the sets that wait: column to choose next, where the types
    # are, cost of a row so far, a bound on what is below; the place to go on from,
    # above 0 where a part of the column is done, and where the types of further parts
    # begin; and the box so far
    stack: Ints
    lows: Int32s
    highs: Int32s
    # heads, tags, own_heads, own_tags: room for the highest prices of copies, and for
    # their sensitive values: where a column is split, and where one set is looked at
    heads: Ints
    tags: Int32s
    own_heads: Ints
    own_tags: Int32s
    # first, last, paid: room for the ends of types in each column, and for what groups
    # with each type cost
    first: Int32s
    last: Int32s
    paid: Ints
    tally: Int32s  # tally, starts, sorted: room to sort types by place
    starts: Int32s
    sorted: Int32s
    # forced, ends, types, copies, seen: room for types that are in a group, and for
    # fills: see ``best_fill``
    forced: Int32s
    ends: Int32s
    types: Int32s
    copies: Ints
    seen: Ints
    found_lows: Int32s  # found_lows, found_highs, worth: the boxes found
    found_highs: Int32s
    worth: Ints
    # sets that wait; boxes found; work until the next stop, in types, places and sets
    # that are looked at; what there was no room for
    state: Ints
