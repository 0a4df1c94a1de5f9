"""The bound that prices of items prove, recomputed from the table."""

from collections.abc import Mapping, Sequence
from typing import Any

from starmin.instances import Objective, Table
from starmin.verify.beyond import BeyondError, expect_time
from starmin.verify.certificates.rules.family import Family
from starmin.verify.certificates.rules.items import Items
from starmin.verify.certificates.rules.minima import NONE, Minima
from starmin.verify.certificates.untrusted import (
    LARGEST,
    RefusalError,
    check_keys,
    whole,
)

RULES = "rules"  # the kind of certificate

Prices = dict[int, dict[int, int]]  # by type, then by term


def rule_bound(
    data: Mapping[str, Any],
    table: Table,
    family: Family,
    objective: Objective,
    claim: int,
) -> int:
    r"""Recompute what no mask costs less than.

    For any prices :math:`\pi_{ti}` of a row of type t that shows item i a mask costs at
    least

    .. math:: \sum_t s_t \min_S (c(S) + \sum_{i \in S} \pi_{ti}) - \sum_i \max(0, f_i),

    where :math:`f_i` is the most that prices of item i come to over at least k and at
    most :math:`s_t` rows of each type. The rows that show an item are none or such
    rows.

    Parameters
    ----------
    data
        ``denominator`` and ``prices``, as docs/certificate.md has them.
    table, family, objective
        The problem; equal values of the table are merged.
    claim
        The bound that is claimed.

    Raises
    ------
    RefusalError
        The data are no prices.
    """
    check_keys(data, "its data", {"denominator", "prices"}, set())
    per_cost = whole(data["denominator"], "its denominator", 1)
    items = Items(table, family, objective)
    prices = read_prices(data["prices"], items)
    _expect_small(items, objective, table, prices, per_cost)
    minima = Minima(table, objective, items, per_cost)
    total = 0
    for t, copies in enumerate(items.copies.tolist()):
        least = minima.of(t, prices.get(t, {}), set())
        if least == NONE:
            raise RefusalError("the table has no release at all")
        total += copies * least
    total -= sum(max(0, fill) for fill in fills(items, prices).values())
    return -(-total // per_cost)


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


def _expect_small(
    items: Items, objective: Objective, table: Table, prices: Prices, per_cost: int
) -> None:
    """Refuse numbers whose sums might leave 64 bits."""
    most = max((abs(p) for own in prices.values() for p in own.values()), default=0)
    weights = int(objective.column_weights(table).sum())
    if most * len(items.terms) + (weights + 1) * per_cost >= LARGEST // 2:
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

    Parameters
    ----------
    offers
        Prices, each with how many rows have it.
    need
        At most as many as there are.
    """
    total, rows = 0, 0
    for price, copies in sorted(offers, reverse=True):
        taken = copies if price > 0 else min(copies, max(0, need - rows))
        total += price * taken
        rows += taken
    return total
