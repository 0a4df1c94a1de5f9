"""The ranges of a column whose groups may be worth little enough: a loop.

It does what ``LineColumn.nodes`` does with rows one by one, in numbers of 64 bits.
"""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner


class TypeRows(NamedTuple):
    """Prices of types, their copies, and their values, which are 0 where these do not
    count."""

    prices: Ints
    copies: Ints
    values: Ints


class RangeEnds(NamedTuple):
    """What ranges lose by their ends, of each place of a column."""

    # lower, upper: what a range that begins there takes from its loss, and one that
    # ends there adds to it
    lower: Ints
    upper: Ints
    single: Ints  # what the place loses by itself
    least: int  # what a range of several places loses at least

    def at(self, places: Ints) -> "RangeEnds":
        """Return those of some places."""
        parts = self.lower[places], self.upper[places], self.single[places]
        return RangeEnds(*parts, self.least)


class LineRows(NamedTuple):
    """The types of a set in a column, place by place from the lowest one up."""

    # by place that occurs: where its types begin; and where the last ones end
    starts: Ints
    # prices, copies, values: by type; values are 0 where they do not count
    prices: Ints
    copies: Ints
    values: Ints
    forced: Bools  # by type: whether a group has one row of it
    ends: RangeEnds  # by place: what a range loses that begins there, or ends
    last: Ints  # by place: the last one that a range from there may end at


class GroupSize(NamedTuple):
    """Least and most rows of a group, how many may have the same value, what its forced
    rows are, and what they are worth."""

    least: int
    most: int
    height: int
    forced: int
    worth: int


class SetCharges(NamedTuple):
    """What sets charge a range, for the rows outside of them that it has too few of."""

    outside: Ints  # by type, in order, and by set: the rows outside of the set
    least: int  # rows of a group, at least
    # share, charge: by what coefficients are divided, and what they are charged
    share: Ints
    charge: Ints
    known: Ints  # coefficients that are charged already


@inner
def _insert(
    heads: Ints, tags: Ints, held: int, size: GroupSize, price: int, more: int, tag: int
) -> int:
    """Insert rows of a price among the dearest ones; return how many these are."""
    for _ in range(min(more, size.height)):
        if held == size.most and price <= heads[held - 1]:
            return held
        if size.height < size.most:
            same = lowest = 0
            for i in range(held):
                if tags[i] == tag:
                    same, lowest = same + 1, i
            if same == size.height:
                if price <= heads[lowest]:
                    return held
                for i in range(lowest, held - 1):
                    heads[i], tags[i] = heads[i + 1], tags[i + 1]
                held -= 1
        held = min(held, size.most - 1)
        at = held
        while at > 0 and heads[at - 1] < price:
            heads[at], tags[at] = heads[at - 1], tags[at - 1]
            at -= 1
        heads[at], tags[at] = price, tag
        held += 1
    return held


@inner
def _pays(
    heads: Ints, held: int, size: GroupSize, cost: int, also: int, worth: int, left: int
) -> bool:
    """Return whether a group of the dearest rows may be worth less than a number."""
    rows = size.forced + also
    if rows > size.most:
        return False
    total = rows * cost - size.worth - worth
    for i in range(held):
        each = cost - heads[i]
        if rows >= size.most or (rows >= size.least and each >= 0):
            break
        total, rows = total + each, rows + 1
    return bool(rows >= size.least and total < left)


@inner
def _loss(ends: RangeEnds, low: int, high: int) -> int:
    """Return what a range from a place to another one loses, or a little less."""
    if low == high:
        return int(ends.single[low])
    return int(max(ends.upper[high] - ends.lower[low], ends.least))


@inner
def _charged(sets: SetCharges, outside: Ints) -> int:
    """Return what sets charge beside what they do already."""
    total = 0
    for s in range(len(outside)):
        if outside[s] < sets.least:
            more = (sets.least - outside[s]) // sets.share[s] - sets.known[s]
            total += sets.charge[s] * max(0, more)
    return total


@compiled
def paying_ranges(
    rows: LineRows, size: GroupSize, sets: SetCharges, paid: int, left: int
) -> Int32s:
    """List the ranges, by their first and last place, that may be worth less.

    A row pays ``paid`` in other columns, and a group has to be worth less than
    ``left``. Returned are pairs, and last the number of sets that were looked at.
    """
    starts, count = rows.starts, len(rows.starts) - 1
    found = np.empty((count * (count + 1) // 2 + 1, 2), np.int32)
    shape = size.most + 1
    heads, tags = np.empty(shape, np.int64), np.empty(shape, np.int64)
    later, of_later = np.empty(shape, np.int64), np.empty(shape, np.int64)
    outside = np.empty(len(sets.share), np.int64)
    pairs = work = 0
    for low in range(count):
        further = 0
        for i in range(starts[low], starts[count]):
            more = rows.copies[i] - rows.forced[i]
            price, value = rows.prices[i], rows.values[i]
            further = _insert(later, of_later, further, size, price, more, value)
        work += 1
        if not _pays(later, further, size, paid, 0, 0, left):
            break
        # A single type at an end is in each group.
        alone = starts[low + 1] == starts[low] + 1 and not rows.forced[starts[low]]
        worth = rows.prices[starts[low]] if alone else 0
        held = 0
        outside[:] = 0
        for high in range(low, rows.last[low] + 1):
            first, end = starts[high], starts[high + 1]
            cost, work = paid + _loss(rows.ends, low, high), work + 2
            if not _pays(later, further, size, cost, 0, 0, left):
                break
            single = end == first + 1 and rows.copies[first] == 1
            also = high > low and single and not rows.forced[first]
            extra, must = worth, int(alone) + int(also)
            if also:
                extra += rows.prices[first]
            for i in range(first, end * (not also)):
                more = rows.copies[i] - rows.forced[i] - (alone and high == low)
                price, value = rows.prices[i], rows.values[i]
                held = _insert(heads, tags, held, size, price, more, value)
            for i in range(first, end):
                for s in range(len(outside)):
                    outside[s] += sets.outside[i, s]
            # Sets charge what groups have to be worth less.
            less = left - _charged(sets, outside)
            if _pays(heads, held, size, cost, must, extra, less):
                found[pairs, 0], found[pairs, 1] = low, high
                pairs += 1
            if also:
                price, value = rows.prices[first], rows.values[first]
                held = _insert(heads, tags, held, size, price, 1, value)
    found[pairs, 0], found[pairs, 1] = work, 0
    return found[: pairs + 1]
