"""Exact solvers for the sources of the reductions; none of them knows of tables."""

import math
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from starmin.instances import TableError
from starmin.instances.runs.background_call import interruptible

# Exact cover by Knuth's Algorithm X.


def exact_cover(universe: int, sets: Sequence[Sequence[int]]) -> list[int] | None:
    """Find ``sets`` that cover each of 0 .. ``universe`` - 1 exactly once, or None.

    Returns the numbers of the chosen sets, ascending. Each of ``sets`` is a list of
    different items. Exact. The item with the fewest sets left is branched on, so an
    item without a set ends a branch at once.

    Exponential in the worst case; some 10,000 sets over 100 items of random matching
    and edge partition problems take seconds.

    D. E. Knuth, Dancing Links, in: Millennial Perspectives in Computer Science, 2000.

    >>> exact_cover(4, [[0, 1], [1, 2], [2, 3], [0, 3]])
    [0, 2]
    >>> exact_cover(3, [[0, 1], [1, 2]]) is None
    True
    """
    holders: dict[int, set[int]] = {item: set() for item in range(universe)}
    for number, members in enumerate(sets):
        for item in members:
            holders[item].add(number)
    chosen: list[int] = []
    return sorted(chosen) if _search(holders, sets, chosen) else None


def _search(
    holders: dict[int, set[int]], sets: Sequence[Sequence[int]], chosen: list[int]
) -> bool:
    if not holders:
        return True
    item = min(holders, key=lambda i: len(holders[i]))
    for number in sorted(holders[item]):
        removed = _cover(number, holders, sets)
        chosen.append(number)
        if _search(holders, sets, chosen):
            return True
        chosen.pop()
        _uncover(removed, holders, sets)
    return False


def _cover(
    number: int, holders: dict[int, set[int]], sets: Sequence[Sequence[int]]
) -> dict[int, set[int]]:
    """Take the items of a set and every set that meets it out of ``holders``."""
    removed: dict[int, set[int]] = {}
    for item in sets[number]:
        for other in holders[item]:
            for shared in sets[other]:
                if shared != item and shared in holders:
                    holders[shared].discard(other)
        removed[item] = holders.pop(item)
    return removed


def _uncover(
    removed: dict[int, set[int]],
    holders: dict[int, set[int]],
    sets: Sequence[Sequence[int]],
) -> None:
    for item in reversed(removed):
        holders[item] = removed[item]
        for other in removed[item]:
            for shared in sets[other]:
                if shared in holders:
                    holders[shared].add(other)


# Simple undirected graphs, as the reductions take them.


