"""Simple undirected graphs, as the reductions take them."""

from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from starmin.instances import TableError


@dataclass(frozen=True)
class Graph:
    """A simple graph on named vertices.

    Raises TableError for a loop, a double edge, an edge to nowhere, or two vertices of
    one name.

    Examples
    --------
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

    def to_networkx(self) -> Any:
        """Return the graph on 0, 1, .. for networkx."""
        import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(range(self.size))
        graph.add_edges_from(self.edges)
        return graph

    @property
    def size(self) -> int:
        """Number of vertices."""
        return len(self.vertices)

    @cached_property
    def degrees(self) -> tuple[int, ...]:
        """Number of edges at each vertex."""
        ends = [vertex for edge in self.edges for vertex in edge]
        counts = [0] * self.size
        for vertex in ends:
            counts[vertex] += 1
        return tuple(counts)

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
    """Check whether every edge has an end in ``cover``.

    Examples
    --------
    >>> is_vertex_cover(Graph.of("abc", [("a", "b"), ("b", "c")]), {1})
    True
    """
    return all(x in cover or y in cover for x, y in graph.edges)
