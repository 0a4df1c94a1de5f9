"""Take the columns of a data frame as Arrow columns, and their cells as text."""

import math
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral
from typing import Any

import numpy as np
import pyarrow as pa

from starmin.instances.arrays import Int32s
from starmin.instances.errors import TableError

_LONGEST = 24  # the characters of a number that is written without an exponent
# The parts of a time that are left out where they are 0 everywhere, and what stays.
_ZEROS = (
    (r"(:\d\d)(?:\.0+)?([+-]\d+|Z)?$", r"\1\2"),
    (r"(\d\d:\d\d)(:00)([+-]\d+|Z)?$", r"\1\3"),
    (r"^(\d+-\d+-\d+) 00:00$", r"\1"),
)
_LASTING_ZEROS = ((r"\.0+$", ""), (r" 00:00:00$", ""))

_NA_OF_R = -(2**31)


def called_by_r() -> bool:
    """Check whether R calls, by reticulate: it has no missing whole numbers."""
    return "rpytools" in sys.modules


def is_pandas(frame: Any) -> bool:
    """Check whether a frame is one of pandas, without importing it."""
    return type(frame).__module__.partition(".")[0] == "pandas"


def arrow_of(frame: Any, name: str, without: Collection[str] = ()) -> Any:
    """Return an Arrow table with the columns of a frame.

    It is of pandas, polars, Arrow or another library that narwhals reads, a frame that
    is computed later included; or columns by name. ``name`` is what errors call it. Of
    the columns ``without`` cells are not looked at: whether they are there is not,
    either. Raises TableError for what is not a frame, and for a column whose name is
    not text or that is there twice.
    """
    check_names(frame, name)
    if is_pandas(frame):
        kept = [column for column in list_of_names(frame) if column not in without]
        return pa.table({column: _of_pandas(frame[column], name) for column in kept})
    try:
        if isinstance(frame, Mapping):
            return _of_mapping(frame)
        if isinstance(frame, pa.Table) or hasattr(frame, "__arrow_c_stream__"):
            return pa.table(frame)
        return eager(frame).to_arrow()
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise TableError(f"{name}: no table of plain cells ({error})") from None


def eager(frame: Any) -> Any:
    """Return a frame as narwhals sees it, computed if it is still to be.

    Raises TypeError where it is none that narwhals reads.
    """
    import narwhals as nw

    try:
        seen = nw.from_native(frame)
    except TypeError:
        kind = type(frame).__name__
        mend = "series.to_frame()" if kind == "Series" else "pandas.DataFrame(..)"
        raise TypeError(
            f"Expected a data frame, got one of type {kind}; {mend} makes one."
        ) from None
    return seen.collect() if isinstance(seen, nw.LazyFrame) else seen


def large_numbers(values: Sequence[Any]) -> Any:
    """Return whole numbers as texts, as Arrow has none of more than 64 bits; or None.

    >>> large_numbers([2**70, None]).to_pylist(), large_numbers([2**70, 1.5])
    (['1180591620717411303424', None], None)
    """
    kinds = {type(value) for value in values} - {type(None)}
    if bool in kinds or not all(issubclass(kind, Integral) for kind in kinds):
        return None
    return pa.array([None if v is None else str(int(v)) for v in values], pa.string())


def array_of(values: Any) -> Any:
    """Return an Arrow array of values; whole numbers that are too large as texts."""
    try:
        return pa.array(values)
    except (OverflowError, pa.ArrowInvalid):
        if (column := large_numbers(list(values))) is None:
            raise
        return column


def _of_mapping(columns: Mapping[str, Any]) -> Any:
    try:
        return pa.table(columns)
    except (OverflowError, pa.ArrowInvalid):
        return pa.table({name: array_of(values) for name, values in columns.items()})


