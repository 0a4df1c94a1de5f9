"""Tests that repaired prices leave what a pool of sets costs, and less outside it."""

import random

import numpy as np
import pytest

from starmin.instances.releases.mask import why_no_mask
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.rule_program import RuleProgram
from starmin.models.rules.set_relaxation import SetRelaxation, repaired
from tests.seeds import seeds
from tests.small_rules import random_problem


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
    least, codes = pool.cheapest(function, prices)
    function.solve_types(prices)
    before = least - function.values

    better = repaired(function, pool, prices)

    assert np.array_equal(better[prices >= 0], prices[prices >= 0])
    assert (prices <= better).all() and (better[prices < 0] <= 0).all()
    again, same = pool.cheapest(function, better)
    assert np.array_equal(again, least) and np.array_equal(same, codes)
    function.solve_types(better)
    after = least - function.values
    assert (after <= before).all()
    assert (after <= 0).sum() >= (before <= 0).sum()
