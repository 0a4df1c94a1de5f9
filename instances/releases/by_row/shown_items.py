"""What rows show of the columns of a rule, and how often that occurs."""

from dataclasses import dataclass, replace

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.errors import NotSupportedError
from starmin.instances.requirements.mask_core import ItemRule
from starmin.instances.requirements.rules.office_rules import ItemStats
from starmin.instances.requirements.sensitive import SensitiveCounts
from starmin.instances.scales.chains import Chain
from starmin.instances.tables.grouping import Grouping, group_by
from starmin.instances.tables.table import Table


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

    def nodes(self, j: int, rows: Ints, level: Ints | int) -> tuple[Ints, int]:
        """Return the nodes of rows in a column at levels, and how many nodes exist."""
        codes = self.table.column(self.table.qi[j])[rows].astype(np.int64)
        if self.chains is None:
            size = self.table.qi_cardinalities[j]
            return np.where(np.asarray(level) == 0, codes, size), size + 1
        nodes = self.chains[j].nodes
        return nodes[codes, level], int(nodes.max(initial=0)) + 1

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


@dataclass(frozen=True, eq=False)
class ShownItems:
    """The combinations of values that rows show, or the classes that they form."""

    cells: ShownCells  # cells, rule: what is published, and what is counted
    rule: ItemRule
    counts: Ints  # by combination: how often it occurs where the rule counts
    first: Ints  # by combination: the first row that shows it
    levels: Ints  # by combination: at which levels of the rule's columns

    def label(self, item: int) -> str:
        """Write a combination as people read it."""
        table, row = self.cells.table, int(self.first[item])
        parts = [
            (table.qi[j], self.cells.text(j, row, level))
            for j, level in zip(
                self.rule.columns, self.levels[item].tolist(), strict=True
            )
        ]
        for name in self.rule.strata:
            code = int(table.column(name)[row : row + 1][0])
            parts.append((name, repr(table.dictionary(name)[code])))
        return ", ".join(f"{name}={text}" for name, text in parts)

    def stats(self) -> ItemStats:
        """Return the counts with what the rule asks of them."""
        return ItemStats(
            self.counts,
            (),
            lambda column: SensitiveCounts.of([], [], ()),
            need=np.full(len(self.counts), self.rule.k),
            label=self.label,
        )


def shown_items(cells: ShownCells, rule: ItemRule) -> ShownItems:
    """Count what rows show of the columns of a rule.

    By classes rows count that are published alike. Otherwise a row counts that shows at
    least the same: at each column the same node, or one below it.
    """
    columns = list(rule.columns)
    own = cells.levels[:, columns]
    if rule.semantics == "classes":
        every = np.arange(len(own))
        groups = _grouped(cells, rule, every, own)
        return ShownItems(cells, rule, groups.counts, groups.first, own[groups.first])
    showing: Bools = ~np.any(cells.hidden(columns), axis=1)
    found = [
        (*_at(cells, rule, own, showing, levels), levels)
        for levels in _distinct(own[showing])
    ]
    if not found:
        none = np.zeros(0, np.int64)
        return ShownItems(
            cells, rule, none, none, np.zeros((0, len(columns)), np.int64)
        )
    return ShownItems(
        cells,
        rule,
        np.concatenate([counts for counts, _, _ in found]),
        np.concatenate([first for _, first, _ in found]),
        np.concatenate([np.tile(levels, (len(c), 1)) for c, _, levels in found]),
    )


def _distinct(levels: Ints) -> Ints:
    """Return the different rows of levels, in order."""
    if not levels.any():
        return levels[:1]
    sizes = (levels.max(axis=0) + 1).tolist()
    return levels[group_by(list(levels.T), sizes).first]


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
    codes, sizes = list[Ints | Int32s](), list[int]()
    for i, j in enumerate(rule.columns):
        own, size = cells.nodes(j, rows, levels[:, i])
        codes.append(own)
        sizes.append(size)
    for name in rule.strata:
        codes.append(table.column(name)[rows])
        sizes.append(len(table.dictionary(name)))
    groups = group_by(codes, sizes)
    if table.counts is None:
        return groups
    counts = np.bincount(groups.inverse, table.counts[rows]).astype(np.int64)
    return replace(groups, counts=counts)
