"""Stars, or nodes, for each row of its own, as rules over combinations ask for them."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from starmin.instances.arguments import expect_kind
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.releases.by_row.shown_items import ShownCells, shown_items
from starmin.instances.releases.objective import STARS, Objective
from starmin.instances.releases.partitions.partition import Partition
from starmin.instances.requirements.mask_core import mask_core
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.scales.chains import Chain, chains_of
from starmin.instances.tables.table import Table


@dataclass(frozen=True, eq=False)
class Mask:
    """Which quasi-identifying cells are starred, row by row, or generalized.

    Examples
    --------
    >>> from starmin.instances.requirements.rules.office_rules import Combinations
    >>> rows = [["0", "x"], ["0", "x"], ["0", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> mask = Mask(np.array([[False, False], [False, False], [False, True]]))
    >>> mask.value(table), mask.violation(table, Combinations(2, 2))
    (1, None)
    >>> mask.violation(table, Combinations(2, 3))
    "b='x' is shown by 2 rows, fewer than k = 3"
    """

    starred: Bools  # n x d
    # n x d: the level at which a cell is published, as ``Chain`` has it for the scales
    # of an objective of nodes; None: cells are values or stars
    levels: Ints | None = None
    # rows, copies: of a counted table: the distinct row that each line of ``starred``
    # is of, and how many of its copies are published so; None: all rows, once
    rows: Int32s | Ints | None = None
    copies: Ints | None = None

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
        rows = None if table.counts is None else np.arange(len(starred))
        core = mask_core(requirement, table)
        for unit in core.units(table.d):
            if kept[list(unit)].any():
                starred[:, list(unit)] = False
        starred &= ~core.missing(table)
        if not objective.by_node:
            return cls(starred, None, rows, table.counts)
        chains = chains_of(objective.scales_of(table))
        tops = np.array([chain.levels - 1 for chain in chains])
        found = cls.of_levels(table, starred * tops, chains)
        return replace(found, rows=rows, copies=table.counts)

    @classmethod
    def of_levels(cls, table: Table, levels: Ints, chains: tuple[Chain, ...]) -> "Mask":
        """Publish cells at levels of chains, n x d: at the least one of each node."""
        least = np.empty_like(levels)
        for j, chain in enumerate(chains):
            lowest = chain.lowest[table.column(table.qi[j]), levels[:, j]]
            least[:, j] = lowest
        return cls(least == [chain.levels - 1 for chain in chains], least)

    @classmethod
    def of_groups(cls, table: Table, partition: Partition) -> "Mask":
        """Take the stars of groups."""
        starred = partition.starred(table)[partition.groups]
        return cls(starred, None, partition.rows, partition.copies)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.starred) if self.copies is None else int(self.copies.sum())

    @cached_property
    def stars_by_column(self) -> Ints:
        """Number of stars in each QI column."""
        if self.copies is not None:
            return np.array([self.copies[c].sum() for c in self.starred.T], np.int64)
        return np.array([np.count_nonzero(c) for c in self.starred.T], np.int64)

    @property
    def stars(self) -> int:
        """Number of suppressed cells."""
        return int(self.stars_by_column.sum())

    @cached_property
    def suppressed_tuples(self) -> int:
        """Number of rows with a suppressed cell."""
        some = self.starred.any(axis=1)
        if self.copies is not None:
            return int(self.copies[some].sum())
        return int(np.count_nonzero(some))

    def lines(self, table: Table) -> Table:
        """Return what each line of the mask is of: the table, or parts of its rows."""
        if self.rows is None:
            return table
        return replace(table.take(self.rows), counts=self.copies)

    def value(self, table: Table, objective: Objective = STARS) -> int:
        """Compute what publishing it costs, recounted from the cells."""
        if objective.by_node:
            return self._lost(table, objective)
        if objective.once:
            return self.suppressed_tuples
        weights = objective.column_weights(table).tolist()
        stars = self.stars_by_column.tolist()
        return sum(w * s for w, s in zip(weights, stars, strict=True))

    def _lost(self, table: Table, objective: Objective) -> int:
        """Compute what the nodes of all cells lose."""
        chains, units = chains_of(objective.scales_of(table)), objective.units(table)
        levels, total, table = self.levels_on(chains), 0, self.lines(table)
        for j, (chain, unit) in enumerate(zip(chains, units, strict=True)):
            cells = table.column(table.qi[j]).astype(np.int64) * chain.levels
            nodes = cells + levels[:, j]
            many = np.bincount(nodes, table.counts, minlength=chain.losses.size)
            many = np.asarray(many, np.int64)
            total += unit * int(many.astype(object) @ chain.losses.ravel())
        return total

    def levels_on(self, chains: tuple[Chain, ...]) -> Ints:
        """Return the levels of all cells; of a mask of stars those of the roots."""
        if self.levels is not None:
            return self.levels
        tops: Ints = np.array([chain.levels - 1 for chain in chains], np.int64)
        return np.asarray(self.starred * tops)

    def violation(
        self, table: Table, requirement: Requirement, objective: Objective = STARS
    ) -> str | None:
        """Say why it may not be published, or return None if it may."""
        if not self._deals_all(table):
            return "it does not publish each row as often as it occurs"
        scales = objective.scales_of(table) if objective.by_node else None
        kept = objective.kept(table)
        table = self.lines(table)
        expected = (table.codes.shape[1], table.d)
        if self.starred.shape != expected:
            return f"its stars are {self.starred.shape}, not {expected}"
        if self.levels is not None and not objective.by_node:
            return "it has nodes, of which the objective knows nothing"
        chains = None
        levels: Ints = self.starred.astype(np.int64)
        if scales is not None:
            chains = chains_of(scales)
            levels = self.levels_on(chains)
        if levels[:, kept].any():
            what = "stars" if chains is None else "generalizes"
            return f"it {what} a column that is to be kept"
        core = mask_core(requirement, table)
        missing = core.missing(table)
        for unit in core.linked:
            some = self.starred[:, unit].any(axis=1)
            every = (self.starred | missing)[:, unit].all(axis=1)
            if (some & ~every).any():
                names = ", ".join(table.qi[j] for j in unit)
                row = int(np.flatnonzero(some & ~every)[0])
                return f"row {row} stars only a part of the linked columns {names}"
        cells = ShownCells(table, levels, missing, chains)
        for rule in core.rules:
            items = shown_items(cells, rule)
            failing = np.flatnonzero(items.counts < rule.k)
            if len(failing):
                return rule.part.why_not(int(failing[0]), items.stats())
        return None

    def _deals_all(self, table: Table) -> bool:
        """Check whether each row is published as often as it occurs."""
        if table.counts is None or self.rows is None or self.copies is None:
            return table.counts is None and self.rows is None
        dealt = np.bincount(self.rows, self.copies, minlength=len(table.counts))
        return np.array_equal(dealt.astype(np.int64), table.counts)


def why_no_mask(
    table: Table, requirement: Requirement, objective: Objective = STARS
) -> str | None:
    """Say why no mask of a table satisfies a requirement, or return None.

    Where all cells are starred but those to be kept, no combination that is shown could
    be shown by more rows.

    Examples
    --------
    >>> from starmin.instances.requirements.rules.office_rules import Combinations
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["0", "y"]], qi=["a", "b"])
    >>> why_no_mask(table, Combinations(2, 2), Objective(keep=("b",)))
    "b='x' is shown by 1 row, fewer than k = 2"
    """
    return Mask.coarsest(table, requirement, objective).violation(
        table, requirement, objective
    )
