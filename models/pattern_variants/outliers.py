"""Delete the rows of a release that make their groups dear."""

from typing import NamedTuple

import numpy as np

from starmin.instances import NotSupportedError, Partition, Run
from starmin.instances.arrays import Bools, IntArray, Ints
from starmin.instances.releases.partial_partition import PartialPartition, price_of
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.scales.scale import FlatScale
from starmin.models.patterns.patterns import Sought

# What is asked of groups, and what a deleted row costs, as numbers.


class DeletionProblem(NamedTuple):
    """The problem of a run in which rows may be deleted."""

    sought: Sought  # the groups of rows that are kept
    price: int  # of a deleted row, in the unit of the objective

    @classmethod
    def of(cls, run: Run) -> "DeletionProblem":
        """Read the problem of a run.

        Raises NotSupportedError where all rows are to be kept.
        """
        asked = of_kind(run.requirement, DeletedRows)
        if asked is None:
            raise NotSupportedError(
                "Expected rows that may be deleted (--delete-rows)."
            )
        sought = Sought.of(run)
        return cls(sought, price_of(asked, run.table, run.objective))

    def start(self, run: Run) -> None:
        """Offer a run one group of all rows, or else the release without a row."""
        every = Partition.coarsest(run.table, run.objective)
        if every.violation(*run.asked) is None:
            run.offer(every)
        nothing = np.zeros(len(self.sought.types.inverse), np.int32)
        run.offer(PartialPartition(nothing, price=self.price))

    def partition(
        self, group: IntArray, type_: IntArray, copies: Ints, gone: Ints
    ) -> Partition:
        """Return the release that sends copies of types to groups and deletes others.

        Entry by entry ``copies`` rows of the type ``type_`` go to the group ``group``;
        ``gone`` says by type how many are deleted.
        """
        deleted = np.flatnonzero(gone)
        last = int(group.max(initial=-1)) + 1
        found = Partition.from_loads(
            self.sought.types,
            np.concatenate([group, np.full(len(deleted), last)]),
            np.concatenate([type_, deleted]),
            np.concatenate([copies, gone[deleted]]),
        )
        if len(deleted) == 0:
            return found
        return PartialPartition(found.groups, price=self.price)


def without_outliers(run: Run, partition: Partition) -> Partition:
    """Return groups without the rows that cost less if they are deleted.

    In each group the row goes first whose deletion saves most, as long as it saves
    anything and the others may be a group without it; and a whole group goes that costs
    more than all of its rows do if they are deleted.

    ``partition`` has groups of all rows. The requirement of the run allows to delete
    rows; its time ends the search.

    Examples
    --------
    >>> from starmin.instances import DeletedRows, KAnonymity, Table
    >>> rows = [["0", "x"], ["0", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> run = Run(table, DeletedRows(KAnonymity(2)))
    >>> without_outliers(run, Partition.single(table)).value(table)
    2
    """
    problem, table, objective = DeletionProblem.of(run), run.table, run.objective
    scales = objective.scales_of(table)
    if not all(isinstance(scale, FlatScale) for scale in scales.scales):
        return partition
    star = np.array(objective.units(table), np.int64) * scales.domains
    codes = table.codes[table.positions(table.qi)].T
    values = None
    if problem.sought.l > 1:
        values = table.column(table.sensitive[0])
    kept = np.ones(table.n, bool)
    for rows in partition.members():
        own = None if values is None else values[rows]
        kept[rows] = _kept(codes[rows], star, own, problem)
        if run.remaining <= 0:  # the other groups stay as they are
            break
    return PartialPartition.keeping(partition, kept, problem.price)


def _kept(
    codes: IntArray, star: Ints, values: IntArray | None, problem: DeletionProblem
) -> Bools:
    """Return which rows of a group are kept."""
    kept = np.ones(len(codes), bool)
    while True:
        rows = np.flatnonzero(kept)
        many, here = len(rows), codes[rows]
        first = here == here[0]
        differ = ~first.all(axis=0)
        each = int(star[differ].sum())
        if each > problem.price:
            return np.zeros(len(codes), bool)
        if many <= max(problem.sought.k, problem.sought.l) or not differ.any():
            return kept
        # Of two values of a column one is had by a single row: without it, no star.
        alone = _single(here, differ)
        saved = each + (many - 1) * (alone @ star) - problem.price
        if values is not None:
            saved[~_diverse_without(values[rows], problem.sought.l)] = 0
        best = int(saved.argmax())
        if saved[best] <= 0:
            return kept
        kept[rows[best]] = False


def _single(codes: IntArray, differ: Bools) -> Ints:
    """Return in which columns all rows but this one agree."""
    found = np.zeros(codes.shape, np.int64)
    for column in np.flatnonzero(differ):
        values, inverse, counts = np.unique(
            codes[:, column], return_inverse=True, return_counts=True
        )
        if len(values) == 2 and counts.min() == 1:
            found[counts[inverse.reshape(-1)] == 1, column] = 1
    return found


def _diverse_without(values: IntArray, l: int) -> Bools:
    """Return without which rows the others are diverse."""
    counts = np.bincount(values)
    most = counts.max()
    only = np.count_nonzero(counts == most) == 1
    without = most - (only & (values == counts.argmax()))
    return np.asarray(l * without < len(values))
