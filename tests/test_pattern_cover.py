"""Tests that the pattern cover is one, at the price of the proof, and what follows."""

from fractions import Fraction

import numpy as np
import pytest

from heuristics.approximation.pattern_cover import pattern_cover
from heuristics.approximation.pattern_cover_loops import choose
from heuristics.orders.lexicographic_suppression import lexicographic_suppression
from instances import (
    STARS,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Table,
)
from models.bounds.own_pattern import own_pattern
from models.matching.general_factor import general_factor
from models.patterns.listing import closed_patterns
from tests.real_scale import SIX, SIX_BOUND, SIX_FOUND, persons


def numbers(codes) -> Table:
    names = [f"q{j}" for j in range(codes.shape[1])]
    return Table.from_rows(names, codes.astype(str).tolist(), qi=names)


def test_its_sets_cover_all_rows_and_fit_their_patterns():
    for seed in range(100):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 6))
        table = numbers(rng.integers(3, size=(rng.integers(k, 60), 4)))
        types = table.row_types
        patterns = closed_patterns(table, types, STARS, k)
        pattern, type_, copies = choose(
            patterns.cost, patterns.starts, patterns.types, patterns.counts, k
        )
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
        pattern, _, copies = choose(
            patterns.cost, patterns.starts, patterns.types, patterns.counts, 2
        )
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
