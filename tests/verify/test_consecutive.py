"""Tests that potentials prove what programs on a line find, and no edit proves more."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from starmin.models.one_dimensional.k_order import k_largest, k_mean, k_order
from starmin.models.one_dimensional.k_total import extents, k_dual, k_total


def potentials(loss: Callable, n: int, k: int) -> np.ndarray:
    """The least total loss up to each boundary; 2^52 where no group leads to it.

    So no group of k to 2k - 1 rows loses less than what its ends differ by.
    """
    opt = np.full(n + 1, 2**52)
    opt[0] = 0
    for end in range(k, n + 1):
        begin = np.arange(max(0, end - 2 * k + 1), end - k + 1)
        opt[end] = min(
            opt[end], (opt[begin] + loss(begin, np.full_like(begin, end))).min()
        )
    return opt


def path_bound(pi: Sequence[int], loss: Callable, k: int) -> int:
    """What any potentials prove of groups of k to 2k - 1 consecutive rows."""
    pi, n, violated = [*map(int, pi)], len(pi) - 1, 0
    for length in range(k, min(2 * k, n + 1)):
        begin = np.arange(n - length + 1)
        paid = loss(begin, begin + length).tolist()
        worst = max(b - a - p for a, b, p in zip(pi, pi[length:], paid, strict=False))
        violated = max(violated, worst)
    return pi[-1] - pi[0] - violated * (n // k)


def extent(x: np.ndarray) -> Callable:
    return lambda begin, end: x[end - 1] - x[begin]


def tables(count: int):
    rng = np.random.default_rng(7)
    for _ in range(count):
        k = int(rng.integers(2, 5))
        n = int(rng.integers(k, 30))
        yield rng, np.sort(rng.integers(0, 60, n)), k


def proven(loss: Callable, n: int, k: int) -> int:
    return path_bound(potentials(loss, n, k), loss, k)


def above(loss: Callable, bound: int) -> Callable:
    """1 for groups that lose more than the bound, else 0."""
    return lambda begin, end: (loss(begin, end) > bound) * 1


def shifted(loss: Callable, mean: Fraction) -> Callable:
    """How much more than the mean a group loses, in whole numbers."""
    p, q = mean.as_integer_ratio()
    return lambda begin, end: q * loss(begin, end) - p


def test_potentials_prove_the_value_of_every_program():
    for _, x, k in tables(60):
        n, loss = len(x), extent(x)
        assert proven(loss, n, k) == extents(x, k_total(x, k)).sum()
        worst = int(extents(x, k_largest(x, k)).max())
        assert proven(above(loss, worst - 1), n, k) >= 1
        assert proven(above(loss, worst), n, k) == 0
        found = extents(x, k_mean(x, k))
        mean = Fraction(int(found.sum()), len(found))
        assert proven(shifted(loss, mean), n, k) == 0
        largest = k_dual(x, 20).k
        if largest < n:
            assert proven(above(loss, 20), n, largest + 1) >= 1


def test_no_edited_potentials_prove_more_than_the_truth():
    fell = 0
    for rng, x, k in tables(60):

        def weighted(begin, end, x=x):
            return (end - begin) * (x[end - 1] - x[begin])

        n = len(x)
        starts = k_order(weighted, n, k)
        best = int(weighted(starts, np.append(starts[1:], n)).sum())
        right = potentials(weighted, n, k)
        assert path_bound(right, weighted, k) == best
        for _ in range(20):
            wrong = right.copy()
            wrong[rng.integers(n + 1, size=2)] += rng.integers(-40, 41, 2)
            bound = path_bound(wrong, weighted, k)
            assert bound <= best
            fell += bound < best
    assert fell > 500
