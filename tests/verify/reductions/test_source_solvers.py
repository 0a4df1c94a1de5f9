"""Tests that the sources of reductions are solved, and made, as they say."""

from itertools import combinations

import networkx
import numpy as np
import pytest

from starmin.instances import TableError
from starmin.verify.reductions import (
    Graph,
    PointSet,
    is_matching,
    is_vertex_cover,
    minimum_vertex_cover,
    named_cubic_graph,
)
from starmin.verify.reductions.hard_instances import (
    NAMED_CUBIC_GRAPHS,
    crowded_points,
    planted_matching,
    planted_parts,
    random_cubic_graph,
    random_points,
)
from starmin.verify.reductions.source_solvers import (
    exact_cover,
    is_perfect_matching,
    maximum_matching,
    partition_edges,
    perfect_matching,
)
from tests.support.effort import seeds
from tests.verify.reductions.sources import (
    bipartite_cubic_graph,
    connected_cubic_graphs,
    is_crowded,
    odd_cycle,
    to_networkx,
)


def random_graph(seed: int) -> Graph:
    graph = networkx.gnp_random_graph(4 + seed % 6, 0.5, seed=seed)
    return Graph.from_networkx(graph)


@pytest.mark.parametrize("seed", seeds(20))
def test_exact_cover_against_all_choices(seed: int) -> None:
    random = np.random.default_rng(seed)
    universe, count = int(random.integers(1, 7)), int(random.integers(1, 9))
    sets = [
        sorted({int(i) for i in random.integers(universe, size=3)})
        for _ in range(count)
    ]
    covers = [
        list(chosen)
        for size in range(1, count + 1)
        for chosen in combinations(range(count), size)
        if sorted(i for c in chosen for i in sets[c]) == list(range(universe))
    ]
    found = exact_cover(universe, sets)
    assert (found is None) == (not covers)
    assert found is None or found in covers


def test_exact_cover_of_nothing() -> None:
    assert exact_cover(0, []) == []
    assert exact_cover(1, []) is None


@pytest.mark.parametrize("seed", range(20))
def test_minimum_vertex_cover_against_all_subsets(seed: int) -> None:
    graph = random_graph(seed)
    least = next(
        size
        for size in range(graph.size + 1)
        for chosen in combinations(range(graph.size), size)
        if is_vertex_cover(graph, set(chosen))
    )
    cover = minimum_vertex_cover(graph)
    assert cover is not None
    assert is_vertex_cover(graph, cover) and len(cover) == least


@pytest.mark.parametrize("seed", range(20))
def test_maximum_matching_against_all_subsets(seed: int) -> None:
    points = PointSet.of(3, random_points(3, 3 + seed % 7, seed))
    numbers = range(len(points.points))
    largest = max(
        size
        for size in range(4)
        for chosen in combinations(numbers, size)
        if is_matching(points, chosen)
    )
    matching = maximum_matching(points)
    assert matching is not None
    assert is_matching(points, matching) and len(matching) == largest
    perfect = perfect_matching(points)
    assert (perfect is not None) == (largest == 3)
    assert perfect is None or is_perfect_matching(points, perfect)


def test_no_time_gives_no_proof() -> None:
    graph = random_cubic_graph(60, seed=1)
    assert minimum_vertex_cover(graph, time_limit=0) is None


@pytest.mark.parametrize(("size", "count"), [(4, 1), (6, 2), (8, 5), (10, 19)])
def test_number_of_connected_cubic_graphs(size: int, count: int) -> None:
    graphs = connected_cubic_graphs(size)
    assert len(graphs) == count
    for graph in graphs:
        graph.check_regular(3)
        assert networkx.is_connected(to_networkx(graph))
    for one, other in combinations(graphs, 2):
        assert not networkx.is_isomorphic(to_networkx(one), to_networkx(other))


def test_named_graphs_are_cubic() -> None:
    sizes = {}
    for name in NAMED_CUBIC_GRAPHS:
        graph = named_cubic_graph(name)
        graph.check_regular(3)
        sizes[name] = graph.size
    assert sizes["petersen"] == 10
    assert sizes["moebius-kantor"] == 16
    assert sizes["desargues"] == 20
    with pytest.raises(TableError, match="no cubic graph 'k5'"):
        named_cubic_graph("k5")


@pytest.mark.parametrize("size", [6, 20, 200])
def test_random_cubic_graphs_with_a_certificate(size: int) -> None:
    """Bipartite: a cover of half; an odd cycle: more than half."""
    bipartite = bipartite_cubic_graph(size, seed=2)
    bipartite.check_regular(3)
    assert odd_cycle(bipartite) is None
    cover = minimum_vertex_cover(bipartite)
    assert cover is not None and 2 * len(cover) == size
    other = random_cubic_graph(size, seed=2)
    other.check_regular(3)
    if odd_cycle(other) is not None and size <= 20:
        more = minimum_vertex_cover(other)
        assert more is not None and 2 * len(more) > size


@pytest.mark.parametrize("seed", range(20))
def test_odd_cycles_are_odd_cycles(seed: int) -> None:
    graph = random_graph(seed)
    cycle = odd_cycle(graph)
    assert (cycle is None) == networkx.is_bipartite(to_networkx(graph))
    if cycle is not None:
        assert len(cycle) % 2 and len(set(cycle)) == len(cycle)
        ends = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
        assert all((min(e), max(e)) in graph.edges for e in ends)


@pytest.mark.parametrize("seed", range(10))
def test_planted_and_crowded_points(seed: int) -> None:
    assert perfect_matching(planted_matching(5, 5, seed)) is not None
    points = crowded_points(5, 12, seed)
    assert is_crowded(points)
    assert perfect_matching(points) is None


@pytest.mark.parametrize("seed", range(10))
def test_planted_parts(seed: int) -> None:
    free = planted_parts(12, 6, seed, triangles=False)
    assert sum(networkx.triangles(to_networkx(free)).values()) == 0
    for graph in (free, planted_parts(10, 6, seed)):
        assert partition_edges(graph) is not None


def test_generators_refuse() -> None:
    with pytest.raises(ValueError, match="even size >= 4"):
        random_cubic_graph(5, 1)
    with pytest.raises(ValueError, match="Expected at most 8, got 9"):
        random_points(2, 9, 1)
    with pytest.raises(ValueError, match="Expected 3 <= count"):
        crowded_points(3, 2, 1)


def test_graphs_and_points_refuse() -> None:
    for edges, why in (
        ([("a", "a")], "is a loop"),
        ([("a", "b"), ("b", "a")], "occurs twice"),
    ):
        with pytest.raises(TableError, match=why):
            Graph.of("ab", edges)
    with pytest.raises(TableError, match="same name"):
        Graph.of("aa", [])
    for points, why in (
        ([], "no points"),
        ([(0, 0, 0), (0, 0, 0)], "point 2 occurs before"),
        ([(0, 0, 2)], "not 3 numbers below 2"),
        ([(0,)], "1 coordinates"),
    ):
        with pytest.raises(TableError, match=why):
            PointSet.of(2, points)
