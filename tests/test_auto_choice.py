"""Tests that `auto` keeps the best of what it tries, and knows what it has time for."""

from threading import Event

import pytest

from starmin.auto import choice, starts, two_anonymity
from starmin.auto.choice import _solve_from_start, solve_by
from starmin.auto.effort import Effort
from starmin.auto.first_bounds import bounds_beside
from starmin.auto.rules import RULES
from starmin.auto.starts import best_of
from starmin.auto.task import Task
from starmin.instances import (
    STARS,
    Control,
    DistinctDiversity,
    KAnonymity,
    Limit,
    Objective,
    Partition,
    Problem,
    Requirement,
    Result,
    Scales,
)
from starmin.instances.catalogue.generators import clustered, normal
from starmin.instances.runs.cores import limited_to
from starmin.instances.runs.watch import watch_runs
from starmin.registry.methods import METHODS

TABLE, K3 = clustered(60, 4, seed=1), KAnonymity(3)


def problem(**options: object) -> Task:
    return Task(Problem(TABLE, K3, STARS), options)


def test_a_method_that_takes_no_start_is_never_worse_than_it():
    mondrian = METHODS["mondrian"]
    alone = problem().solve(mondrian)
    assert "initial" not in mondrian.options() and alone.value is not None
    best = METHODS["pattern_ilp"].load()(TABLE, K3).best
    cost = best.value(TABLE, STARS)
    assert cost < alone.value
    found = _solve_from_start(mondrian, problem(initial=best))
    assert (found.best, found.value) == (best, cost)
    single = Partition.single(TABLE)
    assert single.value(TABLE, STARS) > alone.value
    found = _solve_from_start(mondrian, problem(initial=single))
    assert found.value == alone.value == found.best.value(TABLE, STARS)
    # One as good is no reason to take another's.
    found = _solve_from_start(mondrian, problem(initial=alone.best))
    assert found.best is not alone.best and found.value == alone.value


NAMES = ("hilbert_suppression", "mondrian", "top_down", "lexicographic_suppression")


def test_the_best_of_several_is_kept_wherever_it_comes():
    values = {name: problem().solve(METHODS[name]).value for name in NAMES}
    least = min(values, key=values.__getitem__)
    others = [name for name in NAMES if values[name] > values[least]]
    assert len(others) >= 2
    for names in ((least, *others), (others[0], least, others[1]), (*others, least)):
        found = best_of(names, problem(time_limit=60.0))
        assert (found.value, found.stats["method"]) == (values[least], least)
        assert found.best.value(TABLE, STARS) == values[least] and found.limit is None


def test_the_start_is_kept_where_no_other_is_better(monkeypatch):
    best = METHODS["pattern_ilp"].load()(TABLE, K3).best
    found = best_of(NAMES, problem(initial=best, time_limit=60.0))
    assert (found.best, found.stats["method"]) == (best, "initial")
    found = best_of((), problem(time_limit=60.0))
    assert (found.best.size, found.stats["method"]) == (1, "single_group")
    # Without time for all of them the best until then is returned.
    monkeypatch.setattr(starts.Run, "remaining", 0.0)
    found = best_of(NAMES, problem(time_limit=60.0))
    assert found.stats["method"] == "single_group"


LARGE = clustered(RULES.large_rows, 4, sensitive=6, seed=1)
DISTINCT = DistinctDiversity(2)


def effort(requirement: Requirement, rate: float, objective: Objective = STARS):
    """Measure a problem for which there are so many pairs for each second."""
    asked = Task(Problem(LARGE, requirement, objective), {"time_limit": 1.0})
    pairs = Effort.of(asked).pairs
    measured = Effort.of(asked.given(time_limit=pairs / rate))
    assert measured.large and measured.rate == pytest.approx(rate)
    return measured.priced, measured.slow


def test_prices_give_time_for_more_pairs():
    low, high = RULES.pairs_per_second, RULES.priced_pairs_per_second
    assert low < high
    assert effort(K3, 0.9 * low) == (False, False)
    assert effort(K3, 1.1 * low) == effort(K3, 1.1 * high) == (False, True)
    # Multipliers replace the relaxation of distinct diversity alone.
    assert effort(DISTINCT, 0.9 * low) == (False, False)
    assert effort(DISTINCT, 1.1 * low) == effort(DISTINCT, 0.9 * high) == (True, False)
    assert effort(DISTINCT, 1.1 * high) == (True, True)
    assert effort(DISTINCT, 0.9 * high, Objective("gcp")) == (False, True)


def test_small_tables_and_tuples_are_no_effort():
    few = Task(Problem(TABLE, K3, STARS), {"time_limit": 1e-6})
    tuples = Task(Problem(LARGE, K3, Objective("tuples")), {"time_limit": 1e-6})
    for asked in (few, tuples):
        assert Effort.of(asked) == Effort(False, 0.0, 0.0, False, False)


@pytest.mark.parametrize("workers", [1, 2])
def test_losses_are_bounded_beside_the_search_or_before_it(workers, monkeypatch):
    table = normal(60, 2, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    problem, bounded = Problem(table, KAnonymity(3), losses), Event()
    best = solve_by("box_program", problem, {"time_limit": 60.0})

    def listen(now):
        if now.lower_bound is not None:
            bounded.set()

    def search(task, bounds):
        assert bounded.wait(60)
        return task.solve(METHODS["gray_order"])

    monkeypatch.setattr(choice, "_search", search)
    given = {"time_limit": 60.0, "workers": workers}
    found = solve_by("auto", problem, given, Control((listen,)))
    assert found.bound_method == "dual_ascent" and found.certificate_checked
    assert 0 < found.lower_bound <= best.lower_bound <= found.value


def test_bounds_end_with_the_search_beside_them():
    table = normal(3000, 3, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    task = Task(Problem(table, KAnonymity(5), losses), {})
    begun = Event()
    control = Control((lambda now: begun.set() is not None,))
    with limited_to(2), watch_runs(control), bounds_beside(task) as end:
        assert begun.wait(60)
        (bound,) = end()
    assert bound.limit is Limit.INTERRUPTED
    with pytest.raises(ZeroDivisionError), limited_to(2), bounds_beside(task):
        raise ZeroDivisionError
    with limited_to(2), bounds_beside(task.on(objective=STARS)) as end:
        assert end() == []


@pytest.mark.parametrize(("gaps", "turns"), [([9, 3, 1], 3), ([1], 1), ([9] * 9, 3)])
def test_the_search_before_pairs_has_turns_until_its_bound_is_near(
    gaps, turns, monkeypatch
):
    asked = []

    def solved(task: Task, method: object) -> Result:
        asked.append(task.initial)
        value = 100 + 5 * gaps[len(asked) - 1]
        return Result(Partition.single(TABLE), value, 100, 10.0, Limit.TIME)

    monkeypatch.setattr(Task, "solve", solved)
    task = Task(Problem(TABLE, KAnonymity(2)), {"time_limit": 100.0})
    found = two_anonymity._search(task, METHODS["large_neighbourhood"])
    assert len(asked) == turns and found.runtime == 10.0 * turns
    assert asked[0] is None and None not in asked[1:]
