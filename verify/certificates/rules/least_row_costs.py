"""What a row of each type costs at least, prices of items included."""

import math
from collections.abc import Collection, Mapping

import numpy as np

from starmin.instances import Objective
from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled
from starmin.verify.beyond import BeyondError
from starmin.verify.certificates.rules.items import Items

MOST_OPEN = 20  # columns of a row that matter, or sets of linked ones
NONE = 1 << 62  # No set of columns may be hidden.


class Minima:
    """Finds the cheapest levels of columns for types, by trying all that matter.

    ``per_cost`` units of prices are one of the objective.
    """

    def __init__(self, objective: Objective, items: Items, per_cost: int) -> None:
        self.items, self.per_cost = items, per_cost
        linked = sum(items.linked)
        alone = [(j,) for j, own in enumerate(items.bits) if not own & linked]
        joined = [
            tuple(j for j, own in enumerate(items.bits) if own & unit)
            for unit in items.linked
        ]
        self.units = [
            unit
            for unit in [*alone, *joined]
            if not any(items.bits[j] & items.kept for j in unit)
        ]
        self.once = per_cost if objective.once else 0
        self.touched = np.array([t.touched for t in items.terms], np.int64)
        self.hidden = np.array([t.hidden for t in items.terms], np.int64)
        self.exact = np.array(
            [t.asked.semantics == "classes" for t in items.terms], bool
        )

    def of_the_rest(self, priced: Collection[int]) -> tuple[int, Bools]:
        """Return what rows cost that show all, and which types may for nothing more.

        Items of the types ``priced`` have prices. Returned are the cost of all rows of
        these types together, and a flag by type: they have neither prices nor items
        that are rare.
        """
        item = self.items.item
        which: Bools = ~np.any((item >= 0) & self.items.rare[item], axis=1)
        which[list(priced)] = False
        if self.once:
            return 0, which
        copies = self.items.copies[which].astype(object)
        paid = [ladder.costs[which, 0].astype(object) for ladder in self.items.ladders]
        return self.per_cost * sum(int(copies @ each) for each in paid), which

    def of(self, t: int, prices: Mapping[int, int], closed: set[int]) -> int:
        """Return the least cost of a row of type t.

        ``prices`` are by term; ``closed`` are items that no row shows, beside those
        that are rare. Raises BeyondError where too many columns matter.
        """
        item = self.items.item[t]
        own = np.flatnonzero(item >= 0)
        never = self.items.rare[item[own]]
        if closed:
            never = never | np.isin(item[own], list(closed))
        by_term = np.zeros(len(item), np.int64)
        by_term[list(prices)] = list(prices.values())
        priced = by_term[own]
        some = never | (priced != 0)
        own, never, priced = own[some], never[some], priced[some]
        codes, costs, total = list[list[int]](), list[list[int]](), 0
        for unit in self.units:
            levels = self._levels(unit, own)
            # A missing cell needs no star where cells that are linked to it have one.
            paid = [
                sum(
                    int(self.items.ladders[j].costs[t, level])
                    for j in unit
                    if len(unit) == 1 or not (level and self.items.absent[t, j])
                )
                for level in levels
            ]
            total += self.per_cost * paid[0]
            if len(levels) == 1:
                continue
            codes.append([self._code(unit, level) for level in levels])
            costs.append([self.per_cost * (cost - paid[0]) for cost in paid])
        for j, ladder in enumerate(self.items.ladders):
            if self.items.bits[j] & self.items.kept:
                total += self.per_cost * int(ladder.costs[t, 0])
        if math.prod(map(len, codes)) > 1 << MOST_OPEN:
            raise BeyondError(f"more than {MOST_OPEN} columns of a row matter")
        most = max(map(len, codes), default=1)
        sizes = np.array(list(map(len, codes)), np.int64)
        found = _least(
            sizes,
            _wide(codes, most),
            _wide(costs, most),
            self.once,
            self.touched[own],
            self.hidden[own],
            never,
            priced,
        )
        return int(found) + (0 if self.once or found == NONE else total)

    def _code(self, unit: tuple[int, ...], level: int) -> int:
        return sum(((1 << level) - 1) << self.items.offsets[j] for j in unit)

    def _levels(self, unit: tuple[int, ...], own: Ints) -> list[int]:
        """Return the levels worth trying: the next lower one shows no more else."""
        if len(unit) > 1:
            bits = sum(self.items.bits[j] for j in unit)
            return [0, 1] if (self.touched[own] & bits).any() else [0]
        (j,) = unit
        bits, at = self.items.bits[j], self.items.offsets[j]
        levels = {0}
        for e in own[(self.touched[own] & bits) != 0].tolist():
            if self.exact[e]:
                return list(range(self.items.ladders[j].last + 1))
            lowest = int(self.touched[e]) & bits
            levels.add((lowest & -lowest).bit_length() - at)
        return sorted(levels)


def _wide(lists: list[list[int]], most: int) -> Ints:
    found = np.zeros((len(lists), most), np.int64)
    for row, each in enumerate(lists):
        found[row, : len(each)] = each
    return found


@compiled
def _least(
    sizes: Ints,
    codes: Ints,
    costs: Ints,
    once: int,
    touched: Ints,
    hidden: Ints,
    never: Bools,
    prices: Ints,
) -> int:
    least, count = NONE, 1
    for size in sizes:
        count *= size
    for some in range(count):
        code, cost, rest = 0, 0, some
        for u in range(len(sizes)):
            level = rest % sizes[u]
            rest //= sizes[u]
            code |= codes[u, level]
            cost += costs[u, level]
        if once:
            cost = once if some else 0
        fine = True
        for e in range(len(touched)):
            if code & touched[e] != hidden[e]:
                continue
            if never[e]:
                fine = False
                break
            cost += prices[e]
        if fine:
            least = min(least, cost)
    return least
