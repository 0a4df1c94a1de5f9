"""Write a table to a file of any form, or hand it over as a frame."""

import codecs
import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from instances.arguments import expect_choice, expect_kind
from instances.errors import TableError
from instances.io.atomic import write_atomically
from instances.io.form import (
    SEPARATORS,
    TABBED,
    check_encoding,
    check_separator,
    usual_separator,
)
from instances.io.formats import WRITTEN, write_format
from instances.io.labels import Labels
from instances.tables.table import Table

_CHUNK = 100_000


def write_table(
    table: Table,
    path: Path | str,
    sep: str | None = None,
    encoding: str = "utf-8",
    labels: Labels | None = None,
) -> None:
    """Write a table to a file, in the form that its name ends in.

    ``.csv``, ``.csv.gz``, ``.tsv``, ``.txt`` or ``.parquet``; with the extra
    ``starmin[formats]`` ``.xlsx``, ``.sav`` or ``.dta``.

    Cells are quoted where they must be; a missing cell is an empty one in CSV (Parquet
    keeps it missing). The file appears whole or not at all; equal tables give equal
    bytes.

    Parameters
    ----------
    table
        What is written.
    path
        The file; one that is there is replaced.
    sep
        What separates the cells of a text file; None: a tab in ``.tsv`` and ``.txt``,
        else a comma.
    encoding
        Of a text file, by a name that Python knows.
    labels
        Of columns and values, for ``.sav`` and ``.dta``; ``read_labels`` has those of
        a file.

    Raises
    ------
    TableError
        Another format, a folder that is missing or not writable, or a character that
        the encoding does not have.
    """
    expect_kind("table", table, Table)
    expect_kind("path", path, (str, Path))
    expect_kind("labels", labels, (Labels, type(None)))
    path = Path(path)
    check_format(path)
    sep = usual_separator(path) if sep is None else sep
    expect_kind("sep", sep, str)
    expect_kind("encoding", encoding, str)
    if path.suffix != ".parquet":
        check_separator(path, sep)
        check_encoding(path, encoding)
    encode = codecs.getincrementalencoder(encoding)().encode  # one mark at most
    with write_atomically(path) as file, encoding_told(path, encoding):
        if path.suffix == ".parquet":
            pa.parquet.write_table(to_arrow(table), file)
        elif path.suffix in WRITTEN:
            write_format(table, file, path, labels)
        elif path.suffix == ".gz":
            with gzip.GzipFile("", "wb", 6, fileobj=file, mtime=0) as packed:
                write_csv(table, cast(IO[bytes], packed), sep, encode)
        else:
            write_csv(table, file, sep, encode)


def check_format(path: Path) -> None:
    """Raise TableError where the ending of ``path`` names no known format."""
    if path.exists() and not path.is_file() and not path.is_dir():
        return  # a device or a pipe takes CSV
    endings = (".csv", ".csv.gz", *TABBED, ".parquet", *WRITTEN)
    if not str(path).endswith(endings):
        raise TableError(f"{path}: expected a file {', '.join(endings)}")


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
    if kind == "polars":
        import polars

        return polars.from_arrow(to_arrow(table))
    return to_arrow(table).to_pandas()


def to_arrow(table: Table) -> Any:
    """Convert a table to an Arrow table of strings."""
    columns = [
        pa.array(dictionary, pa.string()).take(pa.array(codes))
        for codes, dictionary in zip(table.codes, table.dictionaries, strict=True)
    ]
    return pa.table(columns, names=list(table.names))


@contextmanager
def encoding_told(path: Path, encoding: str) -> Iterator[None]:
    """Turn a character that cannot be encoded into one line that names it."""
    try:
        yield
    except UnicodeEncodeError as error:
        text = error.object[error.start : error.end]
        raise TableError(
            f"{path}: {text!r} cannot be written in {encoding}; name another encoding, "
            "as utf-8"
        ) from None


def write_csv(
    table: Table,
    file: IO[bytes],
    sep: str,
    encode: Callable[[str], bytes],
    header: bool = True,
) -> None:
    """Write the rows of a table as lines of text.

    Parameters
    ----------
    table
        The rows.
    file
        Where to.
    sep
        What separates cells.
    encode
        Turns text into bytes.
    header
        Whether the names of the columns come first.
    """
    # Quoting is decided once per distinct value, not once per cell.
    special = {sep, '"', "\r", "\n", "\ufeff"}  # a reader drops a leading U+FEFF

    def quoted(value: str | None, special: set[str] = special) -> str:
        if not value:  # a blank line is what many readers skip
            return "" if len(table.names) > 1 else '""'
        if any(c in value for c in special):
            return '"' + value.replace('"', '""') + '"'
        return value

    texts = [
        np.array([quoted(value) for value in dictionary], dtype=object)
        for dictionary in table.dictionaries
    ]
    # Quoted, a name does not look as if its parts were separated otherwise.
    names = [quoted(name, {*special, *SEPARATORS}) for name in table.names]
    if header:
        file.write(encode(sep.join(names) + "\n"))
    for lines in _chunks(table, texts, sep):
        file.write(encode(lines))


def _chunks(table: Table, texts: list[Any], sep: str) -> Iterator[str]:
    for start in range(0, table.n, _CHUNK):
        part = table.codes[:, start : start + _CHUNK]
        cells = [text[codes] for text, codes in zip(texts, part, strict=True)]
        yield "\n".join(map(sep.join, zip(*cells, strict=True))) + "\n"
