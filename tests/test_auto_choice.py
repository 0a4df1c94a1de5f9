"""Tests that `auto` keeps the best of what it tries, and knows what it has time for."""

from concurrent.futures import wait
from threading import Event

import pytest

from starmin.auto import choice
from starmin.auto.choice import solve_by
from starmin.auto.schedule import bounds_beside as beside_search
from starmin.auto.schedule.board import Board
from starmin.auto.schedule.bounds_beside import Alone, bounds_beside
from starmin.auto.schedule.first_bounds import Rise
from starmin.auto.schedule.schedule import SCHEDULE
from starmin.auto.schedule.turns import SLICE, Growth, Pace, Size, Turn, Where
from starmin.auto.task import Task
from starmin.instances import (
    STARS,
    Control,
    DistinctDiversity,
    KAnonymity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Problem,
    Requirement,
    Result,
    Run,
    Scales,
)
from starmin.instances.catalogue.generators import clustered, normal
from starmin.instances.runs.stop import stopping
from starmin.instances.runs.watch import watch_runs
from starmin.instances.runs.workers.cores import limited_to
from starmin.registry.methods import METHODS

TABLE, K3 = clustered(60, 4, seed=1), KAnonymity(3)


def problem(**options: object) -> Task:
    return Task(Problem(TABLE, K3, STARS), options)


def board_of(task: Task) -> Board:
    return Board(task, Alone())


def test_a_method_that_takes_no_start_is_never_worse_than_it():
    mondrian = METHODS["mondrian"]
    alone = problem().solve(mondrian)
    assert "initial" not in mondrian.options() and alone.value is not None
    best = METHODS["pattern_ilp"].load()(TABLE, K3).best
    cost = best.value(TABLE, STARS)
    assert cost < alone.value
    for start, kept, value in (
        (best, best, cost),
        (Partition.single(TABLE), None, alone.value),
    ):
        board = board_of(problem(initial=start))
        board.have(Turn(("mondrian",)))
        found = board.result()
        assert found.value == value == found.best.value(TABLE, STARS)
        assert kept is None or found.best is kept


NAMES = ("hilbert_suppression", "mondrian", "top_down", "lexicographic_suppression")


def test_the_best_of_several_is_kept_wherever_it_comes():
    values = {name: problem().solve(METHODS[name]).value for name in NAMES}
    least = min(values, key=values.__getitem__)
    others = [name for name in NAMES if values[name] > values[least]]
    assert len(others) >= 2
    for names in ((least, *others), (others[0], least, others[1]), (*others, least)):
        board = board_of(problem(time_limit=60.0))
        board.have(Turn(names))
        assert board.start is board.run.best  # what the next turn begins with
        found = board.result()
        assert found.value == values[least] and found.limit is None
        assert found.best.value(TABLE, STARS) == values[least]


def test_turns_are_for_problems_of_a_size():
    size = Size(problem(time_limit=10.0))
    rows, types = size.amount("rows"), size.amount("types")
    assert (rows, size.pace("rows")) == (60, 6.0) and 20 < types < 60
    for unit in ("rows", "types"):
        held, pace = size.amount(unit), size.pace(unit)
        for low, high in ((held, held), (0, held), (held, 1e9)):
            assert Where(**{unit: (low, high)}).holds(size)
        assert not Where(**{unit: (held + 1, 1e9)}).holds(size)
        assert not Where(**{unit: (0, held - 1)}).holds(size)
        assert Where(pace=Pace(unit, most=pace)).holds(size)
        assert not Where(pace=Pace(unit, more_than=pace)).holds(size)
    assert Where(alike=rows / types).holds(size)
    assert not Where(alike=rows / types + 0.1).holds(size)


def test_the_start_is_kept_where_no_turn_is_had(monkeypatch):
    best = METHODS["pattern_ilp"].load()(TABLE, K3).best
    found = board_of(problem(initial=best, time_limit=60.0)).result()
    assert (found.best, found.stats["method"]) == (best, "initial")
    found = board_of(problem(time_limit=60.0)).result()
    assert (found.best.size, found.stats["method"]) == (1, "single_group")
    # Without time for any of them the best until then is returned.
    monkeypatch.setattr(Run, "remaining", 0.0)
    board = board_of(problem(time_limit=60.0))
    board.have(Turn(NAMES))
    found = board.result()
    assert found.stats["method"] == "single_group" and found.limit is Limit.TIME


