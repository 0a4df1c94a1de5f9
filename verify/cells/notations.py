"""Ranges of numbers as other tools write them: open or closed ends, or none."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from starmin.instances.scales.range_notation import (
    AmbiguousRangeError,
    Interval,
    RangeStyle,
    read_range,
)
from starmin.verify.cells.readings import Ends, NumberReading, Text, ends_of

_SAMPLES: dict[RangeStyle, str] = {
    "ours": "a range as [35-45]",
    "arx": "a range as [15, 20[ or >=90",
    "pandas": "a range as (19.9, 29.0]",
    "sdcmicro": "a range as (15,20] or 20-29",
    "auto": "a range as [35-45], [15, 20[, (19.9, 29.0], 20-29, >=90 or 90+",
}
_LEAST, _GREATEST = Decimal("-Infinity"), Decimal("Infinity")


@dataclass(frozen=True)
class NotedNumbers(NumberReading):
    """Numbers, and ranges in the notation of a tool.

    Examples
    --------
    >>> arx = NotedNumbers("arx")
    >>> arx.holds("[15, 20[", "19.9"), arx.holds("[15, 20[", "20")
    (True, False)
    >>> arx.ends(">=90")
    (Decimal('90'), Decimal('Infinity'))
    """

    style: RangeStyle = "auto"

    @property
    def sample(self) -> tuple[str, str]:  # type: ignore[override]
        """A cell and a range, for messages."""
        return "a number", _SAMPLES[self.style]

    def ends(self, text: Text) -> Ends | None:
        own = ends_of(text)
        if own is not None and (self.style in ("ours", "auto") or own[0] == own[1]):
            return own
        interval = self._interval(text)
        if interval is None:
            return None
        low, high = interval.low, interval.high
        return (_LEAST if low is None else low), (_GREATEST if high is None else high)

    def is_range(self, text: Text) -> bool:
        try:
            return self._interval(text) is not None or super().is_range(text)
        except AmbiguousRangeError:
            return True

    def is_rounded(self, text: Text, step: str) -> bool:
        ends = self.ends(text)
        return ends is not None and all(
            Fraction(end) % Fraction(step) == 0 for end in ends if end.is_finite()
        )

    def holds(self, text: Text, value: Text) -> bool:
        interval, known = self._interval(text), ends_of(value)
        if interval is None or known is None:
            return super().holds(text, value)
        return known[0] == known[1] and interval.holds(known[0])

    def within(self, ends: Ends, domain: Ends) -> Ends:
        low, high = max(ends[0], domain[0]), min(ends[1], domain[1])
        return low, max(low, high)

    def _interval(self, text: Text) -> Interval | None:
        """Return the range that a text is in the notation of a tool; None: in ours."""
        ours = self.style in ("ours", "auto") and ends_of(text) is not None
        return None if text is None or ours else read_range(text, self.style)
