"""The search of ruin and recreate: one state, or parts of it in several threads."""

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from starmin.heuristics.annealing.annealing_schedule import seed_moves
from starmin.heuristics.ruin_and_recreate.group_state import GroupState, group_state
from starmin.heuristics.ruin_and_recreate.ruin_moves import (
    RuinAndRecreateParams,
    anneal,
)
from starmin.heuristics.ruin_and_recreate.ruin_rows import NO_GUIDE, Guide, RuinRows
from starmin.instances import Partition, Run
from starmin.instances.arrays import Ints
from starmin.instances.runs.cores import idle_cores
from starmin.instances.runs.search_control import clock

_LOOK = 0.02  # Seconds between two looks at the clock: fewer moves where they are slow.
_APART = 0.2  # Seconds between two offers, at least.
_LONGER = 2.0  # than the cycle before
_LAST = 4.0  # times its length: with less left, a cycle is the last one


@dataclass
class Assistance:
    """What others tell the search while it runs, from their own threads."""

    # of the row types by QI, in units of ``PriceUnit``; None: not known yet
    prices: Ints | None = None
    # in how many threads it may search; None: at all cores that are idle
    threads: int | None = None
    is_over: bool = False  # whether it is to end

    def take_prices(self, prices: Ints) -> None:
        """Take prices that are better than those before."""
        self.prices = prices


Parts = list[tuple[npt.NDArray[np.intp], GroupState]]  # rows, and their groups


def cut_in_parts(
    problem: RuinRows,
    guide: Guide,
    groups: npt.NDArray[np.integer],
    parts: int,
    rng: np.random.Generator,
) -> Parts:
    """Cut the groups of all rows in parts, each to be searched by itself."""
    found = []
    for rows in problem.cut(groups, parts, rng):
        if len(rows):
            own, told = problem.part(rows, guide)
            release = Partition.from_labels(groups[rows])
            found.append((rows, group_state(own, release, told)))
    return found


def search_parts(
    parts: Parts,
    rng: np.random.Generator,
    threads: Executor,
    search: Callable[[GroupState], int],
) -> tuple[Ints, int]:
    """Search parts in threads, each with a seed; return labels of all rows, and moves.

    ``search`` returns how many moves it took.
    """

    def begin(state: GroupState, seed: int) -> int:
        seed_moves(seed)
        return search(state)

    seeds = rng.integers(2**31, size=len(parts)).tolist()
    calls = [
        threads.submit(begin, state, seed)
        for (_, state), seed in zip(parts, seeds, strict=True)
    ]
    labels = np.empty(sum(len(rows) for rows, _ in parts), np.int64)
    first, moves = 0, 0
    for (rows, state), call in zip(parts, calls, strict=True):
        moves += call.result()
        labels[rows] = state.group + first
        first += len(state.size)
    return labels, moves


