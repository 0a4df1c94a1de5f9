"""Tests that raised prices are proofs, and that no price could be raised alone."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from starmin.instances import (
    Certificate,
    Core,
    KAnonymity,
    Limit,
    NotSupportedError,
    Objective,
    Scales,
    Table,
)
from starmin.instances.catalogue.generators import normal
from starmin.instances.runs.search_control import Pace
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.tables.row_types import canonical_order
from starmin.models.bounds import dual_ascent as dual_ascent_file
from starmin.models.bounds import group_columns
from starmin.models.bounds.cheapest_groups import (
    Diversity,
    costs_in_order,
    group_search,
)
from starmin.models.bounds.dual_ascent import dual_ascent
from starmin.models.bounds.group_columns import lower_prices, rise_by_groups
from starmin.models.bounds.own_pattern import own_pattern
from starmin.models.bounds.slack_search import raise_prices
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.checker import BeyondError
from tests.support.cheap_groups import cheapest_group_costs
from tests.support.every_partition import groups_of
from tests.support.one_file_checker import proven_alone
from tests.support.small_problems import ask, random_problem

NO_LIMITS = (lambda: None), (lambda: 60.0)
FUZZ = int(os.environ.get("FUZZ", "60"))


def raised(table, types, objective, k, diversity, most_work):
    """Return the first prices of types and those they are raised to, in their order."""
    problem = table, types, objective, k
    costs = cheapest_group_costs(*problem, diversity)
    order, search = group_search(*problem, diversity)
    own = costs[order]
    prices, by_cost = own.copy(), np.argsort(own, kind="stable")
    raise_prices(search, own, by_cost, 0, len(own), prices, most_work)
    placed = np.empty_like(prices)
    placed[order] = prices
    return costs, placed


def test_no_group_pays_less_than_its_prices_and_none_could_be_higher():
    higher = 0
    for seed in range(FUZZ):
        _, table, objective, k, l = random_problem(seed)
        k = min(max(k, l, 2), table.n)
        l = min(k, l)
        types = table.sensitive_types if l > 1 else table.row_types
        if objective.apart(table) or 0 in objective.weights.values():
            continue
        for most_work in (10**9, 0):
            own, prices = raised(table, types, objective, k, Diversity(l), most_work)
            assert (prices >= own).all(), seed
            left = {}
            for chosen, cost in groups_of(table, objective, k, l):
                of = types.inverse[list(chosen)].tolist()
                rest = k * cost - int(prices[of].sum())
                assert rest >= 0, (seed, most_work, chosen)
                for t in of:
                    left[t] = min(left.get(t, rest), rest)
            higher += (prices > own).any()
            if most_work:
                copies = np.minimum(types.counts, -(-k // l))
                assert all(left[t] < copies[t] for t in left), seed
    assert higher > FUZZ // 10


def small(seed):
    """Return a random problem in the search's order, and all its groups of k rows."""
    rng, table, objective, k, l = random_problem(seed)
    k = min(max(k, l, 2), table.n)
    l = min(k, l)
    if objective.apart(table) or 0 in objective.weights.values():
        return None
    types = table.sensitive_types if l > 1 else table.row_types
    order, search = group_search(table, types, objective, k, Diversity(l))
    groups = [
        (np.argsort(order)[types.inverse[list(chosen)]], k * cost)
        for chosen, cost in groups_of(table, objective, k, l)
    ]
    return rng, table, objective, search, groups


def test_prices_are_lowered_until_no_group_pays_less():
    lower = 0
    for seed in range(FUZZ):
        if (found := small(seed)) is None:
            continue
        rng, table, objective, search, groups = found
        row = objective.whole(table) // table.n
        high = [rng.randint(0, row) for _ in search.counts]
        for work in (10**9, 0):
            prices, held = np.array(high, np.int64), np.zeros(len(high), bool)
            room = np.zeros(4, np.int64), *np.zeros((2, 4, len(table.qi)), np.int32)
            left = 1
            while left:
                many, left = lower_prices(search, prices, held, work, *room)
                lower += many
            assert held.all() and (prices >= 0).all() and (prices <= high).all(), seed
            for rows, cost in groups:
                assert prices[rows].sum() <= cost, (seed, work, rows)
            if not any(np.array(high)[rows].sum() > cost for rows, cost in groups):
                assert work == 0 or prices.tolist() == high, seed
    assert lower > FUZZ // 2


@pytest.mark.parametrize("many", [6, 0])
def test_generated_groups_prove_what_all_groups_do(many, monkeypatch):
    """The linear program over all groups of k rows, by another solver.

    Also where all groups are forgotten at first, and room for them only grows.
    """
    monkeypatch.setattr(group_columns, "_MANY", many)
    higher, seeds = 0, FUZZ if many else FUZZ // 2
    for seed in range(seeds):
        if (found := small(seed)) is None or not found[-1]:
            continue
        _, table, objective, search, groups = found
        row = objective.whole(table) // table.n
        none = np.zeros(len(search.counts), np.int64)
        *_, own = costs_in_order(search, row + 1, Pace())
        *_, most = [own, *rise_by_groups(search, own, row + 1, [], *NO_LIMITS)]
        uses = np.array([np.bincount(rows, minlength=len(none)) for rows, _ in groups])
        costs, bounds = [cost for _, cost in groups], (0, row + 1)
        whole = linprog(-search.counts, uses, costs, bounds=bounds)
        assert whole.status == 0
        proven = int(most @ search.counts)
        assert -whole.fun * (1 - 1e-4) - len(none) <= proven <= -whole.fun + 1e-6, seed
        higher += proven > own @ search.counts
        for rows, cost in groups:
            assert most[rows].sum() <= cost, (seed, rows)
    assert higher > seeds // 10


