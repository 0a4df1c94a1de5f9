"""Tests that every way to break a release is caught, and that valid ones pass."""

import json
import math
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import networkx
import numpy as np
import numpy.typing as npt
import pandas
import pytest

from starmin.instances import (
    Coding,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    LDiversity,
    Partition,
    Release,
    Requirement,
    Table,
    TCloseness,
    read_table,
    write_table,
)
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.nonhomogeneous.anonymity_graph import is_reordered
from starmin.verify.releases.release_check import ReleaseCheck, check_release
from tests.support.effort import lines_of, seeds
from tests.support.real_scale import SIX, persons
from tests.support.small_problems import ask

NAMES = ("u", "v", "w", "ill", "pay", "note")
QI, SENSITIVE = ("u", "v", "w"), ("ill", "pay")
STAR = "*"

Cell: TypeAlias = str | None
Rows: TypeAlias = list[list[Cell]]


def table_of(rows: Rows, names: tuple[str, ...] = NAMES) -> Table:
    qi = tuple(c for c in names if c in QI) or names[:1]
    return Table.from_rows(names, rows, qi, [c for c in names if c in SENSITIVE])


def random_release(rng: random.Random, k: int, l: int) -> tuple[Rows, Rows]:
    """A table and a valid release of it; some rows are starred throughout."""
    while True:
        n = rng.randint(8, 24)
        rows: Rows = [
            [
                *(rng.choice(["0", "1", None, ""]) for _ in QI),
                *(rng.choice("abcd") for _ in SENSITIVE),
                f"note {i}",
            ]
            for i in range(n)
        ]
        groups = np.array([rng.randrange(max(1, n // (2 * k))) for _ in rows])
        published = publish(rows, groups)
        if counted(published)[0] >= k and counted(published)[1] >= l:
            return rows, published


def publish(rows: Rows, groups: npt.NDArray[np.int64]) -> Rows:
    published = Release(table_of(rows), Partition.from_labels(groups), STAR).published
    return [list(row) for row in published.rows()]


def counted(rows: Rows) -> tuple[int, float, int, int, int]:
    """Largest k and l, distinct l, stars and classes, counted from the cells."""
    classes: dict[tuple[Cell, ...], Rows] = {}
    for row in rows:
        classes.setdefault(tuple(row[:3]), []).append(row)
    columns = [[row[j] for row in c] for c in classes.values() for j in (3, 4)]
    return (
        min(map(len, classes.values())),
        min(len(c) / max(Counter(c).values()) for c in columns),
        min(len(set(c)) for c in columns),
        sum(row[:3].count(STAR) for row in rows),
        len(classes),
    )


def true_to(rows: Rows, original: Rows) -> bool:
    """Whether rows agree, stars apart, with those of the original, one by one.

    Rows without any missing cell may be from a CSV file: theirs are empty cells.
    """
    if not any(cell is None for row in rows for cell in row):
        original = [["" if cell is None else cell for cell in row] for row in original]
    return len(rows) == len(original) and all(
        cell == was or (j < 3 and cell == STAR)
        for row, old in zip(rows, original, strict=True)
        for j, (cell, was) in enumerate(zip(row, old, strict=True))
    )


def in_some_order(rows: Rows, original: Rows) -> bool:
    """Whether each row can be given an original of its own that it agrees with."""
    if len(rows) != len(original):
        return False
    if not any(cell is None for row in rows for cell in row):
        original = [["" if cell is None else cell for cell in row] for row in original]
    pairs = networkx.Graph(
        (("now", i), ("then", j))
        for i, row in enumerate(rows)
        for j, old in enumerate(original)
        if row[3:] == old[3:]
        and all(c in (o, STAR) for c, o in zip(row[:3], old[:3], strict=True))
    )
    left = {node for node in pairs if node[0] == "now"}
    matching = networkx.bipartite.maximum_matching(pairs, left)
    return len(matching) == 2 * len(rows)


@pytest.mark.parametrize("seed", seeds(20))
def test_rows_in_another_order_are_counted_by_type(seed: int) -> None:
    """Alike or moved, with one cell changed or none: as a matching of rows says."""
    rng = random.Random(seed)
    n = rng.randint(2, 9)
    original: Rows = [
        [*(rng.choice(["0", None, ""]) for _ in QI), rng.choice("ab"), "a", None]
        for _ in range(n)
    ]
    rows = [[rng.choice([c, c, STAR]) for c in row[:3]] + row[3:] for row in original]
    if rng.random() < 0.5:  # as a CSV file
        rows = [[cell or "" for cell in row] for row in rows]
    rng.shuffle(rows)
    if rng.random() < 0.5:
        rng.choice(rows)[rng.randrange(6)] = rng.choice(["0", "1", "", None, "a"])
    expected = in_some_order(rows, original)
    check = check_release(table_of(rows), KAnonymity(2), table_of(original))
    if not true_to(rows, original):
        assert (check.reordered, check.consistent) == (
            expected,
            None if expected else False,
        )
    assert is_reordered(table_of(rows), table_of(original)) == expected
    cells = read_cells(table_of(rows), Coding("generalization"))
    assert is_reordered(table_of(rows), table_of(original), cells=cells) == expected


@pytest.mark.parametrize("seed", seeds(33))
def test_valid_releases_pass_with_the_right_figures(seed: int) -> None:
    rng = random.Random(seed)
    k, l = rng.choice([(2, 1), (3, 1), (2, 2)])
    original, rows = random_release(rng, k, l)
    check = check_release(table_of(rows), ask(k, l), table_of(original))
    assert check.holds
    assert check.consistent
    assert (check.violations, check.violations_total) == ((), 0)
    figures = (check.k, check.l, check.distinct_l, check.stars, check.groups)
    assert figures == counted(rows)
    assert check.gcp == check.stars / (3 * len(rows))


def unstar_a_cell(rng: random.Random, original: Rows, rows: Rows) -> None:
    i, j = rng.choice(
        [(i, j) for i, r in enumerate(rows) for j in range(3) if r[j] == STAR]
    )
    rows[i][j] = original[i][j]


def star_part_of_a_group(rng: random.Random, original: Rows, rows: Rows) -> None:
    i, j = rng.choice(
        [(i, j) for i, r in enumerate(rows) for j in range(3) if r[j] != STAR]
    )
    rows[i][j] = STAR


def swap_the_qi_of_two_rows(rng: random.Random, original: Rows, rows: Rows) -> None:
    i, j = rng.sample(range(len(rows)), 2)
    rows[i][:3], rows[j][:3] = rows[j][:3], rows[i][:3]


def change_a_qi_value(rng: random.Random, original: Rows, rows: Rows) -> None:
    i, j = rng.choice(
        [(i, j) for i, r in enumerate(rows) for j in range(3) if r[j] != STAR]
    )
    rows[i][j] = rng.choice([c for c in ["0", "1", "2", None, ""] if c != rows[i][j]])


def change_a_sensitive_value(rng: random.Random, original: Rows, rows: Rows) -> None:
    row = rng.choice(rows)
    j = rng.choice([3, 4])
    row[j] = rng.choice([c for c in ["a", "b", "e", None, STAR] if c != row[j]])


def change_a_column_that_is_neither(
    rng: random.Random, original: Rows, rows: Rows
) -> None:
    rng.choice(rows)[5] = rng.choice(["note", "", None, STAR, "note 1 "])


def drop_a_row(rng: random.Random, original: Rows, rows: Rows) -> None:
    del rows[rng.randrange(len(rows))]


def add_a_row(rng: random.Random, original: Rows, rows: Rows) -> None:
    rows.insert(rng.randrange(len(rows)), list(rng.choice(rows)))


def reorder_rows(rng: random.Random, original: Rows, rows: Rows) -> None:
    rng.shuffle(rows)


def move_a_row_to_another_group(rng: random.Random, original: Rows, rows: Rows) -> None:
    rng.choice(rows)[:3] = rng.choice(rows)[:3]


def star_a_row_throughout(rng: random.Random, original: Rows, rows: Rows) -> None:
    rng.choice(rows)[:3] = [STAR] * 3


def star_rows_of_one_value_throughout(
    rng: random.Random, original: Rows, rows: Rows
) -> None:
    value = rng.choice("abcd")
    for row in rows:
        if row[3] == value:
            row[:3] = [STAR] * 3


BREAKINGS = (
    unstar_a_cell,
    star_part_of_a_group,
    swap_the_qi_of_two_rows,
    change_a_qi_value,
    change_a_sensitive_value,
    change_a_column_that_is_neither,
    drop_a_row,
    add_a_row,
    reorder_rows,
    move_a_row_to_another_group,
    star_a_row_throughout,
    star_rows_of_one_value_throughout,
)


@pytest.mark.parametrize("breaking", BREAKINGS)
def test_every_broken_release_is_caught(
    breaking: Callable[[random.Random, Rows, Rows], None],
) -> None:
    """Both verdicts equal a recount; by luck a mutation may leave a release valid."""
    rng = random.Random(breaking.__name__)
    caught = tried = 0
    while tried < 60:
        k, l = rng.choice([(2, 1), (3, 1), (2, 2)])
        original, rows = random_release(rng, k, l)
        stars = counted(rows)[3]
        if not 0 < stars < 3 * len(rows):
            continue
        tried += 1
        breaking(rng, original, rows)
        check = check_release(table_of(rows), ask(k, l), table_of(original))
        largest_k, largest_l, *_ = counted(rows)
        assert check.holds == (largest_k >= k and largest_l >= l)
        if true_to(rows, original) or breaking is drop_a_row:
            assert check.consistent
        else:
            assert check.consistent is (
                None if in_some_order(rows, original) else False
            )
        assert check.missing_rows == (breaking is drop_a_row)
        assert check.holds == (check.violations_total == 0)
        caught += not (check.holds and check.consistent and not check.missing_rows)
    assert caught >= 10


def test_changed_headers_are_caught() -> None:
    original, rows = random_release(random.Random(1), 2, 1)
    for names in (
        ("v", "u", "w", "ill", "pay", "note"),
        ("u", "v", "w", "ill", "pay", "notes"),
        ("x", "v", "w", "ill", "pay", "note"),
    ):
        check = check_release(table_of(rows, names), ask(2, 1), table_of(original))
        assert check.consistent is False
        assert check.inconsistencies is not None
        assert check.inconsistencies[0].rows == ()
    fewer = [row[:5] for row in rows]
    check = check_release(table_of(fewer, NAMES[:5]), ask(2, 1), table_of(original))
    assert check.consistent is False


def test_rows_starred_throughout_are_a_class() -> None:
    rows: Rows = [["0", "0", "0", s, s, ""] for s in "abab"] + [
        [STAR] * 3 + ["a", "b", ""]
    ]
    check = check_release(table_of(rows), KAnonymity(2))
    assert (check.holds, check.k, check.violations[0].rows) == (False, 1, (5,))
    rows += [[STAR] * 3 + [s, p, ""] for s, p in ("aa", "ba")]
    check = check_release(table_of(rows), KAnonymity(2) & LDiversity(2))
    assert (check.holds, check.k, check.l) == (False, 3, 1.5)
    assert check.violations[0].group == 2
    assert check.violations[0].rows == (5, 6, 7)
    assert "covers 2 of 3 rows" in check.violations[0].why


def test_groups_that_render_alike_are_one_class() -> None:
    original: Rows = [["0", "0", v, s, s, ""] for v, s in ("0a", "1b", "2a", "3b")]
    rows = publish(original, np.array([0, 0, 1, 1]))
    check = check_release(table_of(rows), KAnonymity(4), table_of(original))
    assert (check.holds, check.groups, check.k, check.stars) == (True, 1, 4, 4)


def test_a_star_is_no_wildcard_and_a_star_in_qi_columns_only() -> None:
    rows: Rows = [["0", STAR, "0", STAR, "a", STAR], ["0", "1", "0", "a", "b", STAR]]
    check = check_release(table_of(rows), KAnonymity(2))
    assert (check.holds, check.stars) == (False, 1)
    check = check_release(table_of(rows), KAnonymity(2), table_of(rows), star="-")
    assert (check.stars, check.consistent) == (0, True)
    original: Rows = [["0", "2", "0", "b", "a", ""], ["0", "1", "0", "a", "b", ""]]
    check = check_release(table_of(rows), KAnonymity(2), table_of(original))
    assert check.inconsistencies is not None
    assert [(i.column, i.rows) for i in check.inconsistencies] == [
        ("ill", (1,)),
        ("note", (1, 2)),
    ]
    assert check.inconsistencies[0].why == (
        "1 cell differs from the original; the first, in row 1, is '*' and was 'b'"
    )


def test_equal_cells_are_equal_whatever_the_dictionary() -> None:
    codes = np.array([[0, 1, 2, 1]], np.int32)
    table = Table(("a",), codes, (("x", "x", "y"),), ("a",))
    assert check_release(table, KAnonymity(2)).k == 1
    check = check_release(table, KAnonymity(2), table_of([[c] for c in "xxyx"], ("a",)))
    assert (check.groups, check.consistent) == (2, True)


def test_missing_cells_may_be_empty_ones_in_a_file_without_missing(
    tmp_path: Path,
) -> None:
    original: Rows = [["0", None, c, None, "a", None] for c in ("", "1", None)]
    table = table_of(original)
    release = Release(table, Partition.single(table)).published
    for ending in ("csv", "csv.gz", "parquet"):
        write_table(release, tmp_path / f"release.{ending}")
        again = read_table(tmp_path / f"release.{ending}", QI, SENSITIVE)
        assert check_release(again, KAnonymity(3), table).consistent
    # A release that has missing cells tells them from empty ones.
    told = [["0", None, STAR, "", "a", None], *[["0", None, STAR, None, "a", None]] * 2]
    assert not check_release(table_of(told), KAnonymity(3), table).consistent
    lost: Rows = [["0", None, c, None, "a", ""] for c in ("", "1", "")]
    assert check_release(table_of(lost), KAnonymity(2), table).consistent is False


def test_classes_are_numbered_by_their_first_rows() -> None:
    codes = np.array([[2, 0, 0, 1, 1]], np.int32)
    table = Table(("a",), codes, (("x", "y", "z"),), ("a",))
    assert check_release(table, KAnonymity(2)).violations[0].group == 1
    (second, third) = check_release(table, KAnonymity(3)).violations[1:]
    assert (second.group, second.rows) == (2, (2, 3))
    assert (third.group, third.rows) == (3, (4, 5))


def test_lists_twenty_violations_and_ten_rows() -> None:
    rows: Rows = [[str(i // 11), "0", "0", "a", "b", ""] for i in range(11 * 30)]
    check = check_release(table_of(rows), LDiversity(2))
    assert (len(check.violations), check.violations_total) == (20, 30)
    assert check.violations[19].group == 20
    assert check.violations[19].rows == tuple(range(19 * 11 + 1, 19 * 11 + 11))
    check = check_release(table_of(rows), KAnonymity(2), table_of(rows[::-1]))
    assert check.inconsistencies is not None
    assert len(check.inconsistencies[0].rows) == 10


def test_json_has_the_keys_of_the_contract() -> None:
    rows: Rows = [["0", "0", "0", s, s, ""] for s in "ab"] + [["1"] * 6]
    keys = "holds k l distinct_l entropy_l t stars gcp granularity groups violations"
    alone = check_release(table_of(rows), KAnonymity(2)).as_json()
    keys += " violations_total missing_sensitive"
    assert list(alone) == keys.split()
    compared = check_release(table_of(rows), KAnonymity(2), table_of(rows)).as_json()
    further = ["consistent", "inconsistencies", "reordered", "missing_rows"]
    assert list(compared) == [*alone, *further]
    assert json.loads(json.dumps(compared)) == compared
    assert compared["violations"] == [
        {"group": 2, "rows": [3], "why": "1 row, fewer than k = 2"}
    ]
    other = check_release(table_of(rows), KAnonymity(2), table_of(rows[:2])).as_json()
    assert other["inconsistencies"] == [
        {"column": None, "rows": [], "why": "3 rows; the original has 2"}
    ]


def test_other_requirements_and_measures() -> None:
    rows: Rows = [["0", "0", "0", s, "a", ""] for s in "aabc"]
    rows += [["1", "0", "0", s, "a", ""] for s in "aaab"]
    table = table_of(rows, NAMES).with_roles(QI, ["ill"])

    def check(requirement: Requirement | None) -> ReleaseCheck:
        return check_release(table, requirement)

    plain = check(None)
    assert (plain.holds, plain.t, plain.l, plain.distinct_l) == (None, None, 4 / 3, 2)
    assert plain.entropy_l == pytest.approx(
        math.exp(-(0.75 * math.log(0.75) + 0.25 * math.log(0.25)))
    )
    assert check(DistinctDiversity(2)).holds
    assert not check(DistinctDiversity(3)).holds
    assert check(EntropyDiversity(2)).violations_total == 1
    # The classes have a, b, c in shares 2:1:1 and 3:1:0, the table 5:2:1 of 8.
    near = check(TCloseness.of(table, 0.125))
    assert (near.holds, near.t) == (True, 0.125)
    assert not check(TCloseness.of(table, 0.124)).holds
    with pytest.raises(ValueError, match="sensitive column"):
        check_release(table.with_roles(QI), LDiversity(2))


def test_no_row_of_a_million_is_handled_by_python() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 9, (6, 1_400_000)).astype(np.int32)
    texts = (tuple("abcdefgh*"),) * 5 + (tuple("abcdefghi"),)
    table = Table(tuple("uvwxyz"), codes, texts, tuple("uvwxy"), ("z",))
    check_release(table, ask(5, 2), table)  # Loops are compiled by Python, once.
    check, lines = lines_of(lambda: check_release(table, ask(5, 2), table))
    assert lines < 10_000
    assert (check.groups, check.consistent) == (9**5, True)
    assert check.stars == np.count_nonzero(codes[:5] == 8)


def test_a_release_made_by_another_tool(tmp_path: Path) -> None:
    """Thirty thousand rows; pandas stars column after column of too small groups."""
    table, qi = persons(SIX), list(SIX)
    frame = pandas.DataFrame({column: table.cells(column) for column in table.names})
    for column in qi:
        few = frame.groupby(qi)[column].transform("size") < 5
        frame.loc[few, column] = STAR
    # Rows that are starred throughout need company: that of all groups of five.
    frame.loc[frame.groupby(qi)["age"].transform("size") == 5, qi] = STAR
    least = int(frame.groupby(qi).size().min())
    frame.to_csv(tmp_path / "pandas.csv.gz", index=False)
    released = read_table(tmp_path / "pandas.csv.gz", qi)
    check = check_release(released, KAnonymity(5), table)
    assert (check.holds, check.k, check.consistent) == (True, least, True)
    assert check.stars == (frame == STAR).sum().sum() > 0
    assert check.groups == frame.groupby(qi).ngroups
    assert not check_release(released, KAnonymity(least + 1), table).holds
