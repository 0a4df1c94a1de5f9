"""The own-pattern bound: every row pays at least for its cheapest possible group."""

import math
from concurrent.futures import Executor

import numpy as np

from starmin.instances import (
    STARS,
    Objective,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
)
from starmin.instances.runs.places import places
from starmin.models.bounds import OWN_PATTERN
from starmin.models.bounds.cheapest_groups import RowGroups, has_room
from starmin.models.bounds.near_bounds import prove_own_costs
from starmin.models.bounds.pattern_ranges import takes_near
from starmin.models.lagrangian_relaxation.price_bound import note_prices
from starmin.models.patterns.closed_listing import own_costs
from starmin.models.patterns.patterns import (
    expect_no_tuples,
    has_too_many_nodes,
    is_wide,
)
from starmin.models.price_unit import PriceUnit, is_fine

_PAIRS_PER_SECOND = 50_000_000  # of these
_LATER = 1.25  # times the seconds at which a bound was told, the next one is


def own_pattern(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
) -> Result:
    r"""Bound stars or losses from below: each row pays for its cheapest pattern.

    A pattern can be a group only if enough rows fit it (at least k, at least l
    different values of each sensitive column). So

    .. math:: LB = \sum_t s_t \min \{cost_p : p \sim t, p \text{ can be a group}\}.

    It is the price bound for these minima as prices: no pricing problem has a negative
    value then, and the certificate is that of prices.

    Where there are more vectors of nodes than distinct rows, or more than there is time
    for, the cheapest group of each row is looked for among the rows near to it first
    (``starmin.models.bounds.cheapest_groups``), the losses being rounded down.
    The vectors are walked over after that, unless they are too many or losses too fine.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, l-diversity, or several of them; stars or gcp. Of
        distinct l-diversity only that a group has l rows is used.
    time_limit, display
        Seconds; progress is printed to stderr.
    workers, executor
        Where sets of starred columns are looked at if there are many distinct rows, and
        so many tasks at a time; the workers read the table from files. Default:
        threads.

    Returns
    -------
    Result
        Without a release; ``lower_bound`` and its certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or for stars too many columns.

    See Also
    --------
    starmin.models.bounds.pattern_lp : never lower, and slower.

    Notes
    -----
    One group-by of the distinct rows for each of the 2^d sets of kept columns: 30,000
    rows by 8 columns in a second or two. 30,000 rows by 24 columns with hierarchies: a
    minute or two; what is proven when the time is up holds for the rows looked at.

    References
    ----------
    Murakami and Uno (2018), formulas (7)-(9).

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> own_pattern(table, KAnonymity(2)).lower_bound
    2
    """
    expect_no_tuples(objective)
    run = Run(
        *(table, requirement, objective, time_limit, display, OWN_PATTERN),
        workers=None if executor else workers,
    )
    core = requirement.core
    k, l = max(core.size, core.distinct), core.diversity
    types = table.sensitive_types if l > 1 else table.row_types

    def search() -> None:
        no_walk = has_too_many_nodes(run) or (
            is_fine(objective, table)
            if objective.by_node
            else is_wide(table, types, objective, time_limit)
        )
        if no_walk or _is_by_rows_first(run, types, max(k, l)):
            _search_by_rows(run, types, max(k, l))
            run.check_time()
        if no_walk:
            return
        if takes_near(table, types, requirement, objective):
            with places(executor, workers) as where:
                prove_own_costs(run, types, k, where)
            run.check_time()
            return
        costs, unit = own_costs(run, types, k, l), PriceUnit.of(table, objective)
        bound = int(costs @ types.counts)
        note_prices(run, types, costs * unit.per_cost, bound, "own_pattern")

    return run.carry_out(search)


def _is_by_rows_first(run: Run, types: RowTypes, k: int) -> bool:
    """Return whether there are more vectors of nodes than rows, or than time for.

    A walk over vectors that is broken off proves nothing; one over rows does.
    """
    if not has_room(types, k):
        return False
    vectors = run.objective.vectors_above(run.table)
    timely = _PAIRS_PER_SECOND * run.remaining
    return vectors > len(types) or vectors * len(types) > timely


def _search_by_rows(run: Run, types: RowTypes, k: int) -> None:
    """Find the cheapest group of each row; prove what is found, now and then."""
    groups, next_time = RowGroups(run, types, k), 0.0
    costs = np.zeros(len(types), np.int64)
    try:
        for found in groups.costs():
            costs = found
            if groups.bound(costs) > 0 and run.elapsed >= next_time:
                groups.prove(costs, OWN_PATTERN.name)
                next_time = _LATER * run.elapsed
    finally:
        groups.prove(costs, OWN_PATTERN.name)
