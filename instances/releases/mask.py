"""Stars, or nodes, for each row of its own, as rules over combinations ask for them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from starmin.instances.arguments import expect_kind
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.errors import NotSupportedError
from starmin.instances.releases.objective import STARS, Objective
from starmin.instances.releases.partition import Partition, deals_all
from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.mask_core import ItemRule, mask_core
from starmin.instances.requirements.office_rules import CombinationRules
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.scales.chains import Chain, chains_of
from starmin.instances.tables.grouping import Grouping, group_by
from starmin.instances.tables.table import Table

# What rows show of the columns of a rule, and how often that occurs.


@dataclass(frozen=True, eq=False)
class ShownCells:
    """A table and what is published of it."""

    table: Table  # the original
    levels: Ints  # n x d: the level at which a cell is published
    missing: Bools  # n x d: cells that show nothing as they are
    # by column what is published at each level; None: a cell or, at level 1, a star
    chains: tuple[Chain, ...] | None = None

    def hidden(self, columns: list[int]) -> Bools:
        """Return which cells of some columns show nothing: n x columns."""
        roots = [
            1 if self.chains is None else self.chains[j].levels - 1 for j in columns
        ]
        return np.asarray((self.levels[:, columns] == roots) | self.missing[:, columns])

    def nodes(self, j: int, rows: Ints, level: Ints) -> Ints:
        """Return the nodes of rows in a column at levels."""
        codes = self.table.column(self.table.qi[j])[rows].astype(np.int64)
        if self.chains is None:
            return np.where(level == 0, codes, self.table.qi_cardinalities[j])
        return self.chains[j].nodes[codes, level]

    def text(self, j: int, row: int, level: int) -> str:
        """Write a cell as people read it; a star where it shows nothing."""
        column = self.table.qi[j]
        code = int(self.table.column(column)[row : row + 1][0])
        values = self.table.dictionary(column)[code : code + 1]
        if self.chains is None:
            return "*" if level else repr(values[0])
        chain = self.chains[j]
        if level == chain.levels - 1:
            return "*"
        own = replace(chain, nodes=chain.nodes[code : code + 1])
        return repr(own.texts(values, level, "*")[0])

    def label(self, rule: ItemRule, row: int, levels: list[int]) -> str:
        """Write what a row shows of the columns of a rule as people read it."""
        table = self.table
        parts = [
            (table.qi[j], self.text(j, row, level))
            for j, level in zip(rule.columns, levels, strict=True)
        ]
        for name in rule.strata:
            code = int(table.column(name)[row : row + 1][0])
            parts.append((name, repr(table.dictionary(name)[code])))
        return ", ".join(f"{name}={text}" for name, text in parts)


def shown_items(cells: ShownCells, rule: ItemRule) -> tuple[Ints, Ints, Ints]:
    """Find what rows show of the columns of a rule: combinations of values, or classes.

    By classes rows count that are published alike. Otherwise a row counts that shows at
    least the same: at each column the same node, or one below it. Returns by
    combination how often it occurs where the rule counts, the first row that shows it,
    and at which levels of the rule's columns.
    """
    columns = list(rule.columns)
    own = cells.levels[:, columns]
    if rule.semantics == "classes":
        groups = _grouped(cells, rule, np.arange(len(own)), own)
        return groups.counts, groups.first, own[groups.first]
    showing: Bools = ~np.any(cells.hidden(columns), axis=1)
    none = np.zeros(0, np.int64)
    counts, first, shown = [none], [none], [np.zeros((0, len(columns)), np.int64)]
    for levels in _distinct(own[showing]):
        many, rows = _at(cells, rule, own, showing, levels)
        counts.append(many)
        first.append(rows)
        shown.append(np.tile(levels, (len(many), 1)))
    return np.concatenate(counts), np.concatenate(first), np.concatenate(shown)


def _distinct(levels: Ints) -> Ints:
    """Return the different rows of levels, in order."""
    if not levels.any():
        return levels[:1]
    return levels[group_by(list(levels.T)).first]


def _at(
    cells: ShownCells, rule: ItemRule, own: Ints, showing: Bools, levels: Ints
) -> tuple[Ints, Ints]:
    """Count what rows show that publish just these levels, and find the first ones."""
    exact = showing & (own == levels).all(axis=1)
    counted = showing & (own <= levels).all(axis=1)
    if rule.population is not None:
        if levels.any():
            raise NotSupportedError("A population is counted by values, not by nodes.")
        counted = exact
    elif rule.semantics == "source":
        # Of the original all rows count, whether or not they show what they have.
        counted = ~np.any(cells.missing[:, list(rule.columns)], axis=1)
    rows = np.flatnonzero(counted)
    groups = _grouped(cells, rule, rows, np.tile(levels, (len(rows), 1)))
    first = np.full(groups.size, len(own))
    backwards = np.flatnonzero(exact[rows])[::-1]
    first[groups.inverse[backwards]] = rows[backwards]
    some = first < len(own)
    counts, first = groups.counts[some], first[some]
    if rule.population is not None:
        names = [cells.table.qi[j] for j in rule.columns]
        counts = rule.population.counts_of(cells.table.take(first), names)
    return counts, first


def _grouped(cells: ShownCells, rule: ItemRule, rows: Ints, levels: Ints) -> Grouping:
    """Group rows by stratum and by what levels show of the rule's columns."""
    table = cells.table
    shown = zip(rule.columns, levels.T, strict=True)
    nodes = [cells.nodes(j, rows, level) for j, level in shown]
    groups = group_by([*nodes, *(table.column(name)[rows] for name in rule.strata)])
    copies = None if table.counts is None else table.counts[rows]
    return replace(groups, counts=groups.summed(copies))


