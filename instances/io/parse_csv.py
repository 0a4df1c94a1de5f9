"""Strict CSV, from bytes to an Arrow table of coded text columns."""

import csv
import io
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from instances.errors import TableError

_CODED = pa.dictionary(pa.int32(), pa.string())

_BLOCK = 1 << 20
_LARGEST_BLOCK = 2**31 - 1
# Only files with one of these can hold broken quotes or blank lines.
_SUSPECT = (b'"', b"\n\n", b"\n\r", b"\r\r")


def parse_csv(path: Path, content: bytes, sep: str) -> Any:
    """Parse UTF-8 text with a header; every cell is kept as it stands.

    Cells with a separator, a line break or a quote are quoted, quotes in them are
    doubled. Lines end in LF, CRLF or CR. Blank lines at the end are ignored; in a
    file of one column a blank line is an empty cell.

    Raises
    ------
    TableError
        Names the line of the first fault: a row of another length, a blank line, a
        broken quote, text that is not UTF-8, an empty or repeated column name.

    Notes
    -----
    pyarrow parses and codes the columns in one pass. It joins an unterminated quote
    to the last cell and skips blank lines, so files with quotes or blank lines are
    read once more, strictly, by the ``csv`` module, which also says what is wrong
    with a file that pyarrow refuses.
    """
    header = _header(path, content, sep)
    if any(mark in content for mark in _SUSPECT):
        _check(path, content, sep, len(header))
    try:
        return _parse(content, header, sep, _BLOCK)
    except pa.ArrowInvalid:
        _check(path, content, sep, len(header))
    try:  # nothing is wrong but a cell longer than a block
        return _parse(content, header, sep, min(len(content) + 1, _LARGEST_BLOCK))
    except pa.ArrowInvalid as error:
        raise TableError(f"{path}: cannot be parsed ({error})") from None


def _parse(content: bytes, header: Sequence[str], sep: str, block: int) -> Any:
    # A worker may release the buffer after the interpreter has begun to end, which
    # aborts the process if the memory is Python's; so it gets Arrow's own.
    buffer = pa.allocate_buffer(len(content))
    memoryview(buffer).cast("B")[:] = content
    return pa.csv.read_csv(
        pa.BufferReader(buffer),
        read_options=pa.csv.ReadOptions(
            column_names=header, skip_rows_after_names=1, block_size=block
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
    with closing(_rows(path, content, sep)) as rows:
        names = next((row for _, row in rows), [])
    if not content.strip(b"\xef\xbb\xbf\r\n"):  # it may begin with U+FEFF
        raise TableError(f"{path}: an empty file; expected a header and rows")
    if not names:
        raise TableError(f"{path}: line 1: a blank line; expected the header")
    for position, column in enumerate(names, start=1):
        if not column:
            raise TableError(f"{path}: column {position} has an empty name; name it")
        if "\0" in column:
            raise TableError(
                f"{path}: the name of column {position} holds a NUL byte; remove it"
            )
        if names.count(column) > 1:
            raise TableError(f"{path}: two columns are named {column!r}; rename one")
    return names


def _check(path: Path, content: bytes, sep: str, width: int) -> None:
    """Raise TableError at the first fault of the file, if there is one."""
    blank = line = 0
    with closing(_rows(path, content, sep)) as rows:
        for line, row in rows:
            if not row and width > 1:
                blank = blank or line
            elif blank:
                raise TableError(f"{path}: line {blank}: a blank line; remove it")
            elif len(row) != width and row:
                cells = "1 cell" if width == 1 else f"{width} cells"
                raise TableError(
                    f"{path}: line {line}: expected {cells}, got {len(row)}; "
                    "mend the file"
                )
    if line == 1:
        raise TableError(f"{path}: no rows; expected at least one")


def _rows(path: Path, content: bytes, sep: str) -> Generator[tuple[int, list[str]]]:
    """Read all rows by the ``csv`` module, each with the line on which it begins."""
    text = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="")
    reader = csv.reader(text, delimiter=sep, strict=True)
    limit = csv.field_size_limit(len(content) + 1)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        why = str(error).replace("unexpected end of data", "a quote is not closed")
        raise TableError(f"{path}: line {line}: {why}; mend the quotes") from None
    except UnicodeDecodeError:
        line = _undecodable_line(content)
        raise TableError(
            f"{path}: line {line}: not UTF-8 text; name its encoding"
        ) from None
    finally:
        csv.field_size_limit(limit)


def _undecodable_line(content: bytes) -> int:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return before.count(b"\n") + 1
    return 1
