"""Cubic graphs: named ones, all small ones, random ones."""

from collections.abc import Iterator

import numpy as np

from starmin.instances import TableError
from starmin.verify.hard_problems.graph import Graph

# The name here and the function of networkx that makes it.
_NAMED = {
    "petersen": "petersen_graph",
    "cube": "cubical_graph",
    "moebius-kantor": "moebius_kantor_graph",
    "desargues": "desargues_graph",
    "heawood": "heawood_graph",
    "pappus": "pappus_graph",
    "frucht": "frucht_graph",
    "truncated-tetrahedron": "truncated_tetrahedron_graph",
    "truncated-cube": "truncated_cube_graph",
    "dodecahedron": "dodecahedral_graph",
    "tutte": "tutte_graph",
}
NAMED_CUBIC_GRAPHS = ("k4", "k33", "prism", *_NAMED)


def named_cubic_graph(name: str) -> Graph:
    """Return one of ``NAMED_CUBIC_GRAPHS``.

    Raises TableError for another name.

    Examples
    --------
    >>> named_cubic_graph("petersen").size
    10
    """
    import networkx

    if name not in NAMED_CUBIC_GRAPHS:
        known = ", ".join(NAMED_CUBIC_GRAPHS)
        raise TableError(f"no cubic graph {name!r}; there are: {known}")
    if name == "k4":
        graph = networkx.complete_graph(4)
    elif name == "k33":
        graph = networkx.complete_bipartite_graph(3, 3)
    elif name == "prism":
        graph = networkx.circular_ladder_graph(3)
    else:
        graph = getattr(networkx, _NAMED[name])()
    return Graph.from_networkx(graph, name)


def random_cubic_graph(size: int, seed: int, bipartite: bool = False) -> Graph:
    """Return a random 3-regular graph on 0 .. ``size`` - 1, perhaps not connected.

    ``size`` is even, at least 4 (6 for a bipartite graph). A ``bipartite`` graph joins
    the even to the odd vertices by three random perfect matchings: it has a vertex
    cover of ``size`` / 2 vertices, and no smaller one.

    Examples
    --------
    >>> len(random_cubic_graph(10, seed=1).edges)
    15
    """
    import networkx

    least = 6 if bipartite else 4
    if size < least or size % 2:
        raise ValueError(f"Expected an even size >= {least}, got {size}.")
    name = f"cubic n={size} seed={seed}"
    if not bipartite:
        graph = networkx.random_regular_graph(3, size, seed=seed)
        edges = [(str(x), str(y)) for x, y in graph.edges]
        return Graph.of(map(str, range(size)), edges, name)
    edges = [
        (str(2 * x), str(2 * y + 1))
        for matching in _three_matchings(size // 2, seed)
        for x, y in enumerate(matching)
    ]
    return Graph.of(map(str, range(size)), edges, f"bipartite {name}")


def _three_matchings(half: int, seed: int) -> list[list[int]]:
    """Draw three permutations that agree nowhere."""
    random = np.random.default_rng(seed)
    found = [list(range(half))]
    while len(found) < 3:
        trial = random.permutation(half).tolist()
        if all(a != b for other in found for a, b in zip(trial, other, strict=True)):
            found.append(trial)
    return found


def odd_cycle(graph: Graph) -> tuple[int, ...] | None:
    """Return a cycle of an odd number of vertices, or None in a bipartite graph.

    In a cubic graph of r vertices it certifies that no vertex cover has r / 2: the
    other r / 2 vertices, no two adjacent, would have one end of all 3 r / 2 edges and
    the cover the other end, but no odd cycle alternates.

    Examples
    --------
    >>> len(odd_cycle(named_cubic_graph("petersen")))
    5
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

    Examples
    --------
    >>> [len(connected_cubic_graphs(size)) for size in (4, 6, 8)]
    [1, 2, 5]
    """
    import networkx

    kept: dict[tuple[tuple[int, ...], ...], list[Graph]] = {}
    for edges in _numbered(size):
        names = [str(v) for v in range(size)]
        graph = Graph(tuple(names), tuple(sorted(edges)), f"cubic {size}")
        alike = kept.setdefault(_invariant(graph), [])
        if not any(
            networkx.is_isomorphic(graph.to_networkx(), other.to_networkx())
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
