"""t-closeness: groups whose sensitive values look like the whole table's."""

import math
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar, Literal

import numpy as np

from starmin.instances.arguments import (
    Option,
    expect_choice,
    expect_kind,
    expect_number,
)
from starmin.instances.arrays import Bools, Floats
from starmin.instances.errors import TableError
from starmin.instances.requirements.earth_mover import (
    Entries,
    Exact,
    Reference,
    Value,
    equal_distances,
    line_distances,
)
from starmin.instances.requirements.group_stats import (
    GroupStats,
    Measure,
    Measured,
    Number,
    exact,
    within,
)
from starmin.instances.requirements.requirement import (
    UNKNOWN,
    Core,
    Requirement,
    Stated,
    core_of_share,
    every,
    sensitive_counts,
)
from starmin.instances.tables.names import any_of
from starmin.instances.tables.table import Table

T = Option(
    "t",
    float,
    "t-closeness: in each group sensitive values are distributed as in the whole "
    "table, up to a distance of T.",
)
DISTANCE = Option(
    "distance",
    Literal["equal", "ordered", "hierarchical"],
    "Of --t, between sensitive values: all equal; numbers, or the leaves of a "
    "--hierarchy, in their order; or hierarchical.",
    needs="t",
)
Orders = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Closeness(Requirement):
    """The distribution of sensitive values in every group is near the table's.

    What is common to all distances between values: those of the table are known by
    their text and column, so that the requirement is the same for any other coding of
    them, as that of a release that was read from a file. A value of a group that does
    not occur in the table has 0 rows there.
    """

    name = "t"
    options = (T, DISTANCE)
    of_sensitive = True
    measure = Measure(
        "t",
        "t",
        "greatest distance of a group's sensitive values from the table's",
        "t",
        "{:.4f}",
        more_is_better=False,
    )

    told: ClassVar[str] = ""  # which distance it is, where that is said

    t: float

    def __post_init__(self) -> None:
        expect_number("t", self.t)
        if not 0 <= self.t <= 1:
            raise ValueError(f"Expected 0 <= t <= 1, got t = {self.t}.")

    @classmethod
    def measured(cls, found: Measured, parts: Sequence[Requirement]) -> Number:
        asked = [part for part in parts if isinstance(part, Closeness)]
        each = [float(part.distances(found.stats).max()) for part in asked]
        return max(each, default=None)

    def sentence(self, table: Table, recoding: str) -> str:
        return (
            f"Within each group, {any_of(table.sensitive)} is distributed nearly as in "
            f"the whole table: the distance is at most {self.t:g}, on a scale from 0 "
            "to 1."
        )

    def why_not(self, group: int, stats: GroupStats) -> str:
        return (
            f"{self.told}distance {self.distances(stats)[group]:.4f} of its sensitive "
            f"values to the table's, more than t = {self.t}"
        )

    def holds(self, stats: GroupStats) -> Bools:
        each = self._fractions(stats)
        return every([within(above, exact(self.t), below) for above, below in each])

    def distances(self, stats: GroupStats) -> Floats:
        """Compute the largest distance of each group to the table."""
        largest = np.zeros(len(stats.sizes))
        for above, below in self._fractions(stats):
            distance = (above / np.maximum(below, 1)).astype(np.float64)
            np.maximum(largest, distance, out=largest)
        return largest

    def _fractions(self, stats: GroupStats) -> list[tuple[Exact, Exact]]:
        """Return the distances of the groups in each sensitive column."""
        known = {reference.column: reference for reference in self.references}
        each = []
        for name, groups in zip(stats.sensitive, sensitive_counts(stats), strict=True):
            if name not in known:
                raise ValueError(
                    f"Expected sensitive columns of the table that t-closeness was "
                    f"made of, got {name!r}; it has {', '.join(map(repr, known))}."
                )
            overall, place = known[name].places(groups)
            each.append(self._distance(overall, Entries.of(groups, place)))
        return each

    @property
    @abstractmethod
    def references(self) -> tuple[Reference, ...]:
        """The sensitive columns of the table."""

    @abstractmethod
    def _distance(self, overall: Reference, entries: Entries) -> tuple[Exact, Exact]:
        """Compute the distance of each group to ``overall``, as a fraction."""


