"""Read a table from CSV, gzipped CSV or Parquet; every cell stays the text it is."""

import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from instances.errors import TableError
from instances.table import Table

_CODED = pa.dictionary(pa.int32(), pa.string())


def read_table(
    path: Path | str,
    qi: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    drop: Sequence[str] = (),
    sep: str = ",",
) -> Table:
    """Read a table of people from a file.

    Parameters
    ----------
    path
        ``.csv``, ``.csv.gz`` (UTF-8, with a header) or ``.parquet``.
    qi
        The quasi-identifiers; default: every column that is neither sensitive nor
        dropped.
    sensitive
        The sensitive columns, if any.
    drop
        Columns that are left out.
    sep
        What separates cells in a CSV file: one character.

    Raises
    ------
    TableError
        No such file, a folder, another format, a row of another length, not UTF-8,
        NUL bytes, no rows, duplicate or empty column names, unknown columns.

    Notes
    -----
    pyarrow parses and codes the columns in one pass. It joins an unterminated
    quote to the last cell and takes a blank line for a row of empty cells, so files
    with quotes or blank lines are read once more, strictly, by the ``csv`` module.
    """
    path = Path(path)
    if path.is_dir():
        raise TableError(f"{path}: is a folder; name a file")
    if not path.exists():
        raise TableError(f"{path}: no such file")
    name = str(path)
    if name.endswith(".parquet"):
        arrow = _read_parquet(path)
    elif name.endswith((".csv", ".csv.gz")):
        arrow = _read_csv(path, sep)
    else:
        raise TableError(f"{path}: expected a file .csv, .csv.gz or .parquet")
    return from_arrow(arrow, qi, sensitive, drop, name)


def from_frame(
    frame: Any,
    qi: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    drop: Sequence[str] = (),
    name: str = "frame",
) -> Table:
    """Take a table from a pandas or polars frame, or whatever speaks Arrow.

    Cells become text as Arrow writes them (42, 1.5, true); missing ones stay missing.
    An index of pandas is not a column.

    Examples
    --------
    >>> import polars
    >>> from_frame(polars.DataFrame({"a": [1, None], "b": ["x", "y"]})).rows()
    [('1', 'x'), (None, 'y')]
    """
    if hasattr(frame, "columns"):
        columns = [str(column) for column in frame.columns]
        if duplicate := next((c for c in columns if columns.count(c) > 1), None):
            raise TableError(f"{name}: two columns are named {duplicate!r}; rename one")
    arrow = pa.table(frame)
    kept = [c for c in arrow.column_names if not c.startswith("__index_level_")]
    return from_arrow(arrow.select(kept), qi, sensitive, drop, name)


def from_arrow(
    arrow: Any,
    qi: Sequence[str] | None,
    sensitive: Sequence[str],
    drop: Sequence[str],
    name: str,
) -> Table:
    """Code the columns of an Arrow table and give them their roles."""
    if unknown := [c for c in drop if c not in arrow.column_names]:
        known = ", ".join(arrow.column_names)
        raise TableError(
            f"{name}: no column {unknown[0]!r} to drop; its columns: {known}"
        )
    names = tuple(c for c in arrow.column_names if c not in drop)
    codes = np.empty((len(names), arrow.num_rows), np.int32)
    dictionaries = []
    for j, column in enumerate(names):
        codes[j], values = _code(arrow, column, name)
        dictionaries.append(values)
    if qi is None:
        qi = tuple(c for c in names if c not in sensitive)
    return Table(names, codes, tuple(dictionaries), tuple(qi), tuple(sensitive), name)


