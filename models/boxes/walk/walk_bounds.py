"""What groups below a box that is begun are worth at least: loops."""

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.walk.box_data import (
    CAPPED,
    DISTINCT,
    BoxData,
    BoxWalk,
    Highest,
)
from starmin.models.boxes.walk.box_fills import NEVER

# What boxes cost, which rows fit them, and which rows a group in them has: loops.

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
def describe(b: BoxData, lows: Int32s, highs: Int32s) -> tuple[Ints, Ints, Int32s]:
    """Return what boxes cost a row, the types that fit, and those they must have.

    All are by box: types that fit are bits, and those that are certain are followed by
    -1.
    """
    boxes, m = len(lows), len(b.counts)
    members, cost = np.zeros(m, np.int32), np.zeros(boxes, np.int64)
    bits = np.zeros((boxes, (m + 63) // 64), np.int64)
    forced = np.full((boxes, 2 * len(b.size)), NONE, np.int32)
    for box in range(boxes):
        low, high = lows[box], highs[box]
        count, found, total = 0, 0, 0
        for t in range(m):
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
    return cost, bits, forced


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


@inner
def rows_inside(b: BoxData, members: Int32s, ends: Int32s, inside: Bools) -> int:
    """Count how many rows of a set a group of some types has at least.

    The group may have the types ``members`` and has those of ``ends``; ``inside`` marks
    the types of the set.
    """
    if b.kind == CAPPED or b.kind == DISTINCT:
        return int(values_inside(b, members, ends, inside))
    least, rows = 0, b.least
    for t in ends:
        least += inside[t]
    for i in range(len(members)):
        if rows <= least:
            break
        t = members[i]
        if inside[t]:
            continue
        if not b.spread:
            rows -= b.counts[t]
        else:
            again = False
            for k in range(i):
                s = members[k]
                again |= not inside[s] and b.value[s] == b.value[t]
            rows -= not again
    return int(max(least, rows))


@inner
def is_first(b: BoxData, types: Int32s, i: int, inside: Bools) -> bool:
    """Return whether no type before has its value, on the same side of a set."""
    t = types[i]
    for k in range(i):
        s = types[k]
        if inside[s] == inside[t] and b.value[s] == b.value[t]:
            return False
    return True


@inner
def values_inside(b: BoxData, members: Int32s, ends: Int32s, inside: Bools) -> int:
    """Count rows as ``rows_inside`` does, where a group may have values again.

    It has as many rows of the set as values at its ends there, and as many as values
    that it has beyond those outside of the set.
    """
    least, rows, values = 0, b.least, b.values
    for i in range(len(ends)):
        if inside[ends[i]] and is_first(b, ends, i, inside):
            least += 1
    for i in range(len(members)):
        if max(rows, values) <= least:
            break
        t = members[i]
        if not inside[t]:
            rows -= b.counts[t]
            if is_first(b, members, i, inside):
                values -= 1
    return int(max(least, rows, values))


@inner
def charged(w: BoxWalk, members: Int32s, ends: Int32s) -> int:
    """Return what sets charge a group whose box has these types, or fewer of them."""
    total = 0
    for s in range(len(w.charge)):
        rows = rows_inside(w.data, members, ends, w.inside[s])
        total += w.charge[s] * (rows // w.share[s])
    return total


@inner
def insert(b: BoxData, top: Highest, price: int, copies: int, value: int) -> Highest:
    """Insert copies of a price among the highest ones."""
    heads, tags, held = top
    if b.spread:
        for i in range(held):
            if tags[i] == value:
                if heads[i] >= price:
                    return heads, tags, held
                for k in range(i, held - 1):
                    heads[k], tags[k] = heads[k + 1], tags[k + 1]
                held -= 1
                break
        copies = 1
    for _ in range(copies):
        if held == b.most:
            if heads[held - 1] >= price:
                return heads, tags, held
            held -= 1
        i = held
        while i > 0 and heads[i - 1] < price:
            heads[i], tags[i] = heads[i - 1], tags[i - 1]
            i -= 1
        heads[i], tags[i] = price, value
        held += 1
    return heads, tags, held


@inner
def free_copies(b: BoxData, forced: Int32s, t: int) -> int:
    """Return how many copies of a type may join some types, each of which is there."""
    copies = b.counts[t]
    for f in forced:
        if f == t:
            copies -= 1
        elif b.spread and b.value[f] == b.value[t]:
            copies = 0
    return int(copies)


@inner
def add_type(w: BoxWalk, top: Highest, forced: Int32s, t: int) -> Highest:
    """Insert the copies of a type that may join among the highest prices."""
    copies = free_copies(w.data, forced, t)
    if copies <= 0:
        return top
    longer: Highest = insert(w.data, top, w.prices[t], copies, w.data.value[t])
    return longer


@inner
def joined_loss(w: BoxWalk, column: int, forced: Int32s) -> int:
    """Note the ends of some types in the columns to come; return what these cost.

    A large negative number stands for ends that no group may have.
    """
    b, total = w.data, 0
    if len(forced) == 0:
        return 0
    for j in range(column, len(b.size)):
        first = last = b.place[j, forced[0]]
        for t in forced[1:]:
            first, last = min(first, b.place[j, t]), max(last, b.place[j, t])
        w.first[j], w.last[j] = first, last
        loss = closed_loss(b, j, first, last)
        if loss < 0:
            return -NEVER
        total += loss
    return int(total)


@inner
def anchored(
    w: BoxWalk, column: int, members: Int32s, forced: Int32s, cost: int
) -> int:
    """Return what a group with some types is worth at least, below a box begun.

    A further type widens what the group is published as in the columns to come. So the
    types are looked at by what a group costs that has them: one that costs no more than
    that has the types so far alone.
    """
    b, sizes = w.data, len(members)
    for i in range(sizes):
        paid = cost
        for j in range(column, len(b.size)):
            place = b.place[j, members[i]]
            first, last = min(w.first[j], place), max(w.last[j], place)
            loss = closed_loss(b, j, first, last)
            paid = paid + loss if loss >= 0 and paid < NEVER else NEVER
        w.paid[i] = paid
    # Its own room: who splits a column goes on with the highest prices so far.
    top, best = (w.own_heads, w.own_tags, 0), NEVER
    for i in np.argsort(w.paid[:sizes]):
        t = members[i]
        if w.paid[i] == NEVER:
            break
        top = add_type(w, top, forced, t)
        best = min(best, worth_with(w, top, forced, w.paid[i]))
    return int(best)


@inner
def worth_with(w: BoxWalk, top: Highest, forced: Int32s, cost: int) -> int:
    """Return the worth of the best group of some types and the highest prices."""
    b, total, size = w.data, 0, len(forced)
    heads, _, held = top
    for t in forced:
        total += cost - w.prices[t]
    for i in range(held):
        each = cost - heads[i]
        if size >= b.most or (size >= b.least and each >= 0):
            break
        total, size = total + each, size + 1
    return int(total) if size >= b.least else NEVER
