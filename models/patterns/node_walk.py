"""The depth-first walk over vectors of nodes that finds priced patterns: loops."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from instances.loops.compiled import compiled, inner

Ints = npt.NDArray[np.int64]
Members = npt.NDArray[np.int32]

ANY_COST = 1 << 60
NO_ROOM_FOUND, NO_ROOM_MEMBERS = 1, 2

PRICED, CHEAPEST, WITHIN, MATCHED = range(4)

# Places in NodeWalk.state and in the rows of NodeWalk.stack.
PATTERNS, INCIDENCES, WORK, FULL, LEVEL = range(5)
_COLUMN, _LOW, _HIGH, _COST, _BEGIN, _END, _TOP, _STAGE, _FIRST, _NARROW = range(10)
FRAME = 10
_CHOOSE, _SPLIT, _NEXT = range(3)
_AMPLE = 4  # times k rows of a pattern are listed beside those that it leaves little
# How ranges are narrowed: see _narrow and _next_apart.
_FROM_ABOVE, _FROM_BELOW, _APART = 1, 2, 3
# Places in the rows of NodeWalk.columns.
LINE, SIZE, ROOT, NODES, LINES, PATHS, MISSING, WHOLE, LEAST, RANGES = range(10)
COLUMN = 10


class NodeWalk(NamedTuple):
    """What the compiled walk reads and writes.

    Attributes
    ----------
    codes, counts, prices, values
        The types in order of falling prices: positions by column in the order of the
        walk, multiplicities, prices, sensitive codes.
    columns
        By column: whether its nodes are ranges of numbers, else those of a tree
        (LINE); how many positions there are (SIZE); the root of its tree (ROOT); where
        it begins in the arrays of nodes, numbers and ancestors (NODES, LINES, PATHS);
        of a line how many missing values there are, which have the first positions
        (MISSING), the loss of all of it (WHOLE), that of its shortest range (LEAST),
        and whether ranges may be published (RANGES).
    loss
        Of each node, -1 where it must not be published.
    depth
        Of each node, 0 for roots.
    above
        By column, depth and leaf: the ancestor of the leaf at that depth.
    amount, begin
        Of each position of a line: what it adds to the loss of a range that ends, and
        takes from that of one that begins, there.
    reach
        Of each position of a line: where a range ends at last that begins there, if it
        is not to be hidden, which is to be published as all of the line.
    k, l
        Least copies, and least different sensitive values, of a pattern.
    threshold, most_cost
        Fills worth this or more, and patterns dearer than that, are left out.
    mode
        PRICED; or CHEAPEST: the walk looks for the cheapest pattern of each type,
        ``prices`` are the costs of the cheapest ones found so far, and all members of a
        set stay; or WITHIN: members are those whose price is the cost or more; or
        MATCHED: each member is a released row of its own that earns the k - 1 highest
        other prices, and patterns are looked for that leave one less than ``least``.
    least
        MATCHED: what is left to each type at least, as far as is known.
    members
        The sets on the way down, one after the other.
    tally, distinct, seen
        Room to sort members by nodes, and for marks of sensitive values.
    stack
        The sets on the way down: column, node or range, cost of the columns before,
        where the members are and where there is room, what was done with it.
    chosen, chosen_high
        The node, or the ends of the range, of each column before.
    types, starts, cost, lows, highs
        The patterns found.
    state
        Patterns and incidences so far; work until the next stop; what there was no
        room for; how far down the walk is.
    """

    codes: Members
    counts: Ints
    prices: Ints
    values: Members
    columns: Ints
    loss: Ints
    depth: Members
    above: Members
    amount: Ints
    begin: Ints
    reach: Ints
    k: int
    l: int
    threshold: int
    most_cost: int
    mode: int
    least: Ints
    members: Members
    tally: Members
    distinct: Members
    seen: Members
    stack: Ints
    chosen: Members
    chosen_high: Members
    types: Members
    starts: Ints
    cost: Ints
    lows: Members
    highs: Members
    state: Ints


@compiled
def start(w: NodeWalk) -> None:
    """Go to the set of all types."""
    for t in range(len(w.counts)):
        w.members[t] = t
    w.state[LEVEL] = -1
    zero = _wide(0)
    _enter(w, zero, zero, zero, len(w.counts), len(w.counts))


@inner
def _wide(number: int) -> int:
    """Return the number in 64 bits.

    Numba compiles a function again for each type of its arguments, a literal being one.
    """
    return int(np.int64(number))


@compiled
def walk_on(w: NodeWalk) -> None:
    """Depth first: a column's nodes from the root down, below each the next column.

    Stops when the work is used up, or the room, and goes on from there when called
    again.
    """
    stack, state = w.stack, w.state
    while state[LEVEL] >= 0 and state[FULL] == 0 and state[WORK] > 0:
        frame = stack[state[LEVEL]]
        if frame[_COLUMN] == len(w.codes):
            _emit(w, frame)
        elif frame[_STAGE] == _CHOOSE:
            _choose(w, frame)
        elif frame[_NARROW] == _APART:
            _next_apart(w, frame)
        elif w.columns[frame[_COLUMN], LINE]:
            _narrow(w, frame)
        elif frame[_STAGE] == _SPLIT:
            _split(w, frame)
        else:
            _next_part(w, frame)


@inner
def _enter(w: NodeWalk, column: int, cost: int, begin: int, end: int, top: int) -> None:
    """Go to the root of a column with these members."""
    low, high = _wide(0), _wide(0)
    if column < len(w.codes):
        if w.columns[column, LINE]:
            high = w.columns[column, SIZE] - 1
        else:
            low = w.columns[column, ROOT]
    _push(w, column, low, high, cost, begin, end, top, _wide(0))


@inner
def _push(
    w: NodeWalk,
    column: int,
    low: int,
    high: int,
    cost: int,
    begin: int,
    end: int,
    top: int,
    narrow: int,
) -> None:
    """Go a level down with what is left of these members; stay if nothing is."""
    if cost > w.most_cost:
        return
    size = _counts(w, begin, end, cost)
    if size == 0:
        return
    for before in range(column):
        if not _is_closed(w, before, begin, begin + size):
            return
    if w.l > 1:
        for each in range(len(w.values)):
            if not _diverse(w, each, begin, begin + size):
                return
    w.state[LEVEL] += 1
    frame = w.stack[w.state[LEVEL]]
    frame[_COLUMN], frame[_LOW], frame[_HIGH] = column, low, high
    frame[_COST], frame[_BEGIN], frame[_END] = cost, begin, begin + size
    frame[_TOP], frame[_STAGE], frame[_NARROW] = top, _CHOOSE, narrow


@inner
def _counts(w: NodeWalk, begin: int, end: int, cost: int) -> int:
    """How many members are left by the rules of fill and members; 0: none counts."""
    members, prices, counts = w.members, w.prices, w.counts
    gain, copies, i = 0, 0, begin
    if w.mode == MATCHED:
        return end - begin if _matched(w, begin, end, cost) else 0
    if w.mode == WITHIN:
        while i < end and prices[members[i]] >= cost:
            copies += counts[members[i]]
            i += 1
        return i - begin if copies >= w.k else 0
    if w.mode == CHEAPEST:
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
def _matched(w: NodeWalk, begin: int, end: int, cost: int) -> bool:
    """Return whether some member may be left less than is known."""
    copies, earned, last = _dearest(w, begin, end)
    if copies < w.k:
        return False
    for i in range(begin, end):
        t = w.members[i]
        if cost - earned + max(w.prices[t], last) < w.least[t]:
            return True
    return False


@inner
def _dearest(w: NodeWalk, begin: int, end: int) -> tuple[int, int, int]:
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
def _choose(w: NodeWalk, frame: Ints) -> None:
    """Publish the smallest node that the members have in common."""
    column, begin, end = frame[_COLUMN], frame[_BEGIN], frame[_END]
    frame[_STAGE] = _SPLIT
    if w.columns[column, LINE]:
        low, high = _extremes(w, column, begin, end)
        if frame[_NARROW] == _FROM_ABOVE and low > frame[_LOW]:
            w.state[LEVEL] -= 1  # met where the range is narrowed from below
            return
        frame[_LOW], frame[_HIGH] = low, high
        loss = _range_loss(w, column, low, high)
        if _is_hidden(w, column, low, high):
            if frame[_NARROW]:  # part of what was published as all of the line
                loss = -1
            if low < w.columns[column, MISSING]:
                frame[_NARROW], frame[_FIRST] = _APART, 0
            low, high = 0, w.columns[column, SIZE] - 1
        if low != high and not w.columns[column, RANGES]:
            loss = -1
    else:
        low, high = _lowest(w, column, frame[_LOW], begin, end), 0
        frame[_LOW] = low
        loss = w.loss[w.columns[column, NODES] + low]
    if loss < 0:
        return
    w.chosen[column], w.chosen_high[column] = low, high
    w.state[WORK] -= end - begin
    _enter(w, column + 1, frame[_COST] + loss, begin, end, frame[_TOP])


@inner
def _range_loss(w: NodeWalk, column: int, low: int, high: int) -> int:
    if low == high:
        return 0
    if _is_hidden(w, column, low, high):
        return int(w.columns[column, WHOLE])
    first = w.columns[column, LINES]
    length = w.amount[first + high] - w.begin[first + low]
    return int(max(length, w.columns[column, LEAST]))


@inner
def _is_hidden(w: NodeWalk, column: int, low: int, high: int) -> bool:
    return bool(low != high and high > w.reach[w.columns[column, LINES] + low])


@inner
def _split(w: NodeWalk, frame: Ints) -> None:
    """Sort the members by the child that they are below, in order of price in each."""
    column, node = frame[_COLUMN], frame[_LOW]
    begin, end, top = frame[_BEGIN], frame[_END], frame[_TOP]
    if node < w.columns[column, SIZE]:
        w.state[LEVEL] -= 1  # a leaf
        return
    if top + end - begin > len(w.members):
        w.state[FULL] = NO_ROOM_MEMBERS
        return
    members, tally, codes = w.members, w.tally, w.codes[column]
    depth = w.depth[w.columns[column, NODES] + node] + 1
    child = w.above[w.columns[column, PATHS] + depth * w.columns[column, SIZE] :]
    parts = 0
    for i in range(begin, end):
        of = child[codes[members[i]]]
        if tally[of] == 0:
            w.distinct[parts] = of
            parts += 1
        tally[of] += 1
    at = top
    for i in range(parts):
        of = w.distinct[i]
        size = tally[of]
        tally[of] = at
        at += size
    for i in range(begin, end):
        of = child[codes[members[i]]]
        members[tally[of]] = members[i]
        tally[of] += 1
    for i in range(parts):
        tally[w.distinct[i]] = 0
    w.state[WORK] -= end - begin
    frame[_STAGE], frame[_FIRST], frame[_HIGH] = _NEXT, top, at


@inner
def _next_part(w: NodeWalk, frame: Ints) -> None:
    """Go to the members below the next child."""
    column, begin, last = frame[_COLUMN], frame[_FIRST], frame[_HIGH]
    if begin == last:
        w.state[LEVEL] -= 1
        return
    depth = w.depth[w.columns[column, NODES] + frame[_LOW]] + 1
    child = w.above[w.columns[column, PATHS] + depth * w.columns[column, SIZE] :]
    codes, node, end = w.codes[column], child[w.codes[column][w.members[begin]]], begin
    while end < last and child[codes[w.members[end]]] == node:
        end += 1
    frame[_FIRST] = end
    zero = _wide(0)
    _push(w, column, _wide(node), zero, frame[_COST], begin, end, last, zero)


@inner
def _narrow(w: NodeWalk, frame: Ints) -> None:
    """Go to the range without its least number, then to that without its greatest.

    A range is narrowed from above after it was from below, so that none is met twice.
    """
    column, low, high = frame[_COLUMN], frame[_LOW], frame[_HIGH]
    begin, end, top = frame[_BEGIN], frame[_END], frame[_TOP]
    if low == high or frame[_STAGE] > _NEXT:
        w.state[LEVEL] -= 1
        return
    from_below = frame[_STAGE] == _SPLIT
    frame[_STAGE] += 1
    if from_below and frame[_NARROW] == _FROM_ABOVE:
        return
    if top + end - begin > len(w.members):
        frame[_STAGE] -= 1
        w.state[FULL] = NO_ROOM_MEMBERS
        return
    codes, gone, at = w.codes[column], low if from_below else high, top
    for i in range(begin, end):
        if codes[w.members[i]] != gone:
            w.members[at] = w.members[i]
            at += 1
    w.state[WORK] -= end - begin
    narrow = _FROM_BELOW if from_below else _FROM_ABOVE
    _push(w, column, low, high, frame[_COST], top, at, at, narrow)


@inner
def _next_apart(w: NodeWalk, frame: Ints) -> None:
    """Go to the members with the next missing value, in the end to the numbers."""
    column, value, last = (
        frame[_COLUMN],
        frame[_FIRST],
        w.columns[frame[_COLUMN], MISSING],
    )
    begin, end, top = frame[_BEGIN], frame[_END], frame[_TOP]
    if value > last:
        w.state[LEVEL] -= 1
        return
    if top + end - begin > len(w.members):
        w.state[FULL] = NO_ROOM_MEMBERS
        return
    frame[_FIRST] += 1
    codes, at = w.codes[column], top
    for i in range(begin, end):
        if min(codes[w.members[i]], last) == value:
            w.members[at] = w.members[i]
            at += 1
    w.state[WORK] -= end - begin
    zero, whole = _wide(0), w.columns[column, SIZE] - 1
    _push(w, column, zero, whole, frame[_COST], top, at, at, _wide(_FROM_BELOW))


@inner
def _extremes(w: NodeWalk, column: int, begin: int, end: int) -> tuple[int, int]:
    codes = w.codes[column]
    low = high = codes[w.members[begin]]
    for i in range(begin, end):
        code = codes[w.members[i]]
        low, high = min(low, code), max(high, code)
    return low, high


@inner
def _lowest(w: NodeWalk, column: int, node: int, begin: int, end: int) -> int:
    """Return the lowest node above all of the members, from one above them on."""
    codes, size = w.codes[column], w.columns[column, SIZE]
    while node >= size:
        depth = w.depth[w.columns[column, NODES] + node] + 1
        child = w.above[w.columns[column, PATHS] + depth * size :]
        below, i = child[codes[w.members[begin]]], begin + 1
        while i < end and child[codes[w.members[i]]] == below:
            i += 1
        if i < end:
            return node
        node = below
    return node


@inner
def _is_closed(w: NodeWalk, column: int, begin: int, end: int) -> bool:
    """Return whether the members have no smaller node in common than the one chosen."""
    low, high = w.chosen[column], w.chosen_high[column]
    codes, size = w.codes[column], w.columns[column, SIZE]
    if w.columns[column, LINE]:
        if _is_hidden(w, column, low, high):
            least, most = _extremes(w, column, begin, end)
            return bool(_is_hidden(w, column, least, most))
        below, above, i = False, False, begin
        while i < end and not (below and above):
            code = codes[w.members[i]]
            below, above = below or code == low, above or code == high
            i += 1
        return bool(below and above)
    if low < size:
        return True
    depth = w.depth[w.columns[column, NODES] + low] + 1
    child = w.above[w.columns[column, PATHS] + depth * size :]
    one, i = child[codes[w.members[begin]]], begin + 1
    while i < end and child[codes[w.members[i]]] == one:
        i += 1
    return bool(i < end)


@inner
def _diverse(w: NodeWalk, column: int, begin: int, end: int) -> bool:
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


@inner
def _emit(w: NodeWalk, frame: Ints) -> None:
    begin, end, cost = frame[_BEGIN], frame[_END], frame[_COST]
    if w.mode == CHEAPEST:
        for i in range(begin, end):
            t = w.members[i]
            w.prices[t] = min(w.prices[t], cost)
        w.state[LEVEL] -= 1
        return
    number, used = w.state[PATTERNS], w.state[INCIDENCES]
    if used + end - begin > len(w.types) or number == len(w.cost):
        w.state[FULL] = NO_ROOM_FOUND
        return
    size = 0
    if w.mode == MATCHED:
        size = _emit_matched(w, begin, end, cost, used)
    else:
        for i in range(begin, end):
            w.types[used + size] = w.members[i]
            size += 1
    w.starts[number] = used
    w.cost[number] = cost
    w.lows[number] = w.chosen
    w.highs[number] = w.chosen_high
    w.state[PATTERNS] += 1
    w.state[INCIDENCES] += size
    w.state[LEVEL] -= 1


@inner
def _emit_matched(w: NodeWalk, begin: int, end: int, cost: int, used: int) -> int:
    """Lower what is left to members; list these and the dearest ones, which they earn.

    Others that fit matter only where prices become much different.
    """
    _, earned, last = _dearest(w, begin, end)
    size, copies = 0, 0
    for i in range(begin, end):
        t = w.members[i]
        left = cost - earned + max(w.prices[t], last)
        if left < w.least[t] or copies < _AMPLE * w.k:
            w.types[used + size] = t
            size += 1
        copies += w.counts[t]
        w.least[t] = min(w.least[t], left)
    return size
