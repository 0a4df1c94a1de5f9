"""Linear relaxations, solved by HiGHS, and what their duals prove in whole numbers.

HiGHS is loaded here from arrays, and called in a thread, as all of starmin runs it.
"""

import ctypes
import math
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, partial
from threading import Event
from typing import Any, NamedTuple

import highspy
import numpy as np
from scipy import sparse

from starmin.instances import Run
from starmin.instances.arrays import Floats, Ints
from starmin.instances.runs.background_call import BackgroundCall
from starmin.instances.runs.cores import give_way
from starmin.instances.runs.safe_start import SharedChange
from starmin.instances.runs.search_control import stopping
from starmin.models.solvers.program import INF, Program, Rows, note_bound, stack

# Keeps a line that HiGHS prints for nobody away from the output of a program.


def stray_lines_away() -> AbstractContextManager[None]:
    """Send what libraries in C write by ``printf`` nowhere meanwhile.

    Some versions of HiGHS write a line of their own debugging whatever its option
    ``output_flag`` says. What Python writes goes where it went, from all threads. Where
    the C library is not that of GNU, nothing is changed.

    Examples
    --------
    >>> with stray_lines_away():
    ...     print("Python speaks")
    Python speaks
    """
    return _away.held()


def _send_away() -> Callable[[], None]:
    found = _streams()
    if found is None:
        return lambda: None
    stdout, nowhere = found
    before, stdout.value = stdout.value, nowhere
    return partial(setattr, stdout, "value", before)


@cache
def _streams() -> tuple[Any, int] | None:
    """Return the variable that says where C writes, and a stream that leads nowhere.

    The GNU library documents that the variable may be set; others may not.
    """
    try:
        if not os.confstr("CS_GNU_LIBC_VERSION"):
            return None
    except (AttributeError, ValueError, OSError):
        return None
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    nowhere = libc.fopen(os.devnull.encode(), b"w")
    return (ctypes.c_void_p.in_dll(libc, "stdout"), nowhere) if nowhere else None


_away = SharedChange(_send_away)


# HiGHS as all of starmin runs it: a model loaded from arrays, in a thread.

GRACE = 1.0  # Seconds for which a search waits for HiGHS once it was asked to end.
_COST_BITS = 20


def shift_of(program: Program) -> int:
    """Return by which power of 2 costs are to be divided for HiGHS: 0 for most.

    Its tolerances are absolute: where costs are far above a million, they are beyond
    what floating point can meet.
    """
    highest = float(np.abs(program.cost).max(initial=0))
    return max(0, math.frexp(highest)[1] - _COST_BITS)


def load(program: Program, integer: bool) -> Any:
    """Return a silent HiGHS of one thread that holds a program, or its relaxation."""
    columns = len(program.cost)
    matrix, row_lower, row_upper = stack(program.rows, columns)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = columns, len(row_lower)
    lp.col_cost_ = program.cost
    lp.col_lower_, lp.col_upper_ = program.lower, program.upper
    lp.row_lower_, lp.row_upper_ = row_lower, row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = matrix.indptr
    lp.a_matrix_.index_ = matrix.indices
    lp.a_matrix_.value_ = matrix.data
    if integer:
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        lp.integrality_ = [kinds[int(is_integer)] for is_integer in program.integer]
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    if not integer:
        highs.setOptionValue("user_objective_scale", -shift_of(program))
    highs.passModel(lp)
    return highs


def append_rows(highs: Any, rows: Rows) -> None:
    """Add rows to a program, of each its entries in the order given."""
    count, order = len(rows.lower), np.argsort(rows.row, kind="stable")
    starts = np.searchsorted(rows.row[order], np.arange(count)).astype(np.int32)
    entries = len(order), starts, rows.column[order].astype(np.int32)
    highs.addRows(count, rows.lower, rows.upper, *entries, rows.value[order])


def append_columns(highs: Any, cost: Floats, most: float, *term: Any) -> None:
    """Add columns of 0 to ``most``; ``term`` are their numbers, rows and values."""
    column, row, value = np.broadcast_arrays(*term)
    count, order = len(cost), np.argsort(column, kind="stable")
    starts = np.searchsorted(column[order], np.arange(count)).astype(np.int32)
    entries = len(order), starts, row[order].astype(np.int32)
    sides = np.zeros(count), np.full(count, most)
    highs.addCols(count, cost, *sides, *entries, value[order].astype(np.float64))


def limit_time(highs: Any, seconds: float) -> None:
    """Give HiGHS so many seconds from now on."""
    # HiGHS counts the run time of earlier solves of the same object.
    limit = min(highs.getRunTime() + max(seconds, 0.0), highspy.kHighsInf)
    highs.setOptionValue("time_limit", limit)


class HighsCall(BackgroundCall):
    """HiGHS at work in a thread."""

    def __init__(self, highs: Any, ask_to_end: Callable[[], object]) -> None:
        self._highs = highs
        super().__init__(self._search, ask_to_end)

    def _search(self) -> None:
        with stray_lines_away():
            self._highs.run()

    def finish(self, seconds: float) -> bool:
        """Wait so long and a moment; return whether it ended, and all is to go on."""
        try:
            self.wait(seconds + GRACE)
        finally:
            self.ask_to_end()
            self.wait(GRACE)
        return not (self.running or stopping())

    def status(self) -> highspy.HighsModelStatus:
        """Return how it ended; MemoryError where it ran out of memory."""
        if self.error is not None:
            raise self.error
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kMemoryLimit:
            raise MemoryError
        return status


