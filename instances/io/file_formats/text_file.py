"""Read and write text files: cells separated by a character, by strict rules."""

import codecs
import gzip
import io
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.csv

from starmin.instances.errors import TableError
from starmin.instances.io.beside import Beside
from starmin.instances.io.format import Asked, Check, Format, Raw
from starmin.instances.io.layout import (
    SEPARATORS,
    TABBED,
    Layout,
    check_encoding,
    check_separator,
    read_text,
    strict_rows,
    usual_separator,
)
from starmin.instances.tables.names import counted, named
from starmin.instances.tables.table import Table

# Strict CSV, from bytes to an Arrow table of coded text columns.

Lines = tuple[str, ...]
_EMPTY = "an empty file; expected a header and rows"
LAST = "\0last"  # stands for the name that is lacking
_CODED = pa.dictionary(pa.int32(), pa.string())

_BLOCK = 1 << 20
_LARGEST_BLOCK = 2**31 - 1
# Only files with one of these can hold broken quotes or blank lines.
_SUSPECT = (b'"', b"\n\n", b"\n\r", b"\r\r")


def parse_csv(path: Path, content: bytes, layout: Layout) -> tuple[Any, Lines]:
    """Parse UTF-8 text with a header; every cell is kept as it stands.

    Cells with a separator, a line break or a quote are quoted, quotes in them are
    doubled. Lines end in LF, CRLF or CR. In a file of one column a blank line is an
    empty cell, unless it is one of the last; elsewhere blank lines are left out.

    ``path`` is for messages, ``content`` all of the file. Returns a table of Arrow, and
    lines that say what was guessed. Raises TableError, which names the line of the
    first fault: a row of another length, a broken quote, text that is not UTF-8, an
    empty or repeated column name.

    Notes
    -----
    pyarrow parses and codes the columns in one pass. It joins an unterminated quote
    to the last cell and skips blank lines, so files with quotes or blank lines are
    read once more, strictly, by the ``csv`` module, which also says what is wrong
    with a file that pyarrow refuses.
    """
    lines = layout_lines(path, layout)
    if layout.skip:
        above = rb"(?:[^\r\n]*(?:\r\n|\r|\n)){%d}" % layout.skip
        content = re.sub(above, b"", content, count=1)
    file = _Lines(path, content, layout)
    header = file.header()
    if layout.short and file.are_of(len(header) + 1):
        header = [*header, LAST]
    elif ends_with_separator(header):
        header = [*header[:-1], LAST]
    else:
        header, told = named(path, header)
        lines += told
    if any(mark in content for mark in _SUSPECT):
        lines += file.check(len(header))
    arrow = _parsed(file, header)
    if header[-1] == LAST:
        arrow, told = _of_short(path, arrow, layout.short)
        lines += told
    return arrow, lines


def layout_lines(path: Path, layout: Layout) -> Lines:
    """Say which lines above the header are left out, and what separates no cells."""
    if layout.hint:
        return (f"{path}: read as one column; {layout.hint}",)
    if not layout.titles:
        return ()
    begin = layout.titles[0][:40]
    many = counted(len(layout.titles), "line")
    return (f"{path}: {many} above the names left out: {begin!r}",)


def ends_with_separator(header: Sequence[str]) -> bool:
    """Check whether a header has names, and an empty one behind them."""
    return len(header) > 1 and not header[-1] and all(header[1:-1])


def names_of_short(
    path: Path, names: Sequence[str], short: bool, ended: bool
) -> tuple[list[str], Lines]:
    """Return the names of all columns where the header lacks one, and lines on that.

    The last column is empty if ``ended``, as lines end with a separator, and left out;
    or else, if the header is ``short``, the first one has the names of rows.
    """
    if not ended:
        return named(path, ["", *names] if short else [*names, ""])
    found, lines = named(path, names)
    line = f"{path}: all rows end with a separator, which is left out"
    return found, (line, *lines)


def _of_short(path: Path, arrow: Any, short: bool) -> tuple[Any, Lines]:
    """Return a table whose header lacks a name, with names for all its columns."""
    import pyarrow.compute as pc  # as much to import as all the rest of pyarrow

    *names, _ = arrow.column_names
    last = arrow.column(arrow.num_columns - 1)
    ended = not any(pc.unique(last.cast(pa.string())).to_pylist())
    names, lines = names_of_short(path, names, short, ended)
    return arrow.select(range(len(names))).rename_columns(names), lines


def _parsed(file: "_Lines", header: Sequence[str]) -> Any:
    try:
        return _parse(file.content, header, file.sep, _BLOCK)
    except pa.ArrowInvalid:
        file.check(len(header))
    try:  # nothing is wrong but a cell longer than a block
        block = min(len(file.content) + 1, _LARGEST_BLOCK)
        return _parse(file.content, header, file.sep, block)
    except pa.ArrowInvalid as error:
        raise TableError(f"{file.path}: cannot be parsed ({error})") from None


def _parse(content: bytes, header: Sequence[str], sep: str, block: int) -> Any:
    # A worker may release the buffer after the interpreter has begun to end, which
    # aborts the process if the memory is Python's; so it gets Arrow's own.
    buffer = pa.allocate_buffer(len(content))
    memoryview(buffer).cast("B")[:] = content
    return pa.csv.read_csv(pa.BufferReader(buffer), **csv_options(header, sep, block))


