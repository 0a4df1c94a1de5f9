"""Tests of the lemmas on optimal partitions in one dimension, and of what they are not.

For each table all partitions are listed; some optimal one must have the properties.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from starmin.models.one_dimensional.boundaries import Domains
from tests.support.every_partition import Oracle, partitions

Groups = list[list[int]]
SEEDS = range(120)


def draw(seed: int) -> tuple[list[int], list[int], int]:
    """Up to seven numbers, sensitive values, and an l (or k) that they allow."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    x = np.sort(rng.integers(0, rng.choice([5, 20, 100]), n)).tolist()
    s = rng.integers(0, rng.integers(2, 5), n)
    if seed % 2 == 0:
        s = rng.permutation(np.arange(n) % rng.integers(2, 5))
    most = max(Counter(s.tolist()).values())
    return x, s.tolist(), int(rng.integers(1, n // most + 1))


def optimal(
    oracle: Oracle, n: int, value: Callable[[Oracle], np.ndarray]
) -> Iterator[Groups]:
    """All partitions that are allowed and of least value, groups by first row."""
    each = np.where(oracle.allowed, value(oracle), np.inf)
    for line in partitions(n)[each == each.min()]:
        groups = [[r for r in range(n) if mask >> r & 1] for mask in line if mask]
        yield sorted(groups)


def total(oracle: Oracle) -> np.ndarray:
    return oracle.losses.sum(axis=1)


def largest(oracle: Oracle) -> np.ndarray:
    return oracle.losses.max(axis=1)


def mean(oracle: Oracle) -> np.ndarray:
    return oracle.losses.sum(axis=1) / oracle.groups


def diverse(s: list[int], l: int) -> Callable[[list[int]], bool]:
    return lambda rows: l * max(Counter(s[r] for r in rows).values()) <= len(rows)


def extent(x: list[int]) -> Callable[[list[int]], int]:
    return lambda rows: x[rows[-1]] - x[rows[0]]


def weighted(x: list[int]) -> Callable[[list[int]], int]:
    return lambda rows: len(rows) * (x[rows[-1]] - x[rows[0]])


def small(groups: Groups, most: int) -> bool:
    return all(len(group) <= most for group in groups)


def consecutive(groups: Groups) -> bool:
    return all(group[-1] - group[0] == len(group) - 1 for group in groups)


def singular(groups: Groups, s: list[int]) -> bool:
    return all(len({s[r] for r in group}) == len(group) for group in groups)


def in_group_order(groups: Groups, s: list[int]) -> bool:
    """In every sensitive value's rows, groups come one after the other, alike."""
    return all(
        a < b
        for first, second in combinations(groups, 2)
        for a in first
        for b in second
        if s[a] == s[b]
    )


def in_border_order(groups: Groups) -> bool:
    """Groups, sorted by their first rows, are sorted by their last ones."""
    ends = [group[-1] for group in groups]
    return ends == sorted(ends)


def covered(groups: Groups, s: list[int]) -> bool:
    return all(
        s[r] in {s[b] for b in second} or s[t] in {s[a] for a in first}
        for first, second in combinations(groups, 2)
        for r in first
        for t in second
        if r > t
    )


def test_lemma_1_groups_of_k_to_2k_minus_1_consecutive_rows() -> None:
    for seed in SEEDS:
        x, _, _ = draw(seed)
        k, n = 1 + seed % 3, len(x)

        oracle = Oracle.of(n, lambda rows, k=k: len(rows) >= k, extent(x))
        for value in (total, largest, mean):
            assert any(
                small(groups, 2 * k - 1) and consecutive(groups)
                for groups in optimal(oracle, n, value)
            )


def test_lemma_1_sizes_hold_for_weighted_losses_but_order_does_not() -> None:
    for seed in SEEDS:
        x, _, _ = draw(seed)
        k, n = 1 + seed % 3, len(x)
        oracle = Oracle.of(n, lambda rows, k=k: len(rows) >= k, weighted(x))
        assert any(small(g, 2 * k - 1) for g in optimal(oracle, n, total))
    x = [0, 49, 50, 51, 100]
    oracle = Oracle.of(5, lambda rows: len(rows) >= 2, weighted(x))
    assert not any(map(consecutive, optimal(oracle, 5, total)))


def test_lemmas_2_to_5_for_the_largest_extent() -> None:
    for seed in SEEDS:
        x, s, l = draw(seed)
        most = min(2 * l - 1, len(set(s)))
        oracle = Oracle.of(len(x), diverse(s, l), extent(x))
        assert any(
            small(groups, most)
            and singular(groups, s)
            and in_group_order(groups, s)
            and in_border_order(groups)
            and covered(groups, s)
            for groups in optimal(oracle, len(x), largest)
        )


def test_lemma_2_for_weighted_losses_where_lemmas_3_and_4_fail() -> None:
    out_of_order = 0
    for seed in SEEDS:
        x, s, l = draw(seed)
        most = min(2 * l - 1, len(set(s)))
        oracle = Oracle.of(len(x), diverse(s, l), weighted(x))
        best = list(optimal(oracle, len(x), total))
        assert any(small(g, most) and singular(g, s) for g in best)
        out_of_order += not any(
            in_group_order(groups, s) and in_border_order(groups) for groups in best
        )
    assert out_of_order > 0


def test_lemma_2_fails_for_the_total_and_the_mean_extent() -> None:
    x, s = [0, 1, 10, 11], [0, 0, 1, 1]
    oracle = Oracle.of(4, diverse(s, 2), extent(x))
    assert list(optimal(oracle, 4, total)) == [[[0, 1, 2, 3]]]
    # Four pairs have a mean of 13 / 4, the best partition has (1 + 5) / 2.
    x, s = [0, 0, 0, 0, 1, 3, 4, 5], [0, 0, 0, 0, 1, 1, 1, 1]
    oracle = Oracle.of(8, diverse(s, 2), extent(x))
    best = list(optimal(oracle, 8, mean))
    assert not any(singular(groups, s) or small(groups, 3) for groups in best)


def test_lemma_6_on_the_number_of_boundaries() -> None:
    """Subsets that hold with a row all earlier ones of its value, each with its key."""
    for seed in SEEDS:
        x, s, _ = draw(seed)
        data = Domains.of(np.array(x), np.array(s))
        keys = []
        for size in range(len(x) + 1):
            for rows in combinations(range(len(x)), size):
                used = [[r for r in rows if s[r] == v] for v in sorted(set(s))]
                own = [[r for r in range(len(x)) if s[r] == v] for v in sorted(set(s))]
                if all(u == o[: len(u)] for u, o in zip(used, own, strict=True)):
                    keys.append(int(np.array([len(u) for u in used]) @ data.stride))
        c, m = len(x), len(set(s))
        assert len(set(keys)) == len(keys) == max(keys) + 1
        assert len(keys) <= min((c / m + 1) ** m + 1e-9, 2**c)


def test_lemma_7_for_the_dual() -> None:
    for seed in SEEDS:
        x, s, _ = draw(seed)
        bound = [0, 2, 6, 20, 80][seed % 5]

        def privacy(rows: list[int], s: list[int] = s) -> float:
            return len(rows) / max(Counter(s[r] for r in rows).values())

        def narrow(rows: list[int], x: list[int] = x, bound: int = bound) -> bool:
            return x[rows[-1]] - x[rows[0]] <= bound

        oracle = Oracle.of(len(x), narrow, privacy)
        assert any(
            in_group_order(groups, s) and in_border_order(groups)
            for groups in optimal(oracle, len(x), least_privacy)
        )


def least_privacy(oracle: Oracle) -> np.ndarray:
    return -np.where(oracle.losses == 0, np.inf, oracle.losses).min(axis=1)
