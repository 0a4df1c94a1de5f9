"""Bound releases by prices of combinations, or by trees (section "Kind rules")."""

from collections.abc import Collection, Iterator
from itertools import product
from typing import Any

from starmin.verify.checker.columns import Given
from starmin.verify.checker.reading import (
    BeyondError,
    RefusalError,
    entries,
    listed_in,
    walked,
    whole,
)
from starmin.verify.checker.rule_items import RuleItems
from starmin.verify.checker.rule_sets import People, rule_family

# What a row of a type pays at least, prices of what it shows included.

Prices = dict[int, dict[int, int]]  # by type and term
MOST_UNITS = 20  # bits of the number of sets of levels that matter to a row


def row_minimum(
    items: RuleItems, t: int, prices: dict[int, int], closed: Collection[int] = ()
) -> int | None:
    """Try all levels of units that matter to a type; return the least it pays.

    It shows no item that is rare or closed; None where that leaves no levels. A row
    pays for its levels, and for the terms that it shows. So costs and prices
    stand at the highest levels that pay them, and are summed over all lower ones, unit
    by unit. Terms of classes are added one by one.
    """
    never, priced = list[int](), list[int]()
    for e in items.terms:
        own = items.item[e][t]
        if own >= 0 and (items.rare[own] or own in closed):
            never.append(e)
        elif own >= 0 and prices.get(e):
            priced.append(e)
    if not never and not priced:
        return 0
    each_unit, count = list[tuple[int, list[int], int]](), 1
    for u, worth in levels_worth(items, never + priced).items():
        each_unit.append((u, worth, count))
        count *= len(worth)
    if count > 1 << MOST_UNITS:
        raise BeyondError(f"more than {MOST_UNITS} columns of a row matter")
    sums, barred = [0] * count, [False] * count
    if not items.once:
        for u, worth, stride in each_unit:
            paid = [items.unit * items.cost(t, u, level) for level in worth]
            sums[-1] += paid[-1]
            for i in range(len(worth) - 1):
                sums[count - 1 - (len(worth) - 1 - i) * stride] += paid[i] - paid[i + 1]
    barring = set(never)
    exact = [e for e in never + priced if items.terms[e].exact]
    for e in never + priced:
        if e in exact:
            continue
        place = 0
        for u, worth, stride in each_unit:
            most = items.terms[e].by_unit.get(u, worth[-1])
            place += stride * max(i for i, level in enumerate(worth) if level <= most)
        if e in barring:
            barred[place] = True
        else:
            sums[place] += prices.get(e, 0)
    sum_below(sums, barred, [len(worth) for _, worth, _ in each_unit])
    for e in exact:
        by_unit = items.terms[e].by_unit
        free = [
            [stride * worth.index(by_unit[u])]
            if u in by_unit
            else [stride * i for i in range(len(worth))]
            for u, worth, stride in each_unit
        ]
        price, rare = prices.get(e, 0), e in barring
        for some in product(*free):
            sums[sum(some)] += price
            barred[sum(some)] |= rare
    if items.once:
        sums = [s + items.unit * (place > 0) for place, s in enumerate(sums)]
    least = [s for s, no in zip(sums, barred, strict=True) if not no]
    return min(least) if least else None


def levels_worth(items: RuleItems, terms: list[int]) -> dict[int, list[int]]:
    """Return by unit the levels worth trying, where that are several.

    Any other level costs no less than the next lower one, and shows the same terms.
    """
    found: dict[int, set[int]] = {}
    for e in terms:
        term = items.terms[e]
        for u, level in term.by_unit.items():
            if u not in items.fixed:
                some = range(items.last[u] + 1) if term.exact else (0, level + 1)
                found.setdefault(u, set()).update(some)
    return {u: sorted(found[u]) for u in sorted(found)}


def sum_below(sums: list[int], barred: list[bool], sizes: list[int]) -> None:
    """Add to each place what stands at higher levels."""
    step = 1
    for size in sizes:
        for place in range(len(sums) - step - 1, -1, -1):
            if place // step % size < size - 1:
                sums[place] += sums[place + step]
                barred[place] |= barred[place + step]
        step *= size


