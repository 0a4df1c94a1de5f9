"""Distinct l-diversity: every group has l different sensitive values."""

from collections.abc import Sequence
from dataclasses import dataclass

from starmin.instances.arrays import Bools
from starmin.instances.requirements.diversity.diversity import Diversity
from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.measure import Measure, Measured, Number, least
from starmin.instances.requirements.plain_group import PlainGroup
from starmin.instances.requirements.requirement import (
    Core,
    Requirement,
    every,
    sensitive_counts,
)
from starmin.instances.tables.plural import any_of, number_word
from starmin.instances.tables.table import Table


@dataclass(frozen=True)
class DistinctDiversity(Diversity):
    """Every group has at least ``l`` different sensitive values.

    With several sensitive columns each of them must satisfy it.
    Monotone: a union has all the values of its parts.

    Examples
    --------
    >>> from starmin.instances import SensitiveCounts
    >>> counts = SensitiveCounts.of([0, 0, 0], [0, 0, 1], ("flu", "gout"))
    >>> DistinctDiversity(2).holds(GroupStats.given([3], [counts])).tolist()
    [True]
    """

    name = "distinct"
    kind = "distinct"
    measure = Measure(
        "distinct_l",
        "Distinct l",
        "sensitive values in every group",
        "l",
        "{} distinct",
    )

    l: int

    @classmethod
    def measured(cls, found: Measured, parts: Sequence[Requirement]) -> Number:
        return least([each.distinct() for each in found.known])

    @property
    def core(self) -> Core:
        return Core(distinct=self.l)

    def sentence(self, table: Table, recoding: str) -> str:
        return (
            f"Each group of people who look alike has at least {number_word(self.l)} "
            f"different values of {any_of(table.sensitive)}."
        )

    def holds(self, stats: GroupStats) -> Bools:
        counts = sensitive_counts(stats)
        return every([column.distinct() >= self.l for column in counts])

    def allows(self, group: PlainGroup) -> bool:
        return all(len(set(values)) >= self.l for values in group.sensitive)

    def why_not(self, group: int, stats: GroupStats) -> str:
        fewest = min(int(column.distinct()[group]) for column in stats.counts)
        return f"{fewest} different sensitive values, fewer than l = {self.l}"
