"""Edge partition into triangles and 4-stars to 3-anonymity of a binary table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from starmin.instances import KAnonymity, Partition, Table, TableError
from starmin.instances.arrays import Bools
from starmin.verify.reductions.base import Claim, Evidence, Reduced, Reduction, first
from starmin.verify.reductions.source_solvers import (
    Graph,
    cheap_triples,
    partition_edges,
)

Parts = tuple[tuple[int, ...], ...]
Tested = Evidence[Parts]


@dataclass(frozen=True)
class EdgePartition(Reduction[Graph, Parts]):
    r"""Reduces edge partition into triangles and 4-stars to binary 3-anonymity.

    The edges of a graph can be partitioned into triangles and 4-stars (three edges at
    one vertex) if and only if the table has a 3-anonymous release with

    .. math:: 3 |E|

    stars. A triangle-free graph has 4-stars only, and its case is NP-hard as well.

    The table is the incidence matrix: a row for each edge, a column for each vertex,
    1 at the two ends. The rows of a group differ on the vertices that its edges
    touch, but for those that all of them share.

    *Three edges* touch three vertices if they are a triangle, which share none; else
    they touch at least four, and share one, so that three columns are starred, only
    if they are a 4-star. *Four or more edges* touch at least four vertices; if they
    share one they touch at least five: four columns or more are starred. So every row
    pays at least 3 stars, and all rows pay just 3 if and only if every group is a
    triangle or a 4-star. In a release of s stars the t groups of three stars satisfy
    :math:`s \ge 9 t + 4 (|E| - 3 t)`: any release gives at least
    :math:`(4 |E| - s) / 3` triangles and 4-stars without a common edge.

    O(|E| |V|). The proof is our own, along the lines of the references.

    J. Blocki, R. Williams, Resolving the Complexity of Some Data Privacy Problems,
    ICALP 2010 (the edges of a triangle-free graph into 4-stars). G. Aggarwal et al.,
    Anonymizing Tables, ICDT 2005 (triangles, ternary alphabet).

    >>> names = "abcdef"
    >>> cube_like = Graph.of(names, [(x, y) for x in "abc" for y in "def"])
    >>> reduction = EdgePartition()
    >>> reduced = reduction.apply(cube_like)
    >>> reduced.table.rows()[0], reduced.threshold
    (('1', '0', '0', '1', '0', '0'), 27)
    >>> release = reduction.forward(cube_like, reduction.solve(cube_like))
    >>> reduced.stars(release), len(reduction.lift(cube_like, release))
    (27, 3)
    >>> reduction.check(cube_like).holds
    True
    """

    def apply(self, source: Graph) -> Reduced:
        if len(source.edges) < 3:
            raise TableError(
                f"{source.name}: {len(source.edges)} edges, expected at least 3"
            )
        columns = [f"v{vertex}" for vertex in source.vertices]
        name = f"edge-partition {source.name}"
        table = Table.from_rows(columns, _incidence(source), qi=columns, name=name)
        return Reduced(table, KAnonymity(3), 3 * len(source.edges))

    def forward(self, source: Graph, solution: Parts) -> Partition:
        """Return a group for each part; edges of no part are one more group.

        Raises ValueError where parts are no triangles or 4-stars or share an edge, or
        where one or two edges are left over.
        """
        if not is_packing(source, solution):
            raise ValueError("Expected triangles and 4-stars without a common edge.")
        labels = np.full(len(source.edges), -1)
        for number, part in enumerate(solution):
            labels[list(part)] = number
        if 0 < (left := int((labels == -1).sum())) < 3:
            raise ValueError(f"Expected no or at least 3 edges left over, got {left}.")
        return Partition.from_labels(labels)

    def lift(self, source: Graph, partition: Partition) -> Parts:
        """Return the triangles and 4-stars among the groups, for any release."""
        reduced = self.apply(source)
        reduced.stars(partition)
        stars = partition.starred(reduced.table).sum(axis=1)
        return tuple(
            tuple(map(int, np.flatnonzero(partition.groups == group)))
            for group in np.flatnonzero(stars == 3)
        )

    def size_bound(self, source: Graph, bound: int) -> int:
        """Return how many triangles and 4-stars there are at most, no edge in two.

        Only that there is no partition is concluded from a bound.
        """
        most, left = divmod(len(source.edges), 3)
        return most - int(left == 0 and bound > 3 * len(source.edges))

    def solve(self, source: Graph) -> Parts | None:
        parts = partition_edges(source)
        return None if parts is None else tuple(parts)

    def claims(
        self, source: Graph, reduced: Reduced, evidence: Tested
    ) -> Iterator[Claim]:
        yield Claim("construction", first(_construction(source, reduced.table)))
        yield Claim("three edges", first(_three_edges(source, reduced)))
        yield Claim("four edges", first(_four_edges(source, reduced)))
        yield Claim("only if", first(self._only_if(source, reduced, evidence)))
        yield Claim("if", first(self._if(source, reduced, evidence)))
        yield Claim("threshold", first(_threshold(source, reduced, evidence)))

    def _only_if(
        self, source: Graph, reduced: Reduced, evidence: Tested
    ) -> Iterator[str]:
        if evidence.solution is not None:
            stars = reduced.stars(self.forward(source, evidence.solution))
            if stars != 3 * len(source.edges):
                yield f"a partition gives {stars} stars, not {3 * len(source.edges)}"

    def _if(self, source: Graph, reduced: Reduced, evidence: Tested) -> Iterator[str]:
        for release in (Partition.single(reduced.table), *evidence.releases):
            stars, parts = reduced.stars(release), self.lift(source, release)
            if not is_packing(source, parts):
                yield f"a release of {stars} stars gives other parts"
            if 3 * len(parts) < 4 * len(source.edges) - stars:
                yield f"a release of {stars} stars gives only {len(parts)} parts"


def is_packing(graph: Graph, parts: Parts) -> bool:
    """Check whether all ``parts`` are triangles or 4-stars and no two share an edge."""
    edges = [edge for part in parts for edge in part]
    return len(set(edges)) == len(edges) and all(_is_cheap(graph, p) for p in parts)


def _is_cheap(graph: Graph, part: Sequence[int]) -> bool:
    ends = [set(graph.edges[edge]) for edge in part]
    touched, shared = set.union(*ends), set.intersection(*ends)
    return len(ends) == 3 and (len(touched) == 3 or len(shared) == 1)


def _incidence(graph: Graph) -> list[tuple[str, ...]]:
    """Return a row for each edge: 1 at its ends, else 0."""
    vertices = range(graph.size)
    return [tuple("1" if v in edge else "0" for v in vertices) for edge in graph.edges]


def _construction(graph: Graph, table: Table) -> Iterator[str]:
    if (table.n, table.d) != (len(graph.edges), graph.size):
        yield (
            f"{table.n} rows by {table.d} columns, expected {len(graph.edges)} by "
            f"{graph.size}"
        )
        return
    pairs = zip(table.rows(), _incidence(graph), strict=True)
    for number, (row, expected) in enumerate(pairs, start=1):
        if row != expected:
            yield f"row {number}: {row}, expected {expected}"


def _starred_triples(table: Table, triples: Sequence[tuple[int, ...]]) -> Bools:
    codes = table.row_types.codes[table.row_types.inverse]
    members = codes[np.array(triples)]
    return np.asarray((members != members[:, :1]).any(axis=1), bool)


def _three_edges(graph: Graph, reduced: Reduced) -> Iterator[str]:
    """Check that three rows pay at least 3 each, only triangles and 4-stars 3."""
    if (k := reduced.requirement.core.size) != 3:
        yield f"k = {k}, expected 3"
    cheap = set(map(frozenset, cheap_triples(graph)))
    triples = list(combinations(range(len(graph.edges)), 3))
    starred = _starred_triples(reduced.table, triples).sum(axis=1)
    for triple, stars in zip(triples, starred, strict=True):
        if stars < 3 or (stars == 3) != (frozenset(triple) in cheap):
            yield f"edges {triple} pay {stars} stars each"


def _four_edges(graph: Graph, reduced: Reduced) -> Iterator[str]:
    """Check that every four rows pay at least 4 each.

    Four rows are starred wherever three of them are, so only supersets of triangles
    and 4-stars are in question.
    """
    for triple in cheap_triples(graph):
        fours = [(*triple, e) for e in range(len(graph.edges)) if e not in triple]
        if not fours:
            return
        starred = _starred_triples(reduced.table, fours).sum(axis=1)
        if starred.min() < 4:
            yield f"edges {fours[int(starred.argmin())]} pay {starred.min()} stars each"


def _threshold(graph: Graph, reduced: Reduced, evidence: Tested) -> Iterator[str]:
    if reduced.threshold != 3 * len(graph.edges):
        yield f"threshold {reduced.threshold}, expected {3 * len(graph.edges)}"
    if evidence.optimum is not None:
        answer = evidence.solution is not None
        if answer != (evidence.optimum <= reduced.threshold):
            yield (
                f"least number of stars {evidence.optimum}, threshold "
                f"{reduced.threshold}, but the answer is {'yes' if answer else 'no'}"
            )
