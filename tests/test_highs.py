"""Tests that what HiGHS cannot solve is told, never taken for a solution."""

import math
from dataclasses import replace

import numpy as np
import pytest

from starmin.instances import KAnonymity, Partition, Run, Table
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.mip_search import MipSearch, solve_small
from starmin.models.solvers.program import Program, Rows, note_bound, whole_bound


def sum_of_two(least: float, most: float, integer: bool) -> Program:
    """Two columns between 0 and 3 whose sum lies between ``least`` and ``most``."""
    two, at = np.ones(2), np.zeros(2, np.int64)
    rows = Rows(at, np.arange(2), two, np.array([least]), np.array([most]))
    return Program(two, 0 * two, 3 * two, np.full(2, integer), (rows,))


def test_a_linear_program_without_a_point_is_an_error() -> None:
    assert LinearSolver(sum_of_two(2.5, 9.0, False)).solve(10.0).value == 2.5
    with pytest.raises(ArithmeticError, match="Infeasible"):
        LinearSolver(sum_of_two(7.0, 9.0, False)).solve(10.0)


def test_a_search_without_a_point_proves_an_infinite_bound() -> None:
    search = MipSearch(sum_of_two(2.5, 9.0, True), 10.0)
    search.finish(10.0)
    assert [round(sum(x)) for x in search.solutions()][-1] == 3
    assert search.end() == pytest.approx(3.0)
    for program in (sum_of_two(7.0, 9.0, True), sum_of_two(2.2, 2.8, True)):
        search = MipSearch(program, 10.0)
        search.finish(10.0)
        assert list(search.solutions()) == []
        assert search.end() == math.inf
        assert solve_small(program, 10.0) is None


def test_a_failure_of_highs_is_no_answer_from_it() -> None:
    """It does not know what to do with such costs, and says so."""
    for integer in (True, False):
        program = replace(sum_of_two(2.5, 9.0, integer), cost=np.full(2, np.inf))
        assert LinearSolver(program).solve(10.0) is None
        search = MipSearch(program, 10.0)
        search.finish(10.0)
        assert list(search.solutions()) == []
        assert search.end() == -math.inf


@pytest.mark.parametrize("bits", [0, 19, 21, 40, 50])
def test_costs_may_be_as_large_as_losses_are(bits: int) -> None:
    """Answers are in the unit of the costs, whatever HiGHS was given."""
    unit, costs = 2**bits + 1, np.array([1.0, 2.0])
    program = replace(sum_of_two(2.5, 9.0, True), cost=costs * (2**bits + 1))
    search = MipSearch(program, 10.0)
    search.finish(10.0)
    assert [*search.solutions()][-1].tolist() == [3, 0]
    assert search.end() == pytest.approx(3 * unit, rel=1e-12)
    solution = LinearSolver(program).solve(10.0)
    assert solution is not None and solution.value == pytest.approx(2.5 * unit)
    assert solution.dual.tolist() == [unit] and solution.reduced_cost[1] == unit


def test_a_bound_is_rounded_once_and_never_above_a_release() -> None:
    table = Table.from_rows(["a"], [["0"], ["1"]], ["a"])
    run = Run(table, KAnonymity(2))
    note_bound(run, math.inf, "nothing")
    note_bound(run, -math.inf, "nothing")
    assert run.lower_bound is None
    for bound, proven in ((0.0000004, 0), (0.1, 1), (1.9, 2)):
        note_bound(run, bound, "solver")
        assert run.lower_bound == proven
    run = Run(table, KAnonymity(2))
    run.offer(Partition.single(table))
    note_bound(run, 2.5, "solver")
    assert run.lower_bound == run.value == 2
    assert whole_bound(1e12) == 10**12 - 1000  # sums of floats are not that exact
