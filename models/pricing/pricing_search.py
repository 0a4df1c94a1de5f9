"""The depth-first walk over sets of row types that finds priced patterns: loops.

The walk of ``starmin.models.patterns.node_walk`` finds the same, a column that is kept
or starred being a tree of one level. It takes more than twice the processor time, and
with a kind of column of its own for that still 1.7 times: it checks nodes that may be
ranges or hidden, and writes two nodes a column where a bit will do. So there are two
walks. ``benchmarks/speed/pattern_walks.py`` measures both.
"""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.price_unit import ANY_COST

MOST_COLUMNS = 62  # as bits
_SMALL = 4  # times k members: where columns that must be starred are looked for

# Places in Walk.state and in the rows of Walk.stack.
PATTERNS, INCIDENCES, WORK, FULL, LEVEL = range(5)
_ROW, _BEGIN, _END, _COST, _STARRED, _PART, _PARTS, _FIRST, _FIXED = range(9)
STACK = 9


class Walk(NamedTuple):
    """What the compiled walk reads and writes."""

    # codes, counts, prices, values: the types in order of falling prices: QI codes by
    # column in the order of the walk, multiplicities, prices, sensitive codes
    codes: Int32s
    counts: Ints
    prices: Ints
    values: Int32s
    # numbers of what the types have in a column and all columns after it
    suffixes: Int32s
    # star, cheapest: the cost of a star by column in the order of the walk, -1: none
    # allowed; the least one from the column on
    star: Ints
    cheapest: Ints
    k: int  # k, l: least copies, and least different sensitive values, of a pattern
    l: int
    threshold: int  # fills worth this or more are left out
    members: Int32s  # room for the members of a group, by column
    # ends, distinct: room for the groups that a group is split into, by column
    ends: Int32s
    distinct: Int32s
    seen: Int32s  # room for marks of sensitive values
    # the sets on the way down, one for each column: where its members are, its cost,
    # its stars, how many of its parts were visited
    stack: Ints
    types: Int32s  # types, starts, cost, starred: the patterns found
    starts: Ints
    cost: Ints
    starred: Ints
    # patterns and incidences so far; work until the next stop; whether there was no
    # room; how far down the walk is
    state: Ints


@compiled
def start(w: Walk) -> None:
    """Go to the set of all types."""
    w.members[0] = np.arange(len(w.counts))
    none = np.int64(0)  # a literal would be one more type to compile for
    w.state[LEVEL] = _push(w, none - 1, none, none, len(w.counts), none, none)


@compiled
def walk_on(w: Walk) -> None:
    """Depth first, a level for each column: its groups when kept, then starred.

    Stops when the work is used up, and goes on from there when called again.
    """
    stack, level = w.stack, w.state[LEVEL]
    while level >= 0 and w.state[FULL] == 0 and w.state[WORK] > 0:
        if level == len(w.star):
            _emit(w, level)
            level -= 1
            continue
        if stack[level, _PARTS] == 0:
            _split(w, level)
        part = stack[level, _PART]
        stack[level, _PART] += 1
        if part < stack[level, _PARTS]:
            level = _keep(w, level, part)
        elif (
            part == stack[level, _PARTS]
            and part > 1
            and stack[level, _FIXED] == 0
            and w.star[level] >= 0
        ):
            level = _push(
                w,
                level,
                stack[level, _ROW],
                stack[level, _BEGIN],
                stack[level, _END],
                stack[level, _COST] + w.star[level],
                stack[level, _STARRED] | 1 << level,
            )
        else:
            level -= 1
    w.state[LEVEL] = level


@inner
def _keep(w: Walk, level: int, part: int) -> int:
    """Go on to the members with the next value of the column; the new level."""
    stack = w.stack
    value = w.distinct[level, part]
    begin, end = stack[level, _FIRST], w.ends[level, value]
    w.ends[level, value] = 0
    stack[level, _FIRST] = end
    row = level + 1
    if stack[level, _PARTS] == 1:
        row = stack[level, _ROW]
        begin, end = stack[level, _BEGIN], stack[level, _END]
    cost, starred = stack[level, _COST], stack[level, _STARRED]
    if stack[level, _FIXED] == 0:
        return int(_push(w, level, row, begin, end, cost, starred))
    # All columns that are left are kept: what lies below is one pattern.
    last = len(w.star) - 1
    if _push(w, last, row, begin, end, cost, starred) > last:
        _emit(w, last + 1)
    return level


