"""Tests that `auto` keeps the best of what it tries, and knows what it has time for."""

import pytest

from starmin.auto import starts
from starmin.auto.choice import _solve_from_start, solve_by
from starmin.auto.effort import Effort
from starmin.auto.first_bounds import first_bounds
from starmin.auto.rules import RULES
from starmin.auto.starts import best_of
from starmin.auto.task import Task
from starmin.instances import (
    STARS,
    DistinctDiversity,
    KAnonymity,
    Objective,
    Partition,
    Problem,
    Requirement,
    Scales,
)
from starmin.instances.catalogue.generators import clustered, normal
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


def test_losses_of_small_tables_are_bounded_before_the_search():
    table = normal(60, 2, seed=2)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    task = Task(Problem(table, KAnonymity(3), losses), {"time_limit": 60.0})
    (bound,) = first_bounds(task)
    found = solve_by("box_program", task.problem, {"time_limit": 60.0})
    assert 0 < bound.certified_bound <= found.lower_bound
    assert first_bounds(task.on(objective=STARS)) == []
