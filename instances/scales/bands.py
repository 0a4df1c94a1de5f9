"""How values are written that are ranges themselves, as ``(20, 30]`` or ``20-29``."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from starmin.instances.scales.numbers import DECIMAL

_FORMS = {f"{a}{b}": (a, b) for a in "[(" for b in ")]"}
_LIST = re.compile(r"([\[(])([^,;]+), ?([^,;]+)([\])])")
_DASH = re.compile(r"([0-9]+(?:\.[0-9]+)?)-([0-9]+(?:\.[0-9]+)?)")


@dataclass(frozen=True)
class Band:
    """A value that is a range.

    Examples
    --------
    >>> Band.parse("(20, 30]"), Band.parse("20-29").joined("60")
    (Band(form='(]', least='20', greatest='30'), '20-60')
    """

    form: str  # ``(]``, ``[)``, ``[]``, ``()``; or ``-`` for two numbers joined by it
    least: str  # least, greatest: the texts of its ends
    greatest: str

    @classmethod
    def parse(cls, text: str) -> "Band | None":
        """Read a band; None if it is none."""
        if found := _DASH.fullmatch(text):
            return cls("-", found[1], found[2])
        if found := _LIST.fullmatch(text):
            return cls(found[1] + found[4], found[2], found[3])
        return None

    def joined(self, greatest: str) -> str:
        """Return the band from its beginning to another end."""
        if self.form == "-":
            return f"{self.least}-{greatest}"
        begin, end = _FORMS[self.form]
        return f"{begin}{self.least}, {greatest}{end}"


def form_of(texts: Sequence[str]) -> str | None:
    """Return how most texts are written that are bands; None where few of all are.

    Examples
    --------
    >>> form_of(["20-29", "30-39", "?"]), form_of(["20-29", "3", "4"])
    ('-', None)
    """
    forms = Counter(band.form for band in map(Band.parse, texts) if band is not None)
    form, many = forms.most_common(1)[0] if forms else ("", 0)
    return form if 2 * many > len(texts) else None


def is_finite(text: str) -> bool:
    """Check whether an end is no infinity, as ``pandas.cut`` has it.

    Examples
    --------
    >>> is_finite("-inf"), is_finite("20")
    (False, True)
    """
    return re.fullmatch(DECIMAL, text) is not None or "inf" not in text.lower()
