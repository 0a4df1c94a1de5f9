"""Check a release by groups, whoever made it, from its cells alone."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from starmin.instances import (
    GroupStats,
    MissingValues,
    Persons,
    Reading,
    Requirement,
    SensitiveCounts,
    Table,
)
from starmin.instances.arrays import Int32s
from starmin.instances.problem import why_not_whole
from starmin.instances.requirements.group_stats import Measured, Number
from starmin.instances.requirements.id_columns import two_rows
from starmin.instances.requirements.requirements import measures
from starmin.instances.tables.row_types import merge_equal_values
from starmin.verify.cells.cells import ComparedRows, Meanings, PlainCells, lost_cells
from starmin.verify.releases.deleted_rows import compare_rows

MAX_VIOLATIONS = 20
MAX_ROWS = 10


@dataclass(frozen=True)
class Violation:
    """A class of the release that fails the requirement."""

    # its number; classes are numbered from 1 in the order of their first rows. 0: the
    # table as a whole
    group: int
    rows: tuple[int, ...]  # the first of its rows, numbered from 1: at most 10
    why: str  # in words


@dataclass(frozen=True)
class ReleaseCheck(ComparedRows):
    """What a release is worth, recomputed from its cells."""

    # whether every class satisfies the requirement: privacy alone; None where nothing
    # was required
    holds: bool | None
    # what kinds of requirement measure, by its key; None where nothing was measured, as
    # of sensitive values without a sensitive column. ``k``, ``l`` and so on are some of
    # them
    measures: Mapping[str, Number]
    # stars, gcp: suppressed QI cells; the mean loss of a QI cell, 1 for a suppressed
    # one
    stars: int
    gcp: float
    # 1 less the mean loss of a QI cell as ARX counts it: of the leaves below a node,
    # and of all, one is left out
    granularity: float
    groups: int  # number of classes
    # violations, violations_total: the first 20 classes that fail, and how many do
    violations: tuple[Violation, ...]
    violations_total: int
    # what a missing sensitive value counts as in all of these: one more ``value``,
    # ``any`` or ``none``; None without a sensitive column
    missing_sensitive: str | None = None
    # what it costs, its deleted rows counted, where rows may be deleted and the
    # original is there; else None
    value: int | float | None = None

    def __getattr__(self, name: str) -> Any:
        """Return a measure by its key."""
        if name != "measures" and name in self.measures:
            return self.measures[name]
        raise AttributeError(name)

    def as_json(self) -> dict[str, Any]:
        """Return the keys of ``starmin verify --json``."""
        content: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            content |= value if name == "measures" else {name: value}
        content["violations"] = [
            asdict(each) | {"rows": list(each.rows)} for each in self.violations
        ]
        for name in ("inconsistencies", "reordered", "missing_rows", "kept"):
            del content[name]
        if content["value"] is None:
            del content["value"]
        if self.inconsistencies is not None:
            content |= self.compared_json() | {"missing_rows": self.missing_rows}
        return content


def check_release(
    released: Table,
    requirement: Requirement | None,
    original: Table | None = None,
    star: str = "*",
    cells: Meanings | None = None,
    reading: Reading | None = None,
) -> ReleaseCheck:
    """Recompute whether a release satisfies a requirement, and what it cost.

    A class is all rows that are published with the same QI cells. A star is a value
    like any other here, equal to nothing but a star in the same column: rows that
    are starred throughout form a class of their own, which must satisfy the
    requirement too, and groups that are published alike are one class.

    QI and sensitive columns of ``released`` are named; a counted table has no rows that
    could be compared or named. Without a requirement it is only measured. ``original``
    is compared cell by cell, if given: by ``find_inconsistencies``, by ``compare_rows``
    where rows are missing, and by ``is_reordered`` where the order differs. In other
    columns than QI the ``star`` is text. ``cells`` says what the cells of QI columns
    stand for in a release by generalization (``read_cells``); default: a star for all
    values, any other for itself. ``reading`` is how missing sensitive values are
    counted where l is measured; default: as the requirement says, else as one more
    value.

    Raises ValueError where the requirement needs a sensitive column and there is none.

    One group-by of n rows: about a second for 1.4 million rows and six columns.

    >>> from starmin.instances import KAnonymity
    >>> released = Table.from_rows(
    ...     ["age", "sex"], [["*", "F"], ["*", "F"], ["30", "M"]], qi=["age", "sex"])
    >>> check = check_release(released, KAnonymity(2))
    >>> check.holds, check.k, check.stars, check.groups
    (False, 1, 2, 2)
    >>> check.violations
    (Violation(group=2, rows=(3,), why='1 row, fewer than k = 2'),)
    """
    released = merge_equal_values(released)
    classes = _classes(released)
    stats = GroupStats.of(released, classes)
    violations, total = _violations(
        requirement, stats, classes, released.counts is None
    )
    meanings = dict.fromkeys(released.qi, PlainCells(star)) | dict(cells or {})
    compared: dict[str, Any] = {}
    if original is not None:
        compared = vars(compare_rows(released, original, star, cells))
    parts = () if requirement is None else requirement.parts
    if reading is None:
        missing = (part for part in parts if isinstance(part, MissingValues))
        reading = next((part.reading for part in missing), None)
    counted = next((part for part in parts if isinstance(part, Persons)), None)
    if counted is not None:
        found = [*_parted(released, classes, counted)]
        # Groups whose union may fail do not tell of the whole.
        why = None if counted.monotone else why_not_whole(released, counted)
        if why is not None:
            found.insert(0, Violation(0, (), f"the table as a whole: {why}"))
        violations = (*found, *violations)[:MAX_VIOLATIONS]
        total += len(found)
        stats = stats.of_units(counted.column)
    counts = _known_counts(stats, reading)
    meaning = "value" if reading is None else reading.meaning
    return ReleaseCheck(
        holds=None if requirement is None else total == 0,
        measures=_measures(requirement, Measured(stats, counts)),
        stars=_count_stars(released, star),
        gcp=float(lost_cells(released, meanings) / (released.d * released.n)),
        granularity=1
        - float(lost_cells(released, meanings, True) / (released.d * released.n)),
        groups=len(stats.sizes),
        violations=violations,
        violations_total=total,
        missing_sensitive=meaning if released.sensitive else None,
        **compared,
    )


def _parted(released: Table, classes: Int32s, asked: Persons) -> Iterator[Violation]:
    """Yield the columns in which rows of one household are published in two ways."""
    for column in () if asked.whole else asked.alike:
        if column not in released.qi:
            continue
        if (rows := two_rows(released, asked.column, column)) is not None:
            why = f"rows of one {asked.unit} show column {column!r} in two ways"
            places = (rows[0] + 1, rows[1] + 1)
            yield Violation(int(classes[rows[1]]) + 1, places, why)


def _known_counts(
    stats: GroupStats, reading: Reading | None
) -> tuple[SensitiveCounts, ...]:
    """Return the counts of sensitive values, missing ones as they are to be read.

    A column without a known value has none.
    """
    if reading is None:
        return stats.counts
    read = [reading.of(column) for column in stats.counts]
    return tuple(counts for counts, known in read if known.any())


def _classes(released: Table) -> Int32s:
    """Return for each row its class, numbered in the order of their first rows."""
    groups = released.grouped(released.qi)
    rank = np.empty(groups.size, np.int32)
    rank[np.argsort(groups.first)] = np.arange(groups.size, dtype=np.int32)
    return np.asarray(rank[groups.inverse])


def _violations(
    requirement: Requirement | None, stats: GroupStats, classes: Int32s, by_rows: bool
) -> tuple[tuple[Violation, ...], int]:
    """Return the first classes that fail, and how many do."""
    if requirement is None:
        return (), 0
    failing = np.flatnonzero(~requirement.holds(stats))
    first = [
        Violation(
            int(group) + 1,
            tuple((np.flatnonzero(classes == group)[:MAX_ROWS] + 1).tolist())
            if by_rows
            else (),
            requirement.why_not(int(group), stats),
        )
        for group in failing[:MAX_VIOLATIONS]
    ]
    return tuple(first), len(failing)


def _count_stars(released: Table, star: str) -> int:
    stars = 0
    for column in released.qi:
        dictionary = released.dictionary(column)
        if star in dictionary:
            code = dictionary.index(star)
            starred = released.column(column) == code
            stars += int(np.bincount(starred, released.counts, minlength=2)[1])
    return stars


def _measures(requirement: Requirement | None, found: Measured) -> dict[str, Number]:
    """Return what kinds of requirement measure, whatever was asked."""
    parts = requirement.parts if requirement else ()
    values = found.stats.sensitive  # without them what is of them measures nothing
    return {
        measure.key: kind.measured(found, parts)
        if values or not kind.of_sensitive
        else None
        for measure, kind in measures().items()
    }
