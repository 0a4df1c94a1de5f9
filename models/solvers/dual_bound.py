"""What the duals of a linear program prove, in whole numbers."""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from starmin.instances import Run
from starmin.instances.arrays import Floats, Ints
from starmin.models.solvers.linear_solver import LpSolution
from starmin.models.solvers.program import Program, stack
from starmin.models.solvers.whole_bound import note_bound

_MOST_UNIT, _LEAST_UNIT = 2**30, 2**12
_LARGEST = 2**60  # All sums stay below this.
_EXACT = 1e-9  # A coefficient so near to a whole number, or to a share 1/r, is one.


class WholeDual(NamedTuple):
    """A bound on all feasible points, in multiples of ``1 / unit``."""

    total: int  # no point costs less
    # by column: a point costs at least ``total`` and, for every column, this times the
    # distance from the bound that the column has by its sign
    reduced: Ints
    unit: int  # what 1 is divided into

    @property
    def bound(self) -> int:
        """A whole number that the cost of a point is not below, if it is whole."""
        return -(-self.total // self.unit)


def whole_dual(program: Program, dual: Floats) -> WholeDual | None:
    r"""Round duals to whole multiples of a unit, and compute what they prove.

    Any multipliers y of the rows :math:`L \le A x \le U` prove

    .. math::

        c x \ge \sum_i \min(y_i L_i,\ y_i U_i)
              + \sum_j \min(d_j l_j,\ d_j u_j), \qquad d = c - y A,

    for :math:`l \le x \le u`, where a multiplier has the sign for which its row has a
    finite side. So it does not matter that the duals come from floating point. Costs,
    bounds and coefficients must be whole numbers, but for rows whose coefficients are
    whole multiples of a share 1/r: those are multiplied by r.

    The program has all rows that there are duals of, one for each. None if a number of
    the program is not whole, sums might not fit 64 bits, or a column that is not
    bounded would be taken without end.

    Examples
    --------
    >>> from starmin.models.solvers.program import Rows
    >>> at = np.array([0, 0])
    >>> rows = Rows(at, np.array([0, 1]), np.array([1.0, 2.0]), at[:1] + 3.0,
    ...             at[:1] + np.inf)
    >>> box = np.zeros(2), np.full(2, 9.0)
    >>> program = Program(np.array([1.0, 3.0]), *box, np.ones(2, bool), (rows,))
    >>> found = whole_dual(program, np.array([0.99999999999]))
    >>> found.bound, (found.reduced / found.unit).round(3).tolist()
    (3, [0.0, 1.0])
    """
    matrix, lower, upper = stack(program.rows, len(program.cost))
    factor, scaled = _whole_rows(matrix)
    y = np.where(np.isfinite(lower), dual, np.minimum(dual, 0.0))
    y = np.where(np.isfinite(upper), y, np.maximum(y, 0.0)) / factor
    sides = [np.where(np.isfinite(s), s, 0.0) for s in (lower * factor, upper * factor)]
    box = program.lower, program.upper
    whole = [scaled.data, *sides, program.cost, *(b[np.isfinite(b)] for b in box)]
    if not all((np.abs(part - np.rint(part)) < _EXACT).all() for part in whole):
        return None
    unit = _unit(program, scaled, sides, y)
    if unit is None:
        return None
    exact = sparse.csc_array(
        (np.rint(scaled.data).astype(np.int64), scaled.indices, scaled.indptr),
        shape=scaled.shape,
    )
    price = np.rint(y * unit).astype(np.int64)
    low, high = (np.rint(side).astype(np.int64) for side in sides)
    reduced = unit * np.rint(program.cost).astype(np.int64) - exact.T @ price
    least = np.where(reduced >= 0, program.lower, program.upper)
    if not np.isfinite(least[reduced != 0]).all():
        return None
    ends = np.rint(np.where(reduced != 0, least, 0.0)).astype(np.int64)
    total = int((price * np.where(price >= 0, low, high)).sum())
    return WholeDual(total + int((reduced * ends).sum()), reduced, unit)


def _whole_rows(matrix: Any) -> tuple[Floats, Any]:
    """Return for each row what makes it whole, and the matrix multiplied by it."""
    rows = matrix.tocoo()
    least = np.ones(matrix.shape[0])
    np.minimum.at(least, rows.row, np.abs(rows.data))
    factor = np.where(least > 0, np.rint(1 / np.maximum(least, _EXACT)), 1.0)
    return factor, sparse.csc_array(sparse.diags_array(factor) @ matrix)


def _unit(program: Program, scaled: Any, sides: list[Floats], y: Floats) -> int | None:
    """Return a unit in which no sum wraps; None if that is too coarse."""
    box = [
        np.where(np.isfinite(b), abs(b), 0.0) for b in (program.lower, program.upper)
    ]
    reach = np.maximum(np.maximum(*box), 1.0)
    size = abs(scaled)
    most = float(reach @ (abs(program.cost) + size.T @ abs(y)))
    most += float(np.maximum(*map(abs, sides)) @ abs(y))
    rounded = float(reach @ size.sum(axis=0)) + float(
        np.maximum(*map(abs, sides)).sum()
    )
    room = (_LARGEST - rounded) / max(1.0, most)
    if room < _LEAST_UNIT:
        return None
    return min(_MOST_UNIT, 1 << math.floor(math.log2(room)))


def note_relaxation(
    run: Run[Any], program: Program, solution: LpSolution, method: str
) -> None:
    """Let a run learn what a linear relaxation proves, but no more than its best value.

    It is recomputed from the duals, where that can be done; else the value that the
    solver says is rounded with room for its errors
    (``starmin.models.solvers.program``). The program has all rows, and the solution
    is what the solver says of it; ``method`` is named for the bound.
    """
    proven = whole_dual(program, solution.dual)
    if proven is None:
        note_bound(run, solution.value, method)
        return
    bound = proven.bound if run.value is None else min(proven.bound, run.value)
    run.raise_bound(bound, method)
