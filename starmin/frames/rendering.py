"""What becomes of the columns of a frame in its release, and of what types they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from starmin.frames.libraries.native import Native
from starmin.frames.range_values import range_values
from starmin.instances import Coding, IntArray, Table
from starmin.instances.arrays import Bools
from starmin.instances.releases.permutation import COUNT, GROUP, SENSITIVE_SUFFIX
from starmin.outputs.recodings import Published

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
            changed = _changed(original, published, column)
            as_text = changed_there = False
            if like is not None:
                before = _changed(*like, column)
                as_text = not self._is_starred(like[1], column, before)
                changed_there = bool(before.any())
            if changed_there or changed.any():
                self._put(made, column, published, changed, as_text)
        if numbered is not None:
            made.put_numbers(numbered, _numbers(published, numbered))
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
        star = self.coding.star
        if column in self.coding.numeric and self._put_intervals(
            made, column, codes, labels
        ):
            return
        if self.intervals and column in self.coding.numeric:
            unknown = (star, *self.coding.missing)
            form = self.coding.forms.get(column)
            ends = range_values(labels, unknown, form)
            if ends is not None:
                made.put_ranges(column, ends[0][codes], ends[1][codes])
                return
        if self.stars == "missing":
            if not as_text and self._is_starred(published, column, changed):
                made.put_missing(column, changed)
                return
            labels = tuple(None if text == star else text for text in labels)
        put = made.put_categories if made.is_category(column) else made.put_text
        put(column, codes, labels)

    def _put_intervals(
        self, made: Native, column: str, codes: IntArray, labels: Sequence[str | None]
    ) -> bool:
        """Put intervals where a column had them; beside a star cells are text."""
        if self.stars == "missing":
            labels = [None if text == self.coding.star else text for text in labels]
        return made.put_intervals(column, codes, labels)


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
        if _changed(ordered, public, column).any():  # by a floor
            rows.put_text(column, public.column(column), public.dictionary(column))
    rows.put_numbers(GROUP, _numbers(public, GROUP))
    places = _places(original, beside, original.sensitive)
    values = native.select(original.sensitive, places)
    values.put_numbers(GROUP, _numbers(beside, GROUP))
    values.put_numbers(COUNT, _numbers(beside, COUNT))
    return rows, values.select((GROUP, *original.sensitive, COUNT))


def _numbers(table: Table, column: str) -> IntArray:
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


def _changed(original: Table, published: Table, column: str) -> Bools:
    """Return in which rows a column is not published as it was."""
    labels = published.dictionary(column)
    code_of = {text: code for code, text in enumerate(labels)}
    same = [code_of.get(text, -1) for text in original.dictionary(column)]
    before = np.array(same, np.int64)[original.column(column)]
    changed: Bools = before != published.column(column)
    return changed
