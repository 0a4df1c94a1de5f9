"""What a release must satisfy: k-anonymity, l-diversity, and conjunctions."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from instances.grouping import BoolArray, group_by
from instances.sensitive import SensitiveCounts
from instances.table import Table


class Requirement(ABC):
    """A condition on every group, by its size and its sensitive values.

    ``&`` joins requirements: ``KAnonymity(5) & LDiversity(2)``.

    Every requirement is *monotone*: the union of two groups that satisfy it
    satisfies it. So a table has a release that satisfies it if and only if the table
    as one single group does.
    """

    @abstractmethod
    def holds(
        self, sizes: npt.NDArray[np.int64], counts: Sequence[SensitiveCounts]
    ) -> BoolArray:
        """Which groups satisfy it.

        Parameters
        ----------
        sizes
            Rows of each group.
        counts
            One for each sensitive column: its values by group.
        """

    @abstractmethod
    def why_not(self, group: int, size: int, counts: Sequence[SensitiveCounts]) -> str:
        """In words, why group number ``group``, which fails, fails."""

    @abstractmethod
    def as_json(self) -> dict[str, int]:
        """The parameters by name, as results and certificates state them."""

    @property
    def parts(self) -> tuple["Requirement", ...]:
        """The requirements that are joined here: itself, if it is a single one."""
        return (self,)

    def __and__(self, other: "Requirement") -> "Requirement":
        return AllOf(self.parts + other.parts)


@dataclass(frozen=True)
class KAnonymity(Requirement):
    """Every group has at least ``k`` rows.

    Examples
    --------
    >>> KAnonymity(3).holds(np.array([2, 3]), []).tolist()
    [False, True]
    """

    k: int

    def __post_init__(self) -> None:
        if self.k < 2:
            raise ValueError(f"Expected k >= 2, got k = {self.k}.")

    def holds(
        self, sizes: npt.NDArray[np.int64], counts: Sequence[SensitiveCounts]
    ) -> BoolArray:
        return sizes >= self.k

    def why_not(self, group: int, size: int, counts: Sequence[SensitiveCounts]) -> str:
        return f"{size} rows, fewer than k = {self.k}"

    def as_json(self) -> dict[str, int]:
        return {"k": self.k}


@dataclass(frozen=True)
class LDiversity(Requirement):
    """No sensitive value covers more than a share 1/l of a group (frequency form).

    With several sensitive columns each of them must satisfy it.

    Examples
    --------
    >>> counts = SensitiveCounts.of([0, 0, 0], [0, 0, 1], ("flu", "gout"))
    >>> LDiversity(2).holds(np.array([3]), [counts]).tolist()
    [False]
    >>> LDiversity(2).why_not(0, 3, [counts])
    "sensitive value 'flu' covers 2 of 3 rows, more than 1/2"
    """

    l: int

    def __post_init__(self) -> None:
        if self.l < 2:
            raise ValueError(f"Expected l >= 2, got l = {self.l}.")

    def holds(
        self, sizes: npt.NDArray[np.int64], counts: Sequence[SensitiveCounts]
    ) -> BoolArray:
        if not counts:
            raise ValueError("l-diversity needs a sensitive column; name one.")
        fits = [self.l * column.largest() <= sizes for column in counts]
        return np.asarray(reduce(np.logical_and, fits), bool)

    def why_not(self, group: int, size: int, counts: Sequence[SensitiveCounts]) -> str:
        tops: list[tuple[int, str | None]] = []
        for column in counts:
            entries = np.flatnonzero(column.group == group)
            top = entries[np.argmax(column.count[entries])]
            tops.append((int(column.count[top]), column.labels[column.value[top]]))
        most, label = max(tops, key=lambda top: top[0])
        return (
            f"sensitive value {label!r} covers {most} of {size} rows, "
            f"more than 1/{self.l}"
        )

    def as_json(self) -> dict[str, int]:
        return {"l": self.l}


@dataclass(frozen=True)
class AllOf(Requirement):
    """All of several requirements at once; made by ``&``."""

    members: tuple[Requirement, ...]

    @property
    def parts(self) -> tuple[Requirement, ...]:
        return self.members

    def holds(
        self, sizes: npt.NDArray[np.int64], counts: Sequence[SensitiveCounts]
    ) -> BoolArray:
        each = [part.holds(sizes, counts) for part in self.members]
        return np.asarray(reduce(np.logical_and, each), bool)

    def why_not(self, group: int, size: int, counts: Sequence[SensitiveCounts]) -> str:
        all_sizes = counts[0].sizes if counts else np.full(group + 1, size)
        failing = [p for p in self.members if not p.holds(all_sizes, counts)[group]]
        return "; ".join(part.why_not(group, size, counts) for part in failing)

    def as_json(self) -> dict[str, int]:
        return {k: v for part in self.members for k, v in part.as_json().items()}


def least_size(requirement: Requirement) -> int:
    """The k that a requirement asks of every group (1 where it asks for none)."""
    sizes = (part.k for part in requirement.parts if isinstance(part, KAnonymity))
    return max(sizes, default=1)


def least_diversity(requirement: Requirement) -> int:
    """The l (frequency form) that a requirement asks for (1 where none)."""
    asked = (part.l for part in requirement.parts if isinstance(part, LDiversity))
    return max(asked, default=1)


def count_sensitive(
    table: Table, groups: npt.NDArray[np.integer]
) -> list[SensitiveCounts]:
    """The values of each sensitive column of ``table`` by group."""
    return [
        SensitiveCounts.of(groups, table.column(c), table.dictionary(c))
        for c in table.sensitive
    ]


def why_infeasible(
    table: Table, requirement: Requirement, keep: Sequence[str] = ()
) -> str | None:
    """Why no release of ``table`` satisfies ``requirement``, or ``None``.

    Requirements are monotone, so each class of rows that agree on the columns of
    ``keep`` (which must not be starred) is asked as one single group; without such
    columns that is the whole table.

    Examples
    --------
    >>> table = Table.from_rows(["sex"], [["F"], ["M"], ["F"]], qi=["sex"])
    >>> why_infeasible(table, KAnonymity(4))
    '3 rows, fewer than k = 4'
    >>> why_infeasible(table, KAnonymity(2), keep=["sex"])
    "among the rows with sex='M': 1 rows, fewer than k = 2"
    """
    groups, first = np.zeros(table.n, np.int32), np.zeros(1, np.int64)
    if keep:
        classes = group_by(
            [table.column(c) for c in keep], [len(table.dictionary(c)) for c in keep]
        )
        groups, first = classes.inverse, classes.first
    sizes = np.bincount(groups).astype(np.int64)
    counts = count_sensitive(table, groups)
    failing = np.flatnonzero(~requirement.holds(sizes, counts))
    if len(failing) == 0:
        return None
    group = int(failing[0])
    why = requirement.why_not(group, int(sizes[group]), counts)
    if not keep:
        return why
    row = int(first[group])
    kept = ", ".join(f"{c}={table.dictionary(c)[table.column(c)[row]]!r}" for c in keep)
    return f"among the rows with {kept}: {why}"
