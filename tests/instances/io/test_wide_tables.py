"""Tables of thousands of columns: coded at once, and looked at no more than needed."""

import warnings
from collections import Counter
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import starmin
from starmin.inputs.notices import person_columns
from starmin.instances import Table, TableError, from_frame
from starmin.instances.io import at_once
from starmin.instances.requirements.id_columns import two_rows
from starmin.verify.releases import disclosure as unchanged
from starmin.verify.releases.disclosure import unchanged_columns, undone_cells

COLUMNS, ROWS = 40, 23


def drawn(seed: int) -> pd.DataFrame:
    """Return a frame with columns of many types, cells equal, odd and missing."""
    draw = np.random.default_rng(seed)
    shape = ROWS, COLUMNS
    floats = draw.choice([0.0, -0.0, 1.5, 1e-7, 1e22, np.nan, np.inf], shape)
    texts = draw.choice(np.array(["", " a", "ä", "1.0", "x\ny"], object), shape)
    some = np.where(draw.random(shape) < 0.1, None, texts)
    parts = {
        "f": pd.DataFrame(floats),
        "g": pd.DataFrame(draw.choice([0.1, 3.0, 1e9], shape).astype(np.float32)),
        "i": pd.DataFrame(draw.integers(-2, 3, shape)),
        "u": pd.DataFrame(draw.integers(0, 3, shape).astype(np.uint8)),
        "b": pd.DataFrame(draw.random(shape) < 0.5),
        "o": pd.DataFrame(some, dtype=object),
        "s": pd.DataFrame(some, dtype="str"),
        "n": pd.DataFrame(np.full(shape, None, object)),
        "m": pd.DataFrame(draw.choice(np.array([1, 2.5, True], object), shape)),
    }
    frames = [part.add_prefix(name) for name, part in parts.items()]
    frame = pd.concat(frames, axis=1)
    return frame[draw.permutation(frame.columns)]


def same(one: Table, other: Table) -> None:
    assert one.names == other.names
    assert (one.codes == other.codes).all()
    assert tuple(one.dictionaries) == tuple(other.dictionaries)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_columns_are_coded_at_once_as_one_by_one(
    monkeypatch: pytest.MonkeyPatch, seed: int, library: str
) -> None:
    frame = drawn(seed).drop(columns=[f"m{j}" for j in range(3, COLUMNS)])
    mixed = [column for column in frame.columns if column[0] == "m"]
    given = frame.astype(dict.fromkeys(mixed, "category")) if seed else frame
    given = given.drop(columns=mixed)
    if library != "pandas":
        arrow = pa.Table.from_pandas(given, preserve_index=False)
        given = pl.from_arrow(arrow) if library == "polars" else arrow
    drop = [f"f{seed}", "o5"]
    found = from_frame(given, drop=drop)
    monkeypatch.setattr(at_once, "_MANY", 10**9)
    same(found, from_frame(given, drop=drop))


LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([MOST, None, 0, MOST, LEAST], pa.int64()),
        pa.array([2**64 - 1, None, 2**63, 0, 2**64 - 1], pa.uint64()),
        pa.array([float("nan"), None, -0.0, 0.0, float("nan")], pa.float64()),
        pa.array([True, None, False, True, None], pa.bool_()),
        pa.array([0, None, -1, 0, None], pa.date32()),
        pa.array(["", None, "b", "", None], pa.large_string()),
    ],
    ids=lambda cells: str(cells.type),
)
def test_missing_cells_are_told_from_every_number(
    monkeypatch: pytest.MonkeyPatch, cells: pa.Array
) -> None:
    turns = [pa.array(np.roll(np.arange(5), j)) for j in range(20)]
    frame = pa.table({f"x{j}": cells.take(turn) for j, turn in enumerate(turns)})
    found = from_frame(frame)
    monkeypatch.setattr(at_once, "_MANY", 10**9)
    same(found, from_frame(frame))


def test_columns_are_taken_from_pandas_one_by_one_where_it_hides_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = drawn(5).drop(columns=[f"m{j}" for j in range(COLUMNS)])
    found = from_frame(frame)
    monkeypatch.delattr(pd.DataFrame, "_iter_column_arrays")
    same(found, from_frame(frame))


def test_a_cell_without_a_text_form_is_named_as_in_narrow_tables() -> None:
    frame = pd.DataFrame(
        {f"x{j}": pd.Series(["a", "b"], dtype=object) for j in range(30)}
    )
    frame["x7"] = pd.Series(["a", "b\0"], dtype=object)
    with pytest.raises(TableError, match="row 2, column 'x7': a NUL byte"):
        from_frame(frame)
    frame["x7"] = pd.Series(["a", b"\xff"], dtype=object)
    with pytest.raises(TableError, match="'x7'"):
        from_frame(frame)


