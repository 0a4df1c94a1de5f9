"""Releases of a table that lie beside a new one, their rows in the same order."""

import csv
import gzip
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa

from starmin.inputs.roles import Roles
from starmin.instances import Table, TableError
from starmin.instances.io.at_once import format_of
from starmin.instances.io.format import Asked
from starmin.instances.io.layout import is_text, usual_separator
from starmin.instances.io.read import from_arrow
from starmin.instances.releases.release import GROUP
from starmin.instances.streams.source import Source

_ROWS = 200  # that are compared
_FILES = 50  # that are looked at, the newest ones
_LEAST = 12  # equal cells
_BYTES = 1 << 25  # of a file that can only be read as a whole

Line = Sequence[str | None]


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a table, with what may stand in a release of them."""

    names: tuple[str, ...]  # of the columns of a release
    rows: Sequence[Line]  # their cells in the table, at most 200 rows
    # all values of each column that may be hidden
    values: Mapping[str, AbstractSet[str | None]]
    whole: bool  # whether the table has no further rows
    # columns with floors: their cells differ from the original's in any case
    floored: AbstractSet[str] = frozenset()

    @classmethod
    def of_table(cls, original: Table, published: Table) -> "FirstRows":
        """Take the rows of a table that is held in memory.

        ``published`` is what was published of it.
        """
        told = original if published.names == original.names else published
        first = told.take(np.arange(min(_ROWS, original.n)))
        values = {c: {*told.dictionary(c)} for c in original.qi}
        whole = told.n <= _ROWS
        return cls(told.names, first.rows(), values, whole, {*original.floors})

    @classmethod
    def of_source(cls, files: Source, counted: Table, roles: Roles) -> "FirstRows":
        """Read the rows of a table that is read in batches.

        ``counted`` are its quasi-identifiers, counted; ``roles`` have the columns that
        are left out.
        """
        names = tuple(name for name in files.names if name not in roles.drop)
        batch = next(iter(files.batches(names)), None)
        rows = [] if batch is None else _lines(pa.table(batch), files.path, _ROWS)[1:]
        values = {c: {*counted.dictionary(c)} for c in counted.qi}
        return cls(names, rows, values, whole=False)

    def released_in(self, head: Sequence[Line]) -> bool:
        """Check whether the head of a file is that of a release of these rows."""
        names, n = self.names, len(self.rows)
        if not head or tuple(head[0]) != names or len(head) <= n:
            return False
        if self.whole and len(head) - 1 > n:
            return False
        equal, hidden = 0, GROUP in names and GROUP not in self.values
        for line, row in zip(head[1:], self.rows, strict=False):
            if len(line) != len(row):
                return False
            for column, text, cell in zip(names, line, row, strict=True):
                if column in self.floored:
                    continue
                if (text or "") == (cell or ""):
                    equal += 1
                elif column in self.values and text not in self.values[column]:
                    hidden = True
                elif column in self.values or column != GROUP:
                    return False
        return hidden and equal >= _LEAST


def earlier_releases(
    out: Path, first_rows: Callable[[], FirstRows], roles: Roles
) -> list[Path]:
    """Find files in the folder of a release that release the same rows in order.

    Such a file, of any kind that can be read, or the first file of a folder, has the
    header of the new release. In its first rows all cells but those of
    quasi-identifiers are the original's, and each cell of a quasi-identifier is the
    original's or none of the values of its column: a star, a range, a node. Some cell
    is, so that copies of the original are not taken for releases; or the file has the
    numbers of groups, of a permutation.

    Parameters
    ----------
    out
        The release that was written, rows in the order of the original.
    first_rows
        Returns the first rows of the table; called where there are files to look at.
    roles
        With the separator and the encoding.

    Returns
    -------
    list of Path
        The newest first.

    Notes
    -----
    At most 200 rows of at most 50 files are read; spreadsheets above 32 MB are not.
    """
    found = [
        path
        for path in out.parent.iterdir()  # pipes wait for who writes to them
        if path.is_dir() or (path.is_file() and format_of(path) is not None)
        if not path.samefile(out)
    ]
    if not found:
        return []
    found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    first = first_rows()
    return [path for path in found[:_FILES] if first.released_in(_head(path, roles))]


def _head(path: Path, roles: Roles) -> Sequence[Line]:
    """Return the header and the first rows; nothing where it cannot be read so."""
    try:
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if format_of(p) is not None)
            return _head(inside[0], roles) if inside and inside[0].is_file() else []
        if is_text(path):
            return _first_lines(path, roles)
        kind = format_of(path)
        if kind is None or (not kind.begins and path.stat().st_size > _BYTES):
            return []
        return _lines(kind.first(path, Asked(), _ROWS + 1).columns, path, _ROWS + 1)
    except (OSError, EOFError, UnicodeError, csv.Error, TableError):
        return []


def _first_lines(path: Path, roles: Roles) -> Sequence[Line]:
    opened = gzip.open if path.suffix == ".gz" else open
    sep = usual_separator(path) if roles.sep is None else roles.sep
    encoding = roles.encoding or "utf-8"
    with opened(path, "rt", encoding=encoding, newline="") as file:
        return list(islice(csv.reader(file, delimiter=sep), _ROWS + 2))


def _lines(columns: pa.Table, path: Path, rows: int) -> Sequence[Line]:
    """Return the names and the first rows of an Arrow table, as text."""
    table = from_arrow(columns.slice(0, rows), None, (), (), str(path))
    return [table.names, *table.rows()]
