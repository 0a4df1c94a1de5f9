"""Tests that solvers are run in one way, and believed for no more than is proven."""

import math
import os
import random
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from ortools.sat.python import cp_model
from scipy.optimize import linprog

from starmin.instances import KAnonymity, Limit, Partition, Run, Table
from starmin.instances.runs.background_call import interruptible
from starmin.models.pattern_program.cut_separation import group_cuts
from starmin.models.pattern_program.pattern_program import cut_rows, pattern_program
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.solvers.cp_sat_search import new_solver
from starmin.models.solvers.linear_solver import LinearSolver, _streams, whole_dual
from starmin.models.solvers.mip_search import MipSearch, solve_program, solve_small
from starmin.models.solvers.program import Program, Rows, note_bound, stack, whole_bound
from starmin.verify.brute_force import brute_force
from tests.support.effort import seeds
from tests.support.places import HOME
from tests.support.small_problems import ask, random_objective, random_table


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
    search.call.finish(10.0)
    assert [round(sum(x)) for x in search.solutions()][-1] == 3
    assert search.end() == pytest.approx(3.0)
    for program in (sum_of_two(7.0, 9.0, True), sum_of_two(2.2, 2.8, True)):
        search = MipSearch(program, 10.0)
        search.call.finish(10.0)
        assert list(search.solutions()) == []
        assert search.end() == math.inf
        assert solve_small(program, 10.0) is None


def test_a_failure_of_highs_is_no_answer_from_it() -> None:
    """It does not know what to do with such costs, and says so."""
    for integer in (True, False):
        program = replace(sum_of_two(2.5, 9.0, integer), cost=np.full(2, np.inf))
        assert LinearSolver(program).solve(10.0) is None
        search = MipSearch(program, 10.0)
        search.call.finish(10.0)
        assert list(search.solutions()) == []
        assert search.end() == -math.inf


@pytest.mark.parametrize("bits", [0, 19, 21, 40, 50])
def test_costs_may_be_as_large_as_losses_are(bits: int) -> None:
    """Answers are in the unit of the costs, whatever HiGHS was given."""
    unit, costs = 2**bits + 1, np.array([1.0, 2.0])
    program = replace(sum_of_two(2.5, 9.0, True), cost=costs * (2**bits + 1))
    search = MipSearch(program, 10.0)
    search.call.finish(10.0)
    assert [*search.solutions()][-1].tolist() == [3, 0]
    assert search.end() == pytest.approx(3 * unit, rel=1e-12)
    solution = LinearSolver(program).solve(10.0)
    assert solution is not None and solution.value == pytest.approx(2.5 * unit)
    assert solution.dual.tolist() == [unit] and solution.reduced_cost[1] == unit


def test_a_search_that_could_not_leave_its_root_in_time_is_not_begun() -> None:
    """HiGHS would not look up for longer than there is time."""
    many = 400_000
    ones, at = np.ones(many), np.arange(many)
    rows = Rows(at, at, ones, ones, 2 * ones)
    program = Program(ones, 0 * ones, 3 * ones, ones > 0, (rows,))
    table = Table.from_rows(["a"], [["1"], ["2"]], qi=["a"])

    def none(_point: object) -> None:
        raise AssertionError("it has begun")

    run = Run[Partition](table, KAnonymity(2), time_limit=0.5)
    assert solve_program(run, program, "test", none) is Limit.TIME
    assert run.elapsed < 0.2 and run.lower_bound is None


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


def test_every_maker_of_a_solver_sets_what_must_be_set() -> None:
    assert new_solver().parameters.presolve_inclusion_work_limit == 0
    assert not new_solver().parameters.catch_sigint_signal
    needed = ("presolve_inclusion_work_limit = 0", "catch_sigint_signal = False")
    makers = {
        path.stem: all(line in text for line in needed)
        for folder in ("starmin", "verify", "heuristics", "models", "instances")
        for path in (HOME / folder).rglob("*.py")
        if "CpSolver()" in (text := path.read_text())
    }
    # Checks share no code with the models, so they have makers of their own.
    assert makers == {
        "cp_sat_search": True,
        "class_worlds": True,
        "source_solvers": True,
    }


