"""Make hierarchies by rules: of dates, of numbers, of what codes begin with."""

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, localcontext
from typing import Any, TypeAlias

from starmin.instances.errors import TableError
from starmin.instances.scales.missing import MISSING, split_missing
from starmin.instances.scales.numbers import NUMBER
from starmin.instances.scales.taxonomies.build_taxonomy import (
    date_taxonomy,
    joined_taxonomy,
    plain,
    prefix_taxonomy,
    texts_of,
    to_number,
    tree_of,
)
from starmin.instances.scales.taxonomies.taxonomy import ROOT, Taxonomy
from starmin.instances.times.signs import parted

# A rule that says for any value which nodes are above it.

Text = str | None
Values: TypeAlias = Iterable[Text]


class HierarchyRule(ABC):
    """Makes the hierarchy of a column from the values that it has.

    So the values of next month need no new file. A rule is also written as a text:
    ``starmin.hierarchy_rule`` has the forms.
    """

    @abstractmethod
    def tree(
        self, values: Values, missing: Values = MISSING, name: str = "taxonomy"
    ) -> Taxonomy:
        """Return the tree of some values, below a root ``*``.

        ``values`` are those of a column; or tell how many rows have each, which a rule
        that counts needs where a value of several rows stands here once. Those that are
        ``missing`` are leaves directly below the root. Raises TableError, which calls
        the tree ``name``: a value that the rule does not fit.
        """

    @abstractmethod
    def example(self, node: str) -> str | None:
        """Return a value below a node of this name; None where it names no node."""

    def tree_of_release(
        self, published: Values, missing: Values = MISSING, name: str = "taxonomy"
    ) -> Taxonomy:
        """Return a tree that has all that is published, where values are not known.

        These are values, nodes and the root. A node has a value below it that stands
        for all that there may be, so what the node loses is not known.
        """
        values = list[Text]()
        for text in published:
            if text != ROOT:
                found = None if text is None else self.example(text)
                values.append(text if found is None else found)
        if not values:  # all are suppressed
            return Taxonomy([(ROOT,)], name)
        return self.tree(values, missing, name)


# The rule that joins dates to periods.

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
        self, values: Values, missing: Values = MISSING, name: str = "taxonomy"
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


# The rules that join numbers to ranges: of given widths, or between given numbers.

_DIGITS = 100  # of numbers that are computed with exactly
_FORMS = (
    re.compile(rf"\[?({NUMBER})-{NUMBER}\]?"),
    re.compile(rf"\[({NUMBER}), {NUMBER}\)"),
    re.compile(rf"({NUMBER})\+"),
)
_BELOW = re.compile(rf"<({NUMBER})")


class _NumberRule(HierarchyRule):
    """A rule for numbers, whose nodes are ranges of them."""

    def tree(
        self, values: Values, missing: Values = MISSING, name: str = "taxonomy"
    ) -> Taxonomy:
        texts, unknown = split_missing(values, missing)
        numbers = {text: to_number(text, name) for text in texts}
        with localcontext(prec=_DIGITS):
            whole = self._whole([*numbers.values()], name)
            ordered = sorted(numbers.items(), key=lambda item: (item[1], item[0]))
            paths = [(text, *self._nodes(x, whole)) for text, x in ordered]
        return tree_of(paths, unknown, name)

    def example(self, node: str) -> str | None:
        if found := _BELOW.fullmatch(node):
            return plain(Decimal(found[1]) - 1)
        for form in _FORMS:
            if found := form.fullmatch(node):
                return found[1]
        return None

    def _whole(self, numbers: list[Decimal], name: str) -> bool:
        """Return whether all numbers, those of the rule too, are whole ones from 0."""
        each = [*numbers, *(to_number(text, name) for text in self._own())]
        return all(x == x.to_integral_value() and x >= 0 for x in each)

    @abstractmethod
    def _own(self) -> Sequence[str]:
        """Return the numbers of the rule itself, as they are written."""

    @abstractmethod
    def _nodes(self, number: Decimal, whole: bool) -> list[str]:
        """Return the nodes above a number, the lowest first."""


