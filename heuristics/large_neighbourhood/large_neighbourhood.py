"""Adaptive large neighbourhood search: part after part of a release is solved anew."""

import math
from concurrent.futures import Executor
from contextlib import nullcontext

from starmin.heuristics.large_neighbourhood import LARGE_NEIGHBOURHOOD
from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    LARGE_NEIGHBOURHOOD_PARAMS,
    LargeNeighbourhoodParams,
    Means,
)
from starmin.heuristics.orders.suppression import offer_sorted
from starmin.instances import (
    STARS,
    Certificate,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.runs.checkpoint import begin_at
from starmin.instances.runs.cores import Threads, cores
from starmin.models.patterns.coarse_losses import run_with_prices
from starmin.models.patterns.patterns import expect_no_tuples, looks_at_rows
from starmin.models.pricing.pool_sources import PatternPool


def large_neighbourhood(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    pool: PatternPool | None = None,
    prices: Certificate | None = None,
    stagnation: int = 200,
    workers: int | None = None,
    executor: Executor | None = None,
    params: LargeNeighbourhoodParams = LARGE_NEIGHBOURHOOD_PARAMS,
) -> Result:
    """Improves a release by solving parts of it to optimality. No guarantee.

    A neighbourhood is a set of distinct rows that may move freely while all other
    copies stay in their patterns; its pattern program, what is fixed moved to the
    right-hand sides (``starmin.models.pattern_program.neighbourhood``), is solved by
    branch and bound from the current release.
    ``starmin.models.pattern_program.destroy_operators`` chooses them by adaptive
    weights; several are solved at a time, no type in two of them. The prices of the
    Lagrangian bound (``starmin.models.pricing.pool_sources``) say which patterns a type
    may use: those of its pairs that a cheap release can have.

    For k-anonymity the first releases are annealed on the same pool
    (``starmin.heuristics.annealing``); neighbourhoods take turns with recombination:
    what is better in offspring annealed from the best release
    (``recombination``). Of losses with too many patterns to list the
    first release comes from ``starmin.heuristics.ruin_and_recreate.ruin_and_recreate``,
    which begins beside the search for prices and goes by these.

    For l-diversity of one column the first release is dived for, of stars at last with
    a look ahead (``starmin.heuristics.diving.dive``); such dives for the rows
    of some of the groups (``starmin.heuristics.diving.group_neighbourhoods``) and moves
    along ejection chains (``ejection_moves``) are operators besides the programs of
    all patterns. Of losses they take turns with ruin and recreate on parts of the
    release (``starmin.heuristics.ruin_and_recreate.ruin_and_recreate``).
    ``starmin.heuristics.large_neighbourhood.operator_schedule`` shares the time among
    them by what they gained of late. Losses without a unit of prices are rounded down
    to a coarser one.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity or both; stars or gcp.
    time_limit
        Wall-clock seconds.
    seed
        Of the choice of neighbourhoods and of the solver.
    initial
        The release to improve. Default: that of ``lexicographic_suppression`` is
        offered before the pool is found.
    pool
        The patterns to search and the prices to go by; default: found at the start.
    prices
        A proof for the same table, perhaps for another requirement: its prices start
        the search for those of this one.
    stagnation
        Stop after this many neighbourhoods in a row that gained nothing.
    workers
        Neighbourhoods that are solved at a time; default: one for each core. Which ones
        depends on how fast the others were, so the same seed may give another release.
    executor
        Where they are solved; default: threads, as the solver works outside the
        interpreter's lock. The look ahead of dives has threads of its own.

    Returns
    -------
    Result
        Never worse than ``initial``.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, too many columns, or more patterns than can
        be walked over.

    See Also
    --------
    starmin.models.pattern_ilp.pattern_ilp : exact, for smaller tables.

    Notes
    -----
    Any-time: the time limit says how long the search goes on, not what it does first.
    For k-anonymity rounds of annealing are followed by turns of recombination and
    neighbourhoods (``starmin.heuristics.large_neighbourhood.round_search``), for
    l-diversity whole searches with time limits that grow
    (``starmin.heuristics.large_neighbourhood.budgets``) come after dives by rough
    prices (``starmin.heuristics.large_neighbourhood.budgets``).

    Each neighbourhood takes a fraction of a second to a few seconds. 30,162
    rows by 8 columns (18,109 types), k = 5: a gap below 0.7 % after a minute. By 7
    columns, l = 4 and 6: 0.9 % after ten minutes. For l-diversity most is gained by the
    dives for all rows in the first seconds, by ejection chains, which move rows through
    thousands of groups, and then by programs of several dives. An interrupt waits for
    what is being solved.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> large_neighbourhood(table, KAnonymity(2), time_limit=1.0).value
    4
    """
    expect_no_tuples(objective)
    diverse = requirement.core.diversity > 1
    types = len(table.sensitive_types if diverse else table.row_types)
    if looks_at_rows(table, types, objective):
        raise NotSupportedError(
            "large_neighbourhood goes by patterns, and these rows have too many of "
            "them; ruin_and_recreate looks at rows alone."
        )
    whole = Run(
        *(table, requirement, objective, time_limit, display, LARGE_NEIGHBOURHOOD),
        workers=None if executor else workers,
    )

    def search() -> Limit:
        begin_at(whole, initial)
        if initial is None:
            offer_sorted(whole)
        run = run_with_prices(whole)
        slots = workers if executor and workers else cores()
        with nullcontext(executor) if executor else Threads(slots) as where:
            means = Means(run, pool, seed, stagnation, where, slots, params, prices)
            if requirement.core.diversity == 1:
                from starmin.heuristics.large_neighbourhood.round_search import (
                    search_in_rounds,
                )

                search_in_rounds(means)
            else:
                from starmin.heuristics.large_neighbourhood.budgets import (
                    search_by_budgets,
                )

                search_by_budgets(means)
        return Limit.ITERATIONS

    return whole.carry_out(search)
