"""A partition of the rows into groups, and what it costs to publish it."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances.arguments import expect_kind
from starmin.instances.arrays import Bools, Int32s, IntArray, Ints
from starmin.instances.releases.objective import STARS, Objective
from starmin.instances.requirements.group_stats import GroupStats
from starmin.instances.requirements.persons import Persons
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.scales.scales import Scales
from starmin.instances.tables.grouping import COMPILED_FROM, group_by
from starmin.instances.tables.table import RowTypes, Table

Levels = tuple[tuple[Int32s, tuple[str, ...] | None], ...]


@dataclass(frozen=True, eq=False)
class Partition:
    """A group for each row, groups numbered 0, 1, .. without gaps.

    Of a counted table it says how many copies of which row go to which group. Raises
    ValueError: a group is empty, or a number negative.

    Parameters
    ----------
    groups
        The group of each row; of a counted table, those of ``rows``.
    rows, copies
        Of a counted table: rows, and how many copies of each are in the group beside
        it. Copies of one row may be in several groups. None: all rows, once.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"], ["1", "y"]],
    ...                         qi=["a", "b"])
    >>> partition = Partition.from_labels(np.array([5, 5, 9]))
    >>> partition.sizes.tolist(), partition.value(table)
    ([2, 1], 2)
    """

    groups: Int32s
    rows: Int32s | None = None
    copies: Ints | None = None

    def __post_init__(self) -> None:
        expect_kind("groups", self.groups, np.ndarray)
        if self.groups.ndim != 1 or not np.issubdtype(self.groups.dtype, np.integer):
            raise TypeError("Expected groups to be an array of a number for each row.")
        if (empty := np.flatnonzero(self.sizes == 0)).size:
            raise ValueError(
                f"Expected groups 0, 1, .. without gaps, got no row in {empty[0]}."
            )

    @classmethod
    def from_labels(cls, labels: IntArray) -> "Partition":
        """Make groups of rows with equal labels, in the order of the labels."""
        return cls(_without_gaps(labels))

    @classmethod
    def single(cls, table: Table) -> "Partition":
        """Put all rows in one group: feasible whenever anything is."""
        return cls.of_all_rows(table, np.zeros(table.codes.shape[1], np.int32))

    @classmethod
    def of_all_rows(cls, table: Table, groups: Int32s) -> "Partition":
        """Put all copies of each row into one group."""
        if table.counts is None:
            return cls(groups)
        return cls(groups, np.arange(len(groups), dtype=np.int32), table.counts)

    @classmethod
    def coarsest(
        cls,
        table: Table,
        objective: Objective = STARS,
        columns: Collection[str] | None = None,
    ) -> "Partition":
        """Make one group for each class of rows that may share one.

        They agree on the columns to be kept, and on the highest nodes that may be
        published. Requirements are monotone, so it is feasible whenever anything is;
        households that share columns have their rows in blocks (``coarsest_blocks``).
        ``columns`` are looked at; default: all.
        """
        apart = objective.apart(table, columns)
        if not apart:
            return cls.single(table)
        return cls.of_all_rows(table, group_by(apart).inverse)

    @classmethod
    def from_loads(
        cls, types: RowTypes, group: IntArray, type_: IntArray, copies: IntArray
    ) -> "Partition":
        """Send ``copies[i]`` rows of type ``type_[i]`` of a table to ``group[i]``.

        Rows of one type are dealt out in row order; every copy must be sent. Raises
        ValueError: the copies of some type do not add up to its multiplicity.
        """
        sent = np.bincount(type_, copies, minlength=len(types)).astype(np.int64)
        if not np.array_equal(sent, types.counts):
            wrong = int(np.flatnonzero(sent != types.counts)[0])
            raise ValueError(
                f"Expected {types.counts[wrong]} copies of type {wrong}, "
                f"got {sent[wrong]}."
            )
        by_type = np.argsort(type_, kind="stable")
        rows = np.argsort(types.inverse, kind="stable")
        if types.row_counts is not None:
            labels, of_rows, dealt = _deal(
                group[by_type], copies[by_type], rows, types.row_counts[rows]
            )
            return cls(_without_gaps(labels), of_rows, dealt)
        labels = np.empty(len(types.inverse), np.int64)
        labels[rows] = np.repeat(group[by_type], copies[by_type])
        return cls.from_labels(labels)

    @property
    def size(self) -> int:
        """Number of groups."""
        return len(self.sizes)

    @cached_property
    def sizes(self) -> Ints:
        """Number of rows of each group."""
        return np.bincount(self.groups, self.copies).astype(np.int64)

    @property
    def paying(self) -> Ints:
        """How many rows of each group pay for what it publishes: all."""
        return self.sizes

    def members(self) -> list[Int32s]:
        """Return the rows of each group, in their order.

        Examples
        --------
        >>> [rows.tolist() for rows in Partition(np.array([0, 1, 0])).members()]
        [[0, 2], [1]]
        """
        order = np.argsort(self.groups, kind="stable").astype(np.int32)
        return np.split(order, np.cumsum(np.bincount(self.groups))[:-1])

    def of_rows(self, values: Int32s) -> Int32s:
        """Return what belongs to each row, beside the groups."""
        return values if self.rows is None else values[self.rows]

    def by_first_rows(self) -> "Partition":
        """Number the same groups in the order of their first rows.

        Examples
        --------
        >>> Partition(np.array([1, 0, 1], np.int32)).by_first_rows().groups.tolist()
        [0, 1, 0]
        """
        first = np.empty(self.size, np.int64)
        # Written back to front, the smallest row index is the last to be kept.
        first[self.groups[::-1]] = np.arange(len(self.groups) - 1, -1, -1)
        return self.merged(first)

    def merged(self, labels: IntArray) -> "Partition":
        """Make one group of those with equal labels, in the order of the labels."""
        return Partition(_without_gaps(labels)[self.groups], self.rows, self.copies)

    def starred(self, table: Table) -> Bools:
        """Find the QI columns on which the rows of a group differ: groups x d."""
        columns = table.positions(table.qi)
        if table.n >= COMPILED_FROM:
            from starmin.instances.tables.table_loops import differing

            rows = self.of_rows(np.arange(table.codes.shape[1], dtype=np.int32))
            starred: Bools = differing(
                table.codes, columns, rows, self.groups, self.size
            )
            return starred
        starred = np.zeros((self.size, len(columns)), bool)
        first = np.empty(self.size, np.int64)
        first[self.groups] = np.arange(len(self.groups))
        for j, all_rows in enumerate(table.codes[columns]):
            column = self.of_rows(all_rows)
            differs = column != column[first][self.groups]
            starred[self.groups[differs], j] = True
        return starred

    def value(self, table: Table, objective: Objective = STARS) -> int:
        """Compute what publishing it costs, recounted from the rows.

        Stars and tuples by suppression; for ``gcp`` by generalization, in units of
        which ``objective.whole(table)`` are a penalty of 1.
        """
        if objective.by_node:
            low, high = self.ranges(table, objective.scales_of(table))
            return objective.range_costs(table, self.paying, low, high)
        return int(self.paying @ objective.row_costs(table, self.starred(table)))

    def ranges(self, table: Table, scales: Scales) -> tuple[Int32s, Int32s]:
        """Return the least and the greatest position, each g x d, of each group."""
        return scales.ranges(table, self.groups, self.size, self.rows)

    def suppressed_tuples(self, table: Table) -> int:
        """Count the rows of groups that have a star."""
        return int(self.paying @ self.starred(table).any(axis=1))

    def violation(
        self, table: Table, requirement: Requirement, objective: Objective = STARS
    ) -> str | None:
        """Say why it may not be published, or return None if it may."""
        dealt = deals_all(table, self.rows, self.copies)
        none = self.copies is not None and self.copies.min() < 1
        if self.sizes.sum() != table.n or not dealt or none:
            return f"it has {self.sizes.sum()} rows, the table {table.n}"
        stats = GroupStats.of(table, self.groups, self.rows, self.copies)
        failing = np.flatnonzero(~requirement.holds(stats))
        if len(failing):
            group = int(failing[0])
            return f"group {group}: {requirement.why_not(group, stats)}"
        if any(isinstance(p, Persons) and not p.monotone for p in requirement.parts):
            # A union of groups that nobody can tell apart may fail.
            nodes = self._nodes(table, objective)
            _, label = np.unique(nodes, axis=0, return_inverse=True)
            stats = GroupStats.of(table, label.reshape(-1)[self.groups])
            failing = np.flatnonzero(~requirement.holds(stats))
            if len(failing):
                why = requirement.why_not(int(failing[0]), stats)
                return f"groups that are published alike: {why}"
        kept = objective.kept(table)
        if kept.any() and self.starred(table)[:, kept].any():
            return "it stars a column that is to be kept"
        for groups, columns in self.levels:
            classes = Partition.coarsest(table, objective, columns)
            pairs = group_by([groups, self.of_rows(classes.groups)])
            if pairs.size > int(groups.max()) + 1:  # a group has rows of two classes
                return "it publishes a node above the highest level of its column"
        return self._why_not_alike(table, requirement, objective)

    @property
    def levels(self) -> Levels:
        """The groups of each row, and the columns that they publish; None: all."""
        return ((self.groups, None),)

    def _why_not_alike(
        self, table: Table, requirement: Requirement, objective: Objective
    ) -> str | None:
        """Say where rows of one person or household are published in two ways."""
        for part in requirement.parts:
            if not isinstance(part, Persons) or part.whole or not part.alike:
                continue
            nodes = self._nodes(table, objective)[self.groups]
            first = table.grouped([part.column])
            for column in part.alike:
                shown = nodes[:, table.qi.index(column)]
                if (shown != shown[first.first[first.inverse]]).any():
                    return f"it publishes {column!r} of a {part.unit} in two ways"
        return None

    def _nodes(self, table: Table, objective: Objective) -> Ints:
        """Return what each group publishes, g x d."""
        scales = objective.scales_of(table)
        return np.asarray(scales.nodes(*self.ranges(table, scales)), np.int64)


def deals_all(table: Table, rows: IntArray | None, copies: Ints | None) -> bool:
    """Check whether each row of a table is dealt as often as it occurs."""
    if table.counts is None or rows is None or copies is None:
        return table.counts is None and rows is None
    dealt = np.bincount(rows, copies, minlength=len(table.counts))
    return np.array_equal(dealt.astype(np.int64), table.counts)


def _without_gaps(labels: IntArray) -> Int32s:
    """Number labels 0, 1, .. in their order.

    >>> _without_gaps(np.array([7, -3, 7])).tolist()
    [1, 0, 1]
    """
    return group_by([labels.astype(np.int64) - int(labels.min(initial=0))]).inverse


def _deal(
    labels: IntArray, copies: IntArray, rows: IntArray, counts: Ints
) -> tuple[IntArray, Int32s, Ints]:
    """Deal rows, so many copies of each, to labels, so many copies of each, in order.

    Returns a label, a row, and how many copies of it have the label.

    >>> labels, rows = np.array([7, 8]), np.array([1, 0])
    >>> found = _deal(labels, np.array([3, 1]), rows, np.array([2, 2]))
    >>> [each.tolist() for each in found]
    [[7, 7, 8], [1, 0, 0], [2, 1, 1]]
    """
    ends, row_ends = np.cumsum(copies), np.cumsum(counts)
    cuts = np.concatenate([ends, row_ends])
    cuts.sort(kind="stable")  # merges what is sorted, as numpy's sets do not
    cuts = cuts[np.diff(cuts, prepend=0) > 0]
    return (
        labels[np.searchsorted(ends, cuts)],
        rows[np.searchsorted(row_ends, cuts)].astype(np.int32),
        np.diff(cuts, prepend=0),
    )
