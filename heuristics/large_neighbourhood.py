"""Large neighbourhood search: part after part of a release solved exactly."""

import math
import os
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import nullcontext

import numpy as np

from heuristics.lexicographic_suppression import lexicographic_suppression
from heuristics.pattern_descent import pattern_descent
from heuristics.price_diving import price_diving
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
from models.generated_pool import is_wide
from models.incumbents import loads_of, partition_of_loads
from models.part_search import Part, PartSearch, solve
from models.pattern_pool import PatternPool, pattern_pool
from models.patterns import expect_stars
from models.program import Floats

_PRICE_SHARE = 0.2  # of the time
_START_SHARE = 0.5  # of what is left after the prices
_START_SECONDS, _START_MOST = 20.0, 0.9  # and at least so long, up to that share
_PER_TYPE = 15  # incidences that parts may use
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
    right-hand sides (``models.neighbourhood``), is solved by branch and bound from the
    current release. ``models.part_search`` chooses the parts; several are solved at a
    time, no type in two of them. The prices of the Lagrangian bound
    (``models.pattern_pool``) say which patterns a type may use: those of its
    incidences that a cheap release can have. The first release is annealed
    (``heuristics.pattern_descent``) on the same pool, or for l-diversity found by
    ``heuristics.price_diving``.

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
        The release to improve.
    pool
        The patterns to search and the prices to go by; default: found at the start.
    patience
        Stop after this many parts in a row that gained nothing.
    workers
        Parts that are solved at a time; default: one for each core. With one the same
        seed gives the same release where no limit strikes.
    executor
        Where they are solved; default: threads, as the solver works outside the
        interpreter's lock.

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
    models.pattern_ilp : exact, for smaller tables.

    Notes
    -----
    Any-time. Each part takes a fraction of a second to a few seconds. 30,162 rows by 8
    columns (18,109 types), k = 5: a gap below 2 % after half a minute.

    Examples
    --------
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> large_neighbourhood(table, KAnonymity(2), time_limit=1.0).value
    4
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    expect_stars(objective)
    run = Run(table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    run.offer(initial or Partition.coarsest(table, objective.keep))
    slots = workers or os.cpu_count() or 1
    try:
        run.check_time()
        diverse = least_diversity(requirement) > 1
        if diverse:
            _begin_diverse(run)
        if pool is None:
            limit = _PRICE_SHARE * run.remaining
            pool = pattern_pool(run, time_limit=limit, initial=run.best)
        if not diverse:
            _begin(run, pool, seed, initial)
        parts = _Parts(run, pool, np.random.default_rng(seed), patience)
        with nullcontext(executor) if executor else ThreadPoolExecutor(slots) as where:
            parts.improve(where, slots)
    except TimeoutError:
        return run.result(Limit.TIME)
    except KeyboardInterrupt:
        return run.result(Limit.INTERRUPTED)
    return run.result(Limit.ITERATIONS)


def _begin(run: Run, pool: PatternPool, seed: int, initial: Partition | None) -> None:
    """Offer a good release in a short time."""
    first = pattern_descent(
        run.table,
        run.requirement,
        objective=run.objective,
        time_limit=_start_limit(run),
        seed=seed,
        initial=initial,
        pool=pool,
        proposals=math.inf if math.isfinite(run.remaining) else 100,
    )
    if first.best is not None:
        run.offer(first.best)


def _begin_diverse(run: Run) -> None:
    """The same for l-diversity, and its bound."""
    table, requirement, objective = run.table, run.requirement, run.objective
    wide = is_wide(table, table.sensitive_types, objective)
    if wide or len(table.sensitive) > 1:
        first = lexicographic_suppression(table, requirement, objective=objective)
    else:
        limit = _start_limit(run)
        first = price_diving(table, requirement, objective=objective, time_limit=limit)
    if first.best is not None:
        run.offer(first.best)
    run.learn(first)


def _start_limit(run: Run) -> float:
    left = run.remaining
    return min(max(_START_SHARE * left, _START_SECONDS), _START_MOST * left)


class _Parts:
    """Parts of the incumbent solved anew, several at a time."""

    def __init__(
        self, run: Run, pool: PatternPool, rng: np.random.Generator, patience: int
    ) -> None:
        k, l = least_size(run.requirement), least_diversity(run.requirement)
        assert run.best is not None
        self.run, self.patience = run, patience
        whole = loads_of(run.table, pool.types, pool.patterns, run.best)
        if whole is None:
            raise ValueError("Expected a pool with the patterns of the release.")
        self.pool = pool.thinner(_PER_TYPE, max(k, l), whole)
        loads = loads_of(run.table, pool.types, self.pool.patterns, run.best)
        assert loads is not None
        self.loads = loads
        useful = np.ones(len(self.pool.least), bool)
        self.search = PartSearch(self.pool.patterns, pool.types, k, l, useful, rng)
        self.in_vain = 0

    def improve(self, executor: Executor, slots: int) -> None:
        """Search until patience or the time is up, or the gap is closed."""
        running: dict[Future[tuple[Floats | None, float]], Part] = {}
        busy = np.zeros(len(self.pool.types), bool)
        try:
            while self._goes_on():
                while len(running) < slots:
                    part = self.search.propose(self.loads, self.run.remaining, busy)
                    if part is None:
                        break
                    busy |= part.free
                    running[executor.submit(solve, part)] = part
                done, _ = wait(running, min(self.run.remaining, _LONG), FIRST_COMPLETED)
                for future in done:
                    part = running.pop(future)
                    busy &= ~part.free
                    self._take(part, *future.result())
        finally:
            for future in running:
                future.cancel()

    def _goes_on(self) -> bool:
        run = self.run
        run.check_time()
        vain = self.in_vain >= self.patience
        return not (run.closed or vain or self.search.complete)

    def _take(self, part: Part, found: Floats | None, seconds: float) -> None:
        """Merge a solved part into the release."""
        better = self.search.merge(self.loads, part, found, seconds)
        self.in_vain += 1
        if better is not None:
            self.loads, self.in_vain = better, 0
            patterns = self.pool.patterns
            self.run.offer(partition_of_loads(self.pool.types, patterns, better))
