"""The columns as axes: what a row may show of each, and what hiding costs."""

from collections.abc import Mapping, Sequence
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
    of bits: a level l sets the lowest l bits of its axis. So a row shows at least the
    levels of ``care`` if and only if its code has none of the bits of ``care``.
    """

    units: tuple[tuple[int, ...], ...]  # the columns of each axis
    sizes: Ints  # levels of each axis
    costs: Ints  # lists of costs x levels: what a row pays at a level beyond level 0
    # by column: for each code the list of its costs; of linked ones what hiding the
    # cell costs, which is nothing where it shows nothing as it is
    lists: tuple[Ints, ...]
    # by axis of linked columns: what hiding them costs in some row, ascending, and the
    # first of the lists of these costs, which are in this order
    joined: Mapping[int, tuple[Ints, int]]
    least: tuple[Ints, ...]  # by column: for each code what a row pays at level 0
    kept: Bools  # axes that must stay at level 0
    whole: bool  # whether a row pays 1 for anything hidden, whatever it is
    # by column: what is published at each level; None: values and stars alone
    chains: tuple[Chain, ...] | None = None

    @classmethod
    def of(cls, table: Table, core: MaskCore, objective: Objective) -> "Axes":
        """Make the axes of stars, or of nodes.

        NotSupportedError where there are too many columns or levels, linked columns
        with taxonomies, or losses too large.
        """
        units, kept = tuple(core.units(table.d)), objective.kept(table)
        weights = objective.column_weights(table).tolist()
        chains = None
        if objective.by_node:
            chains = chains_of(objective.scales_of(table))
            costs, lists, least = _of_nodes(objective.units(table), chains)
            sizes = [chains[unit[0]].levels for unit in units]
        else:
            least = [np.zeros(size, np.int64) for size in table.qi_cardinalities]
            costs = np.array([[0, weight] for weight in weights], np.int64)
            lists = [cell + j for j, cell in enumerate(least)]
            sizes = [2] * len(units)
        joined = dict[int, tuple[Ints, int]]()
        for a, unit in enumerate(units):
            if len(unit) == 1:
                continue
            if chains is not None and any(chains[j].levels > 2 for j in unit):
                raise NotSupportedError("Linked columns take no taxonomies.")
            for j in unit:
                texts = table.dictionary(table.qi[j])
                free = np.array([text in core.hidden for text in texts], bool)
                lists[j] = np.where(free, 0, costs[lists[j], 1])
            paid = np.unique(_together(table, unit, lists))
            joined[a] = paid, len(costs)
            more = np.repeat(paid[:, np.newaxis], costs.shape[1], axis=1)
            more[:, 0] = 0
            costs = np.concatenate([costs, more])
        if sum(sizes) - len(sizes) > MOST_BITS:
            raise NotSupportedError(
                f"Expected at most {MOST_BITS} columns, or levels below the roots of "
                f"taxonomies, got {sum(sizes) - len(sizes)}."
            )
        kept_units = np.array([kept[list(unit)].any() for unit in units], bool)
        each = tuple(lists), joined, tuple(least), kept_units
        return cls(units, np.array(sizes), costs, *each, objective.once, chains)

    def cost_lists(self, table: Table, rows: Ints) -> Ints:
        """Return the list of costs of some rows in each axis: rows x axes."""
        found = list[Ints]()
        for a, unit in enumerate(self.units):
            own = _together(table, unit, self.lists)[rows]
            if a in self.joined:
                paid, first = self.joined[a]
                own = first + np.searchsorted(paid, own)
            found.append(own)
        return np.stack(found, axis=1)

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
            [
                self.joined[a][0].max(initial=0)
                if a in self.joined
                else self.costs[self.lists[unit[0]], -1].max(initial=0)
                for a, unit in enumerate(self.units)
            ],
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

        Missing cells, n x d, show nothing as they are: above them no node is published,
        and no star if linked columns are hidden. All copies of a row of a counted table
        are published alike.
        """
        lines = None if table.counts is None else np.arange(len(codes))
        levels = np.zeros((len(codes), table.d), np.int64)
        for a, unit in enumerate(self.units):
            own = np.bitwise_count(codes & self.bits[a])
            levels[:, list(unit)] = own[:, np.newaxis]
            if a in self.joined:
                levels[:, list(unit)] *= ~missing[:, list(unit)]
        if self.chains is None:
            return Mask(levels > 0, None, lines, table.counts)
        tops = np.array([chain.levels - 1 for chain in self.chains])
        levels[missing & (levels < tops)] = 0
        found = Mask.of_levels(table, levels, self.chains)
        return replace(found, rows=lines, copies=table.counts)


def _together(table: Table, unit: tuple[int, ...], of_code: Sequence[Ints]) -> Ints:
    """Return by row the sum of what columns have for its codes."""
    own = [of_code[j][table.column(table.qi[j])] for j in unit]
    return np.asarray(sum(own[1:], start=own[0]))


def _of_nodes(
    prices: list[int], chains: tuple[Chain, ...]
) -> tuple[Ints, list[Ints], list[Ints]]:
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
    return np.concatenate(found), numbers, least
