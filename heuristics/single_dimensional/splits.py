"""Splits: the steps by which single-dimensional recodings become finer."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import IntArray, Objective, Partition, Table, group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale


@dataclass(frozen=True)
class Split:
    """One step of one column, and the step that must be taken before."""

    column: int  # number of the QI column
    parent: int  # number of the split that it needs; -1 for none


class Splits:
    """All splits of a table's columns: a recoding is a set of them.

    Of numbers there is one between two values that follow each other, so that a
    recoding cuts them into ranges; missing values are split off first. Of a taxonomy
    there is one for each inner node, which replaces it by its children. A flat column
    has a single one, which replaces the star by the values. Columns to be kept are as
    they are, and rows that may not share a group do not.

    Examples
    --------
    >>> from starmin.instances import STARS
    >>> table = Table.from_rows(["p"], [["1"], ["2"], ["1"]], qi=["p"])
    >>> splits = Splits(table, STARS)
    >>> len(splits), splits.groups(np.array([True])).tolist()
    (1, [0, 1, 0])
    """

    def __init__(self, table: Table, objective: Objective) -> None:
        self.of: list[Split] = []
        self._columns: list[_Column] = []
        self._places = objective.scales_of(table).row_positions(table)
        self._apart = Partition.coarsest(table, objective).groups
        for j, (scale, kept) in enumerate(
            zip(objective.scales_of(table).scales, objective.kept(table), strict=True)
        ):
            if kept or scale.size < 2:
                continue
            if isinstance(scale, NumericScale):
                self._columns.append(self._numbers(j, scale))
            elif isinstance(scale, TaxonomyScale):
                self._columns.append(self._tree(j, scale))
            else:
                path = np.stack([np.zeros(scale.size, int), np.arange(scale.size) + 1])
                self._columns.append(_Tree(j, path, {0: self._new(j, -1)}))

    def __len__(self) -> int:
        return len(self.of)

    def groups(self, chosen: Bools) -> Int32s:
        """Return the group of each row under the splits that are chosen."""
        keys: list[IntArray] = [self._apart]
        sizes = [int(self._apart.max()) + 1]
        for column in self._columns:
            classes = column.classes(chosen)
            keys.append(classes[self._places[:, column.number]])
            sizes.append(int(classes.max()) + 1)
        return group_by(keys, sizes).inverse

    def recoded(self, chosen: Bools) -> int:
        """Return how many cells are published as more than one value, if all are.

        Columns to be kept are not counted.
        """
        cells = 0
        for column in self._columns:
            classes = column.classes(chosen)
            wide = np.bincount(classes)[classes] > 1
            cells += int(wide[self._places[:, column.number]].sum())
        return cells

    @cached_property
    def closures(self) -> list[list[int]]:
        """For each split itself and those that it needs."""
        closed: list[list[int]] = []
        for i, split in enumerate(self.of):
            above = closed[split.parent] if split.parent >= 0 else []
            closed.append([*above, i])
        return closed

    @cached_property
    def below(self) -> list[list[int]]:
        """For each split itself and those that need it."""
        found: list[list[int]] = [[] for _ in self.of]
        for i, closure in enumerate(self.closures):
            for above in closure:
                found[above].append(i)
        return found

    def _new(self, column: int, parent: int) -> int:
        self.of.append(Split(column, parent))
        return len(self.of) - 1

    def _numbers(self, j: int, scale: NumericScale) -> "_Column":
        missing = len(scale.missing)
        first = self._new(j, -1) if missing else -1
        cuts = [self._new(j, first) for _ in range(scale.size - missing - 1)]
        return _Numbers(j, scale.size, missing, first, np.array(cuts, int))

    def _tree(self, j: int, scale: TaxonomyScale) -> "_Column":
        """Make the paths to all leaves, and a split for each inner node."""
        parents = scale.taxonomy.parents
        steps = [np.arange(scale.size)]
        while (parents[steps[-1]] != steps[-1]).any():
            steps.append(parents[steps[-1]])
        up = np.stack(steps)  # from the leaf; the root is repeated at the end
        depth = (up != up[-1]).sum(axis=0)
        at = np.arange(scale.size)
        path = np.stack(
            [up[np.maximum(0, depth - t), at] for t in range(int(depth.max()) + 1)]
        )
        splits: dict[int, int] = {}
        for t in range(len(path) - 1):
            for above, node, below in zip(
                path[max(0, t - 1)].tolist(),
                path[t].tolist(),
                path[t + 1].tolist(),
                strict=True,
            ):
                if node != below and node not in splits:
                    parent = splits[above] if t else -1
                    splits[node] = self._new(j, parent)
        return _Tree(j, path, splits)


class _Column:
    """One column, with the class of each position under a choice of splits."""

    number: int

    def classes(self, chosen: Bools) -> Ints:
        """Return the class of each position."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class _Numbers(_Column):
    number: int
    size: int
    missing: int
    first: int
    cuts: Ints

    def classes(self, chosen: Bools) -> Ints:
        if self.first >= 0 and not chosen[self.first]:
            return np.zeros(self.size, np.int64)
        ranges = np.append(0, np.cumsum(chosen[self.cuts]))
        return np.concatenate([np.arange(self.missing), self.missing + ranges])


@dataclass(frozen=True, eq=False)
class _Tree(_Column):
    number: int
    path: Ints
    splits: dict[int, int]

    def classes(self, chosen: Bools) -> Ints:
        split = np.zeros(int(self.path.max()) + 1, bool)
        for node, number in self.splits.items():
            split[node] = chosen[number]
        found: Ints = self.path[0].copy()
        for above, below in zip(self.path, self.path[1:], strict=False):
            found = np.where((found == above) & split[above], below, found)
        return found
