"""Releases of a table that lie beside a new one, their rows in the same order."""

import csv
import gzip
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from starmin.inputs.roles import Roles
from starmin.instances import Table
from starmin.instances.io.form import is_text, usual_separator
from starmin.instances.releases.permutation import GROUP

_ROWS = 200  # that are compared
_FILES = 50  # that are looked at, the newest ones
_LEAST = 12  # equal cells


def earlier_releases(
    out: Path, original: Table, published: Table, roles: Roles
) -> list[Path]:
    """Find text files in the folder of a release that release the same rows in order.

    Such a file has the header of the new release. In its first rows all cells but those
    of quasi-identifiers are the original's, and each cell of a quasi-identifier is the
    original's or none of the values of its column: a star, a range, a node. Some cell
    is, so that copies of the original are not taken for releases; or the file has the
    numbers of groups, of a permutation.

    Parameters
    ----------
    out
        The release that was written, rows in the order of the original.
    original, published
        The table, and what was published of it.
    roles
        With the separator and the encoding.

    Returns
    -------
    list of Path
        The newest first.

    Notes
    -----
    At most 200 rows of at most 50 files are read.
    """
    if not (is_text(out) and out.is_file()):
        return []
    found = [
        path
        for path in out.parent.iterdir()
        if is_text(path) and path.is_file() and not path.samefile(out)
    ]
    found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    first = np.arange(min(_ROWS, original.n))
    told = original if published.names == original.names else published
    rows = Rows(told, told.take(first).rows(), original.qi)
    return [path for path in found[:_FILES] if rows.released_in(_head(path, roles))]


def _head(path: Path, roles: Roles) -> list[list[str]]:
    """Return the header and the first rows; nothing where it cannot be read so."""
    opened = gzip.open if path.suffix == ".gz" else open
    sep = usual_separator(path) if roles.sep is None else roles.sep
    encoding = roles.encoding or "utf-8"
    try:
        with opened(path, "rt", encoding=encoding, newline="") as file:
            return list(islice(csv.reader(file, delimiter=sep), _ROWS + 2))
    except (OSError, EOFError, UnicodeError, csv.Error):
        return []


@dataclass(frozen=True)
class Rows:
    """The first rows of a table, with what may stand in a release of them.

    Attributes
    ----------
    table
        The table.
    first
        Its first rows.
    qi
        The columns that may be hidden.
    """

    table: Table
    first: Sequence[tuple[str | None, ...]]
    qi: Collection[str]

    def released_in(self, head: list[list[str]]) -> bool:
        """Check whether the head of a file is that of a release of these rows."""
        names, n = self.table.names, len(self.first)
        if not head or head[0] != list(names) or len(head) <= n:
            return False
        if self.table.n == n < len(head) - 1:
            return False
        values = {column: set(self.table.dictionary(column)) for column in self.qi}
        equal, hidden = 0, GROUP in names and GROUP not in self.qi
        for line, row in zip(head[1:], self.first, strict=False):
            if len(line) != len(row):
                return False
            for column, text, cell in zip(names, line, row, strict=True):
                if text == (cell or ""):
                    equal += 1
                elif column in values and text not in values[column]:
                    hidden = True
                elif column in values or column != GROUP:
                    return False
        return hidden and equal >= _LEAST
