r"""The program of rules over combinations, reduced to what is still open.

Row types t with :math:`s_t` rows choose sets S of columns that they show; items i are
combinations of values that some rule asks :math:`k_i` rows of:

.. math::

    \min \sum_{t,S} c(S) z_{tS}, \qquad \sum_S z_{tS} = s_t, \qquad
    \sum_{S \text{ shows } i} z_{tS} \le s_t y_i, \qquad
    \sum_t \sum_{S \text{ shows } i} z_{tS} \ge k_i y_i

with y binary and z whole; no S shows a rare item.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from starmin.instances import Mask, Objective, Requirement, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.instances.requirements.mask_core import MaskCore, mask_core
from starmin.models.rules.axes import Axes, MaskTypes, Reduced, Terms, list_terms
from starmin.models.rules.choices import Choices, list_choices, rare_sets
from starmin.models.rules.price_loops import codes_of

# What is settled before any search: rare combinations, and types that show the rest.
#
# An item that too few rows can show is never shown. The *best set* of a type shows, of
# each column, what some set without a rare item shows. In some optimum all types of the
# greatest set G show theirs: those whose best set shows no rare item, and all of whose
# items are shown by enough rows if exactly the types of G show their best sets.
# Replacing what a row of G shows by its best set hides no more and takes no row from
# any item. This holds as long as items are shown by whoever shows at least their
# columns, so not for rules by classes, where no type is settled.


def reduce_terms(
    terms: Terms,
    types: MaskTypes,
    axes: Axes,
    check_time: Callable[[], None] = lambda: None,
) -> Reduced:
    """Find rare items, best sets and types that are settled."""
    care = terms.care & ~axes.kept_bits
    demanding = np.repeat(terms.demanding, np.diff(terms.starts))
    rare, zero = terms.rows < terms.need, care & ~terms.want
    order = np.argsort(np.bitwise_count(care), kind="stable")
    order = order[terms.want[order] == 0]
    while True:
        check_time()
        given = terms.item, rare, care, zero, order, types.copies
        alive, rows = _may_show(*given)
        more = demanding & ~rare & (rows < terms.need)
        if not more.any():
            break
        rare |= more
    axis_of_bit = np.repeat(np.arange(len(axes.sizes)), axes.sizes - 1)
    at_least = np.flatnonzero(terms.want == 0)
    best = _best_codes(terms.item, rare, care, at_least, axes.bits, axis_of_bit)
    if len(at_least) < len(care):
        none = np.zeros(len(types), bool)
        return Reduced(rare, alive, best, none, demanding & ~rare)
    settled = ~_shows_any(terms.item, rare, care, best)
    while True:
        check_time()
        shown = _rows_shown(terms.item, care, best, settled, types.copies, len(rare))
        few = demanding & ~rare & (shown < terms.need)
        fewer = settled & ~_shows_any(terms.item, few, care, best)
        if fewer.sum() == settled.sum():
            return Reduced(rare, alive, best, settled, few)
        settled = fewer


@compiled
def _may_show(
    item: Int32s, rare: Bools, care: Ints, zero: Ints, order: Ints, copies: Ints
) -> tuple[Bools, Ints]:
    """Return which terms each type may show, and by item how many rows may."""
    alive, rows = np.zeros(item.shape, np.bool_), np.zeros(len(rare), np.int64)
    dead = np.empty(len(care), np.int64)
    for t in range(item.shape[0]):
        found = rare_sets(item[t], rare, care, order, dead)
        for e in range(item.shape[1]):
            if item[t, e] < 0 or rare[item[t, e]]:
                continue
            alive[t, e] = True
            for d in range(found):
                if dead[d] & ~zero[e] == 0:
                    alive[t, e] = False
                    break
            if alive[t, e]:
                rows[item[t, e]] += copies[t]
    return alive, rows


@compiled
def _best_codes(
    item: Int32s, rare: Bools, care: Ints, at_least: Ints, bits: Ints, axis_of_bit: Ints
) -> Ints:
    best = np.zeros(item.shape[0], np.int64)
    for t in range(item.shape[0]):
        for e in at_least:
            if item[t, e] < 0 or not rare[item[t, e]] or care[e] == 0:
                continue
            lowest = care[e] & -care[e]
            place = 0
            while lowest >> place > 1:
                place += 1
            own = bits[axis_of_bit[place]]
            if care[e] & ~own == 0:
                best[t] |= ((lowest << 1) - 1) & own
    return best


@compiled
def _shows_any(item: Int32s, marked: Bools, care: Ints, code: Ints) -> Bools:
    """Find the types that show a marked item under a code of their own."""
    shows = np.zeros(item.shape[0], np.bool_)
    for t in range(item.shape[0]):
        for e in range(item.shape[1]):
            if item[t, e] >= 0 and marked[item[t, e]] and code[t] & care[e] == 0:
                shows[t] = True
                break
    return shows


@compiled
def _rows_shown(
    item: Int32s, care: Ints, code: Ints, those: Bools, copies: Ints, items: int
) -> Ints:
    """Count the rows of some types that show each item under codes of their own."""
    rows = np.zeros(items, np.int64)
    for t in np.flatnonzero(those):
        for e in range(item.shape[1]):
            if item[t, e] >= 0 and code[t] & care[e] == 0:
                rows[item[t, e]] += copies[t]
    return rows


# The program.


@dataclass(frozen=True, eq=False)
class RuleProgram:
    """The items and what each open row type may show."""

    table: Table
    core: MaskCore
    objective: Objective
    axes: Axes
    types: MaskTypes
    terms: Terms
    reduced: Reduced
    cost: Ints  # types of the table x axes: the list of costs in each axis
    # what open types may show; types that differ in nothing that is open are one
    choices: Choices
    same: Ints  # for each open type of the table its place among these
    copies: Ints  # by place: its rows

    @classmethod
    def of(
        cls,
        table: Table,
        requirement: Requirement,
        objective: Objective,
        check_time: Callable[[], None] = lambda: None,
    ) -> "RuleProgram":
        """Make the program of a problem that has a mask.

        ``check_time`` raises where no time is left. NotSupportedError where the
        requirement is none of rules, or the table has too many columns.
        """
        core = mask_core(requirement, table)
        axes = Axes.of(table, core, objective)
        types = MaskTypes.of(table, core)
        terms = list_terms(table, core, axes, types, check_time)
        reduced = reduce_terms(terms, types, axes, check_time)
        free = np.flatnonzero(~reduced.settled)
        cost = axes.cost_lists(table, types.first)
        choices = list_choices(terms, reduced, axes, free, cost)
        first, same = _alike(choices, check_time)
        copies = np.bincount(same, types.copies[free]).astype(np.int64)
        if len(first) < len(free):
            choices = list_choices(terms, reduced, axes, free[first], cost)
        parts = axes, types, terms, reduced, cost, choices, same, copies
        return cls(table, core, objective, *parts)

    def __len__(self) -> int:
        return len(self.copies)

    @property
    def once(self) -> int:
        """What a row pays for anything hidden, 0 where costs are by column."""
        return int(self.axes.whole)

    @cached_property
    def costs(self) -> Ints:
        """Lists of costs x levels: what a row pays, 0 where it pays once."""
        return self.axes.costs * (not self.axes.whole)

    @cached_property
    def fixed(self) -> int:
        """What settled types pay, and all rows where they hide nothing."""
        settled, types = np.flatnonzero(self.reduced.settled), self.types
        costs = self.costs_of(self.reduced.best[settled], settled)
        least = self.axes.least_costs(self.table, types.first)
        return int(costs @ types.copies[settled] + least @ types.copies)

    @cached_property
    def base_costs(self) -> Ints:
        """By open type: what a row pays in columns that are not open."""
        if self.once:
            return np.zeros(len(self), np.int64)
        open_bits = np.zeros(len(self), np.int64)
        axes = np.repeat(np.arange(len(self)), np.diff(self.choices.axis_starts))
        np.bitwise_or.at(open_bits, axes, self.axes.bits[self.choices.axis])
        return self.costs_of(self.choices.base & ~open_bits, self.choices.types)

    def costs_of(self, codes: Ints, types: Ints) -> Ints:
        """Return what rows pay that hide the bits of ``codes``.

        ``types`` are their types, by number in the table.
        """
        if self.once:
            return np.asarray(codes != 0, np.int64)
        total = np.zeros(len(codes), np.int64)
        for a in range(len(self.axes.sizes)):
            levels = np.bitwise_count(codes & self.axes.bits[a]).astype(np.int64)
            total += self.axes.costs[self.cost[types, a], levels]
        return total

    @cached_property
    def most_of_row(self) -> int:
        """What a row pays at most that hides everything."""
        return 1 if self.once else int(self.axes.highest.sum())

    @cached_property
    def mean_star_cost(self) -> float:
        """What hiding an axis costs on average, at least 1."""
        return max(1.0, self.most_of_row / len(self.axes.sizes))

    @cached_property
    def sets(self) -> Ints:
        """How many sets each open type may show."""
        sets = np.ones(len(self), np.int64)
        owner = np.repeat(np.arange(len(self)), np.diff(self.choices.axis_starts))
        np.multiply.at(sets, owner, self.choices.size)
        return sets

    @property
    def need(self) -> Ints:
        """By item: how many rows must show it, where any does."""
        return self.terms.need

    @cached_property
    def owner(self) -> Ints:
        """The open type of each entry of ``choices.item``."""
        return np.repeat(np.arange(len(self)), np.diff(self.choices.starts))

    @cached_property
    def entries(self) -> tuple[Ints, Ints]:
        """By contested item: where its entries begin, and these, in order of types."""
        item = self.choices.item
        order = np.argsort(item, kind="stable")
        order = order[item[order] >= 0]
        starts = np.searchsorted(item[order], np.arange(len(self.need) + 1))
        return starts, order

    def codes(self, places: Ints) -> Ints:
        """Return the code of the set that each open type shows."""
        codes: Ints = codes_of(self.choices, places, self.axes.offsets)
        return codes

    def mask(self, codes: Ints) -> Mask:
        """Make the mask in which rows of open types have these codes.

        ``codes`` are by copy of the open types, in order.
        """
        place = np.full(len(self.types), -1)
        place[np.flatnonzero(~self.reduced.settled)] = self.same
        counts, inverse, lines = self.table.counts, self.types.inverse, None
        free = place[inverse] >= 0
        if counts is not None:  # copies of open types have lines of their own
            lines = np.repeat(np.arange(len(counts)), np.where(free, counts, 1))
            inverse = inverse[lines]
        by_row = self.reduced.best[inverse]
        rows = np.flatnonzero(place[inverse] >= 0)
        owners = place[inverse[rows]]
        by_row[rows[np.argsort(owners, kind="stable")]] = codes
        if counts is None or lines is None:
            return self.axes.mask(self.table, by_row, self.core.missing(self.table))
        copies = np.where(free, 1, counts)[lines]
        parts = replace(self.table.take(lines), counts=copies)
        found = self.axes.mask(parts, by_row, self.core.missing(parts))
        return replace(found, rows=lines, copies=copies)


def _alike(choices: Choices, check_time: Callable[[], None]) -> tuple[Ints, Ints]:
    """Return the first of the types that differ in nothing, and for each its place."""
    entries = np.stack([choices.item, choices.care, choices.want], axis=1)
    axes = np.stack([choices.axis, choices.low], axis=1)
    seen: dict[tuple[bytes, ...], int] = {}
    first, same = list[int](), np.zeros(len(choices.types), np.int64)
    for t in range(len(choices.types)):
        check_time()
        key = (
            choices.base[t : t + 1].tobytes(),
            choices.cost[t].tobytes(),
            axes[choices.axis_starts[t] : choices.axis_starts[t + 1]].tobytes(),
            np.sort(
                choices.dead[choices.dead_starts[t] : choices.dead_starts[t + 1]]
            ).tobytes(),
            entries[choices.starts[t] : choices.starts[t + 1]].tobytes(),
        )
        same[t] = seen.setdefault(key, len(seen))
        if same[t] == len(first):
            first.append(t)
    return np.array(first, np.int64), same
