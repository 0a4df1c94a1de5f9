"""Reads columns whose values are ranges themselves, as ``(20, 30]`` or ``20-29``."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from starmin.verify.cells.readings import Ends, Reading, Text

BAND = re.compile(r"([\[(]?)([^\[(,;]+?)(?:, ?|-(?=[0-9.]+$))([^,;\])]+)([\])]?)")


@dataclass(frozen=True)
class BandReading(Reading):
    """Ranges as values, and ranges from the first to the last of several."""

    inner: Reading  # how their ends are read
    # the cells that are values, of which none holds another one
    values: frozenset[Text]
    sample = ("a range of the column", "one of several such")
    of_bands: ClassVar[bool] = True

    @classmethod
    def of(cls, inner: Reading, texts: Iterable[Text]) -> "BandReading":
        """Return how bands are read; those that hold others are none of the values."""
        known = cls(inner, frozenset(texts))
        spans = {text: ends for text in known.values if (ends := known.ends(text))}
        ordered = sorted(spans.items(), key=lambda item: (item[1][1], -item[1][0]))
        values, last = set[Text](), None
        for text, (low, _) in ordered:  # one that ended before and begins later
            if last is None or low > last:
                values.add(text)
                last = low
        return cls(inner, frozenset(values))

    def ends(self, text: Text) -> Ends | None:
        found = BAND.fullmatch(text or "")
        if found is None:
            return None
        low, high = self.inner.ends(found[2]), self.inner.ends(found[3])
        return None if low is None or high is None else (low[0], high[1])

    def is_range(self, text: Text) -> bool:
        return text not in self.values and self.ends(text) is not None

    def is_lossy(self, text: Text) -> bool:
        return text not in self.values

    def holds(self, text: Text, value: Text) -> bool:
        ends, known = self.ends(text), self.ends(value)
        if ends is None or known is None:
            return False
        return ends[0] <= known[0] and known[1] <= ends[1]

    def is_rounded(self, text: Text, step: str) -> bool:
        return False

    def rounded(self, ends: Ends, step: str) -> Ends:
        return ends

    def tick(self, number: Decimal) -> Decimal:
        return self.inner.tick(number)

    def step_for(self, ends: Ends) -> str:
        return self.inner.step_for(ends)
