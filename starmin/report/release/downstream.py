"""A downstream check: what a model learns from the release, tested on the original.

The model is linear least squares: of a column of numbers it predicts the number, of
another the value whose indicator gets the highest score. Rows 1, 3, 5, .. train it and
the others test it, always as they are in the original. A cell that may be several
values counts as their mean; one that is hidden as the mean of those that are not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from starmin.inputs.roles import Formula
from starmin.instances import Coding, IntArray, Table
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.requirements.t_closeness import as_number
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.scale import Scale
from starmin.instances.tables.names import some_of
from starmin.report.page import Cell, DataTable, number, share
from starmin.verify.utility.spread import ends_of_cells

_VALUES = 20  # of a column that get an indicator each, the most frequent ones
_MANY = 12  # different numbers from which on a column is one of numbers
_RIDGE = 1e-6  # of the mean square of a feature: keeps what is redundant solvable
_ROWS = 50_000  # whose features are held at a time
_MODEL = (
    "A model, linear least squares, predicts {target} from {features}. It is trained "
    "on every second row, of the original or of the release, and tested on the other "
    "rows as they are in the original: so much is lost to who learns from the release. "
    "A cell that may be several values counts as their mean. {measure}"
)
_MEASURES = {
    "accuracy": "Accuracy is the share of rows whose value is found.",
    "R²": "R² is 1 for a model that is always right, 0 for one that knows the mean.",
}


@dataclass(frozen=True)
class Downstream:
    """How well the model predicts."""

    measure: str  # ``accuracy``, the share of rows whose value is found, or ``R²``
    rows: int  # rows that test
    nothing: float  # of who knows the distribution of the target alone
    original: float  # trained on the original
    release: float | None  # trained on the release; None where nothing is told


@dataclass(frozen=True)
class _Column:
    """A column as numbers: by code of the original and of the release, a line each."""

    codes: IntArray
    released: IntArray
    before: Floats
    after: Floats

    @property
    def told(self) -> Bools:
        """The rows of which the release tells it."""
        return ~_lost(self.after)[self.released]

    def filled(self, train: Bools) -> tuple[Floats, Floats]:
        """Return both, where what is not known is the mean of the rest."""
        return (
            _filled(self.before, self.codes, train),
            _filled(self.after, self.released, train),
        )


def downstream(
    formula: Formula, table: Table, released: Table, coding: Coding
) -> Downstream:
    """Train a model on a release, and one on its original, and test both.

    Parameters
    ----------
    formula
        What is learned.
    table, released
        With the same rows in the same order.
    coding
        How the release was published.

    Examples
    --------
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
    read = {
        column: _column(table, released, column, scales, coding)
        for column in (formula.target, *formula.features)
    }
    target = read[formula.target]
    x = [read[column].filled(train) for column in formula.features]
    codes = [read[column] for column in formula.features]
    numeric = target.before.shape[1] == 1
    known = ~_lost(target.before)[target.codes]
    test = ~train & known
    truth = target.before[target.codes]
    fits = []
    for place, rows in enumerate((train & known, train & target.told)):
        y = target.after[target.released] if place else truth
        lines = [each[place] for each in x]
        at = [each.released if place else each.codes for each in codes]
        fits.append(_fit(lines, at, y, rows))
    scores = [
        None if fit is None else _predict([each[0] for each in x], codes, fit, test)
        for fit in fits
    ]
    mean = truth[train & known].mean(axis=0)
    base = np.tile(mean, (int(test.sum()), 1))
    measured = [
        None if each is None else _measure(each, truth[test], numeric)
        for each in (base, *scores)
    ]
    nothing, original, after = measured
    return Downstream(
        "R²" if numeric else "accuracy",
        int(test.sum()),
        nothing or 0.0,
        original or 0.0,
        after,
    )


def _column(
    table: Table,
    released: Table,
    column: str,
    scales: Mapping[str, Scale],
    coding: Coding,
) -> _Column:
    """Turn the cells of a column into numbers, or into shares of values."""
    texts = table.dictionary(column)
    codes, there = table.column(column), released.column(column)
    counts = np.bincount(codes, minlength=len(texts))
    absent = {*MISSING, *coding.missing}
    known = [
        None if text in absent or text is None else as_number(text) for text in texts
    ]
    here = [c for c in np.flatnonzero(counts) if texts[c] not in absent]
    if (
        all(known[c] is not None for c in here)
        and len({known[c] for c in here}) > _MANY
    ):
        lines = np.array([[np.nan if x is None else float(x)] for x in known])
    else:
        top = sorted(here, key=lambda c: (-counts[c], texts[c] or ""))[:_VALUES]
        lines = np.zeros((len(texts), max(len(top), 1)))
        lines[top, range(len(top))] = 1.0
        lines[[text in absent for text in texts]] = np.nan
    return _Column(
        codes, there, lines, _after(table, released, column, scales, coding, lines)
    )


