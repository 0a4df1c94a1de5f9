"""A table as published by permutation: who is in which group, and what a group has."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances.arrays import Bools, IntArray
from starmin.instances.errors import TableError
from starmin.instances.releases.partitions.partition import Partition
from starmin.instances.releases.release import GroupRelease
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.secret_order import secret_order
from starmin.instances.tables.table import Table

GROUP, COUNT = "group", "count"
SENSITIVE_SUFFIX = ".sa.csv"


@dataclass(frozen=True, eq=False)
class PermutedRelease(GroupRelease):
    """A table published as two: the QI columns, and the sensitive ones, by group.

    Quasi-identifiers stay as they are; which of the sensitive values of its group a row
    has is not said. The values of a group come in random order, with their counts.
    Several sensitive columns are published together, combination by combination.

    Parameters
    ----------
    table
        The original; columns that are neither QI nor sensitive are not published.
    partition
        The groups.
    seed
        Of the order of the sensitive values; for tests alone. Default: the system's
        generator for secrets, so that nobody can draw the order again.

    Raises
    ------
    TableError
        No sensitive column, or a column with a name that is needed.

    References
    ----------
    X. Xiao, Y. Tao, Anatomy: simple and effective privacy preservation, VLDB 2006.

    Examples
    --------
    >>> rows = [["1", "x"], ["2", "y"], ["3", "x"]]
    >>> table = Table.from_rows(["a", "s"], rows, qi=["a"], sensitive=["s"])
    >>> release = PermutedRelease(table, Partition.single(table))
    >>> release.published.rows()
    [('1', '1'), ('2', '1'), ('3', '1')]
    >>> sorted(release.tables()[".sa.csv"].rows())
    [('1', 'x', '2'), ('1', 'y', '1')]
    """

    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_columns(self.table)

    @property
    def starred(self) -> Bools:
        return np.zeros((self.partition.size, self.table.d), bool)

    @property
    def gcp(self) -> float:
        """0: no quasi-identifier is touched."""
        return 0.0

    @cached_property
    def published(self) -> Table:
        return self.tables()[""]

    def tables(self, order: IntArray | None = None) -> dict[str, Table]:
        table = self.table if order is None else self.table.take(order)
        groups = self.partition.groups
        # Numbered as they are published, so that numbers tell nothing of another order.
        partition = Partition(groups if order is None else groups[order])
        numbered = partition.by_first_rows()
        return {
            "": _public_table(table, numbered),
            SENSITIVE_SUFFIX: _sensitive_table(table, numbered, self.seed),
        }


def check_columns(table: Table) -> None:
    """Raise TableError where a table cannot be published by permutation."""
    if not table.sensitive:
        raise TableError(
            f"{table.name}: --recoding permutation needs a sensitive column; name it "
            "by --sensitive"
        )
    for column in (*table.qi, *table.sensitive):
        if column in (GROUP, COUNT):
            raise TableError(
                f"{table.name}: column {column!r} has a name that --recoding "
                "permutation needs; rename it"
            )


def _public_table(table: Table, partition: Partition) -> Table:
    labels = tuple(str(group + 1) for group in range(partition.size))
    return Table(
        (*table.qi, GROUP),
        np.vstack([table.codes[table.positions(table.qi)], partition.groups]),
        (*(table.dictionary(column) for column in table.qi), labels),
        (*table.qi, GROUP),
        name=table.name,
    )


def _sensitive_table(table: Table, partition: Partition, seed: int | None) -> Table:
    """Write how many rows of each group have each combination of values."""
    columns = [table.column(column) for column in table.sensitive]
    texts = [table.dictionary(column) for column in table.sensitive]
    found = group_by([partition.groups, *columns], [partition.size, *map(len, texts)])
    order = secret_order(found.size, seed)
    order = order[np.argsort(partition.groups[found.first[order]], kind="stable")]
    rows, counts = found.first[order], found.counts[order]
    numbers, count_codes = np.unique(counts, return_inverse=True)
    return Table(
        (GROUP, *table.sensitive, COUNT),
        np.vstack(
            [partition.groups[rows], *(c[rows] for c in columns), count_codes]
        ).astype(np.int32),
        (
            tuple(str(group + 1) for group in range(partition.size)),
            *texts,
            tuple(map(str, numbers.tolist())),
        ),
        (GROUP,),
        table.sensitive,
        name=table.name,
    )
