"""What a release must satisfy: what all requirements state, and conjunctions."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import combinations
from operator import and_
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np

from starmin.instances.arguments import Option, expect_kind
from starmin.instances.arrays import Bools, IntArray
from starmin.instances.errors import NotSupportedError, TableError
from starmin.instances.requirements.group_stats import (
    GroupStats,
    Measure,
    Measured,
    Number,
    SensitiveCounts,
)
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
from starmin.instances.tables.names import any_of, counted
from starmin.instances.tables.table import Table

# A group in plain Python, which the definitions of requirements are asked of.

Values: TypeAlias = Sequence[str | None]


@dataclass(frozen=True)
class PlainGroup:
    """Some rows of a table, without anything that methods compute of them.

    >>> group = PlainGroup.of([0, 2], {"s": ["flu", "gout", "flu"]}, {})
    >>> group.size, group.sensitive
    (2, (('flu', 'flu'),))
    """

    size: int  # how many rows there are; or persons, where these count
    # of each sensitive column the values in these rows; where persons count, each value
    # of a person once
    sensitive: tuple[Values, ...]
    rows: tuple[int, ...] = ()  # the numbers of the rows
    # of other columns the cells of the whole table
    columns: Mapping[str, Values] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        rows: Sequence[int],
        sensitive: Mapping[str, Values],
        columns: Mapping[str, Values],
    ) -> "PlainGroup":
        """Take some rows of a table whose columns are given.

        ``rows`` are their numbers; ``sensitive`` and ``columns`` have all cells of the
        sensitive columns, and of all others that may be asked.
        """
        values = tuple(tuple(cells[r] for r in rows) for cells in sensitive.values())
        return cls(len(rows), values, tuple(rows), columns)


# What a user states of the options of requirements.

Unit = Literal["household", "person"]
UNITS: tuple[Unit, ...] = get_args(Unit)


@dataclass(frozen=True)
class Stated:
    """Values of options by name; what is not there is not stated.

    >>> size = Option("k", int, "At least K rows.")
    >>> Stated({"k": 5})[size], Stated({})[size]
    (5, None)
    >>> Stated({}).named(size), Stated({}, python=True).named(size, "five")
    ('--k', "k='five'")
    """

    values: Mapping[str, Any]  # by name of option
    # taxonomies of columns, for distances between sensitive values
    trees: Mapping[str, Taxonomy] = field(default_factory=dict, repr=False)
    missing: tuple[str | None, ...] = MISSING  # what stands for a missing value
    # whether errors name arguments, in the place of options of the command line
    python: bool = False
    # reads further tables by their names; None: files
    read: Callable[[str], Table] | None = field(default=None, compare=False, repr=False)

    def __getitem__(self, option: Option) -> Any:
        return self.values.get(option.name, option.default)

    def tells(self, option: Option) -> bool:
        """Check whether the option has another value than where nothing is stated."""
        return bool(self[option] != option.default)

    def asks(self, options: Sequence[Option]) -> bool:
        """Check whether at least one of some options has such a value."""
        return any(map(self.tells, options))

    @property
    def ids(self) -> tuple[Unit, str] | None:
        """Whose ids count, and their column; None where rows do."""
        each = ((unit, self.values.get(unit)) for unit in UNITS)
        named = [(unit, name) for unit, name in each if name is not None]
        if len(named) > 1:
            raise TableError(
                f"{' and '.join(self.named(unit) for unit, _ in named)}: name one of "
                "them; households are what counts where both are at hand"
            )
        return named[0] if named else None

    def named(self, option: Option | str, value: str = "") -> str:
        """Return an option, or an argument of Python, with its value."""
        name = option if isinstance(option, str) else option.name
        if self.python:
            return f"{name}={value!r}" if value else name
        return f"--{name.replace('_', '-')} {value}".rstrip()


# What bounds and loops know of a requirement: a few numbers.


class Core(NamedTuple):
    """What a requirement asks of every group, as far as numbers say it.

    A group that satisfies the requirement satisfies its core. So a bound for the core
    is one for the requirement. If the core is exact, the converse holds, too.

    >>> Core(size=5) & Core(diversity=2, exact=False)
    Core(size=5, diversity=2, distinct=1, exact=False)
    """

    size: int = 1  # rows of a group, at least
    # no value of a sensitive column is in more than the share 1/diversity of a group
    diversity: int = 1
    distinct: int = 1  # different values of each sensitive column in a group, at least
    exact: bool = True  # whether a group with all this satisfies the requirement

    @property
    def rows(self) -> int:
        """Rows of a group, at least, by all that it needs.

        >>> Core(size=2, distinct=3).rows
        3
        """
        return max(self.size, self.diversity, self.distinct)

    def __and__(self, other: "Core") -> "Core":
        return Core(
            max(self.size, other.size),
            max(self.diversity, other.diversity),
            max(self.distinct, other.distinct),
            self.exact and other.exact,
        )


UNKNOWN = Core(exact=False)


def core_of_share(share: Fraction, distinct: int = 1) -> Core:
    """Return what is true of groups in which no value has more than a share of rows.

    They have ``distinct`` values, too.

    >>> core_of_share(Fraction(2, 5))
    Core(size=1, diversity=2, distinct=3, exact=False)
    """
    # m values that have at most this share each are all rows: m * share is 1 or more.
    distinct = max(distinct, math.ceil(1 / share))
    return Core(1, math.floor(1 / share), distinct, exact=False)


# What a release is chosen from: groups of rows, or stars for each row of its own.
PARTITION = "partition"
MASK = "mask"

Kind = TypeVar("Kind", bound="Requirement")


class Requirement(ABC):
    """A condition on every group, by its size and its values in some columns.

    ``&`` joins requirements: ``KAnonymity(5) & LDiversity(2)``.

    Every requirement is *monotone*: the union of two groups that satisfy it
    satisfies it. So a table has a release that satisfies it if and only if the table
    as one single group does.

    A new one is a class in a file of its own and an entry of ``REQUIREMENTS``;
    commands, ``anonymize``, checks and reports follow from what the class states.

    Attributes
    ----------
    name
        What methods call it, and say of themselves that they take.
    options
        How a user states it; the first one asks for it, the others say more. It is
        asked, by ``parse`` and ``around``, where one of them is stated.
    of_sensitive
        Whether it is about sensitive values; without any, nothing of it is measured.
    reads_missing
        Whether a missing sensitive value may count as any value, or as none.
    measure
        What is measured of a release, whatever was asked.
    may_delete
        Whether rows may be left out of a release.
    """

    name: ClassVar[str] = ""
    options: ClassVar[tuple[Option, ...]] = ()
    of_sensitive: ClassVar[bool] = False
    reads_missing: ClassVar[bool] = False
    measure: ClassVar[Measure | None] = None
    may_delete: ClassVar[bool] = False

    @classmethod
    def parse(cls, stated: Stated, table: Table) -> "Requirement | None":
        """Return the requirement that is stated, None where it is not.

        Raises TableError: an option that needs another one, or a column that is not
        there; TypeError, ValueError: a value that is none.
        """
        return None

    @classmethod
    def around(
        cls, asked: "Requirement", stated: Stated, table: Table
    ) -> "Requirement":
        """Return what is asked as this class changes it, where that is stated."""
        return asked

    @classmethod
    def example(cls, table: Table) -> "Requirement | None":
        """Return one for tests and docs; None where the table is not one for it."""
        return None

    @classmethod
    def measured(cls, found: Measured, parts: Sequence["Requirement"]) -> Number:
        """Return the value of ``measure`` of a release of which ``parts`` were asked.

        None where nothing was measured.
        """
        return None

    @abstractmethod
    def holds(self, stats: GroupStats) -> Bools:
        """Find which groups satisfy it."""

    def holds_in(
        self, table: Table, groups: IntArray, rows: IntArray | None = None
    ) -> Bools:
        """Find which groups 0, 1, .. of some rows (default: all) satisfy it."""
        return self.holds(GroupStats.of(table, groups, rows))

    def allows(self, group: PlainGroup) -> bool:
        """Check one group by the definition, in plain Python: for brute force.

        Methods and checks ask ``holds``, which shares no code with this. Raises
        NotSupportedError: nothing is written here for this requirement.
        """
        raise NotSupportedError(
            f"Expected k-anonymity or diversity, got {type(self).__name__}."
        )

    @abstractmethod
    def why_not(self, group: int, stats: GroupStats) -> str:
        """Say why group number ``group``, which fails, fails."""

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """Return the parameters by name, as results and certificates state them."""

    def as_told(self) -> dict[str, Any]:
        """Return the parameters by name, as lines for people tell them."""
        return self.as_json()

    @property
    def form(self) -> str:
        """What methods call it, whatever its numbers."""
        return self.name or type(self).__name__

    @property
    def core(self) -> Core:
        """What bounds and loops know of it; by default nothing."""
        return UNKNOWN

    @property
    def enough(self) -> Core | None:
        """What is enough for it, all missing values taken as one; None: not known."""
        return self.core if self.core.exact else None

    @property
    def of_rows(self) -> bool:
        """Whether rows count, so that any of them may be a group if they are enough."""
        return True

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that it reads, beside quasi-identifiers and sensitive ones."""
        return ()

    def sentence(self, table: Table, recoding: str) -> str:
        """Say what a release of the table promises, to anyone."""
        return f"In each group of people who look alike it holds that {self}."

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