def _after(
    table: Table,
    released: Table,
    column: str,
    scales: Mapping[str, Scale],
    coding: Coding,
    lines: Floats,
) -> Floats:
    """Return for each code of the release the mean of what it may be."""
    labels = released.dictionary(column)
    after = np.full((len(labels), lines.shape[1]), np.nan)
    scale = scales.get(column)
    if scale is None:
        at = {text: code for code, text in enumerate(table.dictionary(column))}
        for code, text in enumerate(labels):
            if text in at:
                after[code] = lines[at[text]]
        return after
    place = np.full(scale.size, -1)
    used = np.unique(table.column(column))
    place[scale.positions[used]] = used
    ends = ends_of_cells(released, table, column, scale, coding.star)
    for code in np.unique(released.column(column)):
        low, high = ends[code]
        inside = place[low : high + 1]
        some = lines[inside[inside >= 0]]
        some = some[~_lost(some)]
        if len(some) and (low > 0 or high < scale.size - 1 or scale.size == 1):
            after[code] = some.mean(axis=0)
    return after


def _lost(lines: Floats) -> Bools:
    """Find the lines that are not known."""
    return np.asarray(np.isnan(lines).any(axis=1))


def _filled(lines: Floats, codes: IntArray, train: Bools) -> Floats:
    """Put the mean of what is known, of the rows that train, where nothing is."""
    lost = _lost(lines)
    counts = np.bincount(codes[train], minlength=len(lines)) * ~lost
    whole = np.nan_to_num(lines)
    mean = counts @ whole / max(counts.sum(), 1)
    return np.where(lost[:, None], mean, whole)


def _fit(
    lines: Sequence[Floats], at: Sequence[IntArray], y: Floats, rows: Bools
) -> Floats | None:
    """Return the coefficients of least squares, in doubles; None without rows."""
    places = np.flatnonzero(rows)
    if not len(places):
        return None
    width = 1 + sum(each.shape[1] for each in lines)
    gram, sides = np.zeros((width, width)), np.zeros((width, y.shape[1]))
    for start in range(0, len(places), _ROWS):
        some = places[start : start + _ROWS]
        x = _features(lines, at, some)
        gram += x.T @ x
        sides += x.T @ y[some]
    ridge = _RIDGE * np.diag(gram)
    ridge[0] = 0.0
    return np.asarray(np.linalg.lstsq(gram + np.diag(ridge), sides, rcond=None)[0])


def _features(lines: Sequence[Floats], at: Sequence[IntArray], rows: Ints) -> Floats:
    ones = np.ones((len(rows), 1))
    parts = [each[codes[rows]] for each, codes in zip(lines, at, strict=True)]
    return np.hstack([ones, *parts])


def _predict(
    lines: Sequence[Floats], columns: Sequence[_Column], fit: Floats, test: Bools
) -> Floats:
    """Return the scores of rows of the original."""
    at, places = [each.codes for each in columns], np.flatnonzero(test)
    scores = [
        _features(lines, at, places[start : start + _ROWS]) @ fit
        for start in range(0, len(places), _ROWS)
    ]
    return np.vstack(scores) if scores else np.zeros((0, fit.shape[1]))


def _measure(scores: Floats, truth: Floats, numeric: bool) -> float:
    """Return R² of numbers, else the share of rows whose value is the highest."""
    if not len(truth):
        return 0.0
    if not numeric:
        found = scores.argmax(axis=1)
        return float(truth[np.arange(len(truth)), found].mean())
    around = ((truth - truth.mean()) ** 2).sum()
    return float(1 - ((truth - scores) ** 2).sum() / around) if around else 0.0


def model_text(formula: Formula, found: Downstream) -> str:
    """Say how the models were trained."""
    features, measure = some_of(formula.features), _MEASURES[found.measure]
    return _MODEL.format(target=formula.target, features=features, measure=measure)


def model_table(found: Downstream) -> DataTable:
    """Write how well the models predict."""
    rows = [
        ("nothing but the distribution", found.nothing),
        ("the original", found.original),
        ("the release", found.release),
    ]
    ratio = found.measure != "accuracy"
    return DataTable(
        "model",
        "A model that was trained on original and release",
        (("Trained on", False), (found.measure, True)),
        [
            [Cell(name), number(value, 3) if ratio else share(value)]
            for name, value in rows
        ],
        sortable=False,
    )
