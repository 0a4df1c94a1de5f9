"""The beginning of a text file that is read in batches."""

import codecs
import csv
import io
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv

from starmin.instances.errors import TableError
from starmin.instances.io.file_formats.parse_csv import (
    LAST,
    ended_line,
    ends_with_separator,
    layout_lines,
)
from starmin.instances.io.form import SAMPLE, check_separator, usual_separator
from starmin.instances.io.layout import recognise
from starmin.instances.tables.column_names import named

_BLOCK = 1 << 25  # bytes of a batch of text
_CODED = pa.dictionary(pa.int32(), pa.string())


class Head(NamedTuple):
    """The names of the columns, and where the rows begin."""

    names: tuple[str, ...]  # of the columns
    sep: str  # what separates cells
    skip: int  # lines above the names
    told: tuple[str, ...]  # lines that say what was guessed
    # whether all rows end with a separator, behind which nothing stands
    ended: bool = False

    @property
    def cells(self) -> tuple[str, ...]:
        """Names for all cells of a row, also for an empty one at its end."""
        return (*self.names, LAST) if self.ended else self.names

    @classmethod
    def of(cls, file: Path, sep: str | None, encoding: str) -> "Head":
        """Read the beginning of a file.

        ``sep`` is what separates cells; if it is None, it is recognised. Raises
        TableError where the file is empty, or its names are none.
        """
        if sep is not None:
            check_separator(file, sep)
        now = file.stat()
        return _read(file, sep, encoding, now.st_size, now.st_mtime_ns)


@lru_cache(maxsize=1024)
def _read(file: Path, sep: str | None, encoding: str, size: int, at: int) -> Head:
    """Read the beginning of a file that is so large, and was written at this time."""
    with file.open("rb") as opened:
        content = opened.read(SAMPLE)
    # What is cut in the midst of a character is left out.
    text = codecs.getincrementaldecoder(encoding)().decode(content)
    text = text.removeprefix("\ufeff")
    cut = len(content) == SAMPLE
    layout = recognise(file, text, sep, usual_separator(file), cut)
    lines = io.StringIO(text, newline="")
    for _ in range(layout.skip):
        lines.readline()
    names = next(csv.reader(lines, delimiter=layout.sep), [])
    if not names:
        raise TableError(f"{file}: an empty file; expected a header and rows")
    # As a whole file: what the names lack decides the column behind the last of them.
    told = layout_lines(file, layout)
    found, ended = ["", *names] if layout.short else names, False
    if layout.short or ends_with_separator(names):
        kept = names if layout.short else names[:-1]
        head = Head((*kept,), layout.sep, layout.skip, (), ended=True)
        if ended := _is_ended(file, head, encoding):
            found, told = kept, (*told, ended_line(file))
    found, told_of_names = named(file, found)
    return Head((*found,), layout.sep, layout.skip, told + told_of_names, ended)


def _is_ended(file: Path, head: Head, encoding: str) -> bool:
    """Check whether the last cell of each row is empty, in one pass over the file."""
    try:
        with file.open("rb") as opened:
            return all(
                not any(batch.column(0).dictionary.to_pylist())
                for batch in open_text(opened, head, encoding, (LAST,))
            )
    except pa.ArrowInvalid:  # rows of several lengths, which are refused when read
        return False


def open_text(opened: Any, head: Head, encoding: str, columns: tuple[str, ...]) -> Any:
    """Return a reader of batches of some columns of a file that is open.

    The file is at its beginning, and its lines begin with what ``head`` tells. The
    columns of a batch stand in the order of ``columns``.
    """
    return pa.csv.open_csv(
        opened,
        read_options=pa.csv.ReadOptions(
            block_size=_BLOCK,
            encoding=encoding,
            column_names=head.cells,
            skip_rows=head.skip,
            skip_rows_after_names=1,
        ),
        parse_options=pa.csv.ParseOptions(
            delimiter=head.sep,
            newlines_in_values=True,
            ignore_empty_lines=len(head.cells) > 1,
        ),
        convert_options=pa.csv.ConvertOptions(
            column_types=dict.fromkeys(head.cells, _CODED),
            null_values=[],
            strings_can_be_null=False,
            include_columns=list(columns),
        ),
    )
