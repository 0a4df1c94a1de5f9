"""Match rows of two sensitive values by row types: arcs, flow, prices as proofs."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from ortools.graph.python import min_cost_flow

from starmin.instances import (
    NotSupportedError,
    Objective,
    RowTypes,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Indices, Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.bounds.pattern_ranges import agreeing
from starmin.models.patterns.closed_listing import MAX_COLUMNS, closed_patterns
from starmin.models.patterns.patterns import Sought

# Matching rows of two sensitive values by row types: arcs and flow.

MAX_ARCS = 10_000_000
FAR = np.int64(1) << 55  # The distance of rows that must not be matched.


@dataclass(frozen=True, eq=False)
class Arcs:
    """Ways from types of the first value to types of the second.

    Nodes 0, 1, .. are the types with an excess, then come patterns, if any. The cost
    is that of a pair, charged on the way out of the first type.
    """

    tail: Int32s
    head: Int32s
    cost: Ints
    nodes: int


@dataclass(frozen=True, eq=False)
class Surplus:
    """Row types by QI, with how many rows of the first value are in excess.

    Rows that agree on all QI columns are matched with each other first. No optimum is
    lost: where r and r' agree, ``dist(a, r') + dist(r, b) >= dist(a, b)``.
    """

    run: Run  # its time ends the listing of patterns
    excess: Ints  # rows of the first value less rows of the second; the sum is 0

    @property
    def codes(self) -> Int32s:
        """The types, m x d."""
        return self.run.table.row_types.codes

    @cached_property
    def nodes(self) -> Indices:
        """The types that have an excess at all."""
        return np.flatnonzero(self.excess)

    def arcs(self) -> Arcs:
        """Make arcs from type to type, or by way of patterns, whichever are fewer.

        They join the row types that have rows left to match. Raises NotSupportedError
        where both are too many.
        """
        first = int((self.excess > 0).sum())
        second = int((self.excess < 0).sum())
        free = int((~self.run.objective.kept(self.run.table)).sum())
        if _is_direct(first, second, free):
            _check_size(first * second)
            return self._direct_arcs()
        return self._pattern_arcs()

    def _direct_arcs(self) -> Arcs:
        supply, codes = self.excess[self.nodes], self.codes[self.nodes]
        first, second = np.flatnonzero(supply > 0), np.flatnonzero(supply < 0)
        problem = self.run.table, self.run.objective
        distance = distances(*problem, codes[first], codes[second])
        near = distance < FAR
        tail, head = np.nonzero(near)
        return Arcs(
            first[tail].astype(np.int32),
            second[head].astype(np.int32),
            2 * distance[near],
            len(supply),
        )

    def _pattern_arcs(self) -> Arcs:
        """Make arcs from a type to the patterns it fits, and on to their types.

        Two types meet in the closed pattern of those that agree where they agree; in
        other patterns they have in common they would pay more.
        """
        run, supply = self.run, self.excess[self.nodes]
        types = RowTypes(
            self.codes[self.nodes],
            (supply < 0).astype(np.int32)[:, None],
            np.abs(supply),
            np.empty(0, np.int32),
        )
        sought = Sought(run.table, types, run.objective, 1, 2, run.check_time)
        patterns = closed_patterns(*sought)
        _check_size(len(patterns.types))
        pattern = patterns.pattern + len(supply)
        out = supply[patterns.types] > 0
        return Arcs(
            np.where(out, patterns.types, pattern).astype(np.int32),
            np.where(out, pattern, patterns.types).astype(np.int32),
            np.where(out, 2 * patterns.cost[patterns.pattern], 0),
            len(supply) + len(patterns),
        )

    def loads(self, arcs: Arcs, flow: Ints) -> tuple[Ints, Ints, Ints]:
        """Return nodes of types, the groups they are sent to, and how many rows."""
        used = np.flatnonzero(flow)
        tail, head, sent = arcs.tail[used], arcs.head[used], flow[used]
        m = len(self.nodes)
        if arcs.nodes > m or m == 0:
            out = tail < m
            return np.where(out, tail, head), np.where(out, head, tail), sent
        codes = self.codes[self.nodes]
        group = patterns_of_pairs(self.run.table, codes[tail], codes[head])
        return np.r_[tail, head], np.r_[group, group], np.r_[sent, sent]

    def potential(self, arcs: Arcs, flow: Ints) -> Ints:
        r"""Find a price :math:`\varphi` for each type; they prove the flow cheapest.

        .. math:: \varphi(x) = \min_b \; 2 \, dist(x, b) - D(b)

        over the types b of the second value, D being shortest distances in the residual
        network of ``flow``, a cheapest one on the arcs. It satisfies :math:`\varphi(x)
        - \varphi(y) \le 2\,dist(x, y)` whatever D is, so no matching costs less than
        :math:`\sum_x excess(x)\, \varphi(x)`.
        """
        excess = self.excess
        if not len(self.nodes):
            return np.zeros(len(excess), np.int64)
        price = -residual_distances(arcs.tail, arcs.head, arcs.cost, flow, arcs.nodes)
        second = np.flatnonzero(excess < 0)
        base = price[: len(self.nodes)][excess[self.nodes] < 0]
        if len(second) < 1 << min(self.run.table.d, MAX_COLUMNS):
            lowest = self._nearest_one_by_one(second, base)
        else:
            lowest = self._nearest_by_columns(second, base)
        # A class of kept columns that has no excess meets no other: any price will do.
        return np.where(lowest < FAR // 2, lowest, 0)

    def _nearest_one_by_one(self, second: Indices, base: Ints) -> Ints:
        codes, problem = self.codes, (self.run.table, self.run.objective)
        lowest = np.full(len(codes), FAR)
        for b, price in zip(second, base, strict=True):
            to_b = distances(*problem, codes, codes[b : b + 1])[:, 0]
            np.minimum(lowest, 2 * to_b + price, out=lowest)
        return lowest

    def _nearest_by_columns(self, second: Indices, base: Ints) -> Ints:
        table, objective = self.run.table, self.run.objective
        lowest = np.full(len(self.codes), FAR)
        free = np.flatnonzero(~objective.kept(table))
        for number in range(1 << len(free)):
            starred = np.zeros(table.d, bool)
            starred[free] = number >> np.arange(len(free)) & 1
            cost = 2 * int(objective.row_costs(table, starred[None])[0])
            columns = list(self.codes.T)
            group, _ = agreeing(columns, table.qi_cardinalities, starred)
            nearest = np.full(int(group.max()) + 1, FAR)
            np.minimum.at(nearest, group[second], base)
            np.minimum(lowest, nearest[group] + cost, out=lowest)
        return lowest


def _is_direct(first: int, second: int, free: int) -> bool:
    return free > MAX_COLUMNS or first * second <= (first + second) << free


def _check_size(arcs: int) -> None:
    if arcs > MAX_ARCS:
        raise NotSupportedError(
            f"Expected at most {MAX_ARCS:,} pairs of row types that may be matched, "
            f"got {arcs:,}."
        )


def distances(table: Table, objective: Objective, left: Int32s, right: Int32s) -> Ints:
    """Compute the cost of columns on which rows differ; far if one is kept.

    ``left`` and ``right`` have rows by their codes.
    """
    total = np.zeros((len(left), len(right)), np.int64)
    weights = np.where(objective.kept(table), FAR, objective.column_weights(table))
    for j, weight in enumerate(weights):
        total += weight * (left[:, j, None] != right[None, :, j])
    return total


def charged_differences(
    table: Table, objective: Objective
) -> tuple[Bools, Ints, Bools]:
    """Return what it costs that two rows differ, for small models.

    That is where two rows differ (n x n x columns), what a star there costs, and which
    rows must not be together as they differ in a column to be kept. For tuples a single
    column stands for all.
    """
    types = table.row_types
    codes = types.codes[types.inverse]
    differ = codes[:, None] != codes[None]
    apart = differ[:, :, objective.kept(table)].any(axis=2)
    return *objective.charged(table, differ), apart


def cheapest_flow(arcs: Arcs, supply: Ints) -> Ints:
    """Find the flow on each arc that carries all excess at the least cost.

    Raises ArithmeticError where the solver finds none.
    """
    solver = min_cost_flow.SimpleMinCostFlow()
    capacity = np.full(len(arcs.tail), supply[supply > 0].sum())
    numbers = solver.add_arcs_with_capacity_and_unit_cost(
        arcs.tail, arcs.head, capacity, arcs.cost
    )
    solver.set_nodes_supplies(np.arange(len(supply), dtype=np.int32), supply)
    status = solver.solve()
    if status != solver.OPTIMAL:
        raise ArithmeticError(f"The min-cost flow ended with {status}.")
    return np.asarray(solver.flows(numbers), np.int64)


def patterns_of_pairs(table: Table, left: Int32s, right: Int32s) -> Int32s:
    """Number the patterns that pairs of rows are released as."""
    shown = np.where(left == right, left, table.qi_cardinalities)
    return group_by(list(shown.T)).inverse


@compiled
def residual_distances(
    tail: Int32s, head: Int32s, cost: Ints, flow: Ints, nodes: int
) -> Ints:
    """Compute shortest distances from any node in the residual network.

    The arcs are ``tail``, ``head``, ``cost``; ``flow`` is a cheapest one on them: where
    it is positive, an arc can be gone back. ``nodes`` is how many nodes there are.
    """
    distance = np.zeros(nodes, np.int64)
    for _ in range(nodes):
        changed = False
        for i in range(len(tail)):
            a, b = tail[i], head[i]
            if distance[a] + cost[i] < distance[b]:
                distance[b] = distance[a] + cost[i]
                changed = True
            if flow[i] > 0 and distance[b] - cost[i] < distance[a]:
                distance[a] = distance[b] - cost[i]
                changed = True
        if not changed:
            break
    return distance
