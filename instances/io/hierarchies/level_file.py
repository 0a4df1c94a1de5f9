"""Read a hierarchy from a text file: a line for each value, and the nodes above it."""

from collections.abc import Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple

from starmin.instances.errors import TableError
from starmin.instances.io.hierarchies.header import header_told, without_row_names
from starmin.instances.io.hierarchies.hierarchy_lines import Line, lines_of

ROOT = "*"  # above several roots


class LevelFile(NamedTuple):
    """The paths of a tree, leaf first, as a file has them.

    Attributes
    ----------
    paths
        For each leaf its name and those of the nodes above it, the root last.
    lines
        The line of each.
    told
        Lines that say what was guessed.
    """

    paths: list[tuple[str, ...]]
    lines: list[int]
    told: tuple[str, ...]


def read_levels(path: Path) -> LevelFile:
    """Return the paths of a file of lines ``leaf;node;..;root``.

    Cells are separated by semicolons, tabs, commas or bars, quoted or not. Separators
    at the end of lines, blank lines, and lines that say the same again, are left out;
    so is a header, and a column of row names below one, with a line that says so. A
    line may have fewer nodes than others: an empty cell is no node, and what stands
    above its last node is what other lines say. Where several nodes have nothing above
    them, a root ``*`` is added. If the first column has the root, and the last one the
    values, lines are read from their end.

    Raises
    ------
    TableError
        No such file, a broken quote, or a line without a node; names the line.
    """
    lines = lines_of(path)
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
    paths, numbers = [p for p, _ in first.values()], [n for _, n in first.values()]
    return LevelFile(paths, numbers, tuple(told))


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


def expect_levels(path: Path) -> LevelFile:
    """Return what ``read_levels`` does; an empty file is no tree.

    Raises
    ------
    TableError
        As there, or no lines.
    """
    found = read_levels(path)
    if not found.paths:
        raise TableError(f"{path}: expected lines of a value and the nodes above it")
    return found