# Linear programs solved by the interior points of HiGHS.


def solve_interior(program: Program, seconds: float) -> tuple[Floats, Floats] | None:
    """Return a solution and dual values, up to a tolerance; None: none in time.

    They lie inside the best face, where columns that are generated for these dual
    values are fewer and better than for those of a vertex. The columns of the program
    may be fractional, whatever it says of them; it may take so many ``seconds``.

    Examples
    --------
    >>> from starmin.models.solvers.program import Rows
    >>> one, at = np.array([1.0]), np.array([0])
    >>> rows = (Rows(at, at, one, np.array([2.5]), np.array([np.inf])),)
    >>> program = Program(one, 0 * one, np.array([9.0]), np.array([False]), rows)
    >>> x, dual = solve_interior(program, 10.0)
    >>> round(x.item(), 6), round(dual.item(), 6)
    (2.5, 1.0)
    """
    asked = Event()

    def on_check(event: Any) -> None:
        give_way()
        if asked.is_set() or stopping():
            event.interrupt()

    highs = load(program, integer=False)
    highs.setOptionValue("solver", "ipm")
    highs.setOptionValue("run_crossover", "off")
    highs.cbIpmInterrupt.subscribe(on_check)
    highs.cbSimplexInterrupt.subscribe(on_check)
    limit_time(highs, seconds)
    call = HighsCall(highs, asked.set)
    if not call.finish(seconds):
        return None
    # Without a vertex it may miss its own tolerance, and says that it does not know.
    known = highspy.HighsModelStatus
    if call.status() not in (known.kOptimal, known.kUnknown):
        return None
    solution = highs.getSolution()
    if not (solution.value_valid and solution.dual_valid):
        return None
    return np.array(solution.col_value), np.array(solution.row_dual)


# For each entry of its matrix HiGHS takes more than that before its first step, and
# does not look up meanwhile.
_SECONDS_PER_ENTRY = 1e-6


@dataclass(frozen=True, eq=False)
class LpSolution:
    """An optimal basic solution."""

    x: Floats  # by column
    dual: Floats  # by row
    reduced_cost: Floats  # by column
    value: float  # what the solution costs


class LinearSolver:
    """A linear relaxation that can be strengthened and solved again, warm.

    The columns of the program may be fractional, whatever it says of them.

    Examples
    --------
    >>> one = np.array([1.0])
    >>> at = np.array([0])
    >>> rows = (Rows(at, at, one, np.array([2.5]), np.array([np.inf])),)
    >>> program = Program(one, 0 * one, np.array([9.0]), np.array([True]), rows)
    >>> LinearSolver(program).solve(10.0).value
    2.5
    """

    def __init__(self, program: Program) -> None:
        self._highs = load(program, integer=False)
        self._stop = self._warm = False
        self._highs.cbSimplexInterrupt.subscribe(self._on_check)

    def _on_check(self, event: Any) -> None:
        give_way()
        if self._stop or stopping():
            event.interrupt()

    def add(self, rows: Rows) -> None:
        """Add constraints, none of them with a column twice."""
        order = np.lexsort((rows.column, rows.row))
        entries = rows.row[order], rows.column[order], rows.value[order]
        append_rows(self._highs, Rows(*entries, rows.lower, rows.upper))

    def add_columns(self, cost: Floats, entries: Any) -> None:
        """Add columns that are 0 or more.

        ``cost`` is what a unit of each costs; ``entries`` is a sparse matrix, new
        columns x all rows.
        """
        found = sparse.csr_array(entries).tocoo()
        append_columns(self._highs, cost, INF, found.row, found.col, found.data)

    def solve(self, time_limit: float) -> LpSolution | None:
        """Return an optimal solution, or None where the time ran out or HiGHS gave up.

        It is not begun where the time, in seconds, does not suffice for certain. After
        the end of the time it may take HiGHS a while to look up; then nothing more is
        solved. ArithmeticError where HiGHS says that the program is infeasible.
        """
        entries = 0 if self._warm else self._highs.getNumNz()
        if self._stop or time_limit <= _SECONDS_PER_ENTRY * entries:
            return None
        limit_time(self._highs, time_limit)
        call = HighsCall(self._highs, partial(setattr, self, "_stop", True))
        if not call.finish(time_limit):
            return None
        self._stop = False
        status = call.status()
        if status == highspy.HighsModelStatus.kInfeasible:
            raise ArithmeticError(f"HiGHS ended a linear program with {status}.")
        if status != highspy.HighsModelStatus.kOptimal:
            return None
        self._warm = True
        solution = self._highs.getSolution()
        return LpSolution(
            np.array(solution.col_value),
            np.array(solution.row_dual),
            np.array(solution.col_dual),
            float(self._highs.getInfo().objective_function_value),
        )


# What the duals of a linear program prove, in whole numbers.

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