def texts_of(values: Any) -> Any:
    """Return the texts of an Arrow array: numbers and dates as people write them.

    A number is written without an exponent unless it is very large or very small. A
    date and time ends with the last unit that any of the array needs, and with the date
    where all are at midnight. Raises ``pa.ArrowInvalid`` or
    ``pa.ArrowNotImplementedError`` where the type has no text form.

    >>> from datetime import datetime
    >>> texts_of(pa.array([datetime(2024, 5, 31), None])).to_pylist()
    ['2024-05-31', None]
    >>> texts_of(pa.array([datetime(2024, 5, 31, 7), None])).to_pylist()
    ['2024-05-31 07:00', None]
    >>> texts_of(pa.array([datetime(2024, 5, 31)], pa.timestamp("s"))).to_pylist()
    ['2024-05-31']
    >>> from datetime import timedelta
    >>> texts_of(pa.array([timedelta(hours=25), timedelta(hours=-1)])).to_pylist()
    ['1 days 01:00:00', '-1 days 23:00:00']
    >>> texts_of(pa.array([13631500801.0, 5e-7, 1e-300])).to_pylist()
    ['13631500801', '0.0000005', '1e-300']
    """
    import pyarrow.compute as pc  # as much to import as all the rest of pyarrow

    texts = values.cast(pa.string())
    if pa.types.is_floating(values.type):
        return pa.array(map(plain_number, texts.to_pylist()), pa.string())
    if pa.types.is_duration(values.type):
        parts = pa.scalar(1, pa.duration("s")).cast(values.type).value
        whole = values.cast(pa.int64()).to_pylist()
        lasting = [None if each is None else days_text(each, parts) for each in whole]
        texts = pa.array(lasting, pa.string())
        for zero, rest in _LASTING_ZEROS:
            if pc.all(pc.match_substring_regex(texts, zero)).as_py():
                texts = pc.replace_substring_regex(texts, zero, rest)
    if pa.types.is_timestamp(values.type) or pa.types.is_time(values.type):
        for zero, rest in _ZEROS:
            if not pc.all(pc.match_substring_regex(texts, zero)).as_py():
                break
            texts = pc.replace_substring_regex(texts, zero, rest)
    return texts


def days_text(lasting: int, parts: int) -> str:
    """Return the text of a duration, as pandas writes it.

    It lasts ``lasting`` parts of a second, of which there are ``parts``: a power of
    ten.

    >>> days_text(90061, 1), days_text(-1500, 1000)
    ('1 days 01:01:01', '-1 days 23:59:58.500')
    """
    seconds, fraction = divmod(lasting, parts)
    days, clock = divmod(seconds, 86_400)
    tail = f".{fraction:0{len(str(parts)) - 1}}" if parts > 1 else ""
    hours, minutes = clock // 3600, clock // 60 % 60
    return f"{days} days {hours:02}:{minutes:02}:{clock % 60:02}{tail}"


def plain_number(text: str | None) -> str | None:
    """Write a number without an exponent where that is not long.

    >>> plain_number("1.25e+10"), plain_number("-1e-07"), plain_number("1e-300")
    ('12500000000', '-0.0000001', '1e-300')
    """
    if text is None or "e" not in text:
        return text
    plain = format(Decimal(text), "f")
    return plain if len(plain) <= _LONGEST else text


def check_names(frame: Any, name: str) -> None:
    """Raise TableError where a name of a column is not text, or is there twice."""
    of_pandas = hasattr(frame, "iloc") and hasattr(frame, "columns")  # or like it
    if not (of_pandas or isinstance(frame, Mapping | pa.Table)):
        return
    for column, times in Counter(list_of_names(frame)).items():
        if not isinstance(column, str):
            mend = ", as by frame.columns = frame.columns.map(str)" if of_pandas else ""
            raise TableError(
                f"{name}: column name {column!r} is not text; rename it{mend}"
            )
        if times > 1:
            raise TableError(f"{name}: two columns are named {column!r}; rename one")


def list_of_names(frame: Any) -> list[Any]:
    """Return the names of the columns of a frame; an index yields them slowly.

    >>> import pandas as pd
    >>> list_of_names(pd.DataFrame({"a": [1], "b": [2]}))
    ['a', 'b']
    """
    if isinstance(frame, Mapping | pa.Table):
        return list(frame if isinstance(frame, Mapping) else frame.column_names)
    names = frame.columns
    return list(names.tolist() if hasattr(names, "tolist") else names)


def _of_pandas(series: Any, name: str) -> Any:
    """Return a column of pandas; types that Arrow has not, as Period, as text."""
    if called_by_r() and series.dtype.kind == "i" and (series == _NA_OF_R).any():
        raise TableError(
            f"{name}: column {series.name!r}: a missing whole number of R arrived as "
            f"{_NA_OF_R}; pass as.numeric(..) of the column"
        )
    try:
        column = pa.Array.from_pandas(series)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        column = large_numbers(series.where(series.notna(), None).tolist())
        if column is None:
            raise TableError(
                f"{name}: column {series.name!r}: no plain cells ({error}); convert "
                "it first, to text for example"
            ) from None
    kind = column.type
    if pa.types.is_dictionary(kind) and isinstance(
        kind.value_type, pa.BaseExtensionType
    ):
        words = series.cat.categories.astype(str)
        return pa.Array.from_pandas(series.cat.rename_categories(words))
    if isinstance(kind, pa.BaseExtensionType):
        return pa.array(series.astype(str).where(series.notna(), None), pa.string())
    return column