def test_the_first_that_takes_the_problem_is_the_last():
    board = board_of(problem(time_limit=60.0))
    board.have(Turn(("bipartite_matching", "mondrian", "top_down"), ends=True))
    board.have(Turn(("top_down",)))
    assert board.result().stats["method"] == "mondrian"
    board.have(Turn(("lagrangian",), after=True))
    assert board.result().bound_method == "lagrangian"
    given = board_of(problem(initial=Partition.single(TABLE)))
    given.have(Turn(("mondrian",), starts=True))
    assert given.result().stats["method"] == "initial"


LARGE = clustered(500, 4, sensitive=6, seed=1)
DISTINCT = DistinctDiversity(2)


def asked(requirement: Requirement, rate: float, objective: Objective = STARS):
    """Return which of two methods have a turn, at so many pairs a second."""
    task = Task(Problem(LARGE, requirement, objective), {"time_limit": 1.0})
    size = Size(task.given(time_limit=Size(task).pairs / rate))
    assert size.pace("pairs") == pytest.approx(rate)
    turns = [turn for turn in SCHEDULE if turn.fits(size)]

    def has(name: str, **asked: bool) -> bool:
        return any(
            name in turn.methods and turn.starts == asked.get("starts", False)
            for turn in turns
        )

    return has("local_search", starts=True), has("pattern_ilp")


def test_prices_give_time_for_more_pairs():
    low, high = 2_000, 30_000
    assert asked(K3, 0.9 * low) == (False, True)
    assert asked(K3, 1.1 * low) == asked(K3, 1.1 * high) == (False, False)
    # Multipliers replace the relaxation of distinct diversity alone.
    assert asked(DISTINCT, 0.9 * low) == (False, True)
    assert asked(DISTINCT, 1.1 * low) == asked(DISTINCT, 0.9 * high) == (True, True)
    assert asked(DISTINCT, 1.1 * high) == (False, False)
    assert asked(DISTINCT, 0.9 * high, Objective("gcp")) == (False, False)


def test_small_tables_and_tuples_are_listed_whatever_the_time():
    few = Task(Problem(TABLE, K3, STARS), {"time_limit": 1e-6})
    tuples = Task(Problem(LARGE, K3, Objective("tuples")), {"time_limit": 1e-6})
    (turn,) = (turn for turn in SCHEDULE if "pattern_ilp" in turn.methods)
    assert turn.fits(Size(few)) and turn.fits(Size(tuples))


