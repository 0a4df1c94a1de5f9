"""Tests that TopDown separates what differs and finds a release for every table."""

from starmin.heuristics.recoding.top_down import top_down
from starmin.instances import (
    KAnonymity,
    Limit,
    Objective,
    Scales,
    Table,
    why_infeasible,
)
from starmin.instances.catalogue.generators import clustered
from tests.test_hilbert_suppression import random_table, requirements


def test_every_feasible_table_gets_a_release() -> None:
    for seed in range(40):
        table = random_table(seed)
        keep = ("q0",) if seed % 4 == 0 else ()
        weights = {"q0": 0} if seed % 4 == 1 else {}
        for requirement in requirements(table):
            result = top_down(
                table, requirement, objective=Objective("stars", weights, keep)
            )
            no = why_infeasible(table, requirement, keep)
            assert (result.best is None) == (no is not None)


def test_finds_clusters_that_are_apart() -> None:
    table = clustered(300, d=6, alphabet=30, centres=6, noise=0, seed=1)
    assert len(table.row_types) == 6
    result = top_down(table, KAnonymity(10))
    assert result.value == 0


def test_seeds_repeat_and_a_limit_is_kept() -> None:
    table = clustered(400, d=5, noise=50, seed=2)
    first, again, other = (top_down(table, KAnonymity(3), seed=s) for s in (1, 1, 2))
    assert first.best is not None and again.best is not None and other.best is not None
    assert first.best.groups.tolist() == again.best.groups.tolist()
    assert first.best.groups.tolist() != other.best.groups.tolist()
    stopped = top_down(table, KAnonymity(3), time_limit=0)
    assert (stopped.limit, stopped.value) == (Limit.TIME, table.n * table.d)


def test_for_gcp_seeds_are_far_apart_in_ranges() -> None:
    # As text all rows are equally far from each other.
    table = Table.from_rows(
        ["a"], [[x] for x in ("1", "90", "3", "95", "2", "99")], ["a"]
    )
    gcp = Objective("gcp", scales=Scales.of(table, ["a"]))
    for seed in range(5):
        best = top_down(table, KAnonymity(3), objective=gcp, seed=seed).best
        assert best is not None
        assert best.by_first_rows().groups.tolist() == [0, 1, 0, 1, 0, 1]
