"""Simulated annealing on the set of open patterns: few stars in seconds.

``Annealer`` is the state of an annealing, its moves, and the release it stands for.
"""

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from starmin.heuristics.annealing import PATTERN_ANNEALING
from starmin.heuristics.annealing.annealing_schedule import (
    ANNEALING_PARAMS,
    AnnealingParams,
    seed_moves,
)
from starmin.heuristics.annealing.annealing_state import State
from starmin.heuristics.annealing.chain_moves import move_along_chains
from starmin.heuristics.annealing.left_over import empty_labels as empty_chains
from starmin.heuristics.annealing.path_moves import empty_labels as empty_paths
from starmin.heuristics.annealing.path_moves import move_along_paths
from starmin.heuristics.annealing.pattern_moves import anneal_batches
from starmin.heuristics.annealing.start import loads_in, release_of, state_of
from starmin.heuristics.orders.suppression import offer_sorted
from starmin.instances import (
    STARS,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Ints
from starmin.instances.problem import expect_one_sensitive
from starmin.instances.runs.checkpoint import begin_at
from starmin.instances.runs.search_control import clock, spend
from starmin.models.pattern_program.pattern_program import loads_of, open_pattern_flow
from starmin.models.patterns.coarse_losses import run_with_prices
from starmin.models.patterns.patterns import expect_no_tuples
from starmin.models.pricing.pool_sources import PatternPool, pattern_pool


@dataclass(frozen=True)
class RowMoves:
    """Moves of rows that take the place of opening patterns in an annealing."""

    # makes the labels of their searches for a state
    empty_labels: Callable[[State], Any]
    # makes so many moves at a temperature: of a state, its labels, the moves, the
    # temperature and the mean cost of a star
    move: Callable[[State, Any, int, float, float], None]
    begin: float  # the heat from which on they are all there is
    hot: float  # their temperature at that heat, in stars; it falls to 0 with the heat

    def temperature(self, heat: float) -> float:
        """Return the temperature at a heat, in stars."""
        return self.hot * min(1.0, heat / self.begin)


def row_moves(k: int, l: int, params: AnnealingParams) -> RowMoves | None:
    """Return the moves of rows for k and l, 1 where not asked; None: there are none."""
    if l > 1:
        return None
    by_k = {
        2: RowMoves(empty_paths, move_along_paths, 1.0, params.path_hot),
        3: RowMoves(
            empty_chains, move_along_chains, params.chain_begin, params.chain_hot
        ),
    }
    return by_k.get(k)


_PROPOSAL = 1  # units of work


class Annealer:
    """Rows dealt to open patterns, and random moves at a temperature.

    It goes by the patterns and prices of ``pool``, and begins at ``initial``, a
    release, where the pool has its patterns, or at ``loads``, copies by incidence of
    the pool; without them at a greedy deal. Temperatures are measured by ``star``;
    default: a star of the patterns. ``seed`` is of the thread that makes the annealer,
    ``proposals`` counts moves, and ``batch`` are proposed at once.
    """

    def __init__(
        self,
        run: Run,
        pool: PatternPool,
        seed: int,
        initial: Partition | None = None,
        params: AnnealingParams = ANNEALING_PARAMS,
        loads: Ints | None = None,
        star: float | None = None,
    ) -> None:
        self.params, self.pool, self.types = params, pool, pool.types
        self.k, self.l = run.requirement.core.size, run.requirement.core.diversity
        self.proposals = 0
        self.batch = max(params.batch, int(params.batch_per_type * len(self.types)))
        self._run = run
        self._scale, self._star = max(self.k, self.l), star or pool.patterns.star
        seed_moves(seed)
        if initial is not None:
            loads = self._loads(initial)
        self._row_moves = row_moves(self.k, self.l, params)
        self.state: State
        self._moves_rows: bool
        self._labels: Any
        self.deal(loads)
        self._begun = loads is not None

    @property
    def cost(self) -> int:
        """What the release costs, in the unit of the costs of patterns."""
        return int(self.state.held.load[:-1] @ self.state.patterns.cost)

    @property
    def annealed(self) -> bool:
        """Whether it began at a release, or has proposed moves."""
        return self._begun or self.proposals > 0

    def release(self) -> Partition:
        """Return the release."""
        return release_of(self.state, self.types)

    def loads(self) -> Ints:
        """Return the release as copies by incidence of the pool."""
        return loads_in(self.state, self.pool.patterns)

    def begin_at(self, release: Partition) -> bool:
        """Go to another release; whether the pool has its patterns."""
        loads = self._loads(release)
        if loads is not None:
            self.deal(loads)
        return loads is not None

    def propose(self, heat: float, batches: int = 1) -> None:
        """Propose batches of moves; ``heat`` is from 0, the least temperature, to 1."""
        params = self.params
        self.proposals += batches * self.batch
        spend(_PROPOSAL * batches * self.batch)
        rows = self._row_moves
        if rows is not None and (self._moves_rows or heat <= rows.begin):
            self._moves_rows = True
            moves = max(1, batches * self.batch // params.path_worth)
            temperature = self._star * rows.temperature(heat)
            rows.move(self.state, self._labels, moves, temperature, self._star)
            return
        temperature = self._star * (params.hot * self._scale * heat + params.cold)
        anneal_batches(self.state, batches, self.batch, temperature)

    def deal_anew(self, seconds: float) -> bool:
        """Deal the rows to the open patterns at least cost, if there is time."""
        patterns, state = self.pool.patterns, self.state
        is_open = np.zeros(len(patterns), bool)
        is_open[state.nodes.group[state.nodes.copies > 0]] = True
        arcs = np.count_nonzero(is_open[patterns.pattern])
        if seconds < arcs * self.params.seconds_per_arc:
            return False
        loads = open_pattern_flow(patterns, is_open, self.k)
        if loads is not None:
            self.deal(loads)
        return loads is not None

    def _loads(self, release: Partition) -> Ints | None:
        run, patterns = self._run, self.pool.patterns
        return loads_of(run.table, run.objective, patterns, release)

    def deal(self, loads: Ints | None) -> None:
        """Go to these copies by incidence of the pool, or else to a greedy deal."""
        self._moves_rows = False
        self.state = state_of(self.pool, self.k, self.l, loads, self.params.moves)
        if self._row_moves is not None:
            self._labels = self._row_moves.empty_labels(self.state)


class AnnealingRounds:
    """Anneals round after round, so that a good release is there at any time.

    The first round begins at a greedy deal, hot, or at ``initial``, a release that such
    a search has found before, where ``pool`` has its patterns. Each further one begins
    at the best release that a round has found, ``best``, less hot, and ends cold. A
    better release of another search is no place to begin: its groups would have to be
    broken up first, for which a further round is not hot enough. What is found does not
    depend on how long the search will go on.

    The time of ``run`` ends the rounds. Each thread and each round has a seed of its
    own, from ``seed`` on.
    """

    def __init__(
        self, run: Run, pool: PatternPool, seed: int, initial: Partition | None = None
    ) -> None:
        self.run, self.pool, self.params = run, pool, ANNEALING_PARAMS
        self._initial = initial
        self._seed = seed
        self._annealers: list[Annealer] = []
        self._least = math.inf  # cost of the best release that a round has found
        self.best: Partition | None = None

    @property
    def proposals(self) -> int:
        """How many moves were proposed, in the thread that proposed most."""
        return max((each.proposals for each in self._annealers), default=0)

    def anneal(
        self,
        seconds: float,
        threads: Executor,
        count: int = 1,
        proposals: float = math.inf,
    ) -> list[Partition]:
        """Anneal once, offer what each thread has found, and return these releases.

        ``count`` threads anneal at a time, with ``proposals`` moves each at most.
        """
        end = clock() + min(seconds, self.run.remaining)
        while len(self._annealers) < count:
            self._annealers.append(
                Annealer(self.run, self.pool, self._seed, self._initial)
            )
        self._seed += count
        futures = [
            threads.submit(self._anneal, n, end, self._seed + n, proposals)
            for n in range(count)
        ]
        found = [future.result() for future in futures]
        for annealer, release in zip(self._annealers, found, strict=False):
            if annealer.cost < self._least:
                self._least, self.best = annealer.cost, release
            self.run.offer(release)
        return found

    def _anneal(self, n: int, end: float, seed: int, proposals: float) -> Partition:
        """Cool one annealer down until the end; return its release."""
        run, annealer = self.run, self._annealers[n]
        hot = self.params.reheat if self._begin(annealer) else 1.0
        seed_moves(seed)
        batches = self.params.batches_at_once
        began, before = clock(), annealer.proposals
        while run.remaining > 0:
            past = (clock() - began) / max(end - began, 1e-9)
            past = max(past, (annealer.proposals - before) / proposals)
            if past >= 1:
                break
            annealer.propose(hot * (1 - past), batches)
        return annealer.release()

    def _begin(self, annealer: Annealer) -> bool:
        """Go to the best release of a round, if better; whether to be less hot."""
        if annealer.annealed and self.best is not None and annealer.cost > self._least:
            annealer.begin_at(self.best)
        return annealer.annealed


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
    if requirement.core.diversity > 1 and table.sensitive:
        expect_one_sensitive(table)
    whole = Run(table, requirement, objective, time_limit, display, PATTERN_ANNEALING)

    def search() -> Limit:
        begin_at(whole, initial)
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
