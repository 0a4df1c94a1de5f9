"""Tests of the sets that the greedy cover takes, and that Reduce partitions them."""

import numpy as np
import pytest

from starmin.heuristics.approximation.greedy_cover import (
    MAX_TYPES,
    cover_to_partition,
    greedy_cover,
    nearest_set,
)
from starmin.instances import KAnonymity, LDiversity, NotSupportedError
from tests.heuristics.approximation.test_forest import numbers

FAMILIES = ["balls", "all"]


def test_the_nearest_set_is_the_best_of_those_it_is_chosen_from():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 5))
        types = numbers(rng.integers(3, size=(rng.integers(3 * k, 30), 3))).row_types
        left = np.minimum(types.counts, rng.integers(0, 3, size=len(types)))
        centre = int(rng.integers(len(types)))
        left[centre] = max(1, left[centre])
        price, new, chosen, copies = nearest_set(
            types.codes, np.ones(3, np.int64), False, centre, types.counts, left, k
        )
        assert (copies <= types.counts[chosen]).all() and centre in chosen
        assert k <= copies.sum() <= 2 * k - 1 and copies.sum() == max(new, k)
        assert np.minimum(left[chosen], copies).sum() >= new
        codes = types.codes[chosen[copies > 0]]
        assert (codes != codes[0]).any(axis=0).sum() == price
        # The bound of the proof: the best radius for each new row, 2k - 2 times.
        far = (types.codes != types.codes[centre]).sum(axis=1)
        near = np.sort(np.repeat(far, types.counts))[k - 1]
        unseen = np.sort(np.repeat(far, left))[: 2 * k - 1]
        best = min(max(r, near) / (j + 1) for j, r in enumerate(unseen))
        assert price / new <= (2 * k - 2) * best + 1e-9


def test_reduce_partitions_any_cover_and_never_raises_the_prices():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        k, n = int(rng.integers(2, 6)), int(rng.integers(10, 40))
        table = numbers(rng.integers(3, size=(n, 3)))
        types = table.row_types
        cover, left, prices = [], np.ones(n, bool), 0
        while left.any():
            rows = rng.choice(n, size=rng.integers(k, 2 * k), replace=False)
            left[rows] = False
            chosen, copies = np.unique(types.inverse[rows], return_counts=True)
            prices += np.ptp(types.codes[chosen], axis=0).astype(bool).sum()
            cover.append(dict(zip(chosen.tolist(), copies.tolist(), strict=True)))
        partition = cover_to_partition(types, cover, k)
        assert k <= partition.sizes.min() and partition.sizes.max() <= 2 * k - 1
        assert partition.starred(table).sum() <= prices


def test_balls_on_larger_tables_form_small_groups():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(2, 12))
        table = numbers(rng.geometric(0.3, size=(rng.integers(2 * k, 400), 4)))
        best = greedy_cover(table, KAnonymity(k)).best
        starred = best.starred(table).any(axis=1)
        assert best.sizes[starred].max(initial=k) <= 2 * k - 1


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("k", [2, 5])
def test_tiny_tables(k, family):
    alike, unlike = numbers(np.zeros((5, 2), int)), numbers(np.arange(k)[:, None])
    assert greedy_cover(alike, KAnonymity(k), family=family).value == 0
    result = greedy_cover(unlike, KAnonymity(k), family=family)
    assert result.best.size == 1 and result.value == k
    assert greedy_cover(unlike, KAnonymity(k + 1), family=family).best is None


@pytest.mark.parametrize("family", FAMILIES)
def test_without_time_there_is_a_release(family):
    table = numbers(np.random.default_rng(0).integers(9, size=(14, 4)))
    result = greedy_cover(table, KAnonymity(3), time_limit=0, family=family)
    assert result.limit.value == "time" and result.best.sizes.min() >= 3


def test_it_refuses_what_it_cannot_do():
    many = numbers(np.arange(MAX_TYPES + 1)[:, None])
    with pytest.raises(NotSupportedError, match="at most 30000 row types, got 30001"):
        greedy_cover(many, KAnonymity(2))
    with pytest.raises(
        NotSupportedError, match=r"at most 60 rows and .* got 30001 row"
    ):
        greedy_cover(many, KAnonymity(2), family="all")
    few = numbers(np.arange(40)[:, None])
    with pytest.raises(NotSupportedError, match="200000 sets, got 759278 sets"):
        greedy_cover(few, KAnonymity(3), family="all")
    with pytest.raises(NotSupportedError, match="of the form k; got"):
        greedy_cover(few, LDiversity(2))
