"""The anonymity graph: which original each released row may stem from."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import RowTypes, Table, check_star, group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.tables.canonical import merge_equal_values
from starmin.verify.cells.consistency import as_written


@dataclass(frozen=True, eq=False)
class AnonymityGraph:
    """Originals on one side, released rows on the other; equal rows are one node.

    A released row may stem from an original that agrees with all its cells without a
    star. Rows alike have the same neighbours, so the nodes are the types of rows,
    with multiplicities: an edge between types stands for all pairs of their rows.

    Notes
    -----
    Released types with equal starred columns have no neighbour in common. So one
    group-by of the kept columns for each set of starred columns finds all edges, and
    there are at most as many as originals times sets: at most 2^d n, never n^2.
    """

    public: RowTypes  # the types of the public table
    # the types of the release, their codes those of the public table; a value that it
    # lacks has a code of its own
    released: RowTypes
    starred: Bools  # by released type: its starred columns
    cardinalities: tuple[int, ...]  # number of codes of each column

    @classmethod
    def of(cls, released: Table, public: Table, star: str = "*") -> "AnonymityGraph":
        """Build the graph of a release and a public table.

        The QI columns of the release are looked up in ``public``, the table that an
        adversary knows. Raises TableError where a QI column is not in the public table,
        or that holds the star symbol.

        Examples
        --------
        >>> public = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
        >>> released = Table.from_rows(["a"], [["*"], ["1"]], qi=["a"])
        >>> graph = AnonymityGraph.of(released, public)
        >>> [degrees.tolist() for degrees in graph.degrees]
        [[1, 2], [1, 2]]
        """
        public = as_written(public.with_roles(released.qi), released)
        check_star(public, star)
        recoded, cardinalities = recode(merge_equal_values(released), public, star)
        types = recoded.row_types
        starred = types.codes == [size - 1 for size in cardinalities]
        return cls(public.row_types, types, starred, cardinalities)

    @cached_property
    def degrees(self) -> tuple[Ints, Ints]:
        """For each public type its released rows, for each released type its originals.

        Both with multiplicities.
        """
        of_public = np.zeros(len(self.public), np.int64)
        of_released = np.zeros(len(self.released), np.int64)
        for originals, records in self._neighbours():
            of_public[originals] += self.released.counts[records]
            np.add.at(of_released, records, self.public.counts[originals])
        return of_public, of_released

    @cached_property
    def edges(self) -> tuple[Int32s, Int32s]:
        """All pairs of a public and a released type that may belong together.

        They are sorted by the public type.
        """
        pairs = list(self._neighbours())
        originals = np.concatenate([one for one, _ in pairs])
        records = np.concatenate([other for _, other in pairs])
        order = np.argsort(originals, kind="stable")
        return originals[order], records[order]

    def _neighbours(self) -> Iterator[tuple[Int32s, Int32s]]:
        """Return the edges, by sets of starred columns: public type, released type."""
        columns = list(self.starred.T)
        sets = group_by(columns, [2] * len(columns))
        by_set = np.argsort(sets.inverse, kind="stable")
        for records in np.split(by_set, np.cumsum(sets.counts)[:-1]):
            yield self._join(np.asarray(records, np.int32))

    def _join(self, records: Int32s) -> tuple[Int32s, Int32s]:
        """Return the edges of released types that are starred alike."""
        kept = np.flatnonzero(~self.starred[records[0]])
        size = len(self.public)
        if len(kept) == 0:
            return np.arange(size, dtype=np.int32), np.repeat(records, size)
        both = np.concatenate(
            [self.public.codes[:, kept], self.released.codes[records][:, kept]]
        )
        groups = group_by(list(both.T), [self.cardinalities[a] for a in kept])
        record_of = np.full(groups.size, -1, np.int32)
        record_of[groups.inverse[size:]] = records
        record = record_of[groups.inverse[:size]]
        originals = np.flatnonzero(record >= 0).astype(np.int32)
        return originals, record[originals]


def recode(
    released: Table, public: Table, star: str = "*"
) -> tuple[Table, tuple[int, ...]]:
    """Recode a release in codes of the public table; count them by column.

    The last code of each column is the star's; both tables have equal values merged,
    and the public one its missing cells if need be (``as_written``).
    """
    codes = np.empty((released.d, released.n), np.int32)
    sizes = []
    for a, column in enumerate(released.qi):
        index: dict[str | None, int] = {}
        for code, text in enumerate(public.dictionary(column)):
            index.setdefault(text, code)
        texts, size = released.dictionary(column), len(public.dictionary(column))
        last = size + len(texts)
        index[star] = last
        known = [index.get(text, size + code) for code, text in enumerate(texts)]
        codes[a] = np.array(known, np.int32)[released.column(column)]
        sizes.append(last + 1)
    blank: tuple[tuple[str | None, ...], ...] = tuple(("",) * size for size in sizes)
    return Table(released.qi, codes, blank, released.qi), tuple(sizes)
