"""The smallest nodes that members have in common: loops."""

from starmin.instances.loops.compiled import inner
from starmin.models.node_walk.node_walk_data import (
    LEAST,
    LINE,
    LINES,
    NODES,
    PATHS,
    SIZE,
    WHOLE,
    NodeWalk,
)


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
    first = w.columns[column, LINES]
    if low == high:
        return int(w.single[first + low])
    if is_hidden(w, column, low, high):
        return int(w.columns[column, WHOLE])
    length = w.amount[first + high] - w.begin[first + low]
    return int(max(length, w.columns[column, LEAST]))


@inner
def is_hidden(w: NodeWalk, column: int, low: int, high: int) -> bool:
    return bool(low != high and high > w.reach[w.columns[column, LINES] + low])


@inner
def lowest(w: NodeWalk, column: int, node: int, begin: int, end: int) -> int:
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
def is_closed(w: NodeWalk, column: int, begin: int, end: int) -> bool:
    """Return whether the members have no smaller node in common than the one chosen."""
    low, high = w.chosen[column], w.chosen_high[column]
    codes, size = w.codes[column], w.columns[column, SIZE]
    if w.columns[column, LINE]:
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
    depth = w.depth[w.columns[column, NODES] + low] + 1
    child = w.above[w.columns[column, PATHS] + depth * size :]
    one, i = child[codes[w.members[begin]]], begin + 1
    while i < end and child[codes[w.members[i]]] == one:
        i += 1
    return bool(i < end)
