"""How the values of columns are distributed, before and after: what a reader counts.

A hidden cell counts nowhere; a range or a node counts evenly for the values that it
stands for.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import Scales, Table, as_number
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.scale import Scale
from starmin.verify.utility import Spread

_MANY = 12  # different numbers from which on a mean says more than a share


@dataclass(frozen=True)
class Distribution:
    """One column."""

    name: str
    values: tuple[str | None, ...]  # those of the original, in the order of its scale
    # before, after: by value: the rows that have it, and those that are told to have it
    before: Floats
    after: Floats
    # values that say that nothing is known; they are no numbers
    missing: Collection[str | None] = MISSING
    # whether its values are codes, joined by how they begin, and no numbers
    codes: bool = False

    @property
    def told(self) -> float:
        """The share of the rows of which something is told."""
        return float(self.after.sum() / self.before.sum())

    @cached_property
    def numbers(self) -> Floats | None:
        """The values as numbers; None unless all but missing ones are, and are many.

        A missing value is not a number (nan).
        """
        if self.codes:
            return None
        found = [
            float("nan") if value in self.missing else as_number(value)
            for value in self.values
        ]
        if None in found:
            return None
        numbers = np.array(found, float)
        many = len(np.unique(numbers[~np.isnan(numbers)])) > _MANY
        return numbers if many else None

    @property
    def without_number(self) -> int:
        """How many rows of a column of numbers have none."""
        if self.numbers is None:
            return 0
        return int(self.before[np.isnan(self.numbers)].sum())

    def means(self) -> tuple[float, float | None] | None:
        """Return the mean before and after; None for values that are no numbers."""
        if self.numbers is None:
            return None
        numbers = self.numbers[there := ~np.isnan(self.numbers)]
        before, after = (
            float(numbers @ weights) / total
            if (total := float(weights.sum()))
            else None
            for weights in (self.before[there], self.after[there])
        )
        return None if before is None else (before, after)

    def shares(self, place: int) -> tuple[float, float | None]:
        """Return the share of a value before, and among what is told after."""
        told = float(self.after.sum())
        after = float(self.after[place]) / told if told else None
        return float(self.before[place] / self.before.sum()), after

    def most_frequent(self, count: int) -> list[int]:
        """Return the places of the most frequent values of the original."""
        order = np.argsort(-self.before, kind="stable")
        return [int(place) for place in order[:count]]


def distributions(
    original: Table,
    spread: Spread,
    scales: Scales,
    missing: Collection[str | None] = MISSING,
    weights: Floats | None = None,
) -> list[Distribution]:
    """Return the distribution of each QI column that has values.

    ``spread`` is what the release says, and ``scales`` are how columns of the original
    are generalized; ``missing`` values say that nothing is known. ``weights`` are how
    many people each row of the original stands for, where the spread was made with
    those of the release; default: one.

    >>> from starmin.verify.utility import spread_of
    >>> table = Table.from_rows(["a"], [["x"], ["y"], ["y"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["*"], ["*"], ["y"]], qi=["a"])
    >>> scales = Scales.of(table)
    >>> one, = distributions(table, spread_of(released, table, scales), scales)
    >>> one.values, one.before.tolist(), one.after.tolist(), round(one.told, 2)
    (('x', 'y'), [1.0, 2.0], [0.0, 1.0], 0.33)
    """
    people, found = original.n if weights is None else float(weights.sum()), []
    for j, (column, scale) in enumerate(zip(original.qi, scales.scales, strict=True)):
        at, codes = places_of(original, column, scale)
        values = tuple(original.dictionary(column)[code] for code in codes)
        positions = scale.positions[original.column(column)]
        before = np.bincount(positions, weights, scale.size)[at].astype(float)
        # By position the share of the rows that are told to have it.
        some = says(spread, j, scale.size)
        mass = (spread.mass / spread.widths[:, j])[some]
        sums = np.bincount(spread.low[some, j], mass, scale.size + 1)
        sums -= np.bincount(spread.high[some, j] + 1, mass, scale.size + 1)
        after = sums.cumsum()[:-1].clip(0)[at] * people
        # Values that are joined by how they begin, as postal codes are, are codes.
        labels = () if scale.layout.tree is None else scale.layout.tree.labels
        are_codes = any(label[1:].endswith("*") for label in labels)
        found.append(Distribution(column, values, before, after, missing, are_codes))
    return found


def places_of(original: Table, column: str, scale: Scale) -> tuple[Ints, Ints]:
    """Return the positions of a column that occur on a scale, and a code with each."""
    codes = np.unique(original.column(column))
    at, first = np.unique(scale.positions[codes], return_index=True)
    return at.astype(np.int64), codes[first].astype(np.int64)


def says(spread: Spread, column: int, size: int) -> Bools:
    """Find the boxes that say something of a column of so many positions."""
    low, high = spread.low[:, column], spread.high[:, column]
    return np.asarray((low > 0) | (high < size - 1) | (size == 1))
