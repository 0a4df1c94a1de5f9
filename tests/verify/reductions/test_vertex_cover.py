"""Tests that cubic graphs and their tables of three columns answer the same."""

from dataclasses import replace
from fractions import Fraction

import pytest

from starmin.instances import KAnonymity, Partition, Status, TableError
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.verify.reductions import (
    Graph,
    VertexCover,
    base_cost,
    is_vertex_cover,
    minimum_vertex_cover,
    named_cubic_graph,
)
from starmin.verify.reductions.hard_instances import (
    NAMED_CUBIC_GRAPHS,
    random_cubic_graph,
)
from starmin.verify.reductions.vertex_cover import inapproximable, l_reduction_constant
from tests.verify.reductions.reduction_helpers import (
    random_release,
    with_cell,
    without_row,
)
from tests.verify.reductions.sources import connected_cubic_graphs

PUBLISHED = {"k4": 137, "k33": 197, "prism": 198, "cube": 258, "petersen": 320}


def prove(graph: Graph, time_limit: float = 120.0) -> int:
    """The least number of stars, proven by the exact method, equals the threshold."""
    reduced = VertexCover().apply(graph)
    result = pattern_ilp(reduced.table, reduced.requirement, time_limit=time_limit)
    assert result.status is Status.OPTIMAL
    assert result.value == reduced.threshold
    releases = [random_release(reduced, seed) for seed in range(3)]
    assert result.best is not None
    verdict = VertexCover().check(
        graph, releases=[result.best, *releases], optimum=result.value
    )
    assert verdict.holds, verdict.failed
    return reduced.threshold


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_optima(name: str) -> None:
    assert prove(named_cubic_graph(name)) == PUBLISHED[name]


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_connected_cubic_graphs(size: int) -> None:
    """Every one of up to 8 points, and every sixth of the 19 of 10."""
    for graph in list(connected_cubic_graphs(size))[:: 6 if size == 10 else 1]:
        prove(graph)


def test_a_random_graph_of_20() -> None:
    prove(random_cubic_graph(20, 0))


def test_a_random_graph_of_36_to_proven_optimality() -> None:
    graph = random_cubic_graph(36, seed=1)
    cover = minimum_vertex_cover(graph)
    assert cover is not None
    assert prove(graph) - base_cost(graph) == len(cover)


def test_disconnected_graph() -> None:
    k4 = named_cubic_graph("k4")
    names = [f"{copy}{v}" for copy in "ab" for v in k4.vertices]
    edges = [(f"{c}{x}", f"{c}{y}") for c in "ab" for x, y in k4.edges]
    assert prove(Graph.of(names, edges)) == 2 * 137 - 14


@pytest.mark.parametrize("name", NAMED_CUBIC_GRAPHS)
def test_both_directions_on_named_graphs(name: str) -> None:
    graph = named_cubic_graph(name)
    reduced = VertexCover().apply(graph)
    releases = [random_release(reduced, seed) for seed in range(10)]
    assert VertexCover().check(graph, releases=releases).holds
    for release in releases:
        cover = VertexCover().lift(graph, release)
        assert is_vertex_cover(graph, cover)
        assert len(cover) <= reduced.stars(release) - base_cost(graph)


def test_lift_bounds_each_cover_by_its_extra_cost_exactly() -> None:
    """Going to a release and back loses nothing, whatever the cover."""
    graph = named_cubic_graph("petersen")
    everything = frozenset(range(graph.size))
    least = minimum_vertex_cover(graph)
    assert least is not None
    for cover in (least, least | {min(everything - least)}, everything):
        release = VertexCover().forward(graph, cover)
        back = VertexCover().lift(graph, release)
        assert is_vertex_cover(graph, back)
        assert back <= cover


def test_wrong_constructions_are_caught() -> None:
    graph = named_cubic_graph("prism")
    right = VertexCover().apply(graph)
    wrong = {
        "construction": [without_row(right, row) for row in (0, 6, 9, 14, 19, 121, -1)]
        + [with_cell(right, 0, "a", "1"), with_cell(right, 121, "b", "Z")],
        "fresh symbols": [
            with_cell(right, 6, "a", "?2"),
            with_cell(right, 7, "c", "?2"),
            with_cell(right, right.table.n - 1, "c", "?1"),
        ],
        "base cost": [replace(right, requirement=KAnonymity(k)) for k in (2, 6)],
        "Claim 1": [replace(right, requirement=KAnonymity(8))],
        "threshold": [replace(right, threshold=right.threshold - 1)],
    }
    for claim, tables in wrong.items():
        for reduced in tables:
            verdict = VertexCover().check(graph, reduced)
            assert verdict.failed is not None
            assert verdict.failed.name == claim, verdict.failed
    wrong_optimum = VertexCover().check(graph, optimum=right.threshold - 1)
    assert wrong_optimum.failed is not None
    assert wrong_optimum.failed.name == "threshold"


def test_claims_2_and_3_depend_on_the_numbers_of_rows() -> None:
    """With one more row (0, u, u) or edge at u each of them fails, tested alone."""
    from starmin.verify.reductions import vertex_cover

    graph = named_cubic_graph("k4")
    right = VertexCover().apply(graph)
    more = with_cell(right, 7, "c", "v0")
    assert list(vertex_cover.claim_2(graph, right)) == []
    assert list(vertex_cover.claim_2(graph, more)) != []
    crowded = with_cell(right, 20, "b", "v0")
    crowded = with_cell(crowded, 20, "c", "v3")
    assert list(vertex_cover.claim_3(graph, right)) == []
    assert list(vertex_cover.claim_3(graph, crowded)) != []


def test_decision_form() -> None:
    graph = named_cubic_graph("k4")
    assert VertexCover(2).apply(graph).threshold == 136
    assert VertexCover(2).check(graph, optimum=137).holds


def test_constants_of_the_l_reduction() -> None:
    assert l_reduction_constant(14) == 63
    assert inapproximable(Fraction(63)) == Fraction(6238, 6237)
    assert Fraction(100, 99) == 1 + (inapproximable(Fraction(63)) - 1) * 63
    assert inapproximable(Fraction(61)) == Fraction(6040, 6039)


def test_refusals() -> None:
    path = Graph.of("abc", [("a", "b"), ("b", "c")])
    with pytest.raises(TableError, match="vertex 'a' has degree 1"):
        VertexCover().apply(path)
    k4 = named_cubic_graph("k4")
    with pytest.raises(ValueError, match="misses an edge"):
        VertexCover().forward(k4, frozenset({0}))
    too_small = Partition.from_labels(VertexCover().apply(k4).table.column("b"))
    with pytest.raises(ValueError, match="fewer than k = 7"):
        VertexCover().lift(k4, too_small)
