"""Adaptive large neighbourhood search: part after part of a release is solved anew."""

import math
import os
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import replace

import numpy as np

from heuristics.annealing.pattern_annealing import pattern_annealing
from heuristics.diving.group_neighbourhoods import GroupNeighbourhoods
from heuristics.large_neighbourhood import LARGE_NEIGHBOURHOOD
from heuristics.large_neighbourhood.chain_operator import ChainOperator
from heuristics.large_neighbourhood.operator_schedule import LONG, OperatorSchedule
from heuristics.large_neighbourhood.params import (
    LARGE_NEIGHBOURHOOD_PARAMS,
    LargeNeighbourhoodParams,
)
from heuristics.orders.lexicographic_suppression import offer_sorted
from instances import (
    STARS,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    least_diversity,
    least_size,
)
from instances.runs.nested import pass_on
from instances.runs.threads import Threads
from models.neighbourhoods.destroy_operators import DestroyOperators
from models.patterns.decode import loads_of
from models.patterns.patterns import expect_losses, threshold
from models.patterns.unit import DENOMINATOR
from models.pricing.pattern_pool import PatternPool, pattern_pool


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
    stagnation: int = 200,
    workers: int | None = None,
    executor: Executor | None = None,
    params: LargeNeighbourhoodParams = LARGE_NEIGHBOURHOOD_PARAMS,
) -> Result:
    """Improves a release by solving parts of it to optimality. No guarantee.

    A neighbourhood is a set of row types that may move freely while all other copies
    stay in their patterns; its pattern program, what is fixed moved to the right-hand
    sides (``models.neighbourhoods.neighbourhood``), is solved by branch and bound from
    the current release. ``models.neighbourhoods.destroy_operators`` chooses them by
    adaptive weights; several are solved at a time, no type in two of them. The prices
    of the Lagrangian bound (``models.pricing.pattern_pool``) say which
    patterns a type may use: those of its incidences that a cheap release can have. The
    first release is annealed (``heuristics.annealing.pattern_annealing``) on the same
    pool. For l-diversity of one column it is dived for, at last with a look ahead
    (``heuristics.diving.pilot_method``); such dives for the rows of some of the groups
    (``heuristics.diving.group_neighbourhoods``) and moves along ejection chains
    (``heuristics.large_neighbourhood.chain_operator``) are operators besides the
    programs; ``heuristics.large_neighbourhood.operator_schedule`` shares the time
    among them by what they gained of late.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity or both; stars or gcp.
    time_limit
        Wall-clock seconds.
    seed
        Of the choice of neighbourhoods and of the solver.
    display
        Print a line to stderr at each improvement.
    initial
        The release to improve. Default: that of ``lexicographic_suppression`` is
        offered before the pool is found.
    pool
        The patterns to search and the prices to go by; default: found at the start.
    stagnation
        Stop after this many neighbourhoods in a row that gained nothing.
    workers
        Neighbourhoods that are solved at a time; default: one for each core. Which ones
        depends on how fast the others were, so the same seed may give another release.
    executor
        Where they are solved; default: threads, as the solver works outside the
        interpreter's lock. The look ahead of dives has threads of its own.
    params
        Constants that steer the search.

    Returns
    -------
    Result
        Never worse than ``initial``.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many columns.

    See Also
    --------
    models.pattern_ilp.pattern_ilp : exact, for smaller tables.

    Notes
    -----
    Any-time. Each neighbourhood takes a fraction of a second to a few seconds. 30,162
    rows by 8 columns (18,109 types), k = 5: a gap below 2 % after half a minute. By 7
    columns, l = 4 and 6: 0.9 % after ten minutes. For l-diversity most is gained by the
    dives for all rows, up to half of the time, and by ejection chains, which move rows
    through thousands of groups. An interrupt waits for what is being solved.

    Examples
    --------
    >>> from instances import KAnonymity
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> large_neighbourhood(table, KAnonymity(2), time_limit=1.0).value
    4
    """
    expect_losses(objective, table)
    run = Run(table, requirement, objective, time_limit, display, LARGE_NEIGHBOURHOOD)
    slots = workers or os.cpu_count() or 1

    def search() -> Limit:
        run.offer(initial or Partition.coarsest(table, objective))
        run.check_time()
        priced = pool or _priced_pool(run, initial, params)
        if least_diversity(requirement) == 1:
            _anneal(run, priced, seed, initial, params)
        with nullcontext(executor) if executor else Threads(slots) as where:
            schedule = _schedule(run, priced, seed, stagnation, where, slots, params)
            schedule.improve(where, slots)
        return Limit.ITERATIONS

    return run.carry_out(search)


