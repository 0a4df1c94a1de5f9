"""Prices of originals by cutting planes, where some cells are starred or not."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances import Certificate, Objective, Requirement, Table
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.releases.objective import tuples_as_stars
from starmin.instances.runs.search_control import stopping
from starmin.instances.tables.row_types import canonical_order
from starmin.models.solvers.program import INF, Program, Rows

UNIT = 5040  # Prices are whole multiples of 1/5040.

_MOST_CELLS = 2**21  # pairs of rows, times sets of starred columns
_MOST_ROUNDS = 60  # cutting planes at a node
_FAR = 2**60  # What no set of columns allows.
_ROUNDING = 1e-6

# Prices, and a cell to split on unless they close a node.
Climbed = tuple[Ints, tuple[int, int] | None]


class _Point(NamedTuple):
    """What prices prove at a node, and the best sets and originals of each row."""

    bound: int
    sets: npt.NDArray[np.intp]
    chosen: Bools
    possible: Bools


@dataclass(frozen=True, eq=False)
class CellPrices:
    """Prices of originals where some cells are decided, and what they prove."""

    k: int
    # sets, cost: all sets of columns that may be starred as bits, and what a row pays
    sets: Ints
    cost: Ints
    fits: Bools  # rows x sets x originals, never a row itself
    rows: Ints  # the row of the table that each of its rows is: canonical order
    # for each (set, originals) found its row, its set and its originals
    planes: list[tuple[int, int, npt.NDArray[np.intp]]]

    @classmethod
    def of(cls, table: Table, objective: Objective, k: int) -> "CellPrices | None":
        """Return those of a table; None if they are too many."""
        if objective.once:
            table, objective = tuples_as_stars(table, objective)
        types = table.row_types
        place = np.argsort(canonical_order(table, types))
        rows = np.argsort(place[types.inverse], kind="stable")
        codes = types.codes[types.inverse[rows]]
        free = np.flatnonzero(~objective.kept(table))
        if table.d > 40 or table.n**2 << len(free) > _MOST_CELLS:
            return None
        number = np.arange(1 << len(free))
        bits = number[:, None] >> np.arange(len(free)) & 1
        sets = (bits << free).sum(axis=1)
        cost = bits @ objective.column_weights(table)[free]
        differ = codes[:, None] != codes
        code = (differ.astype(np.int64) << np.arange(table.d)).sum(axis=2)
        fits = code[:, None] & ~sets[:, None] == 0
        fits[np.arange(table.n), :, np.arange(table.n)] = False
        return cls(k, sets, cost, fits, rows, [])

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.fits)

    def climb(
        self, start: Ints, must: Ints, may: Ints, value: int, left: Callable[[], float]
    ) -> Climbed:
        """Return prices for a node, and a cell to split on unless they close it.

        ``must`` and ``may`` are by row the columns that are, and that may be, starred,
        as bits. The node is closed where no release costs less than ``value``;
        ``left`` says for how many seconds better prices may be looked for, beginning
        with ``start``.
        """
        goal = (value - 1) * UNIT + 1
        best, bound, mu = start, -_FAR, start
        shares = np.zeros((self.n, len(self.sets)))
        for _ in range(_MOST_ROUNDS):
            point = self.evaluate(mu, must, may)
            if not point.possible.all():
                return start, None
            if point.bound > bound:
                best, bound = mu, point.bound
            if bound >= goal:
                return best, None
            seconds = left()
            if seconds <= 0:
                break
            self.planes.extend(
                (j, int(s), np.flatnonzero(point.chosen[j]))
                for j, s in enumerate(point.sets)
            )
            highest = self._maximise(must, may, value, seconds)
            if highest is None:
                break
            most, prices, shares = highest
            mu = np.rint(prices * UNIT).astype(np.int64)
            if most < goal / UNIT - _ROUNDING or most - bound / UNIT < _ROUNDING:
                break
        return best, self._split(shares, must, may)

    def evaluate(self, prices: Ints, must: Ints, may: Ints) -> _Point:
        """Return what prices prove where these cells must, and may, be starred."""
        dearest = np.argsort(-prices, kind="stable")
        fits = self.fits[:, :, dearest]
        chosen = fits & (np.cumsum(fits, axis=2) < self.k)
        allowed = (must[:, None] & ~self.sets) | (self.sets & ~may[:, None]) == 0
        allowed &= chosen.sum(axis=2) == self.k - 1
        paid = UNIT * self.cost - chosen @ prices[dearest]
        paid = np.where(allowed, paid, _FAR)
        sets = paid.argmin(axis=1)
        every = np.arange(self.n)
        taken = np.zeros((self.n, self.n), bool)
        taken[:, dearest] = chosen[every, sets]
        total = (self.k - 1) * int(prices.sum()) + int(paid[every, sets].sum())
        return _Point(total, sets, taken, allowed.any(axis=1))

    def _maximise(
        self, must: Ints, may: Ints, value: int, seconds: float
    ) -> tuple[float, Floats, Floats] | None:
        """Return the maximum of the planes, its prices, and the weight of each set.

        None where it takes longer, or all is to stop.
        """
        # It takes half a second to import.
        from starmin.models.solvers.linear_solver import LinearSolver

        used = [
            plane
            for plane in self.planes
            if not must[plane[0]] & ~self.sets[plane[1]]
            and not self.sets[plane[1]] & ~may[plane[0]]
        ]
        n, count = self.n, len(used)
        rows = np.arange(count)
        row = np.array([j for j, _, _ in used])
        sets = np.array([s for _, s, _ in used])
        others = np.concatenate([originals for _, _, originals in used])
        each = np.concatenate([np.repeat(rows, self.k - 1), rows])
        of_plane = each, np.concatenate([others, n + row]), 1
        planes = Rows.of(count, -INF, self.cost[sets], of_plane)
        gain = np.concatenate([np.full(n, self.k - 1.0), np.ones(n)])
        most = np.full(n, float(2 * (value + int(self.cost[-1]))))
        most = np.concatenate([most, np.full(n, INF)])
        program = Program(-gain, -most, most, np.zeros(2 * n, bool), (planes,))
        found = LinearSolver(program).solve(seconds)
        if found is None:
            return None
        shares = np.zeros((n, len(self.sets)))
        np.add.at(shares, (row, sets), -found.dual)
        return -found.value, found.x[:n], shares

    def _split(self, shares: Floats, must: Ints, may: Ints) -> tuple[int, int]:
        """Return the undecided cell that is most nearly half starred."""
        columns = np.arange(int(self.sets[-1]).bit_length())
        starred = shares @ (self.sets[:, None] >> columns & 1)
        open_ = (may & ~must)[:, None] >> columns & 1 == 1
        nearest = np.where(open_, -np.abs(starred - 0.5), -np.inf).argmax()
        row, column = divmod(int(nearest), len(columns))
        return row, column

    def is_open(self, cell: tuple[int, int], must: Ints, may: Ints) -> bool:
        """Return whether a cell may be starred, and need not be."""
        return bool((may & ~must)[cell[0]] >> cell[1] & 1)

    def tree(
        self, climb: Callable[[Ints, Ints, Ints], Climbed | None]
    ) -> dict[str, Any] | None:
        """Return the data of a certificate; None where ``climb`` has no time left."""
        nodes: list[dict[str, list[int]]] = []
        nothing = np.zeros(self.n, np.int64)
        waiting = [(nothing, nothing, np.full(self.n, int(self.sets[-1])))]
        while waiting:
            written, must, may = waiting.pop()
            climbed = climb(written, must, may)
            if climbed is None:
                return None
            best, split = climbed
            changed = np.flatnonzero(best != written)
            entry: dict[str, list[int]] = {}
            if len(changed):
                pairs = np.stack([changed, best[changed]], axis=1)
                entry["prices"] = pairs.ravel().tolist()
            if split is not None:
                row, column = split
                entry["split"] = [row, column]
                starred, unstarred = must.copy(), may.copy()
                starred[row] |= 1 << column
                unstarred[row] &= ~(1 << column)
                waiting += [(best, starred, may), (best, must, unstarred)]
            nodes.append(entry)
        return {"denominator": UNIT, "nodes": nodes}


# Prove non-homogeneous releases of small tables optimal by a tree of starred cells.

KIND = "nonhomogeneous_tree"


def prove_by_cells(
    table: Table,
    requirement: Requirement,
    objective: Objective,
    value: int,
    seconds: float,
) -> Certificate | None:
    """Search a tree that proves that no release costs less than ``value``.

    Branch and bound: a node decides of some cells whether they are starred. Its bound
    is that of ``degree_prices`` over the sets S of starred columns that row j may have,
    a concave function of the prices that Kelley's cutting planes maximise: each (S, N)
    found is a linear bound on the term of its row. Prices are rounded to whole numbers,
    and their bound is computed in whole numbers. Where all cells are decided, the rest
    is a flow; so a tree exists for every true value.

    The problem is k-anonymity, with stars or tuples, weights and kept columns;
    ``value`` is at least 1. The certificate is for
    ``starmin.verify.certificates.certificate_check``; None where ``seconds`` were too
    few, or the table has too many rows and columns.

    Notes
    -----
    Exponential in the worst case. 10 rows x 4 columns take about a second.

    References
    ----------
    J. E. Kelley, The cutting-plane method for solving convex programs, 1960.

    Examples
    --------
    >>> from starmin.instances import STARS, KAnonymity
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> proof = prove_by_cells(table, KAnonymity(2), STARS, 4, 10.0)
    >>> proof.bound
    4
    """
    cells = CellPrices.of(table, objective, requirement.core.size)
    if cells is None:
        return None
    end = time.perf_counter() + seconds

    def left() -> float:
        return 0.0 if stopping() else end - time.perf_counter()

    def climb(prices: Ints, must: Ints, may: Ints) -> Climbed | None:
        best, split = cells.climb(prices, must, may, value, left)
        stuck = split and (left() <= 0 or not cells.is_open(split, must, may))
        return None if stuck else (best, split)

    data = cells.tree(climb)
    if data is None:
        return None
    return Certificate.of(table, requirement, objective, KIND, value, data)
