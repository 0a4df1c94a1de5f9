"""What groups below a box that is begun are worth at least: loops."""

import numpy as np

from starmin.instances.arrays import Bools, Int32s
from starmin.instances.loops.compiled import inner
from starmin.models.boxes.walk.box_data import BoxData
from starmin.models.boxes.walk.geometry import closed_loss
from starmin.models.boxes.walk.group_rule import CAPPED, DISTINCT
from starmin.models.boxes.walk.value_fills import NEVER
from starmin.models.boxes.walk.walk_data import BoxWalk, Highest


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
