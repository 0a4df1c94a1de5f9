"""Tests that k-anonymity is k-diversity where no sensitive value occurs twice."""

from dataclasses import replace

import numpy as np
import pytest

from starmin.instances import STARS, KAnonymity, LDiversity, NotSupportedError, Table
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.verify.brute_force import brute_force
from starmin.verify.reductions import (
    AllDistinct,
    Reduced,
    VertexCover,
    named_cubic_graph,
)
from tests.support.effort import seeds
from tests.verify.reductions.reduction_helpers import random_release, with_cell
from tests.verify.reductions.sources import two_value_optimum


def random_question(seed: int) -> Reduced:
    random = np.random.default_rng(seed)
    n, d = int(random.integers(4, 9)), int(random.integers(1, 4))
    rows = random.integers(3, size=(n, d)).astype(str).tolist()
    names = [f"c{j}" for j in range(d)]
    table = Table.from_rows(names, rows, names)
    return Reduced(table, KAnonymity(int(random.integers(2, 5))), d * n)


@pytest.mark.parametrize("seed", range(20))
def test_same_optimum(seed: int) -> None:
    source = random_question(seed)
    reduced = AllDistinct().apply(source)
    least = brute_force(source.table, source.requirement).value
    assert least is not None
    assert brute_force(reduced.table, reduced.requirement).value == least
    releases = [random_release(reduced, s) for s in range(4)]
    verdict = AllDistinct().check(source, releases=releases, optimum=least)
    assert verdict.holds, verdict.failed


def test_composed_with_vertex_cover() -> None:
    graph = named_cubic_graph("k4")
    source = VertexCover().apply(graph)
    reduced = AllDistinct().apply(source)
    result = pattern_ilp(reduced.table, reduced.requirement, time_limit=60)
    assert result.value == result.lower_bound == reduced.threshold == 137
    assert result.best is not None
    exact = AllDistinct(lambda table, asked: pattern_ilp(table, asked).best)
    assert exact.check(source, releases=[result.best]).holds
    back = AllDistinct().lift(source, result.best)
    assert len(VertexCover().lift(graph, back)) == 3


def test_wrong_constructions_are_caught() -> None:
    source = random_question(3)
    right = AllDistinct().apply(source)
    wrong = {
        "construction": [
            with_cell(right, 0, "sensitive", "2"),
            with_cell(right, 0, "c0", "9"),
            replace(right, requirement=LDiversity(9)),
        ],
        "threshold": [replace(right, threshold=right.threshold + 1)],
    }
    for claim, tables in wrong.items():
        for reduced in tables:
            verdict = AllDistinct().check(source, reduced)
            assert verdict.failed is not None
            assert verdict.failed.name == claim, verdict.failed


def test_other_requirements_are_refused() -> None:
    source = AllDistinct().apply(random_question(3))
    with pytest.raises(NotSupportedError, match="Expected KAnonymity only"):
        AllDistinct().apply(source)


@pytest.mark.parametrize("seed", seeds(15))
def test_two_values_against_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    half, d = int(random.integers(1, 5)), int(random.integers(1, 5))
    cells = random.integers(3, size=(2 * half, d)).astype(str).tolist()
    ill = random.permutation(["a", "b"] * half)
    rows = [[*row, value] for row, value in zip(cells, ill, strict=True)]
    names = [f"c{j}" for j in range(d)]
    table = Table.from_rows([*names, "s"], rows, names, ["s"])
    least = brute_force(table, LDiversity(2), objective=STARS).value
    assert two_value_optimum(table).value(table) == least


def test_two_values_refuses_other_tables() -> None:
    rows = [["0", "a"], ["0", "b"], ["1", "b"]]
    table = Table.from_rows(["q", "s"], rows, ["q"], ["s"])
    with pytest.raises(NotSupportedError, match="as many rows of each value"):
        two_value_optimum(table)
    third = Table.from_rows(["q", "s"], [*rows, ["1", "c"]], ["q"], ["s"])
    with pytest.raises(NotSupportedError, match="got 3"):
        two_value_optimum(third)
