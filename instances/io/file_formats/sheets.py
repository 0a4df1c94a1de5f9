"""The sheet of a spreadsheet that is a table, and where its table begins."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Number
from pathlib import Path
from typing import Any

from starmin.instances.arguments import nearest
from starmin.instances.errors import TableError
from starmin.instances.io.frames import text_of
from starmin.instances.tables.column_names import named
from starmin.instances.tables.plural import counted

# How the names of sheets begin that say something of the others.
_ABOUT: tuple[str, ...] = (
    "readme",
    "read me",
    "read_me",
    "about",
    "cover",
    "info",
    "note",
    "legend",
)
_ABOUT += ("codebook", "dictionary", "metadata", "contents", "instruction", "descr")


@dataclass(frozen=True)
class Sheet:
    """The cells of a sheet."""

    name: str
    rows: list[list[Any]]  # of one length; an empty cell is ``""``

    @cached_property
    def _filled(self) -> list[list[int]]:
        """Of each row the places of the cells that are not empty."""
        return [
            [j for j, cell in enumerate(row) if cell is not None and cell != ""]
            for row in self.rows
        ]

    @cached_property
    def head(self) -> int | None:
        """The row of the names; None where no row is below it.

        It is the first one, unless that is a title: a single cell above a row of
        several that has a cell above each cell below.
        """
        rows = [i for i, cells in enumerate(self._filled) if cells]
        if len(rows) < 2:
            return None
        wide = next((i for i in rows if len(self._filled[i]) > 1), rows[0])
        below = {j for i in rows if i > wide for j in self._filled[i]}
        below -= {min(below, default=0)}  # the first column may be without a name
        words = all(isinstance(self.rows[wide][j], str) for j in self._filled[wide])
        if words and below and below <= {*self._filled[wide]}:
            return wide
        return rows[0]

    @cached_property
    def columns(self) -> list[list[Any]]:
        """The columns with a cell in them, each from its name on; no empty rows."""
        assert self.head is not None
        rows = [i for i in range(self.head, len(self.rows)) if self._filled[i]]
        places = sorted({j for i in rows for j in self._filled[i]})
        return [[self.rows[i][j] for i in rows] for j in places]

    @property
    def cells(self) -> int:
        """How many cells are below the names."""
        return sum(len(column) - 1 for column in self.columns)

    @cached_property
    def is_table(self) -> bool:
        """Whether it looks like a table of people.

        It has two rows, each column has a name, and one at least holds numbers alone or
        a value twice.
        """
        if self.head is None or len(self.columns[0]) < 3:
            return False
        names = [text_of(column[0]) for column in self.columns]
        if None in names[1:] or len({*names}) < len(names):
            return False
        columns = (column[1:] for column in self.columns)
        return any(
            all(isinstance(cell, Number) for cell in cells)
            or len({*there}) < len(there)
            for cells in columns
            if (there := [text for cell in cells if (text := text_of(cell))])
        )

    def named(self, path: Path) -> tuple[list[str], list[list[Any]], tuple[str, ...]]:
        """Return the names, the cells below them, and lines on what was left out.

        Raises TableError where there are no rows, or a name is empty, or two are equal.
        """
        if self.head is None:
            raise TableError(f"{path}: no rows; expected a row of names and others")
        texts = [text_of(column[0]) or "" for column in self.columns]
        names, lines = named(path, texts)
        titles = sum(1 for cells in self._filled[: self.head] if cells)
        if titles:
            lines += (f"{path}: {counted(titles, 'line')} above the names left out",)
        last = max(i for i, cells in enumerate(self._filled) if cells)
        empty = sum(not cells for cells in self._filled[self.head : last])
        if empty:
            lines += (f"{path}: {counted(empty, 'empty row')} left out",)
        return names, [column[1:] for column in self.columns], lines


def choose_sheet(
    path: Path, sheets: Sequence[Sheet], asked: str | None
) -> tuple[Sheet, tuple[str, ...]]:
    """Return the sheet that is to be read, and a line where it was chosen.

    ``asked`` is a name, or a number from 1; if it is None, the sheet is the first one
    that looks like a table, is not called like a cover, and has half as many cells as
    the largest such. Raises TableError where there is no such sheet, or no sheet has
    rows.
    """
    names = [sheet.name for sheet in sheets]
    if asked is not None:
        if asked in names:
            return sheets[names.index(asked)], ()
        if asked.isdecimal() and 0 < int(asked) <= len(sheets):
            return sheets[int(asked) - 1], ()
        raise TableError(
            f"{path}: no sheet {asked!r}{nearest(asked, names)}; its sheets: "
            f"{', '.join(names)}"
        )
    filled = [sheet for sheet in sheets if sheet.head is not None]
    if not filled:
        raise TableError(f"{path}: no rows; expected a row of names and others")
    tables = [sheet for sheet in filled if sheet.is_table] or filled
    told = [s for s in tables if not s.name.lower().startswith(_ABOUT)] or tables
    largest = max(sheet.cells for sheet in told)
    chosen = next(sheet for sheet in told if 2 * sheet.cells >= largest)
    if len(filled) == 1:
        return chosen, ()
    line = (
        f"{path}: sheet {chosen.name!r} is read, of {', '.join(names)}; --sheet names "
        "another one"
    )
    return chosen, (line,)
