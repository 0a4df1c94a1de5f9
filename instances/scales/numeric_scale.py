"""Numbers and times, which are published as ranges."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import floor as floor_of
from typing import Any

import numpy as np

from starmin.instances.arrays import Bools, Int32s, IntArray, Ints
from starmin.instances.errors import TableError
from starmin.instances.scales.floors import Cap
from starmin.instances.scales.measures import Limits, Measure, Numbers, measure_of
from starmin.instances.scales.missing import MISSING, split_missing
from starmin.instances.scales.numbers import DECIMAL, WholeNumbers, Width, short_text
from starmin.instances.scales.scale import NUMERIC, Layout, Scale, Text
from starmin.instances.tables.table import Table

_ANY_WIDTH = Width()
_NUMBERS = Numbers()
_INFINITE = "inf", "infinity"
# A cell that looks like a number and all above it, or all below.
_OPEN = re.compile(rf"{DECIMAL}\+|<=?{DECIMAL}|>=?{DECIMAL}")


@dataclass(frozen=True, eq=False)
class NumericScale(Scale):
    """Numbers or times: a range loses the length that is published of it.

    Different texts of one number (1 and 1.0) are neighbours, no length apart. Missing
    values are apart: they have the first positions, and a range that begins with one of
    them and does not end there is hidden.

    >>> table = Table.from_rows(["a"], [["2.5"], ["-1"], ["6"]], qi=["a"])
    >>> scale = NumericScale.of(table, "a")
    >>> scale.positions.tolist(), scale.layout.places.tolist()
    ([1, 0, 2], [0, 1, 2])
    """

    # a line of whole numbers from 0 on, behind the missing values that occur, which
    # stand at 0, and reach to themselves alone
    layout: Layout = field(kw_only=True)
    # ends of ranges are multiples of this, or those of periods of times; None: the
    # numbers themselves
    step: str | None = None
    width: Width = _ANY_WIDTH  # how long a range may be
    # the top and the bottom; None: all numbers are told. All numbers from the top on
    # are one value, which has the last position, and all up to the bottom the first one
    # after the missing values. A range from the one to the other is hidden.
    cap: Cap | None = None
    # whether they are numbers or times, and how they are written
    measure: Measure = _NUMBERS

    @classmethod
    def of(
        cls,
        table: Table,
        column: str,
        missing: Iterable[str | None] = MISSING,
        step: str | None = None,
        free: bool = False,
        width: Width = _ANY_WIDTH,
        form: str | None = None,
    ) -> "NumericScale":
        """Return the numbers of a column in their order, after the missing values.

        Ends of ranges are rounded outwards to multiples of ``step``, or to periods,
        None: they are not; shorter ranges than ``width`` tells are widened, longer ones
        hidden; if ``free``, ranges lose nothing, so that only stars count. ``missing``
        stands for a missing value. ``form`` tells how times are written, in the signs
        of ``strptime``, None: ISO 8601, or they are numbers. Raises TableError for a
        cell that is neither a number nor a time, or not what the others are; a step for
        others; a least width that no range can have.
        """
        texts = table.dictionary(column)
        counts = np.bincount(table.column(column), minlength=len(texts))
        occurs = np.flatnonzero(counts)
        labels, apart = split_missing((texts[code] for code in occurs), missing)
        unknown = np.array([text in apart for text in texts], bool)
        here = occurs[~unknown[occurs]]
        floor = table.floors.get(column)
        cap = floor if isinstance(floor, Cap) else None
        coded = _Coded.of(cap, labels)
        try:
            measure, misfit = measure_of(coded.numbers, form)
            if misfit is None:
                width = width.in_steps(step)
                told = [*coded.numbers, *coded.domain]
                limits = Limits(step, width)
                whole = coded.in_one_range(measure.whole(told, limits, coded.ends))
        except TableError as error:
            raise TableError(f"{table.name}: column {column!r}: {error}") from None
        if misfit is not None:
            label = labels[misfit.place]
            hint = "; or name its end (--top, --bottom)" * bool(_OPEN.fullmatch(label))
            if label.lower().lstrip("+-") in _INFINITE:
                hint = (
                    "; no range ends at infinity: put a number in its place, or name "
                    f"{label!r} as a missing value"
                )
            raise TableError(
                f"{table.where(column, label)}: expected {misfit.expected}, or a "
                f"missing value (--missing), got {label!r}{hint}"
            )
        if whole.least > whole.length:
            raise TableError(
                f"{table.name}: column {column!r}: expected a least width of at most "
                f"{short_text(whole.length * whole.unit)}{width.unit}, the length of "
                f"all, got {width}"
            )
        fit, values = whole.fitting(), whole.values[: len(here)]
        order = np.argsort(values, kind="stable")
        if (np.diff(values[order]) == 0).any():  # texts of one number, in their order
            pairs = list(zip(values.tolist(), labels, strict=True))
            order = np.array(sorted(range(len(here)), key=pairs.__getitem__))
        codes = np.append(occurs[unknown[occurs]], here[order])
        positions = np.full(len(texts), -1, np.int32)
        positions[codes] = np.arange(len(codes))
        known, lower, upper, single = (
            np.append(np.zeros(len(apart), np.int64), each[: len(here)][order])
            for each in (*fit[:3], coded.losses(fit))
        )
        reach = np.append(np.arange(len(apart)), np.full(len(here), len(codes) - 1))
        if width.most is not None:
            most = min(floor_of(Fraction(width.most) / whole.unit), whole.length)
            own, ends = (
                each[: len(here)][order] for each in (whole.lower, whole.upper)
            )
            last = len(apart) - 1 + np.searchsorted(ends, own + most, side="right")
            reach[len(apart) :] = np.maximum(last, np.arange(len(apart), len(codes)))
        if min(coded.top, coded.bottom) >= 0:  # no range has both
            reach[len(apart)] = min(reach[len(apart)], len(codes) - 2)
        if free:
            lower, upper, single = np.zeros((3, len(codes)), np.int64)
        layout = replace(
            Scale(positions, len(codes)).layout,
            places=known,
            kind=NUMERIC,
            reach=reach,
            missing=tuple(apart),
            by_length=not free,
            rounded=not free and not fit.exact,
        )
        least, rest = 0 if free else fit.least, (step, width, cap, measure)
        line = _with_ends(layout, (lower, upper, single), least)
        return cls(positions, len(codes), *rest, layout=line)

    @property
    def domain(self) -> int:
        return int(self.layout.losses[-1])

    def extents(self, low: IntArray, high: IntArray) -> Ints:
        line = self.layout
        lengths = np.maximum(line.upper[high] - line.lower[low], line.least)
        lost = np.where(low == high, line.single[low], lengths)
        return np.asarray(np.where(self.hidden(low, high), self.domain, lost))

    def hidden(self, low: IntArray, high: IntArray) -> Bools:
        """Return which ranges are published as a star."""
        return np.asarray((high > self.layout.reach[low]) & (low != high))

    @property
    def nodes_above(self) -> int:
        numbers = self.size - len(self.layout.missing)
        return (numbers // 2 + 1) * ((numbers + 1) // 2) + (numbers < self.size)

    def nodes(self, low: IntArray, high: IntArray) -> Ints:
        hidden = self.hidden(low, high)
        begin = np.where(hidden, 0, low).astype(np.int64)
        number = begin * self.size + np.where(hidden, self.size - 1, high)
        return np.where(low == high, low, -1 - number)

    def spans(self, nodes: IntArray) -> tuple[Ints, Ints]:
        number = -1 - nodes.astype(np.int64)
        low, high = np.divmod(number, self.size)
        return np.where(nodes < 0, low, nodes), np.where(nodes < 0, high, nodes)

    def charged(self, amount: Callable[[int], int]) -> Scale:
        line = self.layout
        ends = (
            np.array([amount(each) for each in part.tolist()], np.int64)
            for part in (line.lower, line.upper, line.single)
        )
        return replace(self, layout=_with_ends(line, ends, amount(line.least)))

    def as_json(self) -> dict[str, Any]:
        line = self.layout
        found: dict[str, Any] = {"scale": "numeric", "missing": list(line.missing)}
        found |= self.measure.as_json
        if self.step is not None:
            found["step"] = self.step
        if self.width != Width():
            found["width"] = str(self.width)
        if not line.by_length:
            found["loss"] = "stars"
        return found

    def plain(self) -> Ints | None:
        line = self.layout
        told = line.missing or self.step or self.cap or line.least or not line.by_length
        return None if told or (line.reach < self.size - 1).any() else line.lower

    def levels(self) -> list[Int32s]:
        """Join 2^i values that follow each other at level i, missing ones at last."""
        places, m = self.positions, len(self.layout.missing)
        heights = range(max(0, self.size - m - 1).bit_length() + 1)
        levels = [np.where(places < m, places, m + (places - m >> i)) for i in heights]
        if m and self.size > 1:
            levels.append(np.zeros_like(places))
        return levels

    def children(self, low: int, end: int, counts: Ints) -> Ints:
        """Cut where the rows lose least; missing values are apart at once."""
        if (apart := len(self.layout.missing) - low) > 0:
            return np.arange(min(apart + 1, end - low))
        at = np.arange(low, end - 1)
        upto = np.cumsum(counts)[:-1]
        lost = upto * self.extents(np.full_like(at, low), at)
        rest = np.full_like(at, end - 1)
        lost += (counts.sum() - upto) * self.extents(at + 1, rest)
        return np.array([0, int(np.argmin(lost)) + 1])

    def texts(
        self, values: Sequence[Text], low: Int32s, high: Int32s, star: str
    ) -> list[Text]:
        known = self.codes[len(self.layout.missing) :]
        last = (values[known[-1]] or "") if len(known) else ""
        last = last if self.cap is None else self.cap.greatest
        ends = [[values[code] for code in self.codes[each]] for each in (low, high)]
        return [
            star if apart else a if a == b else self._range(a or "", b or "", last)
            for a, b, apart in zip(*ends, self.hidden(low, high), strict=True)
        ]

    def _range(self, least: str, greatest: str, last: str) -> str:
        """Return the text of a range, rounded outwards and widened if asked.

        One that ends at a top, or begins at a bottom, is written as such.
        """
        limits, measure, cap = Limits(self.step, self.width), self.measure, self.cap
        if cap is None or not isinstance(measure, Numbers):
            return measure.range_text(least, greatest, limits, last)
        top, bottom = cap.texts
        low, high = measure.ends(
            cap.least if least == bottom else least,
            cap.greatest if greatest == top else greatest,
            *(limits, last),
        )
        if greatest == top is not None:
            return f"{low}+"
        return f"<={high}" if least == bottom is not None else f"[{low}-{high}]"


def _with_ends(layout: Layout, ends: Iterable[Ints], least: int) -> Layout:
    """Return a line with other ends and single losses, and what is lost by these."""
    lower, upper, single = ends
    told = replace(layout, lower=lower, upper=upper, single=single, least=least)
    return replace(told, losses=np.append(single, max(1, int(upper[-1]))))


@dataclass(frozen=True)
class _Coded:
    """The labels of a column as numbers; a top and a bottom stand for many."""

    # of each label; a top that is below all numbers is the least of these, a bottom
    # above all of them the greatest
    numbers: list[str]
    # top, bottom: the places of the labels that are these; -1: there is none
    top: int = -1
    bottom: int = -1
    # the least and the greatest number of the column; none without a top or a bottom
    domain: tuple[str, ...] = ()

    @classmethod
    def of(cls, cap: Cap | None, labels: list[str]) -> "_Coded":
        if cap is None:
            return cls(labels)
        top, bottom = (
            labels.index(text) if text is not None and text in labels else -1
            for text in cap.texts
        )
        least, greatest = map(_exact, (cap.least, cap.greatest))
        numbers = list(labels)
        if top >= 0 and cap.top is not None:
            numbers[top] = cap.least if _exact(cap.top) < least else cap.top
        if bottom >= 0 and cap.bottom is not None:
            above = _exact(cap.bottom) > greatest
            numbers[bottom] = cap.greatest if above else cap.bottom
        return cls(numbers, top, bottom, (cap.least, cap.greatest))

    @property
    def ends(self) -> list[str]:
        """Where the ranges of a top and of a bottom begin and end, in this order."""
        return [self.numbers[place] for place in (self.top, self.bottom) if place >= 0]

    def in_one_range(self, whole: WholeNumbers) -> WholeNumbers:
        """Return numbers whose ranges reach to the end from a top or a bottom."""
        if not self.domain:
            return whole
        lower, upper = whole.lower.copy(), whole.upper.copy()
        many = len(self.numbers)
        if self.top >= 0:
            upper[self.top] = upper[many + 1]
        if self.bottom >= 0:
            lower[self.bottom] = lower[many]
        return whole._replace(lower=lower, upper=upper)

    def losses(self, fit: WholeNumbers) -> Ints:
        """Return what each number loses by itself."""
        found, at = np.zeros(len(fit.values), np.int64), len(self.numbers) + 2
        if self.top >= 0:
            found[self.top] = fit.upper[self.top] - fit.lower[at]
            at += 1
        if self.bottom >= 0:
            found[self.bottom] = fit.upper[at] - fit.lower[self.bottom]
        return found


def _exact(number: str) -> Fraction:
    return Fraction(number.replace(",", "."))
