"""Tests that matching problems and their l-diversity tables answer the same."""

import math
from dataclasses import replace

import numpy as np
import pytest

from starmin.instances import LDiversity, Partition, Status, why_infeasible
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.verify.reductions import DimensionalMatching, PointSet, is_matching
from starmin.verify.reductions.hard_instances import (
    crowded_points,
    planted_matching,
    random_points,
)
from starmin.verify.reductions.source_solvers import (
    is_perfect_matching,
    maximum_matching,
    perfect_matching,
)
from starmin.verify.reductions.three_dimensional_matching import sensitive_codes
from tests.verify.reductions.reduction_helpers import (
    random_release,
    with_cell,
    without_row,
)
from tests.verify.reductions.sources import (
    all_point_sets,
    is_crowded,
    two_value_optimum,
)


def prove(points: PointSet, m: int | None = None) -> bool:
    """The answer, proven on the table by the exact method and tested both ways."""
    reduction = DimensionalMatching(m)
    reduced = reduction.apply(points)
    result = pattern_ilp(reduced.table, reduced.requirement, time_limit=60)
    assert result.status is Status.OPTIMAL
    assert result.best is not None and result.value is not None
    releases = [result.best, *(random_release(reduced, seed) for seed in range(4))]
    verdict = reduction.check(points, releases=releases, optimum=result.value)
    assert verdict.holds, verdict.failed
    chosen = reduction.lift(points, result.best)
    answer = result.value == reduced.threshold
    assert result.value >= reduced.threshold
    assert is_perfect_matching(points, chosen) == answer
    return answer


def test_all_sets_of_up_to_6_points_with_2_values_each() -> None:
    """All 246 sets, by three sensitive values or by more, to the proven optimum."""
    answers = []
    for number, points in enumerate(all_point_sets(2, 6)):
        largest = maximum_matching(points)
        assert largest is not None
        expected = 6 * len(points.points) - 3 * len(largest)
        m = 3 + (number % 4 if number % 2 else 0)
        reduced = DimensionalMatching(m).apply(points)
        result = pattern_ilp(reduced.table, reduced.requirement)
        assert result.value == result.lower_bound == expected
        answers.append(expected == reduced.threshold)
        assert answers[-1] == (perfect_matching(points) is not None)
    # No: no two opposite corners of the cube, at most one corner of each of 4 pairs.
    assert answers.count(False) == sum(math.comb(4, j) * 2**j for j in range(1, 5))


def test_claims_on_all_sets_of_up_to_3_points() -> None:
    for number, points in enumerate(all_point_sets(2, 3)):
        prove(points, (3, 5)[number % 2])


@pytest.mark.parametrize("size", [3, 4, 5, 6])
@pytest.mark.parametrize("seed", range(2))
def test_random_sets(size: int, seed: int) -> None:
    m = int(np.random.default_rng(seed).integers(3, 3 * size + 1))
    assert prove(planted_matching(size, 4, seed), m)
    points = crowded_points(size, size + 4, seed)
    assert is_crowded(points)
    assert not prove(points, m)
    prove(PointSet.of(size, random_points(size, 8, seed)), 3 * size)


@pytest.mark.parametrize(("dimension", "size"), [(4, 2), (4, 3), (5, 2), (6, 2)])
def test_more_dimensions(dimension: int, size: int) -> None:
    for m in (dimension, dimension + 1, dimension * size):
        assert prove(planted_matching(size, 4, 1, dimension), m)
        assert not prove(crowded_points(size, 6, 1, dimension), m)


def test_uncovered_coordinates_mean_no() -> None:
    assert not prove(PointSet.of(3, [(0, 0, 0), (1, 1, 1), (0, 1, 1)]))


def test_one_point() -> None:
    assert prove(PointSet.of(1, [(0, 0, 0)]))
    assert not prove(PointSet.of(2, [(0, 1, 0)]), 5)


