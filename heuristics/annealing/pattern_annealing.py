"""Simulated annealing on the set of open patterns: few stars in seconds."""

import math

import numpy as np

from heuristics.annealing.moves import anneal, settle
from heuristics.annealing.start import (
    deal_greedily,
    deal_loads,
    most_nodes,
    release_of,
    seed_moves,
)
from heuristics.annealing.state import Ints, empty_state
from heuristics.orders.lexicographic_suppression import offer_sorted
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
    Run,
    Table,
    expect_parts,
    least_diversity,
    least_size,
)
from models.bounds.prices import DENOMINATOR
from models.column_generation.pattern_pool import PatternPool, pattern_pool
from models.patterns.decode import loads_of
from models.patterns.open_pattern_flow import open_pattern_flow
from models.patterns.patterns import expect_stars

_PRICE_SHARE = 0.25  # of the time
_BATCH = 500  # proposals between two looks at the clock
_HOT, _COLD = 0.3, 0.02  # temperature in stars, by k and by itself
_ANNEALED = 0.85  # of the time
_BETWEEN = 20  # batches between two deals at least cost
_SECONDS_PER_ARC = 1e-5  # of a deal at least cost, with some reserve


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
) -> Result:
    """Few stars in seconds, for k-anonymity and l-diversity. No guarantee.

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
        both; stars, with weights and kept columns.
    time_limit
        Wall-clock seconds; the temperature falls with the time used.
    seed
        Of all choices; where the time limit does not strike, the same seed gives the
        same release.
    display
        Print a line to stderr at each improvement.
    initial
        A release to start from; it is never lost. Default: the search starts anew;
        that of ``lexicographic_suppression`` is offered before the pool is found.
    proposals
        Moves for each row type, where the time allows; infinite: until it is used up.
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
    heuristics.large_neighbourhood.large_neighbourhood :
        slower, and exact within each part.

    Notes
    -----
    Adult, 30,162 rows by 8 columns, k = 5: 31,803 stars after 5 seconds and 31,451
    after 8 (two shared cores), 2.7 % and 1.6 % above the certified bound 30,952.

    Examples
    --------
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> pattern_annealing(table, KAnonymity(2)).value
    4
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    expect_stars(objective)
    if math.isinf(proposals) and math.isinf(time_limit):
        raise ValueError("Expected a limit on proposals or on time, got neither.")
    l = least_diversity(requirement)
    if l > 1 and len(table.sensitive) > 1:
        raise NotSupportedError(
            f"Expected one sensitive column, got {len(table.sensitive)}."
        )
    run = Run(table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    run.offer(initial or Partition.coarsest(table, objective.keep))
    try:
        run.check_time()
        if pool is None:
            if initial is None:
                offer_sorted(run)
            limit = _PRICE_SHARE * run.remaining
            pool = pattern_pool(run, time_limit=limit, tolerance=1e-2, initial=initial)
        search = _Search(run, pool, seed, initial)
        search.anneal(proposals)
    except TimeoutError:
        return run.result(Limit.TIME)
    except KeyboardInterrupt:
        return run.result(Limit.INTERRUPTED)
    return run.result(Limit.TIME if run.remaining == 0 else Limit.ITERATIONS)


class _Search:
    """The state of the search, and the release it stands for."""

    def __init__(
        self, run: Run, pool: PatternPool, seed: int, initial: Partition | None
    ) -> None:
        self.run = run
        self.pool, self.types = pool, pool.types
        self.k, self.l = least_size(run.requirement), least_diversity(run.requirement)
        self.scale = max(self.k, self.l)
        useful = pool.patterns
        self.star = useful.star
        seed_moves(seed)
        loads = None
        if initial is not None:
            loads = loads_of(self.run.table, self.types, useful, initial)
        self._deal(loads)
        self._offer()

    def _deal(self, loads: Ints | None) -> None:
        """Begin at these copies by incidence, or else at a greedy deal."""
        patterns, values = self.pool.patterns, self.types.sensitive
        self.state = empty_state(
            patterns,
            values[:, 0] if self.l > 1 else np.zeros(len(self.types), np.int32),
            self.pool.prices / DENOMINATOR,
            self.k,
            self.l,
            most_nodes(patterns),
        )
        if loads is None:
            deal_greedily(self.state, self.types.counts)
        else:
            used = np.flatnonzero(loads)
            pattern = patterns.pattern[used].astype(np.int64)
            deal_loads(self.state, pattern, patterns.types[used], loads[used])
        settle(self.state)

    def anneal(self, proposals: float) -> None:
        """Propose moves until they or the time are used up."""
        run, total = self.run, proposals * len(self.types)
        done, began, limit = 0, run.elapsed, _ANNEALED * run.remaining
        while done < total and run.elapsed - began < limit and run.remaining > 0:
            share = max(done / total, (run.elapsed - began) / limit)
            temperature = self.star * (_HOT * self.scale * (1 - share) + _COLD)
            self._propose(temperature)
            done += _BATCH
        self._offer()
        before = None
        while self.l == 1 and run.value != before and self._deal_anew():
            before = run.value
            for _ in range(_BETWEEN):
                if run.remaining > 0:
                    self._propose(_COLD * self.star)
            self._offer()

    def _propose(self, temperature: float) -> None:
        anneal(self.state, _BATCH, temperature, self.star)
        settle(self.state)

    def _deal_anew(self) -> bool:
        """Deal the rows to the open patterns at least cost, if there is time."""
        patterns, state = self.pool.patterns, self.state
        is_open = np.zeros(len(patterns), bool)
        is_open[state.node_pattern[state.node_copies > 0]] = True
        arcs = np.count_nonzero(is_open[patterns.pattern])
        if self.run.remaining < arcs * _SECONDS_PER_ARC:
            return False
        loads = open_pattern_flow(patterns, is_open, self.k)
        if loads is not None:
            self._deal(loads)
        return loads is not None

    def _offer(self) -> None:
        self.run.offer(release_of(self.state, self.types))
