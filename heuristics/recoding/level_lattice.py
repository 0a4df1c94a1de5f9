"""The lattice of levels of all columns, and what its nodes cost."""

import math
from dataclasses import dataclass

import numpy as np

from starmin.heuristics.recoding.levels import column_levels
from starmin.instances import (
    DistinctDiversity,
    Grouping,
    GroupStats,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Table,
    group_by,
)
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.scales.scale import Scale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale

_VALUES = LDiversity | DistinctDiversity  # they ask for so many values at least
Node = tuple[int, ...]  # a level for each column


@dataclass(frozen=True)
class Corner:
    """What is known of a node and all below it."""

    # for each column and level what the rows pay there that need not be suppressed
    paid: list[list[int]]
    sure: int  # what is paid beside that for rows that are
    suppressed: int  # how many these are, at least


class LevelLattice:
    """What full-domain recodings with suppression cost, node by node.

    The objective is stars or losses, and ``suppress`` is the greatest share of rows
    that may be suppressed. Raises NotSupportedError for losses whose sums 64 bits do
    not hold.
    """

    def __init__(
        self,
        table: Table,
        requirement: Requirement,
        objective: Objective,
        suppress: float,
    ) -> None:
        self.table = table
        self.requirement = requirement
        self.most = math.floor(suppress * table.n)
        self.least = max(requirement.core.size, requirement.core.diversity)
        self.asked = 0
        self._diversity = requirement.core.diversity
        self._distinct = max(
            (p.l for p in requirement.parts if isinstance(p, _VALUES)), default=1
        )
        self._by_size = all(isinstance(p, KAnonymity) for p in requirement.parts)
        self._units = objective.units(table)
        self._objective = objective
        types, scales = table.row_types, objective.scales_of(table).scales
        levels = column_levels(table, objective)
        self.top: Node = tuple(len(each) - 1 for each in levels)
        self._counts = types.counts
        self._values = np.ascontiguousarray(types.codes.T)
        self._rows = [
            np.bincount(table.column(column), minlength=size)
            for column, size in zip(table.qi, table.qi_cardinalities, strict=True)
        ]
        self._classes = [
            [numbered(level, codes) for level in each]
            for each, codes in zip(levels, self._values, strict=True)
        ]
        self._losses = [
            np.stack([level_losses(scale, level) for level in each], axis=1)
            for scale, each in zip(scales, levels, strict=True)
        ]
        if table.n * max(int(scale.domain) for scale in scales) >= 2**63:
            raise NotSupportedError("Expected shorter numbers; round them.")
        free = zip(self._units, scales, objective.kept(table), strict=True)
        self._suppressed = sum(unit * s.domain for unit, s, kept in free if not kept)
        self._corners: dict[Node, Corner] = {}

    def corner(self, node: Node) -> Corner:
        """Return what is known of a node and all below it."""
        if node not in self._corners:
            self._corners[node] = self._make_corner(node)
        return self._corners[node]

    def _make_corner(self, node: Node) -> Corner:
        groups, sizes = self._grouped(node)
        never, skew = sizes < self.least, np.zeros_like(sizes)
        if max(self._diversity, self._distinct) > 1:
            rows = groups.inverse[self.table.row_types.inverse]
            for column in GroupStats.of(self.table, rows).counts:
                # Parts of a class have no more values than it has ..
                never |= column.distinct() < self._distinct
                if self._diversity > 1:
                    # .. and of l rows one at most is of its most frequent value.
                    others = sizes - column.largest()
                    share = others + others // (self._diversity - 1)
                    skew = np.maximum(skew, sizes - share)
        skew[never] = 0
        doomed = never[groups.inverse]
        # At no node below it do they pay more than here, where a class pays alike.
        more = int(skew.sum()) * self._suppressed
        for j, level in enumerate(node):
            values = self._values[j][groups.first]
            more -= self._units[j] * int(skew @ self._losses[j][values, level])
        number = int(self._counts[doomed].sum())
        sure = number * self._suppressed + more
        return Corner(self._paid(doomed), sure, number + int(skew.sum()))

    def bound(self, low: Node, high: Node) -> int | None:
        """Return what all nodes between these cost at least; None if none is allowed.

        None of their rows pays less than at the lowest node, for losses grow upwards;
        and what makes a class fail at the highest one makes parts of it fail at the
        others.
        """
        corner = self.corner(high)
        if corner.suppressed > self.most:
            return None
        paid = sum(each[at] for each, at in zip(corner.paid, low, strict=True))
        return paid + corner.sure

    def cost(self, node: Node) -> int | None:
        """Return what a node costs; None if it is not allowed."""
        fails = self._failing(node)
        suppressed = int(self._counts[fails].sum())
        if suppressed > self.most or not self._may_suppress(fails):
            return None
        paid = zip(self._paid(fails), node, strict=True)
        return sum(each[at] for each, at in paid) + suppressed * self._suppressed

    def partition(self, node: Node) -> tuple[Partition, int]:
        """Return the groups of a node, and how many rows are suppressed."""
        fails = self._failing(node)
        groups, sizes = self._grouped(node)
        labels = groups.inverse[self.table.row_types.inverse].astype(np.int64)
        rows = np.flatnonzero(fails[self.table.row_types.inverse])
        labels[rows] = len(sizes) + self._kept_classes()[rows]
        return Partition.from_labels(labels), len(rows)

    def _grouped(self, node: Node) -> tuple[Grouping, Ints]:
        """Return the classes of the row types, and how many rows each has."""
        self.asked += 1
        at = [each[level] for each, level in zip(self._classes, node, strict=True)]
        groups = group_by([codes for codes, _ in at], [size for _, size in at])
        sizes = np.bincount(groups.inverse, self._counts).astype(np.int64)
        return groups, sizes

    def _failing(self, node: Node) -> Bools:
        """Return which row types are in classes that fail."""
        groups, sizes = self._grouped(node)
        if self._by_size:
            return np.asarray((sizes < self.least)[groups.inverse])
        rows = groups.inverse[self.table.row_types.inverse]
        holds = self.requirement.holds(GroupStats.of(self.table, rows))
        return np.asarray(~holds[groups.inverse])

    def _may_suppress(self, fails: Bools) -> bool:
        """Check whether suppressed row types satisfy what is asked, by what is kept."""
        rows = np.flatnonzero(fails[self.table.row_types.inverse])
        if not len(rows):
            return True
        kept = self._kept_classes()[rows]
        labels = np.unique(kept, return_inverse=True)[1].astype(np.int32)
        stats = GroupStats.of(self.table, labels, rows)
        return bool(self.requirement.holds(stats).all())

    def _kept_classes(self) -> Int32s:
        return Partition.coarsest(self.table, self._objective).groups

    def _paid(self, without: Bools) -> list[list[int]]:
        """Return what row types pay by column and level, without some of them."""
        some = np.flatnonzero(without)
        counts, found = self._counts[some].astype(np.float64), []
        kept = self._objective.kept(self.table)
        for unit, values, losses, rows, keep in zip(
            self._units, self._values, self._losses, self._rows, kept, strict=True
        ):
            fewer = np.bincount(values[some], counts, minlength=len(losses))
            left = rows if keep else rows - fewer.astype(np.int64)
            paid = left @ losses
            found.append([unit * loss for loss in paid.tolist()])
        return found


def numbered(level: Int32s, codes: Int32s) -> tuple[Int32s, int]:
    """Return for each row type its class at a level, and how many classes there are."""
    present, classes = np.unique(level[codes], return_inverse=True)
    return classes.astype(np.int32), len(present)


def level_losses(scale: Scale, level: Int32s) -> Ints:
    """Return for each code what its class loses: by node, or by range."""
    if isinstance(scale, TaxonomyScale):
        return np.asarray(scale.losses[level])
    here = np.flatnonzero(scale.positions >= 0)  # of values that occur
    classes = np.unique(level[here], return_inverse=True)[1]
    places = scale.positions[here]
    low = np.full(len(here), scale.size, np.int32)
    high = np.full(len(here), -1, np.int32)
    np.minimum.at(low, classes, places)
    np.maximum.at(high, classes, places)
    lost = np.zeros(len(level), np.int64)
    lost[here] = scale.extents(low[classes], high[classes])
    return lost
