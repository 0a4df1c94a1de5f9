"""Releases and broken tables to test reductions with."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from starmin.instances import GroupStats, Partition, Requirement, Table, group_by
from starmin.verify.reductions import Reduced


def random_release(reduced: Reduced, seed: int) -> Partition:
    """A valid release: some groups, bad ones put together until all are good.

    The groups are random for even seeds; for odd ones the rows that agree on a random
    choice of columns.
    """
    random = np.random.default_rng(seed)
    table = reduced.table
    labels = random.integers(1 + random.integers(table.n), size=table.n)
    if seed % 2:
        kept = random.permutation(table.d)[: 1 + random.integers(min(table.d, 3))]
        columns = [table.column(table.qi[j]) for j in kept]
        sizes = [table.qi_cardinalities[j] for j in kept]
        labels = group_by(columns, sizes).inverse.astype(np.int64)
    partition = Partition.from_labels(labels)
    while (bad := failing(table, partition, reduced.requirement)).size:
        groups = partition.groups.astype(np.int64)
        # Beside the bad groups one good one, or they might stay bad for ever.
        joined = {*map(int, bad), int(random.integers(partition.size))}
        groups[np.isin(groups, list(joined))] = -1
        partition = Partition.from_labels(groups)
    return partition


def failing(table: Table, partition: Partition, requirement: Requirement) -> np.ndarray:
    """The groups that violate the requirement."""
    return np.flatnonzero(~requirement.holds(GroupStats.of(table, partition.groups)))


def without_row(reduced: Reduced, row: int) -> Reduced:
    """The same question with a row missing."""
    kept = np.delete(np.arange(reduced.table.n), row)
    return replace(reduced, table=reduced.table.take(kept))


def with_cell(reduced: Reduced, row: int, column: str, cell: str) -> Reduced:
    """The same question with another cell."""
    rows: list[Sequence[str | None]] = [list(r) for r in reduced.table.rows()]
    changed = list(rows[row])
    changed[reduced.table.names.index(column)] = cell
    rows[row] = changed
    old = reduced.table
    table = Table.from_rows(old.names, rows, old.qi, old.sensitive, old.name)
    return replace(reduced, table=table)
