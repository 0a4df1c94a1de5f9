"""Tests that a bad file or frame is refused in one line that names the place."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from starmin.instances import Table, TableError, from_frame, read_table, write_table

BAD_CSV = [
    (b"a,b\n1,2\n3\n", "line 3: expected 2 cells, got 1; mend the file"),
    (b"a,b\n1,2,3\n", "line 2: expected 2 cells, got 3; mend the file"),
    (b"a\n1,2\n", "line 2: expected 1 cell, got 2; mend the file"),
    (b'a,b\n"x\ny",2\n1\n', "line 4: expected 2 cells, got 1; mend the file"),
    (b'"a\nz",b\n1,2\n3\n', "line 4: expected 2 cells, got 1; mend the file"),
    (b"a,b\n1,2\n \n", "line 3: expected 2 cells, got 1; mend the file"),
    (b"a,b\n1,2\n\n3,4\n5\n", "line 5: expected 2 cells, got 1; mend the file"),
    (b"\na,b\n1,2\n\n3\n", "line 5: expected 2 cells, got 1; mend the file"),
    (b"a,a\n1,2\n", "two columns are named 'a'; rename one"),
    (b'"a\nb","a\nb"\n1,2\n', "two columns are named 'a\\nb'; rename one"),
    (b"a,\n1,2\n", "column 2 has an empty name; name it"),
    (b"a,b\0\n1,2\n", "the name of column 2 holds a NUL byte; remove it"),
    (b"a,b\n1,2\n3,\0\n", "row 2, column 'b': a NUL byte; remove it"),
    (b'a,b\n1,2\n3,"4\n5,6\n', "line 3: a quote is not closed; mend the quotes"),
    (b'a,b\n1,"2"3\n', "line 2: ',' expected after '\"'; mend the quotes"),
    (b'"a,b\n1,2\n', "line 1: a quote is not closed; mend the quotes"),
    (b"a,b\n", "no rows; expected at least one"),
    (b"a,b", "no rows; expected at least one"),
    (b"", "an empty file; expected a header and rows"),
    (b"\n\n", "an empty file; expected a header and rows"),
    (b"\xef\xbb\xbf", "an empty file; expected a header and rows"),
]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
@pytest.mark.parametrize(("content", "message"), BAD_CSV)
def test_bad_csv_is_refused_by_line(
    tmp_path: Path, content: bytes, message: str, ending: str
) -> None:
    path = tmp_path / f"people{ending}"
    path.write_bytes(content if ending == ".csv" else gzip.compress(content))
    with pytest.raises(TableError) as refusal:
        read_table(path)
    assert str(refusal.value) == f"{path}: {message}"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"a,b\n1,2\n3,\xff\n", 3),
        (b'a,b\n1,"2\n"\n3,\xff\n', 4),
        (b"\xffa,b\n1,2\n", 1),
    ],
)
def test_text_that_is_not_of_the_named_encoding_is_refused(
    tmp_path: Path, content: bytes, line: int
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    with pytest.raises(TableError) as refusal:
        read_table(path, encoding="utf-8")
    message = f"{path}: line {line}: not UTF-8 text; name its encoding"
    assert str(refusal.value) == message
    path.write_bytes(b"abc")  # not a whole number of characters
    with pytest.raises(TableError, match="not utf-16 text"):
        read_table(path, encoding="utf-16")
    for encoding in ("no such", "rot13", "", "\0"):
        with pytest.raises(TableError, match="expected an encoding such as utf-8"):
            read_table(path, encoding=encoding)


# A header without the time: it is in the tests' names, which all workers must agree on.
GZIP = gzip.compress(b"a\n1\n", mtime=0)
LONG_GZIP = gzip.compress(b"a\n" * 999, mtime=0)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv.gz", b"a,b\n1,2\n", "cannot be read (Not a gzipped file"),
        ("x.csv.gz", LONG_GZIP[:-9], "cannot be read (Compressed"),
        ("x.csv.gz", GZIP[:-8] + bytes(8), "cannot be read (CRC"),
        ("x.parquet", b"a,b\n1,2\n", "not a Parquet file"),
        ("x.parquet", b"PAR1" + bytes(40) + b"PAR1", "not a Parquet file"),
        ("x.ods", b"a\n1\n", "expected a file .csv, .csv.gz, .tsv, .txt, .parquet"),
    ],
)
def test_bad_files_are_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(TableError) as refusal:
        read_table(path)
    assert str(refusal.value).startswith(f"{path}: {message}")
    assert len(str(refusal.value).splitlines()) == 1


def test_a_damaged_parquet_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    write_table(Table.from_rows(["a"], [[str(i)] for i in range(999)], qi=["a"]), path)
    content = bytearray(path.read_bytes())
    content[4:60] = bytes(range(56))
    path.write_bytes(content)
    with pytest.raises(TableError, match="not a Parquet file"):
        read_table(path)


def test_no_file_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no such file"):
        read_table(tmp_path / "people.csv")
    with pytest.raises(TableError, match="is a folder; name a file"):
        read_table(tmp_path)


@pytest.mark.parametrize("sep", ["", ";;", '"', "\n", "\0", "é"])
def test_a_separator_is_one_ascii_character(tmp_path: Path, sep: str) -> None:
    (tmp_path / "x.csv").write_text("a\n1\n")
    with pytest.raises(TableError, match="expected a separator of one ASCII character"):
        read_table(tmp_path / "x.csv", sep=sep)


def not_text() -> pyarrow.Array:
    """A column of text that is none: Arrow does not look."""
    ends, letters = np.array([0, 1], np.int32), b"\xff"
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(letters)]
    return pyarrow.Array.from_buffers(pyarrow.string(), 1, buffers)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pandas.DataFrame([[1, 2]]), "column name 0 is not text; rename it"),
        (pandas.DataFrame([["1"]], columns=[None]), "column name None is not text"),
        (
            pandas.DataFrame([["1", "2"]], columns=["a", "a"]),
            "two columns are named 'a'",
        ),
        (pandas.DataFrame({"a": [1, "x"]}), "column 'a': no plain cells"),
        (polars.DataFrame({"a": [[1, 2]]}), "column 'a' is of type large_list"),
        (polars.DataFrame({"a": [b"\xff"]}), "column 'a' is of type binary"),
        (polars.DataFrame({"a": ["x", "\0"]}), "row 2, column 'a': a NUL byte"),
        (pyarrow.table({"a": not_text()}), "column 'a': not UTF-8 text"),
        (polars.DataFrame({"a": []}), "no rows"),
        (polars.DataFrame({"": ["x"]}), "column 1 has an empty name"),
        ([1, 2], "no table of plain cells"),
    ],
)
def test_bad_frames_are_refused(frame: Any, message: str) -> None:
    with pytest.raises(TableError) as refusal:
        from_frame(frame, name="frame")
    assert message in str(refusal.value)
    assert len(str(refusal.value).splitlines()) == 1
