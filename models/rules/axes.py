"""The columns as axes: what a row may show of each, and what hiding costs."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from starmin.instances import Mask, NotSupportedError, Objective, Table, group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.requirements.mask_core import ItemRule, MaskCore
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


# The combinations of values of each row type, as numbered items.

MOST_ENTRIES = 2**28


@dataclass(frozen=True, eq=False)
class MaskTypes:
    """The distinct rows by quasi-identifiers and strata."""

    first: Ints  # the first row of each type
    copies: Ints  # its rows
    inverse: Int32s  # the type of each row

    @classmethod
    def of(cls, table: Table, core: MaskCore) -> "MaskTypes":
        """Group the rows of a table."""
        names = [*table.qi, *core.strata]
        groups = table.grouped(names)
        return cls(groups.first, groups.summed(table.counts), groups.inverse)

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, eq=False)
class Terms:
    """What each row type shows where its code has some bits and not others.

    A type that is published with ``code`` shows the item of term r if and only if
    ``code & care[r] == want[r]``. Of rules by source the items need no rows that show
    them; they only may or may not be shown.
    """

    care: Ints  # care, want: by term
    want: Ints
    # rule, state: by term: its rule, and the levels of the rule's columns as digits,
    # the first one lowest; by classes of just these levels; else of at least these,
    # none the last
    rule: Ints
    state: Ints
    number: Ints  # by term: its number in certificates
    demanding: Bools  # by term: whether its items need rows that show them
    item: Int32s  # types x terms: the item, -1 where a cell of the type is missing
    starts: Ints  # the items of term r are ``starts[r]`` to ``starts[r + 1]``
    need: Ints  # by item: how many rows must show it
    # by item: how many rows have it; of rules by source how many are counted
    rows: Ints


class Reduced(NamedTuple):
    """What is left to decide."""

    rare: Bools  # by item: whether it is never shown
    alive: Bools  # types x terms: whether a row of the type may show the term
    best: Ints  # by type: the code that shows most
    settled: Bools  # by type: whether it shows its best set in some optimum
    contested: Bools  # by item: whether types that are not settled decide who shows it


def list_terms(
    table: Table,
    core: MaskCore,
    axes: Axes,
    types: MaskTypes,
    check_time: Callable[[], None] = lambda: None,
) -> Terms:
    """Number the items of all rules; NotSupportedError where there are too many.

    ``check_time`` raises where no time is left.
    """
    states = [math.prod(_radix(rule, axes)) for rule in core.rules]
    firsts = np.cumsum([0, *states]).tolist()
    terms = [
        (r, rule, state)
        for r, rule in enumerate(core.rules)
        for state in range(states[r])
        if _possible(rule, _levels(rule, state, axes), axes)
    ]
    if len(terms) * len(types) > MOST_ENTRIES:
        raise NotSupportedError(
            f"{len(types):,} row types with {len(terms):,} combinations of columns are "
            "too many"
        )
    item = np.empty((len(types), len(terms)), np.int32)
    need, rows = list[Ints](), list[Ints]()
    care, want = np.zeros(len(terms), np.int64), np.zeros(len(terms), np.int64)
    missing, total = core.missing(table)[types.first], 0
    for column, (_, rule, state) in enumerate(terms):
        check_time()
        levels = _levels(rule, state, axes)
        own, counts = _count(table, types, missing, rule, axes, levels)
        item[:, column] = np.where(own >= 0, own + total, -1)
        total += len(counts)
        rows.append(counts)
        need.append(np.full(len(counts), rule.k))
        for j, level in zip(rule.columns, levels, strict=True):
            axis = axes.axis_of[j]
            if rule.semantics == "classes":
                care[column] |= int(axes.bits[axis])
                want[column] |= axes.code(axis, level)
            else:
                care[column] |= axes.care(axis, level)
    return Terms(
        care,
        want,
        np.array([r for r, _, _ in terms], np.int64),
        np.array([state for _, _, state in terms], np.int64),
        np.array([firsts[r] + state for r, _, state in terms], np.int64),
        np.array([rule.semantics != "source" for _, rule, _ in terms], bool),
        item,
        np.cumsum([0, *map(len, rows)]),
        np.concatenate(need),
        np.concatenate(rows),
    )


def _radix(rule: ItemRule, axes: Axes) -> list[int]:
    """Return how many levels of each column make items: the last by classes alone."""
    shown = rule.semantics != "classes"
    return [int(axes.sizes[axes.axis_of[j]]) - shown for j in rule.columns]


def _levels(rule: ItemRule, state: int, axes: Axes) -> list[int]:
    """Return the levels of the columns of a rule."""
    levels = []
    for size in _radix(rule, axes):
        levels.append(state % size)
        state //= size
    return levels


def _possible(rule: ItemRule, levels: list[int], axes: Axes) -> bool:
    """Check whether linked columns are hidden together, and none that is kept."""
    chosen: dict[int, int] = {}
    for j, level in zip(rule.columns, levels, strict=True):
        axis = axes.axis_of[j]
        if chosen.setdefault(axis, level) != level:
            return False
    return not any(axes.kept[axis] and level for axis, level in chosen.items())


def _count(
    table: Table,
    types: MaskTypes,
    missing: Bools,
    rule: ItemRule,
    axes: Axes,
    levels: list[int],
) -> tuple[Ints, Ints]:
    """Return for each type its item, -1 for none, and how many rows count for each."""
    shown = [
        (j, level)
        for j, level in zip(rule.columns, levels, strict=True)
        if level < axes.sizes[axes.axis_of[j]] - 1
    ]
    if rule.population is not None and any(level for _, level in shown):
        raise NotSupportedError("A population is counted by values, not by nodes.")
    has = np.flatnonzero(~missing[:, [j for j, _ in shown]].any(axis=1))
    own = np.full(len(types), -1, np.int64)
    names = [*rule.strata, *(table.qi[j] for j, _ in shown)]
    if not names or len(has) == 0:
        own[has] = 0
        return own, np.array([types.copies.sum()] if len(has) else [], np.int64)
    rows = types.first[has]
    codes: list[Ints | Int32s] = [table.column(name)[rows] for name in names]
    for at, (j, level) in enumerate(shown, len(rule.strata)):
        if axes.chains is not None:
            codes[at] = axes.chains[j].nodes[codes[at], level]
    groups = group_by(codes)
    own[has] = groups.inverse
    if rule.population is not None:
        firsts = table.take(rows[groups.first])
        return own, rule.population.counts_of(firsts, names)
    return own, groups.summed(types.copies[has])
