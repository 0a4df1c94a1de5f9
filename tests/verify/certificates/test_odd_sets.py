"""Tests that prices of rows and odd sets are accepted just where they prove a bound."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from starmin.instances import (
    STARS,
    Certificate,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Requirement,
    Table,
)
from starmin.instances.catalogue.generators import uniform
from starmin.instances.tables.row_types import canonical_order
from starmin.models.matching.simplex_matching import simplex_matching
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.certificates.group_bounds import OddSets, odd_set_bound
from starmin.verify.certificates.patterns.node_tree import PricedTypes
from starmin.verify.checker import BeyondError
from tests.support.one_file_checker import by_standard_library, proven_alone
from tests.support.small_problems import random_problem, tiny_objective, tiny_table


def overpaid(
    table: Table,
    objective: Objective,
    prices: list[int],
    odd_sets: OddSets,
    unit: int,
    diverse: bool,
) -> bool:
    """Look at each pair and triple of rows, if diverse of different values."""
    types = table.sensitive_types if diverse else table.row_types
    type_of, apart = types.inverse, objective.apart(table)
    values = table.column("s" if "s" in table.sensitive else "s0").tolist()
    scales = objective.scales_of(table)
    places = scales.row_positions(table)
    for size in (2, 3):
        for group in combinations(range(table.n), size):
            types = [int(type_of[row]) for row in group]
            rows = list(group)
            if diverse and len({values[row] for row in rows}) < size:
                continue
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


@pytest.mark.parametrize("diverse", [False, True])
@pytest.mark.parametrize("kind", ["stars", "gcp"])
def test_accepts_what_pays_no_pair_and_no_triple_too_much(
    kind: Any, diverse: bool
) -> None:
    verdicts = []
    for seed in range(150):
        rng = np.random.default_rng([seed, 9])
        if kind == "stars":
            table = tiny_table(rng)
            objective = tiny_objective(rng, table, kind)
        else:
            _, table, objective, *_ = random_problem(seed)
        types = table.sensitive_types if diverse else table.row_types
        unit = int(rng.integers(1, 4))
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
            l = 2 if diverse else 1
            problem = PricedTypes(table, types, objective, 2, l, prices, unit)
            odd_set_bound(problem, odd_sets)
        except ValueError as refusal:
            accepted = False
            assert str(refusal) == "a group is paid more than it costs"
        paid = prices.tolist(), odd_sets, unit
        assert accepted != overpaid(table, objective, *paid, diverse)
        verdicts.append(accepted)
    assert 30 < sum(verdicts) < 120


@pytest.mark.parametrize("kind", ["stars", "gcp"])
def test_two_diversity_is_solved_exactly(kind: Any) -> None:
    """As all partitions say; both checkers take the proof for what it claims."""
    proven = 0
    for seed in range(90):
        rng = np.random.default_rng([seed, 17])
        if kind == "stars":
            table = tiny_table(rng, most=8)
            objective = tiny_objective(rng, table, kind)
        else:
            _, table, objective, *_ = random_problem(seed)
        asked: Requirement = LDiversity(2)
        if seed % 3 == 0:
            asked = asked & KAnonymity(2)
        found = simplex_matching(table, asked, objective=objective)
        optimum = brute_force(table, asked, objective).value
        assert (found.value, found.lower_bound) == (optimum, optimum)
        assert (found.reason is None) == (optimum is not None)
        proof = found.certificate
        if proof is None or proof.kind != "odd_sets" or optimum == 0:
            continue
        assert found.best.violation(table, asked, objective) is None
        check = check_certificate(proof, table, asked, objective)
        assert check.accepted and proof.data["sensitive"] == table.sensitive[0]
        content = json.loads(json.dumps(vars(proof), default=dict))
        scales = objective.scales_of(table) if kind == "gcp" else None
        with suppress(BeyondError):
            assert proven_alone(table, content, scales) == proof.bound
        # Of rows alone these prices are of other types, or pay groups too much.
        del content["data"]["sensitive"]
        lie = replace(proof, data=content["data"])
        if not check_certificate(lie, table, asked, objective).accepted:
            assert by_standard_library(table, content, scales) is None
        proven += 1
    assert proven > 4


def test_other_diversity_is_refused() -> None:
    table = uniform(9, 2, 3, seed=1, sensitive=3)
    for asked in (LDiversity(3), LDiversity(2) & KAnonymity(3)):
        with pytest.raises(NotSupportedError, match="Expected 2-anonymity or 2-div"):
            simplex_matching(table, asked)


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
        import_module("starmin.verify.certificates.group_bounds"), "MOST_ENTRIES", 99
    )
    table = uniform(99, 1, 10, seed=0)
    prices = np.zeros(len(table.row_types), np.int64)
    problem = PricedTypes(table, table.row_types, STARS, 2, 1, prices, 1)
    with pytest.raises(ValueError, match="too many values to check"):
        odd_set_bound(problem, OddSets([], prices[:0]))
