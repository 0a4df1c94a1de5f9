"""Tests of the contest of ``auto``: slices, pauses, and what holds for every shape."""

import math
import random
import time
from threading import Event

import numpy as np
import pytest

import starmin
from starmin.auto import contest, guard
from starmin.auto.choice import solve_by
from starmin.auto.contest import Guest, Waiting, search
from starmin.auto.dispatch import AUTO
from starmin.auto.schedule import PROVERS, SEARCHES
from starmin.auto.task import Size, Task
from starmin.instances import (
    STARS,
    Control,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Problem,
    Run,
    Scales,
    Table,
)
from starmin.instances.catalogue.generators import clustered, normal
from starmin.instances.runs.cores import Threads, limited_to
from starmin.instances.runs.method import Need
from starmin.instances.runs.search_control import Gate, behind, interrupted, stopping
from starmin.instances.runs.watch import watch_runs
from starmin.process.faults import InternalError
from starmin.registry import METHODS
from tests.support.effort import only, patiently, seeds

TABLE, K3 = clustered(60, 4, seed=1), KAnonymity(3)
MONDRIAN = METHODS["mondrian"].load()(TABLE, K3).best
BEST = METHODS["pattern_ilp"].load()(TABLE, K3).best


def task_of(**options: object) -> Task:
    return Task(Problem(TABLE, K3, STARS), {"time_limit": 60.0, **options})


def test_a_paused_search_waits_and_its_clock_stands_still():
    gate, looks, end = Gate(time.perf_counter() + 60), [], Event()

    def work():
        run = Run(TABLE, K3, time_limit=60.0)
        while not end.is_set():
            run.check_time()
            looks.append(run.elapsed)
        return run.elapsed

    with Threads(1) as threads, behind(gate):
        call = threads.submit(work)
        while len(looks) < 10:
            time.sleep(0.001)
        before = time.perf_counter()
        gate.close()
        time.sleep(0.05)  # by now it waits
        held = len(looks)
        time.sleep(0.2)
        assert len(looks) == held
        end.set()
        gate.open()
        paused = time.perf_counter() - before
        assert call.result() <= time.perf_counter() - before + looks[held - 1] - 0.2
        assert paused >= gate.paused >= 0.2


def test_no_search_behind_a_gate_goes_on_after_the_end_of_all():
    with behind(Gate(time.perf_counter() - 1)):
        run = Run(TABLE, K3, time_limit=60.0)
        assert run.remaining == 0
        with pytest.raises(TimeoutError):
            run.check_time()


class Pilot:
    """Methods that say what they find when, by their own clocks."""

    def __init__(self, monkeypatch, **plans):
        self.plans, self.called = plans, []
        solve = self.solve
        monkeypatch.setattr(Task, "solve", lambda task, method: solve(task, method))

    def solve(self, task, method):
        self.called.append(method.name)
        run = task.run()
        if task.options.get("initial") is not None:
            run.offer(task.options["initial"])

        def follow():
            for seconds, found in self.plans[method.name]:
                while run.elapsed < seconds:
                    run.check_time()
                    time.sleep(0.001)
                if found is NotSupportedError:
                    raise NotSupportedError
                if isinstance(found, Partition):
                    run.offer(found)
                elif found is not None:
                    run.raise_bound(found, method.name)
            return Limit.ITERATIONS

        return run.carry_out(follow)


VALUE = BEST.value(TABLE, STARS)


