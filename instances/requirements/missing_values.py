"""What a missing sensitive value stands for: any value, or none."""

from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations_with_replacement
from operator import and_
from typing import Any, Literal

import numpy as np

from starmin.instances.arguments import Option, expect_choice
from starmin.instances.arrays import Bools
from starmin.instances.errors import NotSupportedError, TableError
from starmin.instances.requirements.group_stats import GroupStats, SensitiveCounts
from starmin.instances.requirements.requirement import (
    ByColumn,
    Core,
    PlainGroup,
    Requirement,
    Stated,
    Values,
)
from starmin.instances.requirements.t_closeness import Closeness, T
from starmin.instances.scales.missing import MISSING
from starmin.instances.tables.table import Table

MISSING_SENSITIVE = Option(
    "missing_sensitive",
    Literal["value", "any", "none"],
    "What a missing sensitive value counts as: one more value; any value, so that "
    "what is required holds whatever it is; or none, for nobody.",
    "value",
)
Meaning = Literal["any", "none"]


@dataclass(frozen=True)
class Reading:
    """How missing sensitive values are counted."""

    # ``any``: each of them may be any value, so what is required must hold whatever
    # they are; ``none``: they count for nobody; what is required is required of the
    # rows whose value is known, and of nothing in a group without such rows
    meaning: Meaning
    # the texts that stand for a missing value, beside a missing cell
    unknown: tuple[str | None, ...] = MISSING

    def __post_init__(self) -> None:
        expect_choice("meaning", self.meaning, ("any", "none"))

    def of(self, column: SensitiveCounts) -> tuple[SensitiveCounts, Bools]:
        """Return counts of known values, and which groups they are of.

        With ``any`` the missing ones are counted to the most frequent known value:
        there they do the most harm, as the counts that arise otherwise are sums of
        fewer, or of less frequent, values. In a group without a known value all of them
        may be one. With ``none`` groups without a known value have no counts.

        >>> counts = SensitiveCounts.of([0, 0, 0, 1], [0, 0, 1, 1], ("a", None))
        >>> Reading("any", (None,)).of(counts)[0].count.tolist()
        [3, 1]
        >>> Reading("none", (None,)).of(counts)[0].count.tolist()
        [2]
        """
        unknown = {None, *self.unknown}
        codes = [code for code, text in enumerate(column.labels) if text in unknown]
        missing = np.isin(column.value, codes)
        groups = len(column.sizes)
        lost = np.bincount(column.group, column.count * missing, minlength=groups)
        lost = lost.astype(np.int64)
        known = np.bincount(column.group, ~missing, minlength=groups) > 0
        if self.meaning == "none":
            new, found = np.cumsum(known) - 1, column.only(~missing)
            sizes = (column.sizes - lost)[known]
            return replace(found, group=new[found.group], sizes=sizes), known
        found = column.only(~missing | ~known[column.group])
        order = np.lexsort((found.count, found.group))
        last = np.append(np.flatnonzero(np.diff(found.group[order])), len(order) - 1)
        counts = found.count.copy()
        counts[order[last]] += np.where(known, lost, 0)
        return replace(found, count=counts), np.ones(groups, bool)