@dataclass(frozen=True)
class RangeRule(_NumberRule):
    """Joins numbers to ranges of given widths, which begin at their multiples.

    Of whole numbers from 0 on they are written ``20-24``, both ends included; of others
    ``[20, 25)``, without the second. Raises TableError: widths that are not nested.

    Attributes
    ----------
    widths
        As text, each a multiple of the one before.
    bottom, top
        Numbers below ``bottom`` are joined to one node, as ``<18``, and those from
        ``top`` on to ``90+``; None: none.

    Examples
    --------
    >>> tree = RangeRule(("5", "20"), top="90").tree(["17", "88", "97"])
    >>> tree.ancestors
    {'17': ('15-19', '0-19', '*'), '88': ('85-89', '80-89', '*'), '97': ('90+', '*')}
    """

    widths: tuple[str, ...]
    bottom: str | None = None
    top: str | None = None

    def __post_init__(self) -> None:
        expect_nested(self.widths, "ranges")
        ends = [to_number(end, "ranges") for end in (self.bottom, self.top) if end]
        if ends != sorted(set(ends)):
            raise TableError(
                f"ranges: expected <{self.bottom} to end before {self.top}+ begins"
            )

    def _own(self) -> Sequence[str]:
        return [text for text in (*self.widths, self.bottom, self.top) if text]

    def _nodes(self, number: Decimal, whole: bool) -> list[str]:
        if self.bottom is not None and number < Decimal(self.bottom):
            return [f"<{self.bottom}"] * len(self.widths)
        if self.top is not None and number >= Decimal(self.top):
            return [f"{self.top}+"] * len(self.widths)
        nodes, infinite = [], Decimal("inf")
        least, most = Decimal(self.bottom or -infinite), Decimal(self.top or infinite)
        for step in map(Decimal, self.widths):
            low = number // step * step  # towards zero
            low -= step if low > number else 0
            nodes.append(_range(max(low, least), min(low + step, most), whole))
        return nodes


def expect_nested(widths: Sequence[str], name: str) -> None:
    """Raise TableError where widths are no numbers, or no multiples of those before."""
    with localcontext(prec=_DIGITS):
        steps = [to_number(width, f"{name}: widths") for width in widths]
        for finer, step in zip([None, *steps], steps, strict=False):
            if step <= 0 or (finer and (step % finer or step == finer)):
                raise TableError(
                    f"{name}: expected widths above 0, each a multiple of the one "
                    f"before, as 5,10,20; got {','.join(widths)}"
                )


def range_taxonomy(
    values: Iterable[Any],
    widths: Sequence[str | float],
    missing: Values = MISSING,
    name: str = "taxonomy",
) -> Taxonomy:
    """Return the tree of numbers that are joined to ranges of given widths.

    It is that of ``RangeRule``; errors call it ``name``. Raises TableError: a value
    that is no number, or widths that are not nested.

    Parameters
    ----------
    values
        Numbers, as text or typed, as a column of a frame.
    widths
        Numbers, or their texts, each a multiple of the one before.
    missing
        Values that are leaves directly below the root.

    Examples
    --------
    >>> for path in range_taxonomy(["7", "12", "?"], ["5", "10"]).paths:
    ...     print(path)
    ('7', '5-9', '0-9', '*')
    ('12', '10-14', '10-19', '*')
    ('?', '*', '*', '*')
    >>> range_taxonomy(["-0.5"], ["1"]).paths
    [('-0.5', '[-1, 0)', '*')]
    """
    texts, steps = texts_of(values, name), tuple(map(str, widths))
    expect_nested(steps, name)
    return RangeRule(steps).tree(texts, missing, name)


