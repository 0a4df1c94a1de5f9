"""Tests that files and frames keep what stands beside cells, and nothing hidden."""

import io
import pickle
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import starmin
from starmin.cli.app import main
from tests.support.files_seen import has, seen

pyreadstat = pytest.importorskip("pyreadstat")
DAYS = [date(1994, 5, 31), None, date(2024, 1, 1), date(1983, 1, 2)]
TIMES = [datetime(2024, 1, 1, 7, 30, 15, 250000), None, *[datetime(1999, 1, 2)] * 2]
LONG = "x" * 3000  # longer than a cell of Stata
HIDDEN = "HiddenValueOfOnePerson"


def copied(path: Path, name: str) -> Path:
    """Write a file again, nothing hidden."""
    read = starmin.read_file(path)
    starmin.write_table(read.table, path.with_name(name), beside=read.beside)
    return path.with_name(name)


def stata(path: Path) -> None:
    """A file with each type of Stata, missing codes, labels, and long texts."""
    frame = pd.DataFrame(
        {
            "tiny": np.array([1, 100, -127, 3], "int8"),
            "small": np.array([1, 2, 30000, -5], "int16"),
            "whole": np.array([1, 2, 2_000_000_000, 3], "int32"),
            "single": np.array([1.1, 2.5, np.nan, 1e-7], "float32"),
            "exact": [1.1, 12345678901.25, np.nan, 1e300],
            "text": ["a", "", "ß", "a b"],
            "longer": [LONG, "", "b", LONG],
            "day": pd.to_datetime(["1994-05-31", None, "2024-01-01", "1983-01-02"]),
            "sex": pd.Categorical(["m", "f", "m", "f"]),
        }
    )
    frame.to_stata(
        path,
        write_index=False,
        version=118,
        convert_dates={"day": "td"},
        variable_labels={"tiny": "A small number"},
        data_label="Survey",
        convert_strl=["longer"],
    )


def test_a_file_of_stata_keeps_types_digits_labels_and_formats(tmp_path):
    stata(tmp_path / "a.dta")
    back = copied(tmp_path / "a.dta", "b.dta")
    numbers = ["tiny", "small", "whole", "single", "exact", "sex"]
    for options in ({}, {"columns": numbers, "convert_missing": True}):
        first, second = (
            pd.read_stata(p, **options) for p in (tmp_path / "a.dta", back)
        )
        pd.testing.assert_frame_equal(first, second)
    assert seen(back) == seen(tmp_path / "a.dta")
    with pd.read_stata(back, iterator=True) as reader:
        assert reader.data_label == "Survey"


@pytest.mark.parametrize("kind", ["byte", "int", "long", "float", "double"])
def test_each_missing_code_of_stata_comes_back(tmp_path, kind):
    codes = [chr(ord("a") + i) for i in range(26)]
    value = 1.5 if kind in ("float", "double") else 1
    frame = pl.DataFrame([pl.Series("x", [value, None, *codes], dtype=pl.Object)])
    labels = {"x": {"a": "refused", "z": "lost"}}
    pyreadstat.write_dta(
        frame,
        tmp_path / "a.dta",
        missing_user_values={"x": codes},
        variable_value_labels=labels,
    )
    read = starmin.read_file(tmp_path / "a.dta")
    assert read.table.cells("x") == [str(value), None, *(f".{c}" for c in codes)]
    wanted = seen(tmp_path / "a.dta")
    back = copied(tmp_path / "a.dta", "b.dta")
    assert (seen(back).cells, seen(back).labels) == (wanted.cells, wanted.labels)
    assert seen(back).missing == wanted.missing


