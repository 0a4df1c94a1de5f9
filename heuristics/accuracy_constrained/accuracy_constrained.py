"""AC: groups as large as a bound on their loss allows, then evened out in privacy."""

import math
import time
from collections.abc import Mapping as Figures
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from heuristics.accuracy_constrained.problem import (
    MaxPrivacyResult,
    expect_accuracy_constrained,
    largest_loss,
    privacy_of,
    unit_bound,
)
from heuristics.mappings import Hilbert, Mapping, Points
from heuristics.orders.along_mapping import at_rows
from heuristics.orders.along_order import curve_rows
from instances import STARS, Limit, Objective, Partition, Table
from instances.releases.objective import MOST_EXACT

if TYPE_CHECKING:
    from heuristics.accuracy_constrained.adjust_privacy import Space

_ROWS = 100_000  # between two looks at the clock


def accuracy_constrained(
    table: Table,
    max_loss: float,
    *,
    objective: Objective = STARS,
    mapping: Mapping | None = None,
    by_loss: bool = True,
    seed: int = 0,
    time_limit: float = math.inf,
) -> MaxPrivacyResult:
    """Finds groups of much privacy, none of which loses more than a bound.

    No guarantee. Along a line of the rows each group takes row after row until the
    next one would make it lose more than the bound. When two are complete, rows move
    from one to the other (``adjust``) as long as the smaller privacy of the two does
    not fall: rows of the most frequent value first, each value in one direction only,
    and of its rows the one that widens the other group least. A row that has moved
    stays.

    Parameters
    ----------
    table
        One sensitive column.
    max_loss
        The largest weighted mean NCP of a group, from 0 to 1.
    objective
        Weights, scales and columns to be kept; ``gcp`` or stars.
    mapping
        Of rows to the line; default: the Hilbert curve.
    by_loss
        Choose the row to move by what the other group would lose; else the one that
        is nearest to it on the line, which costs less time.
    seed
        For the mapping.
    time_limit
        Seconds after which no more rows move; nor do they after an interrupt.

    Raises
    ------
    NotSupportedError
        No sensitive column or several, or the objective is to suppress few tuples.
    TableError
        The bound is not from 0 to 1.

    See Also
    --------
    models.one_dimensional.l_dual : exact, in one dimension.
    iterative_direct : binary search with a direct method.

    Notes
    -----
    O(n d) for the groups; to move rows takes O(m) for each try and, by loss, a look at
    all rows of the group with the value.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009,
    sections 5.3 and 6.3.

    Examples
    --------
    >>> from instances.scales.scales import Scales
    >>> x = ["0", "1", "2", "10", "11", "12"]
    >>> table = Table.from_rows(["x", "s"], list(zip(x, "aabbba")), ["x"], ["s"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> result = accuracy_constrained(table, 0.2, objective=gcp)
    >>> result.best.groups.tolist(), result.privacy
    ([0, 0, 0, 1, 1, 1], Fraction(3, 2))
    """
    from heuristics.accuracy_constrained.adjust_privacy import (
        adjust_groups,
        bounded_groups,
    )

    started = time.perf_counter()
    expect_accuracy_constrained(table, objective)
    sensitive = table.column(table.sensitive[0])
    rows, space = space_along(table, objective, mapping, max_loss, sensitive, seed)
    groups, starts = bounded_groups(space)
    moved, limit = 0, None
    step = max(1, len(starts) * _ROWS // table.n)
    try:
        for low in range(0, len(starts) - 1, step):
            if time.perf_counter() - started > time_limit:
                limit = Limit.TIME
                break
            high = min(low + step, len(starts) - 1)
            moved += adjust_groups(space, groups, starts, low, high, by_loss)
    except KeyboardInterrupt:  # after a compiled loop: the groups are whole
        limit = Limit.INTERRUPTED
    best = at_rows(rows, groups)
    return finish(table, best, objective, started, {"moved": moved}, limit)


def space_along(
    table: Table,
    objective: Objective,
    mapping: Mapping | None,
    max_loss: float,
    values: npt.NDArray[np.int32],
    seed: int,
) -> tuple[npt.NDArray[np.int64], "Space"]:
    """The rows in the order of a mapping, and the space that they are in.

    Parameters
    ----------
    values
        For each row what is sensitive.
    """
    from heuristics.accuracy_constrained.adjust_privacy import make_space

    scales = objective.scales_of(table)
    line = (mapping or Hilbert())(Points.of(table, objective), seed)
    rows, _ = curve_rows(table, objective.keep, line.ranks())
    space = make_space(
        scales.row_positions(table)[rows],
        np.array([scale.size for scale in scales.scales]),
        values[rows],
        scales.arrays,
        objective.range_prices(table),
        price_bound(table, objective, max_loss),
    )
    return rows, space


def price_bound(table: Table, objective: Objective, share: float) -> float:
    """The most that a row may pay, in the unit of ``Objective.range_prices``."""
    units, whole = unit_bound(table, objective, share), objective.whole(table)
    if whole <= MOST_EXACT:
        return float(units)
    weights = float(objective.column_weights(table).sum())
    return units / (whole // table.n) * weights * (1 + 1e-12)


def finish(
    table: Table,
    best: Partition,
    objective: Objective,
    started: float,
    stats: Figures[str, int],
    limit: Limit | None = None,
) -> MaxPrivacyResult:
    """The result, its privacy and loss recounted from the rows."""
    whole = objective.whole(table) // table.n
    lost = largest_loss(table, best, objective)
    return MaxPrivacyResult(
        best,
        privacy_of(table, best),
        Fraction(lost, whole) if whole else Fraction(0),
        time.perf_counter() - started,
        limit,
        stats,
    )
