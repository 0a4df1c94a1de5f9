"""A requirement: every group has several values of a column."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starmin.instances import Requirement, Table
from starmin.instances.arguments import Option
from starmin.instances.arrays import Bools
from starmin.instances.requirements.group_stats import (
    GroupStats,
    Measure,
    Measured,
    Number,
)
from starmin.instances.requirements.requirement import PlainGroup, Stated

SPREAD = Option(
    "spread",
    str,
    "Column of which each group has several values.",
    metavar="NAME",
    is_column=True,
)


@dataclass(frozen=True)
class Spread(Requirement):
    """Every group has at least two different values of a column."""

    name = "spread"
    options = (SPREAD,)
    measure = Measure(
        "spread", "Spread", "values of the column in every group", "spread", "{} values"
    )

    column: str

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> "Spread | None":
        return None if stated[SPREAD] is None else cls(stated[SPREAD])

    @classmethod
    def example(cls, table: Table) -> "Spread":
        return cls(table.names[-1])

    @classmethod
    def measured(cls, found: Measured, parts: Sequence[Requirement]) -> Number:
        asked = [part for part in parts if isinstance(part, cls)]
        each = [part._values(found.stats).min() for part in asked]
        return int(min(each)) if each else None

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def sentence(self, table: Table, recoding: str) -> str:
        return f"In each group there are at least two values of {self.column}."

    def holds(self, stats: GroupStats) -> Bools:
        return self._values(stats) >= 2

    def _values(self, stats: GroupStats) -> Any:
        return stats.tally(self.column).distinct()

    def allows(self, group: PlainGroup) -> bool:
        return len({group.columns[self.column][row] for row in group.rows}) >= 2

    def why_not(self, group: int, stats: GroupStats) -> str:
        return f"one value of {self.column!r}"

    def as_json(self) -> dict[str, Any]:
        return {"spread": self.column}
