"""The anonymity graph: which original each released row may stem from."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from starmin.instances import RowTypes, Table, TableError, check_star, group_by
from starmin.instances.arrays import Bools, Int32s, Ints, Words
from starmin.instances.tables.row_types import merge_equal_values
from starmin.verify.cells.cells import Meanings, PlainCells, as_written
from starmin.verify.exact import summed
from starmin.verify.texts import kinds_in_common, places_in


@dataclass(frozen=True, eq=False)
class AnonymityGraph:
    """Originals on one side, released rows on the other; equal rows are one node.

    A released row may stem from an original that agrees with all its cells without a
    star. Rows alike have the same neighbours, so the nodes are the types of rows,
    with multiplicities: an edge between types stands for all pairs of their rows.

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
        originals, records = self.edges
        return (
            summed(self.released.counts[records], originals, len(self.public)),
            summed(self.public.counts[originals], records, len(self.released)),
        )

    @cached_property
    def edges(self) -> tuple[Int32s, Int32s]:
        """All pairs of a public and a released type that may belong together.

        They are sorted by the public type.
        """
        pairs = [self._join(records) for records in self._alike()]
        originals = np.concatenate([one for one, _ in pairs])
        records = np.concatenate([other for _, other in pairs])
        order = np.argsort(originals, kind="stable")
        return originals[order], records[order]

    def _alike(self) -> list[Int32s]:
        """Return the released types by their sets of starred columns."""
        sets = group_by(list(self.starred.T))
        by_set = np.argsort(sets.inverse, kind="stable").astype(np.int32)
        return np.split(by_set, np.cumsum(sets.counts)[:-1])

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
        texts, known = released.dictionary(column), public.dictionary(column)
        last = len(known) + len(texts)
        codes[a] = places_in(released, column, known, True)
        if star in texts:
            codes[a][released.column(column) == texts.index(star)] = last
        sizes.append(last + 1)
    blank: tuple[tuple[str | None, ...], ...] = tuple(("",) * size for size in sizes)
    return Table(released.qi, codes, blank, released.qi), tuple(sizes)


# The anonymity graph of a release by generalization: cells that cover values.


_TOGETHER = 2**15  # words of rows that are compared at a time


