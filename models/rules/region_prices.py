"""The bound of prices in a part of the program, with items that are opened or closed.

A closed item is shown by no row: its price is more than all else that a row pays, and
it has no fill. An opened one is shown by some row, so by as many as it needs: its best
fill counts even where none at all would come to more.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.rules.choices import Choices
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.price_loops import (
    RARE,
    Fills,
    Pays,
    code_at,
    item_fill,
    least_place,
    show_items,
)

CLOSED = RARE // 2  # more than all other prices of a row come to
IMPOSSIBLE = 1 << 60  # the bound where a type may show nothing that is left to it
_MEAN, _SQUARE, _LEAST = 0.9, 0.95, 0.2  # as of PriceStepParams, for short rounds
_LAST = 0.05  # the last step, as a share of the first
_PLENTY = 10  # rows by which who shows an item differs from its best fill


class Local(NamedTuple):
    """What loops over parts of the program read, and what they write."""

    # choices, pays, owner, entry_copies, need: those of the program or its function
    choices: Choices
    pays: Pays
    owner: Ints
    entry_copies: Ints
    need: Ints
    starts: Ints  # starts, entries: by item: where its entries begin, and these
    entries: Ints
    # per_cost, most: so many units are one unit of the objective; no price is above
    # ``most``
    per_cost: int
    most: int
    prices: Ints  # by entry
    # shown, used: by entry: the rows that show it, and those in the best fill
    shown: Ints
    used: Ints
    opened: Bools  # opened, closed: by item
    closed: Bools
    work: Ints  # work, heap: room for the costs of sets, and for fills
    heap: Ints

    @classmethod
    def of(cls, function: PriceFunction, prices: Ints) -> "Local":
        """Lay out a program at some prices."""
        program, unit = function.program, function.unit
        function(prices)
        starts, entries = program.entries
        items = len(program.need)
        most = int(np.diff(starts).max(initial=1))
        return cls(
            program.choices,
            function.pays,
            program.owner,
            function.copies,
            program.need,
            starts,
            entries,
            unit.per_cost,
            unit.most,
            prices.copy(),
            function.shown.copy(),
            function.used.copy(),
            np.zeros(items, np.bool_),
            np.zeros(items, np.bool_),
            np.zeros((2, int(program.sets.max(initial=1))), np.int64),
            np.zeros(most + 1, np.int64),
        )

    def entries_of(self, item: int) -> Ints:
        """Return the entries of an item."""
        return self.entries[self.starts[item] : self.starts[item + 1]]


@compiled
def local_bound(local: Local, types: Ints, items: Ints) -> int:
    """Return what some types pay at least, less the best fills of some items."""
    return int(_bound(local, types, items))


@inner
def _bound(local: Local, types: Ints, items: Ints) -> int:
    choices, pays, total = local.choices, local.pays, 0
    for t in types:
        place = least_place(choices, pays, local.prices, t, local.work)
        least, copies = local.work[0, place], pays.copies[t]
        if least >= CLOSED // 2:
            return IMPOSSIBLE
        total += least * copies
        code = code_at(choices, t, place, pays.offsets)
        show_items(choices, t, code, copies, local.shown)
    given_fills = local.starts, local.entries, local.need, local.prices
    fills = Fills(*given_fills, local.entry_copies, local.shown, local.heap, local.used)
    for i in items:
        if not local.closed[i]:
            total -= item_fill(fills, i, local.opened[i])
    return int(total)


class Climb(NamedTuple):
    """A way along smoothed supergradients of some prices, and how far it went."""

    movable: Ints  # entries that move
    first: float  # first, steps: the first step, and how many there are
    steps: int
    # state, best: three numbers by entry that moves, and its best price by then;
    # written from the first step on
    state: Floats
    best: Ints

    @classmethod
    def of(cls, movable: Ints, first: float, steps: int) -> "Climb":
        """Begin a way; entries of closed items do not move."""
        size = len(movable)
        return cls(movable, first, steps, np.zeros((3, size)), np.zeros(size, np.int64))


@compiled
def climb_on(
    local: Local, types: Ints, items: Ints, way: Climb, begin: int, end: int, value: int
) -> int:
    """Take the steps from ``begin`` to ``end``; return the bound of the best prices.

    ``way`` has the steps, and the best prices by then, which are updated; ``value`` is
    the bound of these, not read where ``begin`` is 0.
    """
    movable, first, steps, state, best = way
    n = len(movable)
    if begin == 0:
        for x in range(n):
            best[x] = local.prices[movable[x]]
            state[2, x] = best[x] / local.per_cost
        value = _bound(local, types, items)
    for step in range(begin, end):
        if value >= IMPOSSIBLE:
            break
        length = first * _LAST ** (step / steps)
        _move(local, movable, state[2], state[0], state[1], length)
        found = _bound(local, types, items)
        if found > value:
            value = found
            for x in range(n):
                best[x] = local.prices[movable[x]]
    return value


@inner
def _move(
    local: Local,
    movable: Ints,
    prices: Floats,
    mean: Floats,
    square: Floats,
    length: float,
) -> None:
    for x in range(len(movable)):
        e = movable[x]
        if local.closed[local.choices.item[e]]:
            continue
        found = (local.shown[e] - local.used[e]) / local.entry_copies[e]
        mean[x] = _MEAN * mean[x] + (1 - _MEAN) * found
        square[x] = _SQUARE * square[x] + (1 - _SQUARE) * found * found
        prices[x] += length * mean[x] / (np.sqrt(square[x]) + _LEAST)
        number = np.rint(prices[x] * local.per_cost)
        local.prices[e] = int(min(max(number, -local.most), local.most))


@compiled
def item_to_split(local: Local, items: Ints) -> int:
    """Return the item whose rows differ most from its best fill, -1 where none does.

    Items that some rows show and too few, and those of great prices, come first.
    """
    best, most = -1, 0.0
    for i in items:
        if local.opened[i] or local.closed[i]:
            continue
        apart, showing, paid = 0, 0, 0
        for x in range(local.starts[i], local.starts[i + 1]):
            e = local.entries[x]
            showing += local.shown[e]
            apart += abs(local.shown[e] - local.used[e])
            paid += abs(local.prices[e])
        if apart == 0:
            continue
        score = min(apart, _PLENTY) + paid / local.per_cost
        if 0 < showing < local.need[i]:
            score += _PLENTY / 2
        if score > most:
            best, most = i, score
    return int(best)


# Parts of the program whose trees do not touch each other.


@dataclass(frozen=True, eq=False)
class Region:
    """Row types and items that one tree may change."""

    types: Ints  # types, items: all of them
    items: Ints
    # the items that no other type may show: these can be opened and closed
    inside: Ints
    movable: Ints  # entries of these types and items


def apart(local: Local) -> Ints:
    """Return by item by how many rows who shows it differs from its best fill."""
    number = np.zeros(len(local.need), np.int64)
    some = local.choices.item >= 0
    differ = np.abs(local.shown - local.used)[some]
    np.add.at(number, local.choices.item[some], differ)
    return number


class Regions:
    """Grows regions around items, each apart from those that were taken.

    ``local`` is the program at its prices; a region has at most ``most`` types.
    """

    def __init__(self, local: Local, most: int) -> None:
        self.local, self.most = local, most
        self._types: Bools = np.zeros(len(local.pays.copies), bool)
        self._items: Bools = np.zeros(len(local.need), bool)

    def take(self, region: Region) -> None:
        """Keep a region from all further ones."""
        self._types[region.types] = True
        self._items[region.items] = True

    def around(self, seed: int) -> Region | None:
        """Return the region that grows from an item; None where that is taken.

        Items join where rows of its types differ from best fills, those first that
        bring few further types for much of that.
        """
        types, near, asked = set[int](), dict[int, int](), {seed}
        new = self._further(seed, types)
        while new is not None:
            types |= new
            self._meet(new, near, asked)
            new = self._next(near, types, asked)
        return self._region(types) if types else None

    def _region(self, types: set[int]) -> Region:
        starts, item = self.local.choices.starts, self.local.choices.item
        owners = np.array(sorted(types), np.int64)
        entries = np.concatenate([np.arange(starts[t], starts[t + 1]) for t in owners])
        entries = entries[item[entries] >= 0]  # of contested items
        movable = entries[~self._items[item[entries]]]
        items = np.unique(item[movable]).astype(np.int64)
        inside = [i for i in items.tolist() if types.issuperset(self._types_of(i))]
        return Region(owners, items, np.array(inside, np.int64), movable)

    def _types_of(self, item: int) -> set[int]:
        return set(self.local.owner[self.local.entries_of(item)].tolist())

    def _further(self, item: int, types: set[int]) -> set[int] | None:
        """Return the types that an item brings; None where it cannot join."""
        if self._items[item]:
            return None
        size = int(self.local.starts[item + 1] - self.local.starts[item])
        if size > self.most:
            return None
        new = self._types_of(item) - types
        if len(types) + len(new) > self.most or self._types[list(new)].any():
            return None
        return new

    def _meet(self, types: set[int], near: dict[int, int], asked: set[int]) -> None:
        """Count for items nearby the rows of some types that are apart."""
        local, item = self.local, self.local.choices.item
        for t in types:
            own = slice(*local.choices.starts[t : t + 2].tolist())
            differ = np.abs(local.shown[own] - local.used[own])
            some = (differ > 0) & (item[own] >= 0)
            found = zip(item[own][some].tolist(), differ[some].tolist(), strict=True)
            for i, number in found:
                if i not in asked:
                    near[i] = near.get(i, 0) + number

    def _next(
        self, near: dict[int, int], types: set[int], asked: set[int]
    ) -> set[int] | None:
        best, found, chosen = 0.0, None, -1
        for i, number in list(near.items()):
            new = self._further(i, types)
            if new is None:
                del near[i]  # It brings too many types, and will never bring fewer.
            elif number / (1 + len(new)) > best:
                best, found, chosen = number / (1 + len(new)), new, i
        if found is not None:
            asked.add(chosen)
            del near[chosen]
        return found
