"""What a mapping takes and gives: points of a space, and points of a line."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from starmin.heuristics.mappings.column_ranks import column_ranks
from starmin.instances import Objective, Table
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import FlatScale


@dataclass(frozen=True, eq=False)
class Points:
    """Distinct points, by places on axes."""

    places: Int32s  # m x d: on each axis one of the places 0, 1, .. of ``sizes``
    sizes: tuple[int, ...]  # how many places each axis has
    units: Floats  # m x d, from 0 to 1: numbers in proportion, other places evenly
    counts: Ints  # how many rows stand at each point

    @classmethod
    def of(cls, table: Table, objective: Objective) -> "Points":
        """Return the row types of a table; columns that may change have an axis each.

        A column to be kept has no axis. Leaves of taxonomies are in their order,
        numbers in theirs, the values of columns without a scale by number or text.
        """
        scales, ranks = objective.scales_of(table), column_ranks(table)
        codes = table.row_types.codes
        places, sizes, units = [], [], []
        for j in np.flatnonzero(~objective.kept(table)):
            scale = scales.scales[j]
            flat = isinstance(scale, FlatScale)
            place = (ranks[j] if flat else scale.positions)[codes[:, j]]
            size = scale.size
            unit = place / max(1, size - 1)
            if isinstance(scale, NumericScale):
                unit = scale.values[place] / scale.span
            places.append(place)
            sizes.append(size)
            units.append(unit)
        m, d = len(codes), len(sizes)
        return cls(
            np.stack(places, axis=1) if d else np.zeros((m, 0), np.int32),
            tuple(sizes),
            np.stack(units, axis=1) if d else np.zeros((m, 0)),
            table.row_types.counts,
        )


class Line(NamedTuple):
    """Points as a mapping puts them on a line."""

    order: Ints  # the points, first to last
    values: Ints | Floats  # in this order their numbers, ascending

    @classmethod
    def of(cls, values: Ints | Floats) -> "Line":
        """Sort points by their numbers; equal ones stay in order."""
        order = np.argsort(values, kind="stable").astype(np.int64)
        return cls(order, values[order])

    def ranks(self) -> Ints:
        """Return for each point its place in the order."""
        ranks = np.empty(len(self.order), np.int64)
        ranks[self.order] = np.arange(len(self.order))
        return ranks


class Mapping(Protocol):
    """What puts points on a line; a new mapping is a new class with this one method."""

    def __call__(self, points: Points, seed: int) -> Line:
        """Return the points on the line; ``seed`` is for what is random."""
        ...
