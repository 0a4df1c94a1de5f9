"""2-anonymity in polynomial time: a minimum-cost general factor by local search."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Self

import networkx
import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from starmin.instances import (
    STARS,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Indices, Ints
from starmin.models.matching import GENERAL_FACTOR
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.models.solvers.program import INF, Program, Rows

# Rows that are paired, or taken three at a time by patterns.

FAR = 1 << 50  # More than any factor costs.


@dataclass(frozen=True, eq=False)
class Factor:
    """n rows that are paired, or taken three at a time by patterns."""

    pair: Ints  # n x n: what two rows cost as a pair
    fits: Bools  # P x n: which rows fit which pattern
    cost: Ints  # by pattern: what a row pays that is released as it

    @classmethod
    def of(cls, table: Table, objective: Objective) -> "Factor":
        """Return the factor of a table of which any two rows may be paired."""
        types = table.row_types
        codes = types.codes[types.inverse]
        n = table.n
        differ = (codes[:, None] != codes[None]).reshape(n * n, table.d)
        pair = 2 * objective.row_costs(table, differ).reshape(n, n)
        if n < 3:
            return cls(pair, np.zeros((0, n), bool), np.zeros(0, np.int64))
        a, b, c = np.ogrid[:n, :n, :n]
        i, j, h = np.nonzero((a < b) & (b < c))
        starred = (codes[i] != codes[j]) | (codes[i] != codes[h])
        shown = np.where(starred, table.qi_cardinalities, codes[i])
        first = group_by(list(shown.T)).first
        fits = np.ones((len(first), n), bool)
        for column, stars, values in zip(codes.T, starred.T, codes[i].T, strict=True):
            fits &= stars[first, None] | (values[first, None] == column)
        return cls(pair, fits, objective.row_costs(table, starred[first]))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.pair)

    @property
    def nearest(self) -> int:
        """What all rows pay at least: the distance to their nearest ones."""
        others = self.pair + np.diag(np.full(self.n, FAR))
        return int(others.min(axis=1).sum()) // 2


# Prices of rows that rule out matchings: duals of the matching's relaxation.

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
    degrees = Rows.of(len(demand), demand, demand, (tail, edges, 1), (head, edges, 1))
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
        solver.add(Rows.of(len(found), 1, INF, (cut, edge, 1)))
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


MAX_ROWS = 200


def general_factor(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    r"""Solve 2-anonymity exactly by polynomially many perfect matchings.

    The idea: join each row to the pattern that it is released as. A pattern may have
    0 rows, or 2, or 3, .., only not 1: a *general factor* in the graph of rows and
    patterns, whose degree sets have gaps of length one. Once it is known which
    patterns have an odd number of rows, the rest is a minimum-weight perfect matching:
    an odd pattern takes three rows, any two rows may be a pair,

    .. math::

        f(O) = \min \sum_{p \in O} 3\, cost_p + \sum_{\{i,j\}} 2\, dist(i, j)

    over three rows for each p in O that fit it, and pairs of all other rows. Local
    search over O finds the optimum: as long as f(O) is not the least, adding two
    patterns to O, or removing two, or exchanging two, makes it smaller.

    Why it is right. Groups of 4 and more rows split into pairs and triples without
    new stars, and any number of rows at least 3 of the same pattern is pairs and at
    most one triple, so the least f(O) is the optimum. That local optima are global is
    the exchange theorem for weighted general factors without gaps longer than one
    (Dudycz and Paluch; Kobayashi for the valuated case): of two factors the worse
    one can be improved while the parity of at most two degrees changes. It is taken
    from the literature, not proved here. All local optima of 260,000 small instances
    with arbitrary costs obeyed it; the tests repeat some.

    Most neighbours O' are ruled out without a matching. Prices of rows that satisfy
    :math:`\lambda_i + \lambda_j \le 2\, dist(i, j)` give :math:`f(O') \ge \sum_i
    \lambda_i + \sum_{p \in O'} e_p`, :math:`e_p` being the three least
    :math:`cost_p - \lambda_i` of rows that fit p. They come from the matching's linear
    relaxation, with prices for odd sets of rows as well, and are used in integer
    arithmetic.

    Parameters
    ----------
    table, requirement, objective
        At most 200 rows; ``KAnonymity(2)``; stars or tuples; weights and ``keep`` are
        honoured.
    time_limit
        Where it is up, the bound is weak.

    Raises
    ------
    NotSupportedError
        Another requirement, or more rows.

    See Also
    --------
    starmin.models.pattern_ilp.pattern_ilp.pattern_ilp :
        without this guarantee, but for large tables.

    Notes
    -----
    P patterns of three rows, P <= n^3 / 6. Each step tries at most P^2 / 2 matchings
    and lowers the value by 1 at least: polynomial for stars without weights (value
    at most n d), pseudo-polynomial with them. 100 rows x 3 to 8 columns mostly take
    less than a second, seldom a minute; 200 rows 5 seconds to minutes.

    References
    ----------
    Blocki, Williams: Resolving the complexity of some data privacy problems, ICALP
    2010 (2-anonymity is polynomial, by simplex matching of Anshelevich and
    Karagiozova). Dudycz, Paluch: Optimal general matchings, WG 2018. Kobayashi:
    Optimal general factor problem and jump system intersection, IPCO 2023.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"], ["0", "z"], ["0", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> general_factor(table, KAnonymity(2)).value
    5
    """
    if requirement.core.size != 2:
        raise NotSupportedError(f"Expected 2-anonymity, got {requirement.as_json()}.")
    if table.n > MAX_ROWS:
        raise NotSupportedError(f"Expected at most {MAX_ROWS} rows, got {table.n}.")
    run = Run(table, requirement, objective, time_limit, display, GENERAL_FACTOR)

    def search() -> None:
        classes = Partition.coarsest(table, objective)
        run.offer(classes)
        rows = [np.flatnonzero(classes.groups == c) for c in range(classes.size)]
        factors = [Factor.of(table.take(those), objective) for those in rows]
        run.raise_bound(sum(factor.nearest for factor in factors), "general_factor")
        run.raise_bound(_solve(run, rows, factors), "general_factor")

    return run.carry_out(search)


def _solve(run: Run, rows: list[Indices], factors: list[Factor]) -> int:
    """Find the least value of all classes together; offer each better partition."""
    total = 0
    labels = np.empty(run.table.n, np.int64)
    for number, those in enumerate(rows):
        labels[those] = 2 * number * run.table.n
    for number, (those, factor) in enumerate(zip(rows, factors, strict=True)):
        run.check_time()
        values = []
        for value, groups in _local_search(factor, run):
            values.append(value)
            labels[those] = 2 * number * run.table.n + groups
            run.offer(Partition.from_labels(labels))
        total += values[-1]
    return total


def _local_search(factor: Factor, run: Run) -> Iterator[tuple[int, Ints]]:
    """Yield better and better factors, the last the best: value, label per row."""
    odd = np.zeros(len(factor.cost), bool)
    if factor.n % 2:
        odd[factor.cost.argmin()] = True
    step = _match(factor, odd, Prices.none(factor), FAR)
    while step is not None:
        value = step[0]
        yield step
        step = None
        prices = find_prices(factor, odd, run)
        least = prices.least(factor)
        change = np.where(odd, -least, least)
        bound = prices.total + int(least[odd].sum())
        for p, q, spare in _moves(change, UNIT * (value - 1) - bound):
            run.check_time()
            flipped = odd.copy()
            flipped[[p, q]] ^= True
            found = _match(factor, flipped, prices, spare)
            if found is not None and found[0] < value:
                odd, step = flipped, found
                break


def _moves(change: Ints, room: int) -> Iterator[tuple[int, int, int]]:
    """Yield pairs of patterns to flip whose bound leaves room for an improvement."""
    order = np.argsort(change, kind="stable").tolist()
    for at, p in enumerate(order):
        for q in order[at + 1 :]:
            spare = room - int(change[p]) - int(change[q])
            if spare < 0:
                break
            yield p, q, spare


def _match(
    factor: Factor, odd: Bools, prices: Prices, spare: int
) -> tuple[int, Ints] | None:
    """Find the cheapest factor with these odd patterns: value, and a label per row.

    Edges are left out whose use alone would take more than ``spare`` over the bound.
    None if what is left has no perfect matching.
    """
    n, patterns = factor.n, np.flatnonzero(odd)
    if 3 * len(patterns) > n:
        return None
    graph = networkx.Graph()
    graph.add_nodes_from(range(n + 3 * len(patterns)))
    for a, b in np.argwhere(np.triu(prices.pair <= spare, 1)).tolist():
        graph.add_edge(a, b, weight=-int(factor.pair[a, b]))
    for number, p in enumerate(patterns):
        reduced = np.where(factor.fits[p], UNIT * factor.cost[p] - prices.row, FAR)
        third = np.sort(reduced)[2]
        near = np.flatnonzero(factor.fits[p] & (reduced - third <= spare))
        for row, copy in product(near.tolist(), range(3)):
            graph.add_edge(row, n + 3 * number + copy, weight=-int(factor.cost[p]))
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(matching) < len(graph):
        return None
    groups = np.arange(n)
    for a, b in map(sorted, matching):
        groups[a] = a if b < n else n + (b - n) // 3
        if b < n:
            groups[b] = a
    return -sum(graph.edges[edge]["weight"] for edge in matching), groups