def _code(
    arrow: Any, column: str, name: str
) -> tuple[npt.NDArray[np.int32], tuple[str | None, ...]]:
    position = arrow.column_names.index(column)
    chunks = arrow.column(position)
    if not pa.types.is_dictionary(chunks.type):
        try:
            chunks = chunks.cast(pa.string()).dictionary_encode()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise TableError(
                f"{name}: column {column!r} is of type {chunks.type}, "
                "which has no text form; convert it first"
            ) from None
    elif not pa.types.is_string(chunks.type.value_type):
        chunks = chunks.cast(pa.dictionary(pa.int32(), pa.string()))
    coded = chunks.unify_dictionaries().combine_chunks()
    if isinstance(coded, pa.ChunkedArray):  # an empty column has no chunk
        return np.empty(0, np.int32), ()
    values: list[str | None] = coded.dictionary.to_pylist()
    indices = coded.indices
    if coded.null_count:
        indices = indices.fill_null(len(values))
        values.append(None)
    codes = indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    for value in values:
        if value is not None and "\0" in value:
            row = int(np.flatnonzero(codes == values.index(value))[0]) + 1
            raise TableError(
                f"{name}: row {row}, column {column!r} holds a NUL byte; remove it"
            )
    return codes, tuple(values)


def _read_parquet(path: Path) -> Any:
    try:
        return pa.parquet.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise TableError(f"{path}: not a Parquet file ({_line(error)})") from None


def _read_csv(path: Path, sep: str) -> Any:
    if len(sep) != 1 or sep in '"\r\n':
        raise TableError(f"{path}: separator {sep!r} is not one character")
    try:
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(f"{path}: cannot be read ({_line(error)})") from None
    header = _header(path, content, sep)
    if b'"' in content or b"\n\n" in content or b"\n\r\n" in content:
        content = _check_strictly(path, content, sep, len(header))
    try:
        return _parse(content, header, sep, threads=True)
    except pa.ArrowInvalid:
        pass
    try:  # once more on one thread, which numbers the row in its error
        return _parse(content, header, sep, threads=False)
    except pa.ArrowInvalid as error:
        message = _line(error).removeprefix("CSV parse error: ")
        raise TableError(f"{path}: {message}; mend the file") from None


def _parse(content: bytes, header: Sequence[str], sep: str, threads: bool) -> Any:
    return pa.csv.read_csv(
        pa.BufferReader(content),
        read_options=pa.csv.ReadOptions(
            use_threads=threads, column_names=header, skip_rows_after_names=1
        ),
        parse_options=pa.csv.ParseOptions(
            delimiter=sep, newlines_in_values=True, ignore_empty_lines=len(header) > 1
        ),
        convert_options=pa.csv.ConvertOptions(
            column_types=dict.fromkeys(header, _CODED),
            null_values=[],
            strings_can_be_null=False,
        ),
    )


def _header(path: Path, content: bytes, sep: str) -> list[str]:
    line = content[: content.find(b"\n") + 1 or len(content)]
    try:
        names = next(csv.reader([line.decode("utf-8-sig")], delimiter=sep), [])
    except (UnicodeDecodeError, csv.Error):
        raise TableError(f"{path}: its header is not UTF-8 text") from None
    for position, column in enumerate(names, start=1):
        if not column:
            raise TableError(f"{path}: column {position} has an empty name; name it")
        if names.count(column) > 1:
            raise TableError(f"{path}: two columns are named {column!r}; rename one")
    if not names:
        raise TableError(f"{path}: an empty file; expected a header and rows")
    return names


def _check_strictly(path: Path, content: bytes, sep: str, width: int) -> bytes:
    """Refuse broken quotes and blank lines; return the bytes without a blank end."""
    if width > 1:
        content = content.rstrip(b"\r\n") + b"\n"
    csv.field_size_limit(max(csv.field_size_limit(), len(content)))
    text = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="")
    reader = csv.reader(text, delimiter=sep, strict=True)
    try:
        for row in reader:
            if len(row) != width and (row or width > 1):
                raise TableError(
                    f"{path}: line {reader.line_num} ends a row of {len(row)} cells, "
                    f"expected {width}; mend the file"
                )
    except csv.Error as error:
        raise TableError(f"{path}: line {reader.line_num}: {error}") from None
    except UnicodeDecodeError:
        raise TableError(f"{path}: not UTF-8 text; convert it first") from None
    return content


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())