@pytest.mark.parametrize("cores", [1, 2])
def test_methods_go_on_where_they_were_and_end_where_all_is_proven(cores, monkeypatch):
    """One finds the release in its second slice, another the bound."""
    pilot = Pilot(
        monkeypatch,
        mondrian=[(0.0, MONDRIAN)],
        dual_ascent=[(0.0, 1)],
        box_program=[(0.0, 2), (0.7, VALUE)],
        branch_and_bound=[(100.0, None)],
        ruin_and_recreate=[(0.5, BEST), (100.0, None)],
        large_neighbourhood=[(100.0, None)],
    )
    only(
        monkeypatch,
        openers=("mondrian",),
        bounds=("dual_ascent", "own_pattern"),
        provers=("box_program", "branch_and_bound"),
        searches=("ruin_and_recreate", "large_neighbourhood"),
    )
    with limited_to(cores):
        found = search(task_of(time_limit=20.0))
    assert (found.value, found.lower_bound, found.limit) == (VALUE, VALUE, None)
    assert found.bound_method == "box_program"
    assert found.stats["method"] == "ruin_and_recreate"
    # Each was called once, and no second bound, as there is one.
    assert sorted(pilot.called) == sorted(set(pilot.called))
    assert "own_pattern" not in pilot.called


def test_who_gains_has_the_next_slice(monkeypatch):
    worse = Partition.coarsest(TABLE, STARS)
    steps = [MONDRIAN, BEST]
    pilot = Pilot(
        monkeypatch,
        ruin_and_recreate=[(0.1, steps[0]), (0.5, steps[1]), (100.0, None)],
        large_neighbourhood=[(100.0, None)],
    )
    only(monkeypatch, searches=("large_neighbourhood", "ruin_and_recreate"))
    with limited_to(1):
        began = time.perf_counter()
        found = search(task_of(time_limit=3.0, initial=worse))
    assert found.value == VALUE and found.limit is Limit.TIME
    assert 2.9 < time.perf_counter() - began < 3.5
    assert pilot.called == ["large_neighbourhood", "ruin_and_recreate"]


def test_who_searches_has_the_core_of_those_who_have_proven_what_they_can(monkeypatch):
    """The second one finds the release while the first has all of its patience."""
    Pilot(
        monkeypatch,
        own_pattern=[(0.1, 1)],
        local_search=[(100.0, None)],
        ruin_and_recreate=[(0.3, BEST)],
    )
    only(
        monkeypatch,
        bounds=("own_pattern",),
        searches=("local_search", "ruin_and_recreate"),
    )
    found_after = []
    offer = Run.offer

    def noted(run, best):
        offer(run, best)
        if best is BEST:
            found_after.append(time.perf_counter() - began)

    monkeypatch.setattr(Run, "offer", noted)
    with limited_to(2):
        began = time.perf_counter()
        assert search(task_of(time_limit=5.0)).value == VALUE
    assert min(found_after) < 2.5  # of 3 seconds of patience


def test_a_method_that_plans_by_its_limit_is_called_anew_with_what_is_known(
    monkeypatch,
):
    begun = []

    def solve(task, method):
        begun.append((task.options["time_limit"], task.initial, task.options["seed"]))
        run = task.run()
        if len(begun) == 2:
            run.offer(BEST)
        while run.remaining:
            time.sleep(0.001)
        return run.result(Limit.TIME)

    monkeypatch.setattr(Task, "solve", solve)
    only(monkeypatch, searches=("near_linear_cover", "clustering"))
    with limited_to(1):
        search(task_of(time_limit=3.0, seed=7))
    # The second one finds more, so that it has the next slice, twice as long.
    assert [seconds for seconds, *_ in begun[:3]] == pytest.approx([0.3, 0.15, 0.3])
    assert begun[2][1] is BEST
    # One that takes no seed is told none.
    assert [seed for *_, seed in begun[:3]] == [None, 7, 8]