def csv_options(
    names: Sequence[str],
    sep: str,
    block: int,
    columns: Sequence[str] = (),
    **reading: Any,
) -> dict[str, Any]:
    """Return how Arrow is to read a text file: some columns, or all, as coded text.

    ``names`` are those of all columns, in place of those of the file; ``block`` is how
    many bytes are read at a time, and ``reading`` are further options of that.
    """
    return {
        "read_options": pa.csv.ReadOptions(
            column_names=names, skip_rows_after_names=1, block_size=block, **reading
        ),
        "parse_options": pa.csv.ParseOptions(
            delimiter=sep, newlines_in_values=True, ignore_empty_lines=len(names) > 1
        ),
        "convert_options": pa.csv.ConvertOptions(
            column_types=dict.fromkeys(names, _CODED),
            null_values=[],
            strings_can_be_null=False,
            include_columns=list(columns),
        ),
    }


class _Lines:
    """The lines of a file from its header on, read by the ``csv`` module."""

    def __init__(self, path: Path, content: bytes, layout: Layout) -> None:
        self.path, self.content, self.sep = path, content, layout.sep
        self._above = layout.skip

    def header(self) -> list[str]:
        """Return the names as they stand there."""
        with closing(self._rows()) as rows:
            names = next((row for _, row in rows), [])
        if not self.content.strip(b"\xef\xbb\xbf\r\n"):  # it may begin with U+FEFF
            what = "no rows; expected at least one" if self._above else _EMPTY
            raise TableError(f"{self.path}: {what}")
        return names

    def are_of(self, width: int) -> bool:
        """Check whether all rows below the header have so many cells."""
        with closing(self._rows()) as rows:
            next(rows)
            return all(len(row) == width for _, row in rows if row)

    def check(self, width: int) -> Lines:
        """Raise TableError at the first fault of the file, if there is one.

        Else a line is returned on blank lines that are left out.
        """
        blank: list[int] = []
        line = last = 0
        with closing(self._rows()) as rows:
            for line, row in rows:
                if not row:
                    blank.append(line)
                    continue
                last = line
                if len(row) != width and line > self._above + 1:
                    cells = counted(width, "cell")
                    raise TableError(
                        f"{self.path}: line {line}: expected {cells}, got {len(row)}; "
                        "mend the file"
                    )
        if line == self._above + 1:
            raise TableError(f"{self.path}: no rows; expected at least one")
        inside = [each for each in blank if each < last]
        if width == 1 or not inside:
            return ()
        many = counted(len(inside), "blank line")
        return (f"{self.path}: {many} left out, the first is line {inside[0]}",)

    def _rows(self) -> Generator[tuple[int, list[str]]]:
        """Read all rows, each with the line on which it begins."""
        text = io.TextIOWrapper(io.BytesIO(self.content), "utf-8-sig", newline="")
        longest = len(self.content)
        try:
            yield from strict_rows(self.path, text, self.sep, self._above, longest)
        except UnicodeDecodeError:
            line = self._above + _undecodable_line(self.content)
            raise TableError(
                f"{self.path}: line {line}: not UTF-8 text; name its encoding"
            ) from None


def _undecodable_line(content: bytes) -> int:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return before.count(b"\n") + 1
    return 1


_CHUNK = 100_000


class TextFormat(Format):
    """Files of text with a header; cells are quoted where they must be."""

    endings = (".csv", ".csv.gz", *TABBED)
    tells = False
    mend = "name another encoding, as utf-8"

    def read(self, path: Path, asked: Asked) -> Raw:
        """Read a file as a whole."""
        text = read_text(path, asked.sep, asked.encoding)
        columns, lines = parse_csv(path, text.content, text.layout)
        return Raw(columns, coded=True, form=text.form, told=lines)

    def text_check(self, asked: Asked) -> Check | None:
        """Look for characters that the encoding does not have."""
        encoding = asked.encoding or "utf-8"
        if encoding.lower().startswith("utf"):
            return None

        def check(text: str) -> str | None:
            try:
                text.encode(encoding)
            except UnicodeEncodeError as error:
                missed = text[error.start : error.end]
                return f"{missed!r} cannot be written in {encoding}"
            return None

        return check

    def write(
        self, table: Table, beside: Beside, file: IO[bytes], path: Path, asked: Asked
    ) -> None:
        """Write the texts; a missing cell is an empty one."""
        encoding = asked.encoding or "utf-8"
        sep, encode = written_by(path, asked.sep, encoding)
        with encoding_told(path, encoding):
            if path.suffix != ".gz":
                write_csv(table, file, sep, encode)
                return
            with gzip.GzipFile("", "wb", 6, fileobj=file, mtime=0) as packed:
                write_csv(table, cast(IO[bytes], packed), sep, encode)


def written_by(
    path: Path, sep: str | None, encoding: str
) -> tuple[str, Callable[[str], bytes]]:
    """Return what separates cells of a text file, and what makes bytes of its lines.

    Raises TableError for a separator, or an encoding, that is none.
    """
    sep = usual_separator(path) if sep is None else sep
    check_separator(path, sep)
    check_encoding(path, encoding)
    return sep, codecs.getincrementalencoder(encoding)().encode  # one mark at most


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

    ``sep`` separates cells; ``header`` says whether the names of the columns come
    first.
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
    for start in range(0, table.n, _CHUNK):
        part = table.codes[:, start : start + _CHUNK]
        cells = [text[codes] for text, codes in zip(texts, part, strict=True)]
        lines = "\n".join(map(sep.join, zip(*cells, strict=True)))
        file.write(encode(lines + "\n"))