@dataclass(frozen=True)
class MissingValues(ByColumn):
    """A form of diversity where missing sensitive values are no value of their own.

    With several sensitive columns each of them must satisfy it, and each has missing
    values of its own.

    Monotone. With ``any`` it holds if the inner one holds however the missing values
    are filled in; a way to fill in a union fills in its parts. With ``none`` it is the
    inner one on rows with a known value, or nothing. Raises NotSupportedError where the
    inner one is t-closeness, which compares with the whole table.
    """

    options = (MISSING_SENSITIVE,)

    inner: Requirement  # diversity in any form, or a cap on shares
    reading: Reading  # how missing values are counted

    def __post_init__(self) -> None:
        if isinstance(self.inner, Closeness):
            raise NotSupportedError(
                "t-closeness: a missing sensitive value is one more value; leave "
                "--missing-sensitive out."
            )
        if not self.inner.reads_missing:
            raise NotSupportedError(
                f"Expected a form of diversity, got {type(self.inner).__name__}."
            )

    @property
    def form(self) -> str:
        """What methods call it, where they take the inner one with missing values."""
        return f"known-{self.inner.form}" if self.inner.core.exact else "known"

    @property
    def enough(self) -> Core | None:
        """Where they may be any value, that much with one value of which all are."""
        inner = self.inner.enough
        if inner is None or self.reading.meaning == "none":
            return None
        share, values = inner.diversity, inner.distinct
        return Core(
            inner.size, 2 * share if share > 1 else 1, values + 1 if values > 1 else 1
        )

    @classmethod
    def around(cls, asked: Requirement, stated: Stated, table: Table) -> Requirement:
        reading = stated_reading(stated)
        if reading is not None and any(isinstance(p, Closeness) for p in asked.parts):
            word = stated[MISSING_SENSITIVE]
            raise TableError(
                f"{stated.named(MISSING_SENSITIVE, word)}: is for diversity; "
                f"{stated.named(T)} compares with the whole table"
            )
        return read_missing(asked, reading)

    def sentence(self, table: Table, recoding: str) -> str:
        return self.inner.sentence(table, recoding)

    def fits(self, column: SensitiveCounts) -> Bools:
        counts, known = self.reading.of(column)
        fits = np.ones(len(column.sizes), bool)
        if known.any():
            fits[known] = self.inner.holds(GroupStats.given(counts.sizes, [counts]))
        return fits

    def admits(self, values: Values, size: int) -> bool:
        """Check one column: by whatever the missing values may be, or without them."""
        unknown = {None, *self.reading.unknown}
        known = [value for value in values if value not in unknown]
        if self.reading.meaning == "none":
            rest = PlainGroup(len(known), (known,))
            return not known or self.inner.allows(rest)
        missing = len(values) - len(known)
        other = "another value than all of these"
        filled = combinations_with_replacement(
            sorted({*known, other}, key=str), missing
        )
        return all(
            self.inner.allows(PlainGroup(len(values), ([*known, *found],)))
            for found in filled
        )

    def why_not(self, group: int, stats: GroupStats) -> str:
        for column in stats.counts:
            if self.fits(column)[group]:
                continue
            counts, known = self.reading.of(column)
            place = int(np.cumsum(known)[group]) - 1
            why = self.inner.why_not(place, GroupStats.given(counts.sizes, [counts]))
            if self.reading.meaning == "any":
                return f"{why}, if missing ones are that value"
            return f"{why}, missing ones left out"
        raise ValueError("The group satisfies it.")

    def as_json(self) -> dict[str, Any]:
        stated = self.inner.as_json() | {"missing_sensitive": self.reading.meaning}
        unknown = {None, *self.reading.unknown}
        if unknown != {*MISSING}:
            stated["missing"] = sorted(text for text in unknown if text is not None)
        return stated


def stated_reading(stated: Stated) -> Reading | None:
    """Return how missing sensitive values are counted; None: as one more value."""
    word = stated[MISSING_SENSITIVE]
    return None if word == "value" else Reading(word, stated.missing)


def read_missing(requirement: Requirement, reading: Reading | None) -> Requirement:
    """Return a requirement in which missing sensitive values are read so.

    Sizes of groups and rules stay as they are. If ``reading`` is None, a missing value
    is one more value. Raises NotSupportedError where a part is t-closeness.

    >>> from starmin.instances import KAnonymity, LDiversity
    >>> asked = KAnonymity(3) & LDiversity(2)
    >>> read_missing(asked, Reading("none", (None,))).parts[1].inner
    LDiversity(l=2)
    """
    if reading is None:
        return requirement
    parts = [
        MissingValues(part, reading) if part.of_sensitive else part
        for part in requirement.parts
    ]
    return reduce(and_, parts)
