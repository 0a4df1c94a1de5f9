"""What stands beside the cells of a file: types, labels, declared missing codes.

``Beside.only`` is the one place where it is brought in line with what is published.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from starmin.instances.arrays import IntArray
from starmin.instances.tables.table import Table


def _without(entries: Mapping[str, Any], column: str) -> dict[str, Any]:
    return {name: entry for name, entry in entries.items() if name != column}


# What files of SPSS, Stata and SAS say in words of their columns and codes.


@dataclass(frozen=True)
class Labels:
    """The labels of a file.

    Attributes
    ----------
    columns, values
        In words, by column what it is, and what a value stands for, by its text.
    measures
        By column ``nominal``, ``ordinal`` or ``scale``; only SPSS has them.
    title
        Of the file.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    title: str = ""

    def without(self, column: str) -> "Labels":
        """Return the labels of all other columns."""
        each = self.columns, self.values, self.measures
        columns, values, measures = (_without(entries, column) for entries in each)
        return Labels(columns, values, measures, self.title)

    def only(
        self, published: Mapping[str, Collection[str | None]], whole: Collection[str]
    ) -> "Labels":
        """Return the labels of the columns, and of the values, that are published.

        ``published`` has by column the texts that occur; in the columns ``whole``
        nothing was hidden, and their values keep all labels.

        Examples
        --------
        >>> labels = Labels(values={"area": {"1": "north", "2": "Chief's village"}})
        >>> labels.only({"area": ["1", "*"]}, whole=[]).values
        {'area': {'1': 'north'}}
        """
        values = {}
        for column, texts in published.items():
            known = self.values.get(column, {})
            if column not in whole:
                occur = set(texts)
                known = {text: said for text, said in known.items() if text in occur}
            if known:
                values[column] = known
        return replace(
            self,
            columns={c: said for c, said in self.columns.items() if c in published},
            values=values,
            measures={c: kind for c, kind in self.measures.items() if c in published},
        )


# What the texts of a column stand for in the type that its file gives it.


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
    codes = [None if c is None else int(place[c]) for c in values.indices.to_pylist()]
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, values.type.index_type),
        values.dictionary.take(pa.array(used)),
        ordered=values.type.ordered,
    )


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


# The least and the greatest code of a range that a file declares to be missing; both
# are numbers, or both are the same text.
Span = tuple[Any, Any]
_BY_COLUMN = ("typed", "missing", "formats", "storage", "pandas")


@dataclass(frozen=True)
class Beside:
    """What a file says of its columns, beside their cells.

    Attributes
    ----------
    labels
        Of columns and values, in words.
    typed
        By column what its texts stand for.
    missing
        By column the codes that the file declares to be missing, as SPSS does; they
        are values like others.
    formats
        By column how its program shows it, as ``F8.2`` or ``%9.0g``.
    storage
        By column the type of numbers in which Stata keeps it, dates included.
    pandas
        By column the entry in the metadata that pandas writes into Parquet files.
    index
        Which of these columns are an index of pandas.
    """

    labels: Labels = field(default_factory=Labels)
    typed: Mapping[str, Typed] = field(default_factory=dict)
    missing: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    storage: Mapping[str, str] = field(default_factory=dict)
    pandas: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    index: tuple[str, ...] = ()

    def without(self, column: str) -> "Beside":
        """Return it without what is said of a column, whose values become others."""
        kept = {name: _without(getattr(self, name), column) for name in _BY_COLUMN}
        index = tuple(name for name in self.index if name != column)
        return replace(self, **kept, labels=self.labels.without(column), index=index)

    def codes(self, table: Table) -> dict[str, list[str]]:
        """Return by column the texts of a table that are declared to be missing."""
        found = dict[str, list[str]]()
        for column, spans in self.missing.items():
            if column in table.names:
                texts = [text for text in table.text_counts(column) if text]
                inside = [t for t in texts if any(_in(t, span) for span in spans)]
                found |= {column: inside} if inside else {}
        return found

    def only(self, published: Table) -> "Beside":
        """Return what may stand beside the cells of a release.

        A column in which nothing is hidden keeps all. Of any other one there is what
        concerns the values that are published: their labels and missing codes, and
        their types, where none of them is a star or a range. The dictionaries of the
        release hold what occurs alone.
        """
        texts = {name: published.dictionary(name) for name in published.names}
        before = {name: known for name, known in self.typed.items() if name in texts}
        whole = {name for name, known in before.items() if known.are(texts[name])}
        typed = {
            name: values
            for name, known in before.items()
            if (values := known.of(texts[name])) is not None
        }
        missing = {}
        for name, spans in self.missing.items():
            if name in whole:
                missing[name] = spans
            elif found := _published(spans, texts.get(name, ()), name in typed):
                missing[name] = found
        return Beside(
            self.labels.only(texts, whole),
            typed,
            missing,
            {c: form for c, form in self.formats.items() if c in typed},
            {c: kind for c, kind in self.storage.items() if c in typed},
            {c: entry for c, entry in self.pandas.items() if c in whole},
            tuple(c for c in self.index if c in whole),
        )


def _published(
    spans: Iterable[Span], texts: Iterable[str | None], typed: bool
) -> tuple[Span, ...]:
    """Return what is left of declared codes where some values are hidden.

    Each range is narrowed to the values in it that are published; in a column that
    became text they are named one by one.
    """
    found: list[Span] = []
    for span in spans:
        inside = [text for text in texts if text is not None and _in(text, span)]
        if typed and inside and not isinstance(span[0], str):
            numbers = [float(text) for text in inside]
            found.append((min(numbers), max(numbers)))
        else:
            found += [(text, text) for text in inside]
    return tuple(found)


def _in(text: str, span: Span) -> bool:
    low, high = span
    if isinstance(low, str):
        return text == low
    try:
        return bool(low <= float(text) <= high)
    except ValueError:
        return False
