"""The state of an annealing, its moves, and the release it stands for."""

from typing import Any

import numpy as np

from starmin.heuristics.annealing.annealing_params import (
    ANNEALING_PARAMS,
    AnnealingParams,
)
from starmin.heuristics.annealing.annealing_state import State, empty_state
from starmin.heuristics.annealing.pattern_moves import anneal_batches, settle
from starmin.heuristics.annealing.row_moves import row_moves
from starmin.heuristics.annealing.start import (
    deal_greedily,
    deal_loads,
    most_nodes,
    note_loads,
    release_of,
    seed_moves,
)
from starmin.instances import Partition, Run
from starmin.instances.arrays import Ints
from starmin.instances.runs.work import spend
from starmin.models.pattern_program.decode import loads_of
from starmin.models.pattern_program.open_pattern_flow import open_pattern_flow
from starmin.models.pricing.pattern_pool import PatternPool

_PROPOSAL = 1  # units of work


class Annealer:
    """Rows dealt to open patterns, and random moves at a temperature.

    It goes by the patterns and prices of ``pool``, and begins at ``initial``, a
    release, where the pool has its patterns, or at ``loads``, copies by incidence of
    the pool; without them at a greedy deal. ``star`` is what temperatures are measured
    by; default: a star of the patterns of the pool. ``seed`` is of the moves of the
    thread that makes the annealer. ``proposals`` counts the moves that were proposed,
    and ``batch`` is how many are proposed at once.
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
        each = int(params.batch_per_type * len(self.types))
        self.batch = max(params.batch, each)
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
        patterns = self.pool.patterns
        loads = np.zeros(len(patterns.types), np.int64)
        note_loads(self.state, loads)
        return loads

    def begin_at(self, release: Partition) -> bool:
        """Go to another release; whether the pool has its patterns."""
        loads = self._loads(release)
        if loads is not None:
            self.deal(loads)
        return loads is not None

    def propose(self, heat: float, batches: int = 1) -> None:
        """Propose some batches of moves.

        ``heat`` is the temperature between the least, 0, and the greatest, 1.
        """
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
        return loads_of(run.table, run.objective, self.types, patterns, release)

    def deal(self, loads: Ints | None) -> None:
        """Go to these copies by incidence of the pool, or else to a greedy deal."""
        patterns, values = self.pool.patterns, self.types.sensitive
        self._moves_rows = False
        self.state = empty_state(
            patterns,
            values[:, 0] if self.l > 1 else np.zeros(len(self.types), np.int32),
            self.pool.worth,
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
        if self._row_moves is not None:
            self._labels = self._row_moves.empty_labels(self.state)