def _priced_pool(
    run: Run, initial: Partition | None, params: LargeNeighbourhoodParams
) -> PatternPool:
    """Find prices, and the patterns that a cheap release can have at them."""
    if initial is None:
        offer_sorted(run)
    diverse = least_diversity(run.requirement) > 1
    share = params.price_share_diverse if diverse else params.price_share
    limit = share * run.remaining
    if run.objective.kind == "gcp":
        least = min(
            params.price_seconds_losses, params.price_most_losses * run.remaining
        )
        limit = max(params.price_share_losses * run.remaining, least)
    return pattern_pool(run, time_limit=limit, initial=run.best)


def _anneal(
    run: Run,
    pool: PatternPool,
    seed: int,
    initial: Partition | None,
    params: LargeNeighbourhoodParams,
) -> None:
    """Offer a good release in a short time, for k-anonymity."""
    left = run.remaining
    seconds = max(params.start_share * left, params.start_seconds)
    first = pattern_annealing(
        run.table,
        run.requirement,
        objective=run.objective,
        time_limit=min(seconds, params.start_most * left),
        seed=seed,
        initial=initial,
        pool=pool,
        proposals=math.inf if math.isfinite(left) else 100,
    )
    if first.best is not None:
        run.offer(first.best)
    pass_on(first)


def _schedule(
    run: Run,
    pool: PatternPool,
    seed: int,
    stagnation: int,
    executor: Executor,
    slots: int,
    params: LargeNeighbourhoodParams,
) -> OperatorSchedule:
    """Schedule the operators from the best release on, for l-diversity after dives."""
    rng = np.random.default_rng(seed)
    k, l = least_size(run.requirement), least_diversity(run.requirement)
    assert run.best is not None
    whole = loads_of(run.table, run.objective, pool.types, pool.patterns, run.best)
    if whole is None:
        raise ValueError("Expected a pool with the patterns of the release.")
    per_type = params.per_type if l == 1 else params.per_type_diverse
    pool = pool.thinner(per_type, max(k, l), whole)
    loads = loads_of(run.table, run.objective, pool.types, pool.patterns, run.best)
    assert loads is not None
    # All for k-anonymity: a neighbourhood can be the whole of a small table.
    count = params.per_type * len(pool.types)
    most = math.inf if l == 1 else threshold(pool.least, count)
    useful = pool.least <= most
    prices = pool.prices / DENOMINATOR
    schedule = OperatorSchedule(run, pool, loads, stagnation, params.schedule)
    if l > 1 and len(run.table.sensitive) == 1:
        groups = GroupNeighbourhoods(pool, k, l, rng, params=params.diving)
        schedule.add(groups)
        schedule.add(ChainOperator(pool, k, l, useful, rng, slots, params.chains))
        _dive(schedule, groups, executor, slots, params)
    schedule.add(DestroyOperators(pool.patterns, pool.types, k, l, useful, rng, prices))
    return schedule


def _dive(
    schedule: OperatorSchedule,
    groups: GroupNeighbourhoods,
    executor: Executor,
    slots: int,
    params: LargeNeighbourhoodParams,
) -> None:
    """Dive for all rows: plainly, several at a time, then once with a look ahead."""
    run = schedule.run
    plain = groups.whole(schedule.loads, min(params.dive_share * run.remaining, LONG))
    solving = [
        executor.submit(replace(plain, window=window).solve)
        for window in params.diving.dive.windows[:slots]
    ]
    found = [future.result() for future in solving]
    schedule.take(groups, plain, *min(found, key=lambda one: plain.cost(one[0])))
    run.check_time()
    limit = min(params.pilot_share * run.remaining, LONG)
    pilot = replace(groups.whole(schedule.loads, limit), width=params.width)
    # Its ways share their tables and are tried for moments: not in other processes.
    with Threads(slots) as threads:
        schedule.take(groups, pilot, *pilot.solve(threads.map))
    groups.width = params.part_width
