"""Frames of polars."""

from collections.abc import Sequence
from typing import Any

from starmin.frames.libraries.native import Ends, Labels, Native, pairs, places
from starmin.instances import IntArray
from starmin.instances.arrays import Bools


class PolarsFrame(Native):
    """A frame of polars."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

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