# Arrow columns as codes and the texts that they stand for.


def coded_texts(values: Any, column: str, name: str) -> Any:
    """Code an Arrow column by the texts of its distinct values.

    It is an array or a chunked array; where it is coded already, it is so by its own
    dictionary, whose values may repeat, or not occur. Returns an array of Arrow with a
    dictionary of texts. ``column`` and ``name``, of its table, are for messages. Raises
    TableError where the column has no text form.

    >>> coded_texts(pa.array([4, None, 4]), "a", "table").to_pylist()
    ['4', None, '4']
    """
    try:
        if pa.types.is_null(values.type):
            values = values.cast(pa.string())
        coded = values
        if not pa.types.is_dictionary(values.type):
            coded = values.dictionary_encode()
        coded = in_one_piece(coded)
        texts = texts_of(coded.dictionary)
        return pa.DictionaryArray.from_arrays(coded.indices, texts)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise TableError(
            f"{name}: column {column!r} is of type {values.type}, "
            "which has no text form; convert it first"
        ) from None


def in_one_piece(coded: Any) -> Any:
    """Return a coded Arrow column with one dictionary, without chunks."""
    if isinstance(coded, pa.ChunkedArray):
        if coded.num_chunks == 1:  # the usual case, asked for each of many columns
            return coded.chunk(0)
        coded = coded.unify_dictionaries().combine_chunks()
    if isinstance(coded, pa.ChunkedArray):  # an empty column has no chunk
        coded = pa.array([], coded.type)
    return coded


def codes_of(coded: Any, column: str, name: str) -> tuple[Int32s, list[str | None]]:
    """Return the codes of a coded Arrow array, and their texts, None where missing.

    Raises TableError where a text is not UTF-8.

    >>> codes, texts = codes_of(pa.array(["x", None]).dictionary_encode(), "a", "table")
    >>> codes.tolist(), texts
    ([0, 1], ['x', None])
    """
    try:
        texts: list[str | None] = coded.dictionary.to_pylist()
    except UnicodeDecodeError:
        raise TableError(
            f"{name}: column {column!r}: not UTF-8 text; convert it first"
        ) from None
    indices = coded.indices
    if coded.null_count:
        indices = indices.fill_null(len(texts))
        texts.append(None)
    # Not to_numpy, which imports pandas.
    return np.asarray(np.from_dlpack(indices), np.int32), texts


# What a text is written like: a number, a date, a truth value.

_EXACT = 2**53  # whole numbers below it are exact in floating point


def guess(text: str | None) -> Any:
    """Return what a text is written like, if it is read back as the same text.

    >>> [guess(text) for text in ("42", "007", "1.5", "true", None)]
    [42, '007', 1.5, True, None]
    """
    if text is None or text in ("true", "false"):
        return None if text is None else text == "true"
    kinds: tuple[Callable[[str], Any], ...] = (int, float, date.fromisoformat)
    for kind in kinds:
        try:
            value = kind(text)
        except ValueError:
            continue
        if text_of(value) == text and fits(value):
            return value
    return text


def fits(value: Any) -> bool:
    """Check whether a spreadsheet holds a number or a date exactly."""
    if isinstance(value, date):
        return value.year > 1900
    return math.isfinite(value) and (isinstance(value, float) or abs(value) < _EXACT)


def has_clock(cells: Iterable[Any]) -> bool:
    """Check whether a column of a spreadsheet has a date with a time of the day.

    Then all its dates are written with one, as in any column of such times.

    >>> column = [date(2024, 5, 31), datetime(2024, 5, 31, 7, 5)]
    >>> [text_of(cell, has_clock(column)) for cell in column]
    ['2024-05-31 00:00:00', '2024-05-31 07:05:00']
    """
    return any(
        isinstance(cell, datetime) and cell.time().replace(tzinfo=None) != time()
        for cell in cells
    )


def text_of(value: Any, clock: bool = False) -> str | None:
    """Return the text of a cell of a spreadsheet; None for an empty one.

    ``clock`` says whether a date is written with its time of the day, be it midnight.
    """
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value.is_integer() else plain_number(repr(value))
    if isinstance(value, timedelta):
        text = days_text(value // timedelta(microseconds=1), 10**6)
        return text.removesuffix(".000000")
    if clock and isinstance(value, date):
        whole = isinstance(value, datetime)
        return str(value if whole else datetime.combine(value, time()))
    if isinstance(value, datetime) and (value.hour, value.minute) == (0, 0):
        return str(value.date()) if not value.second else str(value)
    return str(value)
