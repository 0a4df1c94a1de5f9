"""The ranges of a column whose groups may be worth little enough, by a loop.

It lists what ``BoxList.paying`` visits, and perhaps more, in numbers of 64 bits, which
leave out last bits of larger ones in favour of groups.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.verify.checker.box_pieces import LineOfTypes, places
from starmin.verify.checker.boxes import Begun, BoxList

LOOK = 2_000  # types looked at, before the loop is worth its start


class LoopedBoxList(BoxList):
    """Boxes worth less than a threshold, ranges found by a loop where they are many."""

    looked = 0

    @cached_property
    def numbers(self) -> dict[str, int]:
        """By sensitive value: a number of its own."""
        values = dict.fromkeys(self.pieces.value or ())
        return {value: number for number, value in enumerate(values)}

    def paying(self, column: LineOfTypes, begun: Begun) -> Iterator[tuple[int, int]]:
        """Visit the ranges, by their ends, whose groups may be worth little enough."""
        self.looked += len(begun.useful)
        if self.looked < LOOK:
            yield from super().paying(column, begun)
            return
        pieces, line, unit = self.pieces, column.line, column.unit
        cost, _, must, useful, left, _ = begun
        ordered = sorted(useful, key=column.place.__getitem__)
        at, starts = np.unique([column.place[t] for t in ordered], return_index=True)
        held = at.tolist()
        # Types come by falling price.
        forced, dear = places(must), max(abs(pieces.prices[0]), abs(pieces.prices[-1]))
        fewest, most, height = pieces.rows_at_most
        each = cost + unit * max(line.whole, line.shortest, *line.single) + dear
        shift = max(0, (abs(left) + (most + 2) * each).bit_length() - 61)
        values = [0] * len(ordered)
        if pieces.value is not None:
            values = [self.numbers[pieces.value[t]] for t in ordered]

        def down(numbers: list[int]) -> Ints:
            return np.array([unit * n >> shift for n in numbers], np.int64)

        rows = LineRows(
            np.append(starts, len(ordered)),
            np.array([-(-pieces.prices[t] >> shift) for t in ordered], np.int64),
            np.array([pieces.copies[t] - (must >> t & 1) for t in ordered], np.int64),
            np.array(values, np.int64),
            np.array([must >> t & 1 for t in ordered], np.int64),
            -down([-line.begins[p] for p in held]),
            down([line.ends[p] for p in held]),
            down([line.single[p] for p in held]),
            np.searchsorted(
                at, at if column.kept else [line.reach[p] for p in held], "right"
            ),
        )
        size = GroupSize(
            fewest,
            min(most, sum(pieces.copies[t] for t in useful)),
            height if pieces.value is not None else most,
            len(forced),
            -(-sum(pieces.prices[t] for t in forced) >> shift),
        )
        shortest = unit * line.shortest >> shift
        found = paying_ranges(rows, size, shortest, cost >> shift, -(-left >> shift))
        for low, high in found.tolist():
            yield held[low], held[high]


class LineRows(NamedTuple):
    """The types that may be in a group, place by place from the lowest one up."""

    starts: Ints  # by place that occurs: where its types begin; where the last ones end
    # prices, copies, values, forced: by type; its rows beside one that each group has,
    # 0 for values where they do not count, and whether each group has one
    prices: Ints
    copies: Ints
    values: Ints
    forced: Ints
    # lower, upper: by place: what a range that begins there takes from its loss, and
    # one that ends there adds to it
    lower: Ints
    upper: Ints
    single: Ints  # by place: what it loses by itself
    last: Ints  # by place: behind the last one that a range from there may end at


class GroupSize(NamedTuple):
    """Least and most rows of a group, how many may have the same value, how many rows
    each group has, and what these are worth."""

    least: int
    most: int
    height: int
    forced: int
    worth: int


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


@compiled
def paying_ranges(
    rows: LineRows, size: GroupSize, shortest: int, paid: int, left: int
) -> Int32s:
    """List the ranges, by their first and last place, that may be worth less.

    A row pays ``paid`` in other columns, a range of several places loses ``shortest``
    at least, and a group has to be worth less than ``left``.
    """
    starts, count = rows.starts, len(rows.starts) - 1
    found = np.empty((count * (count + 1) // 2, 2), np.int32)
    shape = size.most + 1
    heads, tags = np.empty(shape, np.int64), np.empty(shape, np.int64)
    later, of_later = np.empty(shape, np.int64), np.empty(shape, np.int64)
    pairs = 0
    for low in range(count):
        further = 0
        for i in range(starts[low], starts[count]):
            more, price, value = rows.copies[i], rows.prices[i], rows.values[i]
            further = _insert(later, of_later, further, size, price, more, value)
        if not _pays(later, further, size, paid, 0, 0, left):
            break
        # A single type at an end is in each group.
        alone = starts[low + 1] == starts[low] + 1 and not rows.forced[starts[low]]
        worth = rows.prices[starts[low]] if alone else 0
        held = 0
        for high in range(low, rows.last[low]):
            first, end = starts[high], starts[high + 1]
            loss = max(rows.upper[high] - rows.lower[low], shortest)
            cost = paid + (loss if high > low else rows.single[low])
            if not _pays(later, further, size, cost, 0, 0, left):
                break
            single = high > low and end == first + 1 and not rows.forced[first]
            also = single and rows.copies[first] == 1
            for i in range(first, end * (not also)):
                more = rows.copies[i] - (alone and high == low)
                price, value = rows.prices[i], rows.values[i]
                held = _insert(heads, tags, held, size, price, more, value)
            extra = worth + (rows.prices[first] if also else 0)
            if _pays(heads, held, size, cost, int(alone) + int(also), extra, left):
                found[pairs, 0], found[pairs, 1] = low, high
                pairs += 1
            if also:
                price, value = rows.prices[first], rows.values[first]
                held = _insert(heads, tags, held, size, price, 1, value)
    return found[:pairs]