def test_its_bound_is_certified_and_between_own_pattern_and_the_optimum():
    better, equal = 0, 0
    for seed in range(FUZZ // 2):
        _, table, objective, k, l = random_problem(seed)
        requirement = ask(min(max(k, 2), table.n), l)
        best = brute_force(table, requirement, objective)
        if best.value is None or objective.apart(table):
            continue
        found = dual_ascent(table, requirement, objective=objective)
        least = own_pattern(table, requirement, objective=objective)
        assert found.lower_bound <= best.value, seed
        # By rows nodes above the highest level cost nothing in a column without weight,
        # and a column of one number is rounded as others are.
        scales = objective.scales_of(table).scales
        single = any(isinstance(s, NumericScale) and s.domain == 1 for s in scales)
        if 0 not in objective.weights.values() and not single:
            assert least.lower_bound <= found.lower_bound, seed
        better += least.lower_bound < found.lower_bound
        equal += found.lower_bound == best.value > 0
        proof = found.certificate
        verdict = check_certificate(proof, table, requirement, objective)
        assert verdict.accepted and verdict.bound == found.lower_bound, seed
    assert better and equal


def test_the_checker_refuses_prices_that_are_one_higher():
    table = normal(40, 2, seed=3)
    objective = Objective("gcp", scales=Scales.of(table, table.qi))
    found = dual_ascent(table, KAnonymity(4), objective=objective)
    data = found.certificate.data
    assert "unit" not in data
    for t in range(len(data["prices"])):
        prices = list(data["prices"])
        prices[t] += data["denominator"]
        wrong = replace(found.certificate, data=data | {"prices": prices})
        assert not check_certificate(wrong, table, KAnonymity(4), objective).accepted


def test_both_checkers_know_of_values_in_the_groups_of_prices():
    """Of two sensitive columns one is read; a price that is higher is refused."""
    named, higher, alone = set(), 0, 0
    for seed in range(FUZZ):
        rng, table, objective, k, l = random_problem(seed)
        rows = [[*row, rng.choice("pqrs")] for row in table.rows()]
        table = Table.from_rows([*table.qi, "s", "t"], rows, table.qi, ["t", "s"])
        k, l = min(k, table.n), max(l, 2)
        given = table, ask(k, l), objective
        best = brute_force(*given)
        if best.value is None or objective.apart(table):
            continue
        found = dual_ascent(table, ask(k, l), objective=objective)
        plain = dual_ascent(table, KAnonymity(max(k, l)), objective=objective)
        assert found.lower_bound <= best.value, seed
        assert check_certificate(found.certificate, *given).accepted, seed
        if 0 in objective.weights.values() or not found.lower_bound:
            continue
        higher += found.lower_bound > plain.lower_bound
        types, core = table.sensitive_types, Core(k, l)
        diversity = Diversity.of(core, table)
        _, prices = raised(table, types, objective, max(k, l), diversity, 10**9)
        column = table.sensitive[diversity.column]
        data = {"denominator": 1, "sensitive": column}
        named.add(column)
        for more in (0, max(k, l)):
            # What one copy more costs, no group of a row pays.
            listed = prices[canonical_order(table, types)] + 0
            listed[0] += more
            bound = int(prices @ types.counts)
            claim = Certificate.of(
                *given, "group_prices", bound, data | {"prices": listed.tolist()}
            )
            check = check_certificate(claim, *given)
            assert check.accepted == (not more), seed
            content = json.loads(json.dumps(vars(claim), default=dict))
            try:
                told = proven_alone(table, content, objective.scales)
            except BeyondError:
                continue
            assert told == (None if more else bound), seed
            alone += 1
    assert named == {"s", "t"} and higher and alone > FUZZ // 4


def test_without_time_it_proves_what_columns_do_and_what_it_has_looked_at(monkeypatch):
    rng = np.random.default_rng(1)
    cells = rng.exponential(1000, (150, 2)).astype(int).astype(str).tolist()
    table = Table.from_rows(["a", "b"], cells, qi=["a", "b"])
    problem = table, KAnonymity(3)
    objective = Objective("gcp", scales=Scales.of(table, table.qi))
    whole = dual_ascent(*problem, objective=objective)
    no_time = dual_ascent(*problem, objective=objective, time_limit=0)
    assert no_time.limit is Limit.TIME
    assert check_certificate(no_time.certificate, *problem, objective).accepted
    looked, raises = [], dual_ascent_file.raise_prices

    def once(*asked):
        if looked:
            raise TimeoutError
        looked.append(asked)
        raises(*asked)

    monkeypatch.setattr(dual_ascent_file, "raise_prices", once)
    part = dual_ascent(*problem, objective=objective)
    assert part.limit is Limit.TIME
    least = own_pattern(*problem, objective=objective).lower_bound
    assert 0 < no_time.lower_bound < least < part.lower_bound < whole.lower_bound
    assert check_certificate(part.certificate, *problem, objective).accepted


def test_groups_of_many_rows_are_refused():
    table = normal(600, 1, seed=1)
    objective = Objective("gcp", scales=Scales.of(table, table.qi))
    with pytest.raises(NotSupportedError, match="at most 500 rows"):
        dual_ascent(table, KAnonymity(501), objective=objective)
