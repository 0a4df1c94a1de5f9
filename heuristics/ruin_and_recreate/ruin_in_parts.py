"""Ruin and recreate on parts of a good release, side by side."""

import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.heuristics.ruin_and_recreate.ruin_and_recreate_params import (
    RUIN_PARAMS,
    RuinParams,
)
from starmin.heuristics.ruin_and_recreate.ruin_moves import anneal, seed_moves
from starmin.heuristics.ruin_and_recreate.ruin_search import Guide, RuinRows, guide_at
from starmin.instances import Partition, Run
from starmin.instances.arrays import Ints
from starmin.instances.runs.gate import clock
from starmin.instances.runs.stop import stopping


@dataclass(frozen=True)
class PartParams:
    """Constants that steer the search."""

    # hot, cold: first and last temperature, as a share of what k rows pay on average:
    # low, so that a good release is not lost
    hot: float = 0.03
    cold: float = 0.004
    neighbours: int = 30  # types that are listed for each type
    batch: int = 1_000  # moves between two looks at the clock
    # rounds, seconds: how often the release is cut anew, and the least seconds between
    # two cuts
    rounds: int = 12
    seconds: float = 1.0
    proposals: int = 50  # moves for each row, where the time is not limited
    moves: RuinParams = RUIN_PARAMS  # constants of the moves themselves


PART_PARAMS = PartParams()


class RuinInParts:
    """Improves a release by ruin and recreate with several threads. No guarantee.

    The groups are put in a line along which the rows are alike, in an order of the
    columns that is drawn anew, and the line is cut into as many parts as there are
    threads. Each thread improves the groups of its part
    (``starmin.heuristics.ruin_and_recreate.ruin_moves``), and then the release is cut
    anew. The temperature falls from one round to the next. It begins low: a release
    that was dived for is 4 to 8 % above the bound under l-diversity, which moves alone
    do not get to, and moves at high temperatures would lose.

    ``run`` is of k-anonymity or l-diversity of one column, has a release, and learns
    better ones. Moves go by ``prices``, of the row types with their sensitive values
    under diversity, in units of ``PriceUnit``.
    """

    def __init__(
        self,
        run: Run,
        seed: int,
        params: PartParams = PART_PARAMS,
        prices: Ints | None = None,
    ) -> None:
        self.run, self.params = run, params
        self.rng = np.random.default_rng(seed)
        self.problem = RuinRows.of(run, params.neighbours, self.rng)
        self._guide: Guide | None = None
        if prices is not None:
            self._guide = guide_at(
                *(run.table, self.problem.kinds_of(run), run.objective, prices),
                *(self.problem.k, self.problem.l, run.check_time),
            )

    def improve(self, executor: Executor, slots: int, seconds: float) -> None:
        """Search so many seconds; all proposals where they are not limited.

        The release is cut into ``slots`` parts. With no ``seconds`` left, nothing is
        done.
        """
        run, params = self.run, self.params
        assert run.best is not None
        if seconds <= 0:
            return
        began, release = run.elapsed, run.best
        total = params.proposals * run.table.n
        for number in range(params.rounds):
            spent = run.elapsed - began
            share = number / (params.rounds - 1)
            if math.isfinite(seconds):
                share = spent / seconds
            if share > 1 or run.closed or stopping():
                return
            left = params.rounds - number
            limit = max((seconds - spent) / left, params.seconds)
            moves = math.inf if math.isfinite(seconds) else total / params.rounds
            limit = min(limit, run.remaining)
            release = self._round(release, executor, slots, share, limit, moves)
            run.offer(release)

    def _round(
        self,
        release: Partition,
        executor: Executor,
        slots: int,
        share: float,
        seconds: float,
        moves: float,
    ) -> Partition:
        """Cut a release, move groups of its parts, and return what they make."""
        params = self.params
        heat = params.hot * (params.cold / params.hot) ** share
        groups = release.groups
        cut = self.problem.cut(groups, slots, self.rng)
        parts = [rows for rows in cut if len(rows)]
        end = clock() + seconds

        def goes_on(done: int) -> bool:
            return clock() < end and done < moves / slots and not stopping()

        searches = [
            executor.submit(self._improve, rows, groups[rows], seed, heat, goes_on)
            for rows, seed in zip(
                parts, self.rng.integers(2**31, size=len(parts)).tolist(), strict=True
            )
        ]
        labels = np.empty(len(groups), np.int64)
        first = 0
        for rows, search in zip(parts, searches, strict=True):
            labels[rows] = search.result() + first
            first = int(labels[rows].max()) + 1
        return Partition.from_labels(labels)

    def _improve(
        self,
        rows: Ints,
        groups: npt.NDArray[np.integer],
        seed: int,
        heat: float,
        goes_on: Callable[[int], bool],
    ) -> Ints:
        """Return groups of these rows, improved as long as it goes on."""
        problem, guide = self.problem.part(rows, self._guide)
        state = problem.state(Partition.from_labels(groups.astype(np.int64)), guide)
        heat *= problem.k * float(state.size @ state.cost) / len(rows)
        seed_moves(seed)
        done = 0
        while goes_on(done):
            anneal(state, self.params.batch, heat, self.params.moves)
            done += self.params.batch
        return Partition.from_labels(state.group.astype(np.int64)).groups.astype(
            np.int64
        )
