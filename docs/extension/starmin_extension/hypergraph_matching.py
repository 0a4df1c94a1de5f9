"""A reduction: perfect matching in 3-uniform hypergraphs to 3-anonymity."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from starmin import KAnonymity, Partition, Table
from starmin.verify.reductions import (
    Claim,
    Evidence,
    HardInstance,
    Question,
    Reduced,
    Reduction,
)

Edge = frozenset[int]
Matching = tuple[Edge, ...]


@dataclass(frozen=True)
class Hypergraph:
    """Vertices 0, 1, .. and different edges of three vertices each."""

    size: int
    edges: tuple[Edge, ...]


class HypergraphMatching(Reduction[Hypergraph, Matching]):
    """Reduces perfect matching with n vertices, m edges to n (m - 1) stars.

    A row for each vertex, a column for each edge: 0 where the vertex is in the edge,
    else a value that no other row has. A column is kept in a group of three rows or
    more only if all of them are in its edge, so if they are the edge. Edges being
    different, each row keeps one cell at most, and all rows keep one if and only if
    all groups are edges. After Meyerson and Williams, PODS 2004.
    """

    def apply(self, source: Hypergraph) -> Reduced:
        """Return the table, k = 3 and n (m - 1)."""
        columns = [f"e{number}" for number in range(len(source.edges))]
        rows = [
            ["0" if vertex in edge else f"v{vertex}" for edge in source.edges]
            for vertex in range(source.size)
        ]
        table = Table.from_rows(columns, rows, qi=columns)
        stars = source.size * (len(source.edges) - 1)
        return Reduced(table, KAnonymity(3), stars)

    def forward(self, source: Hypergraph, solution: Matching) -> Partition:
        """Return a group for each edge; what no edge has is one more group."""
        labels = np.full(source.size, -1)
        for number, edge in enumerate(solution):
            labels[list(edge)] = number
        return Partition.from_labels(labels)

    def lift(self, source: Hypergraph, partition: Partition) -> Matching:
        """Return the groups that are edges."""
        self.apply(source).stars(partition)
        groups = partition.groups
        members = [
            frozenset(map(int, np.flatnonzero(groups == group)))
            for group in range(int(groups.max()) + 1)
        ]
        return tuple(group for group in members if group in source.edges)

    def size_bound(self, source: Hypergraph, bound: int) -> int:
        """Return how many edges of a matching fewer stars would leave."""
        return (source.size * len(source.edges) - bound) // 3

    def solve(self, source: Hypergraph) -> Matching | None:
        """Find a perfect matching by trying all sets of edges."""
        for chosen in combinations(source.edges, source.size // 3):
            if len(frozenset().union(*chosen)) == source.size:
                return chosen
        return None

    def claims(
        self, source: Hypergraph, reduced: Reduced, evidence: Evidence[Matching]
    ) -> Iterator[Claim]:
        """Test the threshold, both directions, and what any release gives."""
        expected = source.size * (len(source.edges) - 1)
        wrong = None if reduced.threshold == expected else f"not {expected}"
        yield Claim("threshold", wrong)
        if (solution := evidence.solution) is not None:
            stars = reduced.stars(self.forward(source, solution))
            yield Claim("only if", None if stars == expected else f"{stars} stars")
        for release in (Partition.single(reduced.table), *evidence.releases):
            found, stars = self.lift(source, release), reduced.stars(release)
            kept = source.size * len(source.edges) - stars
            yield Claim("if", None if kept == 3 * len(found) else f"{kept} cells kept")
        if evidence.optimum is not None:
            wrong = (evidence.optimum <= expected) != (evidence.solution is not None)
            yield Claim("equivalence", "it fails" if wrong else None)


def planted(n: int = 12, extra: int = 4, seed: int = 0) -> Question:
    """Return a hypergraph with a perfect matching and ``extra`` other edges."""
    if n < 3 or n % 3 or extra < 0:
        raise ValueError(f"Expected n = 3, 6, .. and extra >= 0, got {n} and {extra}.")
    rng = np.random.default_rng(seed)
    edges = {frozenset(map(int, part)) for part in rng.permutation(n).reshape(-1, 3)}
    edges |= {
        frozenset(map(int, rng.choice(n, 3, replace=False))) for _ in range(extra)
    }
    ordered = sorted(edges, key=sorted)
    return Question(HypergraphMatching(), Hypergraph(n, tuple(ordered)))


INSTANCE = HardInstance.of(
    "hypergraph-matching",
    "a hypergraph with a planted perfect matching",
    "A. Meyerson, R. Williams: On the Complexity of Optimal K-Anonymity, PODS 2004",
    planted,
    KAnonymity(3),
)
