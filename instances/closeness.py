"""t-closeness: groups whose sensitive values look like the whole table's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from instances.arguments import expect_choice, expect_kind, expect_number
from instances.errors import TableError
from instances.group_stats import GroupStats
from instances.grouping import BoolArray
from instances.ratios import exact, floor_times
from instances.requirement import Requirement, every, sensitive_counts
from instances.sensitive import SensitiveCounts
from instances.table import Table

_DENSE = 2**22  # cells of a dense block of groups x values


@dataclass(frozen=True)
class TCloseness(Requirement):
    r"""The sensitive values of every group are distributed nearly as in the table.

    The distance between the distribution ``p`` of a group and ``q`` of the table is at
    most ``t``. With the *equal* distance between values it is
    :math:`\frac12 \sum_v |p_v - q_v|`; with the *ordered* one, the m values that occur
    being ranked, it is the earth mover's
    :math:`\frac{1}{m-1} \sum_{i<m} |\sum_{v \le i} (p_v - q_v)|`.
    Make it by :meth:`of`, which takes ``q`` from a table; it then fits this table and
    parts of it made by ``Table.take``.

    Monotone: both distances are convex in ``p``, and the distribution in a union is a
    convex combination of those in its parts. The whole table has distance 0.

    Notes
    -----
    Distances are compared in integers, multiplied by the group's size and the table's.

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

    t: float
    distance: Literal["equal", "ordered"] = "equal"
    # For each sensitive column: how often each code occurs, and the codes in order.
    overall: tuple[tuple[int, ...], ...] = field(default=(), repr=False)
    order: tuple[tuple[int, ...], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        expect_number("t", self.t)
        expect_choice("distance", self.distance, ("equal", "ordered"))
        if not 0 <= self.t <= 1:
            raise ValueError(f"Expected 0 <= t <= 1, got t = {self.t}.")

    @classmethod
    def of(
        cls,
        table: Table,
        t: float,
        distance: Literal["equal", "ordered"] = "equal",
        orders: Mapping[str, Sequence[str]] | None = None,
    ) -> "TCloseness":
        """t-closeness to the sensitive columns of ``table`` as they are.

        Parameters
        ----------
        orders
            For the ordered distance: the values of a sensitive column in their order;
            columns that are not named are ordered as numbers.

        Raises
        ------
        TableError
            No sensitive column, or one that has neither numbers nor an order.
        """
        expect_kind("table", table, Table)
        if not table.sensitive:
            raise TableError(f"{table.name}: t-closeness needs a sensitive column")
        overall, order = [], []
        for column in table.sensitive:
            counts = np.bincount(
                table.column(column), minlength=len(table.dictionary(column))
            )
            overall.append(tuple(counts.tolist()))
            present = [int(code) for code in np.flatnonzero(counts)]
            if distance == "ordered":
                place = _places(table, column, present, (orders or {}).get(column))
                present.sort(key=place.__getitem__)
            order.append(tuple(present))
        return cls(t, distance, tuple(overall), tuple(order))

    def holds(self, stats: GroupStats) -> BoolArray:
        fits = []
        for at, column in enumerate(sensitive_counts(stats)):
            numerator, denominator = self._distances(at, column)
            fits.append(numerator <= floor_times(exact(self.t), denominator))
        return every(fits)

    def distances(self, stats: GroupStats) -> npt.NDArray[np.float64]:
        """The largest distance of each group to the table, of all sensitive columns."""
        largest = np.zeros(len(stats.sizes))
        for at, column in enumerate(sensitive_counts(stats)):
            numerator, denominator = self._distances(at, column)
            np.maximum(largest, numerator / np.maximum(denominator, 1), out=largest)
        return largest

    def why_not(self, group: int, stats: GroupStats) -> str:
        return (
            f"distance {self.distances(stats)[group]:.4f} of its sensitive values "
            f"to the table's, more than t = {self.t}"
        )

    def as_json(self) -> dict[str, Any]:
        return {"t": self.t, "distance": self.distance}

    def _distances(
        self, at: int, column: SensitiveCounts
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The distance of each group in column number ``at``, as a fraction."""
        if len(self.overall) <= at or len(self.overall[at]) != len(column.labels):
            raise ValueError("Expected the table that t-closeness was made of.")
        overall = np.array(self.overall[at], np.int64)
        total = int(overall.sum())
        if self.distance == "ordered":
            order = np.array(self.order[at], np.int64)
            moved = _moved(column, overall, order)
            return moved, column.sizes * (total * (len(order) - 1))
        expected = column.sizes[column.group] * overall[column.value]
        # A value that is absent from a group differs by all that is expected of it.
        surplus = abs(column.count * total - expected) - expected
        differ = np.zeros(len(column.sizes), np.int64)
        np.add.at(differ, column.group, surplus)
        return differ + column.sizes * total, 2 * total * column.sizes


def _places(
    table: Table, column: str, codes: Sequence[int], order: Sequence[str] | None
) -> dict[int, float]:
    """Where each of the codes stands in the order of its column's values."""
    labels = table.dictionary(column)
    rank = {label: float(place) for place, label in enumerate(order or ())}
    places = {}
    for code in codes:
        label = labels[code]
        place = as_number(label) if order is None else rank.get(label or "")
        if place is None:
            what = "is not a number" if order is None else "has no place in its order"
            raise TableError(
                f"{table.name}: value {label!r} of sensitive column {column!r} {what}; "
                "give an order of all values, or use the equal distance"
            )
        places[code] = place
    return places


def as_number(label: str | None) -> float | None:
    """The number that a cell holds, or None where it holds none."""
    try:
        number = float(label or "")
    except ValueError:
        return None
    return number if isfinite(number) else None


def _moved(
    column: SensitiveCounts,
    overall: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Earth moved in each group, times its size and the table's, block by block."""
    total, m = int(overall.sum()), len(order)
    rank = np.zeros(len(overall), np.int64)
    rank[order] = np.arange(m)
    reached = np.cumsum(overall[order])
    groups = len(column.sizes)
    moved = np.empty(groups, np.int64)
    step = max(1, _DENSE // m)
    starts = np.append(column.starts, len(column.count))
    for low in range(0, groups, step):
        high = min(low + step, groups)
        entries = slice(starts[low], starts[high])
        dense = np.zeros((high - low, m), np.int64)
        dense[column.group[entries] - low, rank[column.value[entries]]] = column.count[
            entries
        ]
        sizes = column.sizes[low:high, None]
        moved[low:high] = abs(dense.cumsum(1) * total - sizes * reached).sum(1)
    return moved
