"""Tests that the reduction instances are what the catalogue says of them."""

from typing import Any

import pytest

from starmin.extensions import instance_names, load_instance
from starmin.instances import (
    STARS,
    TUPLES,
    NotSupportedError,
    Objective,
    Table,
    TableError,
)
from starmin.instances.runs.method import Method
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.registry import METHODS
from starmin.verify.reductions import (
    HARD_INSTANCES,
    AllDistinct,
    Question,
    Reduced,
    Reduction,
    VertexCover,
    base_cost,
    is_vertex_cover,
)

QUESTIONS = {
    "petersen": HARD_INSTANCES["vertex-cover"].ask(),
    "random cubic": HARD_INSTANCES["vertex-cover-random"].ask(n=12, seed=1),
    "distinct": HARD_INSTANCES["vertex-cover-distinct"].ask(graph="k33"),
    "matching": HARD_INSTANCES["matching"].ask(n=5, extra=5, m=7),
    "4 dimensions": HARD_INSTANCES["matching"].ask(n=3, extra=4, dimension=4),
    "no matching": HARD_INSTANCES["matching-no"].ask(n=5, points=10),
    "edges": HARD_INSTANCES["edge-partition"].ask(),
}
HEURISTICS = [m for m in METHODS.values() if m.kind == "heuristic"]


@pytest.mark.parametrize("name", HARD_INSTANCES)
def test_thresholds_and_answers(name: str) -> None:
    instance = HARD_INSTANCES[name]
    question = instance.ask()
    reduced = question.reduced
    assert reduced.threshold == instance.threshold
    assert reduced.requirement == instance.requirement
    result = pattern_ilp(reduced.table, reduced.requirement, time_limit=60)
    assert result.value is not None and result.value == result.lower_bound
    assert (result.value <= reduced.threshold) == question.answer


def test_they_are_loaded_by_name_with_parameters() -> None:
    assert set(HARD_INSTANCES) < set(instance_names())
    table = load_instance("matching:n=3,extra=2,m=5")
    assert (table.n, table.d) == (9, 5)
    for name, why in (
        ("vertex-cover:graph=k5", "no cubic graph 'k5'"),
        ("vertex-cover-random:n=7", "even size"),
        ("matching:m=99", "Expected 3 <= m <= 12"),
        ("matching-no:points=1", "Expected 4 <= count"),
        ("edge-partition:parts=0", "expected at least 3"),
    ):
        with pytest.raises(TableError, match=why) as error:
            load_instance(name)
        assert str(error.value).startswith(f"instance:{name}: ")


def solvable(reduction: Reduction[Any, Any]) -> Reduction[Any, Any]:
    """Give a reduction from tables, which are too large here, an exact method."""
    if not isinstance(reduction, AllDistinct):
        return reduction
    return AllDistinct(lambda table, asked: pattern_ilp(table, asked).best)


def objective_of(method: Method, reduced: Reduced) -> Objective | None:
    """Stars if the method takes them here, else tuples, else None."""
    return next(
        (o for o in (STARS, TUPLES) if method.supports(reduced.requirement, o)), None
    )


@pytest.mark.parametrize("method", HEURISTICS, ids=lambda method: str(method.name))
@pytest.mark.parametrize("name", QUESTIONS)
def test_releases_of_every_heuristic_are_lifted(name: str, method: Method) -> None:
    """Whatever its release, the claims hold of it, and a cover is within its cost."""
    question = QUESTIONS[name]
    reduced = question.reduced
    objective = objective_of(method, reduced)
    if objective is None:
        pytest.skip(f"{method.name} is for other requirements")
    options: dict[str, float] = {}
    if "stagnation" in method.options():
        options = {"time_limit": 60.0, "stagnation": 1}
    elif "time_limit" in method.options():
        options = {"time_limit": 1.0}  # some go on until it ends
    try:
        result = method.load()(
            reduced.table, reduced.requirement, objective=objective, **options
        )
    except NotSupportedError as error:  # a limit of its own, as k = 2 alone
        pytest.skip(str(error))
    assert result.best is not None
    verdict = solvable(question.reduction).check(
        question.source, releases=[result.best]
    )
    assert verdict.holds, verdict.failed
    stars = reduced.stars(result.best)
    lifted = question.reduction.lift(question.source, result.best)
    if isinstance(question.reduction, VertexCover):
        assert is_vertex_cover(question.source, lifted)
        assert len(lifted) <= stars - base_cost(question.source)
    if "phase" in result.stats:
        # All row types are too few alike: phase 1 leaves nothing, and is optimal.
        assert result.stats["phase"] == 1
        assert result.stats["residue"] == reduced.table.n


def test_a_question_can_be_asked_of_any_source() -> None:
    from starmin.verify.reductions import named_cubic_graph

    question = Question(VertexCover(3), named_cubic_graph("k4"))
    assert question.reduced.threshold == 137
    assert isinstance(question.reduced.table, Table)
