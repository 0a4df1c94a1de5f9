"""Tests that recodings split as defined, and find a release for every table."""

from collections import Counter

import numpy as np
import pytest

from starmin.heuristics.recoding import levels as module
from starmin.heuristics.recoding.anatomy import anatomy
from starmin.heuristics.recoding.levels import local_recoding
from starmin.heuristics.recoding.mondrian import mondrian
from starmin.heuristics.recoding.top_down import top_down
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Objective,
    Requirement,
    Run,
    Scales,
    Table,
    Taxonomy,
    why_infeasible,
)
from starmin.instances.catalogue.generators import clustered
from tests.heuristics.recoding.test_orders import random_table, requirements


@pytest.mark.parametrize("strict", [True, False])
def test_every_feasible_table_gets_a_release(strict: bool) -> None:
    for seed in range(16):
        table = random_table(seed)
        keep = ("q0",) if seed % 4 == 0 else ()
        objective = Objective(keep=keep)
        for requirement in requirements(table):
            order = "value" if seed % 2 else "frequency"
            result = mondrian(
                table, requirement, objective=objective, strict=strict, order=order
            )
            no = why_infeasible(table, requirement, objective)
            assert (result.best is None) == (no is not None)


def numbers(*columns: list[int]) -> Table:
    names = [f"q{j}" for j in range(len(columns))]
    rows = [list(map(str, row)) for row in zip(*columns, strict=True)]
    return Table.from_rows(names, rows, qi=names)


def sizes(table: Table, k: int, strict: bool) -> list[int]:
    best = mondrian(table, KAnonymity(k), strict=strict).best
    assert best is not None
    return sorted(best.sizes.tolist())


def test_relaxed_splits_medians_that_strict_keeps_together() -> None:
    table = numbers([1, 5, 5, 5, 5, 5, 5, 9])
    # Strict: every cut leaves 1 or 9 alone. Relaxed: 4 and 4, and again 2 and 2.
    assert sizes(table, 2, strict=True) == [8]
    assert sizes(table, 2, strict=False) == [2, 2, 2, 2]


def test_cuts_the_widest_column_first_and_the_next_if_it_must() -> None:
    table = numbers([1, 2, 3, 4], [1, 1, 1, 2])
    assert sizes(table, 2, strict=True) == [2, 2]
    # The widest column has one value only beyond each cut; the other can be cut.
    table = numbers([0, 0, 0, 100], [1, 2, 1, 2])
    best = mondrian(table, KAnonymity(2)).best
    assert best is not None and best.groups.tolist() == [0, 1, 0, 1]


def test_mondrian_ends_with_the_search_around_it(monkeypatch) -> None:
    table = clustered(400, 4)
    whole = mondrian(table, KAnonymity(2))
    assert whole.limit is None and whole.best is not None and whole.best.size > 20
    rounds = iter([2.0] * 3)
    monkeypatch.setattr(Run, "remaining", property(lambda _: next(rounds, 0.0)))
    ended = mondrian(table, KAnonymity(2))
    assert ended.limit is Limit.TIME and ended.best is not None
    assert ended.best.violation(table, KAnonymity(2)) is None
    assert ended.best.size == 1


def test_numbers_are_ordered_as_numbers() -> None:
    table = numbers([9, 10, 100, 11, 8, 7])
    best = mondrian(table, KAnonymity(3)).best
    assert best is not None
    assert np.flatnonzero(best.groups == best.groups[0]).tolist() == [0, 4, 5]


def test_diversity_stops_a_split() -> None:
    rows = [["1", "x"], ["2", "x"], ["3", "y"], ["4", "y"]]
    table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
    best = mondrian(table, LDiversity(2)).best
    assert best is not None and best.size == 1


def test_for_gcp_the_column_that_loses_most_is_cut_and_trees_between_children() -> None:
    rows = [[a, b] for a in "1234" for b in ("0", "9")]
    table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    tree = Taxonomy.parse("{low{1},high{2,3,4}}")
    scales = Scales.of(table, ["b"], {"a": tree})
    best = mondrian(
        table, KAnonymity(2), objective=Objective("gcp", scales=scales)
    ).best
    # Column a loses all, as b does: cut beside the child `low`, not at the median.
    assert best is not None and best.groups[:2].tolist() == [0, 0]
    weighted = Objective("gcp", {"b": 2}, scales=scales)
    best = mondrian(table, KAnonymity(4), objective=weighted).best
    assert best is not None and best.groups.tolist() == [0, 1] * 4


