"""The pattern formulation with ranges: least GCP of small tables, in no order."""

import math
from collections.abc import Sequence

import numpy as np
from ortools.sat.python import cp_model
from ortools.sat.python.cp_model import IntVar

from starmin.instances import (
    GCP,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.models.ranges import RANGE_ILP
from starmin.models.ranges.incidences import Incidences
from starmin.models.solvers.cp_sat_search import MOST_SUM, Watcher, search
from starmin.models.solvers.mip_search import MipSearch
from starmin.models.solvers.program import Program
from starmin.models.solvers.whole_bound import note_bound

MAX_BOXES = 20_000
_MOST_COST = (
    2**20
)  # The largest cost of a row that HiGHS gets: its tolerances are absolute.


def range_ilp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = GCP,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    r"""Solves GCP minimisation by generalization exactly, on small tables.

    The groups need be in no order, so the difference to methods along a line (or to
    ``starmin.models.one_dimensional``) is what their order costs.

    The formulation is that of ``pattern_ilp``, its patterns being *boxes*: a range on
    each scale, or a node of its taxonomy. A row in box b pays :math:`c_b`, its NCP,
    whatever else is in the box, which makes size times NCP linear. With
    :math:`x_{bt}` rows of type t in b,

    .. math::

        \min \sum c_b x_{bt} \quad \text{subject to} \quad
        & \sum_b x_{bt} = s_t, \quad
          \sum_t x_{bt} \ge k y_b, \quad x_{bt} \le s_t y_b, \\
        & l \sum_{t: v(t) = v} x_{bt} \le \sum_t x_{bt}
          \quad \text{for each sensitive value } v

    with integer x and, for k-anonymity, binary y. Boxes are those that a set of rows
    spans; those with too few rows or values are left out.

    HiGHS solves the program with costs in multiples of q, rounded down, q such that
    none is above 2^20: its bound times q holds for the true costs, too. Where q > 1,
    CP-SAT closes what is left, in whole numbers.

    Parameters
    ----------
    table
        Of no more than 20,000 boxes: some 100 different numbers in one column, or a
        dozen distinct rows in several.
    requirement
        ``KAnonymity``, ``LDiversity`` (frequency form; every sensitive column) or both.
    objective
        ``gcp``: scales, weights and columns to be kept.
    time_limit
        Wall-clock seconds; then the best release, the bound and the gap are returned.
    seed
        For the solver's random choices.
    display
        Print a line (time, value, bound, gap) to stderr at each improvement.
    initial
        A release to improve on.

    Returns
    -------
    Result
        Optimal where it ends in time, unless costs do not fit into 64 bits, as of
        three columns of many digits each: then a gap of some 0.001 % may be left.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or more boxes.

    Notes
    -----
    Values 0, 49, 50, 51, 100 with k = 2: 206, consecutive groups lose 248.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Scales
    >>> rows = [[str(x)] for x in (0, 49, 50, 51, 100)]
    >>> table = Table.from_rows(["x"], rows, ["x"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> result = range_ilp(table, KAnonymity(2), objective=gcp)
    >>> result.value, result.lower_bound, result.best.groups.tolist()
    (206, 206, [0, 1, 1, 1, 0])
    """
    run = Run(table, requirement, objective, time_limit, display, RANGE_ILP)

    def solve() -> Limit | None:
        run.offer(initial or Partition.coarsest(table, objective))
        return _solve(run, seed)

    return run.carry_out(solve)


def _solve(run: Run, seed: int) -> Limit | None:
    """Search, first with rounded costs; return why it stopped with a gap."""
    incidences = Incidences.of(run, MAX_BOXES)
    run.check_time()
    coarse = max(incidences.cost) // _MOST_COST + 1
    program = incidences.write([cost // coarse for cost in incidences.cost])
    run.check_time()
    search = MipSearch(program, run.remaining, seed=seed)
    try:
        search.finish(run.remaining)
    finally:
        for x in map(np.rint, search.solutions()):
            if program.holds(x):
                run.offer(incidences.partition(x))
        note_bound(run, search.end(), "range_ilp", incidences.unit * coarse)
    if run.closed or run.remaining == 0:
        return Limit.TIME
    return _close(run, incidences, seed)


def _close(run: Run, incidences: Incidences, seed: int) -> Limit | None:
    """Search by CP-SAT among the pairs that a better release can use."""
    assert run.value is not None
    incidences = incidences.up_to(run.value)
    if incidences.most_cost > MOST_SUM:
        return Limit.ITERATIONS
    program = incidences.write([0] * len(incidences.cost))
    model, x = cp_program(program, incidences.cost)
    return search(model, run, _Found(incidences, x), "range_ilp", seed, 2)


class _Found(Watcher):
    """Takes the partitions that CP-SAT finds."""

    def __init__(self, incidences: Incidences, x: list[IntVar]) -> None:
        super().__init__(incidences.unit)
        self.incidences, self.x = incidences, x

    def release(self) -> Partition:
        """Return the partition of the solution that was just found."""
        return self.incidences.partition(
            np.array([self.value(each) for each in self.x])
        )


def cp_program(
    program: Program, cost: Sequence[int]
) -> tuple[cp_model.CpModel, list[cp_model.IntVar]]:
    """Return the model, and its variables, of a program whose numbers are all whole.

    The columns of the program are bounded. ``cost`` is of the first columns, in the
    place of the program's own, which are floats. The sum of all, times the upper bounds
    of their columns, is at most ``MOST_SUM``.

    Examples
    --------
    >>> from starmin.models.solvers.program import INF, Rows
    >>> at, two = np.array([0, 0]), np.full(2, 2.0)
    >>> rows = (Rows(at, np.arange(2), two, np.array([3.0]), np.array([INF])),)
    >>> program = Program(two, 0 * two, two, two > 0, rows)
    >>> model, _ = cp_program(program, [10**12, 10**12 + 1])
    >>> from starmin.models.solvers.cp_sat_search import new_solver
    >>> solver = new_solver()
    >>> int(solver.objective_value) if solver.solve(model) == cp_model.OPTIMAL else None
    2000000000000
    """
    model = cp_model.CpModel()
    ends = zip(program.lower, program.upper, strict=True)
    x = [model.new_int_var(int(low), int(high), "") for low, high in ends]
    for block in program.rows:
        order = np.argsort(block.row, kind="stable")
        starts = np.searchsorted(block.row[order], np.arange(1, len(block.lower)))
        for row, entries in enumerate(np.split(order, starts)):
            terms = cp_model.LinearExpr.weighted_sum(
                [x[column] for column in block.column[entries]],
                block.value[entries].astype(np.int64).tolist(),
            )
            low, high = _whole(block.lower[row]), _whole(block.upper[row])
            model.add_linear_constraint(terms, low, high)
    model.minimize(cp_model.LinearExpr.weighted_sum(x[: len(cost)], list(cost)))
    return model, x


def _whole(end: float) -> int:
    if math.isfinite(end):
        return int(end)
    return int(cp_model.INT_MAX if end > 0 else cp_model.INT_MIN)
