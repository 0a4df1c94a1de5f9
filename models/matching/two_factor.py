"""The cheapest cover of all rows by cycles of three rows and more: a 2-factor."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from starmin.instances import Run
from starmin.instances.arrays import Bools, Floats, Indices, Ints
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.mip_search import MipSearch
from starmin.models.solvers.program import INF, Columns, Program, Rows, whole_bound

# Blossoms: what cuts fractional points off from the 2-factors of a graph.

_ROUNDING = 1e-6  # Values of a solver are exact up to this.


@dataclass(frozen=True, eq=False)
class Blossom:
    """An odd number of teeth that leave a set: not all of them, or another edge too."""

    inside: Bools
    teeth: Indices

    def row(self, edges: Indices) -> tuple[Ints, Floats]:
        """Return the edges that leave the set, and their coefficients."""
        n = len(self.inside)
        leaves = np.flatnonzero(self.inside[edges[:, 0]] != self.inside[edges[:, 1]])
        keys, teeth = edges[leaves] @ (n, 1), self.teeth @ (n, 1)
        return leaves, np.where(np.isin(keys, teeth), -1.0, 1.0)


def find_blossoms(n: int, edges: Indices, x: Floats) -> list[Blossom]:
    """Find blossoms around components of fractional edges, whole edges as teeth."""
    whole = x > 1 - _ROUNDING
    part = edges[(x > _ROUNDING) & ~whole]
    graph = sparse.coo_array((np.ones(len(part)), tuple(part.T)), shape=(n, n))
    _, component = csgraph.connected_components(graph, directed=False)
    ends = component[edges]
    cuts = []
    for c in np.unique(component[part]):
        crossing = whole & ((ends == c).sum(axis=1) == 1)
        if crossing.sum() % 2:
            cuts.append(Blossom(component == c, edges[crossing]))
    return cuts


APART = 1 << 40  # Rows that must not follow each other are at least so far apart.

_NEAREST = 8  # The relaxation begins with so many neighbours of each row.
_PRICED = 10  # So many edges of a row are added to it at a time.
_PATIENCE = 5  # It ends after so many rounds of blossoms that do not raise the value.


@dataclass(frozen=True, eq=False)
class TwoFactor:
    """Cycles through all rows."""

    # the row that follows each row on its cycle; None where the time ran out
    following: Ints | None
    bound: int  # no 2-factor weighs less


def two_factor(distance: Ints, run: Run) -> TwoFactor:
    r"""Cover the rows by undirected cycles of three rows or more, as short as can be.

    .. math::
        \min \sum_{i<j} d_{ij} x_{ij}, \qquad \sum_j x_{ij} = 2 \text{ for all } i,
        \qquad x_{ij} \in \{0, 1\}

    The problem is polynomial: a perfect matching (Tutte). Here its relaxation is
    solved, edges of negative reduced cost joining the nearest ones and blossoms the
    degrees, until all but a few values are integers. Branch and bound over these edges
    does the rest; if that leaves a gap, once more over all edges whose reduced costs
    allow a better 2-factor.

    Parameters
    ----------
    distance, run
        n x n, symmetric, ``APART`` on the diagonal: rows that are less far apart form
        classes of three or more. The run gives the time.

    Notes
    -----
    O(n^2) memory. 500 rows take about a second, 1,000 mostly two to five.

    References
    ----------
    W. T. Tutte, A short proof of the factor theorem for finite graphs, Canadian
    Journal of Mathematics 6, 1954. A. Schrijver, Combinatorial Optimization, 2003,
    chapter 30.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Table
    >>> x = np.array([0, 1, 3, 10, 12, 15])
    >>> run = Run(Table.from_rows(["a"], [["0"]], ["a"]), KAnonymity(3))
    >>> distance = abs(x[:, None] - x) + APART * np.eye(6, dtype=np.int64)
    >>> found = two_factor(distance, run)
    >>> found.bound, found.following[[0, 1, 2]].tolist() in ([1, 2, 0], [2, 0, 1])
    (16, True)
    """
    relaxed = _relax(distance, run)
    if relaxed is None:
        return TwoFactor(None, 0)
    bound, best, weight = whole_bound(relaxed.value), None, math.inf
    # Then all edges that a better 2-factor may have.
    for all_that_help in (False, True):
        near = relaxed.used
        if all_that_help:
            near = relaxed.reduced <= weight - 1 - relaxed.value + _ROUNDING
        edges = np.argwhere(np.triu(near, 1))
        program = _program(distance, edges, relaxed.cuts)
        search = MipSearch(program, run.remaining)
        search.call.finish(run.remaining)
        for found in search.solutions():
            best = edges[np.rint(found) > 0]
            weight = float(distance[tuple(best.T)].sum())
        if all_that_help:
            proven = min(search.end(), weight)
            if math.isfinite(proven):
                bound = max(bound, whole_bound(proven))
        if weight <= bound or run.remaining == 0:
            break
    return TwoFactor(None if best is None else _following(best, len(distance)), bound)


class _Relaxed(NamedTuple):
    """The relaxation: its value, the reduced costs of edges, its edges and cuts."""

    value: float
    reduced: Floats
    used: Bools
    cuts: list[Blossom]


def _relax(distance: Ints, run: Run) -> _Relaxed | None:
    """Solve it over more and more edges and blossoms; None where the time runs out."""
    n = len(distance)
    far = np.where(distance < APART, distance, math.inf)
    used = (_lowest(far, _NEAREST) & (far < math.inf)) | _one_cycle(distance)
    cuts: list[Blossom] = []
    value, in_vain = -math.inf, 0
    while True:
        used |= used.T
        edges = np.argwhere(np.triu(used, 1))
        solution = LinearSolver(_program(distance, edges, cuts)).solve(run.remaining)
        if solution is None:
            return None
        reduced = _reduced(far, solution.dual, cuts)
        new = _lowest(reduced, _PRICED) & (reduced < -_ROUNDING) & ~used
        if new.any():
            used |= new
            continue
        in_vain = in_vain + 1 if solution.value < value + _ROUNDING else 0
        value, found = solution.value, find_blossoms(n, edges, solution.x)
        if not found or in_vain == _PATIENCE:
            return _Relaxed(value, reduced, used, cuts)
        cuts += found


def _reduced(far: Floats, dual: Floats, cuts: Sequence[Blossom]) -> Floats:
    """Return what an edge costs beyond what its ends and blossoms pay for it."""
    n = len(far)
    reduced: Floats = far - dual[:n, None] - dual[:n]
    for cut, paid in zip(cuts, dual[n:], strict=True):
        if paid > 0:
            reduced[np.ix_(cut.inside, ~cut.inside)] -= paid
            reduced[np.ix_(~cut.inside, cut.inside)] -= paid
            i, j = cut.teeth.T
            reduced[i, j] += 2 * paid
            reduced[j, i] += 2 * paid
    return reduced


def _lowest(cost: Floats, many: int) -> Bools:
    """Find the lowest entries of each row."""
    chosen = np.zeros(cost.shape, bool)
    many = min(many, len(cost) - 1)
    # Stable: without it, which of equal entries is taken depends on the processor.
    lowest = np.argsort(cost, axis=1, kind="stable")[:, :many]
    chosen[np.arange(len(cost))[:, None], lowest] = True
    return chosen


def _one_cycle(distance: Ints) -> Bools:
    """Lay a cycle through each class of rows: then there is a 2-factor."""
    near = distance < APART
    np.fill_diagonal(near, True)
    first = near.argmax(axis=1)
    order = np.argsort(first, kind="stable")
    _, starts, sizes = np.unique(first[order], return_index=True, return_counts=True)
    following = np.arange(1, len(order) + 1)
    following[starts + sizes - 1] = starts
    cycle = np.zeros(distance.shape, bool)
    cycle[order, order[following]] = True
    return cycle


def _program(distance: Ints, edges: Indices, cuts: Sequence[Blossom]) -> Program:
    n, count = len(distance), len(edges)
    number, ends = np.arange(count), edges.T
    rows = [Rows.of(n, 2, 2, (ends[0], number, 1), (ends[1], number, 1))]
    for cut in cuts:
        leaves, sign = cut.row(edges)
        least = 1 - len(cut.teeth)
        rows.append(Rows.of(1, least, INF, (0 * leaves, leaves, sign)))
    made = Columns()
    made.add(count, distance[edges[:, 0], edges[:, 1]])
    return made.program(rows)


def _following(edges: Indices, n: int) -> Ints:
    """Return the cycles, each gone along in one direction."""
    ends = np.concatenate([edges, edges[:, ::-1]])
    neighbours = ends[np.argsort(ends[:, 0], kind="stable"), 1].reshape(n, 2)
    following = np.full(n, -1, np.int64)
    for first in range(n):
        row, before = first, -1
        while following[row] < 0:
            left, right = neighbours[row]
            following[row] = right if left == before else left
            row, before = following[row], row
    return following
