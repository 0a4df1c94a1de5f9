"""Tests that a non-homogeneous release is counted and judged by its matchings."""

import numpy as np
import pytest

from starmin.instances import (
    STARS,
    TUPLES,
    KAnonymity,
    NonHomogeneous,
    NonHomogeneousRelease,
    Objective,
    Run,
    Scales,
    Table,
    TableError,
)

K2 = KAnonymity(2)
ROWS = [["10", "x"], ["20", "x"], ["40", "y"], ["40", "y"]]
RING = np.array([[0, 1, 2, 3], [1, 0, 3, 2]], np.int32)


def table() -> Table:
    return Table.from_rows(["a", "b"], ROWS, ["a", "b"])


def test_stars_are_where_matched_rows_differ():
    release = NonHomogeneous.from_matchings(table(), RING)
    assert release.starred.tolist() == [[1, 0], [1, 0], [0, 0], [0, 0]]
    assert release.value(table(), STARS) == 2 == release.stars
    assert release.value(table(), Objective(weights={"a": 5})) == 10
    assert release.value(table(), TUPLES) == 2
    assert release.violation(table(), K2) is None


def test_generalization_pays_the_range_of_what_is_matched():
    scales = Scales.of(table(), numeric=["a"])
    goal = Objective("gcp", scales=scales)
    shifted = np.array([[0, 1, 2, 3], [1, 2, 3, 0]], np.int32)
    release = NonHomogeneous.from_matchings(table(), shifted)
    low, high = release.ranges(table(), scales)
    assert low[:, 0].tolist() == [0, 0, 1, 2] and high[:, 0].tolist() == [2, 1, 2, 2]
    # Ranges 10-40, 10-20, 20-40 and 40; b is starred in rows 0 and 2.
    share = release.value(table(), goal) / goal.whole(table())
    assert share == pytest.approx((1 + 1 / 3 + 2 / 3 + 0 + 2) / 8)


@pytest.mark.parametrize(
    ("starred", "matchings", "why"),
    [
        ([[1, 1]] * 4, None, "no matchings"),
        ([[1, 1]] * 4, [[0, 1, 2, 3]], "fewer than k"),
        ([[1, 1]] * 4, [[0, 1, 2, 3], [0, 2, 3, 1]], "share the pair"),
        ([[1, 1]] * 4, [[0, 1, 2, 3], [1, 1, 2, 3]], "leaves out"),
        ([[1, 1]] * 4, [[0, 1, 2, 3], [1, 0, 3, 4]], "not there"),
        ([[0, 1]] * 4, [[0, 1, 2, 3], [1, 0, 3, 2]], "cannot stem"),
        ([[1, 1]] * 3, None, "its stars"),
    ],
)
def test_a_release_that_is_not_proven_is_refused(starred, matchings, why):
    pairs = None if matchings is None else np.array(matchings, np.int32)
    release = NonHomogeneous(np.array(starred, bool), pairs)
    assert why in release.violation(table(), K2)
    with pytest.raises(ValueError, match="valid release"):
        Run[NonHomogeneous](table(), K2).offer(release)


def test_a_kept_column_is_not_starred():
    release = NonHomogeneous.from_matchings(table(), RING)
    assert "kept" in release.violation(table(), K2, Objective(keep=("a",)))
    assert release.violation(table(), K2, Objective(keep=("b",))) is None


def test_rings_within_classes_are_always_there():
    classes = np.array([1, 0, 1, 0])
    release = NonHomogeneous.coarsest(table(), 2, classes)
    assert release.violation(table(), K2) is None
    assert release.matchings[1].tolist() == [2, 3, 0, 1]


def test_publishing_puts_stars_and_nothing_else():
    release = NonHomogeneous.from_matchings(table(), RING)
    rows = NonHomogeneousRelease(table(), release, "?").published.rows()
    assert rows == [("?", "x"), ("?", "x"), ("40", "y"), ("40", "y")]
    with pytest.raises(TableError, match="star symbol"):
        NonHomogeneousRelease(table(), release, "x")
