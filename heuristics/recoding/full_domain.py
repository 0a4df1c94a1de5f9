"""The best full-domain recoding: one level for each column, other rows suppressed."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from starmin.heuristics.recoding import FULL_DOMAIN
from starmin.heuristics.recoding.levels import LevelClasses, Node
from starmin.instances import (
    STARS,
    DistinctDiversity,
    Grouping,
    GroupStats,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Bools, Int32s, Ints

_VALUES = LDiversity | DistinctDiversity  # they ask for so many values at least


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
        self._classes = LevelClasses(table, objective)
        levels, self.top = self._classes.levels, self._classes.top
        self._counts = types.counts
        self._values = np.ascontiguousarray(types.codes.T)
        self._rows = [
            np.bincount(table.column(column), minlength=size)
            for column, size in zip(table.qi, table.qi_cardinalities, strict=True)
        ]
        self._losses = [
            np.stack([scale.level_losses(level) for level in each], axis=1)
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
        groups = self._classes.grouped(node)
        return groups, groups.summed(self._counts)

    def _failing(self, node: Node) -> Bools:
        """Return which row types are in classes that fail."""
        groups, sizes = self._grouped(node)
        if self._by_size:
            return np.asarray((sizes < self.least)[groups.inverse])
        rows = groups.inverse[self.table.row_types.inverse]
        holds = self.requirement.holds_in(self.table, rows)
        return np.asarray(~holds[groups.inverse])

    def _may_suppress(self, fails: Bools) -> bool:
        """Check whether suppressed row types satisfy what is asked, by what is kept."""
        rows = np.flatnonzero(fails[self.table.row_types.inverse])
        if not len(rows):
            return True
        kept = self._kept_classes()[rows]
        labels = np.unique(kept, return_inverse=True)[1].astype(np.int32)
        return bool(self.requirement.holds_in(self.table, labels, rows).all())

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
            found.append([unit * loss for loss in (left @ losses).tolist()])
        return found


class LatticeSearch:
    """The search for the ``best`` node of a lattice that is allowed, of ``value``."""

    def __init__(self, lattice: LevelLattice) -> None:
        self.lattice = lattice
        self.best = lattice.top
        value = lattice.cost(lattice.top)
        assert value is not None  # where the table as a whole satisfies what is asked
        self.value = value
        self._waiting: list[tuple[int, Node, Node]] = []
        self._met = {lattice.top}

    def run(self, check_time: Callable[[], None]) -> None:
        """Search to the end; ``check_time`` may raise to stop before."""
        self._add(tuple(0 for _ in self.lattice.top), self.lattice.top)
        while self._waiting:
            bound, low, high = heappop(self._waiting)
            if bound >= self.value:
                return
            check_time()
            self._try(high)
            if low != high:
                column, level = self._cut(low, high)
                self._add(low, _with(high, column, level))
                self._add(_with(low, column, level + 1), high)

    def _add(self, low: Node, high: Node) -> None:
        bound = self.lattice.bound(low, high)
        if bound is not None and bound < self.value:
            heappush(self._waiting, (bound, low, high))

    def _try(self, node: Node) -> None:
        """Take a node if it is the cheapest one."""
        bound = self.lattice.bound(node, node)
        if node in self._met or bound is None or bound >= self.value:
            return
        self._met.add(node)
        cost = self.lattice.cost(node)
        if cost is not None and cost < self.value:
            self.best, self.value = node, cost

    def _cut(self, low: Node, high: Node) -> tuple[int, int]:
        """Choose the column that makes most of the difference, and a level of it."""
        paid = self.lattice.corner(high).paid
        spread = [
            (each[b] - each[a], b - a)
            for each, a, b in zip(paid, low, high, strict=True)
        ]
        column = max(range(len(spread)), key=spread.__getitem__)
        return column, (low[column] + high[column]) // 2


def full_domain(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    suppress: float = 1.0,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    r"""Generalizes each column to one level and suppresses the classes that fail.

    Exact among *full-domain* recodings with suppression. All values of a column are
    generalized to the same level of its hierarchy (``levels.column_levels``); rows that
    are equal then are a class. Classes that fail the requirement are suppressed: they
    form one class more, which must satisfy it, too, or be empty. A row pays what the
    nodes of the levels lose, a suppressed one what the roots lose:

    .. math:: \min_{v} \sum_{i \notin S(v)} \sum_j w_j c_j(v_j, x_{ij})
              + |S(v)| \sum_j w_j c_j(\top)

    The idea: of all nodes between ``low`` and ``high`` of the lattice none costs less
    than its rows do at ``low``, and rows whose class at ``high`` has fewer rows than
    the requirement asks of any class are suppressed at all of them. Boxes of nodes are
    halved, the cheapest first, until the cheapest is a single node.

    What is published of a class may lose less than the level does, if its rows agree
    on more; ``value`` counts this, ``stats["level_value"]`` what was minimized.

    Parameters
    ----------
    table, requirement, objective
        Any problem but for tuples. Columns to be kept stay at level 0, and suppressed
        rows form a class for each combination of their values.
    suppress
        The greatest share of rows that may be suppressed.
    time_limit
        Seconds; if it strikes, the best node among those met is returned.

    See Also
    --------
    incognito : without suppression, charged for what classes publish.

    Notes
    -----
    A group-by of the distinct rows for each node that is asked: of the 12,960 nodes of
    Adult, nine columns with taxonomies, k = 5, a few hundred.

    References
    ----------
    F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. Kuhn, Flash: efficient, stable
    and optimal k-anonymity, PASSAT 2012.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Scales, Taxonomy
    >>> rows = [["cat"], ["cat"], ["dog"], ["dog"], ["rat"], ["owl"]]
    >>> table = Table.from_rows(["a"], rows, qi=["a"])
    >>> tree = Taxonomy.parse("{tame{cat,dog},wild{rat,owl}}")
    >>> objective = Objective("gcp", scales=Scales.of(table, (), {"a": tree}))
    >>> result = full_domain(table, KAnonymity(2), objective=objective)
    >>> result.best.groups.tolist(), result.stats["level_value"]
    ([0, 0, 1, 1, 2, 2], 8)
    """
    if not 0 <= suppress <= 1:
        raise ValueError(f"Expected suppress from 0 to 1, got {suppress}.")
    if objective.scales_of(table).roofs:
        raise NotSupportedError(
            "Expected no column with a highest level, as suppressed rows have none."
        )
    run = Run(table, requirement, objective, time_limit, display, FULL_DOMAIN)

    def search() -> None:
        lattice = LevelLattice(table, requirement, objective, suppress)
        nodes = LatticeSearch(lattice)
        try:
            nodes.run(run.check_time)
        finally:  # The best node so far is published, whatever ended the search.
            best, suppressed = lattice.partition(nodes.best)
            run.offer(best)
            run.stats |= {
                "levels": ",".join(map(str, nodes.best)),
                "level_value": nodes.value,
                "suppressed": suppressed,
                "asked": lattice.asked,
            }

    return run.carry_out(search)


def _with(node: Node, column: int, level: int) -> Node:
    return (*node[:column], level, *node[column + 1 :])
