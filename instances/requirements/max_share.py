"""A cap on the share of a sensitive value."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from starmin.instances.arguments import expect_number
from starmin.instances.arrays import Bools
from starmin.instances.option import Option
from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.plain_group import PlainGroup
from starmin.instances.requirements.ratios import exact, floor_times
from starmin.instances.requirements.requirement import (
    Requirement,
    at_most,
    every,
    most_frequent,
    sensitive_counts,
)
from starmin.instances.requirements.stated import Stated
from starmin.instances.tables.table import Table

ALPHA = Option(
    "alpha", float, "No sensitive value in more than this share of the rows."
)


@dataclass(frozen=True)
class MaxShare(Requirement):
    """No sensitive value covers more than a share ``alpha`` of a group.

    (alpha, k)-anonymity is ``KAnonymity(k) & MaxShare(alpha)``; frequency l-diversity
    is alpha = 1/l. Monotone: the largest count of a union is at most the sum of the
    largest counts of its parts.

    References
    ----------
    R. Wong, J. Li, A. Fu, K. Wang, (alpha, k)-anonymity, KDD 2006; there alpha caps
    one sensitive value, here each of them.

    Examples
    --------
    >>> from starmin.instances import SensitiveCounts
    >>> counts = SensitiveCounts.of([0] * 10, [0] * 3 + [1] * 3 + [2] * 4, tuple("abc"))
    >>> stats = GroupStats.given([10], [counts])
    >>> [MaxShare(alpha).holds(stats).item() for alpha in (0.4, 0.39)]
    [True, False]
    """

    name = "alpha"
    options = (ALPHA,)
    of_sensitive = True
    reads_missing = True

    alpha: float

    def __post_init__(self) -> None:
        expect_number("alpha", self.alpha)
        if not 0 < self.alpha <= 1:
            raise ValueError(f"Expected 0 < alpha <= 1, got alpha = {self.alpha}.")

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> "MaxShare | None":
        return None if stated[ALPHA] is None else cls(stated[ALPHA])

    @classmethod
    def example(cls, table: Table) -> "MaxShare | None":
        return cls(0.6) if table.sensitive else None

    def sentence(self, table: Table, recoding: str) -> str:
        return at_most(f"{100 * self.alpha:g} %", table)

    def holds(self, stats: GroupStats) -> Bools:
        limit = floor_times(exact(self.alpha), stats.sizes)
        return every([column.largest() <= limit for column in sensitive_counts(stats)])

    def allows(self, group: PlainGroup) -> bool:
        most = Fraction(str(self.alpha)) * group.size
        return all(max(Counter(v).values()) <= most for v in group.sensitive)

    def why_not(self, group: int, stats: GroupStats) -> str:
        return f"{most_frequent(group, stats)}, more than alpha = {self.alpha} of them"

    def as_json(self) -> dict[str, Any]:
        return {"alpha": self.alpha}
