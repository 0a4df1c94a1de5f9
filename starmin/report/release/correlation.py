"""The correlation of two columns of numbers, in an original and in its release."""

from collections.abc import Sequence

import numpy as np

from starmin.instances import Coding, Table
from starmin.instances.arrays import Floats
from starmin.report.release.distributions import Distribution, places_of, says
from starmin.verify.utility import Spread


def correlations(
    table: Table,
    coding: Coding,
    spread: Spread,
    columns: Sequence[Distribution],
    pair: tuple[int, int],
    weights: Floats | None,
) -> tuple[float, float | None] | None:
    """Return the correlation of two columns of numbers, before and after.

    ``columns`` are the distributions of the quasi-identifiers, and ``pair`` two places
    among them; ``spread`` is what the release says. ``weights`` are by row how many
    people it stands for; default: one. The result is None where a column has one value;
    the second number is None where nothing is told.
    """
    scales = coding.scales(table).scales
    ones, known = [], np.ones(table.n, bool)
    means, squares, told_of = [], [], np.ones(len(spread.mass), bool)
    for j in pair:
        column, scale = columns[j], scales[j]
        numbers = np.full(scale.size, np.nan)
        assert column.numbers is not None
        numbers[places_of(table, column.name, scale)[0]] = column.numbers
        ones.append(numbers[scale.positions[table.column(column.name)]])
        known &= ~np.isnan(ones[-1])
        first, second, count = (
            np.append(0.0, np.cumsum(np.nan_to_num(each)))
            for each in (numbers, numbers**2, (~np.isnan(numbers)).astype(float))
        )
        low, high = spread.low[:, j], spread.high[:, j] + 1
        many = count[high] - count[low]
        told_of &= says(spread, j, scale.size) & (many > 0)
        many = np.maximum(many, 1)
        means.append((first[high] - first[low]) / many)
        squares.append((second[high] - second[low]) / many)
    x, y = (each[known] for each in ones)
    people = np.ones(len(x)) if weights is None else weights[known]
    before = _correlation(people, x, y, x**2, y**2)
    if before is None:
        return None
    x, y, xx, yy = (each[told_of] for each in (*means, *squares))
    return before, _correlation(spread.mass[told_of], x, y, xx, yy)


def _correlation(
    mass: Floats, x: Floats, y: Floats, xx: Floats, yy: Floats
) -> float | None:
    """Return a correlation from means and mean squares of parts."""
    total = float(mass.sum())
    if not total > 1e-12:
        return None
    mx, my, mxx, myy, mxy = (float(mass @ e) / total for e in (x, y, xx, yy, x * y))
    spread = (mxx - mx * mx) * (myy - my * my)
    return None if spread <= 1e-12 * mxx * myy else (mxy - mx * my) / spread**0.5
