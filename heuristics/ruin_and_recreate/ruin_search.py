"""The search of ruin and recreate: one state, or parts of it in several threads."""

import math
import time
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from starmin.heuristics.ruin_and_recreate.group_state import GroupState
from starmin.heuristics.ruin_and_recreate.guide import Guide, guide_at
from starmin.heuristics.ruin_and_recreate.ruin_and_recreate_params import (
    RuinAndRecreateParams,
)
from starmin.heuristics.ruin_and_recreate.ruin_moves import anneal, seed_moves
from starmin.heuristics.ruin_and_recreate.ruin_rows import RuinRows, guided
from starmin.instances import Partition, Run
from starmin.instances.arrays import Ints


@dataclass
class Assistance:
    """What others tell the search while it runs, from their own threads.

    Attributes
    ----------
    prices
        Of the row types by QI, in units of ``PriceUnit``; None: not known yet.
    threads
        In how many threads it may search.
    is_over
        Whether it is to end.
    """

    prices: Ints | None = None
    threads: int = 1
    is_over: bool = False

    def take_prices(self, prices: Ints) -> None:
        """Take prices that are better than those before."""
        self.prices = prices


class RuinSearch:
    """Groups that are broken up and built anew, while the temperature falls.

    Where several threads may search, the groups are cut into as many parts, anew in
    each round, so that no border between parts lasts.

    Parameters
    ----------
    run
        The problem, with a release; it learns better ones.
    proposals
        Moves for each row, at most.
    seed
        Of all choices.
    params
        Constants that steer the search.
    assistance
        What becomes known while it runs.
    """

    def __init__(
        self,
        run: Run,
        proposals: float,
        seed: int,
        params: RuinAndRecreateParams,
        assistance: Assistance,
    ) -> None:
        self.run, self.params, self.assistance = run, params, assistance
        self.rng = np.random.default_rng(seed)
        self.problem = RuinRows.of(run, params.neighbours, self.rng)
        assert run.best is not None
        self._state: GroupState | None = self.problem.state(run.best, None)
        seed_moves(seed)
        self._groups = self._state.group
        cost = float(self._state.size @ self._state.cost)
        self._unit = self.problem.k * cost / run.table.n
        self._proposals, self._total = proposals, proposals * run.table.n
        self._done, self._began, self._limit = 0, run.elapsed, run.remaining
        self._planned = proposals if math.isinf(run.remaining) else 0.0
        self._prices: Ints | None = None
        self._guide: Guide | None = None
        self._guide_again = 0.0
        self._round = min(params.round, run.remaining / params.rounds)

    def cool(self, threads: Executor) -> None:
        """Propose moves until they or the time are used up; offer what is found."""
        run, offered = self.run, 0.0
        try:
            while self._goes_on():
                share = self._share(self._done)
                if share * self.params.offers >= offered + 1:
                    run.offer(Partition.from_labels(self._groups))
                    offered = share * self.params.offers
                self._take_prices()
                parts = self._parts()
                if parts == 1:
                    self._search_whole()
                else:
                    self._search_parts(parts, threads)
        finally:
            run.offer(Partition.from_labels(self._groups))

    def _goes_on(self) -> bool:
        run = self.run
        is_over = run.closed or self.assistance.is_over
        return self._done < self._total and run.remaining > 0 and not is_over

    def _share(self, done: float) -> float:
        """Return the share of the moves or of the time that is used up."""
        return max(done / self._total, (self.run.elapsed - self._began) / self._limit)

    def _temperature(self, done: float) -> float:
        params = self.params
        hot = params.hot if self._guide is None else params.hot_guided
        past = min(1.0, self._share(done))
        falling = float((params.cold / hot) ** past)
        return self._unit * min(1.0, self._planned / params.calm) * hot * falling

    def _parts(self) -> int:
        rows = len(self._groups) // (self.problem.k * self.params.least_groups)
        return max(1, min(self.assistance.threads, rows))

    def _take_prices(self) -> None:
        """Go by the prices that are known by now, if it is time for that."""
        prices, run = self.assistance.prices, self.run
        if prices is None or prices is self._prices or self.problem.l > 1:
            return
        if run.elapsed < self._guide_again:
            return
        began, table = run.elapsed, run.table
        problem = table, table.row_types, run.objective, prices, self.problem.k
        self._guide, self._prices = guide_at(*problem, 1, self._check), prices
        self._guide_again = run.elapsed + (run.elapsed - began) / self.params.overhead
        if self._state is not None:
            self._state = guided(self._state, self._guide)

    def _check(self) -> None:
        if self.assistance.is_over:
            raise TimeoutError
        self.run.check_time()

    def _search_whole(self) -> None:
        """Search in this thread for a round."""
        if self._state is None:
            release = Partition.from_labels(self._groups)
            self._state = self.problem.state(release, self._guide)
        state, run, batch = self._state, self.run, self.params.batch
        self._groups, end = state.group, run.elapsed + self._round
        while self._goes_on() and run.elapsed < end:
            began = run.elapsed
            anneal(state, batch, self._temperature(self._done), self.params.moves)
            self._done += batch
            # The first moves may have to be loaded; those after them tell the speed.
            if self._done == 2 * batch and math.isfinite(self._limit):
                rate = batch / max(run.elapsed - began, 1e-9)
                planned = rate * self._limit / run.table.n
                self._planned = min(self._proposals, planned)

    def _search_parts(self, parts: int, threads: Executor) -> None:
        """Search parts for a round, and put them together again."""
        began, self._state = time.perf_counter(), None
        cut = self.problem.cut(self._groups, parts, self.rng)
        states = []
        for rows in cut:
            problem, guide = self.problem.part(rows, self._guide)
            release = Partition.from_labels(self._groups[rows])
            states.append(problem.state(release, guide))
        took = time.perf_counter() - began
        self._round = max(self._round, took / self.params.overhead)
        seeds = self.rng.integers(2**31, size=parts).tolist()
        end = self.run.elapsed + self._round
        futures = [
            threads.submit(self._cool_part, state, seed, parts, end)
            for state, seed in zip(states, seeds, strict=True)
        ]
        groups, first = np.empty_like(self._groups), 0
        for rows, state, future in zip(cut, states, futures, strict=True):
            self._done += future.result()
            groups[rows] = state.group + first
            first += len(state.size)
        self._groups = groups

    def _cool_part(self, state: GroupState, seed: int, parts: int, end: float) -> int:
        """Search one part until the end of the round; return how many moves it took."""
        seed_moves(seed)
        before, own, batch = self._done, 0, self.params.batch
        most = min(self._total, before + self._total / self.params.rounds)
        while self.run.remaining > 0 and self.run.elapsed < end:
            done = before + own * parts
            if done >= most:
                break
            anneal(state, batch, self._temperature(done), self.params.moves)
            own += batch
        return own
