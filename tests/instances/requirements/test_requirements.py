"""Tests that requirements hold where their definitions say."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from starmin.instances import (
    DistinctDiversity,
    EntropyDiversity,
    GroupStats,
    KAnonymity,
    LDiversity,
    MaxShare,
    NotSupportedError,
    Objective,
    PerRowK,
    RecursiveDiversity,
    Requirement,
    Table,
    TableError,
    TCloseness,
    expect_parts,
    least_diversity,
    least_size,
    why_infeasible,
)
from tests.support.effort import seeds


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
    assert why_infeasible(table, KAnonymity(2), Objective(keep=["a"])) is None
    assert why_infeasible(table, KAnonymity(2), Objective(keep=["sex"])) == (
        "among the rows with sex='M': 1 row, fewer than k = 2"
    )
    assert why_infeasible(table, KAnonymity(2), Objective(keep=["sex", "a"])) == (
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
    assert (
        why_infeasible(table, requirement, Objective(keep=["a"])) is None
    ) == feasible


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


Rows = list[tuple[str, int]]  # sensitive value, k of the row


def make_table(seed: int, n: int = 24) -> Table:
    rng = np.random.default_rng(seed)
    values = rng.integers(2, 6)
    weights = rng.dirichlet(np.ones(values))
    rows = [
        [str(rng.integers(3)), str(2 * rng.choice(values, p=weights)), str(k)]
        for k in rng.integers(1, 5, n)
    ]
    return Table.from_rows(["a", "pay", "k"], rows, qi=["a"], sensitive=["pay"])


def frequencies(rows: Rows) -> list[int]:
    return sorted(Counter(value for value, _ in rows).values(), reverse=True)


def entropy_at_least(rows: Rows, l: int) -> bool:
    # n^n >= l^n * product of c^c, in integers.
    n = len(rows)
    return n**n >= l**n * math.prod(c**c for c in frequencies(rows))


def recursive(rows: Rows, c: Fraction, l: int) -> bool:
    counts = frequencies(rows)
    return counts[0] < c * sum(counts[l - 1 :])


def distance(rows: Rows, everyone: Rows, ordered: bool) -> Fraction:
    here, there = Counter(v for v, _ in rows), Counter(v for v, _ in everyone)
    values = sorted(there, key=float)
    differences = [
        Fraction(here[v], len(rows)) - Fraction(there[v], len(everyone)) for v in values
    ]
    if not ordered:
        return sum(map(abs, differences), Fraction(0)) / 2
    running = [sum(differences[: i + 1], Fraction(0)) for i in range(len(values))]
    return sum(map(abs, running), Fraction(0)) / max(len(values) - 1, 1)


Case = tuple[Callable[[Table], Requirement], Callable[[Rows, Rows], bool]]
CASES: dict[str, Case] = {
    "distinct": (
        lambda table: DistinctDiversity(3),
        lambda rows, everyone: len(frequencies(rows)) >= 3,
    ),
    "entropy": (
        lambda table: EntropyDiversity(2),
        lambda rows, everyone: entropy_at_least(rows, 2),
    ),
    "recursive": (
        lambda table: RecursiveDiversity(1.1, 2),
        lambda rows, everyone: recursive(rows, Fraction(11, 10), 2),
    ),
    "recursive 3": (
        lambda table: RecursiveDiversity(3, 3),
        lambda rows, everyone: recursive(rows, Fraction(3), 3),
    ),
    "alpha": (
        lambda table: KAnonymity(3) & MaxShare(0.6),
        lambda rows, everyone: (
            len(rows) >= 3 and frequencies(rows)[0] <= Fraction(3, 5) * len(rows)
        ),
    ),
    "equal": (
        lambda table: TCloseness.of(table, 0.35),
        lambda rows, everyone: distance(rows, everyone, False) <= Fraction(35, 100),
    ),
    "ordered": (
        lambda table: TCloseness.of(table, 0.2, "ordered"),
        lambda rows, everyone: distance(rows, everyone, True) <= Fraction(1, 5),
    ),
    "per row": (
        lambda table: PerRowK.of(table, "k"),
        lambda rows, everyone: len(rows) >= max(k for _, k in rows),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_holds_as_defined_and_is_monotone(case: str) -> None:
    make, oracle = CASES[case]
    seen = set()
    for seed in range(60):
        table = make_table(seed)
        requirement = make(table)
        rows = [(str(v), int(str(k))) for _, v, k in table.rows()]
        rng = np.random.default_rng(seed)
        groups = rng.integers(0, rng.integers(1, 9), table.n)
        groups = np.unique(groups, return_inverse=True)[1]
        members = [
            [row for row, g in zip(rows, groups, strict=True) if g == at]
            for at in range(groups.max() + 1)
        ]
        stats = GroupStats.of(table, groups)
        holds = requirement.holds(stats)
        assert holds.tolist() == [oracle(part, rows) for part in members]
        seen |= set(holds.tolist())
        for at in np.flatnonzero(~holds):
            assert requirement.why_not(int(at), stats)
        good = np.flatnonzero(holds)
        if len(good):
            union = np.isin(groups, good[: rng.integers(1, len(good) + 1)])
            assert requirement.holds(GroupStats.of(table, 1 - union.astype(int)))[0]
    assert seen == {True, False}


SHARES = [0.2, 0.25, 0.3, 0.34, 0.5, 0.51, 0.6, 0.75, 1.0]


@pytest.mark.parametrize("seed", seeds(6))
def test_groups_that_hold_have_all_that_bounds_know(seed: int) -> None:
    """All groups of small tables, by the definition of what a core says."""
    rng = np.random.default_rng(seed)
    rows = [["0", *map(str, rng.integers(0, (2, 3, 5)[seed % 3], 2))] for _ in range(9)]
    table = Table.from_rows(["a", "s", "t"], rows, qi=["a"], sensitive=["s", "t"])
    asked: list[Requirement] = [
        *(MaxShare(share) for share in SHARES),
        *(EntropyDiversity(l) for l in (2, 3)),
        *(RecursiveDiversity(c, l) for c in (0.5, 1, 3) for l in (2, 3)),
        *(TCloseness.of(table, t) for t in (0, 0.1, 0.25, 0.4, 0.7, 1)),
    ]
    known = set()
    for size in range(1, 10):
        for group in combinations(range(9), size):
            stats = GroupStats.of(table, np.zeros(size, int), np.array(group))
            values = [[rows[i][j] for i in group] for j in (1, 2)]
            for each in asked:
                if each.holds(stats)[0]:
                    core = each.core
                    assert size >= core.size
                    assert all(is_diverse(column, core.diversity) for column in values)
                    assert min(len({*column}) for column in values) >= core.distinct
                    known.add(core.rows)
    assert len(known) > 1


@pytest.mark.parametrize(
    ("counts", "l", "holds"),
    [
        ([4, 1, 1, 1, 1], 4, True),
        ([40_000_000, 10_000_000, 10_000_000, 10_000_000, 10_000_000], 4, True),
        ([2_000_001, 1_999_999, 2_000_000], 3, False),
        ([200_000] * 7, 7, True),
    ],
)
def test_entropy_decides_near_ties(counts: list[int], l: int, holds: bool) -> None:
    from starmin.instances import SensitiveCounts

    n, m = sum(counts), len(counts)
    column = SensitiveCounts(
        np.zeros(m, np.int64),
        np.arange(m),
        np.array(counts),
        np.array([n]),
        tuple("abcdefg"[:m]),
    )
    assert EntropyDiversity(l).holds(GroupStats.given([n], [column])).item() is holds


def test_why_infeasible_names_the_cause() -> None:
    rows = [["0", "x", "1"], ["0", "x", "4"], ["1", "y", "1"]]
    table = Table.from_rows(["a", "s", "k"], rows, qi=["a"], sensitive=["s"])
    assert "k = 4" in str(why_infeasible(table, PerRowK.of(table, "k")))
    assert "2 different" in str(why_infeasible(table, DistinctDiversity(3)))
    assert "entropy" in str(why_infeasible(table, EntropyDiversity(2)))
    assert "c = 2" in str(why_infeasible(table, RecursiveDiversity(2, 2)))
    assert "alpha = 0.5" in str(why_infeasible(table, MaxShare(0.5)))
    assert why_infeasible(table, TCloseness.of(table, 0)) is None


def test_rows_may_ask_for_numbers_of_any_length() -> None:
    long, zeros = "9" * 5000, "0" * 5000
    table = Table.from_rows(["a", "k"], [["0", long], ["1", zeros + "1"]], qi=["a"])
    asked = PerRowK.of(table, "k")
    stats = GroupStats.of(table, np.array([0, 1]))
    assert asked.holds(stats).tolist() == [False, True]
    with pytest.raises(TableError, match="expected a whole number >= 1"):
        PerRowK.of(Table.from_rows(["a", "k"], [["0", zeros]], qi=["a"]), "k")


def test_constructors_refuse_what_has_no_meaning() -> None:
    table = make_table(0)
    with pytest.raises(ValueError, match="l >= 2"):
        EntropyDiversity(1)
    with pytest.raises(ValueError, match="c > 0"):
        RecursiveDiversity(0, 2)
    with pytest.raises(ValueError, match="alpha <= 1"):
        MaxShare(1.5)
    with pytest.raises(ValueError, match="t <= 1"):
        TCloseness.of(table, -0.1)
    with pytest.raises(TableError, match="is a quasi-identifier or sensitive"):
        PerRowK.of(table, "a")
    letters = Table.from_rows(["a", "s"], [["0", "x"]], qi=["a"], sensitive=["s"])
    with pytest.raises(TableError, match=r"value 'x'.*is not a number"):
        TCloseness.of(letters, 0.1, "ordered")
    with pytest.raises(TableError, match="row 1, column 's' holds 'x'"):
        PerRowK.of(letters.with_roles(["a"]), "s")


def test_parts_keep_all_parameters_in_json() -> None:
    both = KAnonymity(5) & RecursiveDiversity(2.5, 3)
    assert both.as_json() == {"k": 5, "l": 3, "diversity": "recursive", "c": 2.5}
    twice = LDiversity(2) & DistinctDiversity(4)
    assert twice.as_json() == {"all_of": [{"l": 2}, {"l": 4, "diversity": "distinct"}]}
    equal = (LDiversity(3) & DistinctDiversity(3)).as_json()
    assert equal == {"all_of": [{"l": 3}, {"l": 3, "diversity": "distinct"}]}
    with pytest.raises(NotSupportedError, match="got RecursiveDiversity"):
        expect_parts(both, KAnonymity, LDiversity)
