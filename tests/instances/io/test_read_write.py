"""Tests that files and frames give back every cell."""

import csv
import gzip
import io
from itertools import product
from pathlib import Path

import pandas
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starmin.instances import (
    Table,
    TableError,
    from_frame,
    read_table,
    to_frame,
    write_table,
)
from starmin.instances.io.file_formats.text_file import parse_csv
from starmin.instances.io.layout import Layout
from tests.support.real_scale import needs_data, public_tables

Cells = tuple[list[str], list[list[str | None]]]

NASTY = ["", " ", '"', '""', ",", "\n", "\r", "\r\n", "\ufeff", "\u2028", "007", "1.0"]
ONES = "".join(c for c in map(chr, range(1, 128)) if c not in '"\r\n')


@st.composite
def tables(draw: st.DrawFn, missing: bool = True) -> Table:
    text = st.one_of(st.sampled_from(NASTY), st.text(max_size=5))
    text = text.filter(lambda cell: "\0" not in cell)
    cell = st.one_of(st.none(), text) if missing else text
    names = draw(st.lists(text.filter(bool), min_size=1, max_size=4, unique=True))
    row = st.lists(cell, min_size=len(names), max_size=len(names))
    rows = draw(st.lists(row, min_size=1, max_size=6))
    return Table.from_rows(names, rows, qi=names)