@pytest.mark.parametrize("workers", [1, 2])
def test_losses_are_bounded_beside_the_search_or_before_it(workers, monkeypatch):
    table = normal(60, 2, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    problem, bounded = Problem(table, KAnonymity(3), losses), Event()
    best = solve_by("box_program", problem, {"time_limit": 60.0})

    def listen(now):
        if now.lower_bound is not None:
            bounded.set()

    class Waiting(Board):
        def have(self, turn):
            assert bounded.wait(60)
            super().have(turn)

    monkeypatch.setattr(choice, "Board", Waiting)
    monkeypatch.setattr(choice, "SCHEDULE", [Turn(("gray_order",))])
    given = {"time_limit": 60.0, "workers": workers}
    found = solve_by("auto", problem, given, Control((listen,)))
    assert found.bound_method == "dual_ascent" and found.certificate_checked
    assert 0 < found.lower_bound <= best.lower_bound <= found.value


def _until_stopped(monkeypatch, *bounds):
    """Let bounds beside a search last until they are to end; return when they began.

    They prove the first one at once, the others as they end.
    """
    begun = Event()

    def first_bounds(task, seconds):
        run = task.run()
        run.raise_bound(bounds[0], "slow")
        begun.set()
        while not stopping():
            begun.wait()
        for bound in bounds[1:]:
            run.raise_bound(bound, "slow")
        return [run.result(Limit.INTERRUPTED)]

    monkeypatch.setattr(beside_search, "first_bounds", first_bounds)
    monkeypatch.setattr(beside_search, "EXACT", ())
    return begun


def test_bounds_end_with_the_search_beside_them(monkeypatch):
    table = normal(400, 2, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    task = Task(Problem(table, KAnonymity(5), losses), {})
    begun = _until_stopped(monkeypatch, 10)
    with limited_to(2), bounds_beside(task) as end:
        assert begun.wait(60)
        (bound,) = end()
    assert bound.limit is Limit.INTERRUPTED
    with pytest.raises(ZeroDivisionError), limited_to(2), bounds_beside(task):
        raise ZeroDivisionError
    with limited_to(2), bounds_beside(task.on(objective=STARS)) as end:
        assert end() == []


def test_an_exact_method_beside_ends_the_search_it_solves(monkeypatch):
    """It hears of releases of the search, and the search of what it proves."""
    table = normal(40, 2, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    task = Task(Problem(table, KAnonymity(3), losses), {"time_limit": 60.0})
    monkeypatch.setattr(beside_search, "EXACT", (Turn(("box_program",)),))
    with limited_to(2), bounds_beside(task) as beside:
        board, waits = Board(task, beside), Event()
        while True:
            board.run.check_time()
            waits.wait(0.01)
    found = board.result()
    assert beside.has("box_program") and found.value == found.certified_bound
    assert found.certificate.kind == "boxes"
    with limited_to(2), bounds_beside(task) as beside:
        assert not beside.has("mondrian") and beside()
    with pytest.raises(KeyboardInterrupt), limited_to(2), bounds_beside(task):
        raise KeyboardInterrupt


def test_no_exact_method_goes_on_where_bounds_took_all_the_time(monkeypatch):
    table = normal(400, 2, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    task = Task(Problem(table, KAnonymity(3), losses), {"time_limit": 1e-9})
    late = [task.run().result()]
    monkeypatch.setattr(beside_search, "first_bounds", lambda *given: late)
    with limited_to(2), bounds_beside(task) as beside:
        assert wait([beside.call], 60).done
        assert beside() == late and not beside.has("box_program")


def test_a_bound_rises_by_each_doubling_of_its_time_as_by_the_last_one(monkeypatch):
    clock = iter([0.0, 1.0, 2.0, 4.0, 8.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    rise = Rise(32.0)
    assert rise.most(100) == 100 + 5 * 100  # nothing is known of half a second
    assert rise.most(140) == 140 + 4 * 40
    assert rise.most(150) == 150 + 3 * 10
    assert rise.most(150) == 150


def _expect_end_at_21(task, begun, beside):
    """Bounds beside go on where the search has proven 20, and end at 21."""
    assert begun.wait(60)
    search = task.run()
    search.raise_bound(20, "search")
    assert not wait([beside.call], 0.1).done
    search.raise_bound(21, "search")
    assert wait([beside.call], 60).done


def test_first_bounds_end_where_they_will_not_come_to_what_is_proven(monkeypatch):
    table = normal(400, 2, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    given = {"time_limit": 300.0}
    task = Task(Problem(table, KAnonymity(3), losses), given)
    begun = _until_stopped(monkeypatch, 19)
    noted = Event()  # from the beginning, not only once the search has more

    def most(rise, bound):
        noted.set()
        return bound + 1

    monkeypatch.setattr(Rise, "most", most)
    with limited_to(2), bounds_beside(task) as beside:
        assert noted.wait(60)
        _expect_end_at_21(task, begun, beside)


def test_first_bounds_end_where_the_search_has_proven_far_more(monkeypatch):
    table = normal(400, 2, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    task = Task(Problem(table, KAnonymity(3), losses), {})
    # They prove more as they end; they were to end all the same.
    begun = _until_stopped(monkeypatch, 10, 15)
    with limited_to(2), bounds_beside(task) as beside:
        _expect_end_at_21(task, begun, beside)
        assert beside() and not stopping()


def test_nobody_waits_for_bounds_beside_that_broke(monkeypatch):
    table = normal(400, 2, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    task = Task(Problem(table, KAnonymity(3), losses), {"time_limit": 60.0})

    def broken(*given):
        raise ZeroDivisionError

    monkeypatch.setattr(beside_search, "first_bounds", broken)
    with limited_to(2), bounds_beside(task) as beside:
        beside.first(0.01)
        with pytest.raises(ZeroDivisionError):
            beside()


def test_a_request_to_stop_before_a_bound_has_begun_ends_the_bounds_alone(monkeypatch):
    table = normal(400, 2, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    task = Task(Problem(table, KAnonymity(3), losses), {"time_limit": 60.0})

    def stopped(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(Task, "solve", stopped)
    with limited_to(2), bounds_beside(task) as beside:
        assert wait([beside.call], 60).done and beside() == []


def test_releases_are_told_to_those_who_search_the_same():
    best = METHODS["mondrian"].load()(TABLE, K3).best
    with watch_runs():
        first, same, other = (Run(TABLE, asked) for asked in (K3, K3, KAnonymity(2)))
        assert not same.hear()
        first.offer(best)
        assert same.hear() and same.best is best and not same.hear()
        assert not other.hear() and other.best is None
    assert not Run(TABLE, K3).hear()


@pytest.mark.parametrize(("gaps", "turns"), [([9, 3, 1], 3), ([1], 1), ([9] * 9, 3)])
def test_turns_grow_until_the_bound_is_near(gaps, turns, monkeypatch):
    asked, clock = [], [0.0]
    best = METHODS["pattern_ilp"].load()(TABLE, KAnonymity(2)).best
    value = best.value(TABLE, STARS)

    def solved(task: Task, method: object) -> Result:
        asked.append(task.options["time_limit"])
        clock[0] += 10.0
        bound = int(value / (1 + 0.05 * gaps[len(asked) - 1]))
        run = task.run()
        run.offer(best)
        run.raise_bound(bound, "test")
        return run.result(Limit.TIME, {"method": "test"})

    monkeypatch.setattr(Task, "solve", solved)
    monkeypatch.setattr(Run, "elapsed", property(lambda run: clock[0]))
    board = board_of(Task(Problem(TABLE, KAnonymity(2)), {"time_limit": 100.0}))
    growth = Growth(gap=0.1, share=0.3)
    board.have(Turn(("large_neighbourhood",), most=2.0, growth=growth))
    assert asked == [2.0, 4.0, 8.0][:turns]


def test_a_contest_goes_to_who_gained_most_for_the_time(monkeypatch):
    steps = {"large_neighbourhood": [30, 1, 1, 1], "local_search": [20, 9, 8, 0]}
    asked, clock, standing = [], [0.0], [100]

    def solved(task: Task, method: object) -> Result:
        clock[0] += 1.0
        asked.append(method.name)
        if method.name == "hilbert":
            raise NotSupportedError
        standing[0] -= steps[method.name].pop(0)
        run = task.run()
        limit = Limit.ITERATIONS if standing[0] == 32 else Limit.TIME
        return run.result(limit, {"method": "-"})

    monkeypatch.setattr(Task, "solve", solved)
    monkeypatch.setattr(Run, "elapsed", property(lambda run: clock[0]))
    monkeypatch.setattr(Board, "distance", property(lambda board: standing[0]))
    board = board_of(Task(Problem(TABLE, K3), {"time_limit": 7.0}))
    board.have(Turn((*steps, "hilbert"), contest=True, ends=True))
    first, second = steps
    # 30 and 20; then 1, less than 20; 9 and 8, after which that one ends by itself.
    assert asked == [first, second, "hilbert", first, second, second, first]
    board.have(Turn(("mondrian",)))
    assert len(asked) == 7


@pytest.mark.parametrize("limit", [6.0, 60.0])
def test_slices_of_a_contest_begin_alike_whatever_the_limit(limit, monkeypatch):
    asked, clock = [], [0.0]

    def solved(task: Task, method: object) -> Result:
        asked.append(task.options["time_limit"])
        clock[0] += asked[-1]
        return task.run().result(Limit.TIME, {"method": "-"})

    monkeypatch.setattr(Task, "solve", solved)
    monkeypatch.setattr(Run, "elapsed", property(lambda run: clock[0]))
    board = board_of(Task(Problem(TABLE, K3), {"time_limit": limit}))
    names = "large_neighbourhood", "local_search"
    turn = Turn(names, share=0.75, per=("rows", 1_000), contest=True)
    assert turn.first(Size(Task(Problem(TABLE, K3), {}))) == SLICE
    board._contest(turn)
    assert asked[:2] == [SLICE, SLICE]
    assert limit < 60 or asked[2:4] == [2 * SLICE, 2 * SLICE]