def test_what_broke_is_told_and_what_does_not_take_it_is_passed_over(monkeypatch):
    Pilot(
        monkeypatch,
        mondrian=[(0.0, NotSupportedError)],
        large_neighbourhood=[(0.0, NotSupportedError)],
        box_program=[(0.0, NotSupportedError)],
    )
    only(
        monkeypatch,
        openers=("mondrian",),
        provers=("box_program",),
        searches=("large_neighbourhood",),
    )
    found = search(task_of())
    assert found.best.size == 1 and found.stats["method"] == "single_group"
    assert found.limit is Limit.ITERATIONS
    found = search(task_of(initial=BEST))
    assert found.best is BEST and found.stats["method"] == "initial"

    def broken(task, method):
        raise ZeroDivisionError

    monkeypatch.setattr(Task, "solve", broken)
    only(monkeypatch, provers=("box_program",))
    with pytest.raises(ZeroDivisionError), limited_to(2):
        search(task_of())


def test_a_method_that_was_interrupted_ends_all(monkeypatch):
    def stopped(task, method):
        raise KeyboardInterrupt

    monkeypatch.setattr(Task, "solve", stopped)
    only(monkeypatch, searches=("large_neighbourhood",))
    found = solve_by(AUTO, Problem(TABLE, K3, STARS), {"time_limit": 60.0})
    assert found.limit is Limit.INTERRUPTED and not interrupted()


def test_a_method_is_asked_where_there_is_time_for_what_it_needs():
    assert Need("rows", a_second=10, most=100).seconds(100) == 10.0
    assert Need("rows", a_second=10, most=100).seconds(101) == math.inf
    method = METHODS["branch_and_bound"]
    size = Size(task_of())
    needed = size.seconds_of(method)
    assert needed == pytest.approx(size.pairs / 2_000_000)
    for share, is_asked in ((1.01, True), (0.99, False)):
        task = task_of(time_limit=share * needed)
        assert (method in PROVERS.takers(task)) == is_asked
    soon = task_of(time_limit=1.0)
    assert METHODS["box_neighbourhoods"] not in SEARCHES.takers(soon)


class Idle(Guest):
    """A guest that says what it gained."""

    def __init__(self, name: int, first: float) -> None:
        self.name, self.slice, self.used = name, first, 0.0
        self.gain, self.over, self.method = math.inf, False, METHODS["local_search"]


@pytest.mark.parametrize("seed", seeds(20))
def test_no_method_of_a_queue_has_less_than_its_part_of_the_time(seed):
    """Whatever the others gain; as long as all have theirs, who gains most goes on."""
    rng = random.Random(seed)
    guests = [Idle(i, rng.uniform(0.1, 1)) for i in range(rng.randint(1, 6))]
    parts = rng.randint(len(guests), 20)
    waiting, longest = Waiting(guests, parts), 0.0
    while waiting.used < 200.0:
        others = [*guests]
        guest = waiting.take(has_bound=True, alone=True)
        others.remove(guest)
        starved = [each for each in others if parts * each.had() <= waiting.used]
        if starved or guest.gain == 0:
            assert guest.had() <= min(each.had() for each in others or [guest])
        elif guest.used and parts * guest.had() > waiting.used:
            assert all(each.gain <= guest.gain for each in others if each.used)
        seconds = rng.uniform(0.1, 5)
        longest = max(longest, seconds)
        guest.used += seconds
        guest.gain = rng.choice([0.0, rng.random()])
        waiting.put_back(guest, seconds)
    behind = len(guests) * longest
    assert all(each.used >= (waiting.used - behind) / parts - 1 for each in guests)


def test_nobody_begins_beside_who_fills_the_cores_with_threads():
    names = "large_neighbourhood", "local_search", "ruin_and_recreate"
    with limited_to(2):
        guests = [Guest(METHODS[name], task_of(), 1.0, 0.0) for name in names]
        waiting = Waiting(guests, 20)
        assert waiting.take(False, True) is guests[0]
        assert waiting and waiting.take(False, True) is None
        waiting.put_back(guests[0], 1.0)
        assert [waiting.take(False, True), waiting.take(False, True)] == guests[1:]
        one = Guest(METHODS[names[0]], task_of(workers=1), 1.0, 0.0)
        assert [one.fills, *(each.fills for each in guests)] == [0, 1, 0, 0]