@dataclass(frozen=True)
class CutRule(_NumberRule):
    """Joins numbers to the ranges between given numbers, as age bands.

    Raises TableError: numbers that do not ascend, or levels that are not nested.

    Attributes
    ----------
    levels
        For each level, the finest first, where its ranges begin, as text; those of a
        level begin where ranges of the one before do.

    Examples
    --------
    >>> rule = CutRule((("18", "30", "65"), ("18", "65")))
    >>> rule.tree(["7", "21", "44", "70"]).ancestors["44"]
    ('30-64', '18-64', '*')
    """

    levels: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        finer: set[Decimal] | None = None
        for level in self.levels:
            cuts = [to_number(text, "cuts") for text in level]
            if not cuts or cuts != sorted(set(cuts)):
                raise TableError(
                    f"cuts: expected numbers that ascend, as 18,30,65; got "
                    f"{','.join(level)}"
                )
            if finer is not None and not {*cuts} < finer:
                raise TableError(
                    f"cuts: expected some numbers of the level before, got "
                    f"{','.join(level)}"
                )
            finer = {*cuts}

    def _own(self) -> Sequence[str]:
        return [text for level in self.levels for text in level]

    def _nodes(self, number: Decimal, whole: bool) -> list[str]:
        nodes = []
        for level in self.levels:
            cuts = [*map(Decimal, level)]
            if number < cuts[0]:
                nodes.append(f"<{level[0]}")
            elif number >= cuts[-1]:
                nodes.append(f"{level[-1]}+")
            else:
                at = bisect_right(cuts, number)
                nodes.append(_range(cuts[at - 1], cuts[at], whole))
        return nodes


def _range(low: Decimal, high: Decimal, whole: bool) -> str:
    """Write the range of the numbers from one end on, before the other."""
    if whole:
        return f"{plain(low)}-{plain(high - 1)}"
    return f"[{plain(low)}, {plain(high)})"


# The rule that joins codes by what they begin with.


@dataclass(frozen=True)
class PrefixRule(HierarchyRule):
    """Joins codes, as postal codes, by prefixes of some lengths, the longest first.

    Examples
    --------
    >>> PrefixRule((3, 1)).tree(["02139", "02140"]).ancestors["02139"]
    ('021*', '0*', '*')
    """

    lengths: tuple[int, ...]

    def tree(
        self, values: Values, missing: Values = MISSING, name: str = "taxonomy"
    ) -> Taxonomy:
        return prefix_taxonomy(values, self.lengths, missing, name)

    def example(self, node: str) -> str | None:
        prefix = node.removesuffix("*")
        joined = prefix != node and len(prefix) in self.lengths
        return f"{prefix}.." if joined else None


# The rule that joins what few rows have, whatever it is.


@dataclass(frozen=True)
class RareRule(HierarchyRule):
    """Joins the values that fewer rows than ``least`` have to one ``node``.

    Where there is one such value alone, it stays by itself: it would hide among none.

    >>> RareRule(2).tree(["cat", "cat", "owl", "emu"]).ancestors
    {'cat': ('*',), 'emu': ('other', '*'), 'owl': ('other', '*')}
    """

    least: int
    node: str = "other"

    def tree(
        self, values: Values, missing: Values = MISSING, name: str = "taxonomy"
    ) -> Taxonomy:
        rows = values if isinstance(values, Mapping) else Counter(values)
        there, _ = split_missing(rows, missing)
        few = [text for text in there if rows[text] < self.least]
        if self.node in rows or self.node == ROOT:
            raise TableError(
                f"{name}: {self.node!r} is a value already; name what rare ones become "
                f"otherwise: rare:{self.least}:NAME"
            )
        joined = {self.node: few} if len(few) > 1 else {}
        return joined_taxonomy([*rows], joined, missing, name)

    def tree_of_release(
        self, published: Values, missing: Values = MISSING, name: str = "taxonomy"
    ) -> Taxonomy:
        texts = [text for text in published if text not in (ROOT, self.node)]
        unknown = f"{self.node}.."  # stands for all that there may be
        if not texts:
            return Taxonomy([(unknown, self.node, ROOT)], name)
        return joined_taxonomy([*texts, unknown], {self.node: [unknown]}, missing, name)

    def example(self, node: str) -> str | None:
        return f"{node}.." if node == self.node else None
