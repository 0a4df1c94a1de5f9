"""Many short columns of one type, coded at once: measurements come in thousands."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from starmin.instances.arrays import Bools, Int32s, IntArray, Ints
from starmin.instances.io.file_formats.parquet_file import ParquetFormat
from starmin.instances.io.file_formats.spreadsheet import SheetFormat
from starmin.instances.io.file_formats.stata import StataFormat
from starmin.instances.io.file_formats.statistics import SasFormat, SpssFormat
from starmin.instances.io.file_formats.text_file import TextFormat
from starmin.instances.io.format import Format
from starmin.instances.io.frames import list_of_names, texts_of
from starmin.instances.tables.dictionaries import LateTexts, Texts
from starmin.instances.tables.grouping import first_rows

# The kinds of files: a new one is one file and one entry here.

FORMATS: tuple[Format, ...] = (
    TextFormat(),
    ParquetFormat(),
    SheetFormat(),
    SpssFormat(),
    StataFormat(),
    SasFormat(),
)
READ = tuple(ending for kind in FORMATS for ending in kind.endings)
WRITTEN = tuple(e for kind in FORMATS if kind.written for e in kind.endings)


def format_of(path: Path) -> Format | None:
    """Return the kind of a file by its name, or None.

    >>> type(format_of(Path("people.csv.gz"))).__name__
    'TextFormat'
    """
    return next((f for f in FORMATS if str(path).endswith(f.endings)), None)


_MANY = 16  # columns of one type, from which on they are coded at once
_SHORT = 4_000  # rows; more are coded as fast column by column
_BATCH = 4_000_000  # cells
_PLAIN = (
    *(pa.float32(), pa.float64(), pa.bool_(), pa.date32()),
    *(pa.string(), pa.large_string(), pa.string_view()),
)


Coded = Mapping[str, tuple[Int32s, LateTexts]]  # by column its codes and texts


def columns_at_once(arrow: Any, names: Sequence[str]) -> Coded:
    """Code those columns of an Arrow table of whose type there are many.

    Of the columns ``names`` those that were coded are returned; what is not there is to
    be coded by itself.

    >>> arrow = pa.table({f"x{j}": [1.5, None, 1.5] for j in range(20)})
    >>> codes, values = columns_at_once(arrow, arrow.column_names)["x7"]
    >>> codes.tolist(), values.write()
    ([0, 1, 0], ('1.5', None))
    """
    if not 0 < arrow.num_rows <= _SHORT or len(names) < _MANY:
        return {}
    kinds: dict[Any, list[str]] = {}
    type_of = dict(zip(arrow.schema.names, arrow.schema.types, strict=True))
    for column in names:
        kinds.setdefault(type_of[column], []).append(column)
    place = {column: j for j, column in enumerate(arrow.column_names)}

    def joined(some: Sequence[str]) -> Any:
        return in_one_array([arrow.column(place[name]) for name in some])

    plain = {kind: columns for kind, columns in kinds.items() if is_plain(kind)}
    return _by_kind(plain, arrow.num_rows, joined)


def _by_kind(
    kinds: Mapping[Any, Sequence[str]],
    rows: int,
    joined: Callable[[Sequence[str]], Any],
) -> Coded:
    """Code columns of one type, of which there are many, in parts of so many cells.

    ``joined`` returns some of them below one another in Arrow; None: it has no such.
    """
    found: dict[str, tuple[Int32s, LateTexts]] = {}
    size = max(1, _BATCH // rows)
    for columns in kinds.values():
        for at in range(0, len(columns), size) if len(columns) >= _MANY else ():
            some = columns[at : at + size]
            values = joined(some)
            if values is not None and is_plain(values.type):
                found |= coded(values, some)
    return found


def blocks_at_once(frame: Any, names: Sequence[str]) -> Coded:
    """Code those columns of a frame of pandas of whose type there are many.

    No two of its columns have one name. Returns the columns that were coded, as
    ``columns_at_once`` does.
    """
    if not 0 < len(frame) <= _SHORT or len(names) < _MANY:
        return {}
    from pandas import StringDtype

    wanted, every, kinds = {*names}, list_of_names(frame), dict[Any, list[str]]()
    for column, kind in zip(every, frame.dtypes, strict=True):
        if column not in wanted:
            continue
        if isinstance(kind, StringDtype):
            kinds.setdefault(kind.storage, []).append(column)
        elif isinstance(kind, np.dtype) and kind.kind in "fiubO":
            kinds.setdefault(kind, []).append(column)
    if all(len(columns) < _MANY for columns in kinds.values()):
        return {}
    cells = dict(zip(every, cells_of(frame), strict=True))
    return _by_kind(kinds, len(frame), lambda some: _joined([cells[c] for c in some]))


def cells_of(frame: Any) -> list[Any]:
    """Return the cells of each column of a frame of pandas, as it holds them.

    >>> import pandas as pd
    >>> [cells.tolist() for cells in cells_of(pd.DataFrame({"a": [1, 2], "b": "x"}))]
    [[1, 2], ['x', 'x']]
    """
    # A series for each of thousands of columns takes ten times as long.
    if (each := getattr(frame, "_iter_column_arrays", None)) is not None:
        return list(each())
    columns = (column for _, column in frame.items())
    return [c.to_numpy() if isinstance(c.dtype, np.dtype) else c.array for c in columns]


def _joined(columns: Sequence[Any]) -> Any:
    """Return columns of one type below one another in Arrow; None: it has no such."""
    try:
        if not isinstance(columns[0], np.ndarray):
            return in_one_array([pa.array(column) for column in columns])
        flat, kind = np.concatenate(columns), None
        if flat.dtype.kind == "O":  # text, or missing: other cells are looked at alone
            from pandas.api.types import infer_dtype

            if infer_dtype(flat, skipna=True) != "string":
                return None
            kind = pa.string()
        return pa.array(flat, kind, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        return None


def in_one_array(columns: Sequence[Any]) -> Any:
    """Return columns of Arrow, in one piece or several, as one array."""
    chunks = [
        chunk
        for column in columns
        for chunk in (
            column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        )
    ]
    joined = pa.chunked_array(chunks)
    if joined.type == pa.string_view():  # as polars has it, which Arrow codes slowly
        joined = joined.cast(pa.large_string())
    return joined.combine_chunks()


def is_plain(kind: Any) -> bool:
    """Check whether cells of a type have a text each, whatever stands beside them."""
    return bool(pa.types.is_integer(kind)) or kind in _PLAIN


def coded(values: Any, columns: Sequence[str]) -> Coded:
    """Code columns that stand one below the other in an array of Arrow.

    The values of each are numbered in the order in which they come, a missing one last.
    All columns have as many rows.
    """
    is_text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    keys = _keys_of_texts(values) if is_text else _keys_of_numbers(values)
    if keys is None:
        return {}
    cells = keys.reshape(len(columns), -1)
    empty = _nulls(values).reshape(cells.shape)
    first = first_rows(cells)
    is_new = (first == np.arange(cells.shape[1])) & ~empty
    codes = np.cumsum(is_new, axis=1, dtype=np.int32) - 1
    if not is_new.all():
        codes = np.take_along_axis(codes, first, 1)
    sizes = np.count_nonzero(is_new, axis=1)
    if values.null_count:
        codes = np.where(empty, sizes[:, None], codes).astype(np.int32)
    ends, places = np.cumsum(sizes), np.flatnonzero(is_new)
    parts = zip(
        columns,
        codes,
        (ends - sizes).tolist(),
        ends.tolist(),
        np.count_nonzero(empty, axis=1).tolist(),
        strict=True,
    )
    found: dict[str, tuple[Int32s, LateTexts]] = {}
    for column, code, begin, end, missing in parts:
        write = partial(_written, values, places[begin:end], missing > 0)
        found[column] = code, LateTexts(end - begin + (missing > 0), write)
    return found


def _written(values: Any, places: Ints, missing: bool) -> Texts:
    """Write the values of Arrow at some places, and a missing one last."""
    texts = texts_of(values.take(pa.array(places))).to_pylist()
    return (*texts, None) if missing else tuple(texts)


def _nulls(values: Any) -> Bools:
    """Return which cells of an array of Arrow are missing."""
    if not values.null_count:
        return np.zeros(len(values), bool)
    return np.asarray(values.is_null().to_numpy(zero_copy_only=False))


def _keys_of_texts(values: Any) -> IntArray | None:
    """Return whole numbers that are equal where texts are, or missing cells.

    None where a text is to be looked at alone.
    """
    encoded = values.dictionary_encode()
    if not _is_clean(encoded.dictionary):
        return None
    void = len(encoded.dictionary)
    indices = encoded.indices.fill_null(void) if encoded.null_count else encoded.indices
    return np.asarray(np.from_dlpack(indices), np.int32)


def _keys_of_numbers(values: Any) -> Ints | None:
    """Return whole numbers that are equal where numbers are, or missing cells.

    None where no whole number is left for missing cells.
    """
    if pa.types.is_date32(values.type):
        values = values.view(pa.int32())
    empty = _nulls(values)
    known = values.fill_null(False if pa.types.is_boolean(values.type) else 0)
    numbers = known.to_numpy(zero_copy_only=False)
    if numbers.dtype.kind == "f":  # 0.0 and -0.0 are written apart, all NaN alike
        bits = numbers.view(f"i{numbers.itemsize}")
        numbers = np.where(np.isnan(numbers), np.iinfo(bits.dtype).max, bits)
    keys: Ints = numbers.astype(np.int64)  # of large ones without a sign by their bits
    if empty.any():
        least, most = np.iinfo(np.int64).min, int(keys.max())
        void = most + 1 if most < np.iinfo(np.int64).max else least
        if void == least and (keys == least).any():
            return None
        keys = np.where(empty, void, keys)
    return keys


def _is_clean(known: Any) -> bool:
    """Check that texts are UTF-8 without NUL bytes, which errors name by their row."""
    try:
        return "\0" not in "".join(known.to_pylist())
    except UnicodeDecodeError:
        return False