class ByColumn(Requirement):
    """A condition on the values of each sensitive column by itself."""

    @abstractmethod
    def fits(self, column: SensitiveCounts) -> Bools:
        """Find which groups satisfy it in a column."""

    @abstractmethod
    def admits(self, values: Values, size: int) -> bool:
        """Check the values that a group of a size has in a column, by the definition.

        Where persons count, ``size`` is theirs, and each has a value once.
        """

    def holds(self, stats: GroupStats) -> Bools:
        return every([self.fits(column) for column in sensitive_counts(stats)])

    def allows(self, group: PlainGroup) -> bool:
        return all(self.admits(values, group.size) for values in group.sensitive)


@dataclass(frozen=True)
class AllOf(Requirement):
    """All of several requirements at once; made by ``&``."""

    members: tuple[Requirement, ...]

    @property
    def form(self) -> str:
        return "+".join(sorted({part.form for part in self.members}))

    @property
    def core(self) -> Core:
        return reduce(and_, [part.core for part in self.members])

    @property
    def enough(self) -> Core | None:
        each = [part.enough for part in self.members]
        return None if None in each else reduce(and_, filter(None, each))

    @property
    def columns(self) -> tuple[str, ...]:
        each = [column for part in self.members for column in part.columns]
        return tuple(dict.fromkeys(each))

    @property
    def of_rows(self) -> bool:
        return all(part.of_rows for part in self.members)

    def sentence(self, table: Table, recoding: str) -> str:
        return " ".join(part.sentence(table, recoding) for part in self.members)

    @property
    def parts(self) -> tuple[Requirement, ...]:
        return self.members

    @property
    def space(self) -> str:
        masks = any(part.space == MASK for part in self.members)
        return MASK if masks else PARTITION

    def holds(self, stats: GroupStats) -> Bools:
        return every([part.holds(stats) for part in self.members])

    def allows(self, group: PlainGroup) -> bool:
        return all(part.allows(group) for part in self.members)

    def why_not(self, group: int, stats: GroupStats) -> str:
        failing = [part for part in self.members if not part.holds(stats)[group]]
        return "; ".join(part.why_not(group, stats) for part in failing)

    def as_json(self) -> dict[str, Any]:
        each = [part.as_json() for part in self.members]
        joined = {name: value for part in each for name, value in part.items()}
        pairs = [(a, b) for a, b in combinations(each, 2) if a.keys() & b.keys()]
        # Populations are told by their columns and sizes alone.
        if any(a != b or "population" in a for a, b in pairs):
            return {"all_of": each}
        return joined


