"""The own-pattern bound of non-homogeneous k-anonymity."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from starmin.instances import (
    STARS,
    Certificate,
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.tables.row_types import canonical_order
from starmin.models.bounds.pattern_ranges import agreeing
from starmin.models.nonhomogeneous import OWN_STAR_SET
from starmin.models.price_unit import PriceUnit

# Certificates of lower bounds for non-homogeneous releases: prices of originals.

KIND = "nonhomogeneous_prices"


def price_certificate(
    run: Run[Any],
    prices: Ints,
    bound: int,
    denominator: int = 1,
    least: Ints | None = None,
) -> Certificate:
    """Return a certificate that ``certificate_check`` of ``starmin.verify`` accepts.

    ``prices`` has one for each row type, in units of 1/``denominator``. For gcp
    ``least`` is what the prices leave to each row type at least, in the same unit.
    """
    order = canonical_order(run.table, run.table.row_types)
    data = {"denominator": denominator, "prices": prices[order].tolist()}
    if least is not None:
        data["least"] = least[order].tolist()
    return Certificate.of(*run.asked, KIND, bound, data)


# The sets of columns a released row may star, and what it may be matched to then.

MOST_ENTRIES = 500_000_000  # of ``class_of``: 2 GB


@dataclass(frozen=True, eq=False)
class StarSets:
    """All sets of starred columns; each divides the row types into classes.

    A row that is released with these stars may stem from the rows of its class: those
    that agree with it on all other columns.
    """

    starred: Bools  # M x d: the sets, the cheap ones first
    cost: Ints  # what a row pays for each set
    # M x m: for each set the class of each row type, -1 if it has fewer than k rows
    class_of: Int32s
    sizes: Ints  # number of classes of each set
    counts: Ints  # multiplicities of the m row types
    unit: PriceUnit  # what prices of these are whole numbers of

    @classmethod
    def of(
        cls,
        table: Table,
        objective: Objective,
        k: int,
        check: Callable[[], None] = lambda: None,
    ) -> "StarSets":
        """Return the sets under which some row has k rows in its class.

        Columns to be kept are in no set. ``check`` is called before each group-by; it
        may raise to end the enumeration. Raises NotSupportedError where there are too
        many columns for so many row types.

        Examples
        --------
        >>> from starmin.instances import STARS
        >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
        >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
        >>> sets = StarSets.of(table, STARS, 2)
        >>> sets.cost.tolist(), sets.class_of.tolist()
        ([1, 1, 2], [[0, 0, -1], [-1, 0, 0], [0, 0, 0]])
        """
        types = table.row_types
        free = int(np.count_nonzero(~objective.kept(table)))
        if free > 30 or len(types) << free > MOST_ENTRIES:
            raise NotSupportedError(
                f"Expected at most {MOST_ENTRIES:,} row types times sets of columns "
                f"that may be starred, got {len(types):,} x 2^{free}."
            )
        starred, cost, order = _star_sets(table, objective)
        class_of = np.empty((len(order), len(types)), np.int32)
        sizes = np.zeros(len(order), np.int64)
        for at, number in enumerate(order):
            check()
            class_of[at], sizes[at] = _classes(table, starred[number], k)
        if not (used := sizes > 0).all():
            order, class_of, sizes = order[used], class_of[used], sizes[used]
        unit = PriceUnit.of(table, objective)
        return cls(starred[order], cost[order], class_of, sizes, types.counts, unit)


def _star_sets(table: Table, objective: Objective) -> tuple[Bools, Ints, Ints]:
    """Return all sets of columns that may be starred, their costs, and their order."""
    free = np.flatnonzero(~objective.kept(table))
    numbers = np.arange(1 << len(free))
    starred = np.zeros((len(numbers), table.d), bool)
    starred[:, free] = numbers[:, None] >> np.arange(len(free)) & 1
    cost = objective.row_costs(table, starred)
    return starred, cost, np.argsort(cost, kind="stable")


def _classes(table: Table, starred: Bools, k: int) -> tuple[Int32s, int]:
    """Return the class of each type, and how many there are, of those with k rows."""
    types = table.row_types
    inverse, size = agreeing(list(types.codes.T), table.qi_cardinalities, starred)
    enough = np.bincount(inverse, types.counts, minlength=size) >= k
    number = np.where(enough, np.cumsum(enough) - 1, -1).astype(np.int32)
    return number[inverse], int(enough.sum())


MOST_COLUMNS = 24  # that may be starred


def own_star_set(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result[NonHomogeneous]:
    r"""Bound the stars of non-homogeneous releases from below: each row on its own.

    A released row needs k originals that agree with it on all columns that it does not
    star. So it pays at least for the cheapest set S of columns to star that leaves it
    so many:

    .. math:: LB = \sum_j \min \{cost_S : |C_S(j)| \ge k\},

    :math:`C_S(j)` being the rows that agree with row j on all columns but those of S.
    How often an original is used is not asked. It is the bound of prices that are all
    zero, which is its certificate.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity; stars.
    time_limit, display
        Seconds; progress is printed to stderr.

    Returns
    -------
    Result
        Without a release; ``lower_bound`` and its certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many columns.

    See Also
    --------
    starmin.models.nonhomogeneous.degree_prices.degree_prices : never lower.

    Notes
    -----
    One group-by of the distinct rows for each of the 2^d sets, the cheap ones first,
    until all types have one: 100,000 rows by 8 columns in some 3 seconds.

    References
    ----------
    Murakami and Uno (2018), formulas (7)-(9).

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> own_star_set(table, KAnonymity(2)).lower_bound
    3
    """
    run = Run[NonHomogeneous](
        table, requirement, objective, time_limit, display, OWN_STAR_SET
    )

    def search() -> None:
        if (free := int(np.count_nonzero(~objective.kept(table)))) > MOST_COLUMNS:
            raise NotSupportedError(
                f"Expected at most {MOST_COLUMNS} columns that may be starred, got "
                f"{free}."
            )
        starred, cost, order = _star_sets(table, objective)
        counts, k = table.row_types.counts, requirement.core.size
        costs, waits = np.zeros(len(counts), np.int64), np.ones(len(counts), bool)
        for number in order.tolist():  # none is kept: memory is that of the row types
            run.check_time()
            found = waits & (_classes(table, starred[number], k)[0] >= 0)
            costs[found] = cost[number]
            waits &= ~found
            if not waits.any():
                break
        bound = int(costs @ counts)
        run.raise_bound(bound, "own_star_set", price_certificate(run, 0 * costs, bound))

    return run.carry_out(search)
