"""Tests that k-anonymity and l-diversity hold where their definitions say."""

from collections import Counter

import numpy as np
import pytest

from starmin.instances import (
    GroupStats,
    KAnonymity,
    LDiversity,
    Requirement,
    Table,
    least_diversity,
    least_size,
    why_infeasible,
)
from tests.seeds import seeds


def random_groups(seed: int) -> tuple[Table, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    values = int(rng.integers(1, 5))
    rows = [[str(v) for v in rng.integers(0, values, 3)] for _ in range(n)]
    table = Table.from_rows(["a", "s", "t"], rows, qi=["a"], sensitive=["s", "t"])
    _, groups = np.unique(rng.integers(0, 6, n), return_inverse=True)
    return table, groups


def is_diverse(values: list[str | None], l: int) -> bool:
    return l * max(Counter(values).values()) <= len(values)


@pytest.mark.parametrize("seed", seeds(20))
def test_requirements_hold_as_defined(seed: int) -> None:
    table, groups = random_groups(seed)
    stats = GroupStats.of(table, groups)
    rows = table.rows()
    for k, l in ((2, 2), (3, 2), (2, 3), (4, 4)):
        k_holds, l_holds = [], []
        for group in range(groups.max() + 1):
            members = [row for row, g in zip(rows, groups, strict=True) if g == group]
            k_holds.append(len(members) >= k)
            l_holds.append(all(is_diverse([r[j] for r in members], l) for j in (1, 2)))
        both = [a and b for a, b in zip(k_holds, l_holds, strict=True)]
        assert KAnonymity(k).holds(stats).tolist() == k_holds
        assert LDiversity(l).holds(stats).tolist() == l_holds
        assert (KAnonymity(k) & LDiversity(l)).holds(stats).tolist() == both


@pytest.mark.parametrize("seed", seeds(15))
def test_the_union_of_good_groups_is_good(seed: int) -> None:
    table, groups = random_groups(seed)
    requirement = KAnonymity(2) & LDiversity(2)
    good = requirement.holds(GroupStats.of(table, groups))
    if good.any():
        union = table.take(np.flatnonzero(good[groups]))
        whole = GroupStats.of(union, np.zeros(union.n, np.int32))
        assert requirement.holds(whole).tolist() == [True]


def test_reasons_name_the_group_and_the_value() -> None:
    rows = [["0", "flu"], ["0", "flu"], ["1", "flu"], ["1", "gout"]]
    table = Table.from_rows(["a", "s"], rows, qi=["a"], sensitive=["s"])
    stats = GroupStats.of(table, np.array([0, 0, 1, 1]))
    both = KAnonymity(3) & LDiversity(2)
    flu = "sensitive value 'flu' covers 2 of 2 rows, more than 1/2"
    assert KAnonymity(3).why_not(1, stats) == "2 rows, fewer than k = 3"
    assert LDiversity(2).why_not(0, stats) == flu
    assert both.why_not(0, stats) == f"2 rows, fewer than k = 3; {flu}"
    assert both.why_not(1, stats) == "2 rows, fewer than k = 3"


def test_infeasible_tables_say_why() -> None:
    rows = [["F", "0", "flu"], ["M", "0", "flu"], ["F", "1", "flu"], ["F", "1", "gout"]]
    table = Table.from_rows(["sex", "a", "s"], rows, qi=["sex", "a"], sensitive=["s"])
    flu = "sensitive value 'flu' covers 3 of 4 rows, more than 1/2"
    assert why_infeasible(table, KAnonymity(4)) is None
    assert why_infeasible(table, KAnonymity(5)) == "4 rows, fewer than k = 5"
    assert why_infeasible(table, LDiversity(2)) == flu
    assert why_infeasible(table, KAnonymity(2), ["a"]) is None
    assert why_infeasible(table, KAnonymity(2), ["sex"]) == (
        "among the rows with sex='M': 1 row, fewer than k = 2"
    )
    assert why_infeasible(table, KAnonymity(2), ["sex", "a"]) == (
        "among the rows with sex='F', a='0': 1 row, fewer than k = 2"
    )


@pytest.mark.parametrize("seed", range(20))
def test_kept_columns_split_the_question(seed: int) -> None:
    table, _ = random_groups(seed)
    classes = {
        value: [i for i, cell in enumerate(table.cells("a")) if cell == value]
        for value in table.cells("a")
    }
    requirement = KAnonymity(2) & LDiversity(2)
    feasible = all(
        why_infeasible(table.take(np.array(rows)), requirement) is None
        for rows in classes.values()
    )
    assert (why_infeasible(table, requirement, ["a"]) is None) == feasible


@pytest.mark.parametrize(
    ("requirement", "k", "l", "named"),
    [
        (KAnonymity(5), 5, 1, {"k": 5}),
        (LDiversity(3), 1, 3, {"l": 3}),
        (KAnonymity(5) & LDiversity(3), 5, 3, {"k": 5, "l": 3}),
        (LDiversity(3) & KAnonymity(5), 5, 3, {"k": 5, "l": 3}),
    ],
)
def test_parameters_by_name(
    requirement: Requirement, k: int, l: int, named: dict[str, int]
) -> None:
    assert (least_size(requirement), least_diversity(requirement)) == (k, l)
    assert requirement.as_json() == named


def test_the_larger_of_two_k_is_not_lost() -> None:
    requirement = KAnonymity(5) & KAnonymity(3)
    assert least_size(requirement) == 5
    assert "5" in str(requirement.as_json())


@pytest.mark.parametrize("wrong", [1, 0, -3])
def test_k_and_l_are_at_least_two(wrong: int) -> None:
    with pytest.raises(ValueError, match=f"Expected k >= 2, got k = {wrong}"):
        KAnonymity(wrong)
    with pytest.raises(ValueError, match=f"Expected l >= 2, got l = {wrong}"):
        LDiversity(wrong)


def test_diversity_needs_a_sensitive_column() -> None:
    table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    with pytest.raises(ValueError, match="sensitive column"):
        why_infeasible(table, LDiversity(2))
