"""Tests that edge partitions and binary 3-anonymity answer the same."""

from dataclasses import replace

import numpy as np
import pytest

from starmin.instances import KAnonymity, Partition, Status, TableError
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.verify.reductions import (
    EdgePartition,
    Graph,
    is_packing,
    named_cubic_graph,
)
from starmin.verify.reductions.hard_instances import planted_parts
from starmin.verify.reductions.source_solvers import partition_edges
from tests.verify.reductions.reduction_helpers import (
    random_release,
    with_cell,
    without_row,
)
from tests.verify.reductions.sources import connected_cubic_graphs, why_no_partition


def prove(graph: Graph) -> bool:
    """The answer, proven on the table by the exact method and tested both ways."""
    reduction = EdgePartition()
    reduced = reduction.apply(graph)
    result = pattern_ilp(reduced.table, reduced.requirement, time_limit=60)
    assert result.status is Status.OPTIMAL
    assert result.best is not None and result.value is not None
    releases = [result.best, *(random_release(reduced, seed) for seed in range(4))]
    verdict = reduction.check(graph, releases=releases, optimum=result.value)
    assert verdict.holds, verdict.failed
    assert set(np.unique(reduced.table.rows())) <= {"0", "1"}
    answer = partition_edges(graph) is not None
    assert answer == (result.value == reduced.threshold)
    if answer:
        parts = reduction.lift(graph, result.best)
        assert is_packing(graph, parts) and 3 * len(parts) == len(graph.edges)
    return answer


@pytest.mark.parametrize("size", [4, 6, 8])
def test_every_connected_cubic_graph(size: int) -> None:
    for graph in connected_cubic_graphs(size):
        if prove(graph):
            assert why_no_partition(graph) is None


def test_petersen_graph_has_none() -> None:
    """It has no triangle, and its centres would make it bipartite."""
    petersen = named_cubic_graph("petersen")
    assert why_no_partition(petersen) is not None
    assert not prove(petersen)


@pytest.mark.parametrize("triangles", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_planted_partitions(triangles: bool, seed: int) -> None:
    graph = planted_parts(9, 5, seed, triangles)
    assert len(graph.edges) % 3 == 0
    assert prove(graph)


@pytest.mark.parametrize("seed", range(4))
def test_random_graphs(seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = [(x, y) for y in range(7) for x in range(y)]
    chosen = random.choice(len(pairs), 9 + int(random.integers(4)), replace=False)
    edges = [(str(pairs[i][0]), str(pairs[i][1])) for i in chosen]
    graph = Graph.of(map(str, range(7)), edges)
    answer = prove(graph)
    if why_no_partition(graph) is not None:
        assert not answer


@pytest.mark.parametrize("seed", range(10))
def test_lift_of_any_release(seed: int) -> None:
    graph = planted_parts(8, 5, seed)
    reduced = EdgePartition().apply(graph)
    release = random_release(reduced, seed)
    parts = EdgePartition().lift(graph, release)
    assert is_packing(graph, parts)
    assert 3 * len(parts) >= 4 * len(graph.edges) - reduced.stars(release)


def test_wrong_constructions_are_caught() -> None:
    graph = named_cubic_graph("k4")
    right = EdgePartition().apply(graph)
    wrong = {
        "construction": [without_row(right, 2), with_cell(right, 0, "v3", "1")],
        "three edges": [replace(right, requirement=KAnonymity(2))],
        "threshold": [replace(right, threshold=right.threshold + 1)],
    }
    for claim, tables in wrong.items():
        for reduced in tables:
            verdict = EdgePartition().check(graph, reduced)
            assert verdict.failed is not None
            assert verdict.failed.name == claim, verdict.failed


def test_refusals() -> None:
    path = Graph.of("abcd", [("a", "b"), ("b", "c"), ("c", "d")])
    with pytest.raises(ValueError, match="Expected triangles and 4-stars"):
        EdgePartition().forward(path, ((0, 1, 2),))
    star = Graph.of("abcde", [("a", leaf) for leaf in "bcde"])
    with pytest.raises(ValueError, match="got 1"):
        EdgePartition().forward(star, ((0, 1, 2),))
    with pytest.raises(TableError, match="expected at least 3"):
        EdgePartition().apply(Graph.of("ab", [("a", "b")]))
    pairs = Partition(np.array([0, 0, 1, 1], np.int32))
    with pytest.raises(ValueError, match="fewer than k = 3"):
        EdgePartition().lift(star, pairs)
