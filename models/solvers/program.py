"""Linear and mixed-integer programs as arrays, and what solvers' bounds prove."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from starmin.instances import Run
from starmin.instances.arrays import Bools, Floats
from starmin.instances.releases.objective import MOST_EXACT

# What a solver's bound, a float, proves of costs that are whole numbers.

# The room that a solver of floats is given, absolute and as a share of its bound.
_ABSOLUTE, _RELATIVE = 1e-6, 1e-9
_NEAR = 2.0**-50  # The share by which a large whole number is off as a float, at most.


def whole_bound(bound: float) -> int:
    """Return a whole number that a minimum is not below, by a solver's finite bound.

    The bound is rounded up, with room for what solvers leave: 1e-6 for their
    tolerances where costs are moderate, and a billionth of the bound for its sums,
    which keep some ten of sixteen digits. So a bound beyond a billion proves less than
    itself.

    Examples
    --------
    >>> whole_bound(2.0000004), whole_bound(2.1), whole_bound(52464671855.3)
    (2, 3, 52464671803)
    """
    return math.ceil(bound - max(_ABSOLUTE, _RELATIVE * abs(bound)))


def integer_bound(bound: float) -> int:
    """Return a whole number that a minimum is not below, by a bound of CP-SAT.

    CP-SAT computes in whole numbers and tells its bound, a finite one, as a float.

    Examples
    --------
    >>> integer_bound(3.0), integer_bound(float(2**60)) <= 2**60
    (3, True)
    """
    if abs(bound) < MOST_EXACT:
        return round(bound)
    return math.floor(bound - _NEAR * abs(bound))


def note_bound(run: Run[Any], bound: float, method: str, unit: int = 1) -> None:
    """Let a run learn what a solver proved, but no more than its best value.

    More is never proven where releases no better than the best one were left out.
    ``bound`` is in multiples of ``unit``, what the solver counts as 1. Infinity says
    that there is no other release than the best one; minus infinity says nothing.
    ``method`` is named for the bound.
    """
    value = run.value
    if math.isfinite(bound):
        proven = unit * whole_bound(bound)
        run.raise_bound(proven if value is None else min(proven, value), method)
    elif bound > 0 and value is not None:
        run.raise_bound(value, method)


INF = float("inf")
_ROUNDING = 1e-6  # A point that breaks a row by less than this holds.


@dataclass(frozen=True, eq=False)
class Rows:
    """A block of constraints ``lower <= A x <= upper``, A as triplets.

    Row numbers start at 0 in each block; ``stack`` moves them.
    """

    row: npt.NDArray[np.integer]
    column: npt.NDArray[np.integer]
    value: Floats
    lower: Floats
    upper: Floats


def stack(blocks: Sequence[Rows], columns: int) -> tuple[Any, Floats, Floats]:
    """Stack blocks one below the other: return a CSC matrix and its row bounds."""
    from scipy import sparse  # a quarter of a second to import

    offsets = np.cumsum([0] + [len(block.lower) for block in blocks])
    rows = [b.row + offset for b, offset in zip(blocks, offsets[:-1], strict=True)]
    matrix = sparse.csc_array(
        (
            np.concatenate([block.value for block in blocks]),
            (np.concatenate(rows), np.concatenate([b.column for b in blocks])),
        ),
        shape=(offsets[-1], columns),
    )
    lower = np.concatenate([block.lower for block in blocks])
    upper = np.concatenate([block.upper for block in blocks])
    return matrix, lower, upper


@dataclass(frozen=True, eq=False)
class Program:
    """A program: minimise ``cost @ x`` over ``lower <= x <= upper`` and the rows."""

    # cost, lower, upper, integer: by column: its cost, its bounds, and whether it must
    # be a whole number
    cost: Floats
    lower: Floats
    upper: Floats
    integer: Bools
    rows: tuple[Rows, ...]  # blocks of constraints

    def holds(self, point: Floats) -> bool:
        """Return whether a point satisfies all bounds and rows, up to rounding."""
        if not _within(point, self.lower, self.upper):
            return False
        for block in self.rows:
            terms = block.value * point[block.column]
            sums = np.bincount(block.row, terms, minlength=len(block.lower))
            if not _within(sums, block.lower, block.upper):
                return False
        return True

    def fix(self, columns: Bools, point: Floats) -> "Program":
        """Return the program with all other columns fixed as at a feasible point.

        Rows that lose all their columns go too: they hold at the point.
        """
        new = np.cumsum(columns) - 1
        blocks = []
        for block in self.rows:
            entries = columns[block.column]
            fixed = np.where(entries, 0.0, block.value * point[block.column])
            given = np.bincount(block.row, fixed, minlength=len(block.lower))
            used, row = np.unique(block.row[entries], return_inverse=True)
            blocks.append(
                Rows(
                    row,
                    new[block.column[entries]],
                    block.value[entries],
                    (block.lower - given)[used],
                    (block.upper - given)[used],
                )
            )
        return Program(
            self.cost[columns],
            self.lower[columns],
            self.upper[columns],
            self.integer[columns],
            tuple(blocks),
        )

    def restrict(self, columns: Bools) -> "Program":
        """Return the program with all other columns fixed at zero and left out.

        Rows that lose all their columns go too: they must allow zero.
        """
        new = np.cumsum(columns) - 1
        blocks = []
        for block in self.rows:
            entries = columns[block.column]
            used, row = np.unique(block.row[entries], return_inverse=True)
            column = new[block.column[entries]]
            value = block.value[entries]
            blocks.append(
                Rows(row, column, value, block.lower[used], block.upper[used])
            )
        return Program(
            self.cost[columns],
            self.lower[columns],
            self.upper[columns],
            self.integer[columns],
            tuple(blocks),
        )


def _within(values: npt.NDArray[np.number], lower: Floats, upper: Floats) -> bool:
    return bool(((values >= lower - _ROUNDING) & (values <= upper + _ROUNDING)).all())
