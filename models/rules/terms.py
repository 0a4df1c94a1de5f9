"""The combinations of values of each row type, as numbered items."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from starmin.instances import NotSupportedError, Table, group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.requirements.mask_core import ItemRule, MaskCore
from starmin.models.rules.axes import Axes

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
        groups = group_by(
            [table.column(name) for name in names],
            [len(table.dictionary(name)) for name in names],
        )
        counts = groups.counts
        if table.counts is not None:
            counts = np.bincount(groups.inverse, table.counts).astype(np.int64)
        return cls(groups.first, counts, groups.inverse)

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
    sizes = [len(table.dictionary(name)) for name in names]
    for at, (j, level) in enumerate(shown, len(rule.strata)):
        if axes.chains is not None:
            codes[at] = axes.chains[j].nodes[codes[at], level]
            sizes[at] = int(codes[at].max()) + 1
    groups = group_by(codes, sizes)
    own[has] = groups.inverse
    if rule.population is not None:
        firsts = table.take(rows[groups.first])
        return own, rule.population.counts_of(firsts, names)
    counts = np.bincount(groups.inverse, types.copies[has], groups.size)
    return own, counts.astype(np.int64)
