"""Tests that the 1-D programs for k-anonymity find the best of all partitions."""

import itertools

import numpy as np
import pytest

from starmin.models.one_dimensional.k_order import k_largest, k_mean, k_order
from starmin.models.one_dimensional.k_total import extents, k_dual, k_total
from tests.support.every_partition import Oracle, partitions

SEEDS = range(300)


def draw(seed: int) -> tuple[np.ndarray, int]:
    """Up to nine numbers, whole or with fractions, and a k."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 10)), int(rng.integers(1, 5))
    values = np.sort(rng.integers(0, rng.choice([4, 12, 60]), n))
    # Halves and quarters are exact in floating point.
    return (values / 4 if seed % 3 == 0 else values), min(k, n)


def oracle(values: np.ndarray, k: int) -> Oracle:
    cells = values.tolist()
    return Oracle.of(
        len(cells),
        lambda rows: len(rows) >= k,
        lambda rows: cells[rows[-1]] - cells[rows[0]],
    )


def checked(values: np.ndarray, starts: np.ndarray, k: int) -> np.ndarray:
    """The extents of the groups, which have k rows each and fewer than 2k."""
    sizes = np.diff(np.append(starts, len(values)))
    assert starts[0] == 0 and sizes.min() >= k
    return extents(values, starts)


def test_programs_for_extents_are_exact() -> None:
    for seed in SEEDS:
        values, k = draw(seed)
        best = oracle(values, k)
        total = k_total(values, k)
        assert checked(values, total, k).sum() == best.total()
        assert np.diff(np.append(total, len(values))).max() <= 2 * k - 1  # Lemma 1
        assert checked(values, k_largest(values, k), k).max() == best.largest()
        assert checked(values, k_mean(values, k), k).mean() == best.mean()


def check_any_loss(values: np.ndarray, k: int, exponent: float) -> None:
    n = len(values)

    def loss(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        return (end - begin) ** exponent * (values[end - 1] - values[begin])

    for combine, join in (("sum", sum), ("max", max)):
        starts = k_order(loss, n, k, combine)
        ends = np.append(starts[1:], n)
        assert (ends - starts).min() >= k
        best = min(
            join(loss(np.array(cuts[:-1]), np.array(cuts[1:])))
            for many in range(n // k)
            for inner in itertools.combinations(range(1, n), many)
            if min(np.diff(cuts := [0, *inner, n])) >= k
        )
        assert join(loss(starts, ends)) == best


def test_any_loss_is_least_among_consecutive_groups() -> None:
    for seed in SEEDS:
        check_any_loss(*draw(seed), 1.0 + seed % 2)


def test_size_times_extent_may_want_groups_that_are_not_consecutive() -> None:
    x = np.array([0, 49, 50, 51, 100])
    every = Oracle.of(
        5,
        lambda rows: len(rows) >= 2,
        lambda rows: len(rows) * int(x[rows[-1]] - x[rows[0]]),
    )
    starts = k_order(lambda b, e: (e - b) * (x[e - 1] - x[b]), 5, 2)
    sizes = np.diff(np.append(starts, 5))
    assert (sizes @ extents(x, starts), every.total()) == (248, 206)


def test_the_least_total_may_not_have_the_least_mean() -> None:
    worse = 0
    for seed in SEEDS:
        values, k = draw(seed)
        total, mean = k_total(values, k), k_mean(values, k)
        worse += extents(values, total).mean() > extents(values, mean).mean()
    assert worse > 0


def check_dual(values: np.ndarray, bound: float) -> None:
    cells = values.tolist()
    n = len(cells)
    best = Oracle.of(n, lambda rows: cells[rows[-1]] - cells[rows[0]] <= bound, len)
    smallest = np.where(best.losses == 0, n, best.losses).min(axis=1)
    k, starts = k_dual(values, bound)
    assert extents(values, starts).max() <= bound
    assert np.diff(np.append(starts, n)).min() == k == smallest[best.allowed].max()


def test_the_dual_finds_the_largest_k() -> None:
    for seed in SEEDS:
        check_dual(draw(seed)[0], [0, 1.5, 3, 10, 40, np.inf][seed % 6])


def test_the_dual_inverts_the_direct_problem() -> None:
    rng = np.random.default_rng(1)
    values = np.sort(rng.integers(0, 10**9, 5000))
    for k in (2, 7, 100, 4000):
        bound = extents(values, k_largest(values, k)).max()
        assert k_dual(values, bound).k >= k > k_dual(values, bound - 1).k


def test_partitions_are_all_there() -> None:
    assert [len(partitions(n)) for n in range(1, 8)] == [1, 2, 5, 15, 52, 203, 877]


def test_values_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="ascending"):
        k_total(np.array([1, 0]), 1)
    with pytest.raises(ValueError, match="finite"):
        k_total(np.array([0, np.inf]), 1)
    with pytest.raises(ValueError, match="k <= 2"):
        k_largest(np.array([0, 1]), 3)
    with pytest.raises(ValueError, match="bound >= 0"):
        k_dual(np.array([0, 1]), -1)
    with pytest.raises(OverflowError):
        k_mean(np.array([0, 2**40, 2**61]), 1)
