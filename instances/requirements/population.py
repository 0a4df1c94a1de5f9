"""The people among whom released rows must not stand out, as a table or counts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from starmin.instances.arguments import expect_kind, nearest
from starmin.instances.arrays import Ints
from starmin.instances.errors import TableError
from starmin.instances.tables.dictionaries import coded
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.table import Table

_DIGITS = 15  # so that sums of counts stay exact


@dataclass(frozen=True, eq=False)
class Population:
    """A table of the people that a sample was drawn from, or counts of them.

    >>> people = Table.from_rows(["county", "n"], [["Ada", "400"], ["Bo", "9"]],
    ...                          qi=["county"])
    >>> counties = Population.of(people, "n")
    >>> sample = Table.from_rows(["county"], [["Bo"], ["Ada"], ["Cy"]], qi=["county"])
    >>> counties.counts_of(sample, ["county"]).tolist()
    [9, 400, 0]
    """

    # its columns have the names of those of the sample; ``counts`` says how many people
    # a row stands for, None: one
    table: Table

    def __post_init__(self) -> None:
        expect_kind("table", self.table, Table)

    @classmethod
    def of(cls, table: Table, count: str | None = None) -> "Population":
        """Take the people of a table; ``count`` names the column of how many they are.

        Raises TableError where there is no such column, or a cell of it is no whole
        number.
        """
        if count is None:
            return cls(table)
        if count not in table.names:
            raise TableError(
                f"{table.name}: no column {count!r} of counts"
                f"{nearest(count, table.names)}"
            )
        labels = table.dictionary(count)
        numbers = np.zeros(len(labels), np.int64)
        for code in np.unique(table.column(count)):
            text = labels[code] or ""
            if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
                raise TableError(
                    f"{table.where(count, labels[code])} holds {labels[code]!r}; "
                    "expected a whole number of people"
                )
            numbers[code] = int(text)
        counts = numbers[table.column(count)]
        if table.counts is not None:
            counts = counts * table.counts
        people = table.with_roles([c for c in table.names if c != count])
        return cls(replace(people.drop([count]), counts=counts))

    @property
    def size(self) -> int:
        """How many people there are."""
        return self.table.n

    def has(self, columns: Sequence[str]) -> bool:
        """Whether it knows all of some columns."""
        return set(columns) <= set(self.table.names)

    def counts_of(self, table: Table, columns: Sequence[str]) -> Ints:
        """Count, for each row of a sample, the people that agree with it.

        ``columns`` are those on which they agree; without any, all people do.
        """
        people, rows = self.table, table.codes.shape[1]
        weights = people.counts
        if weights is None:
            weights = np.ones(people.codes.shape[1], np.int64)
        if not columns:
            return np.full(rows, int(weights.sum()), np.int64)
        joined = []
        for column in columns:
            known, both = people.dictionary(column), table.dictionary(column)
            number, _ = coded([*known, *both])
            own, other = number[: len(known)], number[len(known) :]
            cells = own[people.column(column)], other[table.column(column)]
            joined.append(np.concatenate(cells))
        groups = group_by(joined)
        among = groups.inverse[: len(weights)]
        # Exact: the sums are far below 2^53.
        sums = np.bincount(among, weights, minlength=groups.size).astype(np.int64)
        return np.asarray(sums[groups.inverse[len(weights) :]])

    def as_json(self) -> dict[str, Any]:
        """Return its columns and how many people it has."""
        return {"columns": list(self.table.names), "people": self.size}
