"""Graphs whose edges are known to fall into triangles and 4-stars, or not to."""

from itertools import combinations

import numpy as np

from starmin.verify.hard_problems.cubic_graphs import odd_cycle
from starmin.verify.hard_problems.graph import Graph


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
    >>> from starmin.verify.hard_problems.cubic_graphs import named_cubic_graph
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
