"""The pattern formulation with ranges: least GCP of small tables, in no order."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from instances import (
    BoolArray,
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
    expect_parts,
    least_diversity,
    least_size,
)
from models.highs import MipSearch
from models.program import INF, Floats, Program, Rows
from models.range_boxes import boxes_of

Ints = npt.NDArray[np.int64]

MAX_BOXES = 20_000
GCP = Objective("gcp")


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
    ``models.one_dimensional``) is what their order costs.

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

    Parameters
    ----------
    table
        Of no more than 20,000 boxes: some 100 different numbers in one column, or a
        dozen row types in several.
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

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or more boxes.

    Notes
    -----
    Values 0, 49, 50, 51, 100 with k = 2: 206, consecutive groups lose 248.

    Examples
    --------
    >>> from instances import Scales
    >>> rows = [[str(x)] for x in (0, 49, 50, 51, 100)]
    >>> table = Table.from_rows(["x"], rows, ["x"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> result = range_ilp(table, KAnonymity(2), objective=gcp)
    >>> result.value, result.lower_bound, result.best.groups.tolist()
    (206, 206, [0, 1, 1, 1, 0])
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    if objective.kind != "gcp":
        raise NotSupportedError(f"Expected the objective gcp, got {objective.kind}.")
    run = Run(table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    run.offer(initial or Partition.coarsest(table, objective.keep))
    try:
        program = _Incidences.of(run)
        search = MipSearch(program.write(), run.remaining, seed=seed)
        search.finish(run.remaining)
    except TimeoutError:
        return run.result(Limit.TIME)
    except KeyboardInterrupt:
        return run.result(Limit.INTERRUPTED)
    for x in search.solutions():
        run.offer(program.partition(x))
    bound = search.end()
    if math.isfinite(bound):
        run.raise_bound(math.ceil(program.unit * bound - 1e-6), "range_ilp")
    return run.result(Limit.TIME)


@dataclass(frozen=True, eq=False)
class _Incidences:
    """Which types fit into which boxes.

    Attributes
    ----------
    types
        By QI and, for l-diversity, sensitive values.
    box, type_
        The pairs.
    price
        What a row pays in each pair, in multiples of ``unit``.
    k, l
        The requirement.
    """

    types: RowTypes
    box: Ints
    type_: Ints
    price: Floats
    unit: int
    k: int
    l: int

    @classmethod
    def of(cls, run: Run) -> "_Incidences":
        table, objective = run.table, run.objective
        k, l = least_size(run.requirement), least_diversity(run.requirement)
        types = table.sensitive_types if l > 1 else table.row_types
        scales = objective.scales_of(table)
        low, high = boxes_of(
            scales, scales.type_positions(table), objective.kept(table), MAX_BOXES, run
        )
        places = scales.positions(types.codes)
        from_low = low[:, np.newaxis] <= places
        to_high = places <= high[:, np.newaxis]
        inside: BoolArray = np.asarray((from_low & to_high).all(axis=2), bool)
        useful = inside @ types.counts >= max(k, l)
        for column in types.sensitive.T if l > 1 else ():
            values = column == np.unique(column)[:, np.newaxis]
            useful &= (inside @ values.T).astype(bool).sum(axis=1) >= l
        box, type_ = np.nonzero(inside[useful])
        extents = scales.extents(low[useful], high[useful]).astype(object)
        units = objective.units(table)
        prices = [int(price) for price in extents @ np.array(units, object)]
        unit = math.gcd(*prices) or 1
        price = np.array([price // unit for price in prices], np.float64)
        return cls(types, box, type_, price[box], unit, k, l)

    def write(self) -> Program:
        """The integer program: x for each pair, then y for each box if k > l."""
        pairs, boxes = len(self.box), int(self.box.max()) + 1
        opening = boxes if self.k > self.l else 0
        counts = self.types.counts[self.type_].astype(np.float64)
        each = np.arange(pairs)
        demand = self.types.counts.astype(np.float64)
        rows = [Rows(self.type_, each, np.ones(pairs), demand, demand)]
        if opening:
            y = pairs + np.arange(boxes)
            rows.append(
                Rows(
                    np.concatenate([self.box, np.arange(boxes)]),
                    np.concatenate([each, y]),
                    np.concatenate([np.ones(pairs), np.full(boxes, -float(self.k))]),
                    np.zeros(boxes),
                    np.full(boxes, INF),
                )
            )
            rows.append(
                Rows(
                    np.concatenate([each, each]),
                    np.concatenate([each, pairs + self.box]),
                    np.concatenate([np.ones(pairs), -counts]),
                    np.full(pairs, -INF),
                    np.zeros(pairs),
                )
            )
        rows += [self._diversity(values) for values in self.types.sensitive.T]
        return Program(
            np.append(self.price, np.zeros(opening)),
            np.zeros(pairs + opening),
            np.append(counts, np.ones(opening)),
            np.ones(pairs + opening, bool),
            tuple(rows),
        )

    def _diversity(self, values: npt.NDArray[np.int32]) -> Rows:
        """``l`` times a value's rows are no more than all rows of its box."""
        pairs = np.stack([self.box, values[self.type_]], axis=1)
        known, row = np.unique(pairs, axis=0, return_inverse=True)
        same, other = np.nonzero(known[:, :1] == self.box)
        many = len(known)
        return Rows(
            np.concatenate([row.ravel(), same]),
            np.concatenate([np.arange(len(self.box)), other]),
            np.concatenate(
                [np.full(len(self.box), float(self.l)), -np.ones(len(same))]
            ),
            np.full(many, -INF),
            np.zeros(many),
        )

    def partition(self, x: Floats) -> Partition:
        """The groups of a solution."""
        copies = np.round(x[: len(self.box)]).astype(np.int64)
        used = np.flatnonzero(copies)
        return Partition.from_loads(
            self.types, self.box[used], self.type_[used], copies[used]
        )
