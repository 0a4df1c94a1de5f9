"""What is measured of a release, whatever was asked of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy.typing as npt

from starmin.instances.requirements.group_stats import GroupStats, SensitiveCounts

Number: TypeAlias = int | float | None


@dataclass(frozen=True)
class Measure:
    """A number that tells how far a kind of requirement holds."""

    key: str  # in JSON
    title: str  # in reports
    meaning: str  # in reports, beside the title
    # what ``starmin verify`` calls it; measures of one line stand side by side
    line: str
    words: str  # its value on that line, as a format
    # whether a greater number asks for more; it is rounded down then
    more_is_better: bool = True


@dataclass(frozen=True)
class Measured:
    """What is counted in a release."""

    stats: GroupStats  # of its classes
    # counts of the sensitive columns, missing values read as they are to be; without
    # columns that have no known value
    known: tuple[SensitiveCounts, ...]


def least(columns: Sequence[npt.NDArray[Any]]) -> Number:
    """Return the least of some numbers by column and group, None without columns."""
    return min((column.min().item() for column in columns), default=None)
