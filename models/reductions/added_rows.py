"""State deletion as a usual problem: of a table with rows that are like no others."""

from dataclasses import dataclass, replace

import numpy as np

from starmin.instances import (
    Certificate,
    KAnonymity,
    Objective,
    Partition,
    Problem,
    Table,
)
from starmin.instances.releases.partial_partition import PartialPartition, price_of
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.requirement import of_kind
from starmin.models.reductions.reduction import Reduction

ADDED = "added_rows"  # the entry of a certificate's data: how many there are


@dataclass(frozen=True, eq=False)
class AddedRows(Reduction):
    r"""A table with k more rows, for k-anonymity and stars.

    It is for deleted rows that cost as much as one that shows nothing, w. The k rows
    differ from all others and from each other in every column. A group that has one of
    them shows nothing, so that each of its rows costs w: those of the table are deleted
    in its place, and the added rows cost w each in any release. The other way round,
    deleted rows and all added ones are a group of k or more. So the optimum of the
    larger table is that of the smaller one and k w.
    """

    many: int  # how many rows are added
    price: int  # of a deleted row

    @classmethod
    def of(cls, source: Problem) -> "AddedRows | None":
        """Return the reduction of a problem; None where it is for another one."""
        asked, table = of_kind(source.requirement, DeletedRows), source.table
        if asked is None or not _takes(table, asked, source.objective):
            return None
        larger = replace(
            source,
            table=with_added(table, asked.least),
            requirement=asked.inner,
            source=None,
        )
        return cls(
            source, larger, asked.least, price_of(asked, table, source.objective)
        )

    def lift(self, release: Partition) -> Partition:
        """Delete the rows that are grouped with added ones."""
        n = self.source.table.n
        groups, added = release.groups[:n], release.groups[n:]
        kept = ~np.isin(groups, added)
        return PartialPartition.keeping(Partition.from_labels(groups), kept, self.price)

    def lift_bound(self, bound: int) -> int:
        """Take off what the added rows cost."""
        return max(0, bound - self.many * self.price)

    def lift_proof(self, proof: Certificate) -> Certificate | None:
        """State how many rows are added."""
        stated = super().lift_proof(proof)
        assert stated is not None
        data = {**proof.data, ADDED: self.many}
        return replace(stated, bound=self.lift_bound(proof.bound), data=data)


def _takes(table: Table, asked: DeletedRows, objective: Objective) -> bool:
    plain = all(isinstance(part, KAnonymity) for part in asked.inner.parts)
    if not plain or not objective.by_star or objective.keep or table.floors:
        return False
    dear = DeletedRows(asked.inner)
    return price_of(asked, table, objective) == price_of(dear, table, objective)


def with_added(table: Table, many: int) -> Table:
    """Return a table with so many more rows, which are like no others.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"]], qi=["a", "b"])
    >>> [row[0] for row in with_added(table, 2).rows()]
    ['0', '\\x00added 1', '\\x00added 2']
    """
    texts = tuple(f"\0added {place + 1}" for place in range(many))
    dictionaries, codes = list[tuple[str | None, ...]](), []
    for column, old in zip(table.names, table.dictionaries, strict=True):
        new = np.zeros(many, table.codes.dtype)
        if column in table.qi:
            new = len(old) + np.arange(many, dtype=table.codes.dtype)
            old = (*old, *texts)
        dictionaries.append(old)
        codes.append(np.concatenate([table.column(column), new]))
    return replace(table, codes=np.array(codes), dictionaries=tuple(dictionaries))