class RowStars(ABC):
    """Stars for each row of its own, of rows or of copies of distinct ones."""

    starred: Bools  # n x d
    copies: Ints | None = None  # how many copies a line stands for; None: one

    def value(self, table: Table, objective: Objective = STARS) -> int:
        """Compute what publishing it costs, recounted from the cells."""
        if objective.by_node:
            return self._lost(table, objective)
        if objective.once:
            return self.suppressed_tuples
        weights = objective.column_weights(table).tolist()
        stars = self.stars_by_column.tolist()
        return sum(w * s for w, s in zip(weights, stars, strict=True))

    @abstractmethod
    def _lost(self, table: Table, objective: Objective) -> int:
        """Compute what the nodes of all cells lose."""

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


@dataclass(frozen=True, eq=False)
class Mask(RowStars):
    """Which quasi-identifying cells are starred, row by row, or generalized.

    >>> from starmin.instances.requirements.office_rules import Combinations
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

    def lines(self, table: Table) -> Table:
        """Return what each line of the mask is of: the table, or parts of its rows."""
        if self.rows is None:
            return table
        return replace(table.take(self.rows), counts=self.copies)

    def _lost(self, table: Table, objective: Objective) -> int:
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
        if not deals_all(table, self.rows, self.copies):
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
            counts, first, shown = shown_items(cells, rule)
            if len(failing := np.flatnonzero(counts < rule.k)):
                item = int(failing[0])
                if not isinstance(rule.part, CombinationRules):
                    return rule.part.why_not(item, GroupStats.given(counts))
                label = cells.label(rule, int(first[item]), shown[item].tolist())
                return rule.part.why_rare(label, int(counts[item]), rule.k)
        return None


def why_no_mask(
    table: Table, requirement: Requirement, objective: Objective = STARS
) -> str | None:
    """Say why no mask of a table satisfies a requirement, or return None.

    Where all cells are starred but those to be kept, no combination that is shown could
    be shown by more rows.

    >>> from starmin.instances.requirements.office_rules import Combinations
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["0", "y"]], qi=["a", "b"])
    >>> why_no_mask(table, Combinations(2, 2), Objective(keep=("b",)))
    "b='x' is shown by 1 row, fewer than k = 2"
    """
    return Mask.coarsest(table, requirement, objective).violation(
        table, requirement, objective
    )
