"""The table of people: text cells as integer codes, and its row types."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from starmin.instances.arguments import expect_names, nearest
from starmin.instances.arrays import Bools, Int32s, IntArray, Ints
from starmin.instances.errors import TableError
from starmin.instances.tables.dictionaries import Dictionaries, Texts, coded
from starmin.instances.tables.grouping import (
    COMPILED_FROM,
    Grouping,
    codes_that_occur,
    group_by,
)
from starmin.instances.tables.names import counted, expect_columns, expect_different

# What is never published of a column, decided before any group is formed.


class Floor(ABC):
    """The coarsest cells that a column starts from, whoever is in a group.

    A table with floors holds the coarse cells themselves; how they were made stands
    beside them, so that losses are counted from the values below.
    """

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """Return what makes it, and nothing of the cells."""


@dataclass(frozen=True, eq=False)
class RowTypes:
    """The distinct rows of a table, with multiplicities."""

    codes: Int32s  # m x d, the QI codes of each type, in lexicographic order
    # m x q, the codes of the sensitive values; q = 0 for types by QI alone
    sensitive: Int32s
    counts: Ints  # s(t): how many rows are of each type
    inverse: Int32s  # for each row of ``Table.codes`` its type
    row_counts: Ints | None = None  # how often each of these rows occurs; None: once

    def __len__(self) -> int:
        return len(self.counts)


@dataclass(frozen=True, eq=False)
class Table:
    """A table of text, its quasi-identifiers (QI) and sensitive columns named.

    Every cell is text and is kept byte for byte; a missing cell (``None``) is a
    category of its own. Inside, a column is an array of int32 codes into its dictionary
    of distinct values: 10 million rows by 10 columns take 400 MB. Raises TableError: no
    rows, duplicate or empty names, an unknown column, no QI column, or a column that is
    both QI and sensitive; ValueError: names, codes and dictionaries are not equally
    many.

    Parameters
    ----------
    names
        The columns, in the order in which they are published.
    codes
        ``len(names)`` x n, each column contiguous.
    dictionaries
        For each column its distinct values; codes index it.
    qi, sensitive
        Names of the QI columns and of the sensitive ones (none, one or several).
    name
        What errors and results call the table: a path, or ``instance:NAME``.
    counts
        How often each of the rows in ``codes`` occurs; None: once. A *counted* table
        holds distinct rows alone, so that its size does not depend on ``n``.
    floors
        Of the columns whose cells were made coarser before, how: see ``Floors``.

    Examples
    --------
    >>> table = Table.from_rows(["age", "ill"], [["30", "a"], ["30", "b"]],
    ...                         qi=["age"], sensitive=["ill"])
    >>> table.n, table.d, len(table.row_types), len(table.sensitive_types)
    (2, 1, 1, 2)
    """

    names: tuple[str, ...]
    codes: Int32s
    dictionaries: Sequence[Texts]
    qi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    name: str = "table"
    counts: Ints | None = None
    floors: Mapping[str, Floor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not len(self.names) == len(self.codes) == len(self.dictionaries):
            raise ValueError(
                f"Expected codes and dictionaries of {len(self.names)} columns, "
                f"got {len(self.codes)} and {len(self.dictionaries)}."
            )
        expect_different(self.name, self.names)
        if self.n == 0:
            raise TableError(f"{self.name}: no rows; expected at least one")
        if not self.qi:
            raise TableError(f"{self.name}: no quasi-identifier column; name some")
        expect_columns(self.name, (*self.qi, *self.sensitive), self.names)
        named = {"quasi-identifier": self.qi, "sensitive column": self.sensitive}
        for what, roles in named.items():
            if len(set(roles)) < len(roles):
                raise TableError(f"{self.name}: a {what} is named twice")
        if both := set(self.qi) & set(self.sensitive):
            column = sorted(both)[0]
            raise TableError(
                f"{self.name}: column {column!r} is both quasi-identifier and "
                "sensitive; name it as one of them"
            )

    def __repr__(self) -> str:
        parts = [f"quasi-identifiers {', '.join(self.qi)}"]
        if self.sensitive:
            parts.append(f"sensitive {', '.join(self.sensitive)}")
        return f"Table({self.name}: {counted(self.n, 'row')}; {'; '.join(parts)})"

    @classmethod
    def from_rows(
        cls,
        names: Sequence[str],
        rows: Iterable[Sequence[str | None]],
        qi: Sequence[str],
        sensitive: Sequence[str] = (),
        name: str = "table",
    ) -> "Table":
        """Build a table from rows of text (small tables; files have ``read``).

        ``rows`` have their cells in the order of ``names``, None where one is missing;
        ``name`` is that of the table, for messages.
        """
        cells = list(rows)
        for number, row in enumerate(cells, start=1):
            if len(row) != len(names):
                raise TableError(
                    f"{name}: row {number} has {len(row)} cells, expected {len(names)}"
                )
        columns = [coded(row[j] for row in cells) for j in range(len(names))]
        codes = np.array([each for each, _ in columns], np.int32)
        codes = codes.reshape(len(names), len(cells))
        texts = tuple(each for _, each in columns)
        return cls(tuple(names), codes, texts, tuple(qi), tuple(sensitive), name)

    @property
    def n(self) -> int:
        """Number of rows, each as often as it occurs."""
        if self.counts is not None:
            return int(self.counts.sum())
        return int(self.codes.shape[1])

    @property
    def d(self) -> int:
        """Number of QI columns."""
        return len(self.qi)

    @cached_property
    def other(self) -> tuple[str, ...]:
        """Columns that are neither QI nor sensitive: published unchanged."""
        roles = {*self.qi, *self.sensitive}
        return tuple(c for c in self.names if c not in roles)

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where each column stands: some tables have thousands."""
        return {name: j for j, name in enumerate(self.names)}

    def _place(self, name: str) -> int:
        try:
            return self._places[name]
        except KeyError:
            raise ValueError(f"{self.name}: no column {name!r}") from None

    def column(self, name: str) -> Int32s:
        """Return the n codes of a column."""
        codes: Int32s = self.codes[self._place(name)]
        return codes

    def dictionary(self, name: str) -> Texts:
        """Return the distinct values of a column; codes index it."""
        return self.dictionaries[self._place(name)]

    @cached_property
    def texts(self) -> Dictionaries:
        """The dictionaries, of which some may be written as text later."""
        if isinstance(self.dictionaries, Dictionaries):
            return self.dictionaries
        return Dictionaries(self.dictionaries)

    def sizes(self, names: Sequence[str]) -> list[int]:
        """Return how many distinct values the dictionaries of columns have."""
        every = self.texts.sizes
        return [every[self._place(name)] for name in names]

    def where(self, column: str, text: str | None) -> str:
        """Name, for a message, the first cell of a column with a text that occurs."""
        code = self.dictionary(column).index(text)
        row = int(np.argmax(self.column(column) == code)) + 1
        return f"{self.name}: row {row}, column {column!r}"

    def cells(self, name: str) -> list[str | None]:
        """Return the n cells of a column as text."""
        values = np.array(self.dictionary(name), dtype=object)
        return list(values[self.column(name)])

    def rows(self) -> list[tuple[str | None, ...]]:
        """Return all rows as text (small tables)."""
        return list(zip(*(self.cells(c) for c in self.names), strict=True))

    @cached_property
    def qi_cardinalities(self) -> tuple[int, ...]:
        """Size of each QI column's dictionary."""
        return tuple(self.sizes(self.qi))

    @cached_property
    def row_types(self) -> RowTypes:
        """Distinct rows by QI."""
        return self._types(())

    @cached_property
    def sensitive_types(self) -> RowTypes:
        """Distinct rows by QI and sensitive values."""
        return self._types(self.sensitive) if self.sensitive else self.row_types

    def _types(self, sensitive: Sequence[str]) -> RowTypes:
        groups = self.grouped((*self.qi, *sensitive))
        return RowTypes(
            self._cells(self.qi, groups.first),
            self._cells(sensitive, groups.first),
            groups.summed(self.counts),
            groups.inverse,
            self.counts,
        )

    def grouped(self, columns: Sequence[str]) -> Grouping:
        """Group rows, each counted once, that agree on some columns."""
        return group_by([self.column(c) for c in columns], self.sizes(columns))

    def text_counts(self, column: str) -> dict[str | None, int]:
        """Return how many rows have each text that occurs in a column, by its codes.

        Examples
        --------
        >>> table = Table.from_rows(["a"], [["y"], ["x"], ["y"]], qi=["a"])
        >>> table.text_counts("a")
        {'y': 2, 'x': 1}
        """
        counts = np.bincount(self.column(column), self.counts).astype(np.int64)
        texts, found = self.dictionary(column), dict[str | None, int]()
        for code in np.flatnonzero(counts).tolist():
            found[texts[code]] = found.get(texts[code], 0) + int(counts[code])
        return found

    def positions(self, columns: Sequence[str]) -> Ints:
        """Return where columns stand in ``codes``."""
        return np.array([self._place(c) for c in columns], np.int64)

    def _cells(self, columns: Sequence[str], rows: Ints) -> Int32s:
        """Return the codes of some cells, by rows."""
        at = self.positions(columns)
        if len(rows) >= COMPILED_FROM:
            from starmin.instances.tables.table_loops import gather

            cells: Int32s = gather(self.codes, at, rows)
            return cells
        return np.ascontiguousarray(self.codes[np.ix_(at, rows)].T)

    def with_roles(self, qi: Sequence[str], sensitive: Sequence[str] = ()) -> "Table":
        """Return the same cells under other roles."""
        return replace(
            self,
            qi=expect_names("qi", qi),
            sensitive=expect_names("sensitive", sensitive),
        )

    def recoded(self, columns: Mapping[str, tuple[IntArray, Texts]]) -> "Table":
        """Return the table with other cells in some columns: codes, and their texts.

        Examples
        --------
        >>> table = Table.from_rows(["a"], [["x"], ["y"]], qi=["a"])
        >>> table.recoded({"a": (np.array([1, 1]), ("y", "*"))}).cells("a")
        ['*', '*']
        """
        codes, dictionaries = self.codes.copy(), self.texts.copy()
        for column, (numbers, texts) in columns.items():
            at = self._place(column)
            codes[at], dictionaries[at] = numbers, texts
        return replace(self, codes=codes, dictionaries=dictionaries)

    def starred(self, star: str, where: Mapping[str, Bools]) -> "Table":
        """Return the table with stars in some columns, where these say so by row."""
        found = {}
        for column, rows in where.items():
            texts = self.dictionary(column)
            codes = np.where(rows, np.int32(len(texts)), self.column(column))
            found[column] = codes, (*texts, star)
        return self.recoded(found)

    def beside(self, other: "Table", columns: Sequence[str]) -> "Table":
        """Return the table with columns of another one that has as many rows.

        Examples
        --------
        >>> table = Table.from_rows(["a"], [["x"], ["y"]], qi=["a"])
        >>> more = Table.from_rows(["a", "b"], [["x", "1"], ["y", "2"]], qi=["a"])
        >>> table.beside(more, ["b"]).rows()
        [('x', '1'), ('y', '2')]
        """
        codes = [other.column(column) for column in columns]
        return replace(
            self,
            names=(*self.names, *columns),
            codes=np.vstack([self.codes, *codes]),
            dictionaries=self.texts.joined(other.texts, map(other._place, columns)),
        )

    def drop(self, columns: Sequence[str]) -> "Table":
        """Return the table without some columns."""
        columns = expect_names("columns", columns)
        expect_columns(self.name, columns, self.names, "to drop")
        kept = [j for j, c in enumerate(self.names) if c not in columns]
        return replace(
            self,
            names=tuple(self.names[j] for j in kept),
            codes=self.codes[kept],
            dictionaries=self.texts.copy(kept),
            qi=tuple(c for c in self.qi if c not in columns),
            sensitive=tuple(c for c in self.sensitive if c not in columns),
            floors={c: f for c, f in self.floors.items() if c not in columns},
        )

    def used(self) -> "Table":
        """Return the same cells with dictionaries of the texts that occur alone.

        What stands in no cell any more, as a value that is hidden, must not reach a
        file by a dictionary.

        Examples
        --------
        >>> table = Table.from_rows(["a"], [["x"], ["y"]], qi=["a"])
        >>> table.take(np.array([1])).used().dictionaries
        (('y',),)
        """
        codes, sizes = self.codes, np.array(self.texts.sizes)
        dictionaries = self.texts.copy()
        for j in np.flatnonzero(codes_that_occur(codes, sizes) < sizes).tolist():
            occurs = np.bincount(self.codes[j], minlength=sizes[j]) > 0
            if codes is self.codes:
                codes = self.codes.copy()
            codes[j] = (np.cumsum(occurs) - 1)[self.codes[j]]
            dictionaries[j] = tuple(compress(self.dictionaries[j], occurs.tolist()))
        return replace(self, codes=codes, dictionaries=dictionaries)

    def take(self, rows: IntArray) -> "Table":
        """Return the rows of the given indices, in that order."""
        counts = None if self.counts is None else self.counts[rows]
        codes = np.ascontiguousarray(self.codes[:, rows])
        return replace(self, codes=codes, counts=counts)