# Prices of combinations, and the most that rows which show one come to by them.


def prices_by_type(written: Any) -> Prices:
    """Read prices: lists of a type, then terms and prices in turn."""
    prices: Prices = {}
    for entry in listed_in(written):
        if len(listed_in(entry)) % 2 != 1:
            raise RefusalError("an entry of its prices is not a type, terms and prices")
        t, terms = whole(entry[0], 0), [whole(e, 0) for e in entry[1::2]]
        if t in prices or len(set(terms)) < len(terms):
            raise RefusalError("its prices name a type or a term twice")
        own = [whole(price, None) for price in entry[2::2]]
        prices[t] = dict(zip(terms, own, strict=True))
    return prices


def expect_prices(items: RuleItems, prices: Prices) -> None:
    """Refuse prices of what is none, or needs no rows."""
    for t, own in prices.items():
        for e in own:
            if t >= len(items.copies) or e >= items.numbers:
                raise RefusalError("its prices name a type or a term that is none")
            if e not in items.terms:
                continue  # no row shows it
            if items.terms[e].rule.semantics == "source":
                raise RefusalError(f"term {e} needs no rows, so it has no price")
            if items.item[e][t] < 0:
                raise RefusalError(f"its prices name term {e}, which type {t} lacks")


def fills_of(items: RuleItems, prices: Prices) -> int:
    """Return what the rows of all items come to at most."""
    offers: dict[int, list[tuple[int, int]]] = {}
    for t, own in prices.items():
        for e, price in own.items():
            if e in items.terms and items.may_show(t, e):
                offer = price, items.copies[t]
                offers.setdefault(items.item[e][t], []).append(offer)
    total = 0
    for i, listed in offers.items():
        left = items.shows[i] - sum(copies for _, copies in listed)
        total += max(0, item_fill([*listed, (0, left)], items.need[i]))
    return total


def item_fill(offers: list[tuple[int, int]], need: int) -> int:
    """Return the most that at least so many rows come to: prices and rows of each."""
    total = 0
    for price, copies in sorted(offers, reverse=True):
        taken = copies if price > 0 else min(copies, max(0, need))
        total += price * taken
        need -= taken
    return total


# Trees of opened and closed items, whose gains add up (section "Kind rules").


class RuleTree:
    """One tree: a list of nodes, closed before opened, and what it touches."""

    def __init__(self, items: RuleItems, prices: Prices) -> None:
        self.items, self.prices = items, prices
        self.types, self.touched = set[int](), set[int]()

    def gain(self, nodes: Any) -> int:
        """Return what the lowest leaf adds to the bound of the prices."""
        found = [self._leaf(*leaf) for leaf in self._leaves(nodes)]
        least = [gain for gain in found if gain is not None]
        if not least:
            raise RefusalError("a tree of it leaves no release at all")
        return min(least)

    def _leaves(self, nodes: Any) -> Iterator[tuple[set[int], set[int], Prices]]:
        ahead: list[tuple[set[int], set[int]]] = [(set(), set())]
        for (closed, opened), node in walked(ahead, nodes, {"item", "prices"}):
            if len(node) != 1:
                raise RefusalError("a node of its trees is neither item nor prices")
            if "prices" in node:
                prices = prices_by_type(node["prices"])
                expect_prices(self.items, prices)
                yield closed, opened, prices
            else:
                item = {self._item(listed_in(node["item"]))}
                ahead += [(closed, opened | item), (closed | item, opened)]

    def _item(self, written: list[Any]) -> int:
        items = self.items
        if len(written) != 2:
            raise RefusalError("an item of its trees is not a type and a term")
        t, e = whole(written[0], 0), whole(written[1], 0)
        if t >= len(items.copies) or e not in items.terms:
            raise RefusalError("its trees name a type or a term that is none")
        if items.terms[e].rule.semantics == "source":
            raise RefusalError(f"term {e} needs no rows, so it is not opened")
        if items.item[e][t] < 0:
            raise RefusalError(f"its trees name term {e}, which type {t} lacks")
        return items.item[e][t]

    def _leaf(self, closed: set[int], opened: set[int], own: Prices) -> int | None:
        """Return what a leaf adds; None where no release reaches it."""
        items, total = self.items, 0
        touched = closed | opened
        for t, prices in own.items():
            shown = [e for e in prices if e in items.terms and items.may_show(t, e)]
            touched |= {items.item[e][t] for e in shown}
        types = set(own)
        for i in closed:
            types |= {t for _, t in items.showing(i)}
        self.types |= types
        self.touched |= touched
        for t in types:
            first, now = self.prices.get(t, {}), own.get(t, {})
            least = row_minimum(items, t, first | now, closed)
            before = row_minimum(items, t, first)
            if least is None or before is None:
                return None
            total += items.copies[t] * (least - before)
        for i in touched:
            total += max(0, self._fill(i, {}))
            if i not in closed:
                fill = self._fill(i, own)
                total -= fill if i in opened else max(0, fill)
        return total

    def _fill(self, i: int, own: Prices) -> int:
        offers = []
        for e, t in self.items.showing(i):
            price = self.prices.get(t, {}).get(e, 0)
            offers.append((own.get(t, {}).get(e, price), self.items.copies[t]))
        return item_fill(offers, self.items.need[i])


