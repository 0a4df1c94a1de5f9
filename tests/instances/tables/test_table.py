"""Tests that tables keep cells and roles, and that grouping is what numpy says."""

from collections import Counter

import numpy as np
import pytest

from starmin.instances import Table, TableError, group_by
from tests.support.effort import seeds

NAMES = ["age", "sex", "ill"]
ROWS = [["30", "F", "flu"], ["30", None, "flu"], ["", "F", None], ["30", "F", "gout"]]


def make(qi: list[str], sensitive: list[str] | None = None) -> Table:
    return Table.from_rows(NAMES, ROWS, qi=qi, sensitive=sensitive or [])


def test_cells_come_back_and_missing_is_a_category() -> None:
    table = make(["age", "sex"], ["ill"])
    assert table.rows() == [tuple(row) for row in ROWS]
    assert table.cells("sex") == ["F", None, "F", "F"]
    assert (table.n, table.d, table.other) == (4, 2, ())
    assert len(table.row_types) == 3  # None and "" equal nothing but themselves


@pytest.mark.parametrize("seed", range(20))
def test_row_types_are_the_distinct_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 200)), int(rng.integers(1, 6))
    cells = rng.integers(0, rng.integers(1, 5), (n, d + 1)).astype(str).tolist()
    names = [f"c{j}" for j in range(d + 1)]
    table = Table.from_rows(names, cells, qi=names[:d], sensitive=names[d:])
    for types, width in ((table.row_types, d), (table.sensitive_types, d + 1)):
        counted = Counter(tuple(row[:width]) for row in cells)
        codes = np.concatenate([types.codes, types.sensitive[:, : width - d]], axis=1)
        texts = [
            tuple(
                table.dictionary(c)[code] for c, code in zip(names, row, strict=False)
            )
            for row in codes
        ]
        assert dict(zip(texts, types.counts.tolist(), strict=True)) == counted
        assert [texts[t] for t in types.inverse] == [tuple(r[:width]) for r in cells]


def test_roles_may_change_and_columns_may_go() -> None:
    table = make(["age"], ["ill"])
    assert table.other == ("sex",)
    assert table.with_roles(["sex", "ill"]).sensitive == ()
    dropped = table.with_roles(["sex"]).drop(["age"])
    assert dropped.names == ("sex", "ill")
    assert dropped.rows() == [tuple(row[1:]) for row in ROWS]
    assert table.take(np.array([2, 0])).rows() == [tuple(ROWS[2]), tuple(ROWS[0])]


@pytest.mark.parametrize(
    ("names", "rows", "qi", "sensitive", "message"),
    [
        (["a", "a"], [["0", "1"]], ["a"], [], "two columns are named 'a'"),
        (["a", ""], [["0", "1"]], ["a"], [], "column 2 has an empty name"),
        (["a"], [], ["a"], [], "no rows"),
        (["a", "b"], [["0"]], ["a"], [], "row 1 has 1 cells, expected 2"),
        (["a"], [["0"]], [], [], "no quasi-identifier column"),
        (["a"], [["0"]], ["b"], [], "no column 'b'; its columns: a"),
        (["a"], [["0"]], ["a"], ["b"], "no column 'b'"),
        (["a"], [["0"]], ["a", "a"], [], "a quasi-identifier is named twice"),
        (["a", "b"], [["0", "0"]], ["a"], ["b", "b"], "a sensitive column is named"),
        (
            ["a", "b"],
            [["0", "0"]],
            ["a", "b"],
            ["b"],
            "'b' is both quasi-identifier and sensitive",
        ),
        (["a", "b\nc"], [["0", "0"]], ["x"], [], "its columns: a, b c"),
    ],
)
def test_bad_tables_are_refused_in_one_line(
    names: list[str],
    rows: list[list[str]],
    qi: list[str],
    sensitive: list[str],
    message: str,
) -> None:
    with pytest.raises(TableError) as refusal:
        Table.from_rows(names, rows, qi=qi, sensitive=sensitive, name="people")
    assert str(refusal.value).startswith("people: ")
    assert message in str(refusal.value)
    assert len(str(refusal.value).splitlines()) == 1


def test_unknown_columns_cannot_be_dropped() -> None:
    with pytest.raises(TableError, match="no column 'x' to drop"):
        make(["age"]).drop(["x"])
    with pytest.raises(TableError, match="no quasi-identifier"):
        make(["age"]).drop(["age"])


def test_columns_and_dictionaries_must_be_equally_many() -> None:
    with pytest.raises(ValueError, match="of 1 columns, got 2 and 1"):
        Table(("a",), np.zeros((2, 1), np.int32), (("x",),), ("a",))


@pytest.mark.parametrize("seed", seeds(15))
@pytest.mark.parametrize("cardinality", [1, 3, 1000, 2**31 - 1])
def test_groups_are_those_of_numpy(seed: int, cardinality: int) -> None:
    # With 2^31 - 1 codes a column, two columns fill the 64-bit key and three overflow.
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(60)) if seed else 0, int(rng.integers(1, 12))
    pool = rng.integers(0, cardinality, (int(rng.integers(1, 30)), d))
    rows = pool[rng.integers(0, len(pool), n)]
    columns = [np.ascontiguousarray(column, np.int32) for column in rows.T]
    assert_groups(columns, [cardinality] * d)


@pytest.mark.parametrize("cardinality", [3, 400, 2**31 - 1])
def test_groups_of_many_rows_are_those_of_numpy(cardinality: int) -> None:
    rng = np.random.default_rng(cardinality)
    columns = list(rng.integers(0, cardinality, (3, 200_000), np.int32))
    assert_groups(columns, [cardinality] * 3)


def assert_groups(columns: list[np.ndarray], cardinalities: list[int]) -> None:
    groups = group_by(columns, cardinalities)
    _, first, inverse, counts = np.unique(
        np.stack(columns, axis=1),
        axis=0,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    assert np.array_equal(groups.first, first)
    assert np.array_equal(groups.counts, counts)
    assert np.array_equal(groups.inverse, inverse.reshape(-1))
    assert groups.size == len(counts)