def expect_qi(table: Table, columns: Iterable[str], what: str) -> None:
    """Raise TableError where ``what`` is told of a column that is no QI column."""
    for column in columns:
        if column not in table.qi:
            raise TableError(
                f"{table.name}: column {column!r} {what} but is not a quasi-identifier"
                f"{nearest(column, table.qi)}; these are: {', '.join(table.qi)}"
            )


# Cells that hold several values: read as sets, whose order does not matter.

SEPARATORS = "|;,"  # of sets that are noticed


def as_sets(
    table: Table,
    separators: Mapping[str, str],
    option: str = "--sets",
    like: Table | None = None,
) -> Table:
    """Return a table in which cells with the same parts have the same text.

    Their text is that of the first of them. Blanks around a part, and parts that are
    there again, do not count. Raises TableError where there is no such column.

    Parameters
    ----------
    separators
        By column what separates the parts of a cell; errors call it ``option``.
    like
        A table whose texts are taken where it has the same parts.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["x|y"], ["y|x"], ["y"]], qi=["a"])
    >>> as_sets(table, {"a": "|"}).cells("a")
    ['x|y', 'x|y', 'y']
    """
    if not separators:
        return table
    columns = {}
    for column, sep in separators.items():
        if column not in table.names:
            raise TableError(
                f"{table.name}: {option}: no column {column!r}"
                f"{nearest(column, table.names)}"
            )
        first = dict[frozenset[str] | None, str | None]()
        before = () if like is None else like.dictionary(column)
        texts = table.dictionary(column)
        for text in (*before, *texts):
            first.setdefault(_parts(text, sep), text)
        codes, different = coded(first[_parts(text, sep)] for text in texts)
        columns[column] = codes[table.column(column)], different
    return table.recoded(columns)


def _parts(text: str | None, sep: str) -> frozenset[str] | None:
    if text is None:
        return None
    return frozenset(part.strip() for part in text.split(sep))


def same_parts(texts: Iterable[str | None]) -> tuple[str, str, str] | None:
    """Return two texts with the same parts in another order, and what separates them.

    >>> same_parts(["a|b", "c", "b|a"])
    ('a|b', 'b|a', '|')
    """
    there = [text for text in texts if text]
    for sep in SEPARATORS:
        seen: dict[tuple[str, ...], str] = {}
        for text in there:
            if sep not in text:
                continue
            key = tuple(sorted(part.strip() for part in text.split(sep)))
            other = seen.setdefault(key, text)
            if other != text and len(set(key)) > 1:
                return other, text, sep
    return None
