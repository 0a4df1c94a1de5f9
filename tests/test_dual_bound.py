"""Tests that duals prove in whole numbers what relaxations prove, and no lie more."""

import random
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from starmin.models.pattern_program.cut_separation import group_cuts
from starmin.models.pattern_program.pattern_program import cut_rows, pattern_program
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.solvers.linear_solver import LinearSolver, whole_dual
from starmin.models.solvers.program import Program, Rows, stack
from starmin.verify.brute_force import brute_force
from tests.small_problems import ask, random_objective, random_table


def random_program(rng: np.random.Generator) -> Program:
    """Whole numbers, and rows of either kind; 0 is feasible or not."""
    columns, count = rng.integers(2, 6, 2)
    value = rng.integers(-3, 4, (count, columns))
    row, column = np.nonzero(value)
    middle = rng.integers(-2, 6, count).astype(float)
    lower = np.where(rng.random(count) < 0.3, -np.inf, middle)
    upper = np.where(
        rng.random(count) < 0.3, np.inf, middle + rng.integers(0, 3, count)
    )
    rows = Rows(row, column, value[row, column].astype(float), lower, upper)
    least = rng.integers(-1, 2, columns).astype(float)
    box = least, least + rng.integers(0, 4, columns)
    cost = rng.integers(-4, 9, columns).astype(float)
    return Program(cost, *box, np.zeros(columns, bool), (rows,))


def optimum(program: Program) -> float | None:
    matrix, lower, upper = stack(program.rows, len(program.cost))
    rows = np.concatenate([matrix.toarray(), -matrix.toarray()])
    sides = np.concatenate([upper, -lower])
    used = np.isfinite(sides)
    box = list(zip(program.lower, program.upper, strict=True))
    found = linprog(program.cost, rows[used], sides[used], bounds=box)
    return found.fun if found.status == 0 else None


def test_any_multipliers_prove_a_bound_and_those_of_a_solver_the_optimum():
    rng, met = np.random.default_rng(1), 0
    for _ in range(120):
        program = random_program(rng)
        best = optimum(program)
        if best is None:
            continue
        for scale in (0.5, 3.0):
            proven = whole_dual(
                program, rng.normal(0, scale, len(program.rows[0].lower))
            )
            assert proven.total / proven.unit <= best + 1e-9
        solution = LinearSolver(program).solve(9.0)
        proven = whole_dual(program, solution.dual)
        assert proven.total / proven.unit == pytest.approx(best, abs=1e-6)
        met += 1
    assert met > 20


def test_cuts_with_shares_are_made_whole():
    rng, tighter = random.Random(3), 0
    for _ in range(40):
        table = random_table(rng, 6, 9)
        objective = random_objective(rng, table, "stars")
        optimal = brute_force(table, ask(3, 1), objective).value
        if optimal is None:
            continue
        patterns = closed_patterns(table, table.row_types, objective, 3)
        program = pattern_program(patterns, table.row_types, 3)
        solver = LinearSolver(program.program)
        solution = solver.solve(9.0)
        first = whole_dual(program.program, solution.dual)
        cuts = group_cuts(program, solution.x)
        if not cuts:
            continue
        rows = cut_rows(program, cuts)
        solver.add(rows)
        solution = solver.solve(9.0)
        tight = replace(program.program, rows=(*program.program.rows, rows))
        proven = whole_dual(tight, solution.dual)
        assert proven.total / proven.unit == pytest.approx(solution.value, abs=1e-5)
        assert first.bound <= proven.bound <= optimal
        tighter += proven.bound > first.bound
    assert tighter > 0


def test_what_cannot_be_computed_in_whole_numbers_is_none():
    at = np.array([0])
    rows = Rows(at, at, np.array([1.0]), np.array([1.0]), np.array([np.inf]))
    box = np.zeros(1), np.array([np.inf])
    one = Program(np.array([2.0]), *box, np.ones(1, bool), (rows,))
    assert whole_dual(one, np.array([2.0])).bound == 2
    assert whole_dual(one, np.array([3.0])) is None  # without end
    assert whole_dual(replace(one, cost=np.array([2.5])), np.array([2.0])) is None
    assert whole_dual(replace(one, cost=np.array([2.0**58])), np.array([2.0])) is None
