"""One level down, to the members below a node: loops."""

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import inner
from starmin.models.patterns import node_arrays as na
from starmin.models.patterns.node_arrays import NodeWalk
from starmin.models.price_unit import ANY_COST, NO_PRICE

# The smallest nodes that members have in common: loops.


@inner
def extremes(w: NodeWalk, column: int, begin: int, end: int) -> tuple[int, int]:
    codes = w.codes[column]
    low = high = codes[w.members[begin]]
    for i in range(begin, end):
        code = codes[w.members[i]]
        low, high = min(low, code), max(high, code)
    return low, high


@inner
def range_loss(w: NodeWalk, column: int, low: int, high: int) -> int:
    first = w.columns[column, na.LINES]
    if low == high:
        return int(w.single[first + low])
    if is_hidden(w, column, low, high):
        return int(w.columns[column, na.WHOLE])
    length = w.amount[first + high] - w.begin[first + low]
    return int(max(length, w.columns[column, na.LEAST]))


@inner
def is_hidden(w: NodeWalk, column: int, low: int, high: int) -> bool:
    return bool(low != high and high > w.reach[w.columns[column, na.LINES] + low])


@inner
def lowest(w: NodeWalk, column: int, node: int, begin: int, end: int) -> int:
    """Return the lowest node above all of the members, from one above them on."""
    codes, size = w.codes[column], w.columns[column, na.SIZE]
    while node >= size:
        depth = w.depth[w.columns[column, na.NODES] + node] + 1
        child = w.above[w.columns[column, na.PATHS] + depth * size :]
        below, i = child[codes[w.members[begin]]], begin + 1
        while i < end and child[codes[w.members[i]]] == below:
            i += 1
        if i < end:
            return node
        node = below
    return node


@inner
def is_closed(w: NodeWalk, column: int, begin: int, end: int) -> bool:
    """Return whether the members have no smaller node in common than the one chosen."""
    low, high = w.chosen[column], w.chosen_high[column]
    codes, size = w.codes[column], w.columns[column, na.SIZE]
    if w.columns[column, na.LINE]:
        if is_hidden(w, column, low, high):
            least, most = extremes(w, column, begin, end)
            return bool(is_hidden(w, column, least, most))
        below, above, i = False, False, begin
        while i < end and not (below and above):
            code = codes[w.members[i]]
            below, above = below or code == low, above or code == high
            i += 1
        return bool(below and above)
    if low < size:
        return True
    depth = w.depth[w.columns[column, na.NODES] + low] + 1
    child = w.above[w.columns[column, na.PATHS] + depth * size :]
    one, i = child[codes[w.members[begin]]], begin + 1
    while i < end and child[codes[w.members[i]]] == one:
        i += 1
    return bool(i < end)


# Which members can be in a diverse fill that is worth something: loops.
#
# As ``starmin.models.lagrangian_relaxation.pricing_l`` shows, a fill with no value
# in more than one of l rows can be dealt to *row sets* of l copies or more, no value
# twice in one. Where :math:`k \le l`, any of these sets are a fill as well. So of a
# best fill with the fewest copies each set has a negative reduced cost, and where it
# has more than l copies, each of them has: else the set, or its dearest copy, could
# be left out.
#
# Let a pattern cost c, let :math:`m_v` be the highest price among its members of
# value v, and let :math:`\mu` be the sum of the l highest :math:`m_v`, the *heads*.
#
# - There is a row set of negative reduced cost if, and only if, :math:`\mu > l c`:
# the heads are the cheapest one of l copies. - A member t of value v is in one if,
# and only if, its price and the l - 1 highest heads of other values make more than l
# c together. Where v has one of the l - 1 highest heads, this says :math:`\lambda_t >
# m_v - (\mu - l c)`, else :math:`\lambda_t > m_{(l)} - (\mu - l c)`, :math:`m_{(l)}`
# being the l-th head.
#
# So the cheapest fill of a pattern is one of the members kept. A pattern whose
# members kept have a smaller node in common counts as 0. Rows that a release
# publishes as such a pattern may be worth less than 0 together; but its row sets of
# members kept can be counted as rows of the smaller pattern, where they cost no more,
# and the others are worth 0 or more, or have a dearer copy too many
# (``docs/reference/certificate.md`` has the proof).
#
# With a threshold above 0 a set must be worth less than that. Then these are not all
# members of fills worth less, since other sets of a fill may be worth less than 0;
# but they are those that matter for a search.
#
# Below a set of types that lose c so far, members are fewer and losses no less. So
# what is in no such row set there is in none below.


