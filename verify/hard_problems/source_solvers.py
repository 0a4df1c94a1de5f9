"""Exact solvers for the sources of the reductions; none of them knows of tables."""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from starmin.instances.runs.workers.interruptible import interruptible
from starmin.verify.hard_problems.exact_cover import exact_cover
from starmin.verify.hard_problems.graph import Graph
from starmin.verify.hard_problems.point_set import PointSet


def minimum_vertex_cover(
    graph: Graph, time_limit: float = math.inf
) -> frozenset[int] | None:
    """Return a smallest vertex cover, or None where the time ran out before the proof.

    Exact, by CP-SAT: a Boolean for each vertex, ``x or y`` for each edge.

    Notes
    -----
    Cubic graphs of 200 vertices take about a second.

    Examples
    --------
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
    chosen = _solve(model, taken, time_limit)
    return None if chosen is None else frozenset(chosen)


def maximum_matching(
    points: PointSet, time_limit: float = math.inf
) -> frozenset[int] | None:
    """Find as many points as possible that share no coordinate, by CP-SAT; exact.

    None where the time ran out before the proof.

    Examples
    --------
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
    chosen = _solve(model, taken, time_limit)
    return None if chosen is None else frozenset(chosen)


def perfect_matching(points: PointSet) -> frozenset[int] | None:
    """Find N points that cover every value once, or None; exact, by exact cover.

    Examples
    --------
    >>> sorted(perfect_matching(PointSet.of(2, [(0, 0, 0), (0, 1, 1), (1, 1, 1)])))
    [0, 2]
    """
    sets = [
        [h * points.size + value for h, value in enumerate(point)]
        for point in points.points
    ]
    chosen = exact_cover(points.dimension * points.size, sets)
    return None if chosen is None else frozenset(chosen)


def cheap_triples(graph: Graph) -> list[tuple[int, int, int]]:
    """Return all triangles and 4-stars (three edges at one vertex), as edge numbers.

    Examples
    --------
    >>> k4 = Graph.of("abcd", [(x, y) for x, y in combinations("abcd", 2)])
    >>> len(cheap_triples(k4))
    8
    """
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
    """Return a partition of the edges into triangles and 4-stars, or None; exact.

    Examples
    --------
    >>> star = Graph.of("abcd", [("a", "b"), ("a", "c"), ("a", "d")])
    >>> partition_edges(star)
    [(0, 1, 2)]
    """
    triples: Sequence[tuple[int, ...]] = cheap_triples(graph)
    chosen = exact_cover(len(graph.edges), triples)
    return None if chosen is None else [tuple(sorted(triples[i])) for i in chosen]


def _solve(model: Any, taken: Sequence[Any], time_limit: float) -> list[int] | None:
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
    return [i for i, variable in enumerate(taken) if solver.boolean_value(variable)]
