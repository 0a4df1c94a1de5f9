"""Sources of reductions: named and random cubic graphs, planted parts, points."""

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


def random_cubic_graph(size: int, seed: int) -> Graph:
    """Return a random 3-regular graph on 0 .. ``size`` - 1, perhaps not connected.

    ``size`` is even, at least 4.
    """
    import networkx

    if size < 4 or size % 2:
        raise ValueError(f"Expected an even size >= 4, got {size}.")
    graph = networkx.random_regular_graph(3, size, seed=seed)
    edges = [(str(x), str(y)) for x, y in graph.edges]
    return Graph.of(map(str, range(size)), edges, f"cubic n={size} seed={seed}")


# Graphs whose edges are known to fall into triangles and 4-stars.


def planted_parts(size: int, parts: int, seed: int, triangles: bool = True) -> Graph:
    """Join random triangles and 4-stars without a common edge to a graph.

    ``size`` is the number of vertices, ``parts`` that of triangles and 4-stars; there
    are fewer, if no more fit in 50 trials each. Without ``triangles`` only parts that
    close none are taken, and the graph is triangle-free.
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
        after = neighbours[four[0]] | set(four[1:])
        if not triangles and any(neighbours[leaf] & after for leaf in four[1:]):
            continue
        for x, y in part:
            neighbours[x].add(y)
            neighbours[y].add(x)
        placed += 1
    edges = [(str(x), str(y)) for x in range(size) for y in neighbours[x] if x < y]
    kind = "" if triangles else "triangle-free "
    return Graph.of(map(str, range(size)), edges, f"{kind}parts {parts} seed={seed}")


# Matching problems whose answer is known: planted yes, certified no.


def planted_matching(size: int, extra: int, seed: int, dimension: int = 3) -> PointSet:
    """Hide N random points that share no coordinate among ``extra`` others: a yes.

    ``size`` is N, the values of each domain; a point has ``dimension`` coordinates.
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


def crowded_points(size: int, count: int, seed: int, dimension: int = 3) -> PointSet:
    """Draw points that cover every value and have no perfect matching: a no.

    Half of the first domain, rounded up, meets one value too few of the second. Each
    domain has ``size`` values; a point has ``dimension`` coordinates.
    """
    crowded = (size + 1) // 2 if size > 2 else 2
    allowed = [
        point
        for point in product(range(size), repeat=dimension)
        if point[0] >= crowded or point[1] < crowded - 1
    ]
    if not size <= count <= len(allowed):
        raise ValueError(f"Expected {size} <= count <= {len(allowed)}, got {count}.")
    random = np.random.default_rng(seed)
    chosen = [allowed[i] for i in random.choice(len(allowed), count, replace=False)]
    return PointSet.of(size, chosen, f"crowded N={size} seed={seed}")
