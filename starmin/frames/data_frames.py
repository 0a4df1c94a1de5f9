"""Take data frames of each library as ``Native``, by what a release does with them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starmin.frames.native import Ends, Labels, Native, pairs, places
from starmin.instances import Beside, IntArray, NotSupportedError, Result, Table
from starmin.instances.arrays import Bools, Floats
from starmin.instances.errors import expect_extra
from starmin.instances.io.file_formats.parquet_file import (
    arrow_of_table,
    hints_of,
    with_hints,
)
from starmin.instances.io.frames import arrow_of, check_names, eager, is_pandas

# Tables of Arrow.


class ArrowFrame(Native):
    """A table of Arrow."""

    def select(self, names: Sequence[str], rows: IntArray | None = None) -> Native:
        frame = self.frame.select(list(names))
        if rows is not None:
            frame = frame.take(pa.array(rows))
        kinds = pa.schema([(each.name, each.type) for each in frame.schema])
        return ArrowFrame(frame.cast(with_hints(kinds, hints_of(frame.schema))))

    def is_category(self, name: str) -> bool:
        return bool(pa.types.is_dictionary(self._type(name)))

    def put_text(self, name: str, codes: IntArray, labels: Labels) -> None:
        old = self._type(name)
        text = pa.types.is_string(old) or pa.types.is_large_string(old)
        texts = pa.array(labels, pa.string()).take(pa.array(codes))
        self._put(name, texts.cast(old) if text else texts)

    def put_categories(self, name: str, codes: IntArray, labels: Labels) -> None:
        self.put_text(name, codes, labels)
        self._put(name, self.frame[name].dictionary_encode())

    def put_missing(self, name: str, rows: Bools) -> None:
        column = self.frame[name]
        category = self.is_category(name)
        if category:
            column = column.cast(column.type.value_type)
        new = column.take(places(rows))
        self._put(name, new.dictionary_encode() if category else new)

    def put_ranges(self, name: str, low: Ends, high: Ends) -> None:
        self._put(name, pairs(low, high, self._type(name)))

    def put_numbers(self, name: str, numbers: IntArray) -> None:
        self._put(name, pa.array(numbers))

    def _type(self, name: str) -> Any:
        return self.frame.schema.field(name).type

    def _put(self, name: str, column: Any) -> None:
        if name not in self.frame.column_names:
            self.frame = self.frame.append_column(name, column)
            return
        place = self.frame.column_names.index(name)
        hints = hints_of(self.frame.schema)
        kept = {c: each for c, each in hints.pandas.items() if c != name}
        hints = replace(hints, pandas=kept)
        made = self.frame.set_column(place, name, column)
        self.frame = made.cast(with_hints(made.schema, hints))


# Frames of any other library that narwhals reads.


class OtherFrame(Native):
    """A frame of another library, by narwhals: categories become text."""

    def __init__(self, frame: Any) -> None:
        import narwhals as nw

        super().__init__(frame)
        self._seen = nw.from_native(frame, eager_only=True)

    def select(self, names: Sequence[str], rows: IntArray | None = None) -> Native:
        seen = self._seen.select(list(names))
        return OtherFrame((seen if rows is None else seen[rows]).to_native())

    def put_text(self, name: str, codes: IntArray, labels: Labels) -> None:
        import narwhals as nw

        texts = np.array(labels, object)[codes].tolist()
        self._put(name, texts, nw.String())

    def put_missing(self, name: str, rows: Bools) -> None:
        values = self._seen[name].to_list()
        kept = [None if row else value for value, row in zip(values, rows, strict=True)]
        self._put(name, kept, self._seen.schema[name])

    def put_ranges(self, name: str, low: Ends, high: Ends) -> None:
        raise NotSupportedError(
            "intervals: ranges as values are for frames of pandas, polars and Arrow; "
            "leave intervals=True out to get them as text."
        )

    def put_numbers(self, name: str, numbers: IntArray) -> None:
        import narwhals as nw

        self._put(name, numbers.tolist(), nw.Int64())

    def _put(self, name: str, values: list[Any], kind: Any) -> None:
        import narwhals as nw

        made = nw.new_series(name, values, kind, backend=self._seen.implementation)
        self._seen = self._seen.with_columns(made)
        self.frame = self._seen.to_native()


# Frames of pandas.


class PandasFrame(Native):
    """A frame of pandas: the index stays."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame.copy(deep=False)
        self.index_names = tuple(
            repr(name) for name in frame.index.names if name is not None
        )
        if not self.index_names and frame.index.dtype.kind not in "iu":
            self.index_names = ("without a name",)

    def select(self, names: Sequence[str], rows: IntArray | None = None) -> Native:
        frame = self.frame[list(names)]
        if rows is not None:
            frame = frame.iloc[rows].reset_index(drop=True)
        frame.attrs = {}
        return PandasFrame(frame)

    def is_category(self, name: str) -> bool:
        import pandas as pd

        return isinstance(self.frame[name].dtype, pd.CategoricalDtype)

    def put_text(self, name: str, codes: IntArray, labels: Labels) -> None:
        import pandas as pd

        old = self.frame[name].dtype
        texts = np.array(labels, object)[codes]
        if isinstance(old, np.dtypes.ObjectDType) or pd.api.types.is_string_dtype(old):
            self.frame[name] = pd.Series(texts, self.frame.index, dtype=old)
        else:
            self.frame[name] = pd.Series(texts.tolist()).array

    def put_categories(self, name: str, codes: IntArray, labels: Labels) -> None:
        import pandas as pd

        texts, at = _known(codes, labels)
        self.frame[name] = pd.Categorical.from_codes(at, categories=texts)

    def put_missing(self, name: str, rows: Bools) -> None:
        import pandas as pd

        old = self.frame[name]
        kind = old.dtype.kind if isinstance(old.dtype, np.dtype) else None
        if kind in ("i", "u"):
            old = old.astype(str(old.dtype).replace("i", "I").replace("uI", "UI"))
        elif kind == "b":
            old = old.astype("boolean")
        kept = np.where(rows, -1, np.arange(len(rows)))
        new = old.array.take(kept, allow_fill=True)
        if kind == "O":
            new = pd.Series(new, old.index, dtype=object)
        if self.is_category(name):
            new = new.remove_unused_categories()
        self.frame[name] = new

    def put_ranges(self, name: str, low: Ends, high: Ends) -> None:
        import pandas as pd

        if low.dtype.kind in "mM":
            zone = getattr(self.frame[name].dtype, "tz", None)
            old = self.frame[name].dtype
            kind = old if isinstance(old, np.dtype) and old.kind in "mM" else low.dtype
            moments = [pd.Series(each.astype(kind)) for each in (low, high)]
            if zone is not None:
                moments = [m.dt.tz_localize("UTC").dt.tz_convert(zone) for m in moments]
            self.frame[name] = pd.arrays.IntervalArray.from_arrays(
                *moments, closed="both"
            )
            return
        ends = [_whole(low), _whole(high)]
        if self.frame[name].dtype.kind not in "iu" or ends[0].dtype != ends[1].dtype:
            ends = [low, high]
        self.frame[name] = pd.arrays.IntervalArray.from_arrays(*ends, closed="both")

    def put_intervals(self, name: str, codes: IntArray, labels: Labels) -> bool:
        import pandas as pd

        old = self.frame[name]
        known = old.cat.categories if self.is_category(name) else pd.Index(old.unique())
        if not isinstance(known.dtype, pd.IntervalDtype):
            return False
        found = joined_intervals(known.dropna(), labels)
        if found is None:
            return False
        _, at = _known(codes, labels)
        if self.is_category(name):
            self.frame[name] = pd.Categorical.from_codes(at, categories=found)
        else:
            self.frame[name] = found.array.take(at, allow_fill=True)
        return True

    def put_numbers(self, name: str, numbers: IntArray) -> None:
        self.frame[name] = numbers