@dataclass(frozen=True)
class Around(Requirement):
    """Another requirement, asked otherwise: of persons, of kept rows, of whole classes.

    Raises TableError where a part of the other one is of none of the kinds ``takes``.
    """

    takes: ClassVar[tuple[type[Requirement], ...]]
    # why others cannot be asked so, with the name of their form or class
    refusal: ClassVar[str]

    inner: Requirement

    def __post_init__(self) -> None:
        expect_kind("inner", self.inner, Requirement)
        for part in self.inner.parts:
            if not isinstance(part, self.takes):
                kind = type(part).__name__
                raise TableError(self.refusal.format(self, form=part.form, kind=kind))

    @property
    def of_rows(self) -> bool:
        return False

    @property
    def least(self) -> int:
        """How many rows, or persons, every group has at least."""
        return self.inner.core.rows

    def holds(self, stats: GroupStats) -> Bools:
        return self.inner.holds(stats)

    def allows(self, group: PlainGroup) -> bool:
        return self.inner.allows(group)

    def why_not(self, group: int, stats: GroupStats) -> str:
        return self.inner.why_not(group, stats)


def least_size(requirement: Requirement) -> int:
    """Return the k that a requirement asks of every group, 1 where it asks none."""
    return requirement.core.size


def least_diversity(requirement: Requirement) -> int:
    """Return the l (frequency form) that a requirement asks for (1 where none)."""
    return requirement.core.diversity


def of_kind(requirement: Requirement | None, kind: type[Kind]) -> Kind | None:
    """Return what is required where that is all of one kind; else None."""
    return requirement if isinstance(requirement, kind) else None


def part_of(requirement: Requirement | None, kind: type[Kind]) -> Kind | None:
    """Return the first part of one kind; None where no part is."""
    parts = () if requirement is None else requirement.parts
    return next((part for part in parts if isinstance(part, kind)), None)


def expect_parts(requirement: Requirement, *kinds: type[Requirement]) -> None:
    """Raise NotSupportedError where a part is of none of the given kinds.

    >>> from starmin.instances import KAnonymity, LDiversity
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


def at_most(share: str, table: Table) -> str:
    """Say what a cap on the share of each sensitive value promises."""
    same = f"at most {share} have the same {any_of(table.sensitive)}"
    return f"Of the people who look alike, {same}."
