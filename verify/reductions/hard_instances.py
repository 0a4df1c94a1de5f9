"""Reduction instances by name, with their thresholds, and what they are made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from itertools import combinations, product
from types import MappingProxyType
from typing import Any

import numpy as np

from starmin.instances import KAnonymity, LDiversity, Requirement, Table, TableError
from starmin.instances.catalogue.catalogue import Instance
from starmin.verify.reductions.all_distinct import AllDistinct
from starmin.verify.reductions.base import Reduced, Reduction
from starmin.verify.reductions.edge_partition import EdgePartition
from starmin.verify.reductions.source_solvers import Graph, PointSet
from starmin.verify.reductions.three_dimensional_matching import DimensionalMatching
from starmin.verify.reductions.vertex_cover import VertexCover

# Named and random cubic graphs.

# The name here, the function of networkx that makes it, and its arguments.
_NAMED: dict[str, tuple[Any, ...]] = {
    "k4": ("complete_graph", 4),
    "k33": ("complete_bipartite_graph", 3, 3),
    "prism": ("circular_ladder_graph", 3),
    "petersen": ("petersen_graph",),
    "cube": ("cubical_graph",),
    "moebius-kantor": ("moebius_kantor_graph",),
    "desargues": ("desargues_graph",),
    "heawood": ("heawood_graph",),
    "pappus": ("pappus_graph",),
    "frucht": ("frucht_graph",),
    "truncated-tetrahedron": ("truncated_tetrahedron_graph",),
    "truncated-cube": ("truncated_cube_graph",),
    "dodecahedron": ("dodecahedral_graph",),
    "tutte": ("tutte_graph",),
}
NAMED_CUBIC_GRAPHS = tuple(_NAMED)


def named_cubic_graph(name: str) -> Graph:
    """Return one of ``NAMED_CUBIC_GRAPHS``.

    Raises TableError for another name.
    """
    import networkx

    if name not in _NAMED:
        known = ", ".join(_NAMED)
        raise TableError(f"no cubic graph {name!r}; there are: {known}")
    made, *sizes = _NAMED[name]
    return Graph.from_networkx(getattr(networkx, made)(*sizes), name)


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


# Questions whose answers are known, and their instances.


@dataclass(frozen=True)
class Question:
    """A source instance of a reduction whose answer is known."""

    reduction: Reduction[Any, Any]  # reduction, source: what is built from what
    source: Any
    answer: bool = True  # whether some release has no more stars than the threshold

    @property
    def reduced(self) -> Reduced:
        """The table, the requirement and the threshold."""
        return self.reduction.apply(self.source)


@dataclass(frozen=True)
class HardInstance(Instance):
    """An instance that a reduction builds.

    >>> petersen = HARD_INSTANCES["vertex-cover"].ask(graph="petersen")
    >>> petersen.reduced.threshold
    320
    """

    # the question behind the table; it has the parameters of ``make``
    ask: Callable[..., Question]
    threshold: int  # of the default parameters

    @classmethod
    def of(
        cls,
        name: str,
        description: str,
        source: str,
        ask: Callable[..., Question],
        requirement: Requirement,
        threshold: int | None = None,
    ) -> "HardInstance":
        """Return the instance whose table a question reduces to.

        Name and description are for lists; the threshold is added to the description.
        ``source`` is the publication that it is from, ``requirement`` that of the
        reduction. ``ask`` makes the question; its arguments, whole numbers or text with
        defaults, are the parameters, and a ``ValueError`` says which of them is
        impossible. ``threshold`` is that of the default parameters; default: as the
        reduction has it.
        """
        if threshold is None:
            threshold = ask().reduced.threshold
        told = f"{description}; threshold {threshold} stars"
        make = _table_of(ask)
        return cls(name, told, source, make, requirement, ask, threshold)


def vertex_cover(graph: str = "petersen") -> Question:
    """Return a named cubic graph; the threshold is the least number of stars."""
    return Question(VertexCover(), named_cubic_graph(graph))


def vertex_cover_random(n: int = 50, seed: int = 0) -> Question:
    """Return a random cubic graph; the threshold is the least number of stars."""
    return Question(VertexCover(), random_cubic_graph(n, seed))


def vertex_cover_distinct(graph: str = "petersen") -> Question:
    """Return a named cubic graph, then a sensitive value for each row."""
    return Question(AllDistinct(), vertex_cover(graph).reduced)


def matching(
    n: int = 4, extra: int = 4, dimension: int = 3, m: int = 0, seed: int = 0
) -> Question:
    """Return a planted matching problem with m sensitive values (0: the fewest).

    A domain has ``n`` values; ``extra`` points are beside the planted matching.
    """
    points = planted_matching(n, extra, seed, dimension)
    return Question(DimensionalMatching(m or None), points)


def matching_no(n: int = 4, points: int = 8, m: int = 0, seed: int = 0) -> Question:
    """Return a matching problem that is certainly without a solution.

    A domain has ``n`` values. There are ``m`` sensitive values (0: the fewest).
    """
    crowded = crowded_points(n, points, seed)
    return Question(DimensionalMatching(m or None), crowded, answer=False)


def edge_partition(n: int = 8, parts: int = 4, seed: int = 0) -> Question:
    """Return a graph put together from triangles and 4-stars."""
    return Question(EdgePartition(), planted_parts(n, parts, seed))


def _table_of(ask: Callable[..., Question]) -> Callable[..., Table]:
    @wraps(ask)
    def make(**settings: int | str) -> Table:
        try:
            return ask(**settings).reduced.table
        except ValueError as error:
            raise TableError(str(error)) from None

    return make


_COMPLEXITY = (
    "V. T. Chakaravarthy, V. Pandit, Y. Sabharwal: On the Complexity of the "
    "k-Anonymization Problem, 2010, section 3"
)
_HARDNESS = (
    "X. Xiao, K. Yi, Y. Tao: The Hardness and Approximation Algorithms for "
    "L-Diversity, EDBT 2010, section 4"
)

HARD_INSTANCES: Mapping[str, HardInstance] = MappingProxyType(
    {
        instance.name: instance
        for instance in (
            HardInstance.of(
                "vertex-cover",
                "vertex cover of a cubic graph as 7-anonymity",
                _COMPLEXITY,
                vertex_cover,
                KAnonymity(7),
                320,
            ),
            HardInstance.of(
                "vertex-cover-random",
                "generated: vertex cover of a random cubic graph",
                _COMPLEXITY,
                vertex_cover_random,
                KAnonymity(7),
                1542,
            ),
            HardInstance.of(
                "vertex-cover-distinct",
                "the same as 7-diversity, every sensitive value once",
                f"{_COMPLEXITY}; {_HARDNESS.removesuffix('4')}1.2",
                vertex_cover_distinct,
                LDiversity(7),
                320,
            ),
            HardInstance.of(
                "matching",
                "generated: 3-dimensional matching with a solution, as 3-diversity",
                _HARDNESS,
                matching,
                LDiversity(3),
                84,
            ),
            HardInstance.of(
                "matching-no",
                "generated: 3-dimensional matching without a solution",
                _HARDNESS,
                matching_no,
                LDiversity(3),
                84,
            ),
            HardInstance.of(
                "edge-partition",
                "generated: edges of triangles and 4-stars, as binary 3-anonymity",
                "J. Blocki, R. Williams: Resolving the Complexity of Some Data Privacy "
                "Problems, ICALP 2010 (4-stars)",
                edge_partition,
                KAnonymity(3),
                36,
            ),
        )
    }
)
