"""Tests that the matching is exact, on rows and on types, and proves its value."""

import numpy as np
import pytest

from starmin.instances import (
    TUPLES,
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Objective,
    Status,
    Table,
)
from starmin.models.matching import matching_network as network
from starmin.models.matching.bipartite_matching import bipartite_matching
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.small_problems import check_exact, tiny_objective, tiny_table


def many_rows(seed: int, n: int, cardinalities: tuple[int, ...]) -> Table:
    """Skewed columns, two values with n / 2 rows each."""
    rng = np.random.default_rng(seed)
    columns = [
        rng.choice(c, n, p=(w := 1 / np.arange(1, c + 1)) / w.sum())
        for c in cardinalities
    ]
    codes = np.stack([*columns, rng.permutation(n) % 2]).astype(np.int32)
    names = [f"q{j}" for j in range(len(columns))]
    texts = tuple(tuple(map(str, range(c))) for c in (*cardinalities, 2))
    return Table((*names, "s"), codes, texts, tuple(names), ("s",))


@pytest.mark.parametrize("way", ["direct", "patterns", "rows"])
def test_equals_brute_force(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        network, "_is_direct", lambda a, b, free: way == "direct" or a * b == 0
    )
    seen = []
    for seed in range(250):
        rng = np.random.default_rng([seed, 2])
        table = tiny_table(rng, most=10 if seed % 10 == 0 else 8, values=2)
        objective = tiny_objective(rng, table, "stars")
        on = "rows" if way == "rows" else "types"
        status = check_exact(bipartite_matching, table, LDiversity(2), objective, on=on)
        seen.append(status)
        if status is Status.OPTIMAL and way != "rows":
            result = bipartite_matching(table, LDiversity(2), objective=objective)
            assert result.certificate is not None
            check = check_certificate(
                result.certificate, table, LDiversity(2), objective
            )
            assert check.accepted and check.bound >= result.value
    assert seen.count(Status.OPTIMAL) > 70
    assert seen.count(Status.INFEASIBLE) > 50


@pytest.mark.parametrize("cardinalities", [(30, 20), (6, 5, 4, 3, 3, 2)])
def test_rows_and_types_agree(cardinalities: tuple[int, ...]) -> None:
    table = many_rows(1, 1_200, cardinalities)
    objective = Objective(weights={"q0": 3}, keep=("q1",) * (len(cardinalities) > 2))
    if objective.keep:  # as many rows of both values in each class
        half = table.take(np.arange(600))
        other = half.codes.copy()
        other[0] = np.roll(other[0], 1)
        other[-1] = 1 - other[-1]
        both = np.concatenate([half.codes, other], axis=1)
        table = Table(table.names, both, table.dictionaries, table.qi, ("s",))
    on_types = bipartite_matching(table, LDiversity(2), objective=objective)
    on_rows = bipartite_matching(table, LDiversity(2), objective=objective, on="rows")
    assert on_types.status is on_rows.status is Status.OPTIMAL
    assert on_types.value == on_rows.value


def test_hundred_thousand_rows_with_a_certificate() -> None:
    table = many_rows(2, 100_000, (40, 8, 6, 5, 2))
    result = bipartite_matching(table, LDiversity(2))
    assert result.status is Status.OPTIMAL
    assert result.certified_bound == result.value
    assert result.certificate is not None
    assert check_certificate(result.certificate, table).accepted


def test_pairs_that_render_alike_are_united() -> None:
    rows = [["0", "0", "a"]] * 3 + [["0", "1", "b"]] * 3
    table = Table.from_rows(["q", "r", "s"], rows, qi=["q", "r"], sensitive=["s"])
    for on in ("types", "rows"):
        best = bipartite_matching(table, LDiversity(2), on=on).best
        assert best is not None and best.size == 1


def test_two_anonymity_is_implied() -> None:
    table = many_rows(3, 50, (3, 3))
    both = bipartite_matching(table, LDiversity(2) & KAnonymity(2))
    assert both.value == bipartite_matching(table, LDiversity(2)).value


def test_time_limit_zero_gives_one_group() -> None:
    result = bipartite_matching(many_rows(4, 50, (3, 3)), LDiversity(2), time_limit=0)
    assert result.limit is Limit.TIME and result.best is not None


def test_unequal_counts_are_infeasible_with_a_reason() -> None:
    rows = [["0", "a"], ["0", "a"], ["0", "b"]]
    table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
    result = bipartite_matching(table, LDiversity(2))
    assert result.status is Status.INFEASIBLE
    assert result.reason == "sensitive value 'a' covers 2 of 3 rows, more than 1/2"


def test_what_it_does_not_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    table = many_rows(5, 60, (6, 6))
    three = tiny_table(np.random.default_rng(1), values=3)
    for bad in (KAnonymity(2), LDiversity(3), LDiversity(2) & KAnonymity(3)):
        with pytest.raises(NotSupportedError):
            bipartite_matching(table, bad)
    with pytest.raises(NotSupportedError, match="stars"):
        bipartite_matching(table, LDiversity(2), objective=TUPLES)
    with pytest.raises(NotSupportedError, match="two sensitive values, got 3"):
        bipartite_matching(three, LDiversity(2))
    monkeypatch.setattr(network, "MAX_ARCS", 3)
    with pytest.raises(NotSupportedError, match="at most 3 pairs"):
        bipartite_matching(table, LDiversity(2))
