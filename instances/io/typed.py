"""What the texts of a column stand for in the type that its file gives it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from starmin.instances.arrays import IntArray
from starmin.instances.tables.table import Table


@dataclass(frozen=True)
class Typed:
    """The distinct values of a column, and their texts."""

    texts: tuple[str | None, ...]  # as they stand in the dictionary of the table
    # for each of them its value: an array of Arrow; or a list, where no type of Arrow
    # has them all, as in a spreadsheet
    values: Any

    @property
    def type(self) -> Any:
        """The type of Arrow; None where there is none."""
        return getattr(self.values, "type", None)

    @property
    def plain(self) -> bool:
        """Whether each text has a value; a code of Stata, as ``.a``, has none."""
        nothing = int(self.values.null_count)
        return nothing == (None in self.texts)

    def are(self, texts: Sequence[str | None]) -> bool:
        """Check whether these distinct texts are all those of the column."""
        return texts == self.texts or set(texts) == set(self.texts)

    def of(self, texts: Sequence[str | None]) -> "Typed | None":
        """Return the values of these texts alone, in their order.

        None is returned where a text is none of the column's, as a star is, and the
        column is none of text.

        Examples
        --------
        >>> numbers = Typed(("1", "2", None), pa.array([1, 2, None]))
        >>> numbers.of(["2"]).values.to_pylist()
        [2]
        >>> numbers.of(["2", "*"])
        """
        texts = tuple(texts)
        if texts == self.texts:
            return self
        place = {text: i for i, text in enumerate(self.texts)}
        if any(text not in place for text in texts):
            return self._of_other(texts)
        places = [place[text] for text in texts]
        if isinstance(self.values, list):
            return Typed(texts, [self.values[i] for i in places])
        values = taken(self.values, np.array(places, np.int64))
        whole = len(texts) == len(self.texts)
        return Typed(texts, values if whole else occurring(values))

    def cells(self) -> list[Any]:
        """Return the values as Python has them."""
        if isinstance(self.values, list):
            return self.values
        found: list[Any] = self.values.to_pylist()
        return found

    def _of_other(self, texts: tuple[str | None, ...]) -> "Typed | None":
        """Return texts that are not all the column's, if it is one of text."""
        kind, coded = self.type, False
        if kind is not None and pa.types.is_dictionary(kind):
            kind, coded = kind.value_type, True
        if kind not in (pa.string(), pa.large_string(), pa.string_view()):
            return None
        values = pa.array(texts, kind)
        return Typed(texts, values.dictionary_encode() if coded else values)


def taken(values: Any, places: IntArray) -> Any:
    """Return the values of an Arrow column at some places."""
    if values.type == pa.string_view():  # of these Arrow takes none
        texts = values.cast(pa.large_string())
        return texts.take(pa.array(places)).cast(values.type)
    return values.take(pa.array(places))


def occurring(values: Any) -> Any:
    """Return an Arrow array whose dictionary, if it has one, has what occurs alone."""
    if not pa.types.is_dictionary(values.type):
        return values
    indices = values.indices.drop_null()
    used = np.unique(np.from_dlpack(indices.cast(pa.int64())))
    place = np.full(len(values.dictionary), -1)
    place[used] = np.arange(len(used))
    codes = [None if code is None else int(place[code]) for code in _codes(values)]
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, values.type.index_type),
        values.dictionary.take(pa.array(used)),
        ordered=values.type.ordered,
    )


def _codes(values: Any) -> list[int | None]:
    codes: list[int | None] = values.indices.to_pylist()
    return codes


def typed_columns(arrow: Any, table: Table) -> dict[str, Typed]:
    """Return what the texts of a table stand for in the Arrow table it was made of.

    Both have the same rows; the Arrow table may have more columns.
    """
    found = {}
    for column in table.names:
        texts, codes = table.dictionary(column), table.column(column)
        first = np.empty(len(texts), np.int64)
        first[codes[::-1]] = np.arange(table.n - 1, -1, -1)  # the last one stays
        values = taken(arrow.column(column), first)
        if isinstance(values, pa.ChunkedArray):
            if pa.types.is_dictionary(values.type):
                values = values.unify_dictionaries()
            values = values.combine_chunks()
        if isinstance(values, pa.ChunkedArray):  # several, where texts are very long
            continue
        found[column] = Typed(texts, values)
    return found
