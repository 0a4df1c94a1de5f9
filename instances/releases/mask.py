"""Stars for each row of its own, as rules over combinations ask for them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from starmin.instances.arguments import expect_kind
from starmin.instances.arrays import Bools, Ints
from starmin.instances.errors import NotSupportedError
from starmin.instances.releases.objective import STARS, Objective
from starmin.instances.releases.partition import Partition
from starmin.instances.requirements.mask_core import ItemRule, MaskCore, mask_core
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.requirements.rules import ItemStats
from starmin.instances.requirements.sensitive import SensitiveCounts
from starmin.instances.tables.grouping import Grouping, group_by
from starmin.instances.tables.table import Table


@dataclass(frozen=True, eq=False)
class Mask:
    """Which quasi-identifying cells are starred, row by row.

    Attributes
    ----------
    starred
        n x d.

    Examples
    --------
    >>> from starmin.instances.requirements.rules import Combinations
    >>> rows = [["0", "x"], ["0", "x"], ["0", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> mask = Mask(np.array([[False, False], [False, False], [False, True]]))
    >>> mask.value(table), mask.violation(table, Combinations(2, 2))
    (1, None)
    >>> mask.violation(table, Combinations(2, 3))
    "b='x' is shown by 2 rows, fewer than k = 3"
    """

    starred: Bools

    def __post_init__(self) -> None:
        expect_kind("starred", self.starred, np.ndarray)
        if self.starred.ndim != 2 or self.starred.dtype != bool:
            raise TypeError("Expected starred to be an array of truth, rows x columns.")

    @classmethod
    def coarsest(
        cls, table: Table, requirement: Requirement, objective: Objective = STARS
    ) -> "Mask":
        """Star all cells but those to be kept: feasible whenever anything is."""
        starred = np.ones((table.codes.shape[1], table.d), bool)
        kept = objective.kept(table)
        for unit in mask_core(requirement, table).units(table.d):
            if kept[list(unit)].any():
                starred[:, list(unit)] = False
        return cls(starred)

    @classmethod
    def of_groups(cls, table: Table, partition: Partition) -> "Mask":
        """Take the stars of groups."""
        return cls(partition.starred(table)[partition.groups])

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.starred)

    @cached_property
    def stars_by_column(self) -> Ints:
        """Number of stars in each QI column."""
        return np.array([np.count_nonzero(c) for c in self.starred.T], np.int64)

    @property
    def stars(self) -> int:
        """Number of suppressed cells."""
        return int(self.stars_by_column.sum())

    @cached_property
    def suppressed_tuples(self) -> int:
        """Number of rows with a suppressed cell."""
        return int(np.count_nonzero(self.starred.any(axis=1)))

    def value(self, table: Table, objective: Objective = STARS) -> int:
        """Compute what publishing it costs, recounted from the cells."""
        if objective.by_node:
            raise NotSupportedError(
                f"Expected stars or tuples for masks, got {objective.kind}."
            )
        if objective.once:
            return self.suppressed_tuples
        weights = objective.column_weights(table).tolist()
        stars = self.stars_by_column.tolist()
        return sum(w * s for w, s in zip(weights, stars, strict=True))

    def violation(
        self, table: Table, requirement: Requirement, objective: Objective = STARS
    ) -> str | None:
        """Say why it may not be published, or return None if it may."""
        expected = (table.codes.shape[1], table.d)
        if self.starred.shape != expected:
            return f"its stars are {self.starred.shape}, not {expected}"
        if self.starred[:, objective.kept(table)].any():
            return "it stars a column that is to be kept"
        core = mask_core(requirement, table)
        for unit in core.linked:
            some, every = (f(self.starred[:, unit], axis=1) for f in (np.any, np.all))
            if (some & ~every).any():
                names = ", ".join(table.qi[j] for j in unit)
                row = int(np.flatnonzero(some & ~every)[0])
                return f"row {row} stars only a part of the linked columns {names}"
        for rule, items in self.items(table, core):
            failing = np.flatnonzero(items.counts < rule.k)
            if len(failing):
                return rule.part.why_not(int(failing[0]), items.stats(table, rule))
        return None

    def items(
        self, table: Table, core: MaskCore
    ) -> Iterator[tuple[ItemRule, "ShownItems"]]:
        """Count what rows show of the columns of each rule."""
        missing = core.missing(table)
        for rule in core.rules:
            yield rule, shown_items(table, rule, ~self.starred & ~missing, missing)


@dataclass(frozen=True, eq=False)
class ShownItems:
    """The combinations of values that rows show, or the classes that they form.

    Attributes
    ----------
    counts
        By combination: how often it occurs where the rule counts.
    first
        By combination: the first row that shows it.
    seen
        By combination: which of the rule's columns it shows.
    """

    counts: Ints
    first: Ints
    seen: Bools

    def label(self, table: Table, rule: ItemRule, item: int) -> str:
        """Write a combination as people read it."""
        row = self.first[item : item + 1]
        cells = [
            (table.qi[j], repr(_text(table, table.qi[j], row)) if seen else "*")
            for j, seen in zip(rule.columns, self.seen[item].tolist(), strict=True)
        ]
        cells += [(name, repr(_text(table, name, row))) for name in rule.strata]
        return ", ".join(f"{name}={text}" for name, text in cells)

    def stats(self, table: Table, rule: ItemRule) -> ItemStats:
        """Return the counts with what the rule asks of them."""
        return ItemStats(
            self.counts,
            (),
            lambda column: SensitiveCounts.of([], [], ()),
            need=np.full(len(self.counts), rule.k),
            label=lambda item: self.label(table, rule, item),
        )


def shown_items(
    table: Table, rule: ItemRule, shown: Bools, missing: Bools
) -> ShownItems:
    """Count what rows show of the columns of a rule.

    Parameters
    ----------
    table, rule
        What is counted of which table.
    shown, missing
        Cells that a row shows, and that are missing: n x d.
    """
    columns = list(rule.columns)
    names = [table.qi[j] for j in columns]
    if rule.semantics == "classes":
        groups = _grouped(table, rule, np.arange(len(shown)), shown[:, columns])
        return ShownItems(groups.counts, groups.first, shown[groups.first][:, columns])
    showing: Bools = np.all(shown[:, columns], axis=1)
    if not showing.any():
        none = np.zeros(0, np.int64)
        return ShownItems(none, none, np.zeros((0, len(columns)), bool))
    # Of the original all rows count, whether or not they show what they have.
    in_source = rule.semantics == "source" and rule.population is None
    rows = np.flatnonzero(~missing[:, columns].any(axis=1) if in_source else showing)
    groups = _grouped(table, rule, rows, np.ones((len(rows), len(columns)), bool))
    counts, first = groups.counts, rows[groups.first]
    if rule.population is not None:
        counts = rule.population.counts_of(table.take(first), names)
    if in_source:
        first = np.full(groups.size, len(shown))
        backwards = np.flatnonzero(showing[rows])[::-1]
        first[groups.inverse[backwards]] = rows[backwards]
        some = first < len(shown)
        counts, first = counts[some], first[some]
    return ShownItems(counts, first, np.ones((len(first), len(columns)), bool))


def _grouped(table: Table, rule: ItemRule, rows: Ints, seen: Bools) -> Grouping:
    """Group rows by stratum and by what is seen of the rule's columns."""
    codes, sizes = [], []
    for i, j in enumerate(rule.columns):
        size = table.qi_cardinalities[j]
        codes.append(np.where(seen[:, i], table.column(table.qi[j])[rows], size))
        sizes.append(size + 1)
    for name in rule.strata:
        codes.append(table.column(name)[rows])
        sizes.append(len(table.dictionary(name)))
    groups = group_by(codes, sizes)
    if table.counts is None:
        return groups
    counts = np.bincount(groups.inverse, table.counts[rows]).astype(np.int64)
    return replace(groups, counts=counts)


def _text(table: Table, column: str, row: Ints) -> str | None:
    return table.dictionary(column)[int(table.column(column)[row][0])]


def why_no_mask(
    table: Table, requirement: Requirement, objective: Objective = STARS
) -> str | None:
    """Say why no mask of a table satisfies a requirement, or return None.

    Where all cells are starred but those to be kept, no combination that is shown
    could be shown by more rows.

    Examples
    --------
    >>> from starmin.instances.requirements.rules import Combinations
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["0", "y"]], qi=["a", "b"])
    >>> why_no_mask(table, Combinations(2, 2), Objective(keep=("b",)))
    "b='x' is shown by 1 row, fewer than k = 2"
    """
    return Mask.coarsest(table, requirement, objective).violation(
        table, requirement, objective
    )
