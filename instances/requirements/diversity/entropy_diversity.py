"""Entropy l-diversity: sensitive values of a group are uncertain enough."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

import numpy as np

from starmin.instances.arrays import Bools
from starmin.instances.requirements.diversity.diversity import Diversity
from starmin.instances.requirements.group_stats import GroupStats, SensitiveCounts
from starmin.instances.requirements.measure import Measure, Measured, Number, least
from starmin.instances.requirements.plain_group import PlainGroup, Values
from starmin.instances.requirements.requirement import (
    Requirement,
    every,
    sensitive_counts,
)
from starmin.instances.tables.plural import any_of, number_word
from starmin.instances.tables.table import Table

# In nats. Floats are far more accurate, so ties are well within it.
_NEAR = 1e-9
_TIE = Decimal("1e-40")


@dataclass(frozen=True)
class EntropyDiversity(Diversity):
    """The entropy of every group's sensitive values is at least ``ln l``.

    Monotone: the distribution in a union is a convex combination of those in its
    parts, and entropy is concave.

    Notes
    -----
    Entropies within 1e-9 of ``ln l`` are computed again to 60 digits, so that, for
    instance, the counts 4, 1, 1, 1, 1 satisfy l = 4 with equality, as they should.

    References
    ----------
    A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam, l-diversity:
    privacy beyond k-anonymity, ACM TKDD 1(1), 2007.

    Examples
    --------
    >>> counts = SensitiveCounts.of([0] * 8, [0, 0, 0, 0, 1, 2, 3, 4], tuple("abcde"))
    >>> stats = GroupStats.given([8], [counts])
    >>> [EntropyDiversity(l).holds(stats).item() for l in (4, 5)]
    [True, False]
    """

    name = "entropy"
    kind = "entropy"
    measure = Measure(
        "entropy_l",
        "Entropy l",
        "as many as if equally frequent",
        "l",
        "{:.3f} by entropy",
    )

    l: int

    @classmethod
    def measured(cls, found: Measured, parts: Sequence[Requirement]) -> Number:
        return least([np.exp(each.entropy()) for each in found.known])

    def sentence(self, table: Table, recoding: str) -> str:
        return (
            f"In each group of people who look alike, {any_of(table.sensitive)} is as "
            f"uncertain as if {number_word(self.l)} values were equally frequent."
        )

    def holds(self, stats: GroupStats) -> Bools:
        return every([self._column_holds(column) for column in sensitive_counts(stats)])

    def _column_holds(self, column: SensitiveCounts) -> Bools:
        excess = column.entropy() - math.log(self.l)
        fits = np.asarray(excess >= 0, bool)
        starts = np.append(column.starts, len(column.count))
        for group in np.flatnonzero(abs(excess) < _NEAR):
            part = column.count[starts[group] : starts[group + 1]]
            fits[group] = _entropy_reaches(part.tolist(), self.l)
        return fits

    def allows(self, group: PlainGroup) -> bool:
        def entropy(values: Values) -> float:
            shares = [c / len(values) for c in Counter(values).values()]
            return -sum(p * math.log(p) for p in shares)

        return all(entropy(v) >= math.log(self.l) - _NEAR for v in group.sensitive)

    def why_not(self, group: int, stats: GroupStats) -> str:
        least = min(float(column.entropy()[group]) for column in stats.counts)
        return (
            f"entropy {least:.4f} of its sensitive values, "
            f"less than ln {self.l} = {math.log(self.l):.4f}"
        )


def _entropy_reaches(counts: list[int], l: int) -> bool:
    """Check whether ``n ln n - sum c ln c >= n ln l``, to 60 digits."""
    with localcontext(prec=60):
        n = Decimal(sum(counts))
        excess = n * (n / l).ln() - sum(Decimal(c) * Decimal(c).ln() for c in counts)
        return excess >= -_TIE