def test_top_down_gives_every_feasible_table_a_release() -> None:
    for seed in range(40):
        table = random_table(seed)
        keep = ("q0",) if seed % 4 == 0 else ()
        weights = {"q0": 0} if seed % 4 == 1 else {}
        for requirement in requirements(table):
            objective = Objective("stars", weights, keep)
            result = top_down(table, requirement, objective=objective)
            no = why_infeasible(table, requirement, objective)
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


TREE = Taxonomy.parse("{north{a,b,c},south{d,e},f}")


def _problem(seed: int, n: int) -> tuple[Table, Objective]:
    """Return a random table of a tree, numbers and a flat column."""
    rng = np.random.default_rng(seed)
    rows = [
        [
            "abcdef"[rng.integers(6)],
            str(rng.integers(9)),
            "xyz"[rng.integers(3)],
            "uvw"[rng.integers(3)],
        ]
        for _ in range(n)
    ]
    table = Table.from_rows(list("pqrs"), rows, qi=list("pqr"), sensitive=["s"])
    return table, Objective("gcp", scales=Scales.of(table, ["q"], {"p": TREE}))


@pytest.mark.parametrize("requirement", [KAnonymity(3), LDiversity(2) & KAnonymity(4)])
@pytest.mark.parametrize("seed", range(5))
def test_buckets_of_types_lose_no_class(
    seed: int, requirement: Requirement, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, objective = _problem(seed, 150)
    found = []
    for buckets in (1, 8, 2**14):  # in a single one all types are looked at
        monkeypatch.setattr(module, "BUCKETS", buckets)
        best = local_recoding(table, requirement, objective=objective).best
        assert best is not None
        assert best.violation(table, requirement, objective) is None
        found.append(best.groups.tolist())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("scarce", [False, True])
def test_vectors_are_passed_over_only_where_time_is_scarce(
    scarce: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, objective = _problem(0, 150)
    requirement, divide, visited = KAnonymity(10), module._Cover.divide, [0]

    def visit(cover: module._Cover, vector: list[int]) -> None:
        visited.append(visited[-1] + int(cover.left.sum()))
        divide(cover, vector)

    # Time passes with the types that a vector divides, not with the processor's work.
    monkeypatch.setattr(Run, "elapsed", property(lambda run: float(visited[-1])))
    monkeypatch.setattr(module._Cover, "divide", visit)
    whole = local_recoding(table, requirement, objective=objective)
    needed, vectors = visited[-1], len(visited)
    visited[:] = [0]
    limit = needed * (0.5 if scarce else 2.1)
    found = local_recoding(table, requirement, objective=objective, time_limit=limit)
    assert found.best is not None
    assert found.best.violation(table, requirement, objective) is None
    if scarce:
        assert found.limit is Limit.TIME
        assert 4 < len(visited) < vectors
        assert visited[-1] < 1.3 * limit
    else:
        assert found.limit is None
        assert found.value == whole.value


def test_groups_hold_each_value_once() -> None:
    feasible = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        l, n = int(rng.integers(2, 6)), int(rng.integers(1, 50))
        values = rng.integers(0, rng.integers(1, 9), n)
        rows = [["0", str(value)] for value in values]
        table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
        result = anatomy(table, LDiversity(l), shuffle_seed=seed)
        no = why_infeasible(table, LDiversity(l))
        assert (result.best is None) == (no is not None)
        if result.best is None:
            continue
        feasible += 1
        assert result.best.size == n // l
        for group in range(n // l):
            members = Counter(values[result.best.groups == group].tolist())
            assert members.total() >= l
            assert max(members.values()) == 1
        both = anatomy(table, LDiversity(l) & KAnonymity(2 * l + 1))
        assert both.best is None or both.best.sizes.min() > 2 * l
        assert (both.best is None) == (n <= 2 * l)
    assert feasible > 50


def test_rows_within_a_value_are_mixed_secretly() -> None:
    rows = [[str(i), "ab"[i % 2]] for i in range(40)]
    table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
    seeds = (1, 1, 2, None, None)
    found = [anatomy(table, LDiversity(2), shuffle_seed=seed).best for seed in seeds]
    groups = [tuple(best.groups.tolist()) for best in found if best is not None]
    assert groups[0] == groups[1] and len(set(groups)) == 4


def test_says_what_it_does_not_support() -> None:
    table = Table.from_rows(["q", "s"], [["0", "a"]], qi=["q"], sensitive=["s"])
    with pytest.raises(NotSupportedError, match=r"of the form l, k\+l; got k"):
        anatomy(table, KAnonymity(2))
