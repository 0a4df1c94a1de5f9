"""Recursive (c, l)-diversity: the most frequent value is not too frequent."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from starmin.instances.arguments import expect_number
from starmin.instances.arrays import Bools, Ints
from starmin.instances.errors import TableError
from starmin.instances.option import Option
from starmin.instances.requirements.diversity.diversity import DIVERSITY, Diversity, L
from starmin.instances.requirements.group_stats import GroupStats, SensitiveCounts
from starmin.instances.requirements.plain_group import PlainGroup
from starmin.instances.requirements.ratios import exact, floor_times
from starmin.instances.requirements.requirement import (
    every,
    sensitive_counts,
)
from starmin.instances.requirements.stated import Stated
from starmin.instances.tables.plural import any_of, ordinal
from starmin.instances.tables.table import Table

C = Option("c", float, "The c of --diversity recursive.")


@dataclass(frozen=True)
class RecursiveDiversity(Diversity):
    """Recursive (c, l)-diversity: ``f_1 < c (f_l + f_(l+1) + .. + f_m)``.

    ``f_1 >= f_2 >= .. >= f_m`` are the counts of a group's sensitive values. Monotone:
    with ``T`` the sum of the l-1 largest counts the condition reads
    ``f_1 + c T < c n``. Both ``f_1`` and ``T`` are maxima of sums of counts over sets
    of values, hence at most the sum over the parts of a union, and n adds up.

    Examples
    --------
    >>> counts = SensitiveCounts.of([0] * 6, [0, 0, 0, 1, 1, 2], tuple("abc"))
    >>> stats = GroupStats.given([6], [counts])
    >>> [RecursiveDiversity(c, 2).holds(stats).item() for c in (1, 1.01)]
    [False, True]
    """

    name = "recursive"
    options = (L, DIVERSITY, C)
    kind = "recursive"

    c: float
    l: int

    def __post_init__(self) -> None:
        super().__post_init__()
        expect_number("c", self.c)
        if not 0 < self.c < np.inf:
            raise ValueError(f"Expected c > 0, got c = {self.c}.")

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> "RecursiveDiversity | None":
        if stated.tells(C) != (stated[DIVERSITY] == cls.kind):
            raise TableError(
                f"{stated.named(C)} and {stated.named(DIVERSITY, cls.kind)} need each "
                "other"
            )
        if not stated.tells(C) or stated[L] is None:
            return None
        return cls(stated[C], stated[L])

    @classmethod
    def example(cls, table: Table) -> "RecursiveDiversity | None":
        return cls(2.0, 2) if table.sensitive else None

    def sentence(self, table: Table, recoding: str) -> str:
        return (
            f"In each group of people who look alike, the most frequent value of "
            f"{any_of(table.sensitive)} has fewer than {self.c:g} times as many "
            f"rows as all values from the {ordinal(self.l)} most frequent one on."
        )

    def holds(self, stats: GroupStats) -> Bools:
        fits = [
            # f_1 < c * tail, for integers f_1, means f_1 < ceil(c * tail).
            column.largest() < -floor_times(-exact(self.c), self._tails(column))
            for column in sensitive_counts(stats)
        ]
        return every(fits)

    def _tails(self, column: SensitiveCounts) -> Ints:
        """Compute ``f_l + .. + f_m`` of each group."""
        order = np.lexsort((-column.count, column.group))
        rank = np.arange(len(order)) - column.starts[column.group]
        late = rank >= self.l - 1
        tails = np.bincount(
            column.group[late], column.count[order][late], minlength=len(column.sizes)
        )
        return tails.astype(np.int64)

    def allows(self, group: PlainGroup) -> bool:
        for values in group.sensitive:
            counts = sorted(Counter(values).values(), reverse=True)
            if counts[0] >= Fraction(str(self.c)) * sum(counts[self.l - 1 :]):
                return False
        return True

    def why_not(self, group: int, stats: GroupStats) -> str:
        for column in stats.counts:
            top, tail = int(column.largest()[group]), int(self._tails(column)[group])
            if top >= exact(self.c) * tail:
                break
        return (
            f"the most frequent sensitive value has {top} rows, not fewer than "
            f"c = {self.c} times the {tail} of all from the {self.l}-th on"
        )

    def as_json(self) -> dict[str, Any]:
        return super().as_json() | {"c": self.c}