@dataclass(frozen=True)
class Graph:
    """A simple graph on named vertices.

    Raises TableError for a loop, a double edge, an edge to nowhere, or two vertices of
    one name.

    >>> graph = Graph.of("abc", [("b", "a"), ("b", "c")])
    >>> graph.edges, graph.degrees
    (((0, 1), (1, 2)), (1, 2, 1))
    """

    vertices: tuple[str, ...]  # names, all different
    # pairs of vertex numbers x < y, all different, in ascending order
    edges: tuple[tuple[int, int], ...]
    name: str = "graph"  # what errors and results call it

    def __post_init__(self) -> None:
        if len(set(self.vertices)) < len(self.vertices):
            raise TableError(f"{self.name}: two vertices have the same name")
        for edge in self.edges:
            if not 0 <= edge[0] < edge[1] < self.size:
                raise TableError(f"{self.name}: edge {edge} is not two numbers x < y")
        if list(self.edges) != sorted(set(self.edges)):
            raise TableError(f"{self.name}: edges are not distinct and ascending")

    @classmethod
    def of(
        cls,
        vertices: Iterable[str],
        edges: Iterable[tuple[str, str]],
        name: str = "graph",
    ) -> "Graph":
        """Return a graph from names; edges in any order and direction."""
        names = tuple(vertices)
        number = {vertex: i for i, vertex in enumerate(names)}
        pairs = []
        for x, y in edges:
            if x == y:
                raise TableError(f"{name}: edge {x} {y} is a loop; remove it")
            pairs.append((min(number[x], number[y]), max(number[x], number[y])))
        if len(set(pairs)) < len(pairs):
            i, j = next(pair for pair in sorted(pairs) if pairs.count(pair) > 1)
            raise TableError(
                f"{name}: edge {names[i]} {names[j]} occurs twice; remove one"
            )
        return cls(names, tuple(sorted(pairs)), name)

    @classmethod
    def from_networkx(cls, graph: Any, name: str = "graph") -> "Graph":
        """Return a networkx graph; its nodes are named by ``str``."""
        edges = [(str(x), str(y)) for x, y in graph.edges]
        return cls.of([str(vertex) for vertex in graph], edges, name)

    @property
    def size(self) -> int:
        """Number of vertices."""
        return len(self.vertices)

    @cached_property
    def degrees(self) -> tuple[int, ...]:
        """Number of edges at each vertex."""
        return tuple(map(len, self.incident))

    @cached_property
    def incident(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the edges at each vertex."""
        lists: list[list[int]] = [[] for _ in self.vertices]
        for number, edge in enumerate(self.edges):
            for vertex in edge:
                lists[vertex].append(number)
        return tuple(map(tuple, lists))

    def check_regular(self, degree: int) -> None:
        """Raise TableError where some vertex has another degree."""
        if not self.vertices:
            raise TableError(f"{self.name}: no edges; expected a graph")
        for vertex, d in zip(self.vertices, self.degrees, strict=True):
            if d != degree:
                raise TableError(
                    f"{self.name}: vertex {vertex!r} has degree {d}, expected a "
                    f"{degree}-regular graph"
                )


def is_vertex_cover(graph: Graph, cover: Set[int]) -> bool:
    """Check whether every edge has an end in ``cover``."""
    return all(x in cover or y in cover for x, y in graph.edges)


# Points of an l-dimensional matching problem.


@dataclass(frozen=True)
class PointSet:
    """Distinct points in a product of l disjoint domains of N values each.

    The question of l-dimensional matching: are there N points, no two of which share
    a coordinate?

    Raises TableError for domains of different sizes, a point of another length, or a
    point twice.

    >>> points = PointSet.of(2, [(0, 0, 0), (1, 0, 1), (1, 1, 1)])
    >>> points.dimension, points.size
    (3, 2)
    >>> is_matching(points, {0, 2}), is_matching(points, {0, 1})
    (True, False)
    """

    domains: tuple[tuple[str, ...], ...]  # l tuples of N names
    points: tuple[tuple[int, ...], ...]  # each l numbers 0 .. N-1, one for each domain
    name: str = "points"  # what errors and results call it

    def __post_init__(self) -> None:
        if len(self.domains) < 2:
            raise TableError(
                f"{self.name}: {len(self.domains)} coordinates, expected at least 2"
            )
        if not self.points:
            raise TableError(f"{self.name}: no points; expected at least one")
        if any(len(domain) != self.size for domain in self.domains):
            raise TableError(f"{self.name}: domains of different sizes")
        first: dict[tuple[int, ...], int] = {}
        for number, point in enumerate(self.points, start=1):
            where, fits = f"{self.name}: point {number}", range(self.size)
            if len(point) != self.dimension or not all(c in fits for c in point):
                raise TableError(
                    f"{where} is not {self.dimension} numbers below {self.size}"
                )
            if first.setdefault(point, number) != number:
                raise TableError(f"{where} occurs before; remove one")

    @classmethod
    def of(
        cls, size: int, points: Iterable[Sequence[int]], name: str = "points"
    ) -> "PointSet":
        """Return points over domains of ``size`` values named a1, a2, .., b1, b2, .."""
        tuples = tuple(tuple(point) for point in points)
        l = len(tuples[0]) if tuples else 3
        domains = tuple(
            tuple(f"{chr(ord('a') + h)}{v + 1}" for v in range(size)) for h in range(l)
        )
        return cls(domains, tuples, name)

    @property
    def dimension(self) -> int:
        """l, the number of coordinates."""
        return len(self.domains)

    @property
    def size(self) -> int:
        """N, the number of values of each domain."""
        return len(self.domains[0])


def is_matching(points: PointSet, chosen: Iterable[int]) -> bool:
    """Check whether no two of the ``chosen`` points share a coordinate."""
    tuples = [points.points[i] for i in chosen]
    return all(len(set(values)) == len(tuples) for values in zip(*tuples, strict=True))


def is_perfect_matching(points: PointSet, chosen: Iterable[int]) -> bool:
    """Check whether the ``chosen`` points cover every value exactly once."""
    numbers = set(chosen)
    return len(numbers) == points.size and is_matching(points, numbers)


def minimum_vertex_cover(
    graph: Graph, time_limit: float = math.inf
) -> frozenset[int] | None:
    """Return a smallest vertex cover, or None where the time ran out before the proof.

    Exact, by CP-SAT: a Boolean for each vertex, ``x or y`` for each edge.

    Cubic graphs of 200 vertices take about a second.

    >>> square = Graph.of("abcd", [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> len(minimum_vertex_cover(square))
    2
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    taken = [model.new_bool_var(vertex) for vertex in graph.vertices]
    for x, y in graph.edges:
        model.add_bool_or(taken[x], taken[y])
    model.minimize(sum(taken))
    return _solve(model, taken, time_limit)


def maximum_matching(points: PointSet) -> frozenset[int]:
    """Find as many points as possible that share no coordinate, by CP-SAT; exact.

    >>> sorted(maximum_matching(PointSet.of(2, [(0, 0, 0), (0, 1, 1), (1, 1, 1)])))
    [0, 2]
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    taken = [model.new_bool_var(f"p{i}") for i in range(len(points.points))]
    for h in range(points.dimension):
        for value in range(points.size):
            model.add_at_most_one(
                taken[i] for i, point in enumerate(points.points) if point[h] == value
            )
    model.maximize(sum(taken))
    matching = _solve(model, taken)
    assert matching is not None, "without a time limit the solver ends with a proof"
    return matching


def perfect_matching(points: PointSet) -> frozenset[int] | None:
    """Find N points that cover every value once, or None; exact, by exact cover."""
    sets = [
        [h * points.size + value for h, value in enumerate(point)]
        for point in points.points
    ]
    chosen = exact_cover(points.dimension * points.size, sets)
    return None if chosen is None else frozenset(chosen)


def cheap_triples(graph: Graph) -> list[tuple[int, int, int]]:
    """Return all triangles and 4-stars (three edges at one vertex), as edge numbers."""
    number = {edge: i for i, edge in enumerate(graph.edges)}
    stars = [s for edges in graph.incident for s in combinations(edges, 3)]
    triangles = [
        (number[x, y], number[x, z], number[y, z])
        for x, y in graph.edges
        for z in range(y + 1, graph.size)
        if (x, z) in number and (y, z) in number
    ]
    return stars + triangles


def partition_edges(graph: Graph) -> list[tuple[int, ...]] | None:
    """Return a partition of the edges into triangles and 4-stars, or None; exact."""
    triples: Sequence[tuple[int, ...]] = cheap_triples(graph)
    chosen = exact_cover(len(graph.edges), triples)
    return None if chosen is None else [tuple(sorted(triples[i])) for i in chosen]


def _solve(
    model: Any, taken: Sequence[Any], time_limit: float = math.inf
) -> frozenset[int] | None:
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # As in starmin.models.solvers.cp_sat_search, of which a check must not take any
    # code: a step of presolve has an open report of a wrong optimum, and OR-tools would
    # leave interrupts with no handler.
    solver.parameters.presolve_inclusion_work_limit = 0
    solver.parameters.catch_sigint_signal = False
    if math.isfinite(time_limit):
        solver.parameters.max_time_in_seconds = max(time_limit, 0.0)
    # The LP with its cuts: without it a cubic graph of 100 vertices takes minutes.
    solver.parameters.linearization_level = 2
    status = interruptible(lambda: solver.solve(model), solver.stop_search)
    if status != cp_model.OPTIMAL:
        return None
    return frozenset(i for i, each in enumerate(taken) if solver.boolean_value(each))
