"""The search for losses by generalization, under any requirement."""

import numpy as np

from starmin.heuristics.acceptance.metropolis import most_increase
from starmin.heuristics.clustering.cluster_groups import (
    NONE,
    GroupLabels,
    cost_after,
    size_of,
)
from starmin.heuristics.local_search.local_search_params import LocalSearchParams
from starmin.heuristics.local_search.rebuilding import (
    Moves,
    near_group,
    neighbours_of,
    rebuild,
    room_for,
)
from starmin.instances import Partition, Run
from starmin.instances.loops.compiled import compiled, inner

# Moves of the local search for losses, drawn at random: rows move, are swapped, and
# groups near to one another are built anew.


@compiled
def propose_ranges(
    m: Moves, proposals: int, temperature: float, rng: np.random.Generator
) -> tuple[int, int]:
    """Propose moves, no two of which share a group; list those that cost little.

    ``m`` has the groups, none of which is locked, and room for changes: both are
    written. ``temperature`` is the mean increase in cost that is accepted, in the unit
    of costs. Returns how many rows, and how many changes, there are.
    """
    s, locked = m.groups, m.locked
    groups = len(s.row_cost)
    used, changes, made = 0, 0, groups
    for _ in range(proposals):
        row = np.int64(rng.random() * len(s.group))
        g = s.group[row]
        if locked[g] or s.row_cost[g] == 0:
            continue
        allowed = most_increase(temperature, rng.random())
        draw, begin = rng.random(), used
        if draw < m.params.moved:
            used = _move(m, row, allowed, rng, used)
        elif draw < m.params.moved + m.params.swapped:
            used = _swap(m, row, allowed, rng, used)
        else:
            used, made = rebuild(m, row, allowed, rng, used, made)
        if used > begin:
            for i in range(begin, used):
                locked[s.group[m.found[i]]] = True
                if m.labels[i] < groups:
                    locked[m.labels[i]] = True
                m.of[i] = changes
            changes += 1
    return used, changes


@inner
def _move(
    m: Moves, row: int, allowed: float, rng: np.random.Generator, used: int
) -> int:
    """Move a row to a near group."""
    s = m.groups
    g = s.group[row]
    own = size_of(s, g)
    h = near_group(s, m.neighbours, row, m.locked, rng)
    if own <= max(1, m.least) or h == NONE:
        return used
    size = size_of(s, h)
    after = (own - 1) * cost_after(s, g, row, NONE)
    after += (size + 1) * cost_after(s, h, NONE, row)
    if after - own * s.row_cost[g] - size * s.row_cost[h] > allowed:
        return used
    m.found[used], m.labels[used] = row, h
    return used + 1


@inner
def _swap(
    m: Moves, row: int, allowed: float, rng: np.random.Generator, used: int
) -> int:
    """Swap a row with one of a near group that the requirement cannot tell from it."""
    s = m.groups
    g = s.group[row]
    h = near_group(s, m.neighbours, row, m.locked, rng)
    if h == NONE:
        return used
    own, other, best = size_of(s, g), size_of(s, h), NONE
    most = own * s.row_cost[g] + other * s.row_cost[h] + allowed
    for _ in range(m.params.tries):
        back = s.members[s.starts[h] + np.int64(rng.random() * other)]
        if s.twin[back] != s.twin[row]:
            continue
        after = own * cost_after(s, g, row, back) + other * cost_after(s, h, back, row)
        if after <= most:
            best, most = back, after
    if best == NONE:
        return used
    m.found[used], m.labels[used] = row, h
    m.found[used + 1], m.labels[used + 1] = best, g
    return used + 2


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
        scales, losses, near = self.labels.scales, self.labels.losses, params.neighbours
        self.neighbours = neighbours_of(table, scales, losses, near, self.rng, run)
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