@dataclass(frozen=True, eq=False)
class CoverGraph(AnonymityGraph):
    """A released row may stem from an original if its cells cover that one's.

    For each column and each text that is published in it, the originals whose value it
    covers are bits of machine words; the neighbours of a released type are the bits
    that all its cells have.

    m types on both sides take m^2 d / 64 steps: some seconds for 100,000 types of 10
    columns, and m / 8 bytes for each text of each column.
    """

    # for each column texts x words: which public types each text covers
    covered: tuple[Words, ...] = ()

    @classmethod
    def of_cells(
        cls, released: Table, public: Table, cells: Meanings, star: str = "*"
    ) -> "CoverGraph":
        """Build the graph of a release and a public table.

        The QI columns of the release are looked up in ``public``, the table that an
        adversary knows; ``cells`` says what the cells of each of them stand for.

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
        codes, found = self.released.codes, []
        step = max(1, _TOGETHER // self.covered[0].shape[1])
        for start in range(0, len(codes), step):
            here = codes[start : start + step].T
            parts = (words[at] for words, at in zip(self.covered, here, strict=True))
            common = next(parts)
            for part in parts:
                common &= part
            row, word = np.nonzero(common)
            some = common[row, word].astype("<u8").view(np.uint8)
            pair, bit = np.nonzero(
                np.unpackbits(some, bitorder="little").reshape(-1, 64)
            )
            both = 64 * word[pair] + bit, start + row[pair]
            found.append(np.stack(both).astype(np.int32))
        originals, records = np.concatenate(found, axis=1)
        order = np.argsort(originals, kind="stable")
        return originals[order], records[order]


def _packed(covers: Bools, codes: Int32s) -> Words:
    """Return for each text the public types that it covers, 64 to a word."""
    words = -(-len(codes) // 64)
    packed = np.zeros((len(covers), words * 8), np.uint8)
    for text, line in enumerate(covers):
        bits = np.packbits(line[codes], bitorder="little")
        packed[text, : len(bits)] = bits
    return packed.view("<u8").astype(np.uint64, copy=False)


def graph_of(
    released: Table, public: Table, star: str, cells: Meanings | None
) -> AnonymityGraph:
    """Build the graph of a release by stars, or by cells with a meaning."""
    if cells is None:
        return AnonymityGraph.of(released, public, star)
    return CoverGraph.of_cells(released, public, cells, star)


# Maximum flow between the two sides of an anonymity graph, by OR-tools.


@dataclass(frozen=True, eq=False)
class Flow:
    """A maximum flow from supplies to demands, and the cut that proves it maximal."""

    amounts: Ints  # the flow of each edge
    total: int  # its sum
    # left, right: which nodes of each side can still be reached from unused supply;
    # where all supply is used, none
    left: Bools
    right: Bools


def maximum_flow(
    tails: Int32s | Ints,
    heads: Int32s | Ints,
    capacities: Ints,
    supplies: Ints,
    demands: Ints,
) -> Flow:
    """Send as much as possible from the left to the right.

    Edges go from a node on the left to one on the right. ``supplies`` and ``demands``
    are what each node on the left has, and what each on the right takes; their sums are
    below 2^63, so that no amount wraps.

    >>> tails, heads = np.array([0, 0, 1], np.int32), np.array([0, 1, 0], np.int32)
    >>> one = np.ones(2, np.int64)
    >>> maximum_flow(tails, heads, np.ones(3, np.int64), one, one).amounts.tolist()
    [0, 1, 1]
    """
    from ortools.graph.python.max_flow import SimpleMaxFlow

    m, n = len(supplies), len(demands)
    source, sink = m + n, m + n + 1
    begin = [tails, np.full(m, source), np.arange(m, source)]
    end = [heads + m, np.arange(m), np.full(n, sink)]
    solver = SimpleMaxFlow()
    arcs = solver.add_arcs_with_capacity(
        np.concatenate(begin, dtype=np.int32),
        np.concatenate(end, dtype=np.int32),
        np.concatenate([capacities, supplies, demands], dtype=np.int64),
    )
    solved = solver.solve(source, sink) == solver.OPTIMAL
    amounts = np.asarray(solver.flows(arcs[: len(tails)]), np.int64)
    reached = np.zeros(m + n + 2, bool)
    reached[solver.get_source_side_min_cut()] = True
    left, right = reached[:m], reached[m:source]
    # Its word is not taken: the flow keeps to all limits, and fills those of the cut.
    sent, taken = summed(amounts, tails, m), summed(amounts, heads, n)
    into, out_of = left[tails] < right[heads], left[tails] > right[heads]
    if not (
        solved
        and ((amounts >= 0) & (amounts <= capacities)).all()
        and (sent <= supplies).all()
        and (taken <= demands).all()
        and (amounts[into] == 0).all()
        and (amounts[out_of] == capacities[out_of]).all()
        and (sent[~left] == supplies[~left]).all()
        and (taken[right] == demands[right]).all()
    ):
        raise ArithmeticError("A flow is not maximal.")
    return Flow(amounts, int(amounts.sum()), left, right)


def strong_parts(
    tails: Int32s | Ints, heads: Int32s | Ints, flow: Ints | Bools, m: int, n: int
) -> tuple[Ints, Ints]:
    """Return the strong component of each tail and each head in a residual graph.

    Pairs go from tails, below ``m``, to heads, below ``n``, and back where they have
    flow. The number of a pair is not the same in all flows, or a pair is in some
    perfect matching, beside those of the flow, only if its ends are in one component.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    back = flow > 0
    arcs = (
        np.concatenate([tails, heads[back] + m]),
        np.concatenate([heads + m, tails[back]]),
    )
    ones = np.ones(len(arcs[0]), np.int8)
    graph = csr_array((ones, arcs), shape=(m + n, m + n))
    _, part = connected_components(graph, directed=True, connection="strong")
    return part[:m], part[m:]


