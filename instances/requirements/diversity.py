"""Ask that sensitive values differ in a group: l-diversity, and caps on shares."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np

from starmin.instances.arguments import Option, expect_number, expect_whole
from starmin.instances.arrays import Bools, Ints
from starmin.instances.errors import TableError
from starmin.instances.requirements.group_stats import (
    GroupStats,
    Measure,
    Measured,
    Number,
    SensitiveCounts,
    exact,
    floor_times,
    least,
)
from starmin.instances.requirements.requirement import (
    ByColumn,
    Core,
    Requirement,
    Stated,
    Values,
    at_most,
    core_of_share,
    most_frequent,
)
from starmin.instances.tables.names import any_of, number_word, ordinal
from starmin.instances.tables.table import Table

# What all forms of l-diversity have in common.

L = Option(
    "l",
    int,
    "l-diversity: in no group do more than 1/L of the rows have one sensitive value.",
)
DIVERSITY = Option(
    "diversity",
    Literal["frequency", "distinct", "entropy", "recursive"],
    "How --l counts a group: by its most frequent sensitive value, by how many "
    "distinct ones it has, by their entropy, or by recursive (c, l)-diversity.",
    "frequency",
    needs="l",
)


class Diversity(ByColumn):
    """Every group has different sensitive values, l in some sense.

    With several sensitive columns each of them must satisfy it.
    """

    options: ClassVar[tuple[Option, ...]] = (L, DIVERSITY)
    of_sensitive = True
    reads_missing = True
    kind: ClassVar[str]  # of diversity, as options name it
    l: int  # a field of each form

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", expect_whole("l", self.l, 2))

    @classmethod
    def _asking(cls, l: int) -> Self:
        make: Callable[[int], Self] = cast(Any, cls)  # each form has its fields
        return make(l)

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> Self | None:
        if stated[L] is None or stated[DIVERSITY] != cls.kind:
            return None
        return cls._asking(stated[L])

    @classmethod
    def example(cls, table: Table) -> Self | None:
        return cls._asking(2) if table.sensitive else None

    def as_json(self) -> dict[str, Any]:
        return {"l": self.l, "diversity": self.kind}


# Distinct l-diversity: every group has l different sensitive values.


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

    def fits(self, column: SensitiveCounts) -> Bools:
        return column.distinct() >= self.l

    def admits(self, values: Values, size: int) -> bool:
        return len(set(values)) >= self.l

    def why_not(self, group: int, stats: GroupStats) -> str:
        fewest = min(int(column.distinct()[group]) for column in stats.counts)
        return f"{fewest} different sensitive values, fewer than l = {self.l}"


# Entropy l-diversity: sensitive values of a group are uncertain enough.

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

    @property
    def core(self) -> Core:
        # The entropy of m values is at most ln m.
        return Core(distinct=self.l, exact=False)

    @property
    def enough(self) -> Core:
        # Entropy is at least the logarithm of one over the largest share.
        return Core(diversity=self.l)

    def sentence(self, table: Table, recoding: str) -> str:
        return (
            f"In each group of people who look alike, {any_of(table.sensitive)} is as "
            f"uncertain as if {number_word(self.l)} values were equally frequent."
        )

    def fits(self, column: SensitiveCounts) -> Bools:
        excess = column.entropy() - math.log(self.l)
        fits = np.asarray(excess >= 0, bool)
        starts = np.append(column.starts, len(column.count))
        for group in np.flatnonzero(abs(excess) < _NEAR):
            part = column.count[starts[group] : starts[group + 1]]
            counts = [*map(Decimal, part.tolist())]
            with localcontext(prec=60):  # n ln n - sum c ln c >= n ln l
                n = sum(counts, Decimal(0))
                excess_n = n * (n / self.l).ln() - sum(c * c.ln() for c in counts)
                fits[group] = excess_n >= -_TIE
        return fits

    def admits(self, values: Values, size: int) -> bool:
        shares = [c / len(values) for c in Counter(values).values()]
        entropy = -sum(p * math.log(p) for p in shares)
        return entropy >= math.log(self.l) - _NEAR

    def why_not(self, group: int, stats: GroupStats) -> str:
        least = min(float(column.entropy()[group]) for column in stats.counts)
        return (
            f"entropy {least:.4f} of its sensitive values, "
            f"less than ln {self.l} = {math.log(self.l):.4f}"
        )


# l-diversity by frequency: no sensitive value is in more than 1/l of a group.


@dataclass(frozen=True)
class LDiversity(Diversity):
    """No sensitive value covers more than a share 1/l of a group (frequency form).

    With several sensitive columns each of them must satisfy it.

    Notes
    -----
    It counts rows, and bounds the guess of a reader who knows the group alone. Whoever
    also knows the quasi-identifiers of all people and that cost was minimised may know
    more (docs/explanation/security.md, "What an optimum gives away").

    Examples
    --------
    >>> from starmin.instances import SensitiveCounts
    >>> counts = SensitiveCounts.of([0, 0, 0], [0, 0, 1], ("flu", "gout"))
    >>> stats = GroupStats.given([3], [counts])
    >>> LDiversity(2).holds(stats).tolist()
    [False]
    >>> LDiversity(2).why_not(0, stats)
    "sensitive value 'flu' covers 2 of 3 rows, more than 1/2"
    """

    name = "l"
    kind = "frequency"
    measure = Measure(
        "l", "l", "no value has more than 1/l of its group", "l", "{:.3f} by frequency"
    )

    l: int

    @classmethod
    def measured(cls, found: Measured, parts: Sequence[Requirement]) -> Number:
        return least([each.sizes / each.largest() for each in found.known])

    @property
    def core(self) -> Core:
        return Core(diversity=self.l)

    def sentence(self, table: Table, recoding: str) -> str:
        return at_most(f"one in {number_word(self.l)}", table)

    def fits(self, column: SensitiveCounts) -> Bools:
        # Divided, not multiplied: an l beyond any table must not overflow.
        most = min(self.l, np.iinfo(np.int64).max)
        return column.largest() <= column.sizes // most

    def admits(self, values: Values, size: int) -> bool:
        return self.l * max(Counter(values).values()) <= size

    def why_not(self, group: int, stats: GroupStats) -> str:
        return f"{most_frequent(group, stats)}, more than 1/{self.l}"

    def as_json(self) -> dict[str, Any]:
        return {"l": self.l}


# Recursive (c, l)-diversity: the most frequent value is not too frequent.

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

    @property
    def core(self) -> Core:
        # With fewer than l values the sum is 0, and f_1 is not below it.
        return Core(distinct=self.l, exact=False)

    @property
    def enough(self) -> Core:
        # With shares of at most 1/m, f_1 + c T <= (1 + c (l - 1)) n / m.
        return Core(diversity=math.floor(self.l - 1 + 1 / exact(self.c)) + 1)

    def sentence(self, table: Table, recoding: str) -> str:
        return (
            f"In each group of people who look alike, the most frequent value of "
            f"{any_of(table.sensitive)} has fewer than {self.c:g} times as many "
            f"rows as all values from the {ordinal(self.l)} most frequent one on."
        )

    def fits(self, column: SensitiveCounts) -> Bools:
        # f_1 < c * tail, for integers f_1, means f_1 < ceil(c * tail).
        return column.largest() < -floor_times(-exact(self.c), self._tails(column))

    def _tails(self, column: SensitiveCounts) -> Ints:
        """Compute ``f_l + .. + f_m`` of each group."""
        order = np.lexsort((-column.count, column.group))
        rank = np.arange(len(order)) - column.starts[column.group]
        late = rank >= self.l - 1
        tails = np.bincount(
            column.group[late], column.count[order][late], minlength=len(column.sizes)
        )
        return tails.astype(np.int64)

    def admits(self, values: Values, size: int) -> bool:
        counts = sorted(Counter(values).values(), reverse=True)
        return counts[0] < Fraction(str(self.c)) * sum(counts[self.l - 1 :])

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


# A cap on the share of a sensitive value.

ALPHA = Option(
    "alpha",
    float,
    "In no group does a larger share of the rows than this have one sensitive value.",
)


@dataclass(frozen=True)
class MaxShare(ByColumn):
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

    @property
    def core(self) -> Core:
        return core_of_share(exact(self.alpha))

    @property
    def enough(self) -> Core:
        return Core(diversity=math.ceil(1 / exact(self.alpha)))

    def sentence(self, table: Table, recoding: str) -> str:
        return at_most(f"{100 * self.alpha:g} %", table)

    def fits(self, column: SensitiveCounts) -> Bools:
        return column.largest() <= floor_times(exact(self.alpha), column.sizes)

    def admits(self, values: Values, size: int) -> bool:
        return max(Counter(values).values()) <= Fraction(str(self.alpha)) * size

    def why_not(self, group: int, stats: GroupStats) -> str:
        return f"{most_frequent(group, stats)}, more than alpha = {self.alpha} of them"

    def as_json(self) -> dict[str, Any]:
        return {"alpha": self.alpha}
