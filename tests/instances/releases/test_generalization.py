"""Tests that groups are generalized as by hand, read back, and that lies are caught."""

import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starmin.instances import (
    Coding,
    GeneralizedRelease,
    KAnonymity,
    Objective,
    Partition,
    Release,
    Scales,
    Table,
    TableError,
    Taxonomy,
)
from starmin.verify.cells.cells import NumericCells
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.releases.release_check import check_release
from tests.support.effort import seeds

PETS = Taxonomy.parse("{tame{cat,dog},wild{rat,own{owl}}}")
ROWS = [
    ["35", "cat", "f", "n1"],
    ["45", "dog", "f", "n2"],
    ["-5", "owl", "m", "n3"],
    ["-3.5", "owl", "m", "n4"],
    ["40", "rat", "m", "n5"],
    ["40", "cat", "f", "n6"],
    ["40.0", "cat", "f", "n7"],
]
QI = ["age", "pet", "sex"]
TABLE = Table.from_rows([*QI, "note"], ROWS, QI)
TREES = {"pet": PETS}
SCALES = Scales.of(TABLE, ["age"], TREES)
GROUPS = Partition(np.array([0, 0, 1, 1, 2, 2, 2], np.int32))
PUBLISHED = [
    ("[35-45]", "tame", "f", "n1"),
    ("[35-45]", "tame", "f", "n2"),
    ("[-5--3.5]", "owl", "m", "n3"),
    ("[-5--3.5]", "owl", "m", "n4"),
    ("[40-40.0]", "*", "*", "n5"),
    ("[40-40.0]", "*", "*", "n6"),
    ("[40-40.0]", "*", "*", "n7"),
]


def check(rows: list[tuple[str, ...]], star: str = "*", original: Table = TABLE):
    released = Table.from_rows([*QI, "note"], rows, QI)
    cells = read_cells(
        released, Coding("generalization", numeric=("age",), trees=TREES, star=star)
    )
    return check_release(released, KAnonymity(2), original, star, cells)


def test_a_release_is_as_by_hand():
    release = GeneralizedRelease(TABLE, GROUPS, SCALES)
    assert release.published.rows() == PUBLISHED
    assert (release.stars, release.suppressed_tuples) == (6, 3)
    # Ranges of 10, 1.5 and 0 of 50; 2 of 4 leaves, all of them; a star.
    gcp = (2 * (10 / 50 + 2 / 4) + 2 * (1.5 / 50) + 3 * (1 + 1)) / 21
    assert release.gcp == pytest.approx(gcp)
    found = check(PUBLISHED)
    assert found.holds and found.consistent
    assert (found.k, found.groups, found.stars) == (2, 3, 6)
    assert found.gcp == release.gcp


def test_another_star_and_no_scales_are_suppression():
    release = GeneralizedRelease(TABLE, GROUPS, Scales.of(TABLE), "?")
    plain = Release(TABLE, GROUPS, "?")
    assert release.published.rows() == plain.published.rows()
    assert (release.gcp, release.stars) == (plain.gcp, plain.stars)
    assert check([(a, "?", "?", d) for a, _, _, d in PUBLISHED], "?").consistent


