"""Large neighbourhood search: part after part of a release solved exactly."""

import math
import os
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace

import numpy as np

from heuristics.annealing.pattern_annealing import pattern_annealing
from heuristics.diving.group_neighbourhoods import GroupNeighbourhoods
from heuristics.diving.pilot_method import FILLS
from heuristics.large_neighbourhood.chain_operator import ChainOperator
from heuristics.large_neighbourhood.operator_schedule import OperatorSchedule
from heuristics.orders.lexicographic_suppression import offer_sorted
from instances import (
    STARS,
    KAnonymity,
    LDiversity,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    expect_parts,
    least_diversity,
    least_size,
)
from models.neighbourhoods.destroy_operators import DestroyOperators
from models.patterns.decode import loads_of
from models.patterns.patterns import expect_losses, threshold
from models.patterns.unit import DENOMINATOR
from models.pricing.pattern_pool import PatternPool, pattern_pool

_PRICE_SHARE, _PRICE_SHARE_DIVERSE = 0.2, 0.3  # of the time
_PRICE_SHARE_LOSSES = 0.4
_START_SHARE = 0.5  # of what is left after the prices
_START_SECONDS, _START_MOST = 20.0, 0.9  # and at least so long, up to that share
_DIVE_SHARE, _PILOT_SHARE = 0.4, 0.5  # of it, and of the rest, at most for a dive
_WIDTH, _PART_WIDTH = 4, 2  # ways in which stages of that dive, and of parts, are tried
_PER_TYPE, _PER_TYPE_DIVERSE = 15, 40  # incidences that parts may use
_LONG = 1e6  # seconds


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
    patience: int = 200,
    workers: int | None = None,
    executor: Executor | None = None,
) -> Result:
    """Improves a release by solving parts of it to optimality. No guarantee.

    A part is a set of row types that may move freely while all other copies stay in
    their patterns; the pattern program of the part, what is fixed moved to its
    right-hand sides (``models.neighbourhoods.neighbourhood``), is solved by branch and
    bound from the current release. ``models.neighbourhoods.destroy_operators`` chooses
    the parts; several are solved at a time, no type in two of them. The prices of the
    Lagrangian bound (``models.pricing.pattern_pool``) say which patterns a
    type may use: those of its incidences that a cheap release can have. The first
    release is annealed (``heuristics.annealing.pattern_annealing``) on the same pool.
    For l-diversity of one column it is dived for, at last with a look ahead
    (``heuristics.diving.pilot_method``); such dives for the rows of some of the groups
    (``heuristics.diving.group_neighbourhoods``) and exchanges of blocks of l rows along
    chains (``heuristics.large_neighbourhood.chain_operator``) take turns with the
    programs.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity or both; stars.
    time_limit
        Wall-clock seconds.
    seed
        Of the choice of parts and of the solver.
    display
        Print a line to stderr at each improvement.
    initial
        The release to improve. Default: that of ``lexicographic_suppression`` is
        offered before the pool is found.
    pool
        The patterns to search and the prices to go by; default: found at the start.
    patience
        Stop after this many parts in a row that gained nothing.
    workers
        Parts that are solved at a time; default: one for each core. Which ones depends
        on how fast the others were, so the same seed may give another release.
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
        Another requirement or objective, or too many columns.

    See Also
    --------
    models.pattern_ilp.pattern_ilp : exact, for smaller tables.

    Notes
    -----
    Any-time. Each part takes a fraction of a second to a few seconds. 30,162 rows by 8
    columns (18,109 types), k = 5: a gap below 2 % after half a minute. By 7 columns,
    l = 4 and 6: 0.9 % after ten minutes. For l-diversity most is gained by the dives
    for all rows, up to half of the time, and by exchanges of blocks, which move rows
    through thousands of groups. An interrupt waits for the parts that are being solved.

    Examples
    --------
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> large_neighbourhood(table, KAnonymity(2), time_limit=1.0).value
    4
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    expect_losses(objective, table)
    run = Run(table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    run.offer(initial or Partition.coarsest(table, objective.keep))
    slots = workers or os.cpu_count() or 1
    try:
        run.check_time()
        if pool is None:
            if initial is None:
                offer_sorted(run)
            diverse = least_diversity(requirement) > 1
            share = _PRICE_SHARE_DIVERSE if diverse else _PRICE_SHARE
            if objective.kind == "gcp":
                share = _PRICE_SHARE_LOSSES
            limit = share * run.remaining
            pool = pattern_pool(run, time_limit=limit, initial=run.best)
        if least_diversity(requirement) == 1:
            _anneal(run, pool, seed, initial)
        with nullcontext(executor) if executor else ThreadPoolExecutor(slots) as where:
            turns = _turns(run, pool, seed, patience, where, slots)
            turns.improve(where, slots)
    except TimeoutError:
        return run.result(Limit.TIME)
    except KeyboardInterrupt:
        return run.result(Limit.INTERRUPTED)
    return run.result(Limit.ITERATIONS)


def _anneal(run: Run, pool: PatternPool, seed: int, initial: Partition | None) -> None:
    """Offer a good release in a short time, for k-anonymity."""
    left = run.remaining
    first = pattern_annealing(
        run.table,
        run.requirement,
        objective=run.objective,
        time_limit=min(max(_START_SHARE * left, _START_SECONDS), _START_MOST * left),
        seed=seed,
        initial=initial,
        pool=pool,
        proposals=math.inf if math.isfinite(left) else 100,
    )
    if first.best is not None:
        run.offer(first.best)
    if first.limit is Limit.INTERRUPTED:
        raise KeyboardInterrupt


def _turns(
    run: Run,
    pool: PatternPool,
    seed: int,
    patience: int,
    executor: Executor,
    slots: int,
) -> OperatorSchedule:
    """The search of parts from the best release, for l-diversity after dives."""
    rng = np.random.default_rng(seed)
    k, l = least_size(run.requirement), least_diversity(run.requirement)
    assert run.best is not None
    whole = loads_of(run.table, run.objective, pool.types, pool.patterns, run.best)
    if whole is None:
        raise ValueError("Expected a pool with the patterns of the release.")
    pool = pool.thinner(_PER_TYPE if l == 1 else _PER_TYPE_DIVERSE, max(k, l), whole)
    loads = loads_of(run.table, run.objective, pool.types, pool.patterns, run.best)
    assert loads is not None
    # All for k-anonymity, so that a part can be the whole of a small table.
    most = math.inf if l == 1 else threshold(pool.least, _PER_TYPE * len(pool.types))
    useful = pool.least <= most
    prices = pool.prices / DENOMINATOR
    turns = OperatorSchedule(run, pool, loads, patience)
    if l > 1 and len(run.table.sensitive) == 1:
        groups = GroupNeighbourhoods(pool, k, l, rng)
        turns.add(groups)
        turns.add(ChainOperator(pool, k, l, useful, rng, slots))
        _dive(turns, groups, executor, slots)
    turns.add(DestroyOperators(pool.patterns, pool.types, k, l, useful, rng, prices))
    return turns


def _dive(
    turns: OperatorSchedule, groups: GroupNeighbourhoods, executor: Executor, slots: int
) -> None:
    """Dives for all rows: plain ones side by side, then one with a look ahead."""
    run = turns.run
    plain = groups.whole(turns.loads, min(_DIVE_SHARE * run.remaining, _LONG))
    solving = [
        executor.submit(replace(plain, fills=fills).solve) for fills in FILLS[:slots]
    ]
    found = [future.result() for future in solving]
    turns.take(groups, plain, *min(found, key=lambda one: plain.cost(one[0])))
    run.check_time()
    limit = min(_PILOT_SHARE * run.remaining, _LONG)
    pilot = replace(groups.whole(turns.loads, limit), width=_WIDTH)
    # Its ways share their tables and are tried for moments: not in other processes.
    with ThreadPoolExecutor(slots) as threads:
        turns.take(groups, pilot, *pilot.solve(threads.map))
    groups.width = _PART_WIDTH
