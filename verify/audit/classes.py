"""The classes of a release: what is published of rows alike, as boxes of values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import Table, group_by
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.tables.canonical import merge_equal_values
from starmin.verify.audit.nodes import ColumnNodes, column_nodes, expect_common
from starmin.verify.cells.cells import Cells


@dataclass(frozen=True, eq=False)
class Classes:
    """The rows of a release that are published alike, and what they may be."""

    released: Table  # equal values are merged
    columns: tuple[ColumnNodes, ...]  # its quasi-identifiers, in their order
    codes: Ints  # by class and column: the texts that are published
    sizes: Ints  # by class: the number of its rows
    of_row: Int32s  # by row: its class
    first: Ints  # by class: the first of its rows
    # rows of the original in the order of the release: for each column its values by
    # number; None where it is not at hand in this order
    truth: Ints | None = None

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.sizes)

    @cached_property
    def hidden(self) -> Bools:
        """For each class and column whether its cells are hidden."""
        by_column = [
            column.hidden[codes]
            for column, codes in zip(self.columns, self.codes.T, strict=True)
        ]
        return np.stack(by_column, axis=1)

    @cached_property
    def hidden_cells(self) -> int:
        """How many cells of the release are hidden."""
        return int((self.hidden.sum(axis=1) * self.sizes).sum())

    @cached_property
    def costs(self) -> Floats:
        """For each class what a row of it costs."""
        by_column = [
            column.losses[codes]
            for column, codes in zip(self.columns, self.codes.T, strict=True)
        ]
        return np.asarray(np.sum(by_column, axis=0))

    def boxes(self, j: int) -> Bools:
        """Return for each class and value of a column whether its rows may have it."""
        return np.asarray(self.columns[j].masks[self.codes[:, j]])

    def truly(self, j: int) -> Ints | None:
        """Return for each class and value of a column how many rows of it have it."""
        if self.truth is None:
            return None
        width = len(self.columns[j].leaves)
        known = self.truth[j] >= 0
        at = self.of_row[known].astype(np.int64) * width + self.truth[j][known]
        return np.bincount(at, minlength=self.number * width).reshape(-1, width)


def classes_of(
    releases: Sequence[Table],
    cells: Mapping[str, Cells],
    original: Table | None = None,
    aligned: Sequence[Table | None] | None = None,
    bounded: frozenset[str] = frozenset(),
) -> list[Classes]:
    """Return the classes of releases of one table.

    The releases have the same quasi-identifiers, and ``cells`` says what the cells of
    each column stand for. ``original`` is None where it is not at hand; ``aligned`` has
    for each release the original's rows in its order, or None. Of the columns
    ``bounded`` some nodes are left out: see ``column_nodes``.
    """
    qi = expect_common(releases)
    merged = [merge_equal_values(each) for each in releases]
    nodes = [
        column_nodes(merged, column, cells[column], original, column in bounded)
        for column in qi
    ]
    found = []
    for i, released in enumerate(merged):
        columns = tuple(each[i] for each in nodes)
        codes = [released.column(column) for column in qi]
        groups = group_by(codes, [len(released.dictionary(column)) for column in qi])
        texts = np.stack([code[groups.first] for code in codes], axis=1)
        source = aligned[i] if aligned is not None else None
        truth = None if source is None else _truth(source, columns)
        found.append(
            Classes(
                *(released, columns, texts.astype(np.int64), groups.counts),
                *(groups.inverse, groups.first, truth),
            )
        )
    return found


def _truth(source: Table, columns: Sequence[ColumnNodes]) -> Ints:
    """Return the values of the original's rows by number; -1: not among them."""
    rows = []
    for column in columns:
        place = {leaf: i for i, leaf in enumerate(column.leaves)}
        texts = source.dictionary(column.name)
        numbers = np.array([place.get(text, -1) for text in texts], np.int64)
        rows.append(numbers[source.column(column.name)])
    return np.stack(rows)