def filled(table: Table) -> list[tuple[str, ...]]:
    return [tuple(cell or "" for cell in row) for row in table.rows()]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    table=tables(),
    ending=st.sampled_from([".csv", ".csv.gz"]),
    sep=st.sampled_from(ONES),
)
def test_csv_keeps_every_cell(
    tmp_path_factory: pytest.TempPathFactory, table: Table, ending: str, sep: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"round{ending}"
    write_table(table, path, sep)
    back = read_table(path, sep=sep)
    assert (back.names, back.rows()) == (table.names, filled(table))
    content = path.read_bytes()
    write_table(back, path, sep)
    assert path.read_bytes() == content  # equal tables, equal bytes
    plain = gzip.decompress(content) if ending == ".csv.gz" else content
    lines = csv.reader(
        io.StringIO(plain.decode(), newline=""), delimiter=sep, strict=True
    )
    assert [tuple(line) for line in lines] == [table.names, *filled(table)]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(table=tables())
def test_parquet_and_frames_keep_cells_and_missing_ones(
    tmp_path_factory: pytest.TempPathFactory, table: Table
) -> None:
    path = tmp_path_factory.getbasetemp() / "round.parquet"
    write_table(table, path)
    assert read_table(path).rows() == table.rows()
    assert from_frame(to_frame(table, "polars")).rows() == table.rows()
    assert from_frame(to_frame(table, "pandas")).rows() == table.rows()
    assert from_frame(to_frame(table, "pandas")).names == table.names


def strict_rows(text: str, width: int) -> list[list[str]] | None:
    """What the ``csv`` module makes of a file after its header, or None if bad."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))[1:]
    except csv.Error:
        return None
    blank = [[""]] if width == 1 else []
    rows = [full for row in rows for full in ([row] if row else blank)]
    return rows if all(len(row) == width for row in rows) else None


@pytest.mark.parametrize(
    ("header", "width"), [("h,i\n", 2), ("h\n", 1), ('"h\n"\r', 1)]
)
def test_every_short_file_is_read_as_csv_says_or_refused(
    header: str, width: int
) -> None:
    texts = (
        header + "".join(t)
        for size in range(6)
        for t in product('a,"\n\r', repeat=size)
    )
    for text in texts:
        expected = strict_rows(text, width)
        try:
            columns = parse_csv(Path("x.csv"), text.encode(), Layout(","))[0].columns
            got = [
                list(row) for row in zip(*(c.to_pylist() for c in columns), strict=True)
            ]
        except TableError as error:
            got = [] if "no rows" in str(error) else None
        assert got == expected, repr(text)


def test_roles_are_given_while_reading(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b,c\n1,2,3\n")
    table = read_table(path, sensitive=["b"], drop=["c"])
    assert (table.qi, table.sensitive, table.names) == (("a",), ("b",), ("a", "b"))
    for roles in ({"qi": ["x"]}, {"sensitive": ["x"]}, {"drop": ["x"]}):
        with pytest.raises(TableError, match="no column 'x'"):
            read_table(path, **roles)
    with pytest.raises(TableError, match="'a' is both quasi-identifier and sensitive"):
        read_table(path, qi=["a"], sensitive=["a"])


def test_a_cell_may_be_longer_than_a_block_of_the_parser(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    long = "x" * 3_000_000
    path.write_text(f'a,b\n1,"{long}"\n')
    assert read_table(path).rows() == [("1", long)]


def test_byte_order_mark_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for end in (b"\n", b"\r\n", b"\r"):
        path.write_bytes(b"\xef\xbb\xbf" + end.join([b"a,b", b"1,2", b"3,4"]))
        assert read_table(path).names == ("a", "b")
        assert read_table(path).rows() == [("1", "2"), ("3", "4")]


def test_a_folder_named_like_a_column_adds_none(tmp_path: Path) -> None:
    folder = tmp_path / "year=2020"
    folder.mkdir()
    table = Table.from_rows(["a"], [["1"]], qi=["a"])
    write_table(table, folder / "x.parquet")
    assert read_table(folder / "x.parquet").names == ("a",)


def test_typed_cells_become_text(tmp_path: Path) -> None:
    frame = pyarrow.table(
        {
            "i": pyarrow.array([42, None]),
            "f": pyarrow.array([1.5, 2.0]),
            "b": pyarrow.array([True, False]),
            "d": pyarrow.array(["x", "x"]).dictionary_encode(),
            "n": pyarrow.array([7, 7]).dictionary_encode(),
        }
    )
    expected = [("42", "1.5", "true", "x", "7"), (None, "2", "false", "x", "7")]
    assert from_frame(frame).rows() == expected
    pyarrow.parquet.write_table(frame, tmp_path / "x.parquet")
    assert read_table(tmp_path / "x.parquet").rows() == expected
    assert (
        from_frame(frame.to_pandas().astype({"d": "category"})).cells("d") == ["x"] * 2
    )


def test_dictionaries_of_others_are_rebuilt() -> None:
    indices, twice = pyarrow.array([0, 1, 2]), pyarrow.array(["x", "x", None, "\0"])
    column = pyarrow.DictionaryArray.from_arrays(indices, twice)
    table = from_frame(pyarrow.table({"a": column}))
    assert table.rows() == [("x",), ("x",), (None,)]
    assert len(table.row_types) == 2


def test_an_index_of_pandas_is_no_column() -> None:
    frame = pandas.DataFrame({"a": ["1", None]}, index=pandas.Index([5, 6], name="id"))
    assert from_frame(frame).names == ("a",)
    assert from_frame(frame).rows() == [("1",), (None,)]


@needs_data
@pytest.mark.parametrize(
    ("file", "rows", "columns"),
    [
        ("mortgages/fetter_mortgages.csv", 214_144, 6),
        ("restaurant_inspections/restaurant_data.csv", 27_178, 5),
        ("black_politicians/black_politicians.csv", 5_593, 14),
        ("gapminder/gapminder.csv", 1_704, 6),
    ],
)
def test_real_tables_survive_byte_for_byte(
    tmp_path: Path, file: str, rows: int, columns: int
) -> None:
    source = (public_tables() / file).read_bytes()
    packed = tmp_path / "x.csv.gz"
    packed.write_bytes(gzip.compress(source, 1))
    for path in (public_tables() / file, packed):
        table = read_table(path)
        assert (table.n, len(table.names)) == (rows, columns)
        write_table(table, tmp_path / "y.csv")
        assert (tmp_path / "y.csv").read_bytes() == source.replace(b"\r\n", b"\n")
