"""The columns as axes: what a row may show of each, and what hiding costs."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import NotSupportedError, Objective, Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.requirements.mask_core import MaskCore

MOST_BITS = 60


@dataclass(frozen=True, eq=False)
class Axes:
    """Units of columns that are hidden together, as axes with levels.

    Level 0 shows the cells of the unit; the last level hides them. What a row hides
    is a code of bits: a level l sets the lowest l bits of its axis. So a row shows at
    least the levels of ``care`` if and only if its code has none of the bits of
    ``care``.

    Attributes
    ----------
    units
        The columns of each axis.
    sizes
        Levels of each axis.
    costs
        Axes x levels: what a row pays at a level.
    kept
        Axes that must stay at level 0.
    whole
        Whether a row pays 1 for anything hidden, whatever it is.
    """

    units: tuple[tuple[int, ...], ...]
    sizes: Ints
    costs: Ints
    kept: Bools
    whole: bool

    @classmethod
    def of(cls, table: Table, core: MaskCore, objective: Objective) -> "Axes":
        """Make the axes of stars.

        Raises
        ------
        NotSupportedError
            Too many columns, or losses by generalization.
        """
        if objective.by_node:
            raise NotSupportedError("Rules over combinations take stars or tuples.")
        units = tuple(core.units(table.d))
        if len(units) > MOST_BITS:
            raise NotSupportedError(
                f"Expected at most {MOST_BITS} columns, got {len(units)}."
            )
        weights, kept = objective.column_weights(table), objective.kept(table)
        costs = np.zeros((len(units), 2), np.int64)
        costs[:, 1] = [weights[list(unit)].sum() for unit in units]
        return cls(
            units,
            np.full(len(units), 2),
            costs,
            np.array([kept[list(unit)].any() for unit in units], bool),
            objective.once,
        )

    @cached_property
    def offsets(self) -> Ints:
        """The first bit of each axis."""
        bits = self.sizes - 1
        return np.asarray(np.cumsum(bits) - bits)

    @cached_property
    def bits(self) -> Ints:
        """All bits of each axis."""
        return np.asarray(((1 << (self.sizes - 1)) - 1) << self.offsets)

    @cached_property
    def kept_bits(self) -> int:
        """The bits that no row may set."""
        return int(self.bits[self.kept].sum())

    @cached_property
    def axis_of(self) -> dict[int, int]:
        """The axis of each column."""
        return {j: a for a, unit in enumerate(self.units) for j in unit}

    def code(self, axis: int, level: int) -> int:
        """Return the bits of a level."""
        return int(((1 << level) - 1) << self.offsets[axis])

    def care(self, axis: int, level: int) -> int:
        """Return the bits that a row which shows at least this level does not have."""
        return int(self.bits[axis]) & ~self.code(axis, level)

    def starred(self, codes: Ints) -> Bools:
        """Return which columns are hidden by each code: n x d."""
        d = sum(map(len, self.units))
        starred = np.zeros((len(codes), d), bool)
        for a, unit in enumerate(self.units):
            starred[:, list(unit)] = ((codes & self.bits[a]) == self.bits[a])[
                :, np.newaxis
            ]
        return starred
