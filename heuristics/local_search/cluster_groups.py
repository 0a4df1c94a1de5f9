"""The groups of a clustering, for compiled loops, and what changes of them cost."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.ruin_and_recreate.ruin_rows import (
    Losses,
    is_star,
    losses_of,
    range_loss,
)
from starmin.instances import KAnonymity, Partition, Requirement, Run, Table
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner

NONE = -1


class Groups(NamedTuple):
    """The groups of a partition of n rows, as compiled loops need them."""

    positions: Int32s  # n x d, the rows
    # what ranges of positions cost in each column, stars being those of flat ones
    losses: Losses
    most: float  # what a row pays at most: 1 where tuples are counted
    twin: Ints  # rows that may be swapped whatever the requirement have the same number
    group: Ints  # the group of each row
    # starts, members: the rows of group g are ``members[starts[g]:starts[g + 1]]``
    starts: Ints
    members: Ints
    # low, high, lost: groups x columns: the least and the greatest position of what a
    # group is published as, all of them for a star, and what a row pays for that
    low: Int32s
    high: Int32s
    lost: Floats
    row_cost: Floats  # what a row of each group pays
    by_cost: Ints  # the groups, the cheapest first


@compiled
def deal(
    group: Ints, positions: Int32s, groups: int
) -> tuple[Ints, Ints, Int32s, Int32s]:
    """Return begins, members and ends of so many groups, as in ``Groups``."""
    n, d = positions.shape
    starts, members = np.zeros(groups + 1, np.int64), np.empty(n, np.int64)
    low, high = np.empty((2, groups, d), np.int32)
    for row in range(len(group)):
        starts[group[row] + 1] += 1
    for g in range(1, len(starts)):
        starts[g] += starts[g - 1]
    at = starts.copy()
    for row in range(len(group)):
        g = group[row]
        first = at[g] == starts[g]
        members[at[g]] = row
        at[g] += 1
        for j in range(positions.shape[1]):
            here = positions[row, j]
            if first or here < low[g, j]:
                low[g, j] = here
            if first or here > high[g, j]:
                high[g, j] = here
    return starts, members, low, high


@compiled
def losses_of_groups(losses: Losses, low: Int32s, high: Int32s) -> Floats:
    """Return what a row of each group pays in each column."""
    found = np.zeros(low.shape)
    for g in range(len(low)):
        for j in range(low.shape[1]):
            first, last = low[g, j], high[g, j]
            if first < last:
                found[g, j] = range_loss(losses.columns, losses.amounts, j, first, last)
    return found


@inner
def size_of(s: Groups, g: int) -> int:
    """Return how many rows a group has."""
    return int(s.starts[g + 1] - s.starts[g])


# Places in Changes.heads: how many rows are listed, and how many changes.
ROWS, CHANGES = 0, 1


class Changes(NamedTuple):
    """Changes that loops list, no two of which share a group."""

    locked: Bools  # by group: whether a listed change concerns it
    found: Ints  # three lines: rows, their new groups, and the numbers of the changes
    heads: Ints

    @property
    def listed(self) -> Ints:
        """What was found."""
        return self.found[:, : self.heads[ROWS]]


def no_changes(s: Groups) -> Changes:
    """Return room for changes of all rows."""
    locked, heads = np.zeros(len(s.row_cost), np.bool_), np.zeros(2, np.int64)
    return Changes(locked, np.empty((3, len(s.group) + 1), np.int64), heads)


@inner
def list_row(c: Changes, row: int, label: int) -> None:
    """List a row and its new group, as a part of the change at hand."""
    used = c.heads[ROWS]
    c.found[0, used], c.found[1, used] = row, label
    c.heads[ROWS] = used + 1


@inner
def end_change(s: Groups, c: Changes, begin: int) -> None:
    """End a change whose rows begin there, if it has any: lock its groups."""
    for i in range(begin, c.heads[ROWS]):
        c.locked[s.group[c.found[0, i]]] = True
        if c.found[1, i] < len(c.locked):
            c.locked[c.found[1, i]] = True
        c.found[2, i] = c.heads[CHANGES]
    c.heads[CHANGES] += c.heads[ROWS] > begin


@inner
def cheapest_group(
    s: Groups, row: int, locked: Bools, limit: float
) -> tuple[int, float]:
    """Find the group not ``locked`` that a row joins at the least cost below a limit.

    Returns that cost, too; ``NONE`` where none is below the limit.
    """
    best, own = NONE, s.group[row]
    for g in s.by_cost:
        if s.row_cost[g] >= limit:
            break
        if locked[g] or g == own:
            continue
        cost = _joined(s, row, g, limit)
        if cost < limit:
            best, limit = g, cost
    return best, limit


@inner
def cost_after(s: Groups, g: int, out: int, extra: int) -> float:
    """Return what a row of g pays without ``out`` and with ``extra``, or ``NONE``."""
    paid = 0.0
    columns, amounts, positions = s.losses.columns, s.losses.amounts, s.positions
    begin, end, members = s.starts[g], s.starts[g + 1], s.members
    one = extra
    if one == NONE:
        one = members[begin + 1] if members[begin] == out else members[begin]
    for j in range(len(columns)):
        if extra == NONE and s.low[g, j] == s.high[g, j]:
            continue
        low = high = positions[one, j]
        star = is_star(columns, j)
        for i in range(begin, end):
            if members[i] != out:
                here = positions[members[i], j]
                low, high = min(low, here), max(high, here)
                if star and low < high:
                    break
        if low < high:
            paid += range_loss(columns, amounts, j, low, high)
    return paid if paid == np.inf else min(paid, s.most)


@inner
def part_cost(
    s: Groups, g: int, column: int, low: int, high: int
) -> tuple[float, float]:
    """Return what a row of a group pays within a range of a column, and beyond it.

    Some of the rows of group ``g``, but not all, are from ``low`` to ``high``.
    """
    inside, beyond = 0.0, 0.0
    columns, amounts, positions = s.losses.columns, s.losses.amounts, s.positions
    for j in range(len(columns)):
        if s.low[g, j] == s.high[g, j]:
            continue
        first = last = other_first = other_last = NONE
        star = is_star(columns, j)
        for i in range(s.starts[g], s.starts[g + 1]):
            row = s.members[i]
            here = int(positions[row, j])
            if low <= positions[row, column] <= high:
                first = here if first == NONE else min(first, here)
                last = max(last, here)
            else:
                other_first = here if other_first == NONE else min(other_first, here)
                other_last = max(other_last, here)
            if star and first < last and other_first < other_last:
                break
        if first < last:
            inside += range_loss(columns, amounts, j, first, last)
        if other_first < other_last:
            beyond += range_loss(columns, amounts, j, other_first, other_last)
    return min(inside, s.most), min(beyond, s.most)


@inner
def _joined(s: Groups, row: int, g: int, limit: float) -> float:
    """Return what a group costs more with a row of another, at most ``limit``."""
    columns, amounts = s.losses.columns, s.losses.amounts
    size, paid = size_of(s, g), s.row_cost[g]
    before = size * paid
    ceiling = (limit + before) / (size + 1)
    for j in range(len(columns)):
        here, low, high = s.positions[row, j], s.low[g, j], s.high[g, j]
        if low <= here <= high:
            continue
        low, high = min(low, here), max(high, here)
        paid += range_loss(columns, amounts, j, low, high) - s.lost[g, j]
        if paid >= ceiling and (s.most >= ceiling or paid == np.inf):
            return limit
    return float(min(limit, (size + 1) * min(paid, s.most) - before))


class GroupLabels:
    """The groups of a release, as labels of the rows.

    Changes are found by loops on the groups as they are, no two of which share a group;
    then all groups that change are shown to the requirement at once. The groups of
    ``start`` satisfy the requirement, and no group has fewer rows than ``least``.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["0"], ["1"]], qi=["a"])
    >>> labels = GroupLabels(Run(table, KAnonymity(2)), Partition.single(table))
    >>> labels.allow(np.array([[1, 3], [1, 1], [0, 0]]))
    1
    >>> labels.allow(np.array([[2], [2], [0]]))
    0
    >>> labels.partition().groups.tolist()
    [0, 1, 0, 1]
    """

    def __init__(self, run: Run, start: Partition) -> None:
        self.run, table = run, run.table
        self.groups = start.groups.astype(np.int64)
        self.scales = run.objective.scales_of(table)
        self.positions = self.scales.row_positions(table)
        self.losses = losses_of(table, run.objective)
        self.most = 1.0 if run.objective.once else np.inf
        self.twin = _twins(table, run.requirement)
        self.least = max(run.requirement.core.size, run.requirement.core.diversity)

    def partition(self) -> Partition:
        """Return the groups."""
        return Partition.from_labels(self.groups)

    def state(self) -> Groups:
        """Return the groups as they are now, for loops; labels become their numbers."""
        used = np.bincount(self.groups) > 0
        self.groups = (np.cumsum(used) - 1)[self.groups]
        count = int(used.sum())
        starts, members, low, high = deal(self.groups, self.positions, count)
        low, high = self.scales.spans(self.scales.nodes(low, high))
        lost = losses_of_groups(self.losses, low, high)
        row_cost = np.minimum(lost.sum(axis=1), self.most)
        return Groups(
            positions=self.positions,
            losses=self.losses,
            most=self.most,
            twin=self.twin,
            group=self.groups,
            starts=starts,
            members=members,
            low=low,
            high=high,
            lost=lost,
            row_cost=row_cost,
            by_cost=np.argsort(row_cost, kind="stable"),
        )

    def allow(self, found: Ints) -> int:
        """Give rows new labels, but for changes that are forbidden; count the others.

        ``found`` is that of ``Changes``.
        """
        rows, labels, of = found
        if len(rows) == 0:
            return 0
        after = self.groups.copy()
        after[rows] = labels
        change = np.full(max(int(after.max()), int(self.groups.max())) + 1, -1)
        change[self.groups[rows]] = change[labels] = of
        touched = np.flatnonzero(change[after] >= 0)
        present, compact = np.unique(after[touched], return_inverse=True)
        holds = self.run.requirement.holds_in(self.run.table, compact, touched)
        allowed = np.ones(int(of.max()) + 1, bool)
        allowed[change[present[~holds]]] = False
        good = allowed[of]
        self.groups[rows[good]] = labels[good]
        return int(allowed.sum())


def _twins(table: Table, requirement: Requirement) -> Ints:
    """Return numbers that rows share which the requirement cannot tell apart."""
    plain = all(isinstance(part, KAnonymity) for part in requirement.parts)
    columns = [] if plain else [c for c in table.names if c not in table.qi]
    if not columns:
        return np.zeros(table.n, np.int64)
    return table.grouped(columns).inverse.astype(np.int64)
