"""The combinations of values of each row type, as numbered items."""

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
    """The distinct rows by quasi-identifiers and strata.

    Attributes
    ----------
    first
        The first row of each type.
    copies
        Its rows.
    inverse
        The type of each row.
    """

    first: Ints
    copies: Ints
    inverse: Int32s

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

    Attributes
    ----------
    care, want
        By term.
    rule, state
        By term: its rule, and which of the rule's columns are hidden (bit i for the
        i-th one).
    demanding
        By term: whether its items need rows that show them.
    item
        Types x terms: the item, -1 where a cell of the type is missing.
    starts
        The items of term r are ``starts[r]`` to ``starts[r + 1]``.
    need
        By item: how many rows must show it.
    rows
        By item: how many rows have it; of rules by source how many are counted.
    """

    care: Ints
    want: Ints
    rule: Ints
    state: Ints
    demanding: Bools
    item: Int32s
    starts: Ints
    need: Ints
    rows: Ints


def list_terms(
    table: Table,
    core: MaskCore,
    axes: Axes,
    types: MaskTypes,
    check_time: Callable[[], None] = lambda: None,
) -> Terms:
    """Number the items of all rules.

    Raises
    ------
    NotSupportedError
        There are too many.
    """
    terms = [
        (r, rule, state)
        for r, rule in enumerate(core.rules)
        for state in range(_states(rule, axes))
        if _possible(rule, state, axes)
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
        own, counts = _count(table, types, missing, rule, state)
        item[:, column] = np.where(own >= 0, own + total, -1)
        total += len(counts)
        rows.append(counts)
        need.append(np.full(len(counts), rule.k))
        for i, j in enumerate(rule.columns):
            bits = int(axes.bits[axes.axis_of[j]])
            care[column] |= bits
            if state >> i & 1:
                want[column] |= bits
    return Terms(
        care,
        want,
        np.array([r for r, _, _ in terms], np.int64),
        np.array([state for _, _, state in terms], np.int64),
        np.array([rule.semantics != "source" for _, rule, _ in terms], bool),
        item,
        np.cumsum([0, *map(len, rows)]),
        np.concatenate(need),
        np.concatenate(rows),
    )


def _states(rule: ItemRule, axes: Axes) -> int:
    """Return how many sets of a rule's columns make items: by classes all of them."""
    return 1 << len(rule.columns) if rule.semantics == "classes" else 1


def _possible(rule: ItemRule, state: int, axes: Axes) -> bool:
    """Check whether linked columns are hidden together, and none that is kept."""
    hidden: dict[int, int] = {}
    for i, j in enumerate(rule.columns):
        axis = axes.axis_of[j]
        if hidden.setdefault(axis, state >> i & 1) != state >> i & 1:
            return False
    return not any(axes.kept[axis] and level for axis, level in hidden.items())


def _count(
    table: Table, types: MaskTypes, missing: Bools, rule: ItemRule, state: int
) -> tuple[Ints, Ints]:
    """Return for each type its item, -1 for none, and how many rows count for each."""
    shown = [j for i, j in enumerate(rule.columns) if not state >> i & 1]
    names = [*rule.strata, *(table.qi[j] for j in shown)]
    has = np.flatnonzero(~missing[:, shown].any(axis=1))
    own = np.full(len(types), -1, np.int64)
    if not names or len(has) == 0:
        own[has] = 0
        return own, np.array([types.copies.sum()] if len(has) else [], np.int64)
    rows = types.first[has]
    groups = group_by(
        [table.column(name)[rows] for name in names],
        [len(table.dictionary(name)) for name in names],
    )
    own[has] = groups.inverse
    if rule.population is not None:
        firsts = table.take(rows[groups.first])
        return own, rule.population.counts_of(firsts, names)
    counts = np.bincount(groups.inverse, types.copies[has], groups.size)
    return own, counts.astype(np.int64)
