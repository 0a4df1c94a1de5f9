"""Tests of cuts and fixings of the pattern program: they lose no release."""

import itertools
import random

import numpy as np
import pytest

from starmin.instances import STARS, Table
from starmin.models.pattern_program.cut_separation import FractionalPoint
from starmin.models.pattern_program.kernel_search import reduced_cost_fixing
from starmin.models.pattern_program.pattern_program import (
    GroupCut,
    loads_of,
    pattern_program,
)
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import Patterns
from starmin.models.pricing.cut_terms import CutTerms, renumbered
from starmin.models.solvers.linear_solver import LinearSolver
from starmin.verify.brute_force import brute_force
from tests.support.effort import seeds
from tests.support.small_problems import (
    ask,
    random_bounds,
    random_objective,
    random_table,
)


def _point(seed: int) -> tuple[Patterns, int, np.ndarray, np.ndarray]:
    """Draw a point that assigns all rows, and opens patterns by what they hold."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 3, (7, 3)).astype(str).tolist()
    table = Table.from_rows("abc", rows, qi="abc")
    k = int(rng.integers(2, 5))
    patterns = closed_patterns(table, table.row_types, STARS, k)
    x = rng.random(len(patterns.types)) ** 4
    x /= np.bincount(patterns.types, x, minlength=len(patterns.counts))[patterns.types]
    x *= patterns.counts[patterns.types]
    held = np.bincount(patterns.pattern, x, minlength=len(patterns))
    return patterns, k, x, np.minimum(held / k, 1)


def _violation(
    patterns: Patterns, k: int, x: np.ndarray, y: np.ndarray, cut: GroupCut
) -> float:
    """Return the left side less the right side, by the definition."""
    q, rest = divmod(int(patterns.counts[cut.types].sum()), k)
    total = -float(q)
    for p in cut.patterns:
        total += y[p]
        for e in range(patterns.starts[p], patterns.starts[p + 1]):
            if patterns.types[e] not in cut.types:
                total -= x[e] / (k - rest)
    return total


@pytest.mark.parametrize("seed", range(12))
def test_no_other_patterns_are_violated_more_by_the_same_types(seed: int) -> None:
    patterns, k, x, y = _point(seed)
    rng = np.random.default_rng(seed)
    sets = [
        np.flatnonzero(rng.random(len(patterns.counts)) < share)
        for share in (0.3, 0.5, 0.8)
    ]
    sets = [each for each in sets if len(each)]
    for cut in FractionalPoint.of(patterns, k, x, y).cuts(sets):
        found = _violation(patterns, k, x, y, cut)
        best = max(
            _violation(patterns, k, x, y, GroupCut(cut.types, np.array(some, int)))
            for size in range(4)
            for some in itertools.combinations(range(len(patterns)), size)
        )
        assert found >= best - 1e-9


def test_sets_that_are_grown_have_violated_cuts() -> None:
    seen = 0
    for seed in range(60):
        patterns, k, x, y = _point(seed)
        point = FractionalPoint.of(patterns, k, x, y)
        cuts = point.cuts(point.grow())
        excess = CutTerms.of(patterns, cuts, k).excess(x, y)
        for cut, by in zip(cuts, excess, strict=True):
            total = int(patterns.counts[cut.types].sum())
            violation = _violation(patterns, k, x, y, cut)
            assert violation > 0.01
            assert by == pytest.approx(violation * (k - total % k))
        seen += len(cuts)
    assert seen >= 20


def test_cuts_keep_their_patterns_in_another_list() -> None:
    patterns = _point(1)[0]
    everything = np.arange(len(patterns))
    cut = GroupCut(np.array([0, 1]), everything)
    keep = np.random.default_rng(2).random(len(patterns)) < 0.6
    fewer = patterns.select(keep)
    [moved] = renumbered([cut], patterns, fewer)
    assert moved.types.tolist() == [0, 1]
    assert moved.patterns.tolist() == list(range(len(fewer)))
    [back] = renumbered([moved], fewer, patterns)
    assert back.patterns.tolist() == np.flatnonzero(keep).tolist()


@pytest.mark.parametrize("seed", seeds(20))
def test_no_optimal_release_uses_a_fixed_incidence(seed: int) -> None:
    rng = random.Random(seed)
    optimum = None
    while optimum is None or optimum.best is None:
        table = random_table(rng, 4, 9)
        k, l = random_bounds(rng)
        objective = random_objective(rng, table, "stars")
        optimum = brute_force(table, ask(k, l), objective)
    types = table.sensitive_types if l > 1 else table.row_types
    patterns = closed_patterns(table, types, objective, k, l)
    program = pattern_program(patterns, k, l)
    solution = LinearSolver(program.program).solve(60.0)
    assert solution is not None and optimum.value is not None
    least = reduced_cost_fixing(program, solution)
    assert (least >= solution.value - 1e-6).all()
    loads = loads_of(table, STARS, patterns, optimum.best)
    fixed = least > optimum.value + 1e-6
    assert not loads[fixed].any()


def test_some_incidences_are_fixed() -> None:
    rng, fixed = random.Random(5), 0
    for _ in range(10):
        table = random_table(rng, 9, 9)
        patterns = closed_patterns(table, table.row_types, STARS, 2)
        program = pattern_program(patterns, 2)
        solution = LinearSolver(program.program).solve(60.0)
        assert solution is not None
        optimum = brute_force(table, ask(2, 1), STARS).value
        fixed += int(np.sum(reduced_cost_fixing(program, solution) > optimum + 1e-6))
    assert fixed > 0
