"""The columns as axes: what a row may show of each, and what hiding costs."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from starmin.instances import Mask, NotSupportedError, Objective, Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.requirements.mask_core import MaskCore
from starmin.instances.scales.chains import Chain, chains_of

MOST_BITS = 60
_MOST_COST = 2**53


@dataclass(frozen=True, eq=False)
class Axes:
    """Units of columns that are hidden together, as axes with levels.

    Level 0 shows the cells of the unit, the last level hides them, and those between
    show a node above the cell of a column with a taxonomy. What a row hides is a code
    of bits: a level l sets the lowest l bits of its axis. So a row shows at
    least the levels of ``care`` if and only if its code has none of the bits of
    ``care``.

    Attributes
    ----------
    units
        The columns of each axis.
    sizes
        Levels of each axis.
    costs
        Lists of costs x levels: what a row pays at a level beyond level 0.
    lists
        By column: for each code the list of its costs.
    least
        By column: for each code what a row pays at level 0.
    kept
        Axes that must stay at level 0.
    whole
        Whether a row pays 1 for anything hidden, whatever it is.
    chains
        By column: what is published at each level; None: values and stars alone.
    """

    units: tuple[tuple[int, ...], ...]
    sizes: Ints
    costs: Ints
    lists: tuple[Ints, ...]
    least: tuple[Ints, ...]
    kept: Bools
    whole: bool
    chains: tuple[Chain, ...] | None = None

    @classmethod
    def of(cls, table: Table, core: MaskCore, objective: Objective) -> "Axes":
        """Make the axes of stars, or of nodes.

        Raises
        ------
        NotSupportedError
            Too many columns or levels, linked columns with taxonomies, or losses too
            large.
        """
        units, kept = tuple(core.units(table.d)), objective.kept(table)
        weights = objective.column_weights(table).tolist()
        chains = None
        if objective.by_node:
            chains = chains_of(objective.scales_of(table))
            paid = _of_nodes(table, units, objective.units(table), chains)
            sizes = [chains[unit[0]].levels for unit in units]
        else:
            cells = [np.zeros(size, np.int64) for size in table.qi_cardinalities]
            costs = [[0, sum(weights[j] for j in unit)] for unit in units]
            of_column = {j: a for a, unit in enumerate(units) for j in unit}
            lists = [cell + of_column[j] for j, cell in enumerate(cells)]
            paid = np.array(costs, np.int64), tuple(lists), tuple(cells)
            sizes = [2] * len(units)
        if sum(sizes) - len(sizes) > MOST_BITS:
            raise NotSupportedError(
                f"Expected at most {MOST_BITS} columns, or levels below the roots of "
                f"taxonomies, got {sum(sizes) - len(sizes)}."
            )
        kept_units = np.array([kept[list(unit)].any() for unit in units], bool)
        return cls(units, np.array(sizes), *paid, kept_units, objective.once, chains)

    def cost_lists(self, table: Table, rows: Ints) -> Ints:
        """Return the list of costs of some rows in each axis: rows x axes."""
        return np.stack(
            [
                self.lists[unit[0]][table.column(table.qi[unit[0]])[rows]]
                for unit in self.units
            ],
            axis=1,
        )

    def least_costs(self, table: Table, rows: Ints) -> Ints:
        """Return what some rows pay where nothing is hidden."""
        paid = [
            own[table.column(column)[rows]]
            for column, own in zip(table.qi, self.least, strict=True)
        ]
        return np.asarray(sum(paid), np.int64)

    @cached_property
    def highest(self) -> Ints:
        """By axis: the most that a row pays for hiding it."""
        return np.array(
            [self.costs[self.lists[unit[0]], -1].max(initial=0) for unit in self.units],
            np.int64,
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

    def mask(self, table: Table, codes: Ints, missing: Bools) -> Mask:
        """Make the mask in which rows hide what their codes say.

        Missing cells, n x d, show nothing as they are; above them no node is published.
        All copies of a row of a counted table are published alike.
        """
        lines = None if table.counts is None else np.arange(len(codes))
        levels = np.zeros((len(codes), table.d), np.int64)
        for a, unit in enumerate(self.units):
            own = np.bitwise_count(codes & self.bits[a])
            levels[:, list(unit)] = own[:, np.newaxis]
        if self.chains is None:
            return Mask(levels > 0, None, lines, table.counts)
        tops = np.array([chain.levels - 1 for chain in self.chains])
        levels[missing & (levels < tops)] = 0
        found = Mask.of_levels(table, levels, self.chains)
        return replace(found, rows=lines, copies=table.counts)


def _of_nodes(
    table: Table,
    units: tuple[tuple[int, ...], ...],
    prices: list[int],
    chains: tuple[Chain, ...],
) -> tuple[Ints, tuple[Ints, ...], tuple[Ints, ...]]:
    """Return the lists of what levels cost, which code has which, and level 0."""
    most = max(chain.levels for chain in chains)
    if sum(p * int(c.losses.max()) for p, c in zip(prices, chains, strict=True)) > (
        _MOST_COST
    ):
        raise NotSupportedError("Expected losses whose common unit is less fine.")
    found, numbers, least = list[Ints](), list[Ints](), list[Ints]()
    total = 0
    for chain, price in zip(chains, prices, strict=True):
        costs = price * chain.losses
        more = np.repeat(costs[:, -1:], most - chain.levels, axis=1)
        wide = np.concatenate([costs, more], axis=1)
        least.append(costs[:, 0])
        lists, of_code = np.unique(wide - wide[:, :1], axis=0, return_inverse=True)
        found.append(lists)
        numbers.append(of_code.ravel() + total)
        total += len(lists)
    every = np.concatenate(found)
    for unit in units:
        if len(unit) == 1:
            continue
        if any(chains[j].levels > 2 for j in unit):
            raise NotSupportedError("Linked columns take no taxonomies.")
        every = np.concatenate([every, sum(every[numbers[j][:1]] for j in unit)])
        numbers[unit[0]] = np.full_like(numbers[unit[0]], len(every) - 1)
    return every, tuple(numbers), tuple(least)
