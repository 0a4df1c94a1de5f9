"""The rule that joins dates to periods."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from starmin.instances.hierarchies.rule import HierarchyRule, Text
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.taxonomies.build_taxonomy import date_taxonomy
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
from starmin.instances.times.signs import parted

# Of each period the year and the month that it begins with.
_NODES = {
    "month": re.compile(r"(\d{4})-(\d\d)"),
    "quarter": re.compile(r"(\d{4})-Q(\d)"),
    "year": re.compile(r"(\d{4})"),
    "decade": re.compile(r"(\d{3})0s"),
    "century": re.compile(r"(\d\d)xx"),
}
_YEARS = {"decade": 10, "century": 100}
_MONTHS = {"month": 1, "quarter": 3}


@dataclass(frozen=True)
class DateRule(HierarchyRule):
    """Joins dates to periods, as months and years.

    Attributes
    ----------
    periods
        Some of day, month, quarter, year, decade, century, in this order.
    form
        How dates are written, as ``%d.%m.%Y``; None: as ``2024-05-31``.

    Examples
    --------
    >>> DateRule(("month", "year")).tree(["2024-05-31"]).ancestors
    {'2024-05-31': ('2024-05', '2024', '*')}
    """

    periods: tuple[str, ...]
    form: str | None = None

    def tree(
        self,
        values: Iterable[Text],
        missing: Iterable[Text] = MISSING,
        name: str = "taxonomy",
    ) -> Taxonomy:
        return date_taxonomy(values, self.periods, self.form, missing, name)

    def example(self, node: str) -> str | None:
        for period, form in _NODES.items():
            found = form.fullmatch(node) if period in self.periods else None
            if found is None:
                continue
            year = int(found[1]) * _YEARS.get(period, 1)
            size = _MONTHS.get(period, 0)
            month = int(found[2]) * size - size + 1 if size else 1
            if not (1 <= month <= 12 and year):
                return None
            begin = datetime(year, month, 1)
            if self.form:
                return begin.strftime(parted(self.form)[0])
            return begin.date().isoformat()
        return None
