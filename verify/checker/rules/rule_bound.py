"""The bound that prices of combinations prove (section "Kind rules")."""

from typing import Any

from starmin.verify.checker.problem.floors import floor_of
from starmin.verify.checker.reading import entries, listed_in, whole
from starmin.verify.checker.rules.row_minima import row_minimum
from starmin.verify.checker.rules.rule_items import RuleItems
from starmin.verify.checker.rules.rule_sets import rule_family
from starmin.verify.checker.words import Content, RefusalError, Trees


def rule_bound(
    header: list[str], rows: list[list[str]], certificate: Content, trees: Trees
) -> int:
    """Return what no mask costs less than, at most what is claimed."""
    data, table = entries(certificate, "data"), entries(certificate, "table")
    kind = entries(certificate, "objective")["kind"]
    if kind not in ("stars", "tuples"):
        raise RefusalError("rules are for stars and tuples")
    if set(data) != {"denominator", "prices"}:
        raise RefusalError("its data are not denominator, prices")
    if (whole(table["n"], 0), whole(table["d"], 0)) != (len(rows), len(table["qi"])):
        raise RefusalError("it is for a table of another size")
    for column, stated in entries({"floors": {}, **table}, "floors").items():
        floor, j = floor_of(column, stated, header, rows, trees), header.index(column)
        rows = [[*row[:j], floor.text(row[j]), *row[j + 1 :]] for row in rows]
    unit, prices = whole(data["denominator"], 1), prices_by_type(data["prices"])
    named = {e for own in prices.values() for e in own}
    family = rule_family(entries(certificate, "requirement"), table["qi"])
    items = RuleItems(header, rows, certificate, family, named)
    expect_prices(items, prices)
    total = 0
    for t, copies in enumerate(items.copies):
        least = row_minimum(items, t, prices.get(t, {}), unit, kind == "tuples")
        total += copies * least
    total -= fills_of(items, prices)
    return min(whole(certificate["bound"], None), -(-total // unit))


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