def gains_of_trees(written: Any, items: RuleItems, prices: Prices) -> int:
    """Return what all trees add; no two of them touch the same type or item."""
    total, types, touched = 0, set[int](), set[int]()
    for nodes in listed_in(written):
        tree = RuleTree(items, prices)
        total += tree.gain(nodes)
        if types & tree.types or touched & tree.touched:
            raise RefusalError("two of its trees share a row type or an item")
        types |= tree.types
        touched |= tree.touched
    return total


def named_in_trees(written: Any) -> set[int]:
    """Return the terms that trees name."""
    named = set[int]()
    for nodes in listed_in(written):
        for node in listed_in(nodes):
            if isinstance(node, dict) and "item" in node:
                named |= {e for e in listed_in(node["item"])[1:] if isinstance(e, int)}
            if isinstance(node, dict) and "prices" in node:
                for own in prices_by_type(node["prices"]).values():
                    named |= set(own)
    return named


# The bound that prices of combinations prove (section "Kind rules").


def rule_bound(given: Given, people: list[People]) -> tuple[int, int]:
    """Return what no mask costs less than, at most the claim, and what all costs."""
    certificate = given.certificate
    data, table = entries(certificate, "data"), entries(certificate, "table")
    kind = entries(certificate, "objective")["kind"]
    if kind not in ("stars", "tuples", "gcp"):
        raise RefusalError("its objective is neither stars, tuples nor gcp")
    if {*data, "trees"} != {"denominator", "prices", "trees"}:
        raise RefusalError("its data are not denominator, prices and maybe trees")
    given.expect_size()
    given = given._replace(rows=given.published(given.floors()))
    unit, prices = whole(data["denominator"], 1), prices_by_type(data["prices"])
    named = {e for own in prices.values() for e in own}
    named |= named_in_trees(data.get("trees", []))
    wanted = entries(certificate, "requirement")
    family = rule_family(wanted, table["qi"], people)
    items = RuleItems(given, family, named, unit)
    expect_prices(items, prices)
    total = 0
    for t, copies in enumerate(items.copies):
        least = row_minimum(items, t, prices.get(t, {}))
        if least is None:
            raise RefusalError("the table has no release at all")
        total += copies * least
    total -= fills_of(items, prices)
    total += gains_of_trees(data.get("trees", []), items, prices)
    every = range(len(items.units))
    most = sum(
        copies * sum(items.cost(t, u, items.last[u]) for u in every)
        for t, copies in enumerate(items.copies)
    )
    return min(whole(certificate["bound"], None), -(-total // unit)), most