@inner
def keep_sets(
    w: NodeWalk, begin: int, end: int, top: int, cost: int
) -> tuple[int, int]:
    """Keep the members of row sets below the threshold; return where they are.

    Those that do not come first are copied to ``top``. None is kept if there is no such
    set, all are if members need not be in one.
    """
    heads, l = w.heads, w.l
    found, total = _find_heads(w, begin, end)
    slack = w.threshold + total - l * cost
    if found < l or slack <= 0:
        return begin, begin
    if not w.by_sets:
        return begin, end
    members, prices, values, least = w.members, w.prices, w.values[0], w.least_price
    end = _find_end(w, begin, end, prices[heads[l - 1]] - slack)
    for i in range(l - 1):
        least[values[heads[i]]] = prices[heads[i]] - slack
    kept = begin
    while kept < end and prices[members[kept]] > least[values[members[kept]]]:
        kept += 1
    if kept < end:
        at = top
        for i in range(begin, end):
            t = members[i]
            if i < kept or prices[t] > least[values[t]]:
                members[at] = t
                at += 1
        begin, end = top, at
    for i in range(l - 1):
        least[values[heads[i]]] = NO_PRICE
    return begin, end


@inner
def _find_end(w: NodeWalk, begin: int, end: int, price: int) -> int:
    """Return where the members end that have a higher price."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if w.prices[w.members[middle]] > price:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _find_heads(w: NodeWalk, begin: int, end: int) -> tuple[int, int]:
    """List the first members with different values; how many, and their prices' sum."""
    members, values, seen, heads = w.members, w.values[0], w.seen, w.heads
    found, total, i = 0, 0, begin
    while i < end and found < w.l:
        t = members[i]
        if seen[values[t]] < 0:
            seen[values[t]] = 1
            heads[found] = t
            total += w.prices[t]
            found += 1
        i += 1
    for j in range(found):
        seen[values[heads[j]]] = -1
    return found, total


@inner
def has_values(w: NodeWalk, column: int, begin: int, end: int) -> bool:
    """Return whether the members have l different values."""
    members, values, seen = w.members, w.values[column], w.seen
    different, i = 0, begin
    while i < end and different < w.l:
        value = values[members[i]]
        if seen[value] < 0:
            seen[value] = 1
            different += 1
        i += 1
    for j in range(begin, i):
        seen[values[members[j]]] = -1
    return different >= w.l


# Which members of a set can be in a fill that is worth something: loops.


@inner
def members_left(w: NodeWalk, begin: int, end: int, cost: int) -> int:
    """How many members are left by the rules of fill and members; 0: none counts."""
    members, prices, counts = w.members, w.prices, w.counts
    gain, copies, i = 0, 0, begin
    if w.mode == na.MATCHED:
        return end - begin if _matched(w, begin, end, cost) else 0
    if w.mode == na.WITHIN:
        while i < end and prices[members[i]] >= cost:
            copies += counts[members[i]]
            i += 1
        return i - begin if copies >= w.k else 0
    if w.mode == na.CHEAPEST:
        while i < end and copies < w.k:
            copies += counts[members[i]]
            i += 1
        if copies < w.k:
            return 0
        i = begin
        while i < end and prices[members[i]] <= cost:
            i += 1
        return end - begin if i < end else 0
    while i < end and prices[members[i]] > cost:
        t = members[i]
        gain += (prices[t] - cost) * counts[t]
        copies += counts[t]
        i += 1
    limit = gain + w.threshold
    value = -gain
    while copies < w.k and i < end and cost - prices[members[i]] < limit:
        t = members[i]
        take = min(counts[t], w.k - copies)
        value += take * (cost - prices[t])
        copies += take
        i += 1
    if copies < w.k or value >= w.threshold:
        return 0
    low, high = i, end
    while low < high:
        middle = (low + high) // 2
        if cost - prices[members[middle]] < limit:
            low = middle + 1
        else:
            high = middle
    return low - begin