class RuinSearch:
    """Groups that are broken up and built anew, while the temperature falls.

    Where several threads may search, the groups are cut into as many parts, anew in
    each round, so that no border between parts lasts.

    ``run`` has a release; each row has ``proposals`` moves at most. ``assistance`` is
    what becomes known while it runs. ``cycle`` is the seconds after which it is cold
    for the first time; it then begins anew, twice as long each time. None: it cools
    down once.
    """

    def __init__(
        self,
        run: Run,
        proposals: float,
        seed: int,
        params: RuinAndRecreateParams,
        assistance: Assistance,
        cycle: float | None = None,
    ) -> None:
        self.run, self.params, self.assistance = run, params, assistance
        self.rng = np.random.default_rng(seed)
        self.problem = RuinRows.of(run, params.neighbours, self.rng)
        self._state: GroupState | None = group_state(self.problem, run.release)
        seed_moves(seed)
        self._groups = self._state.group
        cost = float(self._state.size @ self._state.cost)
        self._unit = self.problem.k * cost / run.table.n
        self._proposals, self._total = proposals, proposals * run.table.n
        self._done, self._began = 0, run.elapsed
        self._cycle = math.inf if cycle is None else cycle
        self._limit = self._length()
        self._planned = proposals if math.isinf(self._limit) else 0.0
        self._rate, self._batch = 0.0, 1
        self._prices: Ints | None = None
        self._guide = NO_GUIDE
        self._round = min(params.round, run.remaining / params.rounds)

    def cool(self, threads: Executor) -> None:
        """Propose moves until they or the time are used up; offer what is found."""
        run, offered = self.run, 0.0
        try:
            while self._goes_on():
                share = self._share(self._done)
                if share >= 1:
                    self._warm()
                    offered = share = 0.0
                offers = min(self.params.offers, self._limit / _APART)
                if share * offers >= offered + 1:
                    run.offer(Partition.from_labels(self._groups))
                    offered = share * offers
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

    def _length(self) -> float:
        """Return how long the next cycle is: all that is left where that is short."""
        left = max(self.run.remaining, 1e-9)
        return left if left < _LAST * self._cycle else self._cycle

    def _warm(self) -> None:
        """Begin a cycle, from the best release of all who search."""
        run = self.run
        run.offer(Partition.from_labels(self._groups))
        run.hear()
        self._state, self._groups = None, run.release.groups.astype(np.int64)
        self._cycle *= _LONGER
        self._began, self._limit = run.elapsed, self._length()
        self._plan()

    def _plan(self) -> None:
        """Note how many moves there are for each row in a cycle."""
        planned = self._rate * self._limit / self.run.table.n
        self._planned = min(self._proposals, planned)

    def _share(self, done: float) -> float:
        """Return the share of the moves or of the time that is used up."""
        return max(done / self._total, (self.run.elapsed - self._began) / self._limit)

    def _temperature(self, done: float) -> float:
        params = self.params
        hot = params.hot if self._guide is NO_GUIDE else params.hot_guided
        past = min(1.0, self._share(done))
        falling = float((params.cold / hot) ** past)
        return self._unit * min(1.0, self._planned / params.calm) * hot * falling

    def _parts(self) -> int:
        """Return in how many parts to search: in one until the speed is known."""
        most = self.assistance.threads
        most = 1 + idle_cores() if most is None else most
        rows = len(self._groups) // (self.problem.k * self.params.least_groups)
        return max(1, min(most, rows)) if self._rate else 1

    def _take_prices(self) -> None:
        """Go by the prices that are known by now, if it is time for that."""
        prices, run = self.assistance.prices, self.run
        if prices is None or prices is self._prices or self.problem.l > 1:
            return
        self._guide, self._prices = self.problem.guide(run, prices), prices
        if self._state is not None:
            self._state = self._state._replace(guide=self._guide)

    def _search_whole(self) -> None:
        """Search in this thread for a round."""
        if self._state is None:
            release = Partition.from_labels(self._groups)
            self._state = group_state(self.problem, release, self._guide)
        state, run = self._state, self.run
        self._groups, end = state.group, run.elapsed + self._round
        while self._goes_on() and run.elapsed < end:
            began, batch = run.elapsed, self._batch
            anneal(state, batch, self._temperature(self._done), self.params.moves)
            self._done += batch
            took = max(run.elapsed - began, 1e-9)
            # The first moves may have to be loaded; those after them tell the speed.
            if self._done > 1 and self._batch < self.params.batch and took < _LOOK:
                self._batch = min(self.params.batch, 4 * batch)
                self._rate = batch / took
                if math.isfinite(self._limit):
                    self._plan()

    def _search_parts(self, parts: int, threads: Executor) -> None:
        """Search parts for a round, and put them together again."""
        began, self._state = clock(), None
        cut = cut_in_parts(self.problem, self._guide, self._groups, parts, self.rng)
        took = clock() - began
        self._round = max(self._round, took / self.params.overhead)
        end = self.run.elapsed + self._round
        cool = partial(self._cool_part, parts, end)
        self._groups, moves = search_parts(cut, self.rng, threads, cool)
        self._done += moves

    def _cool_part(self, parts: int, end: float, state: GroupState) -> int:
        """Search one part until the end of the round; return how many moves it took."""
        before, own, batch = self._done, 0, self._batch
        most = min(self._total, before + self._total / self.params.rounds)
        while self.run.remaining > 0 and self.run.elapsed < end:
            done = before + own * parts
            if done >= most:
                break
            anneal(state, batch, self._temperature(done), self.params.moves)
            own += batch
        return own
