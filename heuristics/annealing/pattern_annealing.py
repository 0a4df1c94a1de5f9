"""Simulated annealing on the set of open patterns: few stars in seconds."""

import math

from starmin.heuristics.annealing import PATTERN_ANNEALING
from starmin.heuristics.annealing.annealer import Annealer
from starmin.heuristics.annealing.annealing_schedule import (
    ANNEALING_PARAMS,
    AnnealingParams,
)
from starmin.heuristics.orders.suppression import offer_sorted
from starmin.instances import (
    STARS,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.models.patterns.coarse_losses import run_with_prices
from starmin.models.patterns.patterns import expect_no_tuples
from starmin.models.pricing.pool_sources import PatternPool, pattern_pool


def pattern_annealing(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    proposals: float = 100,
    pool: PatternPool | None = None,
    params: AnnealingParams = ANNEALING_PARAMS,
) -> Result:
    """Finds few stars in seconds, for k-anonymity and l-diversity. No guarantee.

    A release is a set of open patterns with the rows dealt to them. A move opens a
    pattern for all rows that are better off in it; patterns that thereby lose too
    many rows are refilled from those that can spare some, or closed, and their rows
    find other places. Moves that cost too much are taken back; how much is too much
    falls over time (simulated annealing). The prices of the Lagrangian bound say what
    a row is worth, so what it may pay, and which patterns are worth a thought.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity of one sensitive column, or
        both; stars or gcp, with weights and kept columns.
    time_limit
        Wall-clock seconds; the temperature falls with the time used.
    seed
        Of all choices; where the time limit does not strike, the same seed gives the
        same release.
    initial
        A release to start from; it is never lost. Default: the search starts anew;
        that of ``lexicographic_suppression`` is offered before the pool is found.
    proposals
        Moves for each distinct row, where the time allows; infinite: until it is used
        up.
    pool
        The patterns to search and the prices to go by; default: found at the start.

    Returns
    -------
    Result
        With the Lagrangian bound that was found on the way.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, several sensitive columns, or more than 20
        columns to star.

    See Also
    --------
    starmin.heuristics.large_neighbourhood.large_neighbourhood :
        slower, and exact within each part.

    Notes
    -----
    Adult, 30,162 rows by 8 columns, k = 5: 31,803 stars after 5 seconds and 31,451
    after 8 (two shared cores), 2.7 % and 1.6 % above the certified bound 30,952.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> pattern_annealing(table, KAnonymity(2)).value
    4
    """
    expect_no_tuples(objective)
    if math.isinf(proposals) and math.isinf(time_limit):
        raise ValueError("Expected a limit on proposals or on time, got neither.")
    if requirement.core.diversity > 1 and len(table.sensitive) > 1:
        raise NotSupportedError(
            f"Expected one sensitive column, got {len(table.sensitive)}."
        )
    whole = Run(table, requirement, objective, time_limit, display, PATTERN_ANNEALING)

    def search() -> Limit:
        whole.offer(initial or Partition.coarsest(table, objective))
        whole.check_time()
        run = run_with_prices(whole)
        if pool is None and initial is None:
            offer_sorted(run)
        limit = params.price_share * run.remaining
        useful = pool or pattern_pool(
            run, time_limit=limit, tolerance=1e-2, initial=initial
        )
        _anneal(run, Annealer(run, useful, seed, initial, params), proposals)
        return Limit.TIME if run.remaining == 0 else Limit.ITERATIONS

    return whole.carry_out(search)


def _anneal(run: Run, annealer: Annealer, proposals: float) -> None:
    """Propose moves until they or the time are used up."""
    params, total = annealer.params, proposals * len(annealer.types)
    done, began, limit = 0, run.elapsed, params.anneal_share * run.remaining
    run.offer(annealer.release())
    most, annealer.batch = annealer.batch, min(params.first_batch, annealer.batch)
    while done < total and run.elapsed - began < limit and run.remaining > 0:
        at = run.elapsed
        annealer.propose(1 - max(done / total, (at - began) / limit))
        done += annealer.batch
        # Where a value is nearly too frequent, a move may go through all groups.
        if run.elapsed - at < params.batch_seconds:
            annealer.batch = min(2 * annealer.batch, most)
    run.offer(annealer.release())
    before = None
    while annealer.l == 1 and run.value != before and annealer.deal_anew(run.remaining):
        before = run.value
        for _ in range(params.batches_between):
            if run.remaining > 0:
                annealer.propose(0.0)
        run.offer(annealer.release())