@inner
def most_loss(w: NodeWalk, begin: int, end: int, cost: int) -> int:
    """Return a loss beyond which no pattern below counts; below 0: none does.

    The mean of the cheapest copies is least where there are no more than k. So a fill
    is worth something if these are worth what they cost.
    """
    if w.mode == na.MATCHED:
        return ANY_COST
    copies, earned, last = dearest(w, begin, end)
    if copies < w.k:
        return -1
    if w.mode == na.WITHIN:
        return int(last - cost)
    if w.mode == na.CHEAPEST:
        highest = cost
        for i in range(begin, end):
            highest = max(highest, w.prices[w.members[i]])
        return int(highest - cost)
    return int((w.threshold + earned - 1) // w.k - cost)


@inner
def _matched(w: NodeWalk, begin: int, end: int, cost: int) -> bool:
    """Return whether some member may be left less than is known."""
    copies, earned, last = dearest(w, begin, end)
    if copies < w.k:
        return False
    for i in range(begin, end):
        t = w.members[i]
        if cost - earned + max(w.prices[t], last) < w.least[t]:
            return True
    return False


@inner
def dearest(w: NodeWalk, begin: int, end: int) -> tuple[int, int, int]:
    """Sum the k highest prices of copies: how many there are, the sum, the last."""
    copies, earned, last, i = 0, 0, 0, begin
    while i < end and copies < w.k:
        t = w.members[i]
        take = min(w.counts[t], w.k - copies)
        copies += take
        last = w.prices[t]
        earned += take * last
        i += 1
    return copies, earned, last


@inner
def wide(number: int) -> int:
    """Return the number in 64 bits.

    Numba compiles a function again for each type of its arguments, a literal being one.
    """
    return int(np.int64(number))


@inner
def enter(w: NodeWalk, column: int, cost: int, begin: int, end: int, top: int) -> None:
    """Go to the root of a column with these members."""
    low, before = wide(0), wide(0)
    if column < len(w.codes):
        if w.columns[column, na.LINE]:
            before = w.columns[column, na.SIZE]
        else:
            low = w.columns[column, na.ROOT]
    push(w, column, low, before, cost, begin, end, top, wide(na.ALL))


@inner
def push(
    w: NodeWalk,
    column: int,
    low: int,
    before: int,
    cost: int,
    begin: int,
    end: int,
    top: int,
    part: int,
) -> None:
    """Go a level down with what is left of these members; stay if nothing is."""
    end = begin + members_left(w, begin, end, cost)
    if w.mode == na.PRICED and w.l > 1 and begin < end:
        begin, end = keep_sets(w, begin, end, top, cost)
        top = max(top, end)
    if begin == end:
        return
    for earlier in range(column):
        if not is_closed(w, earlier, begin, end):
            return
    for each in range(len(w.values) if w.l > 1 else 0):
        if not has_values(w, each, begin, end):
            return
    w.state[na.LEVEL] += 1
    frame = w.stack[w.state[na.LEVEL]]
    frame[na.COLUMN_AT], frame[na.LOW], frame[na.BEFORE] = column, low, before
    frame[na.COST], frame[na.BEGIN], frame[na.END] = cost, begin, end
    frame[na.TOP], frame[na.STAGE], frame[na.PART] = top, na.CHOOSE, part


@inner
def choose(w: NodeWalk, frame: Ints) -> None:
    """Publish the smallest node that the members have in common."""
    column, begin, end = frame[na.COLUMN_AT], frame[na.BEGIN], frame[na.END]
    if frame[na.TOP] + end - begin > len(w.members):
        w.state[na.FULL] = na.NO_ROOM_MEMBERS
        return
    frame[na.STAGE] = na.SPLIT
    if w.columns[column, na.LINE]:
        low, high, loss = _choose_range(w, frame)
    else:
        low, high = lowest(w, column, frame[na.LOW], begin, end), 0
        frame[na.LOW] = low
        loss = w.loss[w.columns[column, na.NODES] + low]
    if loss < 0:
        return
    w.chosen[column], w.chosen_high[column] = low, high
    w.state[na.WORK] -= end - begin
    enter(w, column + 1, frame[na.COST] + loss, begin, end, frame[na.TOP])


@inner
def _choose_range(w: NodeWalk, frame: Ints) -> tuple[int, int, int]:
    """Return the range from the least to the greatest member, and what it loses.

    A loss below 0 stands for one that is not published, or not here: ranges that may
    begin at several numbers are met where they are told apart.
    """
    column, begin, end = frame[na.COLUMN_AT], frame[na.BEGIN], frame[na.END]
    low, high = extremes(w, column, begin, end)
    if low >= frame[na.BEFORE]:
        w.state[na.LEVEL] -= 1  # such ranges are met elsewhere
        return low, high, wide(-1)
    frame[na.LOW], frame[na.HIGH] = low, high
    frame[na.BEFORE] = min(frame[na.BEFORE], high + 1)
    frame[na.MOST] = most_loss(w, begin, end, frame[na.COST])
    loss = range_loss(w, column, low, high)
    if is_hidden(w, column, low, high):
        if frame[na.PART] == na.SOME:  # part of what was published as all of the line
            return low, high, wide(-1)
        if low < w.columns[column, na.MISSING]:
            frame[na.PART], frame[na.FIRST] = na.APART, 0
        low, high = wide(0), w.columns[column, na.SIZE] - 1
    elif low + 1 < frame[na.BEFORE]:
        return low, high, wide(-1)
    if low != high and not w.columns[column, na.RANGES]:
        return low, high, wide(-1)
    return low, high, loss
