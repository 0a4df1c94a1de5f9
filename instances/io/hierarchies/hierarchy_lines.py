"""The cells of the lines of a hierarchy's file, whatever separates them."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from starmin.instances.errors import TableError
from starmin.instances.io.form import bytes_of, encoding_of
from starmin.instances.io.layout import NAMES

_DECLARED = re.compile(r'"?sep=(.)"?(\r\n|\r|\n)', re.I)  # as Excel takes it
_ORDER = ";\t|,"  # the first one that fits: labels have commas, seldom semicolons
_OPEN = re.compile(r"\s*[\[(\]]\s*[-+]?[\d.]*\d")  # the first part of a range [15, 20[
_END = re.compile(r"\s*[-+]?(?:[\d.]*\d|inf)\s*[\])\[]", re.I)


class Line(NamedTuple):
    """A line of a file."""

    number: int  # on which it begins, from 1
    cells: list[str]  # without those at its end that are empty


def lines_of(path: Path) -> list[Line]:
    """Return the lines of a file that are not blank, their cells separated.

    Raises TableError where it cannot be read, a quote is broken, or a line has no
    separator.
    """
    text = _text_of(path).removeprefix("\ufeff")
    declared = _DECLARED.match(text)
    above = 0
    if declared:
        text, above = text[declared.end() :], 1
    seps = declared[1] if declared else _ORDER
    first: TableError | None = None
    for sep in seps:
        try:
            return _split(path, text, sep, above)
        except TableError as error:
            first = first or error
    assert first is not None
    raise first


def _text_of(path: Path) -> str:
    content = bytes_of(path)
    return content.decode(encoding_of(content), errors="replace")


def _split(path: Path, text: str, sep: str, above: int) -> list[Line]:
    """Split lines at a separator; raise TableError where one has none."""
    lines = _parsed(path, text, sep, above)
    if any(cell.lstrip(" ")[:1] == '"' for line in lines for cell in line.cells):
        lines = _parsed(path, text, sep, above, blanks=True)  # as 15, "[15, 20[", *
    if sep == ",":
        lines = [line._replace(cells=_joined(line.cells)) for line in lines]
    behind = [cell for line in lines for cell in line.cells[1:] if cell]
    if behind and all(cell[0] == " " for cell in behind):
        lines = [line._replace(cells=[c.strip() for c in line.cells]) for line in lines]
    for line in lines:
        if len(line.cells) < 2 and line.cells[0].strip():
            raise TableError(
                f"{path}: line {line.number}: expected a value and the nodes above it, "
                f"separated by {NAMES.get(sep, repr(sep))}; got {line.cells[0]!r}"
            )
    return [line for line in map(_ended, lines) if line.cells]


def _parsed(
    path: Path, text: str, sep: str, above: int, blanks: bool = False
) -> list[Line]:
    lines, number = [], above + 1
    limit = csv.field_size_limit(len(text) + 1)
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=sep,
        strict=True,
        skipinitialspace=blanks,
    )
    try:
        for cells in reader:
            if cells:
                lines.append(Line(number, cells))
            number = above + reader.line_num + 1
    except csv.Error as error:
        why = str(error).replace("unexpected end of data", "a quote is not closed")
        raise TableError(f"{path}: line {number}: {why}; mend the quotes") from None
    finally:
        csv.field_size_limit(limit)
    return lines


def _ended(line: Line) -> Line:
    """Leave out empty cells at the end of a line; of a blank line all."""
    cells = [*line.cells]
    while cells and not cells[-1].strip():
        cells.pop()
    return line._replace(cells=cells)


def _joined(cells: Sequence[str]) -> list[str]:
    """Join the parts of ranges that a comma in them has separated.

    Examples
    --------
    >>> _joined(["15", "[15", " 20[", "*"])
    ['15', '[15, 20[', '*']
    """
    found: list[str] = []
    for cell in cells:
        if found and _OPEN.fullmatch(found[-1]) and _END.fullmatch(cell):
            found[-1] = f"{found[-1]},{cell}"
        else:
            found.append(cell)
    return found
