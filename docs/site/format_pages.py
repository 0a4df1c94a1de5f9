"""Writes the page on file formats: what is read, written and kept.

What is kept is seen, not said: a small table of each kind of column goes from Parquet
into each format that is written, and is read again.
"""

import inspect
import re
import sys
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet
from rst import heading, table

from starmin.instances.errors import TableError
from starmin.instances.io.at_once import FORMATS
from starmin.instances.io.beside import Beside, Labels, Typed
from starmin.instances.io.format import Format
from starmin.instances.io.layout import is_text
from starmin.instances.io.read import read_file
from starmin.instances.io.write import write_table
from starmin.instances.streams.source import ENDINGS
from starmin.instances.tables.table import Table

COLUMNS: dict[str, Any] = {
    "whole numbers": pa.array([1, 2, 30]),
    "decimals": pa.array([1.5, 2.25, 30.0]),
    "truth values": pa.array([True, False, True]),
    "dates": pa.array([date(2024, 5, 31), date(1990, 1, 2), date(2001, 2, 3)]),
    "times of day": pa.array([time(12, 30), time(1, 2, 3), time(4, 5)]),
    "dates with times": pa.array([datetime(2024, 5, 31, 12, 30, i) for i in range(3)]),
    "the same, no seconds": pa.array([datetime(2024, 5, 31, 12, i) for i in range(3)]),
    "durations": pa.array([timedelta(hours=3), timedelta(2), timedelta(seconds=5)]),
    "codes such as 007": pa.array(["007", "012", "100"]),
    "text": pa.array(["a", "b", "c"]),
    "categories": pa.array(["a", "b", "a"]).dictionary_encode(),
}
NAMES = (  # of types, as Arrow or Python has them: the beginning, and words for it
    ("int", "whole numbers"),
    ("float", "numbers"),
    ("double", "numbers"),
    ("bool", "truth values"),
    ("datetime", "dates with times"),
    ("timestamp", "dates with times"),
    ("timedelta", "durations"),
    ("duration", "durations"),
    ("date", "dates"),
    ("time", "times of day"),
    ("dictionary", "categories"),
    ("str", "text"),
)
COLUMN, OTHER = "sex", "age"
SHOWN = {".sav": "F4.1", ".dta": "%4.1f"}  # how numbers are shown, by program
LABELS = Labels(
    {COLUMN: "Sex of the person"},
    {COLUMN: {"1": "male", "2": "female"}},
    {COLUMN: "nominal"},
    "A survey",
)
KEPT = {
    "labels of columns": lambda beside: beside.labels.columns,
    "labels of values": lambda beside: beside.labels.values.get(COLUMN),
    "measures of columns": lambda beside: beside.labels.measures.get(COLUMN),
    "the title of the file": lambda beside: beside.labels.title,
    "codes declared missing": lambda beside: beside.missing.get(COLUMN),
    "how numbers are shown": lambda beside: (
        beside.formats.get(COLUMN) in SHOWN.values()
    ),
    "types that pandas notes": lambda beside: beside.pandas.get(COLUMN),
}


def endings(kind: Format) -> str:
    """The endings of a kind of file."""
    return ", ".join(f"`{ending}`" for ending in kind.endings)


def libraries(kind: Format) -> list[str]:
    """The libraries of the extra that reading or writing such files needs."""
    modules = {part.__module__ for part in type(kind).__mro__ if part is not object}
    source = "".join(inspect.getsource(sys.modules[name]) for name in modules)
    return sorted({*re.findall(r'library\("(\w+)"', source), *kind.writers})


def first_line(text: str | None) -> str:
    """The first line of a docstring."""
    return (text or "").strip().partition("\n")[0].replace("``", "`")


def in_batches(kind: Format) -> str:
    """Whether tables larger than memory may be such files."""
    some = [ending for ending in kind.endings if ending in ENDINGS]
    every = len(some) == len(kind.endings)
    named = ", ".join(f"`{ending}`" for ending in some)
    return ("yes" if every else f"{named} alone") if some else "no"


