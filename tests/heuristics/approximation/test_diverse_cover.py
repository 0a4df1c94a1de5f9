"""Tests that the diverse cover takes diverse groups and loses nothing to TP."""

import random

import numpy as np
import pytest

from starmin.heuristics.approximation.diverse_cover import choose_diverse, diverse_cover
from starmin.heuristics.approximation.three_phase import three_phase
from starmin.instances import (
    STARS,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    why_infeasible,
)
from starmin.instances.catalogue.generators import clustered
from starmin.models.lagrangian_relaxation.pattern_fills import highest_cap
from starmin.models.patterns.closed_listing import closed_patterns
from tests.support.effort import seeds
from tests.support.small_problems import ask, random_objective


def test_the_highest_cap_is_that_of_a_largest_eligible_subset():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        tally, l = rng.integers(0, 9, size=rng.integers(1, 7)), int(rng.integers(2, 5))
        h = highest_cap(tally, 0, l)
        assert np.minimum(tally, h).sum() >= l * h
        # No value has more copies, or the next cap is too high.
        assert h == tally.max() or np.minimum(tally, h + 1).sum() < l * (h + 1)


def test_its_groups_are_diverse_disjoint_and_fit_their_patterns():
    for seed in range(40):
        rng = random.Random(seed)
        k, l = rng.choice([(1, 2), (1, 3), (4, 2)])
        table = clustered(60, 4, 4, seed=seed, sensitive=4)
        types, least = table.sensitive_types, max(k, l)
        patterns = closed_patterns(table, types, STARS, least, l)
        value = types.sensitive[:, 0].copy()
        pattern, type_, copies, left = choose_diverse(
            *(patterns.cost, patterns.starts, patterns.types, patterns.counts),
            *(value, least, l),
        )
        pairs = set(
            zip(patterns.pattern.tolist(), patterns.types.tolist(), strict=True)
        )
        assert pairs >= set(zip(pattern.tolist(), type_.tolist(), strict=True))
        taken = np.bincount(type_, copies, len(types))
        assert (taken + left == types.counts).all() and left.min() >= 0
        for p in np.unique(pattern):
            mine = pattern == p
            tally = np.bincount(value[type_[mine]], copies[mine])
            assert tally.sum() >= max(least, l * tally.max())


@pytest.mark.parametrize("seed", seeds(15))
def test_it_is_never_worse_than_three_phases(seed):
    rng = random.Random(seed)
    table = clustered(120, 4, 4, seed=seed, sensitive=5)
    requirement = ask(*rng.choice([(1, 2), (1, 3), (2, 2)]))
    if why_infeasible(table, requirement):
        return
    result = diverse_cover(table, requirement)
    assert result.value <= three_phase(table, requirement, objective=STARS).value
    objective = random_objective(rng, table, "stars")
    if why_infeasible(table, requirement, objective) is None:
        other = diverse_cover(table, requirement, objective=objective)
        assert other.best.violation(table, requirement, objective) is None


def test_without_time_there_is_a_release():
    table = clustered(60, 4, 4, seed=1, sensitive=4)
    keep = Objective(keep=())
    result = diverse_cover(table, LDiversity(2), objective=keep, time_limit=0)
    assert result.limit.value == "time" and result.best is not None


def test_it_refuses_what_it_cannot_do():
    table = clustered(20, 3, 3, seed=1, sensitive=3)
    with pytest.raises(NotSupportedError, match=r"of the form l, .*; got k"):
        diverse_cover(table, KAnonymity(2))
    bare = clustered(20, 3, 3, seed=1)
    with pytest.raises(NotSupportedError, match="one sensitive column, got 0"):
        diverse_cover(bare, LDiversity(2))
