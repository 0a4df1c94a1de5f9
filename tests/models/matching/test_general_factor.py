"""Tests that 2-anonymity is exact, and that local optima of factors are global."""

from itertools import combinations

import numpy as np
import pytest

from starmin.instances import (
    STARS,
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Status,
)
from starmin.instances.arrays import Bools
from starmin.instances.catalogue.generators import clustered, uniform
from starmin.models.matching.general_factor import (
    FAR,
    Factor,
    Prices,
    _match,
    general_factor,
)
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from tests.support.small_problems import check_exact, tiny_objective, tiny_table


@pytest.mark.parametrize("kind", ["stars", "tuples"])
def test_equals_brute_force(kind: str) -> None:
    seen = []
    for seed in range(48):
        rng = np.random.default_rng([seed, 5])
        table = tiny_table(rng, most=11 if seed % 20 == 0 else 9)
        objective = tiny_objective(rng, table, "stars" if kind == "stars" else "tuples")
        seen.append(check_exact(general_factor, table, KAnonymity(2), objective))
    assert seen.count(Status.OPTIMAL) > 32
    assert seen.count(Status.INFEASIBLE) > 2


def random_factor(rng: np.random.Generator) -> Factor:
    """Patterns that any rows fit, at any cost; the first one fits all, and is dear."""
    n, patterns = int(rng.integers(6, 10)), int(rng.integers(3, 7))
    fits: Bools = rng.random((patterns, n)) < rng.choice([0.3, 0.5, 0.8])
    fits &= fits.sum(axis=1, keepdims=True) >= 3
    fits[0] = True
    cost = rng.integers(0, rng.choice([2, 4, 20]), patterns)
    cost[0] = 40
    fits = fits[fits.any(axis=1)]
    cost = cost[: len(fits)]
    together = fits[:, :, None] & fits[:, None, :]
    pair = np.where(together, 2 * cost[:, None, None], 80).min(axis=0)
    return Factor(pair, fits, cost)


def test_every_local_optimum_is_global() -> None:
    worse = 0
    for seed in range(48):
        factor = random_factor(np.random.default_rng(seed))
        count = len(factor.cost)
        values = {}
        for size in range(factor.n % 2, min(count, factor.n // 3) + 1, 2):
            for odd in combinations(range(count), size):
                marked = np.isin(np.arange(count), odd)
                found = _match(factor, marked, Prices.none(factor), FAR)
                if found is not None:
                    values[frozenset(odd)] = found[0]
        best = min(values.values())
        for odd_set, value in values.items():
            flips = combinations(range(count), 2)
            around = [values.get(odd_set ^ set(flip), value) for flip in flips]
            assert value == best or min(around) < value
            worse += value > best
    assert worse > 120


@pytest.mark.parametrize(("n", "d", "alphabet"), [(25, 6, 3), (40, 8, 2), (60, 5, 3)])
def test_agrees_with_the_pattern_program(n: int, d: int, alphabet: int) -> None:
    for table in (uniform(n, d, alphabet, seed=1), clustered(n, d, alphabet, seed=2)):
        result = general_factor(table, KAnonymity(2))
        assert result.status is Status.OPTIMAL
        assert result.value == pattern_ilp(table, KAnonymity(2)).value


def test_limits_keep_a_release_and_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    table = uniform(30, d=4, alphabet=3, seed=1)
    result = general_factor(table, KAnonymity(2), time_limit=0.0)
    assert result.limit is Limit.TIME and result.best is not None
    assert result.lower_bound is not None and result.lower_bound > 0

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("starmin.models.matching.general_factor.find_prices", interrupt)
    result = general_factor(table, KAnonymity(2))
    assert result.limit is Limit.INTERRUPTED and result.best is not None


def test_what_it_does_not_solve() -> None:
    table = uniform(5, d=2, sensitive=2)
    for bad in (KAnonymity(3), LDiversity(2), KAnonymity(2) & LDiversity(2)):
        with pytest.raises(NotSupportedError):
            general_factor(table, bad, objective=STARS)
    with pytest.raises(NotSupportedError, match="at most 200 rows"):
        general_factor(uniform(201), KAnonymity(2))
