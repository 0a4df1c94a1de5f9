"""Tests that reductions that map wrongly fail, and certificates rule out sources."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from starmin.instances import KAnonymity, Partition, Table, TableError
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.verify.reductions import (
    HARD_INSTANCES,
    AllDistinct,
    DimensionalMatching,
    EdgePartition,
    Graph,
    PointSet,
    Reduced,
    VertexCover,
    named_cubic_graph,
)
from starmin.verify.reductions.base import decide
from starmin.verify.reductions.hard_instances import planted_matching, planted_parts
from starmin.verify.reductions.source_solvers import maximum_matching
from tests.verify.reductions.sources import all_point_sets


def _question() -> Reduced:
    rows = [["0", "x"], ["0", "y"], ["1", "y"], ["1", "x"], ["0", "x"]]
    return Reduced(Table.from_rows("ab", rows, "ab"), KAnonymity(2), 6)


SOURCES: dict[type, Any] = {
    AllDistinct: _question(),
    DimensionalMatching: planted_matching(3, 3, seed=1),
    EdgePartition: planted_parts(9, 5, 1, True),
    VertexCover: named_cubic_graph("prism"),
}


def _one_group(reduction: Any, source: Any, solution: object) -> Partition:
    return Partition.single(reduction.apply(source).table)


WRONG = [
    # Every release is said to give the same points, edges or vertices.
    (DimensionalMatching, "lift", lambda *_: frozenset({0, 1}), "Lemma, if"),
    (DimensionalMatching, "lift", lambda *_: frozenset(range(4)), "Lemma, if"),
    (EdgePartition, "lift", lambda *_: ((0, 1, 2), (0, 1, 2)), "if"),
    (EdgePartition, "lift", lambda *_: (), "if"),
    (VertexCover, "lift", lambda *_: frozenset(), "Claim 4"),
    # Every answer is said to give one group of all rows.
    (DimensionalMatching, "forward", _one_group, "Lemma, only if"),
    (EdgePartition, "forward", _one_group, "only if"),
    (VertexCover, "forward", _one_group, "Claim 1"),
]


@pytest.mark.parametrize(("reduction", "name", "wrong", "claim"), WRONG)
def test_answers_mapped_wrongly_are_caught(
    reduction: Any, name: str, wrong: Any, claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = SOURCES[reduction]
    reduced = reduction().apply(source)
    best = pattern_ilp(reduced.table, reduced.requirement).best
    assert reduction().check(source, releases=[best]).holds
    monkeypatch.setattr(reduction, name, wrong)
    failed = reduction().check(source, releases=[best]).failed
    assert failed is not None and failed.name == claim, failed


@pytest.mark.parametrize("reduction", SOURCES)
def test_another_optimum_contradicts_the_answer(reduction: Any) -> None:
    source = SOURCES[reduction]
    reduced = reduction().apply(source)
    least = pattern_ilp(reduced.table, reduced.requirement).value
    assert least is not None
    assert reduction().check(source, optimum=least).holds
    failed = reduction().check(source, optimum=least + 1).failed
    assert failed is not None and failed.name == "threshold"


def test_another_requirement_or_a_row_more_is_caught() -> None:
    source = SOURCES[EdgePartition]
    other = replace(EdgePartition().apply(source), requirement=KAnonymity(2))
    failed = EdgePartition().check(source, other).failed
    assert failed is not None and "k = 2, expected 3" in str(failed)
    question = SOURCES[AllDistinct]
    cheaper = replace(question, requirement=KAnonymity(3))
    failed = AllDistinct().check(question, AllDistinct().apply(cheaper)).failed
    assert failed is not None and "l = 3, expected k = 2" in str(failed)


def test_sensitive_column_of_a_table_that_has_one_of_that_name() -> None:
    rows = [["0", "x"], ["0", "y"], ["1", "y"], ["1", "x"]]
    names = ["sensitive", "b"]
    table = Table.from_rows(names, rows, names)
    reduced = AllDistinct().apply(Reduced(table, KAnonymity(2), 4))
    assert reduced.table.sensitive == ("sensitive'",)
    assert AllDistinct().check(Reduced(table, KAnonymity(2), 4)).holds


@pytest.mark.parametrize(
    ("edges", "why"),
    [
        (((1, 0),), "is not two numbers x < y"),
        (((0, 3),), "is not two numbers x < y"),
        (((0, 2), (0, 1)), "not distinct and ascending"),
        (((0, 1), (0, 1)), "not distinct and ascending"),
    ],
)
def test_graphs_that_are_none(edges: tuple[tuple[int, int], ...], why: str) -> None:
    with pytest.raises(TableError, match=why):
        Graph(("a", "b", "c"), edges)
    with pytest.raises(TableError, match="expected a graph"):
        Graph((), ()).check_regular(3)


def test_points_that_share_a_coordinate_are_no_answer() -> None:
    """Two points of three that meet: one is chosen, whatever release is read."""
    points = PointSet.of(2, [(0, 0, 0), (0, 1, 1), (1, 1, 0)])
    reduction = DimensionalMatching()
    reduced = reduction.apply(points)
    best = pattern_ilp(reduced.table, reduced.requirement)
    assert best.best is not None and best.value is not None
    assert best.value > reduced.threshold
    assert len(reduction.lift(points, best.best)) == 1
    assert reduction.check(points, releases=[best.best], optimum=best.value).holds


def certified(reduction, source):
    """The optimum of a table, by a release and by a certificate."""
    reduced = reduction.apply(source)
    result = pattern_ilp(reduced.table, reduced.requirement)
    assert result.certified_bound == result.value
    decision = decide(reduction, source, result.best, result.certificate)
    assert decision.stars == decision.bound == result.value
    return decision


@pytest.mark.parametrize(("name", "cover"), [("k4", 3), ("k33", 3), ("prism", 4)])
def test_no_smaller_cover_and_no_partition_that_is_none(name, cover):
    graph = named_cubic_graph(name)
    least = certified(VertexCover(cover), graph)
    assert least.answer is True and len(least.solution) == cover
    assert VertexCover(cover).size_bound(graph, least.bound) == cover
    smaller = VertexCover(cover - 1)
    reduced = smaller.apply(graph)
    proof = pattern_ilp(reduced.table, reduced.requirement).certificate
    assert decide(smaller, graph, certificate=proof).answer is False
    parts = certified(EdgePartition(), graph)
    solvable = EdgePartition().solve(graph) is not None
    assert parts.answer is solvable
    most = EdgePartition().size_bound(graph, parts.bound)
    assert most == len(graph.edges) // 3 - (not solvable)


@pytest.mark.parametrize("values", [3, 5])
def test_every_matching_of_small_point_sets_is_bounded(values):
    reduction, answers = DimensionalMatching(values), []
    for points in list(all_point_sets(2, 6))[::9]:
        decision = certified(reduction, points)
        nu = len(maximum_matching(points))
        assert len(decision.solution) == nu
        assert reduction.size_bound(points, decision.bound) == nu
        answers.append(decision.answer)
        assert decision.answer is (nu == points.size)
    assert {True, False} == set(answers)


def test_a_refused_certificate_and_a_bad_release_are_errors():
    question = HARD_INSTANCES["matching-no"].ask(n=3, points=5)
    reduced = question.reduced
    result = pattern_ilp(reduced.table, reduced.requirement)
    decision = decide(question.reduction, question.source, None, result.certificate)
    assert decision.answer is False and decision.solution is None
    vertex = VertexCover(3)
    graph = named_cubic_graph("k4")
    with pytest.raises(ValueError, match="proves nothing: it is for another"):
        decide(vertex, graph, certificate=result.certificate)
    alone = Partition.from_labels(np.arange(reduced.table.n))
    with pytest.raises(ValueError, match="valid release"):
        decide(question.reduction, question.source, alone)
