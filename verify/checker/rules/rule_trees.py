"""Trees of opened and closed items, whose gains add up (section "Kind rules")."""

from collections.abc import Iterator
from typing import Any

from starmin.verify.checker.reading import listed_in, whole
from starmin.verify.checker.rules.row_minima import row_minimum
from starmin.verify.checker.rules.rule_items import RuleItems
from starmin.verify.checker.rules.rule_prices import (
    expect_prices,
    item_fill,
    prices_by_type,
)
from starmin.verify.checker.words import RefusalError


class RuleTree:
    """One tree: a list of nodes, closed before opened, and what it touches."""

    def __init__(
        self,
        items: RuleItems,
        prices: dict[int, dict[int, int]],
        unit: int,
        once: bool,
    ) -> None:
        self.items, self.prices, self.unit, self.once = items, prices, unit, once
        self.types, self.touched = set[int](), set[int]()

    def gain(self, nodes: Any) -> int:
        """Return what the lowest leaf adds to the bound of the prices."""
        found = [self._leaf(*leaf) for leaf in self._leaves(listed_in(nodes))]
        least = [gain for gain in found if gain is not None]
        if not least:
            raise RefusalError("a tree of it leaves no release at all")
        return min(least)

    def _leaves(
        self, nodes: list[Any]
    ) -> Iterator[tuple[set[int], set[int], dict[int, dict[int, int]]]]:
        ahead: list[tuple[set[int], set[int]]] = [(set(), set())]
        for node in nodes:
            if not ahead:
                raise RefusalError("a tree of it has nodes below no other")
            closed, opened = ahead.pop()
            if isinstance(node, dict) and set(node) == {"prices"}:
                prices = prices_by_type(node["prices"])
                expect_prices(self.items, prices)
                yield closed, opened, prices
            elif isinstance(node, dict) and set(node) == {"item"}:
                item = {self._item(listed_in(node["item"]))}
                ahead += [(closed, opened | item), (closed | item, opened)]
            else:
                raise RefusalError("a node of its trees is neither item nor prices")
        if ahead:
            raise RefusalError("a tree of it ends before its leaves")

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

    def _leaf(
        self, closed: set[int], opened: set[int], own: dict[int, dict[int, int]]
    ) -> int | None:
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
            given = self.unit, self.once
            least = row_minimum(items, t, first | now, *given, closed)
            before = row_minimum(items, t, first, *given, set())
            if least is None or before is None:
                return None
            total += items.copies[t] * (least - before)
        for i in touched:
            total += max(0, self._fill(i, {}))
            if i not in closed:
                fill = self._fill(i, own)
                total -= fill if i in opened else max(0, fill)
        return total

    def _fill(self, i: int, own: dict[int, dict[int, int]]) -> int:
        offers = []
        for e, t in self.items.showing(i):
            price = self.prices.get(t, {}).get(e, 0)
            offers.append((own.get(t, {}).get(e, price), self.items.copies[t]))
        return item_fill(offers, self.items.need[i])


def gains_of_trees(
    written: Any,
    items: RuleItems,
    prices: dict[int, dict[int, int]],
    unit: int,
    once: bool,
) -> int:
    """Return what all trees add; no two of them touch the same type or item."""
    total, types, touched = 0, set[int](), set[int]()
    for nodes in listed_in(written):
        tree = RuleTree(items, prices, unit, once)
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
