"""Search for rows that pay less together than their prices: loops."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inlined, inner
from starmin.instances.scales.scale import FLAT, NUMERIC, TREE, ScaleArrays

CHEAPER, DONE, DEEP = -1, -2, -3  # in the place of the dearest row of a group


class Rows(NamedTuple):
    """Rows by falling price, and room for the search."""

    positions: Int32s  # positions, prices: of each row; n x d and n
    prices: Ints
    leads: Bools  # whether a row may be the dearest of a group that pays less
    arrays: ScaleArrays  # the scales; of trees with what each node costs a row
    # what an extent of 1 costs in each column; where rows must not differ, less than 0:
    # that is then what they lose, more than all prices, with the sign turned
    units: Ints
    k: int  # rows of a group
    # values, most: the sensitive value of each row, and how many rows of a group may
    # have one
    values: Ints
    most: int
    used: Ints  # how many of the rows chosen so far have each value
    # nodes, paid, marked: by column and node of a tree: what the first row pays with a
    # leaf right below, and the last row that it was found above of
    nodes: Ints
    paid: Ints
    marked: Ints
    low: Int32s  # low, high: k x d: the ranges of the rows chosen so far
    high: Int32s
    # lists, costs: levels x n: rows that may come next, and what each row pays with
    # them; k levels, or fewer where these would take too much memory
    lists: Int32s
    costs: Ints
    # by number of rows that are chosen how many may come next, how many of these were
    # looked at, and what is earned; last the level to go on at, -1 at the beginning
    levels: Ints
    # sorted, begins, columns: of each column the rows by position, where those of each
    # position begin among them, and where the column begins in the latter
    sorted: Int32s
    begins: Ints
    columns: Ints


@compiled
def next_first(w: Rows, first: int, step: int, most_work: int) -> int:
    """Look for k rows that pay less than their prices, from one dearest row on.

    Only every so many rows are looked at: others have the others. Returned is CHEAPER
    where there are some, DONE where no row is left, DEEP where there is no room to say;
    else, after so much work, the dearest row to go on with.
    """
    work = 0
    while first < len(w.prices) and w.prices[first] > 0:
        if work > most_work:
            return first
        if w.leads[first]:
            done: int = _look(w, first, most_work)
            if done < 0:
                return done
            work += done
            if w.levels[3, 0] >= 0:
                return first
        first += step
    return DONE


@inner
def _look(w: Rows, first: int, most_work: int) -> int:
    """Look for a group whose dearest row is this one; return the work, or one of those.

    After so much work it pauses, and goes on from there when called again.

    No ranges have a row inside that was passed over: in a group without it, it may take
    the place of a later one, of the same value if the group has no room for another of
    that. No row pays more then, and it is no less dear.
    """
    k, lists, costs, prices = w.k, w.lists, w.costs, w.prices
    size, next_of, earned = w.levels[0], w.levels[1], w.levels[2]
    positions, low, high = w.positions, w.low, w.high
    values, used, work, level = w.values, w.used, 0, w.levels[3, 0]
    if level < 0:
        w.levels[:3] = 0
        for j in range(low.shape[1]):
            low[0, j] = high[0, j] = positions[first, j]
        used[:] = 0
        used[values[first]] = 1
        work, level = _list_near(w, first, size), 0
        size[0] = _leave_out_full(w, size[0])
        earned[0] = prices[first]
    w.levels[3, 0] = -1
    while level >= 0:
        if work > most_work:
            w.levels[3, 0] = level
            return int(work)
        at, rest = next_of[level], k - 2 - level  # rows to come after the next one
        if at + rest >= size[level]:
            level -= 1
            if level >= 0:
                used[values[lists[level, next_of[level] - 1]]] -= 1
            continue
        next_of[level] += 1
        t, sum_so_far = lists[level, at], earned[level] + prices[lists[level, at]]
        if rest == 0:
            if k * costs[level, at] < sum_so_far:
                return CHEAPER
            continue
        if level + 1 == len(lists):
            return DEEP
        for j in range(low.shape[1]):
            here = positions[t, j]
            low[level + 1, j] = min(low[level, j], here)
            high[level + 1, j] = max(high[level, j], here)
        work += next_of[: level + 1].sum()
        if _covers_passed(w, level, at):
            continue
        found = 0
        used[values[t]] += 1
        for i in range(at + 1, size[level]):
            u = lists[level, i]
            if used[values[u]] == w.most:
                continue
            # Others that come with it may be as dear as the last one chosen.
            most = sum_so_far + (rest - 1) * prices[t] + prices[u]
            if k * costs[level, i] < most:
                cost = _joined(w, level + 1, u, most)
                if k * cost < most:
                    lists[level + 1, found], costs[level + 1, found] = u, cost
                    found += 1
        work += size[level] - at
        level += 1
        earned[level], size[level], next_of[level] = sum_so_far, found, 0
    return int(work)


@inner
def _covers_passed(w: Rows, level: int, at: int) -> bool:
    """Check whether the next ranges have a row inside that was passed over."""
    cost = w.costs[level, at]
    for above in range(level + 1):
        for i in range(w.levels[1, above] - 1):
            near = w.costs[above, i] <= cost
            if near and _is_inside(w, level + 1, w.lists[above, i]):
                return True
    return False


@inner
def _is_inside(w: Rows, level: int, t: int) -> bool:
    """Check whether a row is inside the ranges of those chosen."""
    for j in range(w.low.shape[1]):
        if not w.low[level, j] <= w.positions[t, j] <= w.high[level, j]:
            return False
    return True


@inner
def _leave_out_full(w: Rows, size: int) -> int:
    """Keep the rows of the first list of whose value there may be more."""
    found = 0
    for i in range(size):
        t = w.lists[0, i]
        if w.used[w.values[t]] < w.most:
            w.lists[0, found], w.costs[0, found] = t, w.costs[0, i]
            found += 1
    return found


@inner
def _list_near(w: Rows, first: int, size: Ints) -> int:
    """List the later rows that may be in a group with this one that pays too little.

    None of them is dearer than it, so that no column may cost as much as its price:
    only rows in reach of such a column are looked at, where these are fewer. Returns
    how many were.
    """
    column, begin, end = _narrowest(w, first)
    if 2 * (end - begin) <= len(w.prices) - first:
        size[0] = _list_between(w, first, column, begin, end)
        return int(end - begin)
    size[0] = _list_later(w, first)
    return len(w.prices) - first


@inner
def _narrowest(w: Rows, first: int) -> tuple[int, int, int]:
    """Return a column, and which of its rows by position may be in such a group."""
    price = w.prices[first]
    best, begin, end = 0, np.int64(0), np.int64(len(w.prices))
    for j in range(w.low.shape[1]):
        own, at = w.positions[first, j], w.columns[j]
        low, high = np.int64(0), np.int64(own)
        while low < high:
            middle = (low + high) // 2
            if _apart(w, j, middle, own) < price:
                high = middle
            else:
                low = middle + 1
        from_here = w.begins[at + low]
        low, high = np.int64(own), w.columns[j + 1] - at - 2
        while low < high:
            middle = (low + high + 1) // 2
            if _apart(w, j, own, middle) < price:
                low = middle
            else:
                high = middle - 1
        to_here = w.begins[at + low + 1]
        if to_here - from_here < end - begin:
            best, begin, end = j, from_here, to_here
    return best, int(begin), int(end)


@inner
def _apart(w: Rows, j: int, low: int, high: int) -> int:
    """Return what rows pay in a column for all from one position to another."""
    kind, start, amount, parent, last, single = w.arrays
    cost: int = _cost(kind, start, amount, parent, last, single, w.units, j, low, high)
    return cost


@inner
def _list_between(w: Rows, first: int, column: int, begin: int, end: int) -> int:
    """List those of these rows that come later, by price as all rows are."""
    prices, positions, k, found = w.prices, w.positions, w.k, 0
    lists, costs, d = w.lists, w.costs, w.low.shape[1]
    units, here_sorted = w.units, w.sorted[column]
    kind, start, amount, parent, last, single = w.arrays
    for x in range(begin, end):
        t, cost = here_sorted[x], np.int64(0)
        if t <= first:
            continue
        most = (k - 1) * prices[first] + prices[t]
        for j in range(d):
            own, here = positions[first, j], positions[t, j]
            least, greatest = min(own, here), max(own, here)
            cost += _cost(
                kind, start, amount, parent, last, single, units, j, least, greatest
            )
            if k * cost >= most:
                break
        if k * cost < most:
            lists[0, found], costs[0, found] = t, cost
            found += 1
    gap = found // 2
    while gap > 0:
        for i in range(gap, found):
            t, cost, at = lists[0, i], costs[0, i], i
            while at >= gap and lists[0, at - gap] > t:
                lists[0, at], costs[0, at] = lists[0, at - gap], costs[0, at - gap]
                at -= gap
            lists[0, at], costs[0, at] = t, cost
        gap = 1 if gap == 2 else gap * 4 // 9
    return found


@inner
def _list_later(w: Rows, first: int) -> int:
    """List those of all later rows."""
    positions, prices, units = w.positions, w.prices, w.units
    nodes, paid, k, d = w.nodes, w.paid, w.k, w.low.shape[1]
    lists, costs = w.lists, w.costs
    kind, start, amount, parent, last, single = w.arrays
    _pay_with_leaves(w, first)
    found = 0
    for t in range(first + 1, len(prices)):
        most, cost = (k - 1) * prices[first] + prices[t], 0
        for j in range(d):
            here, own = positions[t, j], positions[first, j]
            if units[j] < 0:
                cost -= units[j] if here != own else 0
            elif here == own:
                if kind[j] != FLAT:
                    cost += units[j] * single[start[j] + here]
            elif kind[j] == TREE:
                cost += paid[nodes[j] + parent[start[j] + here]]
            else:
                least, greatest = min(own, here), max(own, here)
                cost += _cost(
                    kind, start, amount, parent, last, single, units, j, least, greatest
                )
            if k * cost >= most:
                break
        if k * cost < most:
            lists[0, found], costs[0, found] = t, cost
            found += 1
    return found


@inner
def _pay_with_leaves(w: Rows, first: int) -> None:
    """Note what a row pays with another leaf that is right below each node of a tree.

    It is the loss of the lowest node that is above the row's own leaf and that node.
    """
    for j in range(w.low.shape[1]):
        if w.arrays.kind[j] != TREE:
            continue
        parent = w.arrays.parent[w.arrays.start[j] :]
        amount = w.arrays.amount[w.arrays.start[j] :]
        marked = w.marked[w.nodes[j] : w.nodes[j + 1]]
        node = parent[w.positions[first, j]]
        while marked[node] != first:
            marked[node] = first
            node = parent[node]
        for node in range(len(marked)):
            above = np.int64(node)
            while marked[above] != first:
                above = parent[above]
            w.paid[w.nodes[j] + node] = amount[above]


@inner
def _joined(w: Rows, level: int, t: int, most: int) -> int:
    """Return what each row pays when a row joins these; enough to be too much."""
    positions, low, high = w.positions, w.low, w.high
    units, k, cost = w.units, w.k, 0
    kind, start, amount, parent, last, single = w.arrays
    for j in range(len(units)):
        here = positions[t, j]
        least, greatest = min(low[level, j], here), max(high[level, j], here)
        cost += _cost(
            kind, start, amount, parent, last, single, units, j, least, greatest
        )
        if k * cost >= most:
            break
    return cost


@inlined
def _cost(
    kind: npt.NDArray[np.int8],
    start: Ints,
    amount: Ints,
    parent: Ints,
    last: Ints,
    single: Ints,
    units: Ints,
    j: int,
    low: int,
    high: int,
) -> int:
    """Return what rows pay in a column for all from one position to another.

    The arrays are taken one by one: numba counts a reference each time that one is read
    from a tuple, which takes longer than all the rest.
    """
    unit, at = units[j], start[j]
    cost = unit
    if low == high:
        cost = np.int64(0)
        if unit >= 0 and kind[j] != FLAT:
            cost = unit * single[at + low]
    elif unit < 0:
        cost = -unit
    elif kind[j] == TREE:
        node = parent[at + low]
        while last[at + node] < high:
            node = parent[at + node]
        cost = unit * amount[at + node]
    elif kind[j] == NUMERIC:
        length = amount[at + 1 + high] - last[at + 1 + low]
        cost = unit * max(length, last[at])
        if parent[at + 1 + low] < high:
            cost = unit * amount[at]
    return int(cost)
