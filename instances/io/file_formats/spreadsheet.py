"""Spreadsheets: cells are read as text and written in kind."""

import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import cached_property
from importlib import import_module
from numbers import Number
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from starmin.instances.arguments import nearest
from starmin.instances.errors import TableError
from starmin.instances.io.beside import Beside, Typed
from starmin.instances.io.format import Asked, Check, Format, Raw, library, told
from starmin.instances.io.frames import fits, guess, has_clock, text_of
from starmin.instances.tables.names import counted, named
from starmin.instances.tables.table import Table

# The sheet of a spreadsheet that is a table, and where its table begins.

# How the names of sheets begin that say something of the others.
_ABOUT = (
    *("readme", "read me", "read_me", "about", "cover", "info", "note", "legend"),
    *("codebook", "dictionary", "metadata", "contents", "instruction", "descr"),
)


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


_LONGEST = 32_767  # characters of a cell, as UTF-16 counts them
# What XML has no place for, or changes, and what would be read as if it were such.
_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)|[\0-\x08\x0b\x0c\x0e-\x1f\r]")
_ERROR = re.compile(rb"""\bt=['"]e['"]""")


# Bytes that a file may have unpacked, and how many times its own above the second.
_MOST_UNPACKED, _PLAIN, _RATIO = 4 << 30, 1 << 28, 200


def _expect_no_bomb(path: Path) -> None:
    """Raise TableError for a file that is small, and huge as a table."""
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        size = sum(each.file_size for each in archive.infolist())
    packed = path.stat().st_size
    if size > _MOST_UNPACKED or (size > _PLAIN and size > _RATIO * packed):
        raise TableError(
            f"{path}: would be {size / 1e9:,.1f} GB unpacked, which is not tried; save "
            "it as CSV if it is really so large"
        )


class SheetFormat(Format):
    """Files of Excel: one sheet, its first row the names; empty cells are missing."""

    endings = (".xlsx",)
    writers = ("openpyxl",)
    most_rows = 1_048_575
    most_columns = 16_384

    def read(self, path: Path, asked: Asked) -> Raw:
        """Read the cells of one sheet as text (42, 1.5, 2024-05-31, true)."""
        _expect_no_bomb(path)
        with told(path):
            calamine = library("python_calamine", path)
            book = calamine.CalamineWorkbook.from_path(path)
            sheets = [
                Sheet(s.name, book.get_sheet_by_name(s.name).to_python(False))
                for s in book.sheets_metadata
                if s.typ == calamine.SheetTypeEnum.WorkSheet
            ]
            if _has_errors(path):
                _put_errors(path, sheets)
        sheet, chosen = choose_sheet(path, sheets, asked.sheet)
        names, columns, lines = sheet.named(path)
        typed, arrays = {}, {}
        for name, cells in zip(names, columns, strict=True):
            texts = _texts(cells)
            typed[name] = _typed(cells, texts)
            arrays[name] = pa.array(texts, pa.string())
        return Raw(pa.table(arrays), beside=Beside(typed=typed), told=chosen + lines)

    def text_check(self, asked: Asked) -> Check | None:
        """Look at the lengths of cells: Excel cuts them, or takes no such file."""
        return _too_long

    def write(
        self, table: Table, beside: Beside, file: IO[bytes], path: Path, asked: Asked
    ) -> None:
        """Write each cell as what it was; what is new, as what it is written like."""
        openpyxl = library("openpyxl", path)
        cell_of = import_module("openpyxl.cell").WriteOnlyCell
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet()

        def cell(value: Any) -> Any:
            """Return a value, or a new cell: the library changes what it wrote."""
            if isinstance(value, float) and float(f"{value:.16g}") != value:
                made = cell_of(sheet, 0)
                made._value = repr(value)  # the library rounds to 16 digits
                return made
            if not isinstance(value, str):
                return value
            if not isinstance(value, _Error):
                value = _escaped(value)
            if value[:1] not in ("=", "#"):
                return value
            made = cell_of(sheet, str(value))
            # A text, which is not to be computed; or an error, which stays one.
            made.data_type = "e" if isinstance(value, _Error) else "s"
            return made

        values = [
            _cells(texts, beside.typed.get(name))
            for name, texts in zip(table.names, table.dictionaries, strict=True)
        ]
        with told(path):
            sheet.append([cell(name) for name in table.names])
            for codes in table.codes.T.tolist():
                row = [v[code] for v, code in zip(values, codes, strict=True)]
                sheet.append([*map(cell, row)])
            book.save(file)


class _Error(str):
    """What a cell shows that could not be computed, as ``#N/A``."""

    __slots__ = ()


def _too_long(text: str) -> str | None:
    escaped = _escaped(text)
    many = max(len(escaped), len(text.encode("utf-16-le")) // 2)
    if many <= _LONGEST:
        return None
    return f"a text of {many:,} characters, and a cell holds {_LONGEST:,}"


def _escaped(text: str) -> str:
    """Return a text as files of Excel write what XML does not keep.

    >>> _escaped("a\\r\\nb"), _escaped("_x0041_"), _escaped(" ")
    ('a_x000D_\\nb', '_x005F_x0041_', '_x0020_')
    """
    if text and not text.strip(" \t\r\n"):  # else the cell would be empty
        return f"_x{ord(text[0]):04X}_{text[1:]}"
    return _ESCAPED.sub(lambda sign: f"_x{ord(sign[0]):04X}_", text)


def _cells(texts: tuple[str | None, ...], typed: Typed | None) -> list[Any]:
    """Return the cells that stand for texts."""
    if typed is None:
        return [guess(text) for text in texts]
    return [
        value
        if text in (text_of(value), text_of(value, clock=True)) and _is_cell(value)
        else text
        for text, value in zip(texts, typed.cells(), strict=True)
    ]


def _texts(cells: list[Any]) -> list[str | None]:
    """Return the texts of a column, each made once for equal cells of one class."""
    clock = has_clock(cells)
    made = {(cell.__class__, cell): None for cell in cells}
    known = {each: text_of(each[1], clock) for each in made}
    return [known[cell.__class__, cell] for cell in cells]


def _is_cell(value: Any) -> bool:
    """Check whether a spreadsheet has cells of this kind, and holds it exactly."""
    if getattr(value, "tzinfo", None) is not None:
        return False
    if value is None or isinstance(value, str | time | timedelta):
        return True
    return isinstance(value, int | float | date) and fits(value)


def _typed(cells: list[Any], texts: list[str | None]) -> Typed:
    """Return what the texts of a column are in the sheet; the first of each counts."""
    first: dict[str | None, Any] = {}
    for cell, text in zip(cells, texts, strict=True):
        first.setdefault(text, None if cell == "" else cell)
    return Typed(tuple(first), list(first.values()))


def _has_errors(path: Path) -> bool:
    """Check whether a sheet has cells that show an error, which are read as empty."""
    with zipfile.ZipFile(path) as book:
        sheets = (n for n in book.namelist() if n.startswith("xl/worksheets/"))
        return any(_ERROR.search(book.read(name)) for name in sheets)


def _put_errors(path: Path, sheets: list[Sheet]) -> None:
    """Put the errors where they stand."""
    openpyxl = library("openpyxl", path)
    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    for sheet in sheets:
        for row in book[sheet.name].iter_rows():
            for cell in row:
                if cell.data_type == "e":
                    sheet.rows[cell.row - 1][cell.column - 1] = _Error(cell.value)
    book.close()
