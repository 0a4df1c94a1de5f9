"""Tests that no release uses an incidence which reduced costs rule out."""

import random

import numpy as np
import pytest

from starmin.instances import STARS
from starmin.models.pattern_program.kernel_search import reduced_cost_fixing
from starmin.models.pattern_program.pattern_program import loads_of, pattern_program
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.verify.brute_force import brute_force
from tests.seeds import seeds
from tests.small_problems import ask, random_bounds, random_objective, random_table


@pytest.mark.parametrize("seed", seeds(20))
def test_no_optimal_release_uses_a_fixed_incidence(seed: int) -> None:
    rng = random.Random(seed)
    optimum = None
    while optimum is None or optimum.best is None:
        table = random_table(rng, 4, 9)
        k, l = random_bounds(rng)
        objective = random_objective(rng, table, "stars")
        optimum = brute_force(table, ask(k, l), objective)
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(table, types, objective, k, l)
    program = pattern_program(patterns, types, k, l)
    solution = LinearSolver(program.program).solve(60.0)
    assert solution is not None and optimum.value is not None
    least = reduced_cost_fixing(program, solution)
    assert (least >= solution.value - 1e-6).all()
    loads = loads_of(table, STARS, types, patterns, optimum.best)
    fixed = least > optimum.value + 1e-6
    assert not loads[fixed].any()


def test_some_incidences_are_fixed() -> None:
    rng, fixed = random.Random(5), 0
    for _ in range(10):
        table = random_table(rng, 9, 9)
        patterns = closed_patterns(table, table.row_types, STARS, 2)
        program = pattern_program(patterns, table.row_types, 2)
        solution = LinearSolver(program.program).solve(60.0)
        assert solution is not None
        optimum = brute_force(table, ask(2, 1), STARS).value
        fixed += int(np.sum(reduced_cost_fixing(program, solution) > optimum + 1e-6))
    assert fixed > 0
