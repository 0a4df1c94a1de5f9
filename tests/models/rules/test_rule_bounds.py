"""Tests that bounds on rules are valid, certified, and those of the relaxation."""

import random

import numpy as np
import pytest
from scipy.optimize import linprog

from starmin.instances import Combinations, Objective, Requirement, Table
from starmin.instances.releases.mask import why_no_mask
from starmin.models.rules import set_pool
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.rule_bounds import hitting_sets, rule_prices
from starmin.models.rules.rule_program import RuleProgram
from starmin.models.rules.set_relaxation import SetRelaxation, repaired
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.effort import seeds
from tests.support.small_rules import PAIRS, least_by_rules, random_problem


@pytest.mark.parametrize("seed", seeds(33))
def test_bounds_hold_and_are_certified(seed: int) -> None:
    rng = random.Random(seed)
    problem = random_problem(rng)
    table, requirement, objective = problem
    best = least_by_rules(*problem)
    for method in (hitting_sets, rule_prices):
        found = method(*problem[:2], objective=objective)
        assert (found.reason is None) == (best is not None)
        if best is None:
            continue
        assert found.lower_bound is not None
        assert found.lower_bound <= best
        if all(
            getattr(part, "semantics", "") == "source" for part in requirement.parts
        ):
            assert found.lower_bound == best
        assert found.certificate is not None
        check = check_certificate(found.certificate, table, requirement, objective)
        assert check.accepted, check.why
        assert check.bound == found.lower_bound


def relaxed(table: Table, requirement: Requirement, objective: Objective) -> float:
    """Solve the relaxation over all sets of all types, as it is written."""
    program = RuleProgram.of(table, requirement, objective)
    choices, items = program.choices, len(program.need)
    sets = list[tuple[int, int, list[int]]]()
    for t in range(len(program)):
        for place in range(int(program.sets[t])):
            places = np.full(len(program), 0)
            places[t] = place
            code = int(program.codes(places)[t])
            own = range(int(choices.starts[t]), int(choices.starts[t + 1]))
            shown = [
                int(choices.item[e])
                for e in own
                if code & int(choices.care[e]) == int(choices.want[e])
            ]
            if -1 not in shown:
                sets.append((t, code, shown))
    codes = np.array([code for _, code, _ in sets], np.int64)
    types = np.array([t for t, _, _ in sets], np.int64)
    lack = 3.0 * program.mean_star_cost
    costs = [
        *program.costs_of(codes, choices.types[types]),
        *items * [0],
        *items * [lack],
    ]
    copies, n = program.copies, len(sets)
    equal = np.zeros((len(program), len(costs)))
    rows = list[np.ndarray]()
    for s, (t, _, _) in enumerate(sets):
        equal[t, s] = 1
    for i in range(items):
        need = np.zeros(len(costs))
        need[n + i], need[n + items + i] = program.need[i], -1
        for t in range(len(program)):
            own = [s for s in range(n) if types[s] == t and i in sets[s][2]]
            need[own] = -1
            link = np.zeros(len(costs))
            link[own], link[n + i] = 1, -copies[t]
            rows.append(link)
        rows.append(need)
    upper = [None] * n + [1.0] * items + [None] * items
    found = linprog(
        costs,
        np.array(rows),
        np.zeros(len(rows)),
        equal,
        copies,
        [(0, most) for most in upper],
    )
    return float(found.fun) + program.fixed


def solved(problem: tuple[Table, Requirement, Objective]) -> SetRelaxation:
    function = PriceFunction(RuleProgram.of(*problem))
    relaxation = SetRelaxation.of(function, function.none)
    assert relaxation.improve(lambda: 60.0, lambda _: True)
    return relaxation


@pytest.mark.parametrize("seed", seeds(40))
def test_the_optimum_is_that_of_all_sets(seed: int) -> None:
    problem = random_problem(random.Random(seed), "classes")
    best = least_by_rules(*problem)
    if best is None:
        return
    relaxation = solved(problem)
    unit = relaxation.function.unit.per_cost
    assert relaxation.function(relaxation.best) == relaxation.value
    assert relaxation.value <= best * unit
    assert relaxation.value / unit == pytest.approx(relaxed(*problem), abs=0.02)


def test_sets_of_the_relaxation_have_masks() -> None:
    """Such a mask satisfies the rules where nothing was left out, and most are best."""
    masks = best_ones = 0
    for seed in range(40):
        problem = random_problem(random.Random(seed), "classes")
        best = least_by_rules(*problem)
        if best is None:
            continue
        relaxation = solved(problem)
        codes = relaxation.codes()
        assert codes is not None
        mask = relaxation.program.mask(codes)
        if mask.violation(*problem) is None:
            value = mask.value(problem[0], problem[2])
            assert value >= best
            masks += 1
            best_ones += value == best
    assert best_ones > masks // 2 > 5


def test_fewer_sets_are_listed_where_they_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = Combinations(2, 2, semantics="classes")
    bounds = list[int | None]()
    for most in (300_000, 20, 1):
        monkeypatch.setattr(set_pool, "MOST_SETS", most)
        bounds.append(rule_prices(PAIRS, asked).lower_bound)
    assert bounds[0] == 8 and all(bound in (7, 8) for bound in bounds)


@pytest.mark.parametrize("seed", seeds(40))
def test_what_is_paid_for_sets_outside_a_pool_is_less(seed: int) -> None:
    rng = random.Random(seed)
    problem = random_problem(rng, "classes")
    if why_no_mask(*problem) is not None:
        return
    function = PriceFunction(RuleProgram.of(*problem))
    pool = SetRelaxation.of(function, function.none).pool
    unit = function.unit.per_cost
    drawn = [rng.randint(-2 * unit, unit) for _ in function.none]
    prices = np.where(function.program.choices.item >= 0, drawn, 0).astype(np.int64)
    least, codes = pool.cheapest(prices)
    function.solve_types(prices)
    before = least - function.values

    better = repaired(pool, prices)

    assert np.array_equal(better[prices >= 0], prices[prices >= 0])
    assert (prices <= better).all() and (better[prices < 0] <= 0).all()
    again, same = pool.cheapest(better)
    assert np.array_equal(again, least) and np.array_equal(same, codes)
    function.solve_types(better)
    after = least - function.values
    assert (after <= before).all()
    assert (after <= 0).sum() >= (before <= 0).sum()
