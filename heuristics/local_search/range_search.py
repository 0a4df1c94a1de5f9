"""The search for losses by generalization, under any requirement."""

import numpy as np

from starmin.heuristics.clustering.group_labels import GroupLabels
from starmin.heuristics.local_search.local_search_params import LocalSearchParams
from starmin.heuristics.local_search.near_groups import neighbours_of
from starmin.heuristics.local_search.range_moves import propose_ranges
from starmin.heuristics.local_search.rebuilding import Moves, room_for
from starmin.instances import Partition, Run


class RangeSearch:
    """The groups of the search, and the best that were found.

    Moves are proposed on the groups as they are, no two of which share a group; those
    that the requirement allows are made. The run has a release; ``proposals`` moves are
    tried for each row type. Temperatures are multiples of ``unit``, ``tried`` moves of
    ``most`` were tried, and ``best`` is the least cost found.
    """

    def __init__(
        self, run: Run, seed: int, proposals: int, params: LocalSearchParams
    ) -> None:
        assert run.best is not None
        self.run, self.params, table = run, params, run.table
        self.rng = np.random.default_rng(seed)
        self.labels = GroupLabels(run, run.best)
        self.neighbours = neighbours_of(
            table, self.labels.scales, self.labels.losses, params.neighbours, self.rng
        )
        self.room = room_for(params.largest, table.d)
        self.most, self.tried = proposals * len(table.row_types), 0
        self.state = self.labels.state()
        self.best = self._value()
        self.held: Partition | None = None
        self.next_offer = 0.0
        least = min(max(self.labels.least, 1), table.n / len(self.state.row_cost))
        self.unit = least * self.best / table.n

    def _value(self) -> float:
        return float(np.diff(self.state.starts) @ self.state.row_cost)

    def step(self, temperature: float) -> None:
        """Propose some moves, and offer what they led to where it is time to."""
        found = np.empty((3, self.run.table.n + 1), np.int64)
        groups = len(self.state.row_cost)
        proposals = max(self.params.range_batch, groups // 8)
        moves = Moves(
            *(self.state, self.neighbours, self.room, self.labels.least),
            *(self.params.range_moves, np.zeros(groups, np.bool_), *found),
        )
        used, changes = propose_ranges(moves, proposals, temperature, self.rng)
        self.tried += proposals
        self.run.stats["proposals"] = self.tried
        if not self.labels.allow(found[:, :used], changes):
            return
        self.state = self.labels.state()
        value = self._value()
        if value < self.best * (1 - 1e-12):
            self.best, self.held = value, self.labels.partition()
            if self.run.elapsed >= self.next_offer:
                self.offer()

    def offer(self) -> None:
        """Offer the best that was found."""
        began = self.run.elapsed
        if self.held is not None:
            self.run.offer(self.held)
            self.held = None
        now = self.run.elapsed
        self.next_offer = now + self.params.between * (now - began)
