"""Texts of columns: which there are, and their places among those of other tables."""

from collections.abc import Sequence

import numpy as np

from starmin.instances import Table, group_by
from starmin.instances.arrays import Ints
from starmin.instances.tables.grouping import Grouping

Text = str | None


def present(table: Table, column: str) -> list[Text]:
    """Return the texts of a column that some row has."""
    return [*table.text_counts(column)]


def places_in(
    table: Table, column: str, texts: Sequence[Text], beyond: bool = False
) -> Ints:
    """Return for each row of a column the place of its text among some texts.

    Of equal texts it is the first one. Where there is none it is -1, or, if places go
    ``beyond`` the texts, one that only equal codes of the column have.
    """
    index = {text: place for place, text in reversed([*enumerate(texts)])}
    places = [
        index.get(text, len(texts) + code if beyond else -1)
        for code, text in enumerate(table.dictionary(column))
    ]
    return np.array(places, np.int64)[table.column(column)]


def in_common(
    tables: Sequence[Table], column: str
) -> tuple[list[Ints], tuple[Text, ...]]:
    """Return codes of a column of each table that all have in common, and their texts.

    Those of the first table come first.
    """
    index: dict[Text, int] = {}
    found = []
    for table in tables:
        codes = [index.setdefault(t, len(index)) for t in table.dictionary(column)]
        found.append(np.array(codes, np.int64)[table.column(column)])
    return found, tuple(index)


def kinds_in_common(tables: Sequence[Table], columns: Sequence[str]) -> Grouping:
    """Group the rows of tables, one below the other, by columns that all have."""
    codes, sizes = [np.zeros(sum(table.n for table in tables), np.int64)], [1]
    for column in columns:
        own, texts = in_common(tables, column)
        codes.append(np.concatenate(own))
        sizes.append(len(texts))
    return group_by(codes, sizes)
