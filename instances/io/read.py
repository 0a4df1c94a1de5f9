"""Read a table from CSV, gzipped CSV, Parquet or a frame; cells stay as they are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet

from instances.arguments import expect_kind, expect_names, nearest
from instances.errors import TableError
from instances.io.codes import coded_texts, codes_of, in_one_piece
from instances.io.form import TABBED, is_text, read_text
from instances.io.formats import READ, read_format
from instances.io.frames import arrow_of
from instances.io.parse_csv import parse_csv
from instances.tables.table import Table

ENDINGS = (".csv", ".csv.gz", *TABBED, ".parquet", *READ)


def read_table(
    path: Path | str,
    qi: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    drop: Sequence[str] = (),
    sep: str | None = None,
    encoding: str | None = None,
) -> Table:
    """Read a table of people from a file.

    Parameters
    ----------
    path
        ``.csv``, ``.csv.gz``, ``.tsv``, ``.txt`` (with a header), ``.parquet``; with
        the extra ``starmin[formats]`` ``.xlsx``, ``.sav``, ``.dta``, ``.sas7bdat``.
    qi
        The quasi-identifiers; default: every column that is neither sensitive nor
        dropped.
    sensitive
        The sensitive columns, if any.
    drop
        Columns that are left out.
    sep
        What separates cells in a text file: one ASCII character; None: a comma, a
        semicolon, a tab or a bar, whichever gives most rows as many cells as the
        header.
    encoding
        Of a text file, by a name that Python knows; None: UTF-16 or UTF-8 if a mark
        at its beginning says so, else UTF-8, else Windows-1252 or Latin-1.

    Raises
    ------
    TableError
        No such file, a folder, another format, a row of another length, another
        encoding, NUL bytes, no rows, duplicate or empty column names, unknown columns.

    Notes
    -----
    A file is held in memory as a whole while it is read.
    """
    expect_kind("path", path, (str, Path))
    for what, given in (("sep", sep), ("encoding", encoding)):
        if given is not None:
            expect_kind(what, given, str)
    path = Path(path)
    if path.is_dir():
        raise TableError(f"{path}: is a folder; name a file")
    if not path.exists():
        raise TableError(f"{path}: no such file")
    name = str(path)
    if name.endswith(".parquet"):
        return from_arrow(_read_parquet(path), qi, sensitive, drop, name)
    if path.suffix in READ:
        return from_arrow(read_format(path), qi, sensitive, drop, name)
    if is_text(path):
        form, content = read_text(path, sep, encoding)
        arrow = parse_csv(path, content, form.sep)
        return from_arrow(arrow, qi, sensitive, drop, name, coded=True)
    raise TableError(f"{path}: expected a file {', '.join(ENDINGS)}")


def from_frame(
    frame: Any,
    qi: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    drop: Sequence[str] = (),
    name: str = "frame",
) -> Table:
    """Take a table from a frame of pandas, polars, Arrow, or what narwhals reads.

    Cells become text as Arrow writes them (42, 1.5, true), dates and times without
    units that none of the column needs (2024-05-31); missing cells stay missing. An
    index of pandas is not a column.

    Parameters
    ----------
    frame
        With columns whose names are text.
    qi
        Names of the quasi-identifiers; default: all columns that are not sensitive.
    sensitive, drop
        Names of the sensitive columns, and of those that are left out.
    name
        Of the table, for messages.

    Raises
    ------
    TableError
        Not a frame, a column whose name is not text, a column without a text form,
        or what ``read_table`` refuses of a file.

    Examples
    --------
    >>> import polars
    >>> from_frame(polars.DataFrame({"a": [1, None], "b": ["x", "y"]})).rows()
    [('1', 'x'), (None, 'y')]
    """
    return from_arrow(arrow_of(frame, name), qi, sensitive, drop, name)


def from_arrow(
    arrow: Any,
    qi: Sequence[str] | None,
    sensitive: Sequence[str],
    drop: Sequence[str],
    name: str,
    coded: bool = False,
) -> Table:
    """Code the columns of an Arrow table and give them their roles.

    Parameters
    ----------
    arrow
        A table of Arrow.
    qi
        Names of the quasi-identifiers; None: all columns that are not sensitive.
    sensitive, drop
        Names of the sensitive columns, and of those that are left out.
    name
        Of the table, for messages.
    coded
        Whether the columns are coded already, each with a dictionary of distinct texts
        that all occur, as ``parse_csv`` makes them; other makers' are rebuilt.
    """
    sensitive = expect_names("sensitive", sensitive)
    drop = expect_names("drop", drop)
    if unknown := [c for c in drop if c not in arrow.column_names]:
        known = ", ".join(arrow.column_names)
        raise TableError(
            f"{name}: no column {unknown[0]!r} to drop"
            f"{nearest(unknown[0], arrow.column_names)}; its columns: {known}"
        )
    kept = [j for j, c in enumerate(arrow.column_names) if c not in drop]
    names = tuple(arrow.column_names[j] for j in kept)
    codes = np.empty((len(names), arrow.num_rows), np.int32)
    dictionaries = []
    for row, j in enumerate(kept):
        column = arrow.column(j)
        if not coded:
            column = _encode(column, names[row], name)
        codes[row], values = _codes(column, names[row], name)
        dictionaries.append(values)
    if qi is None:
        qi = tuple(c for c in names if c not in sensitive)
    qi = expect_names("qi", qi)
    return Table(names, codes, tuple(dictionaries), qi, sensitive, name)


def _encode(chunks: Any, column: str, name: str) -> Any:
    """Code a column, each distinct value that occurs once, by their texts."""
    coded = coded_texts(chunks, column, name)
    if pa.types.is_dictionary(chunks.type):  # values may repeat, or not occur
        coded = coded.cast(pa.string()).dictionary_encode()
    return coded


def _codes(
    coded: Any, column: str, name: str
) -> tuple[npt.NDArray[np.int32], tuple[str | None, ...]]:
    """Return the codes of a coded Arrow column and their dictionary."""
    codes, values = codes_of(in_one_piece(coded), column, name)
    for code, value in enumerate(values):
        if value is not None and "\0" in value:
            row = int(np.flatnonzero(codes == code)[0]) + 1
            raise TableError(
                f"{name}: row {row}, column {column!r}: a NUL byte; remove it"
            )
    return codes, tuple(values)


def _read_parquet(path: Path) -> Any:
    try:
        # Not ``read_table``: it adds a column for a folder named like ``year=2020``.
        return pa.parquet.ParquetFile(path).read()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise TableError(f"{path}: not a Parquet file ({_why(error)})") from None


def _why(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error)
