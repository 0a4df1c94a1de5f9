"""Tests that every thread has ended when a call returns, whatever ended the call."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import starmin
from starmin.instances import (
    Combinations,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Result,
    Run,
    Table,
)
from starmin.instances.catalogue.catalogue import hospital, load_instance
from starmin.instances.catalogue.generators import uniform
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.missing_values import MissingValues, Reading
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.within import nested_within
from starmin.instances.runs.background_call import BackgroundCall, ended_on_return
from starmin.instances.runs.cores import Threads
from starmin.instances.runs.search_control import listen_to_stop
from starmin.models.solvers import linear_solver
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.program import INF, Program, Rows
from starmin.registry import METHODS

TASKS = Path("/proc/self/task")
pytestmark = pytest.mark.skipif(not TASKS.exists(), reason="threads are listed there")
REQUIREMENTS = [KAnonymity(3), LDiversity(2), KAnonymity(2), DistinctDiversity(2)]
REQUIREMENTS += [MissingValues(LDiversity(2), Reading("any")), Combinations(2, 3)]
PUBLISHED = [("stars", "suppression"), ("stars", "nonhomogeneous")]
PUBLISHED += [("tuples", "suppression"), ("gcp", "generalization")]
TABLE = load_instance("correlated:n=40,seed=2")
TABLES = [TABLE, uniform(40, d=2, alphabet=3, seed=2)]
PEOPLE = Table.from_rows(
    ["a", "b", "id"],
    [[str(i % 3), str(i % 5), str(i // 2)] for i in range(40)],
    qi=["a", "b"],
)
LARGER = uniform(400, d=6, alphabet=5, seed=2)
TABLES += [hospital(), uniform(40, d=3, alphabet=3, sensitive=2, seed=2)]
SOLVERS = ["auto", "pattern_ilp", "branch_and_bound", "large_neighbourhood"]
LEAVES_A_THREAD = """
import time
import numpy as np
from starmin.models.solvers import linear_solver
from starmin.models.solvers.program import Program, Rows
linear_solver.GRACE = 0.0
n = 300
rng = np.random.default_rng(1)
row, column = np.divmod(np.arange(n * n), n)
rows = Rows(row, column, rng.random(n * n), np.ones(n), np.full(n, np.inf))
solver = linear_solver.LinearSolver(
    Program(rng.random(n), np.zeros(n), np.full(n, 9.0), np.zeros(n, bool), (rows,))
)
solver._highs.cbSimplexInterrupt.subscribe(lambda event: time.sleep(0.2))
assert solver.solve(0.1) is None
print("left")
"""


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """A thread of the system takes a moment more to end than one of Python."""
    for library in ("scipy.linalg", "ortools.sat.python.cp_model"):
        import_module(library)  # from then on it has a thread of its own, which waits
    before, others = {*TASKS.iterdir()}, threading.enumerate()
    yield
    until = time.monotonic() + 60.0
    while (left := {*TASKS.iterdir()} - before) and time.monotonic() < until:
        time.sleep(0.01)
    assert not left and {*threading.enumerate()} <= {*others}


def interrupt_after(seconds: float) -> threading.Timer:
    """A signal for the main thread, which it hears also while it waits."""
    me = threading.get_ident()
    timer = threading.Timer(seconds, signal.pthread_kill, (me, signal.SIGINT))
    timer.start()
    return timer


def call(name: str) -> Result[Any]:
    """Call a method for the first problem that it takes, with too little time."""
    bounds = name in METHODS and METHODS[name].kind == "bound"
    persons = PEOPLE, Persons.of(PEOPLE, KAnonymity(3), "id"), PUBLISHED[0]
    nested = *nested_within(TABLE, KAnonymity(3), np.arange(40) // 10), PUBLISHED[0]
    fewer = TABLE, DeletedRows(KAnonymity(3), "2"), PUBLISHED[0]
    for table, requirement, told in (
        *([nested] if name.startswith("within") else []),
        *([fewer] if name.startswith("deletion") else []),
        *product(TABLES, REQUIREMENTS, PUBLISHED),
        persons,
    ):
        asked = {"objective": told[0], "recoding": told[1], "method": name}
        asked |= {"requirement": requirement, "time_limit": 0.2}
        try:
            return (starmin.bound if bounds else starmin.solve)(table, **asked)
        except NotSupportedError:
            continue
    raise AssertionError(f"no problem for {name}")


@pytest.mark.parametrize("name", ["auto", *METHODS])
def test_a_call_that_its_limit_ends(name: str) -> None:
    call(name)


@pytest.mark.parametrize("name", SOLVERS)
def test_a_call_that_an_interrupt_ends(name: str) -> None:
    timer = interrupt_after(0.15)
    with suppress(KeyboardInterrupt):
        starmin.solve(LARGER, k=3, method=name, time_limit=20.0)
        timer.join()
    timer.join()


def test_bounds_frames_and_frontiers() -> None:
    starmin.bound(TABLE, k=3, time_limit=0.3)
    starmin.frontier(TABLE, k=[2, 3], time_limit=0.5)
    frame = pandas.DataFrame({"age": [30, 30, 41, 42, 50, 61], "sex": list("fmffmm")})
    starmin.anonymize(frame, k=2, numeric=["age"], recoding="generalization")


class Slow:
    """What does not look up for a while once it was asked to end."""

    def __init__(self, seconds: float = 0.2) -> None:
        self.asked, self.go_on = threading.Event(), threading.Event()
        self.seconds = seconds
        self.call = BackgroundCall(self.work, self.asked.set)

    def work(self) -> None:
        self.asked.wait(60.0)
        self.go_on.wait(self.seconds)


@pytest.mark.parametrize("error", [TimeoutError, KeyboardInterrupt, ValueError, None])
def test_one_that_is_slow_to_end(error: type[BaseException] | None) -> None:
    """Whoever began it may have been ended by anything."""
    begun: list[Slow] = []

    def search() -> None:
        begun.append(Slow())
        with Threads(1) as pool:
            begun.append(pool.submit(Slow).result())
        if error is not None:
            raise error

    run = Run(hospital(), KAnonymity(2))
    told = pytest.raises(ValueError) if error is ValueError else nullcontext()
    with told, listen_to_stop():
        run.carry_out(search)
    assert len(begun) == 2 and not any(slow.call.running for slow in begun)


def test_the_outermost_call_waits_and_an_interrupt_ends_the_wait() -> None:
    with ended_on_return():
        with ended_on_return():
            slow = Slow(60.0)
        assert slow.call.running
        timer = interrupt_after(0.05)
    assert slow.call.running
    timer.join()
    slow.go_on.set()
    assert slow.call.wait(60.0)


def test_a_pool_whose_end_is_interrupted_twice_is_known_to_be_at_work() -> None:
    """A join that an interrupt cuts short would let Python take it for ended."""
    go_on = threading.Event()
    with pytest.raises(KeyboardInterrupt), Threads(1) as pool:
        working = pool.submit(go_on.wait, 60.0)
        timer = interrupt_after(0.1)
    (thread,) = pool._threads
    assert thread.is_alive() and not working.done()
    go_on.set()
    timer.join()
    thread.join()


def test_a_program_too_large_for_its_time_is_not_begun(monkeypatch) -> None:
    n = 400
    row, column = np.divmod(np.arange(n * n), n)
    one = np.ones(n)
    rows = Rows(row, column, np.ones(n * n), one, np.full(n, INF))
    solver = LinearSolver(Program(one, 0 * one, one, one < 0, (rows,)))
    monkeypatch.setattr(linear_solver, "HighsCall", None)
    assert solver.solve(0.1) is None  # of 160,000 entries


def test_python_goes_down_in_good_order_while_a_solver_works() -> None:
    """It was aborted: terminate called without an active exception."""
    ended = subprocess.run(
        [sys.executable, "-c", LEAVES_A_THREAD], capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "left\n", "")
