"""Files of spreadsheets and of statistics programs: read as text, written in kind."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import pyarrow as pa

from instances.errors import TableError
from instances.io.frames import arrow_of
from instances.io.labels import LABELLED, Labels
from instances.tables.table import Table

SHEET = ".xlsx"
STATISTICS = (".sav", ".dta", ".sas7bdat")
READ = (SHEET, *STATISTICS)
WRITTEN = (SHEET, ".sav", ".dta")
_EXACT = 2**53  # whole numbers below it are exact in floating point


def read_format(path: Path) -> Any:
    """Return an Arrow table of what a file holds.

    Of a spreadsheet the first sheet, its first row the names; cells as text (42, 1.5,
    2024-05-31, true), empty ones missing. Of .sav, .dta and .sas7bdat the codes;
    ``read_labels`` has their labels.

    Raises
    ------
    TableError
        A reader is not installed, or the file cannot be read.
    """
    if path.suffix == SHEET:
        with _told(path):
            book = _library("python_calamine", path).CalamineWorkbook.from_path(path)
            rows = book.get_sheet_by_index(0).to_python(skip_empty_area=False)
        return _of_rows(path, rows)
    reader = _library("pyreadstat", path)
    _library("polars", path)
    with _told(path):
        frame, _ = getattr(reader, f"read_{path.suffix[1:]}")(
            path, output_format="polars"
        )
    return arrow_of(frame, str(path))


def read_labels(path: Path | str) -> Labels | None:
    """Return the labels of columns and values in a file of SPSS or Stata.

    Returns
    -------
    Labels or None
        None where files of this kind have none.

    Raises
    ------
    TableError
        The reader is not installed, or the file cannot be read.
    """
    path = Path(path)
    if path.suffix not in LABELLED:
        return None
    reader = _library("pyreadstat", path)
    with _told(path):
        read = getattr(reader, f"read_{path.suffix[1:]}")
        _, found = read(path, metadataonly=True)
    return Labels(
        {c: label for c, label in found.column_names_to_labels.items() if label},
        {
            column: {_text(value) or "": label for value, label in known.items()}
            for column, known in found.variable_value_labels.items()
        },
        {c: kind for c, kind in found.variable_measure.items() if kind != "unknown"},
        found.file_label or "",
    )


def write_format(
    table: Table, file: IO[bytes], path: Path, labels: Labels | None = None
) -> None:
    """Write a table to a file of the kind that ``path`` ends in.

    A cell of a spreadsheet that is written like a number, a date or a truth value is
    one; of .sav and .dta a column, where all of its cells are. These take the labels
    of columns and values, too.

    Raises
    ------
    TableError
        A writer is not installed, or cannot write the table.
    """
    if path.suffix == SHEET:
        _write_sheet(table, file, path)
        return
    writer, polars = _library("pyreadstat", path), _library("polars", path)
    frame = polars.DataFrame([_column(table, name, polars) for name in table.names])
    numbers = [name for name in table.names if frame.schema[name].is_numeric()]
    given = (labels or Labels()).options(table.names, numbers, path.suffix == ".sav")
    with _told(path), TemporaryDirectory() as folder:
        scratch = Path(folder, f"table{path.suffix}")  # it writes to a path alone
        write = getattr(writer, f"write_{path.suffix[1:]}")
        write(frame, scratch, **given)
        file.write(scratch.read_bytes())


def _write_sheet(table: Table, file: IO[bytes], path: Path) -> None:
    library = _library("openpyxl", path)
    cell_of = import_module("openpyxl.cell").WriteOnlyCell
    book = library.Workbook(write_only=True)
    sheet = book.create_sheet()

    def plain(value: Any) -> Any:
        if not isinstance(value, str) or not value.startswith("="):
            return value
        cell = cell_of(sheet, value)
        cell.data_type = "s"  # a text, which is not to be computed
        return cell

    values = [
        [plain(_typed(text)) for text in dictionary]
        for dictionary in table.dictionaries
    ]
    with _told(path):
        sheet.append([plain(name) for name in table.names])
        for codes in table.codes.T.tolist():
            sheet.append([v[code] for v, code in zip(values, codes, strict=True)])
        book.save(file)


def _column(table: Table, name: str, polars: Any) -> Any:
    """Return a column of one type: numbers, dates, or else text."""
    typed = [_typed(text) for text in table.dictionary(name)]
    codes = table.column(name).tolist()
    used = {type(typed[code]) for code in set(codes)} - {type(None)}
    if used and (used <= {int, float} or used == {date}):
        values = [typed[code] for code in codes]
        if float in used:
            values = [None if v is None else float(v) for v in values]
        return polars.Series(name, values)
    return polars.Series(name, [text or "" for text in table.cells(name)])


def _typed(text: str | None) -> Any:
    """Return what a text is written like, if it is read back as the same text."""
    if text is None or text in ("true", "false"):
        return None if text is None else text == "true"
    kinds: tuple[Callable[[str], Any], ...] = (int, float, date.fromisoformat)
    for kind in kinds:
        try:
            value = kind(text)
        except ValueError:
            continue
        if _text(value) == text and _fits(value):
            return value
    return text


def _fits(value: Any) -> bool:
    """Check whether a spreadsheet holds a number or a date exactly."""
    if isinstance(value, date):
        return value.year > 1900
    return math.isfinite(value) and (isinstance(value, float) or abs(value) < _EXACT)


def _text(value: Any) -> str | None:
    """Return the text of a cell of a spreadsheet; None for an empty one."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, datetime) and (value.hour, value.minute) == (0, 0):
        return str(value.date()) if not value.second else str(value)
    return str(value)


def _of_rows(path: Path, rows: list[list[Any]]) -> Any:
    """Return a table of text of rows, the first of them the names."""
    while rows and not any(_text(cell) for cell in rows[-1]):
        rows.pop()
    if len(rows) < 2:
        raise TableError(f"{path}: no rows; expected a row of names and others")
    names = [_text(cell) or "" for cell in rows[0]]
    for place, name in enumerate(names, start=1):
        if not name:
            raise TableError(f"{path}: column {place} has an empty name; name it")
        if names.count(name) > 1:
            raise TableError(f"{path}: two columns are named {name!r}; rename one")
    cells = zip(*rows[1:], strict=True)
    return pa.table(
        {
            name: pa.array([_text(cell) for cell in column], pa.string())
            for name, column in zip(names, cells, strict=True)
        }
    )


def _library(name: str, path: Path) -> Any:
    """Return a library of the extra, or say what is to be installed."""
    try:
        return import_module(name)
    except ImportError:
        raise TableError(
            f"{path}: files {path.suffix} need further libraries; install them: "
            "pip install 'starmin[formats]'"
        ) from None


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn what a library raises into one line that names the file."""
    try:
        yield
    except Exception as error:
        # The libraries raise errors of many kinds, some of them of compiled code.
        why = " ".join(str(error).split()) or type(error).__name__
        raise TableError(f"{path}: cannot be read or written ({why})") from None
