"""What stands beside the cells of a file: types, labels, declared missing codes.

``Beside.only`` is the one place where it is brought in line with what is published.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from starmin.instances.io.labels import Labels
from starmin.instances.io.typed import Typed
from starmin.instances.tables.table import Table

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

        def left(entries: Mapping[str, Any]) -> dict[str, Any]:
            return {name: entry for name, entry in entries.items() if name != column}

        kept = {name: left(getattr(self, name)) for name in _BY_COLUMN}
        index = tuple(name for name in self.index if name != column)
        return replace(self, **kept, labels=self.labels.without(column), index=index)

    def codes(self, table: Table) -> dict[str, list[str]]:
        """Return by column the texts of a table that are declared to be missing."""
        found = dict[str, list[str]]()
        for column, spans in self.missing.items():
            if column in table.names:
                texts = [text for text in table.used().dictionary(column) if text]
                inside = [t for t in texts if any(_in(t, span) for span in spans)]
                found |= {column: inside} if inside else {}
        return found

    def only(self, published: Table) -> "Beside":
        """Return what may stand beside the cells of a release.

        A column in which nothing is hidden keeps all. Of any other one there is what
        concerns the values that are published: their labels and missing codes, and
        their types, where none of them is a star or a range.

        Parameters
        ----------
        published
            The release; its dictionaries hold what occurs alone.
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
