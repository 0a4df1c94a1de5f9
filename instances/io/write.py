"""Write a table to a file of any form, or hand it over as a frame."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from starmin.instances.arguments import expect_choice, expect_kind
from starmin.instances.errors import TableError, expect_extra
from starmin.instances.io.at_once import WRITTEN, format_of
from starmin.instances.io.atomic import is_stream, write_atomically
from starmin.instances.io.beside import Beside, Labels
from starmin.instances.io.file_formats.parquet_file import arrow_of_table
from starmin.instances.io.file_formats.text_file import TextFormat
from starmin.instances.io.format import Asked, library
from starmin.instances.io.layout import check_encoding, check_separator
from starmin.instances.tables.table import Table


def write_table(
    table: Table,
    path: Path | str,
    sep: str | None = None,
    encoding: str = "utf-8",
    labels: Labels | None = None,
    beside: Beside | None = None,
) -> None:
    """Write a table to a file, in the form that its name ends in.

    ``.csv``, ``.csv.gz``, ``.tsv``, ``.txt`` or ``.parquet``; with the extra
    ``starmin[formats]`` ``.xlsx``, ``.sav`` or ``.dta``.

    Cells are quoted where they must be; a missing cell is an empty one in CSV (Parquet
    keeps it missing). The file appears whole or not at all; equal tables give equal
    bytes. Warns (UserWarning) where labels are shortened or
    left out. Raises TableError: another format, a folder that is missing or not
    writable, or what a file of this kind cannot hold: more rows or columns, a name, a
    longer text, a character that the encoding does not have.

    Parameters
    ----------
    table, path
        What is written, and the file; one that is there is replaced.
    sep
        What separates the cells of a text file; None: a tab in ``.tsv`` and ``.txt``,
        else a comma.
    encoding
        Of a text file, by a name that Python knows.
    labels
        Of columns and values, for ``.sav`` and ``.dta``; ``read_labels`` has those of
        a file. Those of values that are in no cell are left out.
    beside
        What else stands beside the cells of the file that the table was made of, as
        ``read_file`` has it: types, labels, declared missing codes. It is brought in
        line with the cells.
    """
    expect_kind("table", table, Table)
    expect_kind("path", path, (str, Path))
    expect_kind("labels", labels, (Labels, type(None)))
    expect_kind("beside", beside, (Beside, type(None)))
    path = Path(path)
    check_format(path)
    expect_kind("sep", sep, (str, type(None)))
    expect_kind("encoding", encoding, str)
    kind = format_of(path) or TextFormat()
    if isinstance(kind, TextFormat):
        if sep is not None:
            check_separator(path, sep)
        check_encoding(path, encoding)
    if beside is None:
        beside = Beside(labels or Labels())
    published, asked = table.used(), Asked(sep, encoding)
    kind.expect(published, path, asked, published.names)
    if kind.tells:
        beside = beside.only(published)
    for line in kind.left_out(published, beside):
        warnings.warn(f"{path}: {line}", stacklevel=2)
    with write_atomically(path) as file:
        kind.write(published, beside, file, path, asked)


def expect_fits(
    table: Table, path: Path, sep: str | None, encoding: str, columns: Sequence[str]
) -> None:
    """Raise TableError where a file cannot hold a table, of which some cells are known.

    These are the cells of ``columns``, which are written as they are; the rest is as
    ``write_table`` is told.
    """
    kind = format_of(path) or TextFormat()
    kind.expect(table.used(), path, Asked(sep, encoding), columns)


def check_format(path: Path) -> None:
    """Raise TableError where no table can be written to a file that ends so."""
    if is_stream(path) and format_of(path) is None:
        return  # it takes CSV
    if not str(path).endswith(WRITTEN):
        raise TableError(f"{path}: expected a file {', '.join(WRITTEN)}")
    for name in kind.writers if (kind := format_of(path)) else ():
        library(name, path)


def to_frame(table: Table, kind: Literal["pandas", "polars"] = "pandas") -> Any:
    """Convert a table to a frame of text columns, missing cells as nulls.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["007"]], qi=["a"])
    >>> to_frame(table, "polars").item()
    '007'
    """
    expect_kind("table", table, Table)
    expect_choice("kind", kind, ("pandas", "polars"))
    arrow = arrow_of_table(table.used(), Beside())
    if kind == "polars":
        import polars

        return polars.from_arrow(arrow)
    expect_extra("pandas", "to_frame")
    return arrow.to_pandas()
