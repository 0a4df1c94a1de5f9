"""Dives along Lagrangian prices: l-diverse releases near the bound in seconds."""

import math

import numpy as np

from heuristics.descent_moves import settle
from heuristics.descent_start import deal_greedily, deal_loads, most_nodes, release_of
from heuristics.descent_state import empty_state
from heuristics.diving_prices import Dive, Ints
from instances import (
    STARS,
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
    expect_parts,
    least_diversity,
    least_size,
)
from models.bounds.lagrangian import lagrangian_prices
from models.bounds.prices import DENOMINATOR
from models.patterns import Patterns, closed_patterns, expect_stars

_PRICE_SHARE = 0.4  # of the time
_STEPS = 60  # for an average
_PART = 0.2  # of the patterns near a group are committed at a time


def price_diving(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    initial: Partition | None = None,
    dives: int = 1,
) -> Result:
    r"""Few stars in seconds, for l-diversity, alone or with k. No guarantee.

    The linear relaxation of l-diversity (``models.pattern_program``) is integral but
    for a few patterns on real tables, so a point near its optimum is all but a
    release. The prices of the Lagrangian bound give one: the best fills, on average
    over many small steps of the prices. The rows of those patterns whose average is
    nearest to a group are dealt as it says, rounded; then prices and averages are
    found for the rows that are left, and so on. Rows that are left at the end go
    greedily to the cheapest patterns, open ones or new.

    Parameters
    ----------
    table, requirement, objective
        The problem: frequency l-diversity of one sensitive column, l > 1, alone or
        with k-anonymity; stars, with weights and kept columns.
    time_limit
        Wall-clock seconds. A dive that they cut short ends greedily.
    display
        Print a line to stderr at each improvement.
    initial
        A release that is never lost.
    dives
        How many, each committing half as much at a time as the one before.

    Returns
    -------
    Result
        With the Lagrangian bound that was found on the way. There is nothing random.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, several sensitive columns, or more than 20
        columns to star.

    See Also
    --------
    heuristics.large_neighbourhood : goes on from such a release.
    heuristics.pattern_descent : the same for k-anonymity.

    Notes
    -----
    A dive has some 20 to 40 rounds, each on fewer rows and patterns. Adult, 30,162
    rows by 7 columns, after converged prices: 1.4 % above the bound for l = 2, 6 %
    for l = 4 and 18 % for l = 6, where the rows that are left last have too few
    different values. The idea of fixing by prices what is sure, and pricing the rest
    anew, is that of Caprara, Fischetti and Toth.

    References
    ----------
    Caprara, Fischetti and Toth (1999), A heuristic method for the set covering
    problem. Barahona and Anbil (2000), The volume algorithm: producing primal
    solutions with a subgradient method.

    Examples
    --------
    >>> rows = [["0", "x", "a"], ["0", "x", "b"], ["1", "x", "a"], ["1", "y", "b"]]
    >>> table = Table.from_rows(["1", "2", "s"], rows, qi=["1", "2"], sensitive=["s"])
    >>> price_diving(table, LDiversity(2)).value
    2
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    expect_stars(objective)
    if least_diversity(requirement) == 1:
        raise NotSupportedError("Expected l-diversity with l > 1, got none.")
    if len(table.sensitive) > 1:
        raise NotSupportedError(
            f"Expected one sensitive column, got {len(table.sensitive)}."
        )
    run = Run(table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    run.offer(initial or Partition.coarsest(table, objective.keep))
    try:
        run.check_time()
        _dive(run, dives)
    except TimeoutError:
        return run.result(Limit.TIME)
    except KeyboardInterrupt:
        return run.result(Limit.INTERRUPTED)
    return run.result(Limit.TIME if run.remaining == 0 else Limit.ITERATIONS)


def _dive(run: Run, dives: int) -> None:
    """Find prices, then dive again and again."""
    table, types = run.table, run.table.sensitive_types
    k, l = least_size(run.requirement), least_diversity(run.requirement)
    patterns = closed_patterns(table, types, run.objective, k, l, run.check_time)
    prices = _prices(run, patterns, types, k, l)
    star = float(patterns.cost.max()) / table.d or 1.0
    dive = Dive(patterns, types, k, l, star)
    for number in range(dives):
        if run.closed or (number and run.remaining == 0):
            return
        part = _PART / 2**number
        loads = dive(types.counts, prices / DENOMINATOR, _STEPS, part, run)
        _offer(run, dive.patterns, loads, prices)


def _prices(run: Run, patterns: Patterns, types: RowTypes, k: int, l: int) -> Ints:
    """Prices that prove a good bound, which the run learns."""
    limit = _PRICE_SHARE * run.remaining
    pricing = Run(run.table, run.requirement, run.objective, limit)
    prices = lagrangian_prices(pricing, patterns, types, k, l, 1e-3)
    run.learn(pricing)
    return prices


def _offer(run: Run, patterns: Patterns, loads: Ints, prices: Ints) -> None:
    """Deal the rows that a dive left, and offer the release."""
    types = run.table.sensitive_types
    k, l = least_size(run.requirement), least_diversity(run.requirement)
    values = types.sensitive[:, 0]
    state = empty_state(
        patterns, values, prices / DENOMINATOR, k, l, most_nodes(patterns)
    )
    used = np.flatnonzero(loads)
    members = patterns.types[used]
    deal_loads(state, patterns.pattern[used].astype(np.int64), members, loads[used])
    rest = types.counts.copy()
    np.subtract.at(rest, members, loads[used])
    deal_greedily(state, rest)
    settle(state)
    run.offer(release_of(state, types))
