"""Ask for groups of k rows: of one k, or of the k that each record asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from starmin.instances.arguments import Option, expect_kind, expect_whole, nearest
from starmin.instances.arrays import Bools, Ints
from starmin.instances.errors import TableError
from starmin.instances.requirements.group_stats import (
    GroupStats,
    Measure,
    Measured,
    SensitiveCounts,
)
from starmin.instances.requirements.requirement import (
    Core,
    PlainGroup,
    Requirement,
    Stated,
)
from starmin.instances.requirements.rule_options import COMBINATIONS, is_bare
from starmin.instances.tables.names import counted, number_word, some_of
from starmin.instances.tables.table import Table

# Personal privacy: each record asks for a group size of its own.

K_COLUMN = Option(
    "k_column",
    str,
    "Column that says for each row how many must look alike: its own K.",
    metavar="NAME",
    is_column=True,
)

# More rows than there can be.
_HUGE = 2**62
# A number of so many digits is below it for certain.
_DIGITS = 18


@dataclass(frozen=True)
class PerRowK(Requirement):
    """Every group has at least as many rows as any of its rows asks for.

    The number that a row asks for is a whole number in ``column``, which is neither a
    QI nor a sensitive column. Monotone: a union has at least as many rows as the part
    in which the most demanding of its rows is. Raises TableError when groups are
    checked: a row of theirs asks for no such number.

    Examples
    --------
    >>> table = Table.from_rows(["a", "k"], [["0", "1"], ["0", "3"], ["1", "1"]],
    ...                         qi=["a"])
    >>> stats = GroupStats.of(table, np.array([0, 0, 1]))
    >>> PerRowK.of(table, "k").holds(stats).tolist()
    [False, True]
    """

    name = "k-column"
    options = (K_COLUMN,)

    column: str

    def __post_init__(self) -> None:
        expect_kind("column", self.column, str)

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> "PerRowK | None":
        return None if stated[K_COLUMN] is None else cls.of(table, stated[K_COLUMN])

    @classmethod
    def example(cls, table: Table) -> "PerRowK | None":
        for column in table.other:
            if all(map(_is_count, table.dictionary(column))):
                return cls(column)
        return None

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def sentence(self, table: Table, recoding: str) -> str:
        return (
            f"By {some_of(table.qi)}, everybody looks like at least as many people as "
            f"that person asked for, in the column {self.column}."
        )

    @classmethod
    def of(cls, table: Table, column: str) -> "PerRowK":
        """Return the requirement, its column checked.

        Raises TableError: no such column, a QI or a sensitive one, or a cell that is
        not a whole number >= 1.
        """
        expect_kind("table", table, Table)
        if column not in table.names:
            raise TableError(
                f"{table.name}: no column {column!r} of group sizes"
                f"{nearest(column, table.other)}"
            )
        if column not in table.other:
            raise TableError(
                f"{table.name}: column {column!r} of group sizes is a "
                "quasi-identifier or sensitive column; name another one"
            )
        labels = table.dictionary(column)
        bad = [not _is_count(label) for label in labels]
        rows = np.flatnonzero(np.array(bad, bool)[table.column(column)])
        if len(rows):
            row = int(rows[0])
            raise TableError(
                f"{table.name}: row {row + 1}, column {column!r} holds "
                f"{labels[table.column(column)[row]]!r}; expected a whole number >= 1"
            )
        return cls(column)

    def holds(self, stats: GroupStats) -> Bools:
        return stats.sizes >= self._asked(stats)

    def allows(self, group: PlainGroup) -> bool:
        asked = [int(group.columns[self.column][row] or 0) for row in group.rows]
        return group.size >= max(asked)

    def why_not(self, group: int, stats: GroupStats) -> str:
        asked = int(self._asked(stats)[group])
        return (
            f"{counted(stats.sizes[group], 'row')}, fewer than the k = {asked} that "
            f"one of them asks for in column {self.column!r}"
        )

    def as_json(self) -> dict[str, Any]:
        return {"k_column": self.column}

    def _asked(self, stats: GroupStats) -> Ints:
        counts: SensitiveCounts = stats.tally(self.column)
        labels = counts.labels
        digits = [each.lstrip("0") if _is_count(each) else "0" for each in labels]
        known = [int(each) if len(each) <= _DIGITS else _HUGE for each in digits]
        numbers = np.array(known, np.int64)[counts.value]
        if not numbers.all():
            label = counts.labels[counts.value[int(np.argmin(numbers))]]
            raise TableError(
                f"column {self.column!r} of group sizes holds {label!r}; expected "
                "whole numbers >= 1"
            )
        return np.maximum.reduceat(numbers, counts.starts)


def _is_count(label: str | None) -> TypeGuard[str]:
    """Check whether a cell is a whole number >= 1, of any number of digits."""
    if label is None or not label.isascii() or not label.isdigit():
        return False
    return label.strip("0") != ""


K = Option("k", int, "Each group has at least K rows, which look alike.")


@dataclass(frozen=True)
class KAnonymity(Requirement):
    """Every group has at least ``k`` rows.

    Examples
    --------
    >>> KAnonymity(3).holds(GroupStats.given([2, 3])).tolist()
    [False, True]
    """

    name = "k"
    options = (K,)
    measure = Measure(
        "k", "k", "rows of the smallest class", "k", "{} in the smallest class"
    )

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", expect_whole("k", self.k, 2))

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> "KAnonymity | None":
        # With sizes alone it is the k of combinations.
        if stated[K] is None or (
            stated.tells(COMBINATIONS) and is_bare(stated[COMBINATIONS])
        ):
            return None
        return cls(stated[K])

    @classmethod
    def example(cls, table: Table) -> "KAnonymity":
        return cls(3)

    @classmethod
    def measured(cls, found: Measured, parts: Sequence[Requirement]) -> int:
        return int(found.stats.sizes.min())

    @property
    def core(self) -> Core:
        return Core(size=self.k)

    def sentence(self, table: Table, recoding: str) -> str:
        columns, others = some_of(table.qi), number_word(self.k - 1)
        if recoding == "nonhomogeneous":
            return (
                f"By {columns}, each published row may be that of any of at least "
                f"{number_word(self.k)} people, each of whom may as well be any of as "
                "many rows."
            )
        alike = "be told apart from"
        who = "nobody in this table can"
        if recoding == "permutation":
            who, alike = "nobody's sensitive values can", f"{alike} those of"
        others += f" other{'' if self.k == 2 else 's'}"
        return f"By {columns}, {who} {alike} fewer than {others}."

    def holds(self, stats: GroupStats) -> Bools:
        return stats.sizes >= self.k

    def allows(self, group: PlainGroup) -> bool:
        return group.size >= self.k

    def why_not(self, group: int, stats: GroupStats) -> str:
        return f"{counted(stats.sizes[group], 'row')}, fewer than k = {self.k}"

    def as_json(self) -> dict[str, Any]:
        return {"k": self.k}