def test_boundary_of_two_dimensions_and_two_values() -> None:
    """With l = m = 2 both sides are bipartite matching and polynomial."""
    for seed in range(10):
        points = PointSet.of(5, random_points(5, 10, seed, dimension=2))
        reduced = DimensionalMatching().apply(points)
        stars = two_value_optimum(reduced.table).value(reduced.table)
        assert DimensionalMatching().check(points, optimum=stars).holds
        assert (stars == reduced.threshold) == (perfect_matching(points) is not None)


def test_fewer_than_l_values_are_infeasible() -> None:
    table = DimensionalMatching().apply(planted_matching(3, 2, 1)).table
    assert why_infeasible(table, LDiversity(3)) is None
    assert why_infeasible(table, LDiversity(4)) is not None


def test_sensitive_codes_for_every_number() -> None:
    for l in (2, 3, 4, 5):
        for n in range(1, 6):
            for m in range(l, l * n + 1):
                codes = sensitive_codes(l, n, m)
                domains = [set(codes[h * n : (h + 1) * n]) for h in range(l)]
                assert set().union(*domains) == set(range(1, m + 1))
                assert sum(map(len, domains)) == m
    for m in (2, 13):
        with pytest.raises(ValueError, match="Expected 3 <= m <= 12"):
            sensitive_codes(3, 4, m)


@pytest.mark.parametrize("seed", range(5))
def test_lift_of_any_release(seed: int) -> None:
    points = planted_matching(4, 8, seed)
    reduction = DimensionalMatching(7)
    reduced = reduction.apply(points)
    n_cells = reduced.table.n * reduced.table.d
    for trial in range(20):
        release = random_release(reduced, 20 * seed + trial)
        chosen = reduction.lift(points, release)
        assert is_matching(points, chosen)
        assert n_cells - reduced.stars(release) == 3 * len(chosen)


def test_wrong_constructions_are_caught() -> None:
    points = planted_matching(3, 3, seed=1)
    reduction = DimensionalMatching(5)
    right = reduction.apply(points)
    assert reduction.check(points, right).holds
    zero = right.table.cells("p1").index("0")
    other = next(i for i, cell in enumerate(right.table.cells("p1")) if cell != "0")
    code = str(right.table.cells("sensitive")[other])
    wrong = {
        "construction": [
            without_row(right, 0),
            with_cell(right, zero, "p1", "9"),
            with_cell(right, other, "p1", "0"),
            with_cell(right, other, "sensitive", f"{code}'"),
        ],
        "Property 1": [replace(right, requirement=LDiversity(2))],
        "threshold": [replace(right, threshold=right.threshold + 1)],
    }
    for claim, tables in wrong.items():
        for reduced in tables:
            verdict = reduction.check(points, reduced)
            assert verdict.failed is not None
            assert verdict.failed.name == claim, verdict.failed
    fewer = DimensionalMatching(4).check(points, right)
    assert fewer.failed is not None and fewer.failed.name == "sensitive values"


def test_shared_sensitive_values_are_caught() -> None:
    """Codes that forget the domains fail on a table that is otherwise right."""
    points = PointSet.of(2, [(0, 0, 0), (1, 1, 1)])
    right = DimensionalMatching(6).apply(points)
    shared = right
    for row in range(2, 4):
        for column, cell in zip(
            right.table.names, right.table.rows()[row], strict=True
        ):
            if cell != "0":
                shared = with_cell(shared, row, column, str(row - 1))
    verdict = DimensionalMatching(4).check(points, shared)
    assert verdict.failed is not None
    assert verdict.failed.name == "sensitive values"
    assert "domain 1 too" in str(verdict.failed.why_not)


def test_refusals() -> None:
    points = planted_matching(3, 3, seed=1)
    with pytest.raises(ValueError, match="share a coordinate"):
        DimensionalMatching().forward(points, frozenset(range(6)))
    pairs = Partition(np.repeat(np.arange(4), [2, 2, 2, 3]).astype(np.int32))
    with pytest.raises(ValueError, match="sensitive value"):
        DimensionalMatching().lift(points, pairs)
