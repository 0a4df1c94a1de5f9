"""A downstream check: what a model learns from the release, tested on the original.

The model is linear least squares: of a column of numbers it predicts the number, of
another the value whose indicator gets the highest score. Rows 1, 3, 5, .. train it and
the others test it, always as they are in the original. A cell that may be several
values counts as their mean; one that is hidden as the mean of those that are not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starmin.inputs.roles import Formula
from starmin.instances import Coding, IntArray, Table
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.requirements.t_closeness import as_number
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.scale import Scale
from starmin.report.page import DataTable
from starmin.verify.utility.spread import ends_of_cells

_VALUES = 20  # of a column that get an indicator each, the most frequent ones
_MANY = 12  # different numbers from which on a column is one of numbers
_RIDGE = 1e-6  # of the mean square of a feature: keeps what is redundant solvable
_ROWS = 50_000  # whose features are held at a time


@dataclass(frozen=True)
class Downstream:
    """How well the model predicts."""

    measure: str  # ``accuracy``, the share of rows whose value is found, or ``R²``
    rows: int  # rows that test
    nothing: float  # of who knows the distribution of the target alone
    original: float  # trained on the original
    release: float | None  # trained on the release; None where nothing is told


class _Column(NamedTuple):
    """A column as numbers: by row its code, and by code a line of numbers."""

    codes: IntArray
    lines: Floats  # nan where nothing is known

    def of_rows(self, rows: Ints | slice = slice(None)) -> Floats:
        """Return the lines of rows."""
        return np.asarray(self.lines[self.codes[rows]])

    def filled(self, train: Bools) -> "_Column":
        """Put the mean of what is known, of the rows that train, where nothing is."""
        lost, whole = _lost(self.lines), np.nan_to_num(self.lines)
        counts = np.bincount(self.codes[train], minlength=len(whole)) * ~lost
        mean = counts @ whole / max(counts.sum(), 1)
        return _Column(self.codes, np.where(lost[:, None], mean, whole))


def downstream(
    formula: Formula, table: Table, released: Table, coding: Coding
) -> Downstream:
    """Train a model on a release, and one on its original, and test both.

    Both tables have the same rows in the same order.

    >>> rows = [[str(i // 2 % 4), "yn"[i // 2 % 4 > 1]] for i in range(40)]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a"], sensitive=["b"])
    >>> hidden = [["*" if i < 20 else a, b] for i, (a, b) in enumerate(rows)]
    >>> released = Table.from_rows(["a", "b"], hidden, qi=["a"], sensitive=["b"])
    >>> downstream(Formula.parse("b ~ a"), table, released, Coding())
    Downstream(measure='accuracy', rows=20, nothing=0.5, original=1.0, release=1.0)
    """
    formula.expect(table)
    scales = dict(zip(table.qi, coding.scales(table).scales, strict=True))
    train = np.arange(table.n) % 2 == 0
    names = formula.target, *formula.features
    before = [_column(table, name, coding) for name in names]
    after = [
        _told(released, table, name, scales.get(name), coding.star, column)
        for name, column in zip(names, before, strict=True)
    ]
    truth, told = before[0].of_rows(), after[0].of_rows()
    numeric, known = truth.shape[1] == 1, ~_lost(truth)
    test = ~train & known
    x, there = ([each.filled(train) for each in side[1:]] for side in (before, after))
    fits = _fit(x, truth, train & known), _fit(there, told, train & ~_lost(told))
    base = np.tile(truth[train & known].mean(axis=0), (int(test.sum()), 1))
    original, release = (
        None if fit is None else _measure(_predict(x, fit, test), truth[test], numeric)
        for fit in fits
    )
    return Downstream(
        "R²" if numeric else "accuracy",
        int(test.sum()),
        _measure(base, truth[test], numeric),
        original or 0.0,
        release,
    )


def _column(table: Table, column: str, coding: Coding) -> _Column:
    """Turn the cells of a column into numbers, or into shares of values."""
    texts, codes = table.dictionary(column), table.column(column)
    counts = np.bincount(codes, minlength=len(texts))
    absent = {*MISSING, *coding.missing}
    known = [None if text in absent else as_number(text) for text in texts]
    here = [c for c in np.flatnonzero(counts) if texts[c] not in absent]
    numbers = {known[c] for c in here}
    if None not in numbers and len(numbers) > _MANY:
        return _Column(codes, np.array([[np.nan if x is None else x] for x in known]))
    top = sorted(here, key=lambda c: (-counts[c], texts[c] or ""))[:_VALUES]
    lines = np.zeros((len(texts), max(len(top), 1)))
    lines[top, range(len(top))] = 1.0
    lines[[text in absent for text in texts]] = np.nan
    return _Column(codes, lines)


def _told(
    released: Table,
    table: Table,
    column: str,
    scale: Scale | None,
    star: str,
    before: _Column,
) -> _Column:
    """Return for each code of the release the mean of what it may be."""
    labels, codes = released.dictionary(column), released.column(column)
    lines = before.lines
    after = np.full((len(labels), lines.shape[1]), np.nan)
    if scale is None:
        at = {text: code for code, text in enumerate(table.dictionary(column))}
        for code, text in enumerate(labels):
            if text in at:
                after[code] = lines[at[text]]
        return _Column(codes, after)
    place, used = np.full(scale.size, -1), np.unique(before.codes)
    place[scale.positions[used]] = used
    ends = ends_of_cells(released, table, column, scale, star)
    for code in np.unique(codes):
        low, high = ends[code]
        inside = place[low : high + 1]
        some = lines[inside[inside >= 0]]
        some = some[~_lost(some)]
        if len(some) and (low > 0 or high < scale.size - 1 or scale.size == 1):
            after[code] = some.mean(axis=0)
    return _Column(codes, after)


def _lost(lines: Floats) -> Bools:
    """Find the lines that are not known."""
    return np.asarray(np.isnan(lines).any(axis=1))


def _fit(columns: Sequence[_Column], y: Floats, rows: Bools) -> Floats | None:
    """Return the coefficients of least squares, in doubles; None without rows."""
    if not rows.any():
        return None
    width = 1 + sum(each.lines.shape[1] for each in columns)
    gram, sides = np.zeros((width, width)), np.zeros((width, y.shape[1]))
    for some, x in _features(columns, rows):
        gram += x.T @ x
        sides += x.T @ y[some]
    ridge = _RIDGE * np.diag(gram)
    ridge[0] = 0.0
    return np.asarray(np.linalg.lstsq(gram + np.diag(ridge), sides, rcond=None)[0])


def _features(columns: Sequence[_Column], rows: Bools) -> Iterator[tuple[Ints, Floats]]:
    """Yield places of rows, with a line of features for each of them."""
    places = np.flatnonzero(rows)
    for start in range(0, len(places), _ROWS):
        some = places[start : start + _ROWS]
        parts = [each.of_rows(some) for each in columns]
        yield some, np.hstack([np.ones((len(some), 1)), *parts])


def _predict(columns: Sequence[_Column], fit: Floats, test: Bools) -> Floats:
    """Return the scores of rows of the original."""
    scores = [features @ fit for _, features in _features(columns, test)]
    return np.vstack([np.zeros((0, fit.shape[1])), *scores])


def _measure(scores: Floats, truth: Floats, numeric: bool) -> float:
    """Return R² of numbers, else the share of rows whose value is the highest."""
    if not len(truth):
        return 0.0
    if not numeric:
        found = scores.argmax(axis=1)
        return float(truth[np.arange(len(truth)), found].mean())
    around = ((truth - truth.mean()) ** 2).sum()
    return float(1 - ((truth - scores) ** 2).sum() / around) if around else 0.0


def model_table(found: Downstream) -> DataTable:
    """Write how well the models predict."""
    rows = [
        ("nothing but the distribution", found.nothing),
        ("the original", found.original),
        ("the release", found.release),
    ]
    mark = "%" if found.measure == "accuracy" else "#3"
    header = f"Trained on|{mark}{found.measure}"
    caption = "A model that was trained on original and release"
    return DataTable.of("model", caption, header, rows, sortable=False)
