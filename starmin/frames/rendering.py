"""What becomes of the columns of a frame in its release, and of what types they are."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from starmin.frames.native import Native
from starmin.instances import Coding, IntArray, Table
from starmin.instances.arrays import Bools
from starmin.instances.releases.release import COUNT, GROUP, RANGE, SENSITIVE_SUFFIX
from starmin.instances.times.calendar_format import CalendarFormat
from starmin.instances.times.recognise import notation_of
from starmin.instances.times.signs import TO, Notation
from starmin.outputs.recodings import Published
from starmin.verify.releases.range_ends import hidden_cells

# A release as a notebook shows it.

_ROWS = 5


def describe(headline: str, facts: Iterable[tuple[str, str]], frame: Any) -> str:
    """Return a few facts and the first rows of a release, as HTML.

    ``headline`` says what was found, on half a line; facts are names and texts.
    ``frame`` is the release; None where there is none.
    """
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(text)}</td></tr>"
        for name, text in facts
    )
    told = f"<div><p><b>{escape(headline)}</b></p><table>{rows}</table>"
    if frame is None:
        return f"{told}</div>"
    import narwhals as nw

    head = nw.from_native(frame, eager_only=True).head(_ROWS)
    names = "".join(f"<th>{escape(name)}</th>" for name in head.columns)
    texts = (["" if cell is None else str(cell) for cell in row] for row in head.rows())
    cells = (f"<td>{'</td><td>'.join(map(escape, row))}</td>" for row in texts)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    first = f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"
    return f"{told}{first}</div>"


# Ends of published ranges as values: numbers, moments, durations.

Values = npt.NDArray[Any]

_SINCE = CalendarFormat("%Y-%m-%d").read("1970-01-01") or 0
_FINE = 1000  # billionths of a second in a millionth


def range_values(
    labels: Sequence[str | None], unknown: Collection[str | None], form: str | None
) -> tuple[Values, Values] | None:
    """Return the lower and the upper ends of cells; NaN or NaT for what is none.

    ``labels`` are values, and ranges of them; ``unknown`` is what is neither. ``form``
    is how times are written; None: found out. Returns None for times of the day and
    months, which are no values of arrays.

    >>> range_values(["3", "[4-5]", "*"], ["*"], None)
    (array([ 3.,  4., nan]), array([ 3.,  5., nan]))
    >>> range_values(["2024-05-01..2024-05-31"], ["*"], None)[1]
    array(['2024-05-31T00:00:00.000000'], dtype='datetime64[us]')
    """
    cells = [None if text in unknown else text for text in labels]
    pairs = [(text or "").partition(TO) for text in cells]
    ends = [(low, high if to else low) for low, to, high in pairs]
    known = [end for both in ends for end in both if end]
    plain = [x.removeprefix("<=").removesuffix("+") for x in known]
    numbers = form is None and all(re.fullmatch(RANGE, f"[{x}-{x}]") for x in plain)
    if numbers or any(re.fullmatch(RANGE, text or "") for text in cells):
        found = np.array([_numbers(text) for text in cells]).reshape(-1, 2)
        return found[:, 0], found[:, 1]
    notation, _ = notation_of(known, form)
    if notation is None or notation.unit == "month":
        return None
    if not notation.is_date and notation.ends_within:
        return None
    low, high = (_times([both[i] for both in ends], notation) for i in (0, 1))
    return low, high


def _numbers(text: str | None) -> tuple[float, float]:
    """Return the ends of a range or number, NaN for what is none."""
    if text is None:
        return np.nan, np.nan
    found = re.fullmatch(RANGE, text)
    least, greatest = (found[1], found[2]) if found else (text, text)
    if text.endswith("+"):  # a top has no end
        least, greatest = text[:-1], "inf"
    elif text.startswith("<="):
        least, greatest = "-inf", text[2:]
    return float(least.replace(",", ".")), float(greatest.replace(",", "."))


def _times(texts: Sequence[str], notation: Notation) -> Values:
    """Return moments in universal time, or durations."""
    since = _SINCE if notation.is_date else 0
    fine = notation.tick % _FINE
    unit, parts = ("ns", 1) if fine else ("us", _FINE)
    found = [notation.read(text) for text in texts]
    wide = [None if each is None else (each - since) // parts for each in found]
    kind = "datetime64" if notation.is_date else "timedelta64"
    least = np.iinfo(np.int64).min  # NaT
    numbers = np.array([least if each is None else each for each in wide], np.int64)
    return numbers.view(f"{kind}[{unit}]")


Stars = Literal["text", "missing"]


@dataclass(frozen=True)
class Rendering:
    """How cells that are not published as they were are written in a frame.

    A column that lost nothing keeps its type. In any other one, cells are text, and a
    column of categories has the texts that occur as its categories.
    """

    coding: Coding
    # ``text``: a star is the symbol. ``missing``: it is a missing cell, and a column
    # without ranges or nodes keeps its type, or has the nullable one.
    stars: Stars = "text"
    # whether ranges of numbers and times are values instead of text: ``Interval`` of
    # pandas, pairs (lower, upper) of polars and Arrow. Times of the day and months have
    # none.
    intervals: bool = False

    def frame(
        self,
        native: Native,
        original: Table,
        published: Table,
        order: IntArray | None = None,
        numbered: str | None = None,
        like: tuple[Table, Table] | None = None,
    ) -> Native:
        """Return the frame of a release.

        ``native`` is the frame that was given and ``original`` its table; ``published``
        has its rows in the same order. ``order`` has the places of the rows in the
        order in which they are published, and ``numbered`` is a column of ids that are
        numbered anew. ``like`` is a table and what was published of it: columns are of
        the types that they have there.
        """
        made = native.select(original.names)
        published = published.used()  # no value that is hidden reaches a frame
        for column in original.qi:
            changed = hidden_cells(original, published, column)
            as_text = changed_there = False
            if like is not None:
                before = hidden_cells(*like, column)
                as_text = not self._is_starred(like[1], column, before)
                changed_there = bool(before.any())
            if changed_there or changed.any():
                self._put(made, column, published, changed, as_text)
        if numbered is not None:
            made.put_numbers(numbered, _rendering_numbers(published, numbered))
        return made if order is None else made.select(original.names, order)

    def _is_starred(self, published: Table, column: str, changed: Bools) -> bool:
        """Check whether what a column lost are stars alone."""
        texts = published.dictionary(column)
        stars = np.array([text == self.coding.star for text in texts], bool)
        return bool((changed & stars[published.column(column)] == changed).all())

    def _put(
        self,
        made: Native,
        column: str,
        published: Table,
        changed: Bools,
        as_text: bool = False,
    ) -> None:
        """Replace a column that lost something."""
        codes, labels = published.column(column), published.dictionary(column)
        star, numeric = self.coding.star, column in self.coding.numeric
        known = labels  # where stars are missing cells, without them
        if self.stars == "missing":
            known = tuple(None if text == star else text for text in labels)
        # Intervals where the column had them; beside a star cells are text.
        if numeric and made.put_intervals(column, codes, known):
            return
        if numeric and self.intervals:
            form = self.coding.forms.get(column)
            ends = range_values(labels, (star, *self.coding.missing), form)
            if ends is not None:
                made.put_ranges(column, ends[0][codes], ends[1][codes])
                return
        may_miss = self.stars == "missing" and not as_text
        if may_miss and self._is_starred(published, column, changed):
            made.put_missing(column, changed)
            return
        put = made.put_categories if made.is_category(column) else made.put_text
        put(column, codes, known)


def permuted_frames(
    native: Native, original: Table, release: Published, order: IntArray | None
) -> tuple[Native, Native]:
    """Return the two frames of a release by permutation: rows, and sensitive values.

    ``native`` is the frame that was given and ``original`` its table; ``order`` has the
    places of the rows in the order in which they are published.
    """
    tables = release.tables(order)
    public, beside = tables[""], tables[SENSITIVE_SUFFIX]
    rows = native.select(original.qi, order)
    ordered, public = original if order is None else original.take(order), public.used()
    for column in original.qi:
        if hidden_cells(ordered, public, column).any():  # by a floor
            rows.put_text(column, public.column(column), public.dictionary(column))
    rows.put_numbers(GROUP, _rendering_numbers(public, GROUP))
    places = _places(original, beside, original.sensitive)
    values = native.select(original.sensitive, places)
    values.put_numbers(GROUP, _rendering_numbers(beside, GROUP))
    values.put_numbers(COUNT, _rendering_numbers(beside, COUNT))
    return rows, values.select((GROUP, *original.sensitive, COUNT))


def _rendering_numbers(table: Table, column: str) -> IntArray:
    values = np.array([int(text or 0) for text in table.dictionary(column)], np.int64)
    numbers: IntArray = values[table.column(column)]
    return numbers


def _places(original: Table, beside: Table, columns: Sequence[str]) -> IntArray:
    """Return for each row of a table a row of the original with the same values."""
    cells = zip(*(original.cells(column) for column in columns), strict=True)
    first: dict[tuple[str | None, ...], int] = {}
    for row, values in enumerate(cells):
        first.setdefault(values, row)
    wanted = zip(*(beside.cells(column) for column in columns), strict=True)
    return np.array([first[values] for values in wanted], np.int64)
