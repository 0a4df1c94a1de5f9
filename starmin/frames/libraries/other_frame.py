"""Frames of any other library that narwhals reads."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from starmin.frames.libraries.native import Ends, Labels, Native
from starmin.instances import IntArray, NotSupportedError
from starmin.instances.arrays import Bools


class OtherFrame(Native):
    """A frame of another library, by narwhals: categories become text."""

    def __init__(self, frame: Any) -> None:
        import narwhals as nw

        self.frame = frame
        self._seen = nw.from_native(frame, eager_only=True)

    def select(self, names: Sequence[str], rows: IntArray | None = None) -> Native:
        seen = self._seen.select(list(names))
        return OtherFrame((seen if rows is None else seen[rows]).to_native())

    def is_category(self, name: str) -> bool:
        return False

    def put_text(self, name: str, codes: IntArray, labels: Labels) -> None:
        import narwhals as nw

        texts = np.array(labels, object)[codes].tolist()
        self._put(name, texts, nw.String())

    def put_categories(self, name: str, codes: IntArray, labels: Labels) -> None:
        self.put_text(name, codes, labels)

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
