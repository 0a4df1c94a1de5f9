"""Simulated annealing on the set of open patterns: few stars in seconds."""

import math
from dataclasses import dataclass

import numpy as np

from heuristics.annealing import PATTERN_ANNEALING
from heuristics.annealing.move_params import MOVE_PARAMS, MoveParams
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
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    least_diversity,
    least_size,
)
from models.patterns.decode import loads_of
from models.patterns.open_pattern_flow import open_pattern_flow
from models.patterns.patterns import expect_losses
from models.patterns.unit import DENOMINATOR
from models.pricing.pattern_pool import PatternPool, pattern_pool


@dataclass(frozen=True)
class AnnealingParams:
    """Constants that steer the annealing.

    Attributes
    ----------
    price_share
        Share of the time for the prices of the Lagrangian bound.
    anneal_share
        Share of what is left then after which the temperature has reached its least.
    hot, cold
        The temperature, in mean prices of a star: ``hot`` times the size of a group,
        which falls to 0, and ``cold``, which stays.
    batch
        Proposals between two looks at the clock.
    batches_between
        Batches at the least temperature between two deals of all rows at least cost.
    seconds_per_arc
        Time that such a deal is expected to take, by pair of an open pattern and a row
        type that fits it; it is left out where less time remains.
    moves
        Constants of the moves themselves.
    """

    price_share: float = 0.25
    anneal_share: float = 0.85
    hot: float = 0.3
    cold: float = 0.02
    batch: int = 500
    batches_between: int = 20
    seconds_per_arc: float = 1e-5
    moves: MoveParams = MOVE_PARAMS


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
    params: AnnealingParams = AnnealingParams(),
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
        both; stars or gcp, with weights and kept columns.
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
    params
        Constants that steer the search.

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
    >>> from instances import KAnonymity
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> pattern_annealing(table, KAnonymity(2)).value
    4
    """
    expect_losses(objective, table)
    if math.isinf(proposals) and math.isinf(time_limit):
        raise ValueError("Expected a limit on proposals or on time, got neither.")
    if least_diversity(requirement) > 1 and len(table.sensitive) > 1:
        raise NotSupportedError(
            f"Expected one sensitive column, got {len(table.sensitive)}."
        )
    run = Run(table, requirement, objective, time_limit, display, PATTERN_ANNEALING)

    def search() -> Limit:
        run.offer(initial or Partition.coarsest(table, objective))
        run.check_time()
        useful = pool or _priced_pool(run, initial, params)
        _Search(run, useful, seed, initial, params).anneal(proposals)
        return Limit.TIME if run.remaining == 0 else Limit.ITERATIONS

    return run.carry_out(search)


def _priced_pool(
    run: Run, initial: Partition | None, params: AnnealingParams
) -> PatternPool:
    """Find prices, and the patterns that a cheap release can have at them."""
    if initial is None:
        offer_sorted(run)
    limit = params.price_share * run.remaining
    return pattern_pool(run, time_limit=limit, tolerance=1e-2, initial=initial)


class _Search:
    """The state of the search, and the release it stands for."""

    def __init__(
        self,
        run: Run,
        pool: PatternPool,
        seed: int,
        initial: Partition | None,
        params: AnnealingParams,
    ) -> None:
        self.run, self.params = run, params
        self.pool, self.types = pool, pool.types
        self.k, self.l = least_size(run.requirement), least_diversity(run.requirement)
        self.scale = max(self.k, self.l)
        useful = pool.patterns
        self.star = useful.star
        seed_moves(seed)
        loads = None
        if initial is not None:
            loads = loads_of(
                self.run.table, self.run.objective, self.types, useful, initial
            )
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
            self.params.moves,
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
        done, began, limit = 0, run.elapsed, self.params.anneal_share * run.remaining
        while done < total and run.elapsed - began < limit and run.remaining > 0:
            share = max(done / total, (run.elapsed - began) / limit)
            temperature = self.star * (
                self.params.hot * self.scale * (1 - share) + self.params.cold
            )
            self._propose(temperature)
            done += self.params.batch
        self._offer()
        before = None
        while self.l == 1 and run.value != before and self._deal_anew():
            before = run.value
            for _ in range(self.params.batches_between):
                if run.remaining > 0:
                    self._propose(self.params.cold * self.star)
            self._offer()

    def _propose(self, temperature: float) -> None:
        anneal(self.state, self.params.batch, temperature, self.star)
        settle(self.state)

    def _deal_anew(self) -> bool:
        """Deal the rows to the open patterns at least cost, if there is time."""
        patterns, state = self.pool.patterns, self.state
        is_open = np.zeros(len(patterns), bool)
        is_open[state.node_pattern[state.node_copies > 0]] = True
        arcs = np.count_nonzero(is_open[patterns.pattern])
        if self.run.remaining < arcs * self.params.seconds_per_arc:
            return False
        loads = open_pattern_flow(patterns, is_open, self.k)
        if loads is not None:
            self._deal(loads)
        return loads is not None

    def _offer(self) -> None:
        self.run.offer(release_of(self.state, self.types))
