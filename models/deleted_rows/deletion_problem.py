"""What is asked of groups, and what a deleted row costs, as numbers."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances import NotSupportedError, Partition, RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.instances.releases.partitions.partial_partition import (
    PartialPartition,
    price_of,
)
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.requirement import of_kind


class DeletionProblem(NamedTuple):
    """The problem of a run in which rows may be deleted."""

    types: RowTypes  # by QI, or by QI and sensitive values
    k: int  # k, l: 1 where there is no such requirement
    l: int
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
        k, l = asked.inner.core.size, asked.inner.core.diversity
        table = run.table
        types = table.sensitive_types if l > 1 else table.row_types
        return cls(types, k, l, price_of(asked, table, run.objective))

    def start(self, run: Run) -> None:
        """Offer a run one group of all rows, or else the release without a row."""
        asked = run.table, run.requirement, run.objective
        every = Partition.coarsest(run.table, run.objective)
        if every.violation(*asked) is None:
            run.offer(every)
        nothing = np.zeros(len(self.types.inverse), np.int32)
        run.offer(PartialPartition(nothing, price=self.price))

    def partition(
        self,
        group: npt.NDArray[np.integer],
        type_: npt.NDArray[np.integer],
        copies: Ints,
        gone: Ints,
    ) -> Partition:
        """Return the release that sends copies of types to groups and deletes others.

        Entry by entry ``copies`` rows of the type ``type_`` go to the group ``group``;
        ``gone`` says by type how many are deleted.
        """
        deleted = np.flatnonzero(gone)
        last = int(group.max(initial=-1)) + 1
        found = Partition.from_loads(
            self.types,
            np.concatenate([group, np.full(len(deleted), last)]),
            np.concatenate([type_, deleted]),
            np.concatenate([copies, gone[deleted]]),
        )
        if len(deleted) == 0:
            return found
        return PartialPartition(found.groups, price=self.price)