def test_a_file_of_spss_keeps_numbers_labels_formats_and_declared_codes(tmp_path):
    frame = pl.DataFrame(
        {
            "n": [1.0, 98.0, 99.0, None],
            "share": [0.1, 1e-9, 12345678901.5, -3.0],
            "day": DAYS,
            "at": TIMES,
            "clock": [time(7, 30), None, time(23, 59, 59), time(0, 0, 1)],
            "text": ["a", "", "no answer"[:8], "ß"],
            "code": ["1", "2", "3", "1"],
        }
    )
    pyreadstat.write_sav(
        frame,
        tmp_path / "a.sav",
        file_label="Survey",
        column_labels={"n": "A number"},
        variable_value_labels={
            "n": {1.0: "one", 98.0: "refused", 99.0: "unknown", 2.0: "nobody's"},
            "code": {"1": "north", "2": "south"},
        },
        missing_ranges={
            "n": [{"lo": 97.0, "hi": float("inf")}, 2],
            "text": ["no answe"],
        },
        variable_measure={"n": "ordinal", "share": "scale"},
        variable_format={"n": "F3.0", "share": "E12.4", "day": "ADATE10"},
    )
    assert seen(copied(tmp_path / "a.sav", "b.sav")) == seen(tmp_path / "a.sav")


ARROW = {
    "int8": pa.array([1, None, 3, 1], pa.int8()),
    "uint64": pa.array([2**64 - 1, None, 3, 4], pa.uint64()),
    "float": pa.array([1.1, None, float("nan"), -0.0], pa.float32()),
    "double": pa.array([1.1, 1e300, 12345678901.25, None]),
    "decimal": pa.array([Decimal("1.50"), None, Decimal("2.25"), Decimal("0.00")]),
    "flag": pa.array([True, None, False, True]),
    "text": pa.array(["a", None, "", "ß"], pa.large_string()),
    "view": pa.array(["a", None, "", "ß"], pa.string_view()),
    "day": pa.array(DAYS),
    "at": pa.array(TIMES, pa.timestamp("us", "Europe/Berlin")),
    "second": pa.array([datetime(2024, 1, 1)] * 4, pa.timestamp("ms")),
    "clock": pa.array([time(7, 30), None, time(1), time(2)], pa.time32("ms")),
    "coded": pa.DictionaryArray.from_arrays(
        pa.array([1, 0, None, 1], pa.int8()),
        pa.array(["b", "a", "spare"]),
        ordered=True,
    ),
}


def coded(path: Path, age: dict[str, list[object]]) -> None:
    """A file of SPSS with codes for a missing income, and perhaps for an age."""
    frame = pd.DataFrame(
        {
            "income": [*range(1000, 1020), 999998, 999999],
            "age": [*range(20, 41), 99],
            "ill": list("ab") * 11,
        }
    )
    codes = {"income": [{"lo": 999998, "hi": 999999}], **age}
    pyreadstat.write_sav(frame, path, missing_ranges=codes)


@pytest.mark.parametrize("ages", [{}, {"age": [99]}])
@pytest.mark.parametrize("command", ["solve", "bound", "frontier"])
def test_declared_missing_codes_are_no_ends_of_ranges(
    tmp_path, monkeypatch, capsys, command, ages
):
    """They are refused until they are named; then they stay as they are."""
    monkeypatch.chdir(tmp_path)
    coded(Path("a.sav"), ages)
    asked = "a.sav --qi income,age --sensitive ill --numeric income,age --k 2 --quiet"
    asked += " --objective gcp --time-limit 9"
    asked += "" if command == "bound" else " --recoding generalization"
    line = f"starmin {command} {asked}"
    monkeypatch.setattr("sys.argv", line.split())
    assert main() == 2
    named = ",".join(["999998", "999999", *(["99"] if ages else [])])
    assert f"--missing {named} names them" in capsys.readouterr().err
    more = (
        f"--missing {named} --method {'own_pattern' if command == 'bound' else 'auto'}"
    )
    monkeypatch.setattr("sys.argv", [*line.split(), *more.split()])
    assert main() == 0
    monkeypatch.setattr("sys.argv", ["starmin", "new", "a.sav", "--out", "a.toml"])
    assert main() == 0
    told = Path("a.toml").read_text()
    assert all(f'"{code}"' in told for code in named.split(","))


