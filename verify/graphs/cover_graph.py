"""The anonymity graph of a release by generalization: cells that cover values."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import Table
from starmin.instances.arrays import Bools, Int32s, Ints, Words
from starmin.instances.tables.canonical import merge_equal_values
from starmin.verify.cells.cells import Cells
from starmin.verify.cells.consistency import as_written
from starmin.verify.graphs.anonymity_graph import AnonymityGraph


@dataclass(frozen=True, eq=False)
class CoverGraph(AnonymityGraph):
    """A released row may stem from an original if its cells cover that one's.

    For each column and each text that is published in it, the originals whose value it
    covers are bits of machine words; the neighbours of a released type are the bits
    that all its cells have.

    Notes
    -----
    m types on both sides take m^2 d / 64 steps: some seconds for 100,000 types of 10
    columns, and m / 8 bytes for each text of each column.
    """

    # for each column texts x words: which public types each text covers
    covered: tuple[Words, ...] = ()

    @classmethod
    def of_cells(
        cls, released: Table, public: Table, cells: Mapping[str, Cells], star: str = "*"
    ) -> "CoverGraph":
        """Build the graph of a release and a public table.

        The QI columns of the release are looked up in ``public``, the table that an
        adversary knows; ``cells`` says what the cells of each of them stand for.

        Examples
        --------
        >>> from starmin.instances import Coding
        >>> from starmin.verify.cells.read_cells import read_cells
        >>> public = Table.from_rows(["a"], [["1"], ["2"], ["7"]], qi=["a"])
        >>> released = Table.from_rows(["a"], [["[1-7]"], ["[1-2]"], ["7"]], qi=["a"])
        >>> cells = read_cells(released, Coding("generalization", numeric=("a",)))
        >>> graph = CoverGraph.of_cells(released, public, cells)
        >>> [edges.tolist() for edges in graph.edges]
        [[0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 2]]
        """
        released = merge_equal_values(released)
        public = as_written(public.with_roles(released.qi), released)
        rows, types = public.row_types, released.row_types
        starred = np.zeros(types.codes.shape, bool)
        covered = []
        for a, column in enumerate(released.qi):
            texts, values = released.dictionary(column), public.dictionary(column)
            starred[:, a] = np.array([t == star for t in texts])[types.codes[:, a]]
            meaning = cells[column]
            covers = [[meaning.covers(t, value) for value in values] for t in texts]
            covered.append(_packed(np.array(covers, bool), rows.codes[:, a]))
        sizes = tuple(map(len, covered))
        return cls(rows, types, starred, sizes, tuple(covered))

    @cached_property
    def edges(self) -> tuple[Int32s, Int32s]:
        """All pairs of a public and a released type, sorted by the public type."""
        codes, m = self.released.codes, len(self.released)
        start = np.concatenate([[0], np.cumsum(self.cardinalities)])
        words = np.concatenate(self.covered)
        at = codes + start[:-1]
        # Compiled; imported when first called for.
        from starmin.verify.graphs.cover_loops import count_common, fill_common

        sizes = count_common(at, words)
        originals = np.empty(int(sizes.sum()), np.int32)
        fill_common(at, words, np.cumsum(sizes) - sizes, originals)
        records = np.repeat(np.arange(m, dtype=np.int32), sizes)
        order = np.argsort(originals, kind="stable")
        return originals[order], records[order]

    @cached_property
    def degrees(self) -> tuple[Ints, Ints]:
        """For each public type its released rows, for each released type its originals.

        Both with multiplicities.
        """
        originals, records = self.edges
        return (
            _summed(originals, self.released.counts[records], len(self.public)),
            _summed(records, self.public.counts[originals], len(self.released)),
        )


def _summed(nodes: Int32s, counts: Ints, size: int) -> Ints:
    found = np.zeros(size, np.int64)
    np.add.at(found, nodes, counts)
    return found


def _packed(covers: Bools, codes: Int32s) -> Words:
    """Return for each text the public types that it covers, 64 to a word."""
    words = -(-len(codes) // 64)
    packed = np.zeros((len(covers), words * 8), np.uint8)
    for text, line in enumerate(covers):
        bits = np.packbits(line[codes], bitorder="little")
        packed[text, : len(bits)] = bits
    return packed.view("<u8").astype(np.uint64, copy=False)