# Whether a release is the original's in another order of the rows.

MOST_PAIRS = 2**32  # of row types that are compared one by one


def is_reordered(
    released: Table, original: Table, star: str = "*", cells: Meanings | None = None
) -> bool:
    """Check whether a release, in some order of its rows, agrees with the original.

    Exactly this: there is a perfect matching of released rows to rows of the original,
    each to another one, such that every QI cell of the released row covers the
    original's and every other cell is equal to it. Equal rows are one node of a
    bipartite graph with their number as supply or demand, and a maximum flow decides.
    Which person has which row stays open, and so does whether the matching is the
    publisher's.

    False as well where header or number of rows differ, where a QI cell of the original
    is the star symbol, or where ranges or nodes of more than 2^32 pairs of row types
    would have to be compared.

    >>> original = Table.from_rows(["a", "s"], [["0", "x"], ["1", "y"]], qi=["a"])
    >>> released = Table.from_rows(["a", "s"], [["1", "y"], ["*", "x"]], qi=["a"])
    >>> is_reordered(released, original)
    True
    >>> is_reordered(released, original.take(np.array([0, 0])))
    False
    """
    if (released.names, released.n) != (original.names, original.n):
        return False
    found = most_matched(released, original, star, cells)
    return found is not None and found.rows == released.n


class Matched(NamedTuple):
    """How many released rows can stand for original rows, each for another one."""

    rows: int  # how many, at most
    alone: Bools  # which released rows can stand for none


def most_matched(
    released: Table, original: Table, star: str = "*", cells: Meanings | None = None
) -> Matched | None:
    """Match as many released rows as possible, each to a row of the original.

    Release and original have the same columns and any number of rows. None where it
    cannot be decided: see ``is_reordered``.

    >>> original = Table.from_rows(["a"], [["0"], ["1"], ["2"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["*"], ["2"], ["2"], ["7"]], qi=["a"])
    >>> found = most_matched(released, original)
    >>> found.rows, found.alone.tolist()
    (2, [False, False, False, True])
    """
    one, other = _with_rest(released, as_written(original, released), star)
    if cells is not None:
        if len(one.row_types) * len(other.row_types) > MOST_PAIRS:
            return None
        cells = {**cells, one.qi[-1]: PlainCells(star)}
    try:
        graph = graph_of(one, other, star, cells)
    except TableError:  # the original holds the star symbol
        return None
    tails, heads = graph.edges
    alone = np.ones(len(graph.released), bool)
    alone[heads] = False
    rows = alone[graph.released.inverse]
    if len(tails) == 0:
        return Matched(0, rows)
    supplies, demands = graph.public.counts, graph.released.counts
    room = np.minimum(supplies[tails], demands[heads])
    flow = maximum_flow(tails, heads, room, supplies, demands)
    return Matched(flow.total, rows)


def _with_rest(released: Table, original: Table, star: str) -> tuple[Table, Table]:
    """Join all columns of both tables that are not QI to one more QI column, the last.

    Its texts are numbers after the star symbol, so never the symbol itself.
    """
    rest = [column for column in released.names if column not in released.qi]
    groups = kinds_in_common([released, original], rest)
    # A missing text that no row has: what missing cells stand for is settled above.
    texts = (*(f"{star}{code}" for code in range(groups.size)), None)
    columns = (*released.qi, "".join(released.qi) + "+")  # longer than any of them
    parts = np.split(groups.inverse, [released.n])
    one, other = (
        replace(
            table,
            names=columns,
            codes=np.vstack([table.codes[table.positions(released.qi)], part]),
            dictionaries=(*(table.dictionary(c) for c in released.qi), texts),
            qi=columns,
            sensitive=(),
        )
        for table, part in zip((released, original), parts, strict=True)
    )
    return one, other