@inner
def _push(
    w: Walk, level: int, row: int, begin: int, end: int, cost: int, starred: int
) -> int:
    """Go a level down with what is left of these members; stay if nothing is."""
    size = _counts(w, row, begin, end, cost)
    if 0 < size <= _SMALL * w.k and level + 1 < len(w.star):
        more = _must_star(w, level + 1, row, begin, begin + size)
        if more > 0:
            size = _counts(w, row, begin, begin + size, cost + more)
    if size == 0:
        return level
    column, left = np.int64(0), starred
    while left:
        if left & 1 and _agree(w, column, row, begin, begin + size):
            return level
        column += 1
        left >>= 1
    if w.l > 1:
        for sensitive in range(len(w.values)):
            if not _diverse(w, sensitive, row, begin, begin + size):
                return level
    stack, new = w.stack, level + 1
    stack[new, _ROW], stack[new, _BEGIN], stack[new, _END] = row, begin, begin + size
    stack[new, _COST], stack[new, _STARRED] = cost, starred
    stack[new, _PART], stack[new, _PARTS] = 0, 0
    return new


@inner
def _counts(w: Walk, row: int, begin: int, end: int, cost: int) -> int:
    """How many members are left by the rules of fill and members; 0: none counts."""
    members, prices, counts = w.members, w.prices, w.counts
    gain, copies, i = 0, 0, begin
    while i < end and prices[members[row, i]] > cost:
        t = members[row, i]
        gain += (prices[t] - cost) * counts[t]
        copies += counts[t]
        i += 1
    limit = gain + w.threshold
    value = -gain
    while copies < w.k and i < end and cost - prices[members[row, i]] < limit:
        t = members[row, i]
        take = min(counts[t], w.k - copies)
        value += take * (cost - prices[t])
        copies += take
        i += 1
    if copies < w.k or value >= w.threshold:
        return 0
    low, high = i, end
    while low < high:
        middle = (low + high) // 2
        if cost - prices[members[row, middle]] < limit:
            low = middle + 1
        else:
            high = middle
    return low - begin


@inner
def _must_star(w: Walk, level: int, row: int, begin: int, end: int) -> int:
    """Return what the columns cost that cannot be kept, as no value has k copies."""
    total, codes, copies, members = 0, w.codes, w.ends, w.members
    for column in range(level, len(w.star)):
        most, i = 0, begin
        while i < end and most < w.k:
            value = codes[column, members[row, i]]
            copies[level, value] += w.counts[members[row, i]]
            most = max(most, copies[level, value])
            i += 1
        for j in range(begin, i):
            copies[level, codes[column, members[row, j]]] = 0
        if most < w.k:
            if w.star[column] < 0:
                return ANY_COST
            total += w.star[column]
    return total


@inner
def _split(w: Walk, level: int) -> None:
    """Sort the members by their values, those of equal value in order of price."""
    stack, members, ends, distinct = w.stack, w.members, w.ends, w.distinct
    row, begin, end = stack[level, _ROW], stack[level, _BEGIN], stack[level, _END]
    least = stack[level, _COST] + w.cheapest[level]
    fixed = w.cheapest[level] < 0 or _counts(w, row, begin, end, least) == 0
    codes = w.suffixes if fixed else w.codes
    parts = 0
    for i in range(begin, end):
        value = codes[level, members[row, i]]
        if ends[level, value] == 0:
            distinct[level, parts] = value
            parts += 1
        ends[level, value] += 1
    stack[level, _FIXED], stack[level, _PARTS] = fixed, parts
    stack[level, _FIRST] = begin
    w.state[WORK] -= end - begin
    if parts == 1:
        return
    first = begin
    for i in range(parts):
        size = ends[level, distinct[level, i]]
        ends[level, distinct[level, i]] = first
        first += size
    for i in range(begin, end):
        value = codes[level, members[row, i]]
        members[level + 1, ends[level, value]] = members[row, i]
        ends[level, value] += 1


@inner
def _agree(w: Walk, column: int, row: int, begin: int, end: int) -> bool:
    members, codes = w.members, w.codes
    one, i = codes[column, members[row, begin]], begin + 1
    while i < end and codes[column, members[row, i]] == one:
        i += 1
    return bool(i == end)


@inner
def _diverse(w: Walk, column: int, row: int, begin: int, end: int) -> bool:
    """Return whether the members have l different values."""
    members, values, seen = w.members, w.values, w.seen
    different, i = 0, begin
    while i < end and different < w.l:
        value = values[column, members[row, i]]
        if seen[value] < 0:
            seen[value] = 1
            different += 1
        i += 1
    for j in range(begin, i):
        seen[values[column, members[row, j]]] = -1
    return different >= w.l


@inner
def _emit(w: Walk, level: int) -> None:
    row, begin, end = w.stack[level, _ROW], w.stack[level, _BEGIN], w.stack[level, _END]
    number, used = w.state[PATTERNS], w.state[INCIDENCES]
    if used + end - begin > len(w.types) or number == len(w.cost):
        w.state[FULL] = 1
        return
    for i in range(begin, end):
        w.types[used + i - begin] = w.members[row, i]
    w.starts[number] = used
    w.cost[number] = w.stack[level, _COST]
    w.starred[number] = w.stack[level, _STARRED]
    w.state[PATTERNS] += 1
    w.state[INCIDENCES] += end - begin
