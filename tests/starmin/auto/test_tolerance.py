"""Tests that losses are called optimal to 1e-6, never as exact, and stars exactly."""

import random
from dataclasses import replace

import pytest

import starmin
from starmin.instances import (
    Control,
    KAnonymity,
    Objective,
    Partition,
    Result,
    Run,
    Scales,
    Status,
    Table,
    watch_runs,
)
from starmin.instances.runs.certificate import Certificate
from starmin.instances.runs.result import TOLERANCE, is_near
from starmin.models.boxes.box_program import box_program
from starmin.models.patterns.coarse_losses import CoarseRun
from starmin.outputs.claims import claim
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate

HUGE, TINY = 10**11, 0.5


def table_of(seed: int, rows: int = 7) -> Table:
    """A table with a column up to 1e11 beside one up to 0.5, and values of few bits."""
    rng = random.Random(seed)
    kinds = [
        lambda: str(rng.randrange(HUGE)),
        lambda: f"{rng.random() * TINY:.{rng.choice([3, 9, 12])}f}",
        lambda: rng.choice("abc"),
    ]
    cells = [[kind() for kind in kinds] for _ in range(rows)]
    return Table.from_rows(["huge", "tiny", "text"], cells, ["huge", "tiny", "text"])


def gcp_of(table: Table) -> Objective:
    return Objective("gcp", scales=Scales.of(table, ["huge", "tiny"]))


def test_near_means_near_in_whole_numbers():
    rng = random.Random(4)
    for _ in range(5_000):
        bound = rng.randrange(1, 10 ** rng.randint(1, 40))
        value = bound + rng.choice([0, 1, bound // 10**6, bound // 999_999, bound])
        if is_near(value, bound, TOLERANCE):
            assert (value - bound) * 10**6 <= value
        assert is_near(value, bound, 0.0) == (value == bound)


@pytest.mark.parametrize("seed", range(6))
def test_optimal_is_never_more_than_is_proven(seed):
    table, rule = table_of(seed), KAnonymity(2 + seed % 2)
    goal = gcp_of(table)
    optimum = brute_force(table, rule, goal).value
    found = box_program(table, rule, objective=goal, time_limit=30)
    assert found.tolerance == TOLERANCE and found.certificate is not None
    assert found.lower_bound <= optimum <= found.value
    assert check_certificate(found.certificate, table, rule, goal).accepted
    assert found.status is Status.OPTIMAL and found.limit is None
    assert (found.value - found.lower_bound) * 10**6 <= found.value
    with watch_runs(Control(gap=0.0)):
        exact = box_program(table, rule, objective=goal, time_limit=30)
    assert exact.value == exact.lower_bound == optimum


def test_a_search_ends_within_the_tolerance_unless_a_smaller_gap_is_asked_for():
    table = table_of(1)
    for gap, ends in ((None, True), (0.01, True), (1e-9, False), (0.0, False)):
        with watch_runs(Control(gap=gap)), watch_runs():
            run = Run(table, KAnonymity(7), gcp_of(table))
            run.offer(Partition.single(table))
            assert run.value is not None and run.is_enough(run.value)
            run.raise_bound(run.value - run.value // 10**7, "by hand")
        found = run.result()
        assert run.closed is ends and found.status is Status.OPTIMAL
        assert claim(found, str).startswith("proven (to 1e-6) by")


@pytest.mark.parametrize("parts", [10**6, 999_999, 1_000_001, 10**7])
def test_bounds_on_rounded_losses_are_enough_where_they_are_for_true_ones(parts):
    table = table_of(1)
    true = Run(table, KAnonymity(7), gcp_of(table))
    coarse = CoarseRun(true)
    coarse.offer(Partition.single(table))
    assert coarse.value is not None and not coarse.closed
    coarse.raise_bound(coarse.value - coarse.value // parts, "by hand")
    assert coarse.closed is true.closed is (true.result().status is Status.OPTIMAL)


def test_claims_are_exact_only_where_a_certificate_proves_all():
    table = table_of(3)
    given = table, KAnonymity(2), gcp_of(table), "prices"
    value = 10**9
    exact = Result(None, value, value, 1.0, bound_method="pattern_ilp")
    exact = replace(exact, tolerance=TOLERANCE)
    near = replace(exact, lower_bound=value - 10)
    for found, proven, said in (
        (exact, value, "optimal"),
        (exact, value - 10, "proven (to 1e-6)"),
        (near, value - 10, "proven (to 1e-6)"),
        (near, value - 100, "proven (to 1e-6)"),
        (
            near,
            9,
            "proven (to 1e-6) by the solver's word (HiGHS); certified: at least 9",
        ),
        (replace(near, tolerance=0.0), value - 10, "feasible"),
        (replace(near, lower_bound=value - 1_001), value - 1_001, "feasible"),
    ):
        proof = Certificate.of(*given, proven, {})
        assert claim(replace(found, certificate=proof), str) == said


def test_auto_says_to_what_it_proved():
    table = table_of(5, rows=12)
    how = {"k": 3, "recoding": "generalization", "numeric": ["huge", "tiny"]}
    found = starmin.solve(table, **how, time_limit=20)
    assert found.status is Status.OPTIMAL and found.runtime < 18
    assert (found.value - found.lower_bound) * 10**6 <= found.value
    assert (found.claim == "optimal") == (found.value == found.certified_bound)
