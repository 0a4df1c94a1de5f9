"""Tables of Arrow."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from starmin.frames.libraries.native import Ends, Labels, Native, pairs, places
from starmin.instances import IntArray
from starmin.instances.arrays import Bools
from starmin.instances.io.file_formats.parquet_file import hints_of, with_hints


class ArrowFrame(Native):
    """A table of Arrow."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

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
