"""The pattern formulation with ranges: least GCP of small tables, in no order."""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from ortools.sat.python import cp_model
from ortools.sat.python.cp_model import IntVar

from starmin.instances import (
    GCP,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    RowTypes,
    Run,
    Scales,
    Table,
)
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
from starmin.instances.tables.grouping import group_by
from starmin.models.boxes import RANGE_ILP
from starmin.models.solvers.cp_sat_search import MOST_SUM, Watcher, search
from starmin.models.solvers.mip_search import MipSearch
from starmin.models.solvers.program import (
    INF,
    Columns,
    Program,
    Rows,
    at_least,
    linked,
    note_bound,
)

# Which rows may be in which boxes, and the integer program of what they pay.

# The boxes that sets of rows span: a range or node in each column.

_PAIRS = 2**16  # So many pairs of a box and a row type are looked at together.


def boxes_of(
    scales: Scales, places: Int32s, kept: Bools, most: int, run: Run
) -> tuple[Int32s, Int32s]:
    """Return the least and the greatest positions, each b x d, of all boxes.

    A box is what is published of some set of rows: from the least to the greatest
    number, all leaves below the lowest common ancestor, or everything. Each one is the
    box of another and one more row, so all are found from those of single rows.

    ``places`` is m x d, the positions of the row types; ``kept`` are columns in which
    the rows of a box agree. Raises NotSupportedError where there are more than ``most``
    boxes, and TimeoutError where the time of the run is up.
    """
    d = places.shape[1]
    sizes = [scale.size for scale in scales.scales] * 2
    tops = [
        (column, scale.roofs)
        for column, scale in enumerate(scales.scales)
        if isinstance(scale, TaxonomyScale) and scale.roofs is not None
    ]
    boxes = _distinct(np.hstack([places, places]), sizes)
    at_a_time, done = max(1, _PAIRS // len(places)), 0
    while done < len(boxes) <= most:
        run.check_time()
        some = boxes[done : done + at_a_time, np.newaxis]
        low = np.minimum(some[:, :, :d], places).reshape(-1, d)
        high = np.maximum(some[:, :, d:], places).reshape(-1, d)
        agree = (low[:, kept] == high[:, kept]).all(axis=1)
        for column, top in tops:
            agree &= top[low[:, column]] == top[high[:, column]]
        low, high = low[agree], high[agree]
        _widen(scales, low, high)
        done = min(done + at_a_time, len(boxes))
        boxes = _distinct(np.vstack([boxes, np.hstack([low, high])]), sizes)
    if len(boxes) > most:
        raise NotSupportedError(f"Expected at most {most:,} boxes, got more.")
    return boxes[:, :d], boxes[:, d:]


def _distinct(boxes: Int32s, sizes: list[int]) -> Int32s:
    """Return each box once, in the order in which they were found."""
    first = group_by(list(boxes.T), sizes).first
    return np.asarray(boxes[np.sort(first)])


def _widen(scales: Scales, low: Int32s, high: Int32s) -> None:
    """Widen ranges to what is published of them, in place."""
    for j, scale in enumerate(scales.scales):
        wide = low[:, j] < high[:, j]
        if isinstance(scale, NumericScale):
            wide = scale.hidden(low[:, j], high[:, j])
            low[wide, j], high[wide, j] = 0, scale.size - 1
        elif isinstance(scale, TaxonomyScale):
            tree = scale.taxonomy
            nodes = tree.lowest_above(low[wide, j], high[wide, j])
            high[wide, j] = tree.last[nodes]
            low[wide, j] = tree.last[nodes] - tree.counts[nodes] + 1
        else:
            low[wide, j], high[wide, j] = 0, scale.size - 1


MOST_ENTRIES = 20_000_000  # of the rows for one sensitive column, as memory goes


@dataclass(frozen=True, eq=False)
class Incidences:
    """The pairs of a box and a row type that fits into it, with their costs."""

    types: RowTypes  # by QI and, for l-diversity, sensitive values
    box: Ints  # box, type_: the box and the row type of each pair
    type_: Ints
    cost: list[int]  # what a row pays in each pair, in multiples of ``unit``
    unit: int  # the greatest common divisor of all costs
    k: int
    l: int

    @classmethod
    def of(cls, run: Run, most: int) -> "Incidences":
        """Return those of a run's problem, of ``most`` boxes at most."""
        table, objective = run.table, run.objective
        k, l = run.requirement.core.size, run.requirement.core.diversity
        types = table.sensitive_types if l > 1 else table.row_types
        scales = objective.scales_of(table)
        low, high = boxes_of(
            scales, scales.type_positions(table), objective.kept(table), most, run
        )
        places = scales.positions(types.codes)
        from_low = low[:, np.newaxis] <= places
        to_high = places <= high[:, np.newaxis]
        inside: Bools = np.asarray((from_low & to_high).all(axis=2), bool)
        useful = inside @ types.counts >= max(k, l)
        for column in types.sensitive.T if l > 1 else ():
            values = column == np.unique(column)[:, np.newaxis]
            useful &= (inside @ values.T).astype(bool).sum(axis=1) >= l
        box, type_ = np.nonzero(inside[useful])
        extents = scales.extents(low[useful], high[useful]).astype(object)
        units = objective.units(table)
        costs = [int(each) for each in extents @ np.array(units, object)]
        unit = math.gcd(*costs) or 1
        cost = [costs[each] // unit for each in box.tolist()]
        return cls(types, box, type_, cost, unit, k, l)

    @property
    def most_cost(self) -> int:
        """The cost of all rows in all pairs at once, a limit for sums."""
        copies = self.types.counts[self.type_].tolist()
        return sum(map(operator.mul, self.cost, copies))

    def up_to(self, value: int) -> "Incidences":
        """Keep the pairs that releases of this value can use.

        A pair is left out if the value is exceeded even where all other rows pay the
        least that is possible for their types.
        """
        least: dict[int, int] = {}
        for type_, cost in zip(self.type_.tolist(), self.cost, strict=True):
            least[type_] = min(cost, least.get(type_, cost))
        spare = value // self.unit
        spare -= sum(least[t] * c for t, c in enumerate(self.types.counts.tolist()))
        above = [
            c - least[t] for t, c in zip(self.type_.tolist(), self.cost, strict=True)
        ]
        keep = np.flatnonzero([extra <= spare for extra in above])
        _, box = np.unique(self.box[keep], return_inverse=True)
        costs = [self.cost[pair] for pair in keep]
        return replace(self, box=box, type_=self.type_[keep], cost=costs)

    def write(self, cost: Sequence[int]) -> Program:
        """Return the integer program: x for each pair, then y for each box if k > l.

        ``cost`` is what a row pays in each pair, below 2^53.
        """
        made, demand = Columns(), self.types.counts
        counts = demand[self.type_]
        x = made.add(len(self.box), cost, counts)
        rows = [Rows.of(len(demand), demand, demand, (self.type_, x, 1))]
        if self.k > self.l:
            y = made.add(int(self.box.max()) + 1)
            rows.append(at_least(self.box, x, y, self.k))
            rows.append(linked(x, y[self.box], counts))
        rows += [self._diversity(values) for values in self.types.sensitive.T]
        return made.program(rows)

    def _diversity(self, values: Int32s) -> Rows:
        """Return the rows by which a value has at most 1/l of the rows of its box."""
        pairs = np.stack([self.box, values[self.type_]], axis=1)
        known, row = np.unique(pairs, axis=0, return_inverse=True)
        many, sizes = len(known), np.bincount(self.box)
        in_box = np.argsort(self.box, kind="stable")
        begins = np.cumsum(sizes) - sizes
        lengths = sizes[known[:, 0]]
        if lengths.sum() > MOST_ENTRIES:
            raise NotSupportedError(
                f"Expected at most {MOST_ENTRIES:,} entries of rows for diversity, got "
                f"{lengths.sum():,}."
            )
        same = np.repeat(np.arange(many), lengths)
        place = np.arange(len(same)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        other = in_box[begins[known[same, 0]] + place]
        own = row.ravel(), np.arange(len(self.box)), self.l
        return Rows.of(many, -INF, 0, own, (same, other, -1))

    def partition(self, x: Floats) -> Partition:
        """Return the partition into the boxes of a solution."""
        copies = np.round(x[: len(self.box)]).astype(np.int64)
        used = np.flatnonzero(copies)
        return Partition.from_loads(
            self.types, self.box[used], self.type_[used], copies[used]
        )


# The pattern formulation with ranges: least GCP of small tables, in no order.

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