AFTER_A_SOLVE = """
import signal
from starmin.models.linkage.broadcast import free_classes
from starmin.models.linkage.contiguous_classes import JointDistribution
from starmin.verify.reductions.source_solvers import Graph
from starmin.verify.reductions.source_solvers import minimum_vertex_cover

def heard():
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        return True

masses = [[1, 0], [1, 0], [0, 1], [0, 1], [1, 1]]
free_classes(JointDistribution.from_masses(masses), 2, 0.3)
print(heard())
minimum_vertex_cover(Graph.of("ab", [("a", "b")]))
print(heard())
"""


def test_a_solve_leaves_interrupts_to_python() -> None:
    """Where the handler was lost, the interrupt would end the process."""
    command = [sys.executable, "-c", AFTER_A_SOLVE]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "True\nTrue\n", done


def test_an_interrupt_ends_a_call_of_compiled_code() -> None:
    ended = threading.Event()
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        interruptible(lambda: ended.wait(60), ended.set)
    assert ended.is_set()


@pytest.mark.parametrize("seed", seeds(20))
def test_it_finds_the_best_of_all_points(seed: int) -> None:
    """At-most-ones within linear constraints: what the presolve goes wrong on."""
    rng = np.random.default_rng(seed)
    points = np.array(list(product([0, 1], repeat=10)))
    model = cp_model.CpModel()
    x = [model.new_bool_var("") for _ in range(10)]
    allowed = np.ones(len(points), bool)
    for _ in range(int(rng.integers(1, 5))):
        among = rng.choice(10, int(rng.integers(2, 5)), replace=False)
        model.add_at_most_one(x[j] for j in among)
        allowed &= points[:, among].sum(axis=1) <= 1
        row = np.where(rng.random(10) < 0.3, 0, rng.integers(-9, 10, 10))
        row[among] = rng.integers(1, 9, len(among))
        least = int(rng.integers(-20, 8))
        model.add(cp_model.LinearExpr.weighted_sum(x, row.tolist()) >= least)
        allowed &= points @ row >= least
    cost = rng.integers(-9, 10, 10)
    model.minimize(cp_model.LinearExpr.weighted_sum(x, cost.tolist()))
    solver = new_solver()
    status = solver.solve(model)
    if not allowed.any():
        assert status == cp_model.INFEASIBLE
    else:
        assert status == cp_model.OPTIMAL
        assert solver.objective_value == (points[allowed] @ cost).min()


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
        program = pattern_program(patterns, 3)
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


ORTOOLS = "from ortools.math_opt.python import mathopt"
HIGHSPY = "import highspy; highspy.Highs().getNumCol()"


@pytest.mark.parametrize("order", [(ORTOOLS, HIGHSPY), (HIGHSPY, ORTOOLS)])
def test_import_in_either_order(order: tuple[str, str]) -> None:
    code = "; ".join(order)
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


SCRIPT = """
import ctypes, sys
from starmin.models.solvers import linear_solver as highs
libc = ctypes.CDLL(None)

class Talker:
    def run(self):
        libc.puts(b"stray")
        sys.stdout.write("from Python\\n")

calls = [highs.HighsCall(Talker(), lambda: None) for _ in range(8)]
for call in calls:
    while call.running:
        call.wait(0.1)
sys.stdout.flush()
libc.puts(b"after")
libc.fflush(None)
"""


@pytest.mark.skipif(_streams() is None, reason="not the C library of GNU")
def test_lines_of_a_solver_are_kept_away_and_no_others():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert sorted(done.stdout.split("\n")) == ["", "after", *["from Python"] * 8]