@pytest.mark.parametrize("seed", seeds(33))
def test_random_releases_are_read_back(seed):
    rng = random.Random(seed)
    n = rng.randint(2, 15)
    numbers = rng.choice([["1", "2", "3.5", "-4"], ["7"], ["0", ".5", "1.", "1.0"]])
    rows = [
        [rng.choice(numbers), rng.choice(PETS.leaves), rng.choice(["f", "m", "", None])]
        for _ in range(n)
    ]
    table = Table.from_rows(QI, rows, QI)
    groups = Partition.from_labels(np.array([rng.randrange(1 + n // 3) for _ in rows]))
    release = GeneralizedRelease(table, groups, Scales.of(table, ["age"], TREES))
    cells = read_cells(
        release.published, Coding("generalization", numeric=("age",), trees=TREES)
    )
    found = check_release(release.published, None, table, cells=cells)
    assert found.consistent and found.k >= groups.sizes.min()
    assert (found.gcp, found.stars) == (release.gcp, release.stars)
    objective = Objective("gcp", scales=release.scales)
    value, whole = groups.value(table, objective), objective.whole(table)
    assert found.gcp == float(Fraction(value, whole))


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        (0, ("[36-45]",)),  # a range that leaves its value out
        (0, ("45",)),
        (6, ("40",)),  # another text of the same number
        (0, ("[35-45]", "wild")),
        (0, ("[35-45]", "dog")),
        (2, ("[-5--3.5]", "own", "f")),
        (2, ("[-5--3.5]", "owl", "m", "n4")),
    ],
)
def test_cells_that_do_not_cover_the_original_are_inconsistent(row, cells):
    tampered = list(PUBLISHED)
    tampered[row] = (*cells, *PUBLISHED[row][len(cells) :])
    found = check(tampered)
    assert not found.consistent and found.inconsistencies[0].rows == (row + 1,)


def test_wider_cells_are_consistent_but_classes_of_their_own():
    wider = list(PUBLISHED)
    wider[0] = ("[30-45]", "*", "*", "n1")
    found = check(wider)
    assert found.consistent and not found.holds and found.k == 1
    wider[2:4] = [("[-5--3.5]", "own", "m", "n3"), ("*", "wild", "m", "n4")]
    assert check(wider).consistent


@pytest.mark.parametrize(
    ("at", "cell", "why"),
    [
        (0, "[35-", "row 2, column 'age': expected a number, a range as \\[35-45\\]"),
        (0, "[35-45", "got '\\[35-45'"),
        (0, "[45-35]", "got '\\[45-35\\]'"),
        (0, "35-45", "got '35-45'"),
        (0, "[a-b]", "got '\\[a-b\\]'"),
        (0, "[1-2-3]", "got"),
        (0, "[ 1-2]", "got"),
        (0, "n/a", "got 'n/a'"),
        (0, "9" * 5000, "got"),
        (1, "fish", "row 2, column 'pet': expected a node of taxonomy, got 'fish'"),
        (1, "[1-2]", "expected a node of taxonomy"),
        (2, "[1-2]", "row 2, column 'sex': expected no range, for it is not declared"),
    ],
)
def test_cells_that_mean_nothing_are_refused(at, cell, why):
    tampered = [list(row) for row in PUBLISHED]
    tampered[1][at] = cell
    with pytest.raises(TableError, match=why):
        check([tuple(row) for row in tampered])


def test_cells_that_would_have_two_meanings_are_not_published():
    table = Table.from_rows(["a", "b"], [["[1-2]", "x"], ["z", "y"]], qi=["a", "b"])
    with pytest.raises(TableError, match="row 1, column 'a' holds a range"):
        GeneralizedRelease(table, Partition.single(table), Scales.of(table))
    tree = Taxonomy.parse("{*x{x},y}")
    scales = Scales.of(table.with_roles(["b"]), [], {"b": tree})
    with pytest.raises(TableError, match=r"node '\*x' is the star symbol"):
        GeneralizedRelease(
            table.with_roles(["b"]), Partition.single(table), scales, "*x"
        )
    with pytest.raises(TableError, match="holds the star symbol 'x'"):
        GeneralizedRelease(
            table.with_roles(["b"]), Partition.single(table), scales, "x"
        )
    with pytest.raises(TableError, match="is declared numeric or has a hierarchy"):
        read_cells(table, Coding("generalization", numeric=("c",)))
    with pytest.raises(TableError, match="expected one of them"):
        read_cells(table, Coding("generalization", numeric=("b",), trees={"b": tree}))


numbers = st.decimals(-1000, 1000, places=2).map(str)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(numbers, numbers, numbers)
def test_a_range_covers_what_lies_between_its_ends(a, b, x):
    low, high = sorted((a, b), key=Fraction)
    table = Table.from_rows(["q"], [[f"[{low}-{high}]"]], ["q"])
    cells = read_cells(table, Coding("generalization", numeric=("q",)))["q"]
    assert isinstance(cells, NumericCells)
    assert (cells.least, cells.greatest) == (Decimal(low), Decimal(high))
    within = Fraction(low) <= Fraction(x) <= Fraction(high)
    assert cells.covers(f"[{low}-{high}]", x) == within


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text("[]-+.0123456789 *e", max_size=10))
def test_any_text_is_read_or_refused(text):
    table = Table.from_rows(["q"], [[text]], ["q"])
    try:
        cells = read_cells(table, Coding("generalization", numeric=("q",)))["q"]
    except TableError as error:
        assert "row 1, column 'q'" in str(error)
    else:
        assert 0 <= cells.loss(text) <= 1 and cells.covers(text, text)
