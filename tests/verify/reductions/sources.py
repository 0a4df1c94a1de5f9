"""Sources of reductions with a known answer, and what tells it."""

from collections.abc import Iterator
from itertools import combinations, product

import networkx
import numpy as np
from scipy.optimize import linear_sum_assignment

from starmin.instances import (
    LDiversity,
    NotSupportedError,
    Partition,
    Table,
    why_infeasible,
)
from starmin.verify.reductions.source_solvers import Graph, PointSet


def to_networkx(graph: Graph) -> networkx.Graph:
    """The graph on 0, 1, .. for networkx."""
    made = networkx.Graph()
    made.add_nodes_from(range(graph.size))
    made.add_edges_from(graph.edges)
    return made


def bipartite_cubic_graph(size: int, seed: int) -> Graph:
    """Join the even to the odd vertices by three random perfect matchings.

    It has a vertex cover of ``size`` / 2 vertices, and no smaller one.
    """
    random, half = np.random.default_rng(seed), size // 2
    found = [list(range(half))]
    while len(found) < 3:
        trial = random.permutation(half).tolist()
        if all(a != b for other in found for a, b in zip(trial, other, strict=True)):
            found.append(trial)
    edges = [
        (str(2 * x), str(2 * y + 1))
        for matching in found
        for x, y in enumerate(matching)
    ]
    return Graph.of(map(str, range(size)), edges)


def odd_cycle(graph: Graph) -> tuple[int, ...] | None:
    """Return a cycle of an odd number of vertices, or None in a bipartite graph.

    In a cubic graph of r vertices it certifies that no vertex cover has r / 2: the
    other r / 2 vertices, no two adjacent, would have one end of all 3 r / 2 edges and
    the cover the other end, but no odd cycle alternates.
    """
    neighbours: list[list[int]] = [[] for _ in graph.vertices]
    for x, y in graph.edges:
        neighbours[x].append(y)
        neighbours[y].append(x)
    parent: dict[int, int] = {}
    depth: dict[int, int] = {}
    for root in range(graph.size):
        if root in depth:
            continue
        parent[root], depth[root] = root, 0
        queue = [root]
        for x in queue:
            for y in neighbours[x]:
                if y not in depth:
                    parent[y], depth[y] = x, depth[x] + 1
                    queue.append(y)
                elif depth[y] == depth[x]:
                    return _cycle(parent, x, y)
    return None


def _cycle(parent: dict[int, int], x: int, y: int) -> tuple[int, ...]:
    """Return the tree paths from two vertices of one depth to where they meet."""
    left, right = [x], [y]
    while left[-1] != right[-1]:
        left.append(parent[left[-1]])
        right.append(parent[right[-1]])
    return tuple(left + right[-2::-1])


def connected_cubic_graphs(size: int) -> list[Graph]:
    """Return all connected 3-regular graphs of ``size`` vertices, one of each shape.

    Vertices are numbered as a breadth-first search meets them, and completed in this
    order: every connected cubic graph is among those built so. Of graphs of one shape
    (by networkx) the first is kept.

    Notes
    -----
    Sizes 4, 6, 8, 10: 1, 2, 5, 19 graphs, in about a second; 12: 85, in a minute.

    References
    ----------
    The counts: The On-Line Encyclopedia of Integer Sequences, A002851.
    """
    kept: dict[tuple[tuple[int, ...], ...], list[Graph]] = {}
    for edges in _numbered(size):
        names = [str(v) for v in range(size)]
        graph = Graph(tuple(names), tuple(sorted(edges)), f"cubic {size}")
        alike = kept.setdefault(_invariant(graph), [])
        if not any(
            networkx.is_isomorphic(to_networkx(graph), to_networkx(other))
            for other in alike
        ):
            alike.append(graph)
    graphs = [graph for alike in kept.values() for graph in alike]
    return [
        Graph(graph.vertices, graph.edges, f"cubic-{size}-{number}")
        for number, graph in enumerate(graphs, start=1)
    ]


