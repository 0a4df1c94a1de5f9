"""How the times of a column are written, and what whole number each of them is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Literal

Unit = Literal["second", "month"]

SECOND = 10**9  # in billionths, which times with a clock are counted in
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86_400 * SECOND

TO = ".."  # between the ends of a range


class Notation(ABC):
    """A way to write times, each of which is a whole number of parts of a unit.

    Lengths are told in the unit: seconds; or months, where there are no days.
    """

    text: str  # its name: for dates and times of the day the signs of ``strptime``
    # of a column with several: how far clocks are before universal time, by moment
    zones: Mapping[int, int] = MappingProxyType({})
    # whether a range ends with the last moment of a period, as a month ends with its
    # 31st day; else with a multiple, as numbers do
    ends_within: ClassVar[bool] = True

    @property
    @abstractmethod
    def unit(self) -> Unit:
        """What lengths are told in."""

    @property
    def parts(self) -> int:
        """How many of the whole numbers make one unit."""
        return SECOND if self.unit == "second" else 1

    @property
    @abstractmethod
    def tick(self) -> int:
        """The least step that can be written."""

    @property
    @abstractmethod
    def is_date(self) -> bool:
        """Whether there is a calendar: not for durations and times of the day."""

    @property
    @abstractmethod
    def example(self) -> str:
        """What messages show."""

    @abstractmethod
    def read(self, text: str) -> int | None:
        """Return the whole number that a text stands for; None if it is no time."""

    @abstractmethod
    def write(self, value: int, ahead: int | None = None) -> str:
        """Return the text of a whole number, which is a multiple of the tick.

        ``ahead`` is how far the clocks that show it are before universal time; None:
        as those of the column are.
        """

    @property
    def ahead(self) -> int:
        """How far clocks are before universal time; 0 where there are several zones."""
        return 0

    @abstractmethod
    def fitted(self, texts: list[str]) -> "Notation":
        """Return it with what only the texts of the column tell: digits and zone."""
