"""Tests that Anatomy's groups hold each value once and are as many as there can be."""

from collections import Counter

import numpy as np
import pytest

from starmin.heuristics.recoding.anatomy import anatomy
from starmin.instances import (
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Table,
    why_infeasible,
)


def test_groups_hold_each_value_once() -> None:
    feasible = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        l, n = int(rng.integers(2, 6)), int(rng.integers(1, 50))
        values = rng.integers(0, rng.integers(1, 9), n)
        rows = [["0", str(value)] for value in values]
        table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
        result = anatomy(table, LDiversity(l), shuffle_seed=seed)
        no = why_infeasible(table, LDiversity(l))
        assert (result.best is None) == (no is not None)
        if result.best is None:
            continue
        feasible += 1
        assert result.best.size == n // l
        for group in range(n // l):
            members = Counter(values[result.best.groups == group].tolist())
            assert members.total() >= l
            assert max(members.values()) == 1
        both = anatomy(table, LDiversity(l) & KAnonymity(2 * l + 1))
        assert both.best is None or both.best.sizes.min() > 2 * l
        assert (both.best is None) == (n <= 2 * l)
    assert feasible > 50


def test_rows_within_a_value_are_mixed_secretly() -> None:
    rows = [[str(i), "ab"[i % 2]] for i in range(40)]
    table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
    seeds = (1, 1, 2, None, None)
    found = [anatomy(table, LDiversity(2), shuffle_seed=seed).best for seed in seeds]
    groups = [tuple(best.groups.tolist()) for best in found if best is not None]
    assert groups[0] == groups[1] and len(set(groups)) == 4


def test_says_what_it_does_not_support() -> None:
    table = Table.from_rows(["q", "s"], [["0", "a"]], qi=["q"], sensitive=["s"])
    with pytest.raises(NotSupportedError, match=r"of the form l, k\+l; got k"):
        anatomy(table, KAnonymity(2))