def test_columns_that_are_carried_along_are_not_written_as_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = np.random.default_rng(3)
    frame = pd.DataFrame(draw.normal(size=(50, 300))).add_prefix("x")
    frame["age"], frame["sex"] = draw.integers(20, 25, 50), draw.choice(["f", "m"], 50)

    def refused(*_: object) -> None:
        raise AssertionError("a column that nobody named was written as text")

    monkeypatch.setattr(at_once, "_written", refused)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        release = starmin.anonymize(frame, qi=["age", "sex"], k=3)
    assert release.frame is not None
    carried = [f"x{j}" for j in range(300)]
    pd.testing.assert_frame_equal(release.frame[carried], frame[carried])
    (line,) = [str(each.message) for each in told]
    assert "x0, x1, x2" in line and "(300 in all); 50 of 50 rows are unique" in line
    assert "x299" not in line


@pytest.mark.parametrize("seed", range(10))
def test_what_many_columns_tell_is_what_is_counted(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    n, m = int(draw.integers(5, 40)), int(draw.integers(1, 150))
    base = draw.integers(0, 3, (n, 1))
    ids = base + 3 * draw.integers(0, max(1, n // 3), (n, m))
    cells = np.where(draw.random((n, m)) < 0.02, 9, base)
    cells = np.where(np.arange(m) % 2, cells, ids).astype(str)
    names = ["a", "b", *(f"x{j}" for j in range(m))]
    ages = (base[:, 0] * 2 + (draw.random(n) < 0.1 * (seed % 2))).astype(str)
    other = base[:, 0] if seed % 3 else draw.integers(0, 2, n)
    rows = np.column_stack([ages, other.astype(str), cells]).tolist()
    original = Table.from_rows(names, rows, qi=["a", "b"])
    hidden = draw.random(n) < 0.5
    stars = [["*" if h else r[0], *r[1:]] for r, h in zip(rows, hidden, strict=True)]
    released = Table.from_rows(names, stars, qi=["a", "b"])
    kept = Counter(tuple(row[2:]) for row in stars)
    both = Counter(map(tuple, stars))
    found = unchanged_columns(released)
    assert found is not None
    assert found.unique_rows == sum(c == 1 for c in kept.values())
    assert found.unique_rows_with_qi == sum(c == 1 for c in both.values())
    one_by_one = [
        told
        for column in names[2:]
        for told in undone_cells(
            original.drop([c for c in names[2:] if c != column]),
            released.drop([c for c in names[2:] if c != column]),
        )
    ]
    at_once_told = undone_cells(original, released)
    assert {*at_once_told} == {*one_by_one}
    with monkeypatch.context() as every:
        every.setattr(unchanged, "_repeating", lambda table, column, others: others)
        assert undone_cells(original, released) == at_once_told
    called = {column for column, _ in person_columns(original)}
    for column in names[2:]:
        many = len({*original.cells(column)})
        determines = all(two_rows(original, column, o) is None for o in ("a", "b"))
        repeats = many >= 10 and n >= 1.2 * many
        assert (column in called) == (repeats and determines), column


def test_errors_of_wide_tables_list_some_columns() -> None:
    frame = pd.DataFrame(np.zeros((2, 500), np.int64)).add_prefix("column ")
    with pytest.raises(TableError, match=r"column 19, \.\. \(500 in all\); "):
        starmin.anonymize(frame, qi=["age"], k=2)


def test_names_of_a_file_are_counted_once() -> None:
    names = import_module("starmin.instances.tables.names")
    with pytest.raises(TableError, match="two columns are named 'b'"):
        names.named("t.csv", ["a", "b", "c", "b"])


def test_of_many_columns_that_tell_a_few_are_named() -> None:
    rows = [[str(i % 4), *[f"v{i % 4}"] * 50] for i in range(40)]
    names = ["a", *(f"x{j}" for j in range(50))]
    frame = pd.DataFrame(rows, columns=names)
    with pytest.warns(UserWarning) as told:
        release = starmin.anonymize(frame, qi=["a"], k=20)
    lines = [str(each.message) for each in told]
    assert len([line for line in lines if "tells 40 of the 40 hidden" in line]) == 12
    (last,) = [line for line in lines if "38 more pairs of columns are so" in line]
    assert "disclosure.undone" in last
    assert len(release.disclosure.undone or ()) == 50


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_all_columns_that_are_not_there_are_named(library: object) -> None:
    assert callable(library)
    frame = library({"age": [30, 30], "sex": ["f", "m"]})
    asked = {"qi": ["age", "zip"], "sensitive": "ill", "unchanged": ["w"], "k": 2}
    said = (
        "^frame: no columns 'zip', 'ill', 'agee' .nearest: 'age'., 'w'; "
        "its columns: age, sex; rename columns there, or ask for others$"
    )
    with pytest.raises(TableError, match=said):
        starmin.anonymize(frame, drop=["agee"], **asked)
    with pytest.raises(TableError, match="no columns 'zip', 'ill'; its"):
        starmin.risk(frame, qi=["age", "zip"], sensitive="ill")
    many = [f"x{j}" for j in range(6000)]
    with pytest.raises(TableError, match=r"'x19', \.\. \(6,000 in all\); its col"):
        from_frame(frame, many)
