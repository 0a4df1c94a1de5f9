"""The bound that prices of items prove, recomputed from the table."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from starmin.instances import Objective
from starmin.instances.arrays import Bools, Ints
from starmin.instances.loops.compiled import compiled
from starmin.verify.certificates.asked import Asked
from starmin.verify.certificates.rule_family import Family
from starmin.verify.certificates.rule_items import Items
from starmin.verify.certificates.untrusted import (
    LARGEST,
    RefusalError,
    check_keys,
    check_mapping,
    walked,
    whole,
)
from starmin.verify.exact import BeyondError, expect_time

# What a row of each type costs at least, prices of items included.

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
            ends = [self.items.offsets[j] for j in unit]
            codes.append([sum(((1 << n) - 1) << at for at in ends) for n in levels])
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


# Prices of items as a certificate has them, and the most that rows come to by them.

Prices = dict[int, dict[int, int]]  # by type, then by term


def read_prices(written: object, items: Items) -> Prices:
    """Read prices by type and term, refused where they are none."""
    if not isinstance(written, list):
        raise RefusalError("its prices are not a list")
    prices: Prices = {}
    for entry in written:
        if not isinstance(entry, list) or len(entry) % 2 != 1:
            raise RefusalError("an entry of its prices is not a type, terms and prices")
        t = whole(entry[0], "a type of its prices", 0)
        if t >= len(items.copies) or t in prices:
            raise RefusalError(f"its prices name type {t}, which is none or twice")
        prices[t] = _by_term(entry[1:], items, t)
    return prices


def _by_term(pairs: Sequence[object], items: Items, t: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for place in range(0, len(pairs), 2):
        term = whole(pairs[place], "a term of its prices", 0)
        if term >= len(items.terms) or term in found or items.item[t, term] < 0:
            raise RefusalError(f"its prices name term {term}, which type {t} lacks")
        if items.terms[term].asked.semantics == "source":
            raise RefusalError(f"term {term} needs no rows, so it has no price")
        found[term] = whole(pairs[place + 1], "a price", -LARGEST)
    return found


def expect_small(items: Items, prices: Prices, row: int) -> None:
    """Refuse numbers whose sums might leave 64 bits.

    ``row`` is more than what a row pays beside prices.
    """
    most = max((abs(p) for own in prices.values() for p in own.values()), default=0)
    if most * len(items.terms) + row >= LARGEST // 2:
        raise BeyondError("its prices are too large to be added")


def fills(items: Items, prices: Prices) -> dict[int, int]:
    """Return, by item that has prices, the most that rows which show it come to."""
    listed: dict[int, list[tuple[int, int]]] = {}
    for t, own in prices.items():
        expect_time()
        copies = int(items.copies[t])
        for term, price in own.items():
            if items.may[t, term]:
                item = int(items.item[t, term])
                listed.setdefault(item, []).append((price, copies))
    found = {}
    for item, offers in listed.items():
        free = int(items.rows[item]) - sum(copies for _, copies in offers)
        found[item] = best_fill([*offers, (0, free)], int(items.need[item]))
    return found


def best_fill(offers: list[tuple[int, int]], need: int) -> int:
    """Return the most that at least ``need`` of some rows come to.

    ``offers`` are prices, each with how many rows have it; ``need`` is at most as many
    as there are.
    """
    total, rows = 0, 0
    for price, copies in sorted(offers, reverse=True):
        taken = copies if price > 0 else min(copies, max(0, need - rows))
        total += price * taken
        rows += taken
    return total


# Trees of opened and closed items, whose gains add up to the bound of prices.

_MOST_NODES = 1_000_000


def gains(written: object, minima: Minima, prices: Prices, row: int) -> int:
    """Return by how much trees raise the bound of prices, in their unit.

    Each of the trees that are ``written`` is a list of nodes, the one in which an item
    is closed before the one in which it is opened. ``prices`` hold where a leaf names
    no other; ``row`` is more than what a row pays beside prices. Raises RefusalError
    where they are no trees, or two of them touch the same type or item.
    """
    if not isinstance(written, list):
        raise RefusalError("its trees are not a list")
    total, types, touched = 0, set[int](), set[int]()
    for nodes in written:
        tree = _Tree(minima, prices, row)
        gain = tree.gain(nodes)
        if not types.isdisjoint(tree.types) or not touched.isdisjoint(tree.touched):
            raise RefusalError("two of its trees share a row type or an item")
        types |= tree.types
        touched |= tree.touched
        total += gain
    return total


class _Tree:
    """One tree, and the types and items that it touches."""

    def __init__(self, minima: Minima, prices: Prices, row: int) -> None:
        self.items, self.minima, self.prices = minima.items, minima, prices
        self._row = row
        self.types, self.touched = set[int](), set[int]()
        self._least, self._fills = dict[int, int](), dict[int, int]()
        self._showing: dict[int, tuple[int, list[int]]] = {}

    def gain(self, nodes: object) -> int:
        """Return what the lowest leaf adds."""
        least = None
        for closed, opened, prices in self._leaves(nodes):
            found = self._leaf(closed, opened, read_prices(prices, self.items))
            if found is not None and (least is None or found < least):
                least = found
        if least is None:
            raise RefusalError("a tree of it leaves no release at all")
        return least

    def _leaves(
        self, nodes: object
    ) -> Iterator[tuple[frozenset[int], frozenset[int], object]]:
        """Visit the leaves with the items that are closed and opened there."""
        if not isinstance(nodes, list) or not 0 < len(nodes) <= _MOST_NODES:
            raise RefusalError("a tree of it is no list of nodes")
        none = frozenset[int]()
        ahead = [(none, none)]
        for (closed, opened), written in walked(ahead, nodes):
            node = check_mapping(written, "a node of its trees")
            if "item" not in node:
                check_keys(node, "a leaf of its trees", {"prices"})
                yield closed, opened, node["prices"]
                continue
            check_keys(node, "a node of its trees", {"item"})
            item = {self._item(node["item"])}
            ahead += [(closed, opened | item), (closed | item, opened)]

    def _item(self, written: object) -> int:
        """Read an item, named by a type and a term."""
        if not isinstance(written, Sequence) or len(written) != 2:
            raise RefusalError("an item of its trees is not a type and a term")
        t = whole(written[0], "a type of its trees", 0)
        term = whole(written[1], "a term of its trees", 0)
        if t >= len(self.items.copies) or term >= len(self.items.terms):
            raise RefusalError("its trees name a type or a term that is none")
        if self.items.terms[term].asked.semantics == "source":
            raise RefusalError(f"term {term} needs no rows, so it is not opened")
        if self.items.item[t, term] < 0:
            raise RefusalError(f"its trees name term {term}, which type {t} lacks")
        return self._note(t, term)

    def _note(self, t: int, term: int) -> int:
        """Return the item of a type, and note which types may show it."""
        item = int(self.items.item[t, term])
        if item not in self._showing:
            rows = self.items.may[:, term] & (self.items.item[:, term] == item)
            self._showing[item] = term, np.flatnonzero(rows).tolist()
        return item

    def _leaf(
        self, closed: frozenset[int], opened: frozenset[int], own: Prices
    ) -> int | None:
        """Return what a leaf adds; None where no release reaches it."""
        items, total = self.items, 0
        expect_small(items, own, self._row)
        types = {*own, *(t for i in closed for t in self._showing[i][1])}
        touched = {*closed, *opened}
        for t, prices in own.items():
            touched |= {self._note(t, term) for term in prices if items.may[t, term]}
        self.types |= types
        self.touched |= touched
        for t in types:
            prices = {**self.prices.get(t, {}), **own.get(t, {})}
            least = self.minima.of(t, prices, set(closed))
            if least == NONE:
                return None
            if t not in self._least:  # outside the tree
                self._least[t] = self.minima.of(t, self.prices.get(t, {}), set())
            total += int(items.copies[t]) * (least - self._least[t])
        for item in touched:
            if item not in self._fills:
                self._fills[item] = max(0, self._fill(item, {}))
            fill = 0
            if item not in closed:
                fill = self._fill(item, own)
                fill = fill if item in opened else max(0, fill)
            total -= fill - self._fills[item]
        return total

    def _fill(self, item: int, own: Prices) -> int:
        term, types = self._showing[item]
        offers = []
        for t in types:
            price = self.prices.get(t, {}).get(term, 0)
            price = own.get(t, {}).get(term, price)
            offers.append((price, int(self.items.copies[t])))
        return best_fill(offers, int(self.items.need[item]))


def rule_bound(asked: Asked, family: Family) -> int:
    """Recompute what no mask costs less than.

    docs/reference/certificate.md has the theorem (section "Kind rules"). Equal values
    of the table are merged. Raises RefusalError where the data are no prices or trees.
    """
    data, objective = asked.data, asked.objective
    check_keys(data, "its data", {"denominator", "prices"}, {"trees"})
    per_cost = whole(data["denominator"], "its denominator", 1)
    items = Items(asked.table, family, objective)
    prices = read_prices(data["prices"], items)
    row = sum(int(ladder.costs.max(initial=0)) for ladder in items.ladders)
    row = (row + 1) * per_cost
    expect_small(items, prices, row)
    minima = Minima(objective, items, per_cost)
    total, plain = minima.of_the_rest(prices)
    for t in np.flatnonzero(~plain).tolist():
        expect_time()
        least = minima.of(t, prices.get(t, {}), set())
        if least == NONE:
            raise RefusalError("the table has no release at all")
        total += int(items.copies[t]) * least
    total -= sum(max(0, fill) for fill in fills(items, prices).values())
    if "trees" in data:
        total += gains(data["trees"], minima, prices, row)
    return -(-total // per_cost)
