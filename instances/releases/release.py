"""Releases of a table: what all share, and the first way to do so, suppression."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from starmin.instances.arguments import expect_kind
from starmin.instances.arrays import Bools, IntArray
from starmin.instances.errors import TableError
from starmin.instances.releases.partitions.partial_partition import PartialPartition
from starmin.instances.releases.partitions.partition import Partition
from starmin.instances.tables.table import Table


class ReleasedTable(ABC):
    """A release of one table."""

    @property
    @abstractmethod
    def published(self) -> Table:
        """The released table, rows in order."""

    def tables(self, order: IntArray | None = None) -> dict[str, Table]:
        """Return the files to write by the suffix of the name; rows in this order."""
        published = self.published
        return {"": published if order is None else published.take(order)}


@dataclass(frozen=True, eq=False)
class GroupRelease(ReleasedTable):
    """A table published such that the rows of a group cannot be told apart."""

    table: Table  # the original
    partition: Partition

    def __post_init__(self) -> None:
        expect_kind("table", self.table, Table)
        expect_kind("partition", self.partition, Partition)
        if (rows := int(self.partition.sizes.sum())) != self.table.n:
            raise ValueError(
                f"Expected a group for each of {self.table.n} rows, got {rows}."
            )

    @property
    @abstractmethod
    def starred(self) -> Bools:
        """Groups x d: which QI columns are stars in which groups."""

    @property
    @abstractmethod
    def gcp(self) -> float:
        """The global certainty penalty of what is published, from 0 to 1."""

    @property
    def groups(self) -> IntArray:
        """For each row its group."""
        return self.partition.groups

    @property
    def stars(self) -> int:
        """Number of suppressed cells."""
        return int(self.partition.sizes @ self.starred.sum(axis=1))

    @property
    def suppressed_tuples(self) -> int:
        """Number of rows with a suppressed cell."""
        return int(self.partition.sizes @ self.starred.any(axis=1))


@dataclass(frozen=True, eq=False)
class Release(GroupRelease):
    """A table published by suppression: stars where the rows of a group differ.

    Parameters
    ----------
    table
        The original.
    partition
        The groups.
    star
        The symbol for a suppressed cell.

    Raises
    ------
    TableError
        A QI cell of the original is the star symbol already.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> Release(table, Partition.single(table)).published.rows()
    [('*', 'x'), ('*', 'x')]
    """

    star: str = "*"

    def __post_init__(self) -> None:
        check_star(self.table, self.star)
        super().__post_init__()

    @cached_property
    def starred(self) -> Bools:
        """Groups x d: which QI columns are stars in which groups."""
        return self.partition.starred(self.table)

    @property
    def gcp(self) -> float:
        return self.stars / (self.table.n * self.table.d)

    @cached_property
    def published(self) -> Table:
        """The released table: stars in QI cells, all other cells as they were."""
        codes = self.table.codes.copy()
        dictionaries = self.table.texts.copy()
        for j, column in enumerate(self.table.qi):
            at = self.table.names.index(column)
            rows = self.starred[:, j][self.partition.groups]
            codes[at, rows] = len(dictionaries[at])
            dictionaries[at] = (*dictionaries[at], self.star)
        return replace(self.table, codes=codes, dictionaries=dictionaries)


def check_star(table: Table, star: str) -> None:
    """Raise TableError where a QI cell equals the star symbol."""
    for column in table.qi:
        dictionary = table.dictionary(column)
        if star in dictionary:
            rows = np.flatnonzero(table.column(column) == dictionary.index(star))
            if len(rows) == 0:
                continue
            raise TableError(
                f"{table.name}: row {rows[0] + 1}, column {column!r} holds the star "
                f"symbol {star!r}; choose another one (--star)"
            )


def deleted_rows(best: object) -> int:
    """Return how many rows of a table are deleted by what was found of it."""
    return best.deleted if isinstance(best, PartialPartition) else 0


def kept_of(table: Table, best: Any) -> tuple[Table, Any]:
    """Return the rows that are kept of a table, and what was found of these.

    ``table`` is the original, and ``best`` what a method found.
    """
    if not isinstance(best, PartialPartition):
        return table, best
    return table.take(best.kept), best.of_kept
