"""Tests that prices of rows and odd sets are accepted just where they prove a bound."""

from collections.abc import Callable
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from starmin.instances import STARS, Certificate, KAnonymity, Objective, Table
from starmin.instances.catalogue.generators import uniform
from starmin.instances.tables.canonical import canonical_order
from starmin.models.simplex_matching.simplex_matching import simplex_matching
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.certificates.odd_set_proof import OddSets, odd_set_bound
from tests.exact_problems import tiny_objective, tiny_table
from tests.small_losses import random_problem


def overpaid(
    table: Table, objective: Objective, prices: list[int], odd_sets: OddSets, unit: int
) -> bool:
    """Look at each pair and triple of rows."""
    type_of, apart = table.row_types.inverse, objective.apart(table)
    scales = objective.scales_of(table)
    places = scales.row_positions(table)
    for size in (2, 3):
        for group in combinations(range(table.n), size):
            types = [int(type_of[row]) for row in group]
            rows = list(group)
            if any(len(set(each[rows].tolist())) > 1 for each in apart):
                continue
            low, high = places[rows].min(axis=0), places[rows].max(axis=0)
            lost = scales.extents(low[None], high[None])[0].tolist()
            cost = sum(a * b for a, b in zip(objective.units(table), lost, strict=True))
            paid = sum(prices[t] for t in types)
            for one, price in zip(odd_sets.sets, odd_sets.prices, strict=True):
                paid += int(price) * (sum(t in one for t in types) % 2)
            if paid > unit * size * cost:
                return True
    return False


@pytest.mark.parametrize("kind", ["stars", "gcp"])
def test_accepts_what_pays_no_pair_and_no_triple_too_much(kind: Any) -> None:
    verdicts = []
    for seed in range(250):
        rng = np.random.default_rng([seed, 9])
        if kind == "stars":
            table = tiny_table(rng)
            objective = tiny_objective(rng, table, kind)
        else:
            _, table, objective, *_ = random_problem(seed)
        types, unit = table.row_types, int(rng.integers(1, 4))
        sets = [
            np.flatnonzero(rng.random(len(types)) < 0.5)
            for _ in range(rng.integers(0, 4))
        ]
        sets = [one for one in sets if types.counts[one].sum() % 2]
        odd_sets = OddSets(sets, rng.integers(0, 3, len(sets)))
        step = max(1, objective.whole(table) // (3 * table.n)) if kind == "gcp" else 1
        prices = step * rng.integers(-1, 2 + unit, len(types))
        prices[types.counts > 1] = -rng.integers(0, 3)
        accepted = True
        try:
            odd_set_bound(table, objective, prices, odd_sets, unit)
        except ValueError as refusal:
            accepted = False
            assert str(refusal) == "a group is paid more than it costs"
        assert accepted != overpaid(table, objective, prices.tolist(), odd_sets, unit)
        verdicts.append(accepted)
    assert 50 < sum(verdicts) < 200


TABLE = uniform(29, 4, 4, seed=1)


def proof() -> dict[str, Any]:
    """Data of a certificate with an odd set, as it is read from a file."""
    certificate = simplex_matching(TABLE, KAnonymity(2)).certificate
    assert certificate is not None
    assert certificate.data["sets"]
    return {**certificate.data, "bound": certificate.bound}


def test_refuses_what_was_changed() -> None:
    data = proof()
    bound = data.pop("bound")
    types = TABLE.row_types
    counts = types.counts[canonical_order(TABLE, types)]
    single = int(np.flatnonzero(counts % 2)[0])
    even = [t for t in range(len(counts)) if t != single]

    def verdict(**changes: Any) -> str | None:
        changed = {**data, **changes}
        certificate = Certificate.of(
            TABLE, KAnonymity(2), STARS, "odd_sets", bound, changed
        )
        return check_certificate(certificate, TABLE, KAnonymity(2)).why

    def first(change: Callable[[Any], Any], entry: str) -> dict[str, Any]:
        return {entry: [change(data[entry][0]), *data[entry][1:]]}

    assert TABLE.n % 2 == 1
    assert verdict() is None
    for changes, why in (
        ({"prices": [p + 1 for p in data["prices"]]}, "a group is paid more"),
        (first(lambda p: p + 10**6, "set_prices"), "a group is paid more"),
        (first(lambda p: p - 10**6, "set_prices"), "price of a set is not a whole"),
        (first(lambda s: [*s, s[0]], "sets"), "has a type twice"),
        (first(lambda s: even, "sets"), "even number of rows"),
        (first(lambda s: [len(counts)], "sets"), "is not one of"),
        (first(lambda s: [], "sets"), "not a list of numbers"),
        (first(lambda s: [-1], "sets"), "not a whole number from 0"),
        ({"sets": []}, "not as many as their prices"),
        ({"sets": None}, "are not lists"),
        ({"set_prices": [2**61] * len(data["sets"])}, "beyond 64 bits"),
        ({"denominator": data["denominator"] - 1}, "a group is paid more"),
        ({"prices": [p - 10**4 for p in data["prices"]]}, "table and data prove"),
    ):
        assert why in str(verdict(**changes)), (why, verdict(**changes))


def test_refuses_more_values_than_can_be_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        import_module("starmin.verify.certificates.odd_set_proof"), "MOST_ENTRIES", 99
    )
    table = uniform(99, 1, 10, seed=0)
    prices = np.zeros(len(table.row_types), np.int64)
    with pytest.raises(ValueError, match="too many values to check"):
        odd_set_bound(table, STARS, prices, OddSets([], prices[:0]), 1)
