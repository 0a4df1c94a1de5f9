"""Text files: cells separated by a character."""

import codecs
import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from starmin.instances.errors import TableError
from starmin.instances.io.beside import Beside
from starmin.instances.io.file_formats.parse_csv import parse_csv
from starmin.instances.io.format import Asked, Check, Format, Raw
from starmin.instances.io.layout import (
    SEPARATORS,
    TABBED,
    check_encoding,
    check_separator,
    read_text,
    usual_separator,
)
from starmin.instances.tables.table import Table

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
        sep = usual_separator(path) if asked.sep is None else asked.sep
        encoding = asked.encoding or "utf-8"
        check_separator(path, sep)
        check_encoding(path, encoding)
        encode = codecs.getincrementalencoder(encoding)().encode  # one mark at most
        with encoding_told(path, encoding):
            if path.suffix != ".gz":
                write_csv(table, file, sep, encode)
                return
            with gzip.GzipFile("", "wb", 6, fileobj=file, mtime=0) as packed:
                write_csv(table, cast(IO[bytes], packed), sep, encode)


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
    for lines in _chunks(table, texts, sep):
        file.write(encode(lines))


def _chunks(table: Table, texts: list[Any], sep: str) -> Iterator[str]:
    for start in range(0, table.n, _CHUNK):
        part = table.codes[:, start : start + _CHUNK]
        cells = [text[codes] for text, codes in zip(texts, part, strict=True)]
        yield "\n".join(map(sep.join, zip(*cells, strict=True))) + "\n"
