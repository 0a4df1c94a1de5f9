"""Tests that bounds on rules over combinations are valid, exact where rows are judged
one by one, and proven by certificates that both checkers accept, and refuse edited."""

import random

import pytest

from starmin.models.rules.rule_bounds import hitting_sets, rule_prices
from starmin.verify.certificates.certificate_check import check_certificate
from tests.least_by_rules import least_by_rules
from tests.seeds import seeds
from tests.small_rules import random_problem


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
