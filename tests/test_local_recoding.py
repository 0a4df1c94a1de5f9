"""Tests that local recoding is quick and passes over no vector without need."""

import numpy as np
import pytest

from starmin.heuristics.recoding import local_recoding as module
from starmin.heuristics.recoding.local_recoding import local_recoding
from starmin.instances import (
    KAnonymity,
    LDiversity,
    Limit,
    Objective,
    Requirement,
    Run,
    Scales,
    Table,
    Taxonomy,
)

TREE = Taxonomy.parse("{north{a,b,c},south{d,e},f}")


def _problem(seed: int, n: int) -> tuple[Table, Objective]:
    """Return a random table of a tree, numbers and a flat column."""
    rng = np.random.default_rng(seed)
    rows = [
        [
            "abcdef"[rng.integers(6)],
            str(rng.integers(9)),
            "xyz"[rng.integers(3)],
            "uvw"[rng.integers(3)],
        ]
        for _ in range(n)
    ]
    table = Table.from_rows(list("pqrs"), rows, qi=list("pqr"), sensitive=["s"])
    return table, Objective("gcp", scales=Scales.of(table, ["q"], {"p": TREE}))


@pytest.mark.parametrize("requirement", [KAnonymity(3), LDiversity(2) & KAnonymity(4)])
@pytest.mark.parametrize("seed", range(5))
def test_buckets_of_types_lose_no_class(
    seed: int, requirement: Requirement, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, objective = _problem(seed, 150)
    found = []
    for buckets in (1, 8, 2**14):  # in a single one all types are looked at
        monkeypatch.setattr(module, "BUCKETS", buckets)
        best = local_recoding(table, requirement, objective=objective).best
        assert best is not None
        assert best.violation(table, requirement, objective) is None
        found.append(best.groups.tolist())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("scarce", [False, True])
def test_vectors_are_passed_over_only_where_time_is_scarce(
    scarce: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, objective = _problem(0, 150)
    requirement, divide, visited = KAnonymity(10), module._Cover.divide, [0]

    def visit(cover: module._Cover, vector: list[int]) -> None:
        visited.append(visited[-1] + int(cover.left.sum()))
        divide(cover, vector)

    # Time passes with the types that a vector divides, not with the processor's work.
    monkeypatch.setattr(Run, "elapsed", property(lambda run: float(visited[-1])))
    monkeypatch.setattr(module._Cover, "divide", visit)
    whole = local_recoding(table, requirement, objective=objective)
    needed, vectors = visited[-1], len(visited)
    visited[:] = [0]
    limit = needed * (0.5 if scarce else 2.1)
    found = local_recoding(table, requirement, objective=objective, time_limit=limit)
    assert found.best is not None
    assert found.best.violation(table, requirement, objective) is None
    if scarce:
        assert found.limit is Limit.TIME
        assert 4 < len(visited) < vectors
        assert visited[-1] < 1.3 * limit
    else:
        assert found.limit is None
        assert found.value == whole.value