def test_the_last_of_a_queue_has_all_the_time_only_if_no_other_queue_waits():
    for alone in False, True:
        waiting = Waiting([Idle(0, 0.5)], 20)
        assert (waiting.take(False, alone).slice == math.inf) is alone


def test_threads_that_have_the_cores_are_told_when_the_time_is_over(monkeypatch):
    """They look at no clock, so that all would wait for a core to end them by."""

    def solve(task, method):
        run, end = task.run(), time.perf_counter() + 20

        def hold():
            while not stopping() and time.perf_counter() < end:
                time.sleep(0.001)

        def follow():
            with Threads(2) as threads:
                for call in [threads.submit(hold) for _ in range(2)]:
                    call.result()
            return Limit.TIME

        return run.carry_out(follow)

    monkeypatch.setattr(Task, "solve", solve)
    only(monkeypatch, searches=("large_neighbourhood",))
    with limited_to(2):
        began = time.perf_counter()
        search(task_of(time_limit=1.0, initial=MONDRIAN))
    assert time.perf_counter() - began < 1.4


@pytest.mark.parametrize("name", ["large_neighbourhood", "ruin_and_recreate"])
def test_a_search_that_is_paused_uses_no_core(name):
    """No thread of it goes on, as one did whose clock stood still meanwhile."""
    table, gate = normal(400, 4, seed=1), Gate(time.perf_counter() + 60)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    method, given = METHODS[name].load(), {"objective": losses, "time_limit": 3.0}
    with limited_to(2), Threads(1) as threads, behind(gate):
        call = threads.submit(method, table, K3, **given)
        time.sleep(1.0)
        gate.close()
        time.sleep(1.5)  # by now the last program of it has ended
        began = time.process_time()
        time.sleep(0.5)
        used, ended = time.process_time() - began, call.done()
        gate.open()
        assert used < 0.1 and not ended
        assert call.result().value > 0