def _known(codes: IntArray, labels: Labels) -> tuple[list[str], IntArray]:
    """Return the labels but None, and for each row the place of its own; -1: None."""
    texts = [text for text in labels if text is not None]
    place: dict[str | None, int] = {text: i for i, text in enumerate(texts)}
    return texts, np.array([place.get(text, -1) for text in labels])[codes]


def joined_intervals(known: Any, labels: Labels) -> Any:
    """Return the intervals that labels write, None where one of them is none.

    ``known`` are the intervals of the column, whose ends those of the published labels
    are.

    >>> import pandas as pd
    >>> known = pd.IntervalIndex.from_breaks([20, 30, 40])
    >>> list(joined_intervals(known, ["(20, 40]", None]))
    [Interval(20, 40, closed='right')]
    >>> joined_intervals(known, ["(20, 40]", "*"])
    """
    import pandas as pd

    pairs = [(str(each)[1:-1].split(", "), each) for each in known]
    lower = {texts[0]: each.left for texts, each in pairs}
    upper = {texts[-1]: each.right for texts, each in pairs}
    ends = [text[1:-1].split(", ") for text in labels if text is not None]
    if any(len(e) != 2 or e[0] not in lower or e[1] not in upper for e in ends):
        return None
    found = pd.IntervalIndex.from_tuples(
        [(lower[low], upper[high]) for low, high in ends],
        closed=known.closed,
        dtype=known.dtype,
    )
    same = [str(each) for each in found] == [t for t in labels if t is not None]
    return found if same else None


def _whole(ends: Floats) -> npt.NDArray[Any]:
    """Return numbers as whole ones where all of them are."""
    whole = np.isfinite(ends).all() and (ends == np.floor(ends)).all()
    return ends.astype(np.int64) if whole else ends


