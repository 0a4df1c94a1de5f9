"""What rows of a release show of the columns of a rule, and how often that occurs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from starmin.instances import Table, TableError, group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.verify.cells.cells import Cells, Meanings, NumericCells, TaxonomyCells
from starmin.verify.certificates.rule_family import ColumnSet, Family
from starmin.verify.texts import places_in

# What cells of a column show, step by step below the root, from their texts alone.


class Steps:
    """The nodes of the texts of a column.

    Each node stands for a set of values. Step 0 is the set of all, which shows nothing;
    the last step of a text is what it stands for itself, those before are the sets
    above, each larger than the next.

    ``cells`` says what texts stand for; None: for themselves.
    """

    def __init__(self, star: str, cells: Cells | None, column: str) -> None:
        self._star, self._column = star, column
        self._ids: dict[object, int] = {}
        if isinstance(cells, NumericCells):
            raise TableError(
                f"column {column!r}: rules over combinations read values, nodes of "
                "taxonomies and stars, no ranges of numbers"
            )
        self._paths: Mapping[str, tuple[object, ...]] = {}
        if isinstance(cells, TaxonomyCells):
            below: dict[str, set[str]] = {}
            for path in cells.taxonomy.paths:
                for node in path:
                    below.setdefault(node, set()).add(path[0])
            sets = {node: frozenset(values) for node, values in below.items()}
            leaves = {path[0] for path in cells.taxonomy.paths}
            self._paths = {
                node: tuple(
                    dict.fromkeys(
                        sets[above]
                        for above in path[at:]
                        if len(sets[above]) < len(leaves) or above in leaves
                    )
                )
                for path in cells.taxonomy.paths
                for at, node in enumerate(path)
            }

    def of(self, table: Table, most: int = 0) -> Ints:
        """Return the node of each row at each step below the root, -1 for none.

        That is rows x steps, of which there are at least so many.
        """
        ids, found = self._ids, list[list[int]]()
        for text in table.dictionary(self._column):
            sets = () if text == self._star else self._paths.get(text or "", (text,))
            found.append([ids.setdefault(each, len(ids)) for each in reversed(sets)])
        most = max([most, *map(len, found)])
        wide = [row + [-1] * (most - len(row)) for row in found]
        return np.array(wide, np.int64)[table.column(self._column)]


class Counts(NamedTuple):
    """The combinations of one rule."""

    # rows, item: the rows that are asked for, and the combination that each shows
    rows: Ints
    item: Ints | Int32s
    often: Ints  # by combination: how often it occurs where the rule counts
    hidden: int  # how many rows do not show all of the columns


class ShownNodes:
    """The cells of a release as nodes, step by step below the root.

    ``starred`` and ``absent`` are n x d: the cells that show nothing, and those that
    are missing, which shows nothing where that was declared. ``copies`` says how many
    rows each row stands for: of a counted table.
    """

    def __init__(
        self, released: Table, family: Family, star: str, cells: Meanings
    ) -> None:
        self._released, self._family = released, family
        self.copies = copies_of(released)
        self._steps = {c: Steps(star, cells.get(c), c) for c in released.qi}
        self._nodes = [self._steps[c].of(released) for c in released.qi]
        depths = [(nodes >= 0).sum(axis=1) for nodes in self._nodes]
        self._depths = np.stack(depths, axis=1)
        self.starred: Bools = self._depths == 0
        self.absent: Bools = _absent(released, family, released.qi)

    def counts(self, asked: ColumnSet, source: Table | None) -> Counts:
        """Count what is shown: in the release, or among the rows of a source.

        What rows show fits another one that shows the same nodes, or nodes below them.
        """
        at = [self._released.qi.index(column) for column in asked.columns]
        hides = self.hides(asked)
        hidden = int(self.copies[hides.any(axis=1)].sum())
        if asked.semantics == "classes":
            rows = np.arange(len(self.copies))
            keys = [1 + self._own(j) for j in at]
            items = group_by([*keys, *self._strata(asked, self._released)])
            return Counts(rows, items.inverse, items.summed(self.copies), hidden)
        rows = np.flatnonzero(~hides.any(axis=1))
        among, own, weights, has = self._counted(asked, at, source, rows)
        depths = self._depths[rows][:, at]
        item, found = np.zeros(len(rows), np.int64), list[Ints]()
        each = group_by(list(depths.T))
        for number, depth in enumerate(depths[each.first]):
            some = np.flatnonzero(each.inverse == number)
            ours = [
                self._nodes[j][rows[some], d - 1]
                for j, d in zip(at, depth, strict=True)
            ]
            deep = [nodes[:, d - 1] for nodes, d in zip(among, depth, strict=True)]
            fit = np.all([has, *(key >= 0 for key in deep)], axis=0)
            strata = [code[rows[some]] for code in self._strata(asked, self._released)]
            both = zip([*strata, *ours], [*own, *deep], strict=True)
            kinds = group_by([np.concatenate([a, b[fit]]) for a, b in both])
            code, others = np.split(kinds.inverse, [len(some)])
            fits = np.bincount(others, weights[fit], kinds.size)
            shown = group_by([code])
            item[some] = shown.inverse + sum(map(len, found))
            found.append(fits[code[shown.first]].astype(np.int64))
        often = np.concatenate([np.zeros(0, np.int64), *found])
        return Counts(rows, item, often, hidden)

    def hides(self, asked: ColumnSet) -> Bools:
        """Return which cells of the columns of a rule show nothing."""
        at = [self._released.qi.index(column) for column in asked.columns]
        hides: Bools = self.starred[:, at] | self.absent[:, at]
        return hides

    def _counted(
        self, asked: ColumnSet, at: list[int], source: Table | None, rows: Ints
    ) -> tuple[list[Ints], list[Ints], Ints, Bools]:
        """Return nodes, strata, weights and truth of the rows that are counted."""
        if source is None:
            strata = [each[rows] for each in self._strata(asked, self._released)]
            nodes = [self._nodes[j][rows] for j in at]
            return nodes, strata, self.copies[rows], np.ones(len(rows), bool)
        nodes = [
            self._steps[c].of(source, self._nodes[j].shape[1])
            for j, c in zip(at, asked.columns, strict=True)
        ]
        weights = copies_of(source)
        missing = _absent(source, self._family, asked.columns)
        has: Bools = ~np.any(missing, axis=1)
        return nodes, self._strata(asked, source), weights, has

    def _own(self, j: int) -> Ints:
        """Return the node that each row publishes, -1 for none."""
        nodes = self._nodes[j]
        if not nodes.shape[1]:
            return np.full(len(nodes), -1)
        last = self._depths[:, j] - 1
        own: Ints = np.where(last < 0, -1, nodes[np.arange(len(nodes)), last])
        return own

    def _strata(self, asked: ColumnSet, table: Table) -> list[Ints]:
        """Return codes of strata that two tables have in common."""
        return [
            places_in(table, name, self._released.dictionary(name), True)
            for name in asked.strata
        ]


def _absent(table: Table, family: Family, columns: Sequence[str]) -> Bools:
    """Return which cells of some columns count as missing: n x columns."""
    found = []
    for column in columns:
        texts = table.dictionary(column)
        hidden = np.array([text in family.hidden for text in texts], bool)
        found.append(hidden[table.column(column)])
    return np.stack(found, axis=1)


def copies_of(table: Table) -> Ints:
    """Return how many rows each one of a table stands for."""
    if table.counts is None:
        return np.ones(table.codes.shape[1], np.int64)
    return table.counts
