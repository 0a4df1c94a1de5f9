"""What is measured of a release, whatever was asked of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy.typing as npt

from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.sensitive import SensitiveCounts

Number: TypeAlias = int | float | None


@dataclass(frozen=True)
class Measure:
    """A number that tells how far a kind of requirement holds.

    Attributes
    ----------
    key
        In JSON.
    title
        In reports.
    meaning
        In reports, beside the title.
    line
        What ``starmin verify`` calls it; measures of one line stand side by side.
    words
        Its value on that line, as a format.
    more_is_better
        Whether a greater number asks for more; it is rounded down then.
    """

    key: str
    title: str
    meaning: str
    line: str
    words: str
    more_is_better: bool = True


@dataclass(frozen=True)
class Measured:
    """What is counted in a release.

    Attributes
    ----------
    stats
        Of its classes.
    known
        Counts of the sensitive columns, missing values read as they are to be; without
        columns that have no known value.
    """

    stats: GroupStats
    known: tuple[SensitiveCounts, ...]


def least(columns: Sequence[npt.NDArray[Any]]) -> Number:
    """Return the least of some numbers by column and group, None without columns."""
    return min((column.min().item() for column in columns), default=None)
