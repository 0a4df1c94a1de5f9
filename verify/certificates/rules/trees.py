"""Trees of opened and closed items, whose gains add up to the bound of prices."""

from collections.abc import Iterator, Sequence

import numpy as np

from starmin.verify.beyond import expect_time
from starmin.verify.certificates.rules.items import Items
from starmin.verify.certificates.rules.least_row_costs import NONE, Minima
from starmin.verify.certificates.rules.priced_items import (
    Prices,
    best_fill,
    expect_small,
    read_prices,
)
from starmin.verify.certificates.untrusted import (
    RefusalError,
    check_keys,
    check_mapping,
    whole,
)

_MOST_NODES = 1_000_000


def gains(
    written: object, items: Items, minima: Minima, prices: Prices, row: int
) -> int:
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
        tree = _Tree(items, minima, prices, row)
        gain = tree.gain(nodes)
        if not types.isdisjoint(tree.types) or not touched.isdisjoint(tree.touched):
            raise RefusalError("two of its trees share a row type or an item")
        types |= tree.types
        touched |= tree.touched
        total += gain
    return total


class _Tree:
    """One tree, and the types and items that it touches."""

    def __init__(self, items: Items, minima: Minima, prices: Prices, row: int) -> None:
        self.items, self.minima, self.prices, self._row = items, minima, prices, row
        self.types, self.touched = set[int](), set[int]()
        self._least, self._fills = dict[int, int](), dict[int, int]()
        self._showing: dict[int, tuple[int, list[int]]] = {}

    def gain(self, nodes: object) -> int:
        """Return what the lowest leaf adds."""
        least = None
        for closed, opened, prices in self._leaves(nodes):
            expect_time()
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
        none: frozenset[int] = frozenset()
        ahead = [(none, none)]
        for written in nodes:
            if not ahead:
                raise RefusalError("a tree of it has nodes below no other")
            closed, opened = ahead.pop()
            node = check_mapping(written, "a node of its trees")
            if "item" not in node:
                check_keys(node, "a leaf of its trees", {"prices"}, set())
                yield closed, opened, node["prices"]
                continue
            check_keys(node, "a node of its trees", {"item"}, set())
            item = {self._item(node["item"])}
            ahead += [(closed, opened | item), (closed | item, opened)]
        if ahead:
            raise RefusalError("a tree of it ends before its leaves")

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
            total += int(items.copies[t]) * (least - self._first(t))
        for item in touched:
            if item not in self._fills:
                self._fills[item] = max(0, self._fill(item, {}))
            fill = 0
            if item not in closed:
                fill = self._fill(item, own)
                fill = fill if item in opened else max(0, fill)
            total -= fill - self._fills[item]
        return total

    def _first(self, t: int) -> int:
        """Return what a row of a type pays at least outside the tree."""
        if t not in self._least:
            self._least[t] = self.minima.of(t, self.prices.get(t, {}), set())
        return self._least[t]

    def _fill(self, item: int, own: Prices) -> int:
        term, types = self._showing[item]
        offers = []
        for t in types:
            price = self.prices.get(t, {}).get(term, 0)
            price = own.get(t, {}).get(term, price)
            offers.append((price, int(self.items.copies[t])))
        return best_fill(offers, int(self.items.need[item]))
