"""Cubic graphs: named ones, all small ones, random ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from starmin.instances import TableError
from starmin.verify.reductions.source_solvers import Graph, PointSet

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


# Graphs whose edges are known to fall into triangles and 4-stars, or not to.


def planted_parts(size: int, parts: int, seed: int, triangles: bool = True) -> Graph:
    """Join random triangles and 4-stars without a common edge to a graph.

    ``size`` is the number of vertices, ``parts`` that of triangles and 4-stars; there
    are fewer, if no more fit in 50 trials each. Without ``triangles`` only parts that
    close none are taken, and the graph is triangle-free.

    Examples
    --------
    >>> len(planted_parts(8, 4, seed=1).edges)
    12
    """
    random = np.random.default_rng(seed)
    neighbours: list[set[int]] = [set() for _ in range(size)]
    placed = 0
    for _ in range(50 * parts):
        if placed == parts:
            break
        four = [int(v) for v in random.permutation(size)[:4]]
        is_star = not triangles or bool(random.integers(2))
        part = (
            [(four[0], leaf) for leaf in four[1:]]
            if is_star
            else list(combinations(four[:3], 2))
        )
        if any(y in neighbours[x] for x, y in part):
            continue
        if not triangles and _closes_triangle(neighbours, four[0], four[1:]):
            continue
        for x, y in part:
            neighbours[x].add(y)
            neighbours[y].add(x)
        placed += 1
    edges = [(str(x), str(y)) for x in range(size) for y in neighbours[x] if x < y]
    kind = "" if triangles else "triangle-free "
    return Graph.of(map(str, range(size)), edges, f"{kind}parts {parts} seed={seed}")


def why_no_partition(graph: Graph) -> str | None:
    """Say why the edges do not fall into triangles and 4-stars, if that is plain.

    Either their number is not a multiple of 3; or the graph is cubic and has neither
    triangles nor, as its centres and leaves would alternate, a partition unless it is
    bipartite.

    Examples
    --------
    >>> from starmin.verify.reductions.cubic_graphs import named_cubic_graph
    >>> why_no_partition(named_cubic_graph("petersen"))
    'cubic without triangles, odd cycle of 5 vertices'
    """
    if len(graph.edges) % 3:
        return f"{len(graph.edges)} edges, not a multiple of 3"
    if set(graph.degrees) != {3} or _has_triangle(graph):
        return None
    cycle = odd_cycle(graph)
    if cycle is None:
        return None
    return f"cubic without triangles, odd cycle of {len(cycle)} vertices"


def _closes_triangle(
    neighbours: list[set[int]], centre: int, leaves: list[int]
) -> bool:
    after = neighbours[centre] | set(leaves)
    return any(neighbours[leaf] & after for leaf in leaves)


def _has_triangle(graph: Graph) -> bool:
    edges = set(graph.edges)
    return any(
        (x, z) in edges and (y, z) in edges
        for x, y in graph.edges
        for z in range(graph.size)
        if z > y
    )


# Matching problems whose answer is known: planted yes, certified no, and all small.


def planted_matching(size: int, extra: int, seed: int, dimension: int = 3) -> PointSet:
    """Hide N random points that share no coordinate among ``extra`` others: a yes.

    ``size`` is N, the values of each domain; a point has ``dimension`` coordinates.

    Examples
    --------
    >>> from starmin.verify.reductions.source_solvers import perfect_matching
    >>> points = planted_matching(5, 4, seed=1)
    >>> len(points.points), perfect_matching(points) is not None
    (9, True)
    """
    random = np.random.default_rng(seed)
    columns = [random.permutation(size) for _ in range(dimension)]
    planted = [tuple(map(int, point)) for point in zip(*columns, strict=True)]
    others = random_points(size, extra, seed + 1, dimension, planted)
    order = random.permutation(size + extra)
    points = [[*planted, *others][i] for i in order]
    return PointSet.of(size, points, f"planted N={size} seed={seed}")


def random_points(
    size: int,
    count: int,
    seed: int,
    dimension: int = 3,
    without: list[tuple[int, ...]] | None = None,
) -> list[tuple[int, ...]]:
    """Draw ``count`` different random points, none of ``without``.

    Each domain has ``size`` values; a point has ``dimension`` coordinates.
    """
    taken = set(without or ())
    if count > size**dimension - len(taken):
        raise ValueError(
            f"Expected at most {size**dimension - len(taken)}, got {count}."
        )
    random = np.random.default_rng(seed)
    found: list[tuple[int, ...]] = []
    while len(found) < count:
        point = tuple(map(int, random.integers(size, size=dimension)))
        if point not in taken:
            taken.add(point)
            found.append(point)
    return found


@dataclass(frozen=True)
class Crowding:
    """Why points have no perfect matching: ``crowded`` has too few ``partners``.

    Every point with first coordinate in ``crowded`` has its second in ``partners``,
    a smaller set.
    """

    crowded: frozenset[int]
    partners: frozenset[int]

    def proves_no(self, points: PointSet) -> bool:
        """Check whether the obstruction holds, and so the answer is no."""
        return len(self.partners) < len(self.crowded) and all(
            point[1] in self.partners
            for point in points.points
            if point[0] in self.crowded
        )


def crowded_points(
    size: int, count: int, seed: int, dimension: int = 3
) -> tuple[PointSet, Crowding]:
    """Draw points that cover every value and have no perfect matching: a no.

    Half of the first domain, rounded up, meets one value too few of the second. Each
    domain has ``size`` values; a point has ``dimension`` coordinates.

    Examples
    --------
    >>> points, why = crowded_points(5, 12, seed=1)
    >>> why.proves_no(points)
    True
    """
    crowded = frozenset(range((size + 1) // 2 if size > 2 else 2))
    partners = frozenset(range(len(crowded) - 1))
    allowed = [
        point
        for point in product(range(size), repeat=dimension)
        if point[0] not in crowded or point[1] in partners
    ]
    if not size <= count <= len(allowed):
        raise ValueError(f"Expected {size} <= count <= {len(allowed)}, got {count}.")
    random = np.random.default_rng(seed)
    chosen = [allowed[i] for i in random.choice(len(allowed), count, replace=False)]
    points = PointSet.of(size, chosen, f"crowded N={size} seed={seed}")
    return points, Crowding(crowded, partners)


def all_point_sets(size: int, most: int, dimension: int = 3) -> Iterator[PointSet]:
    """Yield every set of 1 .. ``most`` points over domains of ``size`` values.

    Examples
    --------
    >>> sum(1 for _ in all_point_sets(2, 6))
    246
    """
    everything = list(product(range(size), repeat=dimension))
    for count in range(1, most + 1):
        for points in combinations(everything, count):
            yield PointSet.of(size, points)
