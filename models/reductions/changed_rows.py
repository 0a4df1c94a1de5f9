"""State deletion, and missing sensitive values, as problems of the usual kind."""

from dataclasses import dataclass, replace
from functools import reduce
from operator import and_

import numpy as np

from starmin.instances import (
    Certificate,
    DistinctDiversity,
    IntArray,
    KAnonymity,
    LDiversity,
    MissingValues,
    Objective,
    Partition,
    Problem,
    Reading,
    Requirement,
    Table,
)
from starmin.instances.arrays import Bools
from starmin.instances.releases.partial_partition import PartialPartition, price_of
from starmin.instances.requirements.deleted_rows import DeletedRows
from starmin.instances.requirements.requirement import of_kind
from starmin.models.reductions.reduction import Reduction

# Deletion as a usual problem: of a table with a few rows that are like no others.

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
        asked, table = of_kind(source.requirement, DeletedRows), source.table
        if asked is None or not _takes(table, asked, source.objective):
            return None
        many, price = asked.least, price_of(asked, table, source.objective)
        larger = source.on(table=with_added(table, many), requirement=asked.inner)
        return cls(source, larger, many, price, equal=True)

    def lift(self, release: Partition, rest: Partition | None = None) -> Partition:
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


# Diversity with missing sensitive values as diversity of the usual kind.


@dataclass(frozen=True, eq=False)
class KnownValues(Reduction):
    """k-anonymity and diversity of known values, or of a value for each missing one.

    Where a missing value may be any value, it may be one of its own: the same table,
    diversity of the usual kind.

    Where it counts for nobody, let l be the largest that is asked. (1) If k >= l, each
    missing value is replaced by one that nobody else has. A group with known values has
    as many rows of each of them as before, of more rows; and each group has k >= l
    rows, hence no value of its own in more than 1/l of them, and l different values if
    it had l known ones or none. (2) If k < l, the rows with a missing value are left
    out. What is left of a group is diverse, and has l > k rows, or none; it costs no
    more. With several sensitive columns this is done for the one that has most known
    values, and of the others nothing is asked.

    The check of certificates makes the same problem by code of its own.
    """

    rows: IntArray | None = None  # those of the table that are not left out; None: all

    @classmethod
    def of(cls, source: Problem) -> "KnownValues | None":
        """Return the reduction of a problem; None where it is for another one.

        The requirement has ``MissingValues`` of diversity by frequency or by different
        values, with k-anonymity or without; None is returned for others, and for
        counted tables whose missing values would have to be told apart.

        Examples
        --------
        >>> rows = [["0", "x"], ["1", ""], ["1", "y"]]
        >>> table = Table.from_rows(["a", "s"], rows, qi=["a"], sensitive=["s"])
        >>> asked = MissingValues(LDiversity(2), Reading("none", ("",)))
        >>> KnownValues.of(Problem(table, asked)).problem.table.rows()
        [('0', 'x'), ('1', 'y')]
        """
        found = _usual(source.table, source.requirement)
        if found is None:
            return None
        table, usual, rows = found
        return cls(source, source.on(table=table, requirement=usual), rows)

    @property
    def rest(self) -> Problem | None:
        """The problem of the rows that are left out; None where they are too few."""
        k = self.source.requirement.core.size
        if self.rows is None or k == 1:
            return None
        table = self.source.table.take(self._others)
        left = self.source.on(table=table, requirement=KAnonymity(k))
        return None if table.n < k else left

    @property
    def _others(self) -> IntArray:
        assert self.rows is not None
        return np.setdiff1d(np.arange(self.source.table.codes.shape[1]), self.rows)

    def lift(self, release: Partition, rest: Partition | None = None) -> Partition:
        """Return groups of all rows; those that were left out have groups of their own.

        They are those of ``rest``, else one group each for k = 1, and one group of all.
        Fewer than k of them join another group.
        """
        if self.rows is None:
            return release
        others, k = self._others, self.source.requirement.core.size
        own = np.arange(len(others), dtype=np.int32) * (k == 1)
        left = rest or Partition.of_all_rows(self.source.table.take(others), own)
        begin = release.size if k == 1 or left.sizes.sum() >= k else 0
        labels = np.concatenate([release.groups, begin + left.groups])
        parts = (release, self.rows), (left, others)
        rows = np.concatenate([part.of_rows(of.astype(np.int32)) for part, of in parts])
        if release.copies is None or left.copies is None:
            return Partition.from_labels(labels[np.argsort(rows)])
        return Partition(labels, rows, np.concatenate([release.copies, left.copies]))


def _usual(
    table: Table, requirement: Requirement
) -> tuple[Table, Requirement, IntArray | None] | None:
    """Return table and requirement of the usual problem, and the rows that it has."""
    parts = [p for p in requirement.parts if isinstance(p, MissingValues)]
    others = [p for p in requirement.parts if not isinstance(p, MissingValues)]
    forms = (LDiversity, DistinctDiversity)
    inner = [part.inner for part in parts if isinstance(part.inner, forms)]
    if (
        not inner
        or len(inner) < len(parts)
        or not all(isinstance(part, KAnonymity) for part in others)
        or any(part.reading != parts[0].reading for part in parts)
    ):
        return None
    usual = reduce(and_, [*others, *inner])
    reading = parts[0].reading
    if reading.meaning == "any":
        return table, usual, None
    l = max(part.l for part in inner)
    if requirement.core.size >= l:
        own = None if table.counts is not None else _with_own_values(table, reading)
        return None if own is None else (own, usual, None)
    known = [_known(table, column, reading) for column in table.sensitive]
    most = int(np.argmax([rows.sum() for rows in known]))
    rows = np.flatnonzero(known[most])
    if len(rows) == 0:
        return None
    left = table.with_roles(table.qi, (table.sensitive[most],)).take(rows)
    return left, reduce(and_, inner), None if known[most].all() else rows


def known_values(table: Table, column: str, reading: Reading) -> Bools:
    """Return by code of a column whether it is a value that is known."""
    unknown = {None, *reading.unknown}
    return np.array([text not in unknown for text in table.dictionary(column)])


def _known(table: Table, column: str, reading: Reading) -> Bools:
    """Return in which rows a value is known."""
    return known_values(table, column, reading)[table.column(column)]


def _with_own_values(table: Table, reading: Reading) -> Table:
    """Return the table with a value of its own in each cell that is missing."""
    codes, dictionaries = table.codes.copy(), list(table.dictionaries)
    for column in table.sensitive:
        at = table.names.index(column)
        missing = np.flatnonzero(~_known(table, column, reading))
        begin = len(dictionaries[at])
        codes[at, missing] = begin + np.arange(len(missing), dtype=np.int32)
        # No text of a file has this character.
        own = tuple(f"\0{number}" for number in range(len(missing)))
        dictionaries[at] = (*dictionaries[at], *own)
    return replace(table, codes=codes, dictionaries=tuple(dictionaries))
