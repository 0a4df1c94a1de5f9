"""Tests that the 1-D programs for l-diversity find the best of all partitions."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from starmin.models.one_dimensional.boundaries import l_dual
from starmin.models.one_dimensional.l_ordered import l_by_dual, l_mean, l_ordered
from tests.support.every_partition import Oracle

Problem = tuple[np.ndarray, np.ndarray, int]


def draw(seed: int) -> Problem:
    """Up to nine numbers with sensitive values, and an l that they allow."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 10))
    values = np.sort(rng.integers(0, rng.choice([4, 12, 60]), n))
    sensitive = rng.integers(0, rng.integers(2, 6), n)
    if seed % 2 == 0:
        sensitive = rng.permutation(np.arange(n) % rng.integers(2, 5))
    if seed % 5 == 0:  # correlated, which is hard
        sensitive = np.sort(sensitive)
    most = max(Counter(sensitive.tolist()).values())
    l = int(rng.integers(1, n // most + 1))
    return values, sensitive, l


def oracle(values: np.ndarray, sensitive: np.ndarray, l: float) -> Oracle:
    x, s = values.tolist(), sensitive.tolist()
    return Oracle.of(
        len(x),
        lambda rows: l * max(Counter(s[r] for r in rows).values()) <= len(rows),
        lambda rows: x[rows[-1]] - x[rows[0]],
    )


def check_groups(problem: Problem, groups: np.ndarray) -> list[int]:
    """The extents of the groups, which are l-diverse."""
    values, sensitive, l = problem
    extents = []
    for group in range(groups.max() + 1):
        rows = np.flatnonzero(groups == group)
        assert l * max(Counter(sensitive[rows].tolist()).values()) <= len(rows)
        extents.append(int(values[rows[-1]] - values[rows[0]]))
    return extents


def test_the_largest_extent_is_least() -> None:
    for seed in range(400):
        problem = draw(seed)
        loss, groups = l_ordered(*problem)
        assert max(check_groups(problem, groups)) == loss
        assert loss == oracle(*problem).largest()


def test_binary_search_over_the_dual_finds_it_too() -> None:
    for seed in range(200):
        values, sensitive, l = draw(seed)
        loss, groups = l_by_dual(values, sensitive, l)
        assert max(check_groups((values, sensitive, l), groups)) == loss
        assert loss == oracle(values, sensitive, l).largest()
        most = max(Counter(sensitive.tolist()).values())
        between = (l + len(values) / most) / 2
        loss, _ = l_by_dual(values / 4, sensitive, between)
        assert loss == oracle(values / 4, sensitive, between).largest()


@pytest.mark.parametrize("l", [21 / 19, Fraction(21, 19)])
def test_the_most_that_a_table_allows_is_found(l: float | Fraction) -> None:
    """The float times 19 is more than 21; all rows together have 21 of 19."""
    values, sensitive = np.arange(21), np.repeat([0, 1], [19, 2])
    assert l_by_dual(values, sensitive, l) == (20.0, pytest.approx(np.zeros(21)))
    with pytest.raises(ValueError, match="Expected no value in more than"):
        l_by_dual(values, sensitive, Fraction(21, 19) + Fraction(1, 10**9))


def test_the_search_ends_and_is_exact_at_the_ends_of_the_numbers() -> None:
    sensitive = np.array([0, 1, 0, 1])
    for values, loss in (
        (np.array([0, 0, 5e-324, 5e-324]), 0.0),
        (np.array([0, 5e-324, 1.0, 1.5]), 0.5),
        (2**61 + np.array([0, 1, 3, 4]), 1.0),
        (1e308 * np.array([-0.8, -0.7, 0.1, 0.9]), 0.8e308),
    ):
        assert l_by_dual(values, sensitive, 2).loss == pytest.approx(loss, rel=1e-12)
        assert l_ordered(values, sensitive, 2).loss == pytest.approx(loss, rel=1e-12)
    with pytest.raises(ValueError, match="no more than 2\\^53 apart"):
        l_by_dual(np.array([0, 1, 2, 2**60]), sensitive, 2)


def privacy(sensitive: list[int], rows: list[int]) -> Fraction:
    return Fraction(len(rows), max(Counter(sensitive[r] for r in rows).values()))


def check_dual(values: np.ndarray, sensitive: np.ndarray, bound: float) -> None:
    x, s = values.tolist(), sensitive.tolist()
    best = Oracle.of(
        len(x),
        lambda rows: x[rows[-1]] - x[rows[0]] <= bound,
        lambda rows: float(privacy(s, rows)),
    )
    least = np.where(best.losses == 0, np.inf, best.losses).min(axis=1)
    found = l_dual(values, sensitive, bound)
    assert found is not None
    members = [np.flatnonzero(found.groups == g) for g in np.unique(found.groups)]
    assert max(values[rows[-1]] - values[rows[0]] for rows in members) <= bound
    assert found.l == min(privacy(s, rows.tolist()) for rows in members)
    assert float(found.l) == least[best.allowed].max()
    again = l_dual(values, sensitive, bound, float(found.l))
    assert again is not None and again.l == found.l
    assert l_dual(values, sensitive, bound, float(found.l) + 1e-6) is None


def test_the_dual_finds_the_largest_l() -> None:
    for seed in range(300):
        values, sensitive, _ = draw(seed)
        check_dual(values, sensitive, [0, 1, 3, 8, 25, np.inf][seed % 6])


def test_pairs_are_not_best_for_the_total_extent() -> None:
    x, s = np.array([0, 1, 10, 11]), np.array([0, 0, 1, 1])
    assert l_ordered(x, s, 2, "total").loss == 20
    assert oracle(x, s, 2).total() == 11


def test_what_is_not_eligible_is_refused() -> None:
    with pytest.raises(ValueError, match=r"more than 1/2 of 3 rows, got one in 2"):
        l_ordered(np.arange(3), np.array([0, 0, 1]), 2)


def test_means_of_numbers_that_are_too_large_are_refused():
    sensitive = np.array([0, 1, 0, 1, 0, 1])
    far = np.array([0, 1, 2, 2**60, 2**60 + 1, 2**60 + 2])
    with pytest.raises(ValueError, match=r"range below 2\^53 / 6"):
        l_mean(far, sensitive, 2)
    # Wherever they begin, it is their range that counts.
    assert l_mean(far[:3].repeat(2) + 2**61, sensitive, 2)[0] == 0
