"""The cheapest groups of boxes at prices: loops."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.walk.box_data import CAPPED, DISTINCT, BoxData

NEVER = 1 << 61  # above the worth of any group


class Fill(NamedTuple):
    """The types of a box, and room for a group of them."""

    members: Int32s  # the types that fit the box, by falling price
    forced: Int32s  # the first ``must`` of these are in the group
    must: int
    # by sensitive value which fill had it last, at the end the number of this fill; or
    # how many rows of a fill have it
    seen: Ints
    types: Int32s  # types, copies: overwritten with the group
    copies: Ints


# Where groups may have a value several times.


@inner
def place_of(t: int, types: Int32s, count: int) -> int:
    """Return where a type is among the first types of a list; -1: nowhere."""
    for i in range(count):
        if types[i] == t:
            return i
    return -1


@inner
def put(t: int, take: int, held: int, found: int, types: Int32s, copies: Ints) -> bool:
    """Add copies of a type where it is held, or at the end; whether it is new there."""
    if held >= 0:
        copies[held] += take
        return False
    types[found], copies[found] = t, take
    return True


@inner
def capped_fill(
    b: BoxData, prices: Ints, cost: int, gain: int, fill: Fill
) -> tuple[int, int]:
    """Find the cheapest group without a value in more than a share of its rows.

    As many rows as allow a value the same number of times are looked at together: of
    these the dearest are taken, of each value so many at most. That is best, as such
    sets of rows are the independent sets of a matroid. Arguments and result are those
    of ``best_fill``.
    """
    best, chosen = NEVER, 0
    for height in range(b.least // b.share, b.top + 1):
        worth, found = fill_below(b, prices, cost, fill, height)
        if found and worth - gain * height < best:
            best, chosen = worth - gain * height, height
    if chosen == 0:
        return NEVER, 0
    _, found = fill_below(b, prices, cost, fill, chosen)
    return best, found


@inner
def fill_below(
    b: BoxData, prices: Ints, cost: int, fill: Fill, height: int
) -> tuple[int, int]:
    """Find the cheapest group of a size at which a value is there so often at most."""
    members, forced, must, heights, types, copies = fill
    least = max(b.least, height * b.share)
    most = b.most if height == b.top else height * b.share + b.share - 1
    size, worth, found = must, 0, must
    if must > most:
        return NEVER, 0
    heights[:] = 0
    for i in range(must):
        t = forced[i]
        heights[b.value[t]] += 1
        if heights[b.value[t]] > height:
            return NEVER, 0
        worth += cost - prices[t]
        types[i], copies[i] = t, 1
    for t in members:
        each = cost - prices[t]
        if size >= most or (size >= least and each >= 0):
            break
        held = place_of(t, types, must)
        take = min(b.counts[t] - (held >= 0), (most if each < 0 else least) - size)
        take = min(take, height - heights[b.value[t]])
        if take <= 0:
            continue
        heights[b.value[t]] += take
        found += put(t, take, held, found, types, copies)
        size += take
        worth += take * each
    if size < least:
        return NEVER, 0
    return worth, found


@inner
def distinct_fill(b: BoxData, prices: Ints, cost: int, fill: Fill) -> tuple[int, int]:
    """Find the cheapest group of several values: see ``best_fill``.

    All rows that pay are in it. Values that are missing then come with the cheapest
    rows that have them, and rows that are missing are the cheapest others.
    """
    members, forced, must, seen, types, copies = fill
    size, worth, found, values = must, 0, must, 0
    seen[-1] += 1
    for i in range(must):
        t = forced[i]
        values += seen[b.value[t]] != seen[-1]
        seen[b.value[t]] = seen[-1]
        worth += cost - prices[t]
        types[i], copies[i] = t, 1
    for t in members:
        each = cost - prices[t]
        paying = each < 0
        if not paying and values >= b.values:
            break
        new = seen[b.value[t]] != seen[-1]
        if not paying and not new:
            continue
        held = place_of(t, types, must)
        take = b.counts[t] - (held >= 0) if paying else 1
        values += new
        seen[b.value[t]] = seen[-1]
        if take <= 0:
            continue
        found += put(t, take, held, found, types, copies)
        size += take
        worth += take * each
    if values < b.values:
        return NEVER, 0
    for t in members:
        if size >= b.least:
            break
        each = cost - prices[t]
        if each < 0:
            continue
        held = place_of(t, types, found)
        take = b.counts[t] - (copies[held] if held >= 0 else 0)
        take = min(take, b.least - size)
        if take <= 0:
            continue
        found += put(t, take, held, found, types, copies)
        size += take
        worth += take * each
    if size < b.least:
        return NEVER, 0
    return worth, found


# The cheapest group of a box, whatever the rule.


@inner
def best_fill(
    b: BoxData, prices: Ints, cost: int, gain: int, fill: Fill
) -> tuple[int, int]:
    """Find the cheapest group of some types, certain ones included.

    Returns what its rows pay above their ``prices``, which are by type, and how many
    types it has; ``NEVER`` and 0 where there is none.

    A row pays ``cost`` in the box, and each pile of a group is worth ``gain`` beside,
    where groups have piles: so many as rows may have the same value.
    """
    if b.kind == CAPPED:
        worth, found = capped_fill(b, prices, cost, gain, fill)
        return worth, found
    if b.kind == DISTINCT:
        worth, found = distinct_fill(b, prices, cost, fill)
        return worth, found
    members, forced, must, seen, types, copies = fill
    size, worth, found = must, 0, must
    if must > b.most:
        return NEVER, 0
    seen[-1] += 1
    for i in range(must):
        t = forced[i]
        if b.spread:
            if seen[b.value[t]] == seen[-1]:
                return NEVER, 0
            seen[b.value[t]] = seen[-1]
        worth += cost - prices[t]
        types[i], copies[i] = t, 1
    for t in members:
        each = cost - prices[t]
        if size >= b.most or (size >= b.least and each >= 0):
            break
        held = place_of(t, types, must)
        take = min(b.counts[t] - (held >= 0), (b.most if each < 0 else b.least) - size)
        if b.spread:
            take = 0 if seen[b.value[t]] == seen[-1] else 1
            seen[b.value[t]] = seen[-1]
        if take <= 0:
            continue
        found += put(t, take, held, found, types, copies)
        size += take
        worth += take * each
    if size < b.least:
        return NEVER, 0
    return worth, found


@inner
def members_of(bits: Ints, order: Int32s, members: Int32s) -> int:
    """List the types of a box in an order; how many there are."""
    count = 0
    for t in order:
        if bits[t >> 6] >> (t & 63) & 1:
            members[count] = t
            count += 1
    return count


@inner
def count_forced(forced: Int32s) -> int:
    must = 0
    while must < len(forced) and forced[must] >= 0:
        must += 1
    return must


class PricedBoxes(NamedTuple):
    """Boxes, and the prices at which groups of them are looked for."""

    prices: Ints  # prices, order: of the types, and the types by falling price
    order: Int32s
    # cost, bits, forced: by box: what a row pays, the types that fit it, and those that
    # are certain
    cost: Ints
    bits: Ints
    forced: Int32s
    gain: Ints  # by box: what each pile of a group is worth beside


@compiled
def price_boxes(b: BoxData, boxes: PricedBoxes, seen: Ints) -> Ints:
    """Return what the cheapest group of each box pays above its prices.

    For ``seen`` see ``Fill``.
    """
    prices, order, cost, bits, forced, gain = boxes
    members, types = order.copy(), order.copy()
    copies, worth = prices.copy(), np.zeros(len(cost), np.int64)
    for box in range(len(cost)):
        count = members_of(bits[box], order, members)
        must = count_forced(forced[box])
        fill = Fill(members[:count], forced[box], must, seen, types, copies)
        worth[box], _ = best_fill(b, prices, cost[box], gain[box], fill)
    return worth


@compiled
def fill_boxes(b: BoxData, boxes: PricedBoxes, seen: Ints) -> tuple[Ints, Int32s, Ints]:
    """Return the cheapest groups of boxes, of which each has one.

    That is where they start, and one after the other their types and copies. For
    ``seen`` see ``Fill``.
    """
    prices, order, cost, bits, forced, gain = boxes
    members, room = order.copy(), len(cost) * (b.most + forced.shape[1])
    starts, types = np.zeros(len(cost) + 1, np.int64), np.zeros(room, np.int32)
    copies = np.zeros(room, np.int64)
    for box in range(len(cost)):
        count = members_of(bits[box], order, members)
        must, at = count_forced(forced[box]), starts[box]
        fill = Fill(members[:count], forced[box], must, seen, types[at:], copies[at:])
        _, found = best_fill(b, prices, cost[box], gain[box], fill)
        starts[box + 1] = at + found
    return starts, types[: starts[-1]], copies[: starts[-1]]
