"""What boxes cost, which rows fit them, and which rows a group in them has: loops."""

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.walk.box_data import BoxData

NONE = -1


@inner
def is_hidden(b: BoxData, j: int, low: int, high: int) -> bool:
    return bool(low != high and high > b.reach[j, low])


@inner
def range_loss(b: BoxData, j: int, low: int, high: int) -> int:
    """Return what a range of a line costs a row; below 0: it is not published."""
    if low == high:
        return int(b.single[j, low])
    if not b.ranges[j]:
        return NONE
    if is_hidden(b, j, low, high):
        return int(b.whole[j])
    return int(max(b.upper[j, high] - b.lower[j, low], b.shortest[j]))


@inner
def node_above(b: BoxData, j: int, low: int, high: int) -> int:
    """Return the lowest node of a tree above two leaves."""
    node = low
    while not b.first[j, node] <= high <= b.last[j, node]:
        node = b.parent[j, node]
    return int(node)


@inner
def child_above(b: BoxData, j: int, node: int, leaf: int) -> int:
    """Return the child of a node that a leaf is below; the node itself for a leaf."""
    child = leaf
    while child != node and b.parent[j, child] != node:
        child = b.parent[j, child]
    return int(child)


@inner
def closed_loss(b: BoxData, j: int, low: int, high: int) -> int:
    """Return what the smallest node that has two places costs a row."""
    if b.line[j]:
        return int(range_loss(b, j, low, high))
    return int(b.loss[j, node_above(b, j, low, high)])


@inner
def contains(b: BoxData, low: Int32s, high: Int32s, t: int) -> bool:
    for j in range(len(low)):
        place = b.place[j, t]
        if b.line[j]:
            if not low[j] <= place <= high[j]:
                return False
        elif not b.first[j, low[j]] <= place <= b.last[j, low[j]]:
            return False
    return True


@inner
def find_ends(
    b: BoxData, j: int, low: int, high: int, members: Int32s, forced: Int32s, found: int
) -> int:
    """List the rows that every group published so has; how many there are then.

    A range has rows at both of its ends, a node below two of its children. Where only
    one type is there, it is in the group. Returns -1 where the members have a smaller
    node in common.
    """
    if low == high and (b.line[j] or low < b.size[j]):
        return found
    if b.line[j] and is_hidden(b, j, low, high):
        least = most = b.place[j, members[0]]
        for t in members:
            least, most = min(least, b.place[j, t]), max(most, b.place[j, t])
        return found if is_hidden(b, j, least, most) else NONE
    one, other = NONE, NONE  # the type at an end, or below a child
    many_one, many_other, child_one, child_other = 0, 0, NONE, NONE
    for t in members:
        place = b.place[j, t]
        if b.line[j]:
            if place == low:
                one, many_one = t, many_one + 1
            elif place == high:
                other, many_other = t, many_other + 1
            continue
        child = child_above(b, j, low, place)
        if child_one == NONE or child == child_one:
            one, many_one, child_one = t, many_one + 1, child
        elif child_other == NONE or child == child_other:
            other, many_other, child_other = t, many_other + 1, child
        else:
            return found  # below three children
    if many_one == 0 or many_other == 0:
        return NONE
    if many_one == 1:
        found = add(forced, found, one)
    if many_other == 1:
        found = add(forced, found, other)
    return found


@inner
def add(forced: Int32s, found: int, t: int) -> int:
    for i in range(found):
        if forced[i] == t:
            return found
    forced[found] = t
    return found + 1


@compiled
def describe(
    b: BoxData,
    lows: Int32s,
    highs: Int32s,
    members: Int32s,
    cost: Ints,
    bits: Ints,
    forced: Int32s,
) -> None:
    """Fill in what boxes cost a row, the types that fit, and those they must have.

    ``cost``, ``bits`` and ``forced``, by box, are overwritten; forced types are
    followed by -1. ``members`` is room for all types.
    """
    for box in range(len(lows)):
        low, high = lows[box], highs[box]
        bits[box] = 0
        forced[box] = NONE
        count, found, total = 0, 0, 0
        for t in range(len(b.counts)):
            if contains(b, low, high, t):
                members[count] = t
                bits[box, t >> 6] |= 1 << (t & 63)
                count += 1
        for j in range(len(low)):
            if b.line[j]:
                total += range_loss(b, j, low[j], high[j])
            else:
                total += b.loss[j, low[j]]
            found = find_ends(
                b, j, low[j], high[j], members[:count], forced[box], found
            )
        cost[box] = total


@compiled
def close(b: BoxData, members: Int32s, low: Int32s, high: Int32s) -> bool:
    """Fill in the smallest box of some types; whether it may be published."""
    for j in range(len(low)):
        least = most = b.place[j, members[0]]
        for t in members:
            least, most = min(least, b.place[j, t]), max(most, b.place[j, t])
        if b.line[j]:
            if range_loss(b, j, least, most) < 0:
                return False
            if is_hidden(b, j, least, most):
                least, most = 0, b.size[j] - 1
        else:
            least = node_above(b, j, least, most)
            most = least
            if b.loss[j, least] < 0:
                return False
        low[j], high[j] = least, most
    return True
