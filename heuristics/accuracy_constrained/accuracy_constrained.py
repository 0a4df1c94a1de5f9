"""AC: groups as large as a bound on their loss allows, then evened out in privacy."""

import math
import time
from collections.abc import Iterator
from collections.abc import Mapping as Figures
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from starmin.heuristics.accuracy_constrained.adjust_privacy import (
    Space,
    adjust_groups,
    bounded_groups,
    first_within,
)
from starmin.heuristics.accuracy_constrained.max_privacy import (
    MaxPrivacyResult,
    carry_out,
    expect_accuracy_constrained,
    expect_group_losses,
    largest_loss,
    privacy_of,
    unit_bound,
)
from starmin.heuristics.orders.mappings import Hilbert, Mapping
from starmin.heuristics.orders.preset import RowOrder
from starmin.instances import STARS, Limit, Objective, Partition, Table
from starmin.instances.arrays import Int32s
from starmin.instances.releases.objective import MOST_EXACT
from starmin.models.one_dimensional.k_total import largest_k


@dataclass(frozen=True)
class AccuracyParams:
    """Constants that steer the search."""

    # rows of the groups that are evened out between two looks at the clock
    rows: int = 100_000


def accuracy_constrained(
    table: Table,
    max_loss: float,
    *,
    objective: Objective = STARS,
    mapping: Mapping | None = None,
    by_loss: bool = True,
    seed: int = 0,
    time_limit: float = math.inf,
    params: AccuracyParams = AccuracyParams(),
) -> MaxPrivacyResult:
    """Find groups of much privacy, none of which loses more than a bound.

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
    starmin.models.one_dimensional.boundaries : exact, in one dimension.
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
    >>> from starmin.instances.scales.scales import Scales
    >>> x = ["0", "1", "2", "10", "11", "12"]
    >>> table = Table.from_rows(["x", "s"], list(zip(x, "aabbba")), ["x"], ["s"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> result = accuracy_constrained(table, 0.2, objective=gcp)
    >>> result.best.groups.tolist(), result.privacy
    ([0, 0, 0, 1, 1, 1], Fraction(3, 2))
    """
    started = time.perf_counter()
    expect_accuracy_constrained(table, objective)
    sensitive = table.column(table.sensitive[0])
    order, space = space_along(table, objective, mapping, max_loss, sensitive, seed)
    groups, starts = bounded_groups(space)
    step = max(1, len(starts) * params.rows // table.n)
    stats = {"moved": 0}

    def search() -> Iterator[None]:
        # An interrupt is raised after a compiled loop, when the groups are whole.
        for low in range(0, len(starts) - 1, step):
            yield
            high = min(low + step, len(starts) - 1)
            stats["moved"] += adjust_groups(space, groups, starts, low, high, by_loss)

    limit = carry_out(search(), started, time_limit)
    return finish(table, order.partition(groups), objective, started, stats, limit)


def space_along(
    table: Table,
    objective: Objective,
    mapping: Mapping | None,
    max_loss: float,
    values: Int32s,
    seed: int,
) -> tuple[RowOrder, Space]:
    """Return the rows in the order of a mapping, or the Hilbert curve, and their space.

    ``values`` holds for each row what is sensitive.
    """
    scales = objective.scales_of(table)
    order, _ = RowOrder.along(mapping or Hilbert(), table, objective, seed)
    space = Space(
        scales.row_positions(table)[order.rows],
        values[order.rows],
        np.cumsum([0, *(scale.size for scale in scales.scales)]),
        scales.arrays,
        objective.range_prices(table),
        charge_bound(table, objective, max_loss),
    )
    return order, space


def charge_bound(table: Table, objective: Objective, share: float) -> float:
    """Return the most that a row may pay, in the unit of ``Objective.range_prices``."""
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
    """Make the result of what began at ``started``, recounted from the rows."""
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


def bounded_k(
    table: Table,
    max_loss: float,
    *,
    objective: Objective = STARS,
    mapping: Mapping | None = None,
    seed: int = 0,
) -> MaxPrivacyResult:
    """Find the largest k for which groups on a line lose no more than a bound.

    Of ``max_loss``, ``objective`` and ``mapping`` see ``accuracy_constrained``. No
    sensitive column is needed. Optimal among groups of consecutive rows on the line;
    for one numeric column these are all that matter
    (``starmin.models.one_dimensional.k_total``).

    O(n d + n log n) after the mapping (Ghinita et al. 2009, section 5).

    Examples
    --------
    >>> from starmin.instances.scales.scales import Scales
    >>> x = ["0", "1", "5", "6", "7"]
    >>> table = Table.from_rows(["x"], [[v] for v in x], ["x"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> bounded_k(table, 0.3, objective=gcp).privacy
    Fraction(2, 1)
    """
    started = time.perf_counter()
    expect_group_losses(table, objective)
    alike = np.zeros(table.n, np.int32)
    order, space = space_along(table, objective, mapping, max_loss, alike, seed)
    best = order.consecutive(largest_k(first_within(space)).starts)
    return finish(table.with_roles(table.qi), best, objective, started, {})
