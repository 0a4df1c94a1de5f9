"""Reduction instances by name, with their thresholds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from types import MappingProxyType
from typing import Any

from starmin.instances import KAnonymity, LDiversity, Requirement, Table, TableError
from starmin.instances.catalogue.catalogue import Instance
from starmin.verify.reductions.all_distinct import AllDistinct
from starmin.verify.reductions.base import Reduced, Reduction
from starmin.verify.reductions.cubic_graphs import (
    crowded_points,
    named_cubic_graph,
    planted_matching,
    planted_parts,
    random_cubic_graph,
)
from starmin.verify.reductions.edge_partition import EdgePartition
from starmin.verify.reductions.three_dimensional_matching import DimensionalMatching
from starmin.verify.reductions.vertex_cover import VertexCover


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
