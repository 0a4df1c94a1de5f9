"""k-anonymity: nobody is found among fewer than k rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starmin.instances.arguments import expect_whole
from starmin.instances.arrays import Bools
from starmin.instances.option import Option
from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.measure import Measure, Measured
from starmin.instances.requirements.plain_group import PlainGroup
from starmin.instances.requirements.requirement import Core, Requirement
from starmin.instances.requirements.rules.rule_options import COMBINATIONS, is_bare
from starmin.instances.requirements.stated import Stated
from starmin.instances.tables.plural import counted, number_word, some_of
from starmin.instances.tables.table import Table

K = Option("k", int, "At least K rows.")


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
