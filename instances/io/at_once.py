"""Many short columns of one type, coded at once: measurements come in thousands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.io.frames import texts_of
from starmin.instances.tables.dictionaries import Texts
from starmin.instances.tables.occurring import first_rows

_MANY = 16  # columns of one type, from which on they are coded at once
_SHORT = 4_000  # rows; more are coded as fast column by column
_BATCH = 4_000_000  # cells


@dataclass(frozen=True, eq=False)
class ValuesOfOne:
    """The distinct values of one of many columns.

    Attributes
    ----------
    values
        An array of Arrow with the values of all columns.
    places
        Where those of this one are.
    missing
        Whether some cell of it is missing, which is coded last.
    """

    values: Any
    places: Ints
    missing: bool

    def __len__(self) -> int:
        return len(self.places) + self.missing

    def texts(self) -> Texts:
        """Write them."""
        texts = texts_of(self.values.take(pa.array(self.places))).to_pylist()
        return (*texts, None) if self.missing else tuple(texts)


Coded = Mapping[str, tuple[Int32s, ValuesOfOne]]  # by column its codes and values


def columns_at_once(arrow: Any, names: Sequence[str]) -> Coded:
    """Code those columns of an Arrow table of whose type there are many.

    Parameters
    ----------
    arrow, names
        The table, and the columns of it that are wanted.

    Returns
    -------
    Mapping
        The columns that were coded; what is not there is to be coded by itself.

    Examples
    --------
    >>> arrow = pa.table({f"x{j}": [1.5, None, 1.5] for j in range(20)})
    >>> codes, values = columns_at_once(arrow, arrow.column_names)["x7"]
    >>> codes.tolist(), values.texts()
    ([0, 1, 0], ('1.5', None))
    """
    if not 0 < arrow.num_rows <= _SHORT or len(names) < _MANY:
        return {}
    kinds: dict[Any, list[str]] = {}
    type_of = dict(zip(arrow.schema.names, arrow.schema.types, strict=True))
    for column in names:
        kinds.setdefault(type_of[column], []).append(column)
    place = {column: j for j, column in enumerate(arrow.column_names)}
    found: dict[str, tuple[Int32s, ValuesOfOne]] = {}
    for kind, columns in kinds.items():
        if len(columns) < _MANY or not is_plain(kind):
            continue
        for some in batches(columns, arrow.num_rows):
            chunks = [c for name in some for c in arrow.column(place[name]).chunks]
            found |= coded(pa.chunked_array(chunks).combine_chunks(), some)
    return found


def batches(columns: Sequence[str], rows: int) -> list[Sequence[str]]:
    """Cut columns into parts of which none has too many cells."""
    size = max(1, _BATCH // max(1, rows))
    return [columns[at : at + size] for at in range(0, len(columns), size)]


def blocks_at_once(frame: Any, names: Sequence[str]) -> Coded:
    """Code those columns of a frame of pandas of whose type there are many.

    Parameters
    ----------
    frame, names
        The frame, and the columns of it that are wanted; no two have one name.

    Returns
    -------
    Mapping
        As ``columns_at_once`` has it.
    """
    if not 0 < len(frame) <= _SHORT or len(names) < _MANY:
        return {}
    kinds: dict[Any, list[str]] = {}
    for column, kind in zip(frame.columns, frame.dtypes, strict=True):
        if kind == "string" or (isinstance(kind, np.dtype) and kind.kind in "fiubO"):
            kinds.setdefault(kind, []).append(column)
    wanted = {*names}
    found: dict[str, tuple[Int32s, ValuesOfOne]] = {}
    for columns in kinds.values():
        kept = [column for column in columns if column in wanted]
        if len(kept) < _MANY:
            continue
        for some in batches(kept, len(frame)):
            part = frame if len(some) == frame.shape[1] else frame[list(some)]
            found |= _of_block(part.to_numpy(), some)
    return found


def _of_block(cells: Any, columns: Sequence[str]) -> Coded:
    """Code the columns of an array of cells."""
    flat = cells.ravel(order="F")
    kind = None
    if cells.dtype.kind == "O":  # text, or missing: other cells are looked at alone
        from pandas.api.types import infer_dtype

        if infer_dtype(flat, skipna=True) != "string":
            return {}
        kind = pa.string()
    try:
        values = pa.array(flat, kind, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        return {}
    return coded(values, columns) if is_plain(values.type) else {}


def is_plain(kind: Any) -> bool:
    """Check whether cells of a type have a text each, whatever stands beside them."""
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_float32(kind)
        or pa.types.is_float64(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_date32(kind)
    )


def coded(values: Any, columns: Sequence[str]) -> Coded:
    """Code columns that stand one below the other in an array.

    The values of each are numbered in the order in which they come, a missing one last.

    Parameters
    ----------
    values
        An array of Arrow.
    columns
        Their names; all have as many rows.
    """
    encoded = values.dictionary_encode()
    known = encoded.dictionary
    if not _is_clean(known):
        return {}
    void = len(known)
    indices = encoded.indices.fill_null(void) if encoded.null_count else encoded.indices
    cells = np.asarray(np.from_dlpack(indices), np.int32).reshape(len(columns), -1)
    first = first_rows(cells)
    is_new = (first == np.arange(cells.shape[1])) & (cells != void)
    codes = np.take_along_axis(np.cumsum(is_new, axis=1, dtype=np.int32) - 1, first, 1)
    sizes = np.count_nonzero(is_new, axis=1)
    missing = (cells == void).any(axis=1)
    codes = np.where(cells == void, sizes[:, None], codes).astype(np.int32)
    ends, places = np.cumsum(sizes), cells[is_new].astype(np.int64)
    return {
        column: (codes[j], ValuesOfOne(known, places[end - size : end], bool(empty)))
        for j, (column, size, end, empty) in enumerate(
            zip(columns, sizes, ends, missing, strict=True)
        )
    }


def _is_clean(known: Any) -> bool:
    """Check that texts are UTF-8 without NUL bytes, which errors name by their row."""
    if not (pa.types.is_string(known.type) or pa.types.is_large_string(known.type)):
        return True
    try:
        return "\0" not in "".join(known.to_pylist())
    except UnicodeDecodeError:
        return False