# Frames of polars.


class PolarsFrame(Native):
    """A frame of polars."""

    def select(self, names: Sequence[str], rows: IntArray | None = None) -> Native:
        frame = self.frame.select(list(names))
        return PolarsFrame(frame if rows is None else frame[rows])

    def is_category(self, name: str) -> bool:
        import polars as pl

        return self.frame.schema[name].base_type() in (pl.Categorical, pl.Enum)

    def put_text(self, name: str, codes: IntArray, labels: Labels) -> None:
        import polars as pl

        self._put(pl.Series(name, labels, pl.String).gather(codes))

    def put_categories(self, name: str, codes: IntArray, labels: Labels) -> None:
        import polars as pl

        texts = pl.Series(name, labels, pl.String).gather(codes)
        kind = pl.Categorical()
        if self.frame.schema[name].base_type() is pl.Enum:
            kind = pl.Enum([text for text in labels if text is not None])
        self._put(texts.cast(kind))

    def put_missing(self, name: str, rows: Bools) -> None:
        import polars as pl

        old = self.frame[name]
        # Arrow copies what stays; polars would keep the rest in its buffers.
        new = pl.Series(name, pl.from_arrow(old.to_arrow().take(places(rows))))
        if old.dtype.base_type() is pl.Enum:
            used = set(new.unique().to_list())
            kept = [text for text in old.dtype.categories if text in used]
            self._put(new.cast(pl.String).cast(pl.Enum(kept)))
        else:
            self._put(new.cast(old.dtype))

    def put_ranges(self, name: str, low: Ends, high: Ends) -> None:
        import polars as pl

        self._put(pl.Series(name, pl.from_arrow(pairs(low, high, self._type(name)))))

    def put_numbers(self, name: str, numbers: IntArray) -> None:
        import polars as pl

        self._put(pl.Series(name, numbers))

    def _type(self, name: str) -> Any:
        return self.frame[name].to_arrow().type

    def _put(self, series: Any) -> None:
        self.frame = self.frame.with_columns(series)


# Which library a data frame is of.


def _is_solution(given: Any) -> bool:
    return isinstance(getattr(given, "units", None), Result)


def native_of(frame: Any, name: str = "frame") -> Native:
    """Return the frame that a user gave, computed if it is still to be.

    That of a table is one of Arrow. Raises TypeError where it is none. ``name`` is what
    errors call it.
    """
    if isinstance(frame, Table):
        return ArrowFrame(arrow_of_table(frame.used(), Beside()))
    mend = "starmin.read_table reads a file"
    if _is_solution(getattr(frame, "solution", None)):  # of ``anonymize``
        mend = "its table is .solution.published"
    elif _is_solution(frame):  # of ``solve``
        mend = "its table is .published"
    elif not (isinstance(frame, str) or hasattr(frame, "__fspath__")):
        mend = ""
    if mend:
        kind = type(frame).__name__
        raise TypeError(f"Expected a data frame, got one of type {kind}; {mend}.")
    check_names(frame, name)
    if isinstance(frame, Mapping):
        frame = arrow_of(frame, name)
    found = frame
    if not (is_pandas(frame) and hasattr(frame, "iloc") and frame.ndim == 2):
        found = eager(frame).to_native()
    library = type(found).__module__.partition(".")[0]
    kinds: dict[str, Callable[[Any], Native]] = {
        "pandas": PandasFrame,
        "polars": PolarsFrame,
        "pyarrow": ArrowFrame,
    }
    return kinds.get(library, OtherFrame)(found)


def library_of(frame: Any) -> Any:
    """Return the library of a frame, as ``frame_of`` takes it."""
    import narwhals as nw

    return nw.get_native_namespace(native_of(frame).frame)


def text_columns(frame: Any) -> list[str]:
    """Return the columns of a frame that hold text, as such or as categories.

    >>> import polars
    >>> text_columns(polars.DataFrame({"age": [30], "sex": ["m"]}))
    ['sex']
    """
    import narwhals as nw
    import narwhals.selectors as ncs

    texts = ncs.by_dtype(nw.String, nw.Categorical, nw.Enum, nw.Object)
    return list(nw.from_native(frame, eager_only=True).select(texts).columns)


def frame_of(columns: Mapping[str, Sequence[Any]], library: Any = None) -> Any:
    """Return a frame of columns, which are by name.

    ``library`` is what ``library_of`` returned; None: pandas.

    >>> import polars
    >>> frame_of({"k": [2, 3]}, library_of(polars.DataFrame())).shape
    (2, 1)
    """
    import narwhals as nw

    if library is None:
        expect_extra("pandas", "frame")
        import pandas

        library = pandas
    return nw.from_dict(dict(columns), backend=library).to_native()
