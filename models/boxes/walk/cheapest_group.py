"""The cheapest group of a box at prices: loops."""

from typing import NamedTuple

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.walk.box_data import BoxData
from starmin.models.boxes.walk.group_rule import CAPPED, DISTINCT
from starmin.models.boxes.walk.value_fills import (
    NEVER,
    capped_fill,
    distinct_fill,
    place_of,
    put,
)


@inner
def best_fill(
    b: BoxData,
    prices: Ints,
    cost: int,
    gain: int,
    members: Int32s,
    forced: Int32s,
    must: int,
    seen: Ints,
    types: Int32s,
    copies: Ints,
) -> tuple[int, int]:
    """Find the cheapest group of some types, certain ones included.

    Parameters
    ----------
    prices, cost
        Of the types, and what a row pays in the box.
    gain
        What each pile of a group is worth beside, where groups have piles: so many as
        rows may have the same value.
    members
        The types that fit the box, by falling price.
    forced, must
        The first so many are in the group.
    seen
        By sensitive value which fill had it last, at the end the number of this fill;
        or how many rows of a fill have it.
    types, copies
        The group. Overwritten.

    Returns
    -------
    What its rows pay above their prices, and how many types it has; NEVER and 0 where
    there is none.
    """
    if b.kind == CAPPED:
        given = members, forced, must, seen, types, copies
        worth, found = capped_fill(b, prices, cost, gain, *given)
        return worth, found
    if b.kind == DISTINCT:
        given = members, forced, must, seen, types, copies
        worth, found = distinct_fill(b, prices, cost, *given)
        return worth, found
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
    """Boxes, and the prices at which groups of them are looked for.

    Attributes
    ----------
    prices, order
        Of the types, and the types by falling price.
    cost, bits, forced
        By box: what a row pays, the types that fit it, and those that are certain.
    gain
        By box: what each pile of a group is worth beside.
    """

    prices: Ints
    order: Int32s
    cost: Ints
    bits: Ints
    forced: Int32s
    gain: Ints


@compiled
def price_boxes(b: BoxData, boxes: PricedBoxes, seen: Ints, worth: Ints) -> None:
    """Fill in what the cheapest group of each box pays above its prices.

    Parameters
    ----------
    seen
        By sensitive value which fill had it last, at the end the number of this fill;
        or how many rows of a fill have it.
    worth
        By box. Overwritten.
    """
    prices, order, cost, bits, forced, gain = boxes
    members, types = order.copy(), order.copy()
    copies = prices.copy()
    for box in range(len(cost)):
        count = members_of(bits[box], order, members)
        must = count_forced(forced[box])
        given = members[:count], forced[box], must, seen, types, copies
        worth[box], _ = best_fill(b, prices, cost[box], gain[box], *given)


@compiled
def fill_boxes(
    b: BoxData,
    boxes: PricedBoxes,
    seen: Ints,
    starts: Ints,
    types: Int32s,
    copies: Ints,
) -> None:
    """Fill in the cheapest groups of boxes, of which each has one.

    Parameters
    ----------
    seen
        By sensitive value which fill had it last, at the end the number of this fill;
        or how many rows of a fill have it.
    starts, types, copies
        The groups, one after the other. Overwritten; room for ``most`` types each.
    """
    prices, order, cost, bits, forced, gain = boxes
    members = order.copy()
    starts[0] = 0
    for box in range(len(cost)):
        count = members_of(bits[box], order, members)
        must, at = count_forced(forced[box]), starts[box]
        given = members[:count], forced[box], must, seen, types[at:], copies[at:]
        _, found = best_fill(b, prices, cost[box], gain[box], *given)
        starts[box + 1] = at + found