def test_a_code_that_is_a_value_elsewhere_is_to_be_recoded(
    tmp_path, monkeypatch, capsys
):
    frame = pd.DataFrame({"kids": [0, 1, 2, 99] * 3, "age": [97, 98, 99, 50] * 3})
    codes = {"kids": [99]}
    pyreadstat.write_sav(frame, tmp_path / "a.sav", missing_ranges=codes)
    asked = "--numeric kids,age --k 2 --recoding generalization"
    line = f"starmin solve {tmp_path / 'a.sav'} {asked}"
    monkeypatch.setattr("sys.argv", line.split())
    assert main() == 2
    assert "column 'age' has one of them as a value" in capsys.readouterr().err


def test_a_file_of_parquet_keeps_the_types_and_bytes_of_columns(tmp_path):
    table = pa.table(ARROW)
    pq.write_table(table, tmp_path / "a.parquet")
    back = copied(tmp_path / "a.parquet", "b.parquet")
    assert back.read_bytes() == (tmp_path / "a.parquet").read_bytes()
    assert pq.read_table(back).schema == table.schema


def test_what_pandas_has_noted_of_types_stays_and_other_notes_do_not(tmp_path):
    frame = pd.DataFrame(
        {
            "n": pd.array([1, None, 3], "Int64"),
            "flag": pd.array([True, None, False], "boolean"),
            "kind": pd.Categorical(["a", "b", "a"], ["b", "a", "c"], ordered=True),
            "at": pd.to_datetime(["2024-01-01", None, "2024-01-02"]).tz_localize("UTC"),
        },
        index=pd.Index([7, 8, 9], name="row"),
    )
    frame.attrs = {"labels": HIDDEN}
    table = pa.Table.from_pandas(frame)
    notes = {**table.schema.metadata, b"huggingface": HIDDEN.encode()}
    schema = table.replace_schema_metadata(notes).schema
    noted = schema.field(0).with_metadata({"label": HIDDEN})
    table = table.cast(schema.set(0, noted))
    pq.write_table(table, tmp_path / "a.parquet")
    assert has(tmp_path / "a.parquet", HIDDEN)
    back = copied(tmp_path / "a.parquet", "b.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(back), frame)
    assert not has(back, HIDDEN)


def test_a_spreadsheet_keeps_the_kind_of_each_cell(tmp_path):
    book = openpyxl.Workbook()
    rows = [
        ["n", "text", "day", "error", "flag", "clock"],
        [0.1 + 0.2, "42", date(2024, 5, 31), "#N/A", True, time(7, 30)],
        [30, "007", datetime(2024, 5, 31, 7), "fine", False, None],
        [None, "=1+1", None, "#DIV/0!", None, time(23, 59)],
        [1e-9, "true", date(1999, 1, 1), "#VALUE!", True, None],
    ]
    for row in rows:
        book.active.append(row)
    book.active["B4"].data_type = "s"
    book.save(tmp_path / "first.xlsx")
    made = copied(tmp_path / "first.xlsx", "a.xlsx")  # all digits, as Excel writes them
    table = starmin.read_table(made)
    assert table.cells("error") == ["#N/A", "fine", "#DIV/0!", "#VALUE!"]
    back = copied(made, "b.xlsx")
    assert seen(back) == seen(made)
    assert (seen(back).types["text"], seen(back).types["error"]) == ("s", "es")
    assert [*seen(back).cells["text"]] == ["42", "007", "=1+1", "true"]


def test_cells_of_all_kinds_may_come_again_and_again_in_a_spreadsheet(tmp_path):
    """The library for spreadsheets changes cells that it has written already."""
    cells = [0.1 + 0.2, "=1+1", "#N/A", "text", 1 / 3, 7, True, date(2024, 5, 31), None]
    book = openpyxl.Workbook()
    book.active.append([f"c{j}" for j in range(len(cells))])
    for row in range(30):
        book.active.append([cells[(row + j) % len(cells)] for j in range(len(cells))])
    book.save(tmp_path / "first.xlsx")
    made = copied(tmp_path / "first.xlsx", "a.xlsx")
    table = starmin.read_table(made)
    for j in range(len(cells)):
        first = table.cells("c0")[: len(cells)]
        shifted = [*first, *first][j : j + len(cells)]
        assert table.cells(f"c{j}")[: len(cells)] == shifted
    back = copied(made, "b.xlsx")
    assert seen(back) == seen(made)
    assert starmin.read_table(back).rows() == table.rows()


# Of the column x the third and the fourth row are hidden, of whatever type it is.
LABELS = {1: "usual", 2: HIDDEN, 3: HIDDEN}
TARGETS = [".csv", ".csv.gz", ".tsv", ".parquet", ".xlsx", ".sav", ".dta"]


def labelled_spss(path):
    frame = pl.DataFrame({"x": [1.0, 1, 2, 3], "g": [1.0, 1, 2, 2]})
    labels, gone = {"x": LABELS}, {"x": [{"lo": 2, "hi": 3}]}
    pyreadstat.write_sav(frame, path, variable_value_labels=labels, missing_ranges=gone)


def texts_of_spss(path):
    frame = pl.DataFrame({"x": ["1", "1", HIDDEN, HIDDEN + "2"], "g": ["a"] * 4})
    labels = {"x": {"1": "usual", HIDDEN: "a label", "none": HIDDEN}}
    pyreadstat.write_sav(frame, path, variable_value_labels=labels)


def labelled_stata(path):
    cells = [pl.Series("x", [1, 1, 2, "b"], dtype=pl.Object), pl.Series([1, 1, 2, 2])]
    labels = {"x": LABELS | {"a": HIDDEN, "b": HIDDEN}}
    pyreadstat.write_dta(
        pl.DataFrame([cells[0], cells[1].alias("g")]),
        path,
        missing_user_values={"x": ["a", "b"]},
        variable_value_labels=labels,
    )


def long_texts_of_stata(path):
    frame = pd.DataFrame(
        {"x": ["a", "a", HIDDEN + LONG, LONG + HIDDEN], "g": list("aabb")}
    )
    frame.to_stata(path, write_index=False, version=118, convert_strl=["x"])


def spreadsheet(path):
    frame = pd.DataFrame({"x": ["a", "a", HIDDEN, HIDDEN + "2"], "g": [1, 1, 2, 2]})
    frame.to_excel(path, index=False, sheet_name=HIDDEN)


def text(path):
    rows = f"x,g\na,1\na,1\n{HIDDEN},2\n{HIDDEN}2,2\n"
    path.write_text(rows)


def coded_parquet(path):
    coded = pd.Categorical(["a", "a", HIDDEN, HIDDEN + "2"], ordered=True)
    pd.DataFrame({"x": coded, "g": list("aabb")}).to_parquet(path)


def parquet_with_an_index_and_notes(path):
    frame = pd.DataFrame({"x": ["a", "a", HIDDEN, HIDDEN + "2"], "g": list("aabb")})
    frame.attrs = {"names": [HIDDEN]}
    frame.columns.name = HIDDEN
    frame.to_parquet(path, compression=None)


SOURCES = [
    (labelled_spss, ".sav"),
    (texts_of_spss, ".sav"),
    (labelled_stata, ".dta"),
    (long_texts_of_stata, ".dta"),
    (spreadsheet, ".xlsx"),
    (text, ".csv"),
    (coded_parquet, ".parquet"),
    (parquet_with_an_index_and_notes, ".parquet"),
]


@pytest.mark.parametrize(("make", "ending"), SOURCES)
def test_nothing_hidden_is_in_a_file_whatever_it_was_and_becomes(
    make, ending, tmp_path
):
    source = tmp_path / f"a{ending}"
    make(source)
    assert has(source, HIDDEN)
    read = starmin.read_file(source)
    found = starmin.solve(read.table, k=2)
    assert found.published.cells("x")[2:] == ["*", "*"]
    for target in TARGETS:
        path = tmp_path / f"b{target}"
        starmin.write_table(found.published, path, beside=read.beside)
        assert not has(path, HIDDEN), target
        back = starmin.read_table(path)
        assert back.cells("x") == found.published.cells("x")
        assert back.cells("g") == found.published.cells("g")


@pytest.mark.parametrize("out", ["release", "release.parquet", "release.csv"])
def test_nothing_hidden_is_in_what_is_written_in_batches(
    out, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("t").mkdir()
    texts = [HIDDEN, HIDDEN + "2", *["a"] * 8]
    columns = {"x": texts, "g": ["b"] * 10, "n": [0.1] * 10, "day": DAYS[:1] * 10}
    columns["c"] = pd.Categorical(list("zy" * 5), ["z", "y", "w"], ordered=True)
    frame = pd.DataFrame(columns)
    frame.attrs = {"names": HIDDEN}
    table = pa.Table.from_pandas(frame)
    for part in range(2):
        pq.write_table(table, f"t/{part}.parquet")
    line = f"solve t --qi x,g --k 3 --stream --quiet --out {out}"
    monkeypatch.setattr("sys.argv", ["starmin", *line.split()])
    assert main() == 0, capsys.readouterr()
    assert not has(out, HIDDEN)
    if out != "release.csv":
        back = pq.read_table(out)
        before = pq.read_table("t/0.parquet").schema
        assert back.schema.types == [pa.string(), *before.types[1:]]
        assert back["x"].to_pylist().count("*") == 4
        again = back.to_pandas()
        for kept in ("g", "n", "day", "c"):
            pd.testing.assert_series_equal(again[kept][:10], frame[kept])


def packed(frame):
    """What is in a frame, wherever it is handed on to."""
    found = [pickle.dumps(frame)]
    if isinstance(frame, pl.DataFrame):
        for write in (frame.write_ipc, frame.write_parquet):
            write(file := io.BytesIO())
            found.append(file.getvalue())
        frame = frame.to_arrow()
    if isinstance(frame, pd.DataFrame):
        frame = pa.Table.from_pandas(frame)
    file = io.BytesIO()
    with pa.ipc.new_file(file, frame.schema) as writer:
        writer.write_table(frame)
    return [*found, file.getvalue()]


NUMBER = 8_765_432_109_876_543
HIDDEN_NUMBER = NUMBER.to_bytes(8, "little")
COLUMNS = [
    pd.Series(["a", "a", HIDDEN, HIDDEN + "2"]),
    pd.Series(["a", "a", HIDDEN, HIDDEN + "2"], dtype=object),
    pd.Series(["a", "a", HIDDEN, HIDDEN + "2"], dtype="category"),
    pd.Series(["a", "a", HIDDEN, HIDDEN + "2"], dtype=pd.ArrowDtype(pa.string())),
    pd.Series([1, 1, NUMBER, 7]),
    pd.Series([1, 1, NUMBER, 7], dtype="Int64"),
    pd.Series([1, 1, NUMBER, 7], dtype="category"),
    pl.Series(["a", "a", HIDDEN, HIDDEN + "2"]),
    pl.Series(["a", "a", HIDDEN, HIDDEN + "2"], dtype=pl.Categorical),
    pl.Series(["a", "a", HIDDEN, "b"], dtype=pl.Enum(["a", "b", HIDDEN, "spare"])),
    pl.Series([1, 1, NUMBER, 7]),
    pa.array(["a", "a", HIDDEN, HIDDEN + "2"]),
    pa.array(["a", "a", HIDDEN, HIDDEN + "2"]).dictionary_encode(),
    pa.array([1, 1, NUMBER, 7]),
]


@pytest.mark.parametrize("stars", ["text", "missing"])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("column", COLUMNS, ids=lambda c: f"{type(c)}")
def test_nothing_hidden_is_in_a_frame(column, shuffle, stars):
    if isinstance(column, pl.Series):
        frame = pl.DataFrame({"x": column, "g": [1, 1, 2, 2]})
    elif isinstance(column, pd.Series):
        frame = pd.DataFrame({"x": column, "g": [1, 1, 2, 2]})
        frame.attrs = {"labels": {NUMBER: HIDDEN}, "code": HIDDEN_NUMBER}
    else:
        frame = pa.table({"x": column, "g": [1, 1, 2, 2]}, metadata={"x": HIDDEN})
    release = starmin.anonymize(frame, k=2, stars=stars, shuffle=shuffle)
    assert release.value == 2
    for content in packed(release.frame):
        assert HIDDEN.encode() not in content
        assert HIDDEN_NUMBER not in content
