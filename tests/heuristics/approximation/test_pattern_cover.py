"""Tests that the pattern cover is one, at the price of the proof, and what follows."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from starmin.heuristics.approximation.pattern_cover import (
    choose,
    cover_by_prices,
    cover_of,
    empty_cover,
    pattern_cover,
)
from starmin.heuristics.orders.suppression import lexicographic_suppression
from starmin.instances import (
    STARS,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Run,
    Scales,
    Table,
)
from starmin.models.bounds.own_pattern import own_pattern
from starmin.models.matching.general_factor import general_factor
from starmin.models.patterns.closed_listing import (
    cheapest_pattern_costs,
    closed_patterns,
)
from starmin.models.patterns.patterns import Patterns
from starmin.verify.brute_force import brute_force
from tests.support.real_scale import SIX, SIX_BOUND, SIX_FOUND, persons
from tests.support.small_problems import random_problem


def numbers(codes) -> Table:
    names = [f"q{j}" for j in range(codes.shape[1])]
    return Table.from_rows(names, codes.astype(str).tolist(), qi=names)


def chosen(patterns: Patterns, k: int) -> list[np.ndarray]:
    """Pattern, type and copies of each entry of a cover by any patterns."""
    listed = patterns.cost, patterns.starts, patterns.types, patterns.counts
    return choose(empty_cover(patterns.counts), *listed, k, np.inf).T[1:]


def test_its_sets_cover_all_rows_and_fit_their_patterns():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 6))
        table = numbers(rng.integers(3, size=(rng.integers(k, 60), 4)))
        types = table.row_types
        patterns = closed_patterns(table, types, STARS, k)
        pattern, type_, copies = chosen(patterns, k)
        pairs = set(
            zip(patterns.pattern.tolist(), patterns.types.tolist(), strict=True)
        )
        assert pairs >= set(zip(pattern.tolist(), type_.tolist(), strict=True))
        sizes = np.bincount(pattern, copies, len(patterns))
        assert (sizes[np.unique(pattern)] >= k).all()
        assert (copies <= types.counts[type_]).all()
        wanted = np.bincount(type_, copies, len(types))
        assert (wanted >= types.counts).all()


def test_the_cover_costs_at_most_the_harmonic_number_times_the_optimum():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = numbers(rng.integers(4, size=(rng.integers(8, 26), 4)))
        patterns = closed_patterns(table, table.row_types, STARS, 2)
        pattern, _, copies = chosen(patterns, 2)
        optimum = general_factor(table, KAnonymity(2)).value
        assert patterns.cost[pattern] @ copies <= Fraction(3, 2) * optimum
        value = pattern_cover(table, KAnonymity(2)).value
        assert optimum <= value <= Fraction(9, 4) * optimum


@pytest.mark.parametrize("k", [2, 5])
def test_tiny_tables(k):
    alike, unlike = numbers(np.zeros((5, 2), int)), numbers(np.arange(k)[:, None])
    assert pattern_cover(alike, KAnonymity(k)).value == 0
    result = pattern_cover(unlike, KAnonymity(k))
    assert result.best.size == 1 and result.value == k == result.lower_bound
    assert pattern_cover(unlike, KAnonymity(k + 1)).best is None


def test_without_time_there_is_a_release():
    table = numbers(np.random.default_rng(0).integers(9, size=(200, 4)))
    result = pattern_cover(table, KAnonymity(4), time_limit=0)
    assert result.limit.value == "time" and result.best.sizes.min() >= 4


def test_it_refuses_what_it_cannot_do():
    wide = numbers(np.zeros((4, 21), int))
    with pytest.raises(NotSupportedError, match="at most 20 columns"):
        pattern_cover(wide, KAnonymity(2))
    few = Objective(keep=tuple(wide.qi[:3]))
    assert pattern_cover(numbers(np.eye(3)), KAnonymity(3)).value == 9
    with pytest.raises(NotSupportedError, match="of the form k; got"):
        pattern_cover(wide, LDiversity(2), objective=few)


def test_thirty_thousand_rows():
    table, requirement = persons(SIX), KAnonymity(5)
    result, own = pattern_cover(table, requirement), own_pattern(table, requirement)
    assert own.lower_bound <= result.lower_bound <= SIX_FOUND
    # 19,971 when measured, 3.9 % above the bound; a sorted order gives 20,917.
    assert SIX_BOUND <= result.value <= 1.05 * SIX_BOUND
    assert result.value < lexicographic_suppression(table, requirement).value


def has_greatest_width(objective: Objective) -> bool:
    widths = [getattr(scale, "width", None) for scale in objective.scales.scales]
    return any(width is not None and width.most is not None for width in widths)


def test_its_ratio_holds_for_losses():
    worst, without = 1.0, 0
    for seed in range(200):
        _, table, objective, k, l = random_problem(seed)
        k = max(k, l)
        optimum = brute_force(table, KAnonymity(k), objective).value
        if optimum is None:
            continue
        result = pattern_cover(table, KAnonymity(k), objective=objective)
        assert result.best.violation(table, KAnonymity(k), objective) is None
        assert result.lower_bound <= optimum <= result.value
        if has_greatest_width(objective):
            without += 1
            continue
        harmonic = sum(Fraction(1, j) for j in range(1, k + 1))
        assert result.value <= Fraction(2 * k - 1, k) * harmonic * optimum
        if optimum:
            worst = max(worst, result.value / optimum)
    assert without > 5
    assert worst > 1


def test_the_walk_finds_the_lowest_offers():
    """Each set is that of the lowest offer among all patterns, listed without it."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        table = numbers(rng.integers(6, size=(rng.integers(10, 50), 3)))
        k = int(rng.integers(2, 6))
        objective = Objective("gcp", scales=Scales.of(table, ["q0", "q1"]))
        types = table.row_types
        patterns = closed_patterns(table, types, objective, k)
        own = cheapest_pattern_costs(patterns)
        run = Run(table, KAnonymity(k), objective)
        sets, left = cover_by_prices(run, own, k), types.counts.astype(np.int64)
        fits = np.zeros((len(patterns), len(types)), bool)
        fits[patterns.pattern, patterns.types] = True
        paid = []
        for each in sets:
            members = np.array(list(each))
            new = fits @ left
            able = new > 0
            offers = (patterns.cost * np.maximum(new, k))[able] / new[able]
            own_new = left[members].sum()
            cost = patterns.cost[fits[:, members].all(axis=1)].min()
            assert cost * max(own_new, k) / own_new == pytest.approx(offers.min())
            assert sum(each.values()) == max(own_new, k)
            left[members] = 0
            paid.append(offers.min())
        assert not left.any()
        assert all(a <= b + 1e-9 for a, b in pairwise(paid))
        assert len(cover_of(patterns, k)) > 0


def test_stars_are_a_special_case_of_losses():
    table = numbers(np.random.default_rng(1).integers(4, size=(300, 4)))
    stars = pattern_cover(table, KAnonymity(4))
    losses = pattern_cover(table, KAnonymity(4), objective=Objective("gcp"))
    assert stars.lower_bound == losses.lower_bound
    assert abs(stars.value - losses.value) <= 0.05 * stars.value