def written() -> list[tuple[str, Format]]:
    """An ending of each kind of file that is written."""
    return [(kind.endings[0], kind) for kind in FORMATS if kind.written]


@cache
def returned(column: str, ending: str) -> str:
    """What a column of a type is, written to a file and read again."""
    with TemporaryDirectory() as folder:
        source, goal = Path(folder, "in.parquet"), Path(folder, f"out{ending}")
        other = pa.array(["x", "y", "z"])
        pa.parquet.write_table(pa.table({"a": COLUMNS[column], "b": other}), source)
        read = read_file(source)
        try:
            write_table(read.table, goal, beside=read.beside)
        except TableError:
            return "refused"
        back = read_file(goal)
    assert back.table.rows() == read.table.rows(), (column, ending)
    if is_text(goal):
        return "text"
    typed = back.beside.typed["a"]
    kinds = [typed.type] if typed.type else [type(v).__name__ for v in typed.values]
    words = (words_of(str(kind)) for kind in kinds)
    return " or ".join(dict.fromkeys(words))


def words_of(kind: str) -> str:
    """A type in words."""
    return next(words for begins, words in NAMES if kind.startswith(begins))


@cache
def kept(ending: str) -> tuple[str, ...]:
    """What stands beside the cells after they were written and read."""
    texts = ("1", "2", "9")
    rows = [[text, "30"] for text in texts]
    people = Table.from_rows([COLUMN, OTHER], rows, qi=[OTHER])
    beside = Beside(
        LABELS,
        {COLUMN: Typed(texts, pa.array([1.0, 2.0, 9.0]))},
        missing={COLUMN: ((9.0, 9.0),)},
        formats={COLUMN: SHOWN[ending]} if ending in SHOWN else {},
        pandas={COLUMN: {"field_name": COLUMN, "pandas_type": "float64"}},
    )
    with TemporaryDirectory() as folder:
        path = Path(folder, f"a{ending}")
        write_table(people, path, beside=beside)
        back = read_file(path).beside
    return tuple(what for what, of in KEPT.items() if of(back))


def formats() -> str:
    """The page."""
    lines = [
        *heading("File formats"),
        "Made from the formats that are declared; what comes back was written and read",
        "when this page was made. :doc:`Files </reference/files>` says what a release",
        "keeps, and why the rest is left out.",
        "",
    ]
    lines += table(
        ("ending", "what", "read", "written", "in batches", "needs"), [*rows()]
    )
    lines += [
        "*In batches*: a file, or a folder of such files, may be larger than memory.",
        "What is needed comes with ``pip install 'starmin[formats]'``.",
        "",
        *heading("Kinds of columns", "-"),
        "What a column is that was of a type in a Parquet file, in a file of another",
        "kind. A column with stars or ranges is text everywhere.",
        "",
    ]
    heads = [endings(kind) for _, kind in written()]
    lines += table(
        ("column", *heads),
        [
            (column, *(returned(column, ending) for ending, _ in written()))
            for column in COLUMNS
        ],
    )
    lines += [*heading("Beside the cells", "-"), "What comes back beside them.", ""]
    beside = [
        (what, *("yes" if what in kept(ending) else "no" for ending, _ in written()))
        for what in KEPT
    ]
    return "\n".join([*lines, *table(("what", *heads), beside)])


def rows() -> Iterator[tuple[str, ...]]:
    """A row for each kind of file."""
    for kind in FORMATS:
        needs = ", ".join(f"`{name}`" for name in libraries(kind)) or "nothing more"
        how = first_line(type(kind).write.__doc__) if kind.written else "no"
        what, read = first_line(type(kind).__doc__), first_line(type(kind).read.__doc__)
        yield endings(kind), what, read, how, in_batches(kind), needs