def test_what_is_proven_is_checked_while_the_search_goes_on(monkeypatch):
    """So there is a bound where the check of the last proof would be too late."""
    honest, told = contest.verdict, []

    def kept(proof, task, over):
        told.append(honest(proof, task, over))
        return told[-1]

    monkeypatch.setattr(contest, "verdict", kept)
    monkeypatch.setattr(guard, "verdict", lambda *_: (None, ""))
    table = normal(400, 6, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    found = solve_by(AUTO, Problem(table, K3, losses), {"time_limit": 3.0})
    assert told and all(accepted for accepted, _ in told)
    assert found.certificate_checked and 0 < found.certified_bound <= found.value
    monkeypatch.setattr(contest, "verdict", lambda *_: (False, "it is wrong"))
    with pytest.raises(InternalError, match="it is wrong"):
        solve_by(AUTO, Problem(table, K3, losses), {"time_limit": 3.0})


def test_releases_are_told_to_those_who_search_the_same():
    with watch_runs():
        first, same, other = (Run(TABLE, asked) for asked in (K3, K3, KAnonymity(2)))
        assert not same.hear()
        first.offer(MONDRIAN)
        with watch_runs():
            inner = Run(TABLE, K3)
            assert inner.hear() and inner.best is MONDRIAN
        assert same.hear() and same.best is MONDRIAN and not same.hear()
        assert not other.hear() and other.best is None
    assert not Run(TABLE, K3).hear()


def any_shape(seed: int) -> tuple[Problem, str]:
    """Draw a problem of any shape: rows, columns, values, copies, what is asked."""
    rng = random.Random(seed)
    draw = np.random.default_rng(seed)
    rows, columns = (
        rng.choice([5, 20, 100, 300, 499, 1500]),
        rng.choice([1, 3, 10, 16, 24, 40]),
    )
    values = rng.choice([2, 3, 10, 100, rows])
    cells = draw.integers(0, values, (rows, columns))
    if rng.random() < 0.7:
        cells = cells[draw.integers(0, max(2, rows // 3), rows)].copy()
        changed = draw.random(cells.shape) < 0.08
        cells[changed] = draw.integers(0, values, int(changed.sum()))
    names = [f"c{j}" for j in range(columns)]
    sensitive = (np.arange(rows) % 7)[:, None]
    text = np.concatenate([cells, sensitive], axis=1).astype(str).tolist()
    table = Table.from_rows([*names, "s"], text, names, "s")
    k = rng.choice([2, 3, 5, 25])
    requirement = rng.choice(
        [KAnonymity(k), LDiversity(2), LDiversity(4), DistinctDiversity(3)]
    )
    kind = rng.choice(["stars", "gcp", "ranges"])
    objective = STARS
    if kind != "stars":
        numeric = names[: columns // 2] if kind == "ranges" else []
        objective = Objective("gcp", scales=Scales.of(table, numeric))
    told = f"{rows} x {columns}, {values} values, {requirement}, {kind}"
    return Problem(table, requirement, objective), told


@pytest.mark.parametrize("seed", seeds(12))
def test_every_shape_has_a_release_at_once_and_a_bound_soon(seed):
    """No shape is left with all in one group, without a bound, or late."""
    problem, told = any_shape(seed)
    table, seconds = problem.table, 1.0
    coarsest = Partition.coarsest(table, problem.objective)
    worst = coarsest.value(table, problem.objective)

    def solve(limit: float):
        history: list = []
        began = time.perf_counter()
        control = Control((lambda now: history.append((time.perf_counter(), now)),))
        found = solve_by(AUTO, problem, {"time_limit": limit, "seed": 0}, control)
        return (
            found,
            limit,
            time.perf_counter() - began,
            [(at - began, now.value, now.lower_bound) for at, now in history],
        )

    def is_good(run) -> bool:
        found, limit, took, history = run
        if found.reason is not None or found.value == 0:
            return True
        bounded = [at for at, _, bound in history if bound]
        begun = [at for at, value, _ in history if value is not None and value < worst]
        soon = bounded and bounded[0] <= max(0.3, limit / 3)
        at_once = found.value == worst or (begun and begun[0] <= max(0.2, 0.05 * limit))
        return bool(
            at_once and soon and found.certified_bound and took <= 1.05 * limit + 0.5
        )

    found, *_ = patiently(solve, is_good, seconds)
    if found.reason is None:
        quick = METHODS["local_search"].load()
        single = quick(
            table, problem.requirement, objective=problem.objective, time_limit=0.5
        )
        assert found.value <= 1.05 * single.value, told


def test_few_rows_with_many_columns_are_not_published_as_stars():
    """Such tables were hidden whole: one method had all the time to list patterns."""
    columns = 24
    rng = np.random.default_rng(columns)
    cells = rng.integers(0, 3, (33, columns))[rng.integers(0, 33, 100)]
    changed = rng.random(cells.shape) < 0.08
    cells[changed] = rng.integers(0, 3, int(changed.sum()))
    names = [f"c{j}" for j in range(columns)]
    table = Table.from_rows(names, cells.astype(str).tolist(), qi=names)
    found = patiently(
        lambda seconds: starmin.solve(table, k=5, time_limit=seconds, seed=0),
        lambda found: found.gap is not None and found.gap < 0.05,
        1.0,
    )
    assert found.value < 0.6 * table.n * columns and found.certificate_checked


def test_losses_of_one_core_and_of_two_are_bounded_by_the_same():
    table = normal(60, 2, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    problem = Problem(table, KAnonymity(3), losses)
    values = {
        cores: patiently(
            lambda seconds, cores=cores: solve_by(
                AUTO, problem, {"time_limit": seconds, "workers": cores}
            ),
            lambda found: found.value == found.certified_bound,
            2.0,
        ).value
        for cores in (1, 2)
    }
    assert values[1] == values[2]
