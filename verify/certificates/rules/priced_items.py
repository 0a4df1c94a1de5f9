"""Prices of items as a certificate has them, and the most that rows come to by them."""

from collections.abc import Sequence

from starmin.verify.beyond import BeyondError, expect_time
from starmin.verify.certificates.rules.items import Items
from starmin.verify.certificates.untrusted import LARGEST, RefusalError, whole

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
