"""Read a table from a file of any kind or a frame; cells stay as they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from starmin.instances.arguments import expect_kind, expect_names
from starmin.instances.arrays import Int32s
from starmin.instances.errors import TableError
from starmin.instances.io import at_once, frames
from starmin.instances.io.atomic import expect_file
from starmin.instances.io.beside import Beside, Labels, typed_columns
from starmin.instances.io.file_formats.statistics import StatisticsFormat
from starmin.instances.io.format import Asked
from starmin.instances.io.layout import Form
from starmin.instances.tables.dictionaries import Dictionaries, LateTexts, Texts
from starmin.instances.tables.names import expect_columns
from starmin.instances.tables.table import Table

# Texts of typed values, as a table of them has them.


def as_texts(values: Iterable[Any], name: str = "values") -> list[str | None]:
    """Return the distinct values of a column as text, as its table writes them.

    Texts stay as they are; else it is a column of a frame, an array, numbers or dates,
    which errors call ``name``. Raises TableError where the values are not of one type
    that has a text form.

    >>> from datetime import date
    >>> as_texts([date(2024, 5, 31), None, date(2024, 5, 31)]), as_texts([2.5, 1e10])
    (['2024-05-31', None], ['2.5', '10000000000'])
    """
    try:
        if frames.is_pandas(values):
            frame: Any = values
            column = frames.arrow_of(frame.to_frame(name="values"), name).column(
                "values"
            )
        elif hasattr(values, "to_arrow"):
            column = values.to_arrow()
        elif isinstance(values, pa.Array | pa.ChunkedArray):
            column = values
        else:
            listed = values if hasattr(values, "dtype") else list(values)
            if all(value is None or isinstance(value, str) for value in listed):
                return list(dict.fromkeys(listed))
            column = frames.array_of(listed)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise TableError(f"{name}: no values of one type ({error})") from None
    return frames.codes_of(frames.coded_texts(column, "values", name), "values", name)[
        1
    ]


@dataclass(frozen=True)
class Read:
    """A table, and what was read with it.

    Attributes
    ----------
    beside
        What stands beside the cells, for ``write_table``.
    form
        How a text file is written; None: another file.
    told
        Lines that say what was guessed of the file.
    """

    table: Table
    beside: Beside
    form: Form | None = None
    told: tuple[str, ...] = ()


def read_table(
    path: Path | str,
    qi: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    drop: Sequence[str] = (),
    sep: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
) -> Table:
    """Read a table of people from a file, which is held in memory as a whole meanwhile.

    Raises TableError: no such file, a folder, another format, a row of another length,
    another encoding, NUL bytes, no rows, duplicate or empty column names, unknown
    columns.

    Parameters
    ----------
    path
        ``.csv``, ``.csv.gz``, ``.tsv``, ``.txt`` (with a header), ``.parquet``; with
        the extra ``starmin[formats]`` ``.xlsx``, ``.sav``, ``.dta``, ``.sas7bdat``.
    qi
        The quasi-identifiers; default: every column that is neither sensitive nor
        dropped.
    sensitive, drop
        The sensitive columns, and those that are left out.
    sep
        What separates cells in a text file: one ASCII character; None: a comma, a
        semicolon, a tab or a bar, whichever gives most rows as many cells as the
        header.
    encoding
        Of a text file, by a name that Python knows; None: UTF-16 or UTF-8 if a mark
        at its beginning says so, else UTF-8, else Windows-1252 or Latin-1.
    sheet
        Of a spreadsheet, by its name, or its number from 1; None: the first one that
        looks like a table of people.
    """
    return read_file(path, qi, sensitive, drop, sep, encoding, sheet).table


def read_file(
    path: Path | str,
    qi: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    drop: Sequence[str] = (),
    sep: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    others: Sequence[str] = (),
) -> Read:
    """Read a table, and what stands beside its cells, from a file.

    All else is as ``read_table`` has it; ``others`` are further columns that it is to
    have.
    """
    expect_kind("path", path, (str, Path))
    for what, given in (("sep", sep), ("encoding", encoding)):
        if given is not None:
            expect_kind(what, given, str)
    path = Path(path)
    if path.is_dir():
        raise TableError(f"{path}: is a folder; name a file")
    expect_file(path)
    if not path.exists():
        raise TableError(f"{path}: no such file")
    kind = at_once.format_of(path)
    if kind is None:
        raise TableError(f"{path}: expected a file {', '.join(at_once.READ)}")
    qi = None if qi is None else expect_names("qi", qi)
    sensitive, drop = expect_names("sensitive", sensitive), expect_names("drop", drop)
    raw = kind.read(path, Asked(sep, encoding, None if sheet is None else str(sheet)))
    asked = *(qi or ()), *sensitive, *drop, *others
    expect_columns(str(path), asked, raw.columns.column_names)
    table = from_arrow(raw.columns, qi, sensitive, drop, str(path), raw.coded)
    typed = {} if raw.coded else typed_columns(raw.columns, table)
    beside = replace(raw.beside, typed=typed | dict(raw.beside.typed))
    return Read(table, beside, raw.form, raw.told)


def read_labels(path: Path | str) -> Labels | None:
    """Return the labels of columns and values in a file of SPSS, Stata or SAS.

    None where files of this kind have none. Raises TableError where the reader is not
    installed, or the file cannot be read.
    """
    kind = at_once.format_of(Path(path))
    return kind.labels(Path(path)) if isinstance(kind, StatisticsFormat) else None


def from_frame(
    frame: Any,
    qi: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    drop: Sequence[str] = (),
    name: str = "frame",
    others: Sequence[str] = (),
) -> Table:
    """Take a table from a frame of pandas, polars, Arrow, or what narwhals reads.

    Cells become text as Arrow writes them (42, 1.5, true), dates and times without
    units that none of the column needs (2024-05-31); missing cells stay missing. An
    index of pandas is not a column. Raises TableError: not a frame, a column whose name
    is not text or without a text form, or what ``read_table`` refuses of a file.

    Parameters
    ----------
    qi
        Names of the quasi-identifiers; default: all columns that are not sensitive.
    sensitive, drop
        Names of the sensitive columns, and of those that are left out.
    name, others
        Of the table, for messages; and further columns that it is to have.

    Examples
    --------
    >>> import polars
    >>> from_frame(polars.DataFrame({"a": [1, None], "b": ["x", "y"]})).rows()
    [('1', 'x'), (None, 'y')]
    """
    qi = None if qi is None else expect_names("qi", qi)
    sensitive, drop = expect_names("sensitive", sensitive), expect_names("drop", drop)
    asked = *(qi or ()), *sensitive, *drop, *others
    if not frames.is_pandas(frame):
        arrow = frames.arrow_of(frame, name)
        expect_columns(name, asked, arrow.column_names)
        return from_arrow(arrow, qi, sensitive, drop, name)
    frames.check_names(frame, name)
    every = frames.list_of_names(frame)
    expect_columns(name, asked, every)
    names = _without(every, drop, name)
    known = {} if frames.called_by_r() else at_once.blocks_at_once(frame, names)
    arrow = frames.arrow_of(frame, name, {*drop, *known})
    return _table(names, arrow, known, qi, sensitive, name, False)


def from_arrow(
    arrow: Any,
    qi: Sequence[str] | None,
    sensitive: Sequence[str],
    drop: Sequence[str],
    name: str,
    coded: bool = False,
) -> Table:
    """Code the columns of an Arrow table and give them their roles.

    If ``qi`` is None, all columns that are not sensitive are quasi-identifiers; those
    of ``drop`` are left out. ``name`` is for messages. ``coded`` says whether the
    columns are coded already, each with a dictionary of distinct texts that all occur,
    as ``parse_csv`` makes them; other makers' are rebuilt.
    """
    names = _without(arrow.column_names, drop, name)
    return _table(names, arrow, {}, qi, sensitive, name, coded)


def _without(every: Sequence[str], drop: Sequence[str], name: str) -> list[str]:
    """Return the names of columns without those that are dropped."""
    expect_columns(name, drop, every, "to drop")
    dropped = frozenset(drop)
    return [column for column in every if column not in dropped]


def _table(
    names: Sequence[str],
    arrow: Any,
    known: at_once.Coded,
    qi: Sequence[str] | None,
    sensitive: Sequence[str],
    name: str,
    is_coded: bool,
) -> Table:
    """Join the columns of an Arrow table with those that are coded already."""
    if arrow.num_columns and not arrow.num_rows:  # some types have no text then
        raise TableError(f"{name}: no rows; expected at least one")
    place = {c: j for j, c in enumerate(arrow.column_names)}  # a new list each time
    if not is_coded:
        left = [column for column in names if column not in known]
        known = {**known, **at_once.columns_at_once(arrow, left)}
    parts: list[tuple[Int32s, Texts | LateTexts]] = []
    for each in names:
        if each in known:
            parts.append(known[each])
            continue
        column = arrow.column(place[each])
        if not is_coded:
            of_codes = pa.types.is_dictionary(column.type)
            column = frames.coded_texts(column, each, name)
            if of_codes:  # values may repeat, or not occur
                column = column.cast(pa.string()).dictionary_encode()
        parts.append(_codes(column, each, name))
    rows = len(parts[0][0]) if parts else arrow.num_rows
    codes = np.empty((len(names), rows), np.int32)
    for j, part in enumerate(parts):
        codes[j] = part[0]
    if qi is None:
        qi = tuple(c for c in names if c not in sensitive)
    texts = Dictionaries(part[1] for part in parts)
    return Table(tuple(names), codes, texts, tuple(qi), tuple(sensitive), name)


def _codes(coded: Any, column: str, name: str) -> tuple[Int32s, tuple[str | None, ...]]:
    """Return the codes of a coded Arrow column and their dictionary."""
    codes, values = frames.codes_of(frames.in_one_piece(coded), column, name)
    for code, value in enumerate(values):
        if value is not None and "\0" in value:
            row = int(np.flatnonzero(codes == code)[0]) + 1
            raise TableError(
                f"{name}: row {row}, column {column!r}: a NUL byte; remove it"
            )
    return codes, tuple(values)
