"""Which rows may be in which boxes, and the integer program of what they pay."""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from starmin.instances import NotSupportedError, Partition, RowTypes, Run, Scales
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
from starmin.instances.tables.grouping import group_by
from starmin.models.solvers.program import INF, Program, Rows

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
        pairs, boxes = len(self.box), int(self.box.max()) + 1
        opening = boxes if self.k > self.l else 0
        zeros = np.zeros(opening)
        counts = self.types.counts[self.type_].astype(np.float64)
        each = np.arange(pairs)
        demand = self.types.counts.astype(np.float64)
        rows = [Rows(self.type_, each, np.ones(pairs), demand, demand)]
        if opening:
            rows += self._openings(counts)
        rows += [self._diversity(values) for values in self.types.sensitive.T]
        return Program(
            np.append(np.array(cost, np.float64), zeros),
            np.zeros(pairs + opening),
            np.append(counts, np.ones(opening)),
            np.ones(pairs + opening, bool),
            tuple(rows),
        )

    def _openings(self, counts: Floats) -> list[Rows]:
        """Return the rows by which an open box has k rows, and a closed one none."""
        pairs, boxes = len(self.box), int(self.box.max()) + 1
        each, y = np.arange(pairs), pairs + np.arange(boxes)
        sizes = Rows(
            np.concatenate([self.box, np.arange(boxes)]),
            np.concatenate([each, y]),
            np.concatenate([np.ones(pairs), np.full(boxes, -float(self.k))]),
            np.zeros(boxes),
            np.full(boxes, INF),
        )
        links = Rows(
            np.concatenate([each, each]),
            np.concatenate([each, pairs + self.box]),
            np.concatenate([np.ones(pairs), -counts]),
            np.full(pairs, -INF),
            np.zeros(pairs),
        )
        return [sizes, links]

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
        """Return the partition into the boxes of a solution."""
        copies = np.round(x[: len(self.box)]).astype(np.int64)
        used = np.flatnonzero(copies)
        return Partition.from_loads(
            self.types, self.box[used], self.type_[used], copies[used]
        )
