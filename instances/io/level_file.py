"""Read a hierarchy from a text file: a line for each value, and the nodes above it."""

import io
import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple

from starmin.instances.errors import TableError
from starmin.instances.io.layout import (
    NAMES,
    bytes_of,
    encoding_of,
    strict_rows,
    undeclared,
)

# The cells of the lines of a hierarchy's file, whatever separates them.

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
    content = bytes_of(path)
    text = content.decode(encoding_of(content), errors="replace").removeprefix("\ufeff")
    text, declared = undeclared(text)
    above, first = 0 if declared is None else 1, None
    for sep in declared or _ORDER:
        try:
            return _split(path, text, sep, above)
        except TableError as error:
            first = first or error
    assert first is not None
    raise first


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
    stream = io.StringIO(text, newline="")
    rows = strict_rows(path, stream, sep, above, len(text), blanks)
    return [Line(number, cells) for number, cells in rows if cells]


def _ended(line: Line) -> Line:
    """Leave out empty cells at the end of a line; of a blank line all."""
    cells = [*line.cells]
    while cells and not cells[-1].strip():
        cells.pop()
    return line._replace(cells=cells)


def _joined(cells: Sequence[str]) -> list[str]:
    """Join the parts of ranges that a comma in them has separated.

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


_WORDS = re.compile(
    r"(?i)(.*\b)?(level|lvl|value|leaf|node|root|parent|hierarchy|generali[sz]ation)"
    r"s?[\s_.-]*\d*|(.*_)(level|lvl)\d*"
)
_ROOTS = re.compile(r"(?i)\*+|any|all|total|everything|everyone")
ROOT = "*"  # above several roots


# Paths of a tree, leaf first and root last; the line of each; and what was guessed.
LevelFile = tuple[list[tuple[str, ...]], list[int], tuple[str, ...]]


def read_levels(path: Path) -> LevelFile:
    """Return the paths of a file of lines ``leaf;node;..;root``.

    Cells are separated by semicolons, tabs, commas or bars, quoted or not. Separators
    at the end of lines, blank lines, and lines that say the same again, are left out;
    so is a header, and a column of row names below one, with a line that says so. A
    line may have fewer nodes than others: an empty cell is no node, and what stands
    above its last node is what other lines say. Where several nodes have nothing above
    them, a root ``*`` is added. If the first column has the root, and the last one the
    values, lines are read from their end.

    Raises TableError, which names the line, where there is no such file, a quote is
    broken, a line is without a node, or there are no lines.
    """
    lines = lines_of(path)
    if not lines:
        raise TableError(f"{path}: expected lines of a value and the nodes above it")
    told: list[str] = []
    if header := header_told(lines):
        told.append(f"{path}: {header}")
        lines = without_row_names(lines[0], lines[1:])
    lines = [_filled(line) for line in lines]
    if _is_turned(lines):
        told.append(f"{path}: the root stands first; lines are read from their end")
        lines = [line._replace(cells=line.cells[::-1]) for line in lines]
    paths = _rooted([tuple(line.cells) for line in lines])
    if (added := len({path[-1] for path in paths})) > 1:
        paths = [path if path[-1] == ROOT else (*path, ROOT) for path in paths]
        told.append(f"{path}: {added} nodes have none above them; {ROOT!r} is the root")
    first: dict[tuple[str, ...], tuple[tuple[str, ...], int]] = {}
    for found, line in zip(paths, lines, strict=True):
        apart = tuple(node for node, _ in groupby(found))
        first.setdefault(apart, (found, line.number))
    return [p for p, _ in first.values()], [n for _, n in first.values()], tuple(told)


def _filled(line: Line) -> Line:
    """Put the node below in place of cells that are empty, as in uneven trees."""
    cells: list[str] = []
    for cell in line.cells:
        cells.append(cell or (cells[-1] if cells else cell))
    return line._replace(cells=cells)


def _is_turned(lines: Sequence[Line]) -> bool:
    """Check whether the first column has the root, and the last one the values."""
    first = {line.cells[0] for line in lines}
    last = [line.cells[-1] for line in lines]
    apart = {tuple(line.cells) for line in lines}
    return len(first) == 1 < len({*last}) == len(apart)


def _rooted(paths: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Add to paths that end below the root what other ones have above their end."""
    above: dict[str, str] = {}
    for path in paths:
        for node, higher in pairwise(path):
            if node != higher:
                above.setdefault(node, higher)
    found = []
    for path in paths:
        nodes = [*path]
        while (parent := above.get(nodes[-1])) is not None and parent not in nodes:
            nodes.append(parent)
        found.append(tuple(nodes))
    roots = {path[-1] for path in found if len(path) > 1}
    if len(roots) == 1:  # where nothing stands above a value, it is below the root
        found = [path if len(path) > 1 else (*path, *roots) for path in found]
    return found


def header_told(lines: Sequence[Line]) -> str | None:
    """Return what is to be said if the first line is a header; None: it is none.

    A header says nothing that another line says. Its last cell is not the root that
    all other lines end in; where they have several roots, or what they end in may be
    none, a cell must be named as columns are, such as ``level1`` or ``value``.

    >>> lines = [Line(1, ["job", "sector", "all"]), Line(2, ["nurse", "health", "*"])]
    >>> header_told([*lines, Line(3, ["clerk", "office", "*"])])
    "the first line is taken for a header and left out: 'job', 'sector', 'all'"
    >>> header_told(lines[1:]) is None
    True
    """
    if len(lines) < 2:
        return None
    first, others = lines[0].cells, lines[1:]
    roots = {line.cells[-1] for line in others if len(line.cells) > 1}
    if first == [*map(str, range(len(first)))] and len(first) > 2:  # as of a frame
        named = first[-1] not in roots
    else:
        seen = {cell for line in others for cell in line.cells}
        if seen & {*filter(None, first)}:
            return None
        named = any(map(_WORDS.fullmatch, first)) or not first[0]
    # What lines end in is named as a root, or stands above nodes.
    is_root = _ROOTS.fullmatch(others[0].cells[-1]) or any(
        len(line.cells) > 2 for line in others
    )
    if not named and (len(roots) > 1 or len(others) < 2 or not is_root):
        return None
    cells = ", ".join(map(repr, first))
    return f"the first line is taken for a header and left out: {cells}"


def without_row_names(header: Line, lines: Sequence[Line]) -> list[Line]:
    """Leave out a first column of numbers of rows, as R and pandas write it.

    It is one if it counts from 0 or 1, and the first name of the header is empty or
    there is a name less than columns; else ``lines``, those below the header, stay as
    they are.

    >>> rows = [Line(2, ["0", "cat", "pet"]), Line(3, ["1", "dog", "pet"])]
    >>> without_row_names(Line(1, ["", "value", "level"]), rows)
    [Line(number=2, cells=['cat', 'pet']), Line(number=3, cells=['dog', 'pet'])]
    """
    short = len(header.cells) < max(len(line.cells) for line in lines)
    firsts = [line.cells[0] for line in lines]
    counted = any(
        firsts == [*map(str, range(begin, begin + len(lines)))] for begin in (0, 1)
    )
    if not counted or (header.cells[0] and not short):
        return [*lines]
    return [line._replace(cells=line.cells[1:]) for line in lines]
