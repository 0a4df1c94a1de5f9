"""The questions of reductions, and how their solutions are written."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starmin.commands.reductions.reduce import matching_reduction
from starmin.instances import Table
from starmin.verify.reductions import (
    EdgePartition,
    Graph,
    PointSet,
    Reduction,
    VertexCover,
    base_cost,
    is_matching,
    is_packing,
    is_vertex_cover,
)


@dataclass(frozen=True, eq=False)
class HardQuestion:
    """A question of a reduction, and how its solutions are written.

    Attributes
    ----------
    reduction, source
        The question.
    names, valid
        A solution as text, and whether it is one.
    promise
        What the size of a solution is that a release of so many stars gives.
    limit
        Words before a size that no solution is better than.
    asked
        Whether there is a threshold: of a cover there is if its size is asked for.
    """

    reduction: Reduction[Any, Any]
    source: Any
    names: Callable[[Any], list[Any]]
    valid: Callable[[Any], bool]
    promise: Callable[[int], str]
    limit: str
    asked: bool = True


def cover_question(graph: Graph, size: int | None) -> HardQuestion:
    """Ask for a vertex cover of so many vertices; None: for none in particular."""
    return HardQuestion(
        VertexCover(size or 0),
        graph,
        lambda cover: [graph.vertices[u] for u in sorted(cover)],
        lambda cover: is_vertex_cover(graph, cover),
        lambda stars: f"at most {stars - base_cost(graph)}",
        "at least",
        size is not None,
    )


def partition_question(graph: Graph) -> HardQuestion:
    """Ask for a partition of the edges into triangles and 4-stars."""
    return HardQuestion(
        EdgePartition(),
        graph,
        lambda parts: [
            [[graph.vertices[v] for v in graph.edges[edge]] for edge in part]
            for part in parts
        ],
        lambda parts: is_packing(graph, parts),
        lambda stars: f"at least {max(0, -(-(4 * len(graph.edges) - stars) // 3))}",
        "at most",
    )


def matching_question(
    points: PointSet, released: Table | None, m: int | None
) -> HardQuestion:
    """Ask for a perfect matching.

    Parameters
    ----------
    points
        The points to choose from.
    released
        A release of the table, if there is one.
    m
        The number of sensitive values, where there is none; None: the fewest.
    """
    if released is not None:
        # The release itself tells how many sensitive values its table had.
        m = len(set(released.cells(released.names[-1])))
        m = min(max(m, points.dimension), points.dimension * points.size)
    reduction = matching_reduction(points, m)

    def names(chosen: frozenset[int]) -> list[list[str]]:
        shown = [points.points[i] for i in sorted(chosen)]
        return [
            [domain[c] for domain, c in zip(points.domains, p, strict=True)]
            for p in shown
        ]

    most, l = points.size * len(points.points), points.dimension
    return HardQuestion(
        reduction,
        points,
        names,
        lambda chosen: is_matching(points, chosen),
        lambda stars: f"exactly {most - stars // l}",
        "at most",
    )
