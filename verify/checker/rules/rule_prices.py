"""Prices of combinations, and the most that rows which show one come to by them."""

from typing import Any

from starmin.verify.checker.reading import listed_in, whole
from starmin.verify.checker.rules.rule_items import RuleItems
from starmin.verify.checker.words import RefusalError


def prices_by_type(written: Any) -> dict[int, dict[int, int]]:
    """Read prices: lists of a type, then terms and prices in turn."""
    prices: dict[int, dict[int, int]] = {}
    for entry in listed_in(written):
        if len(listed_in(entry)) % 2 != 1:
            raise RefusalError("an entry of its prices is not a type, terms and prices")
        t, terms = whole(entry[0], 0), [whole(e, 0) for e in entry[1::2]]
        if t in prices or len(set(terms)) < len(terms):
            raise RefusalError("its prices name a type or a term twice")
        own = [whole(price, None) for price in entry[2::2]]
        prices[t] = dict(zip(terms, own, strict=True))
    return prices


def expect_prices(items: RuleItems, prices: dict[int, dict[int, int]]) -> None:
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


def fills_of(items: RuleItems, prices: dict[int, dict[int, int]]) -> int:
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
