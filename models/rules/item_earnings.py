"""What rows earn that show an item, at most: none of them, or as many as are needed."""

from typing import NamedTuple

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner


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
    starts, entries, need, prices, copies, shown, heap, used = fills
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
        earned += _add_cheapest(
            entries[a:b], prices, copies, need[i] - rows, heap, used
        )
    if not opened and (earned < 0 or (earned == 0 and showing < need[i])):
        for x in range(a, b):
            used[entries[x]] = 0
        return 0
    return int(earned)


@inner
def _add_cheapest(
    entries: Ints, prices: Ints, copies: Ints, rows: int, heap: Ints, used: Ints
) -> int:
    """Add so many more rows to a fill, the best ones that are left; return their sum.

    At most ``rows`` entries are kept, worst first, in an order by insertion.
    """
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
