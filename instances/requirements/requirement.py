"""What a release must satisfy: k-anonymity, l-diversity, and conjunctions."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np

from starmin.instances.arguments import expect_kind, expect_whole
from starmin.instances.arrays import Bools, Int32s
from starmin.instances.errors import NotSupportedError
from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.sensitive import SensitiveCounts
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.plural import counted
from starmin.instances.tables.table import Table

# What a release is chosen from: groups of rows, or stars for each row of its own.
PARTITION = "partition"
MASK = "mask"


class Requirement(ABC):
    """A condition on every group, by its size and its values in some columns.

    ``&`` joins requirements: ``KAnonymity(5) & LDiversity(2)``.

    Every requirement is *monotone*: the union of two groups that satisfy it
    satisfies it. So a table has a release that satisfies it if and only if the table
    as one single group does.
    """

    @abstractmethod
    def holds(self, stats: GroupStats) -> Bools:
        """Find which groups satisfy it."""

    @abstractmethod
    def why_not(self, group: int, stats: GroupStats) -> str:
        """Say why group number ``group``, which fails, fails."""

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """Return the parameters by name, as results and certificates state them."""

    @property
    def parts(self) -> tuple["Requirement", ...]:
        """The requirements that are joined here: itself, if it is a single one."""
        return (self,)

    @property
    def space(self) -> str:
        """What satisfies it: groups of rows, or a mask with stars by row."""
        return PARTITION

    def __and__(self, other: "Requirement") -> "Requirement":
        expect_kind("what is joined by &", other, Requirement)
        return AllOf(self.parts + other.parts)


@dataclass(frozen=True)
class KAnonymity(Requirement):
    """Every group has at least ``k`` rows.

    Examples
    --------
    >>> KAnonymity(3).holds(GroupStats.given([2, 3])).tolist()
    [False, True]
    """

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", expect_whole("k", self.k, 2))

    def holds(self, stats: GroupStats) -> Bools:
        return stats.sizes >= self.k

    def why_not(self, group: int, stats: GroupStats) -> str:
        return f"{counted(stats.sizes[group], 'row')}, fewer than k = {self.k}"

    def as_json(self) -> dict[str, Any]:
        return {"k": self.k}


@dataclass(frozen=True)
class LDiversity(Requirement):
    """No sensitive value covers more than a share 1/l of a group (frequency form).

    With several sensitive columns each of them must satisfy it.

    Notes
    -----
    It counts rows, and bounds the guess of a reader who knows the group alone. Whoever
    also knows the quasi-identifiers of all people and that cost was minimised may know
    more (docs/security.md, "What an optimum gives away").

    Examples
    --------
    >>> counts = SensitiveCounts.of([0, 0, 0], [0, 0, 1], ("flu", "gout"))
    >>> stats = GroupStats.given([3], [counts])
    >>> LDiversity(2).holds(stats).tolist()
    [False]
    >>> LDiversity(2).why_not(0, stats)
    "sensitive value 'flu' covers 2 of 3 rows, more than 1/2"
    """

    l: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", expect_whole("l", self.l, 2))

    def holds(self, stats: GroupStats) -> Bools:
        # Divided, not multiplied: an l beyond any table must not overflow.
        most = stats.sizes // min(self.l, np.iinfo(np.int64).max)
        return every([column.largest() <= most for column in sensitive_counts(stats)])

    def why_not(self, group: int, stats: GroupStats) -> str:
        return f"{most_frequent(group, stats)}, more than 1/{self.l}"

    def as_json(self) -> dict[str, Any]:
        return {"l": self.l}


@dataclass(frozen=True)
class AllOf(Requirement):
    """All of several requirements at once; made by ``&``."""

    members: tuple[Requirement, ...]

    @property
    def parts(self) -> tuple[Requirement, ...]:
        return self.members

    @property
    def space(self) -> str:
        masks = any(part.space == MASK for part in self.members)
        return MASK if masks else PARTITION

    def holds(self, stats: GroupStats) -> Bools:
        return every([part.holds(stats) for part in self.members])

    def why_not(self, group: int, stats: GroupStats) -> str:
        failing = [part for part in self.members if not part.holds(stats)[group]]
        return "; ".join(part.why_not(group, stats) for part in failing)

    def as_json(self) -> dict[str, Any]:
        each = [part.as_json() for part in self.members]
        joined = {name: value for part in each for name, value in part.items()}
        if any(a != b and a.keys() & b.keys() for a, b in combinations(each, 2)):
            return {"all_of": each}
        return joined


def least_size(requirement: Requirement) -> int:
    """Return the k that a requirement asks of every group, 1 where it asks none."""
    sizes = (part.k for part in requirement.parts if isinstance(part, KAnonymity))
    return max(sizes, default=1)


def least_diversity(requirement: Requirement) -> int:
    """Return the l (frequency form) that a requirement asks for (1 where none)."""
    asked = (part.l for part in requirement.parts if isinstance(part, LDiversity))
    return max(asked, default=1)


def expect_parts(requirement: Requirement, *kinds: type[Requirement]) -> None:
    """Raise NotSupportedError where a part is of none of the given kinds.

    Examples
    --------
    >>> expect_parts(KAnonymity(2) & LDiversity(2), KAnonymity)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    starmin.instances.errors.NotSupportedError: Expected KAnonymity only, got ...
    """
    for part in requirement.parts:
        if not isinstance(part, kinds):
            names = ", ".join(kind.__name__ for kind in kinds)
            raise NotSupportedError(f"Expected {names} only, got {part!r}.")


def every(each: Sequence[Bools]) -> Bools:
    """Find which groups pass all of several tests."""
    return np.asarray(reduce(np.logical_and, each), bool)


def sensitive_counts(stats: GroupStats) -> tuple[SensitiveCounts, ...]:
    """Return the counts of all sensitive columns, of which there is at least one."""
    if not stats.sensitive:
        raise ValueError("Expected a sensitive column, got none; name one.")
    return stats.counts


def most_frequent(group: int, stats: GroupStats) -> str:
    """Say how much of a group its most frequent sensitive value covers."""
    tops: list[tuple[int, str | None]] = []
    for column in stats.counts:
        entries = np.flatnonzero(column.group == group)
        top = entries[np.argmax(column.count[entries])]
        tops.append((int(column.count[top]), column.labels[column.value[top]]))
    most, label = max(tops, key=lambda top: top[0])
    whole = counted(stats.sizes[group], "row")
    return f"sensitive value {label!r} covers {most:,} of {whole}"


def why_infeasible(
    table: Table,
    requirement: Requirement,
    keep: Sequence[str] = (),
    roofs: Mapping[str, Int32s] | None = None,
) -> str | None:
    """Say why no release of ``table`` satisfies ``requirement``, or return None.

    Requirements are monotone, so each class of rows that may share a group is asked as
    one single group; without restrictions that is the whole table.

    Parameters
    ----------
    table, requirement
        The problem.
    keep
        Columns that must not be starred: rows of a group agree on them.
    roofs
        By column and code the highest node that may be published: rows of a group
        agree on it.

    Examples
    --------
    >>> table = Table.from_rows(["sex"], [["F"], ["M"], ["F"]], qi=["sex"])
    >>> why_infeasible(table, KAnonymity(4))
    '3 rows, fewer than k = 4'
    >>> why_infeasible(table, KAnonymity(2), keep=["sex"])
    "among the rows with sex='M': 1 row, fewer than k = 2"
    """
    groups, first = np.zeros(table.codes.shape[1], np.int32), np.zeros(1, np.int64)
    apart = [table.column(c) for c in keep]
    apart += [top[table.column(c)] for c, top in (roofs or {}).items()]
    if apart:
        classes = group_by(apart, [int(column.max()) + 1 for column in apart])
        groups, first = classes.inverse, classes.first
    stats = GroupStats.of(table, groups)
    failing = np.flatnonzero(~requirement.holds(stats))
    if len(failing) == 0:
        return None
    group = int(failing[0])
    why = requirement.why_not(group, stats)
    if not apart:
        return why
    row = int(first[group])
    both = [(column, "=") for column in keep]
    both += [(column, " that may share a node with ") for column in roofs or ()]
    alike = ", ".join(
        f"{c}{sign}{table.dictionary(c)[table.column(c)[row]]!r}" for c, sign in both
    )
    return f"among the rows with {alike}: {why}"