@dataclass(frozen=True)
class TCloseness(Closeness):
    r"""The sensitive values of every group are distributed nearly as in the table.

    The distance between the distribution ``p`` of a group and ``q`` of the table is at
    most ``t``. With the *equal* distance between values it is
    :math:`\frac12 \sum_v |p_v - q_v|`; with the *ordered* one, the m values that occur
    in the table or in some group being ranked, it is the earth mover's
    :math:`\frac{1}{m-1} \sum_{i<m} |\sum_{v \le i} (p_v - q_v)|`.
    Make it by :meth:`of`, which takes ``q`` from a table. Values are compared as text,
    so it fits any table with these sensitive columns: the same rows in another order,
    parts of them, or a release that was read from a file.

    Monotone: both distances are convex in ``p``, and the distribution in a union is a
    convex combination of those in its parts. The whole table has distance 0. Raises
    TableError when groups are checked by the ordered distance: they have a value
    without a place in the order.

    Notes
    -----
    Distances are compared exactly, multiplied by the group's size and the table's.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian, t-closeness: privacy beyond k-anonymity and
    l-diversity, ICDE 2007.

    Examples
    --------
    >>> table = Table.from_rows(["a", "pay"], [["0", "3"], ["0", "4"], ["1", "10"]],
    ...                         qi=["a"], sensitive=["pay"])
    >>> stats = GroupStats.of(table, np.array([0, 0, 1]))
    >>> TCloseness.of(table, 0.5).holds(stats).tolist()
    [True, False]
    >>> TCloseness.of(table, 0.5, "ordered").holds(stats).tolist()
    [True, True]
    """

    distance: Literal["equal", "ordered"] = "equal"
    overall: tuple[Reference, ...] = field(default=(), repr=False)
    # For the ordered distance: the columns that are not ordered as numbers.
    orders: Orders = field(default=(), repr=False)

    def __post_init__(self) -> None:
        expect_choice("distance", self.distance, ("equal", "ordered"))
        super().__post_init__()

    @classmethod
    def of(
        cls,
        table: Table,
        t: float,
        distance: Literal["equal", "ordered"] = "equal",
        orders: Mapping[str, Sequence[str]] | None = None,
    ) -> "TCloseness":
        """Make t-closeness to the sensitive columns of ``table`` as they are.

        ``orders`` have for the ordered distance the values of a sensitive column in
        their order; columns that are not named are ordered as numbers. A missing value
        stands just before the empty text. Raises TableError: no sensitive column, or
        one that has neither numbers nor an order.
        """
        expect_kind("table", table, Table)
        if not table.sensitive:
            raise TableError(f"{table.name}: t-closeness needs a sensitive column")
        given = {column: tuple(order) for column, order in (orders or {}).items()}
        overall = [Reference.of(table, column) for column in table.sensitive]
        if distance == "ordered":
            try:
                overall = [
                    each.sort(_order(each, given.get(each.column))) for each in overall
                ]
            except TableError as error:
                raise TableError(f"{table.name}: {error}") from None
        return cls(t, distance, tuple(overall), tuple(given.items()))

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> "TCloseness | None":
        if stated[T] is None or stated[DISTANCE] == "hierarchical":
            return None
        if stated[DISTANCE] != "ordered":
            return cls.of(table, stated[T])
        trees = stated.trees
        orders = {c: trees[c].leaves for c in table.sensitive if c in trees}
        return cls.of(table, stated[T], "ordered", orders)

    @classmethod
    def example(cls, table: Table) -> "TCloseness | None":
        return cls.of(table, 0.3) if table.sensitive else None

    @property
    def references(self) -> tuple[Reference, ...]:
        return self.overall

    @cached_property
    def core(self) -> Core:
        """By equal distance p_v - q_v is at most t, and so is q of absent values."""
        columns = [sorted(each.counts, reverse=True) for each in self.overall]
        if self.distance != "equal" or not columns or not all(columns):
            return UNKNOWN
        t, largest, fewest = exact(self.t), Fraction(0), len(columns[0])
        for counts in columns:
            total = sum(counts)
            largest = max(largest, Fraction(counts[0], total))
            least = math.ceil((1 - t) * total)
            fewest = min(fewest, 1 + bisect_left([*accumulate(counts)], least))
        return core_of_share(min(Fraction(1), largest + t), fewest)

    def _distance(self, overall: Reference, entries: Entries) -> tuple[Exact, Exact]:
        if self.distance == "equal":
            return equal_distances(entries, overall.array)
        if not any(overall is each for each in self.overall):
            order = _order(overall, dict(self.orders).get(overall.column))
            overall, entries = overall.sort(order), entries.move(np.argsort(order))
        return line_distances(entries, overall.array)

    def as_json(self) -> dict[str, Any]:
        return {"t": self.t, "distance": self.distance}


def _order(overall: Reference, order: Sequence[str] | None) -> list[int]:
    """Order the values: as given, or by number; ties by text."""
    rank = {label: float(place) for place, label in enumerate(order or ())}
    keys: list[tuple[float, bool, str]] = []
    for label in overall.values:
        place = as_number(label) if order is None else rank.get(label or "")
        if place is None:
            what = "is not a number" if order is None else "has no place in its order"
            raise TableError(
                f"value {label!r} of sensitive column {overall.column!r} {what}; "
                "give an order of all values, or use the equal distance"
            )
        keys.append((place, label is not None, label or ""))
    return sorted(range(len(keys)), key=keys.__getitem__)


def as_number(label: Value) -> float | None:
    """Return the number that a cell holds, or None where it holds none."""
    try:
        number = float(label or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