def _numbered(size: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield edge lists of connected cubic graphs, vertices in breadth-first order."""
    stack: list[tuple[tuple[tuple[int, int], ...], int]] = [((), 1)]
    while stack:
        edges, met = stack.pop()
        degrees = [0] * size
        for x, y in edges:
            degrees[x] += 1
            degrees[y] += 1
        unfinished = [v for v in range(met) if degrees[v] < 3]
        if not unfinished:
            if met == size:
                yield edges
            continue
        x = unfinished[0]
        # Edges of x are added in ascending order of their other end.
        least = max((y for a, y in edges if a == x), default=x) + 1
        stack.extend(
            ((*edges, (x, y)), max(met, y + 1))
            for y in range(least, min(met + 1, size))
            if degrees[y] < 3
        )


def _invariant(graph: Graph) -> tuple[tuple[int, ...], ...]:
    """Return for each vertex the numbers of closed walks of each length, sorted."""
    adjacency = np.zeros((graph.size, graph.size), np.int64)
    for x, y in graph.edges:
        adjacency[x, y] = adjacency[y, x] = 1
    power, walks = adjacency, []
    for _ in range(graph.size - 2):
        power = power @ adjacency
        walks.append(np.diagonal(power))
    return tuple(sorted(map(tuple, np.stack(walks, axis=1).tolist())))


def why_no_partition(graph: Graph) -> str | None:
    """Say why the edges do not fall into triangles and 4-stars, if that is plain.

    Either their number is not a multiple of 3; or the graph is cubic and has neither
    triangles nor, as its centres and leaves would alternate, a partition unless it is
    bipartite.
    """
    if len(graph.edges) % 3:
        return f"{len(graph.edges)} edges, not a multiple of 3"
    if set(graph.degrees) != {3} or _has_triangle(graph):
        return None
    cycle = odd_cycle(graph)
    if cycle is None:
        return None
    return f"cubic without triangles, odd cycle of {len(cycle)} vertices"


def _has_triangle(graph: Graph) -> bool:
    edges = set(graph.edges)
    return any(
        (x, z) in edges and (y, z) in edges
        for x, y in graph.edges
        for z in range(graph.size)
        if z > y
    )


def all_point_sets(size: int, most: int, dimension: int = 3) -> Iterator[PointSet]:
    """Yield every set of 1 .. ``most`` points over domains of ``size`` values."""
    everything = list(product(range(size), repeat=dimension))
    for count in range(1, most + 1):
        for points in combinations(everything, count):
            yield PointSet.of(size, points)


def is_crowded(points: PointSet) -> bool:
    """Check that a half of the first domain meets too few values of the second."""
    crowded = range((points.size + 1) // 2 if points.size > 2 else 2)
    met = {point[1] for point in points.points if point[0] in crowded}
    return len(met) < len(crowded)


def two_value_optimum(table: Table) -> Partition:
    r"""Solve 2-diversity exactly on a table with two sensitive values.

    The boundary of the hardness results (m = 2): a table with fewer than l sensitive
    values has no l-diverse release, so l = 2, and a 2-diverse group has as many rows
    of one value as of the other. Splitting it into pairs, one row of each, never adds
    a star, so some optimum consists of pairs, and a pair pays two stars for each
    column on which its rows differ: a minimum-weight perfect matching in a bipartite
    graph. With a third value groups of l = 3 rows are needed, and those are triples
    of a 3-dimensional matching.

    An independent check of the methods for the case, not a fast one.

    Raises NotSupportedError for other than two sensitive values in one column, or not
    as many of each.

    Notes
    -----
    O(n^2 d) memory, O(n^3) time: some 2,000 rows.

    References
    ----------
    X. Xiao, K. Yi, Y. Tao, The Hardness and Approximation Algorithms for L-Diversity,
    EDBT 2010, section 4.
    """
    if len(table.sensitive) != 1:
        raise NotSupportedError("Expected one sensitive column.")
    values = table.column(table.sensitive[0])
    if (m := len(np.unique(values))) != 2:
        raise NotSupportedError(f"Expected two sensitive values, got {m}.")
    if (why := why_infeasible(table, LDiversity(2))) is not None:
        raise NotSupportedError(f"Expected as many rows of each value, but {why}.")
    one, other = (np.flatnonzero(values == value) for value in np.unique(values))
    codes = np.stack([table.column(column) for column in table.qi], axis=1)
    differ = codes[one][:, None, :] != codes[other][None, :, :]
    left, right = linear_sum_assignment(differ.sum(axis=2))
    labels = np.empty(table.n, np.int64)
    labels[one[left]] = labels[other[right]] = np.arange(len(one))
    return Partition.from_labels(labels)
