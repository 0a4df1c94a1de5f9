"""Tests that certificates rule out what the sources of reductions do not have."""

import numpy as np
import pytest

from starmin.instances import Partition
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.verify.reductions import (
    HARD_INSTANCES,
    DimensionalMatching,
    EdgePartition,
    VertexCover,
    all_point_sets,
    maximum_matching,
    named_cubic_graph,
)
from starmin.verify.reductions.decision import decide


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
