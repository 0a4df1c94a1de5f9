"""What rows pay at least at prices of items, and what items earn at most: loops."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.rules.choices import Choices

# What each row type shows at least cost under prices of items.
#
# The cost of every set of a type is summed at once: a price stands at the least set
# that shows its item, and goes to all larger ones axis by axis. Of rules by classes,
# where one item of a block is shown by each set, differences along the axes are
# placed so that the same sums give each set its own.

RARE = 1 << 46  # more than all that a row pays; sums of 2^16 fit 63 bits


class Pays(NamedTuple):
    """What rows pay that hide something, and how many rows there are."""

    costs: Ints  # lists of costs x levels
    once: int  # what a row pays for anything hidden, 0 where ``costs`` say it
    offsets: Ints  # the first bit of each axis
    copies: Ints  # by type: its rows


@compiled
def cheapest_sets(
    choices: Choices,
    pays: Pays,
    prices: Ints,
    first: int,
    last: int,
    work: Ints,
    values: Ints,
    codes: Ints,
    shown: Ints,
) -> None:
    """Write the least cost of types ``first`` to ``last``, and what the set shows.

    ``values`` and ``codes``, by type, are written, and ``shown``: how many rows show
    each item, by place in ``choices.item``, as ``prices`` are of showing it. ``work``
    is room: two rows of as many numbers as a type has sets.
    """
    for t in range(first, last):
        place = least_place(choices, pays, prices, t, work)
        values[t] = work[0, place]
        codes[t] = code_at(choices, t, place, pays.offsets)
        show_items(choices, t, codes[t], pays.copies[t], shown)


@inner
def least_place(choices: Choices, pays: Pays, prices: Ints, t: int, work: Ints) -> int:
    """Return the first of the sets of a type that cost least; ``work[0]`` says what."""
    sets = sum_costs(choices, pays.costs, prices, t, work)
    sums, at = work[0], 0
    if pays.once:
        hidden = choices.base[t] != 0
        for place in range(sets):
            if hidden or place:
                sums[place] += pays.once
    least = sums[0]
    for place in range(sets):
        least = min(least, sums[place])
    while sums[at] != least:
        at += 1
    return at


@inner
def sum_costs(choices: Choices, costs: Ints, prices: Ints, t: int, work: Ints) -> int:
    """Write what each set of a type costs to ``work[0]``; return how many there are."""
    sums, sets = work[0], 1
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        sets *= choices.size[x]
    sums[:sets] = 0
    own = choices.starts[t + 1]
    if choices.block_starts[t] < choices.block_starts[t + 1]:
        own = choices.block[choices.block_starts[t]]
    for e in range(choices.starts[t], own):
        sums[choices.place[e]] += prices[e]
    for d in range(choices.dead_starts[t], choices.dead_starts[t + 1]):
        sums[choices.dead[d]] += RARE
    for b in range(choices.block_starts[t], choices.block_starts[t + 1]):
        _add_block(choices, prices, t, b, work)
    stride, top = 1, sets - 1
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        size, low = choices.size[x], choices.low[x]
        paid = costs[choices.cost[t, choices.axis[x]], low : low + size]
        sums[top] += paid[size - 1]
        for level in range(size - 1):
            cheaper = paid[level] - paid[level + 1]
            sums[top - (size - 1 - level) * stride] += cheaper
        stride *= size
    _sum_axes(choices, t, sums, sets)
    return sets


@inner
def _sum_axes(choices: Choices, t: int, sums: Ints, sets: int) -> None:
    """Add to each number those of all larger places, axis by axis.

    The short loops of the first axes of two levels are written out, which makes them
    four times as fast.
    """
    stride = 1
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        size = choices.size[x]
        if size == 2 and stride == 1:
            for p in range(0, sets, 2):
                sums[p] += sums[p + 1]
        elif size == 2 and stride == 2:
            for p in range(0, sets, 4):
                sums[p] += sums[p + 2]
                sums[p + 1] += sums[p + 3]
        elif size == 2 and stride == 4:
            for p in range(0, sets, 8):
                sums[p] += sums[p + 4]
                sums[p + 1] += sums[p + 5]
                sums[p + 2] += sums[p + 6]
                sums[p + 3] += sums[p + 7]
        else:
            for begin in range(0, sets, stride * size):
                for level in range(size - 2, -1, -1):
                    here = begin + level * stride
                    low = sums[here : here + stride]
                    above = sums[here + stride : here + 2 * stride]
                    for p in range(stride):
                        low[p] += above[p]
        stride *= size


@inner
def _add_block(choices: Choices, prices: Ints, t: int, b: int, work: Ints) -> None:
    """Add the items of a rule by classes, of which each set shows exactly one."""
    start = choices.block[b]
    end = choices.starts[t + 1]
    if b + 1 < choices.block_starts[t + 1]:
        end = choices.block[b + 1]
    states, part = end - start, work[1]
    for s in range(states):
        part[s] = RARE if choices.item[start + s] < 0 else prices[start + s]
    stride = 1
    for axis in range(choices.sizes.shape[1]):
        size = choices.sizes[b, axis]
        if size > 1:
            for begin in range(0, states, stride * size):
                for s in range(begin, begin + (size - 1) * stride):
                    part[s] -= part[s + stride]
        stride *= size
    for s in range(states):
        work[0, choices.place[start + s]] += part[s]


@compiled
def codes_of(choices: Choices, places: Ints, offsets: Ints) -> Ints:
    """Return the bits that are set by the set that each type shows."""
    codes = np.zeros(len(places), np.int64)
    for t in range(len(codes)):
        codes[t] = code_at(choices, t, places[t], offsets)
    return codes


@inner
def code_at(choices: Choices, t: int, place: int, offsets: Ints) -> int:
    """Return the bits that a set of a type has."""
    code = choices.base[t]
    for x in range(choices.axis_starts[t], choices.axis_starts[t + 1]):
        level = choices.low[x] + place % choices.size[x]
        code |= ((1 << level) - 1) << offsets[choices.axis[x]]
        place //= choices.size[x]
    return int(code)


@inner
def show_items(choices: Choices, t: int, code: int, copies: int, shown: Ints) -> None:
    """Write how many rows of a type show each item under a code."""
    for e in range(choices.starts[t], choices.starts[t + 1]):
        shows = code & choices.care[e] == choices.want[e]
        shown[e] = copies if shows else 0


# What rows earn that show an item, at most: none of them, or as many as are needed.


class Fills(NamedTuple):
    """Items, and the rows that fills of them may have.

    A fill of an item has at most ``copies[e]`` rows of each entry and at least ``need``
    rows in all; it earns the prices of its rows. Having no rows at all earns 0.
    """

    starts: Ints  # starts, entries: by item: where its entries begin, and these
    entries: Ints
    need: Ints  # by item
    prices: Ints  # prices, copies: by entry: what a row earns, and how many there are
    copies: Ints
    # by entry: how many rows show the item now; among equally good fills one near to
    # that is taken
    shown: Ints
    heap: Ints  # room for as many entries as the largest need
    used: Ints  # by entry; written: the rows in the fill


@compiled
def item_fills(fills: Fills, items: Ints, first: int, last: int) -> int:
    """Sum the best fills of items from the first to the last, and write their rows."""
    total = 0
    for n in range(first, last):
        total += item_fill(fills, items[n], False)
    return total


@inner
def item_fill(fills: Fills, i: int, opened: bool) -> int:
    """Return what the best fill of an item earns, and write which rows are in it.

    An item that is ``opened`` is shown by somebody, so having no rows is no choice.
    """
    starts, entries, need, prices, copies, shown, _, used = fills
    a, b = starts[i], starts[i + 1]
    earned, rows, showing = 0, 0, 0
    for x in range(a, b):
        e = entries[x]
        showing += shown[e]
        used[e] = 0
        if prices[e] > 0:
            earned += prices[e] * copies[e]
            rows += copies[e]
            used[e] = copies[e]
        elif prices[e] == 0:
            used[e] = shown[e]
            rows += shown[e]
    if rows < need[i]:
        earned += _add_cheapest(fills, entries[a:b], need[i] - rows)
    if not opened and (earned < 0 or (earned == 0 and showing < need[i])):
        for x in range(a, b):
            used[entries[x]] = 0
        return 0
    return int(earned)


@inner
def _add_cheapest(fills: Fills, entries: Ints, rows: int) -> int:
    """Add so many more rows to a fill, the best ones that are left; return their sum.

    At most ``rows`` entries are kept, worst first, in an order by insertion.
    """
    prices, copies, heap, used = fills.prices, fills.copies, fills.heap, fills.used
    kept, have = 0, 0
    for e in entries:
        left = copies[e] - used[e]
        if left == 0:
            continue
        if have >= rows and prices[e] <= prices[heap[0]]:
            continue
        at = kept
        while at > 0 and prices[heap[at - 1]] > prices[e]:
            heap[at] = heap[at - 1]
            at -= 1
        heap[at] = e
        kept += 1
        have += left
        while have - (copies[heap[0]] - used[heap[0]]) >= rows:
            have -= copies[heap[0]] - used[heap[0]]
            for x in range(kept - 1):
                heap[x] = heap[x + 1]
            kept -= 1
    earned = 0
    for x in range(kept - 1, -1, -1):
        e = heap[x]
        more = min(rows, copies[e] - used[e])
        used[e] += more
        earned += more * prices[e]
        rows -= more
    return earned if rows <= 0 else -(1 << 60)
