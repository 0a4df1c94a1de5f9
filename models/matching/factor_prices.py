"""Prices of rows that rule out matchings: duals of the matching's relaxation."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from starmin.instances import Run
from starmin.instances.arrays import Bools, Ints
from starmin.models.matching.factor import FAR, Factor
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.program import INF, Program, Rows

UNIT = 1 << 12  # Prices are whole numbers of 1/4096.
_SLACK = 1e-6  # Values of a solver are exact up to this.


@dataclass(frozen=True, eq=False)
class Prices:
    """Dual values of the matching's relaxation, in units of 1/4096."""

    total: int  # the sum of all
    row: Ints  # for each row what it is paid by a pattern that takes it
    pair: Ints  # n x n: what two rows cost as a pair less what they are paid, >= 0

    @classmethod
    def none(cls, factor: Factor) -> "Prices":
        return cls(0, np.zeros(factor.n, np.int64), UNIT * factor.pair)

    @classmethod
    def of(cls, factor: Factor, row: Ints, odd_sets: Bools, paid: Ints) -> Self:
        """Sum up prices of rows and of odd sets of rows, which some edge must leave.

        ``odd_sets`` is sets x rows; ``paid`` has the prices of these sets.
        """
        crossing = np.einsum("si,sj,s->ij", odd_sets, ~odd_sets, paid)
        reduced = UNIT * factor.pair - row[:, None] - row - crossing - crossing.T
        np.fill_diagonal(reduced, 0)
        high = max(0, -int(reduced.min()))  # by rounding
        total = int(row.sum()) - high * len(row) + int(paid.sum())
        return cls(total, row - high + paid @ odd_sets, reduced + 2 * high)

    def least(self, factor: Factor) -> Ints:
        """Return ``e_p`` of each pattern: its three cheapest rows."""
        reduced = np.where(factor.fits, UNIT * factor.cost[:, None] - self.row, FAR)
        return np.asarray(np.sort(reduced)[:, :3].sum(axis=1))


def find_prices(factor: Factor, odd: Bools, run: Run) -> Prices:
    """Solve the relaxation; add odd sets that its solution closes in on themselves."""
    n, patterns = factor.n, np.flatnonzero(odd)
    i, j = np.triu_indices(n, 1)
    p, row = np.nonzero(factor.fits[patterns])
    tail, head = np.concatenate([i, row]), np.concatenate([j, n + p])
    cost = np.concatenate([factor.pair[i, j], factor.cost[patterns[p]]]).astype(float)
    edges, one = np.arange(len(cost)), np.ones(len(cost))
    demand = np.concatenate([np.ones(n), np.full(len(patterns), 3.0)])
    degrees = Rows(
        np.r_[tail, head], np.r_[edges, edges], np.r_[one, one], demand, demand
    )
    # Patterns take a row once; of a pair the degrees say so, and its dual is not lost.
    most = np.where(head < n, INF, 1.0)
    solver = LinearSolver(Program(cost, 0 * one, most, one < 0, (degrees,)))
    odd_sets = np.zeros((0, n), bool)
    while True:
        solution = solver.solve(run.remaining)
        if solution is None:
            raise TimeoutError
        used = np.flatnonzero(solution.x > _SLACK)
        found = _odd_components(n, len(demand), tail[used], head[used])
        if not len(found):
            break
        odd_sets = np.concatenate([odd_sets, found])
        inside = np.concatenate([found, np.zeros((len(found), len(patterns)), bool)], 1)
        cut, edge = np.nonzero(inside[:, tail] != inside[:, head])
        least = np.ones(len(found))
        solver.add(Rows(cut, edge, np.ones(len(cut)), least, least * INF))
    dual = np.rint(UNIT * solution.dual).astype(np.int64)
    paid = np.maximum(dual[len(demand) :], 0)
    return Prices.of(factor, dual[:n], odd_sets, paid)


def _odd_components(n: int, nodes: int, tail: Ints, head: Ints) -> Bools:
    """Return components with an odd number of rows and no pattern."""
    graph = sparse.coo_array((np.ones(len(tail)), (tail, head)), shape=(nodes, nodes))
    count, component = csgraph.connected_components(graph, directed=False)
    rows = np.bincount(component[:n], minlength=count)
    with_pattern = np.bincount(component[n:], minlength=count) > 0
    chosen = np.flatnonzero((rows % 2 == 1) & ~with_pattern)
    return np.asarray(component[:n] == chosen[:, None])
