"""Vertex cover on cubic graphs to 7-anonymity of a table with three columns."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from starmin.instances import KAnonymity, Partition, Table
from starmin.verify.reductions.base import Claim, Evidence, Reduced, Reduction, first
from starmin.verify.reductions.source_solvers import (
    Graph,
    is_vertex_cover,
    minimum_vertex_cover,
)

# The table of three columns that stands for a cubic graph.

K = 7
ROWS_PER_VERTEX = 20
FRESH = "?"
Row = tuple[str, str, str]
Tested = Evidence[frozenset[int]]


def cubic_table(graph: Graph) -> Table:
    """Return the table of the reduction from vertex cover, section 3.1.

    Vertex u is written ``vu``, fresh symbols ``?1``, ``?2``, .. Raises TableError where
    the graph is not 3-regular.

    >>> k4 = Graph.of("abcd", [("a", "b"), ("a", "c"), ("a", "d"),
    ...                        ("b", "c"), ("b", "d"), ("c", "d")])
    >>> cubic_table(k4).rows()[5:8]
    [('0', 'va', 'va'), ('?1', 'va', 'va'), ('?2', 'va', '?3')]
    """
    graph.check_regular(3)
    fresh = (f"{FRESH}{i}" for i in range(1, 15 * graph.size + 2 * K + 1))
    rows: list[Row] = []
    symbols = [symbol(vertex) for vertex in graph.vertices]
    for u in symbols:
        rows += [("0", u, u)] * 6
        rows.append((next(fresh), u, u))
        rows += [(next(fresh), u, next(fresh)) for _ in range(K)]
        rows += [("0", u, "Z")] * 3 + [("0", "Z", u)] * 3
    for x, y in graph.edges:
        rows += [("0", symbols[x], symbols[y]), ("0", symbols[y], symbols[x])]
    rows += [("0", next(fresh), "Z") for _ in range(K)]
    rows += [("0", "Z", next(fresh)) for _ in range(K)]
    return Table.from_rows("abc", rows, qi="abc", name=f"vertex-cover {graph.name}")


def symbol(vertex: str) -> str:
    """Return the cell for a vertex: never 0, Z, a fresh symbol or a star."""
    return f"v{vertex}"


def base_cost(graph: Graph) -> int:
    """Return the stars that every release pays: ABC = 27 r + 2 |E| + 14."""
    return 27 * graph.size + 2 * len(graph.edges) + 2 * K


def row_base_cost(row: Row) -> int:
    """Return the stars a row pays in any release: 2 with two fresh symbols, else 1."""
    return 2 if row[0].startswith(FRESH) and row[2].startswith(FRESH) else 1


def text_rows(table: Table) -> list[Row]:
    """Return the rows of such a table, as text."""
    return [(str(a), str(b), str(c)) for a, b, c in table.rows()]


# The claims about the table alone, each tested row by row.
#
# Each function lists its failures; none means that the claim holds.


def construction(graph: Graph, table: Table) -> Iterator[str]:
    """Check that the rows, fresh symbols read as '?', are those of section 3.1."""

    def kinds(part: Table) -> Counter[tuple[str, ...]]:
        return Counter(
            tuple(FRESH if cell.startswith(FRESH) else cell for cell in row)
            for row in text_rows(part)
        )

    if table.d != 3:
        yield f"{table.d} columns, expected 3"
        return
    found, expected = kinds(table), kinds(cubic_table(graph))
    for row in [*expected, *found]:
        if found[row] != expected[row]:
            yield f"{found[row]} rows ({', '.join(row)}), expected {expected[row]}"


def fresh_symbols(table: Table) -> Iterator[str]:
    """Check that each fresh symbol occurs in one cell."""
    cells = Counter(cell for row in text_rows(table) for cell in row)
    for cell, count in cells.items():
        if cell.startswith(FRESH) and count > 1:
            yield f"symbol {cell} occurs in {count} cells, expected one"


def base_costs(graph: Graph, reduced: Reduced) -> Iterator[str]:
    """Check that no row in groups of k pays less than its base cost; the sum is ABC."""
    table, k = reduced.table, reduced.requirement.core.size
    least = np.full(table.n, table.d)
    for mask in range(1, 2**table.d):
        kept = [j for j in range(table.d) if mask >> j & 1]
        alike = table.grouped([table.qi[j] for j in kept])
        fits = alike.counts[alike.inverse] >= k
        least[fits] = np.minimum(least[fits], table.d - len(kept))
    rows = text_rows(table)
    for row, stars in zip(rows, least, strict=True):
        if stars < row_base_cost(row):
            yield (
                f"row ({', '.join(row)}) may pay {stars} stars in a group of {k}, "
                f"less than {row_base_cost(row)}"
            )
    if (total := sum(map(row_base_cost, rows))) != base_cost(graph):
        yield f"base costs add up to {total}, not {base_cost(graph)}"


def claim_2(graph: Graph, reduced: Reduced) -> Iterator[str]:
    """Check that a critical row that pays 1 is with just the six rows (0, u, u)."""
    k = reduced.requirement.core.size
    alike = Counter(row[1:] for row in text_rows(reduced.table))
    for vertex in graph.vertices:
        count = alike[symbol(vertex), symbol(vertex)]
        if count != k:
            yield f"{count} rows (., {vertex}, {vertex}), expected exactly k = {k}"


def claim_3(graph: Graph, reduced: Reduced) -> Iterator[str]:
    """Check that an edge row between perfect vertices cannot pay only 1.

    By Claim 2 the rows (0, x, x) and (0, y, y) are elsewhere.
    """
    k = reduced.requirement.core.size
    rows = [row for row in text_rows(reduced.table) if row[1] != row[2]]
    symbols = [symbol(vertex) for vertex in graph.vertices]
    for kept in ((0, 1), (0, 2), (1, 2)):
        counts = Counter((row[kept[0]], row[kept[1]]) for row in rows)
        for x, y in graph.edges:
            for row in ("0", symbols[x], symbols[y]), ("0", symbols[y], symbols[x]):
                count = counts[row[kept[0]], row[kept[1]]]
                if count >= k:
                    columns = " and ".join(reduced.table.qi[j] for j in kept)
                    yield (
                        f"{count} rows agree with ({', '.join(row)}) on {columns}, "
                        f"expected fewer than k = {k}"
                    )


# The constants of the L-reduction from vertex cover, in exact fractions.

# No covers of cubic graphs are within it, unless P = NP (M. Chlebík and J. Chlebíková,
# Theoretical Computer Science 354, 2006).
VERTEX_COVER_RATIO = Fraction(100, 99)


def l_reduction_constant(vertices: int) -> Fraction:
    """Return a of ``stars <= a * cover`` for cubic graphs of at least r vertices.

    The least number of stars is 30 r + 14 + VC. Each vertex covers 3 of the 3 r / 2
    edges, so VC >= r / 2 and the quotient is at most 61 + 28 / r: the paper's 63 for
    r >= 14, and as near to 61 as one likes for larger graphs.

    >>> l_reduction_constant(14), l_reduction_constant(28)
    (Fraction(63, 1), Fraction(62, 1))
    """
    return 61 + Fraction(28, vertices)


def inapproximable(constant: Fraction) -> Fraction:
    """Return a factor of the least number of stars that is out of reach.

    A release within 1 + e of the least stars lifts to a cover of at most
    ``VC + e * stars <= (1 + e * constant) * VC`` vertices. So where covers cannot be
    approximated within a ratio, stars cannot within 1 + (ratio - 1) / constant.

    ``constant`` is from ``l_reduction_constant``. Graphs below any fixed size can be
    solved outright, so it may be taken for any r: with 61 as its limit, every factor
    below 6040/6039 is out of reach.

    >>> inapproximable(l_reduction_constant(14)), inapproximable(Fraction(61))
    (Fraction(6238, 6237), Fraction(6040, 6039))
    """
    return 1 + (VERTEX_COVER_RATIO - 1) / constant


@dataclass(frozen=True)
class VertexCover(Reduction[Graph, frozenset[int]]):
    r"""Reduces vertex cover on 3-regular graphs to 7-anonymity with three columns.

    A graph of r vertices has a vertex cover of t vertices if and only if its table
    has a 7-anonymous release with

    .. math:: 27 r + 2 |E| + 14 + t

    stars; so the least number of stars is that with the size VC of a least cover.

    Each vertex u gives 20 rows: 6 times (0, u, u), its critical row (?, u, u), 7 rows
    (?, u, ?), 3 times (0, u, Z) and 3 times (0, Z, u); each edge xy the rows (0, x, y)
    and (0, y, x); at last there are 7 dummy rows (0, ?, Z) and 7 (0, Z, ?). Every ?
    is a symbol of its own. A row (?, u, ?) pays at least 2 stars in any release and
    every other row at least 1: the base cost. A cover gives a release in which one
    row of each of its vertices pays 1 more (Claim 1). A release pays at least 1 more
    for each *imperfect* vertex, one of whose rows pays more than its base cost, and
    for each edge between perfect ones (Claims 2, 3): these make a cover (Claim 4).

    Linear time but for VC. The table has 23 r + 14 rows.

    V. T. Chakaravarthy, V. Pandit, Y. Sabharwal, On the Complexity of the
    k-Anonymization Problem, 2010, section 3.

    >>> k4 = Graph.of("abcd", [("a", "b"), ("a", "c"), ("a", "d"),
    ...                        ("b", "c"), ("b", "d"), ("c", "d")])
    >>> reduction = VertexCover()
    >>> reduced = reduction.apply(k4)
    >>> reduced.table.n, reduced.threshold
    (106, 137)
    >>> release = reduction.forward(k4, frozenset({0, 1, 2}))
    >>> reduced.stars(release), sorted(reduction.lift(k4, release))
    (137, [0, 1, 2])
    >>> reduction.check(k4).holds
    True
    """

    # the t of the question; default: VC, by an independent solver, so that the
    # threshold is the least number of stars
    size: int | None = None

    def apply(self, source: Graph) -> Reduced:
        table = cubic_table(source)
        size = len(self.solve(source)) if self.size is None else self.size
        return Reduced(table, KAnonymity(K), base_cost(source) + size)

    def forward(self, source: Graph, solution: frozenset[int]) -> Partition:
        """Return the release of Claim 1: only critical rows of the cover pay extra.

        Raises ValueError where ``solution`` is not a vertex cover.
        """
        if not is_vertex_cover(source, solution):
            raise ValueError("Expected a vertex cover, got one that misses an edge.")
        holder = [x if x in solution else y for x, y in source.edges]
        # A cover vertex to which no edge is attached is treated as uncovered.
        cover = set(holder)
        labels: list[tuple[str, int]] = []
        for u in range(source.size):
            labels += _vertex_groups(u, u in cover)
        for (x, _), u in zip(source.edges, holder, strict=True):
            # Row (0, u, other) joins A_u, row (0, other, u) joins B_u.
            labels += [("A", u), ("B", u)] if u == x else [("B", u), ("A", u)]
        labels += [("D1", 0)] * K + [("D2", 0)] * K
        number = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        return Partition.from_labels(np.array([number[label] for label in labels]))

    def lift(self, source: Graph, partition: Partition) -> frozenset[int]:
        """Map a release to a vertex cover no larger than its extra cost (Claim 4)."""
        imperfect, missed = _imperfect(source, partition)
        return frozenset(imperfect | {x for x, _ in missed})

    def size_bound(self, source: Graph, bound: int) -> int:
        """Return how many vertices a cover has at least (Claim 1)."""
        return max(0, bound - base_cost(source))

    def solve(self, source: Graph) -> frozenset[int]:
        cover = minimum_vertex_cover(source)
        assert cover is not None, "without a time limit the solver ends with a proof"
        return cover

    def claims(
        self, source: Graph, reduced: Reduced, evidence: Tested
    ) -> Iterator[Claim]:
        table = reduced.table
        yield Claim("construction", first(construction(source, table)))
        yield Claim("fresh symbols", first(fresh_symbols(table)))
        yield Claim("base cost", first(base_costs(source, reduced)))
        yield Claim("Claim 1", first(self._claim_1(source, reduced, evidence)))
        yield Claim("Claim 2", first(claim_2(source, reduced)))
        yield Claim("Claim 3", first(claim_3(source, reduced)))
        yield Claim("Claim 4", first(self._claim_4(source, reduced, evidence)))
        base, least = base_cost(source), len(_least(evidence))
        asked = base + (least if self.size is None else self.size)
        found = reduced.failures(asked, evidence.optimum, base + least)
        yield Claim("threshold", first(found))
        yield Claim("L-reduction", first(_l_reduction(source, evidence)))

    def _claim_1(
        self, source: Graph, reduced: Reduced, evidence: Tested
    ) -> Iterator[str]:
        everything = frozenset(range(source.size))
        for cover in (everything, everything - {0}, _least(evidence)):
            extra = reduced.stars(self.forward(source, cover)) - base_cost(source)
            if extra > len(cover):
                yield f"a cover of {len(cover)} gives a release of extra cost {extra}"

    def _claim_4(
        self, source: Graph, reduced: Reduced, evidence: Tested
    ) -> Iterator[str]:
        own = [Partition.single(reduced.table), self.forward(source, _least(evidence))]
        for release in (*own, *evidence.releases):
            extra = reduced.stars(release) - base_cost(source)
            imperfect, missed = _imperfect(source, release)
            cover = self.lift(source, release)
            if len(imperfect) + len(missed) > extra or len(cover) > extra:
                yield (
                    f"a release of extra cost {extra} has {len(imperfect)} imperfect "
                    f"vertices, {len(missed)} edges elsewhere, cover {len(cover)}"
                )
            if not is_vertex_cover(source, cover):
                yield f"a release of extra cost {extra} gives no vertex cover"


def _vertex_groups(u: int, covered: bool) -> list[tuple[str, int]]:
    """Return the groups of the 20 rows of a vertex (the paper's figure 2)."""
    if covered:
        split = [("A", u)] * 3 + [("B", u)] * 3
        return split + [("C", u)] * (1 + K) + split
    return [("U", u)] * K + [("C", u)] * K + [("D1", 0)] * 3 + [("D2", 0)] * 3


def _imperfect(
    graph: Graph, partition: Partition
) -> tuple[set[int], list[tuple[int, int]]]:
    """Return the imperfect vertices, and the edges between perfect ones."""
    reduced = Reduced(cubic_table(graph), KAnonymity(K), 0)
    reduced.stars(partition)  # refuses a release that is not 7-anonymous
    paid = partition.starred(reduced.table).sum(axis=1)[partition.groups]
    more = paid > [*map(row_base_cost, text_rows(reduced.table))]
    of_vertices = more[: graph.size * ROWS_PER_VERTEX].reshape(-1, ROWS_PER_VERTEX)
    extra = of_vertices.any(axis=1)
    imperfect = set(map(int, np.flatnonzero(extra)))
    missed = [
        (x, y) for x, y in graph.edges if x not in imperfect and y not in imperfect
    ]
    return imperfect, missed


def _least(evidence: Tested) -> frozenset[int]:
    assert evidence.solution is not None, "every graph has a least vertex cover"
    return evidence.solution


def _l_reduction(graph: Graph, evidence: Tested) -> Iterator[str]:
    """Check VC >= r / 2, and stars <= 63 VC for r >= 14 (section 3.2)."""
    least = len(_least(evidence))
    stars, constant = base_cost(graph) + least, l_reduction_constant(graph.size)
    if 2 * least < graph.size:
        yield f"a cover of {least} vertices, fewer than half of {graph.size}"
    if stars > constant * least or (graph.size >= 14 and constant > 63):
        yield f"{stars} stars, more than {min(constant, 63)} times {least}"
