"""Further forms of l-diversity, and a cap on the share of a sensitive value."""

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from starmin.instances.arguments import expect_number, expect_whole
from starmin.instances.arrays import Bools, Ints
from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.ratios import exact, floor_times
from starmin.instances.requirements.requirement import (
    Requirement,
    every,
    most_frequent,
    sensitive_counts,
)
from starmin.instances.requirements.sensitive import SensitiveCounts

# In nats. Floats are far more accurate, so ties are well within it.
_NEAR = 1e-9
_TIE = Decimal("1e-40")


@dataclass(frozen=True)
class DistinctDiversity(Requirement):
    """Every group has at least ``l`` different sensitive values.

    With several sensitive columns each of them must satisfy it, here and below.
    Monotone: a union has all the values of its parts.

    Examples
    --------
    >>> counts = SensitiveCounts.of([0, 0, 0], [0, 0, 1], ("flu", "gout"))
    >>> DistinctDiversity(2).holds(GroupStats.given([3], [counts])).tolist()
    [True]
    """

    l: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", expect_whole("l", self.l, 2))

    def holds(self, stats: GroupStats) -> Bools:
        counts = sensitive_counts(stats)
        return every([column.distinct() >= self.l for column in counts])

    def why_not(self, group: int, stats: GroupStats) -> str:
        fewest = min(int(column.distinct()[group]) for column in stats.counts)
        return f"{fewest} different sensitive values, fewer than l = {self.l}"

    def as_json(self) -> dict[str, Any]:
        return {"l": self.l, "diversity": "distinct"}


@dataclass(frozen=True)
class EntropyDiversity(Requirement):
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

    l: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", expect_whole("l", self.l, 2))

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

    def why_not(self, group: int, stats: GroupStats) -> str:
        least = min(float(column.entropy()[group]) for column in stats.counts)
        return (
            f"entropy {least:.4f} of its sensitive values, "
            f"less than ln {self.l} = {math.log(self.l):.4f}"
        )

    def as_json(self) -> dict[str, Any]:
        return {"l": self.l, "diversity": "entropy"}


@dataclass(frozen=True)
class RecursiveDiversity(Requirement):
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

    c: float
    l: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", expect_whole("l", self.l, 2))
        expect_number("c", self.c)
        if not 0 < self.c < np.inf:
            raise ValueError(f"Expected c > 0, got c = {self.c}.")

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
        return {"l": self.l, "diversity": "recursive", "c": self.c}


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
    >>> counts = SensitiveCounts.of([0] * 10, [0] * 3 + [1] * 3 + [2] * 4, tuple("abc"))
    >>> stats = GroupStats.given([10], [counts])
    >>> [MaxShare(alpha).holds(stats).item() for alpha in (0.4, 0.39)]
    [True, False]
    """

    alpha: float

    def __post_init__(self) -> None:
        expect_number("alpha", self.alpha)
        if not 0 < self.alpha <= 1:
            raise ValueError(f"Expected 0 < alpha <= 1, got alpha = {self.alpha}.")

    def holds(self, stats: GroupStats) -> Bools:
        limit = floor_times(exact(self.alpha), stats.sizes)
        return every([column.largest() <= limit for column in sensitive_counts(stats)])

    def why_not(self, group: int, stats: GroupStats) -> str:
        return f"{most_frequent(group, stats)}, more than alpha = {self.alpha} of them"

    def as_json(self) -> dict[str, Any]:
        return {"alpha": self.alpha}


def _entropy_reaches(counts: list[int], l: int) -> bool:
    """Check whether ``n ln n - sum c ln c >= n ln l``, to 60 digits."""
    with localcontext(prec=60):
        n = Decimal(sum(counts))
        excess = n * (n / l).ln() - sum(Decimal(c) * Decimal(c).ln() for c in counts)
        return excess >= -_TIE
