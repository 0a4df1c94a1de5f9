"""Tests that CP-SAT is run in one way, which finds the optima of all points."""

import os
import signal
import subprocess
import sys
import threading
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from ortools.sat.python import cp_model

from starmin.instances.runs.background_call import interruptible
from starmin.models.solvers.cp_sat_search import new_solver
from tests.seeds import seeds


def test_every_maker_of_a_solver_sets_what_must_be_set() -> None:
    assert new_solver().parameters.presolve_inclusion_work_limit == 0
    assert not new_solver().parameters.catch_sigint_signal
    root = Path(__file__).parents[1]
    needed = ("presolve_inclusion_work_limit = 0", "catch_sigint_signal = False")
    makers = {
        path.stem: all(line in text for line in needed)
        for folder in ("starmin", "verify", "heuristics", "models", "instances")
        for path in (root / folder).rglob("*.py")
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
