"""Seeded tiny problems for exact methods, and the check that each must pass."""

from collections.abc import Callable
from typing import Literal

import numpy as np

from starmin.instances import (
    KAnonymity,
    LDiversity,
    Objective,
    Partition,
    Requirement,
    Result,
    Status,
    Table,
)
from starmin.verify.brute_force import brute_force

Form = Literal["k", "l", "k+l"]


def tiny_table(
    rng: np.random.Generator, most: int = 9, sensitive: int = 1, values: int = 4
) -> Table:
    """4 to ``most`` rows, 1 to 5 QI columns; half of them with balanced values."""
    n, d = int(rng.integers(4, most + 1)), int(rng.integers(1, 6))
    if rng.random() < 0.5:
        d = min(d, 2)
    codes = rng.integers(0, rng.integers(2, 5), (d, n))
    hidden = rng.integers(0, values, (sensitive, n))
    if rng.random() < 0.5:
        hidden = rng.permuted(np.tile(np.arange(n) % values, (sensitive, 1)), axis=1)
    names = [f"q{j}" for j in range(d)] + [f"s{j}" for j in range(sensitive)]
    cells = np.concatenate([codes, hidden]).T.astype(str).tolist()
    return Table.from_rows(names, cells, names[:d], names[d:])


def tiny_requirement(rng: np.random.Generator, form: Form) -> Requirement:
    """k in 2..4, l in 2..3, or both."""
    size, diversity = (
        KAnonymity(int(rng.integers(2, 5))),
        LDiversity(int(rng.integers(2, 4))),
    )
    return {"k": size, "l": diversity, "k+l": size & diversity}[form]


def tiny_objective(
    rng: np.random.Generator, table: Table, kind: Literal["stars", "tuples"]
) -> Objective:
    """Sometimes with weights (0 to 3), sometimes with a column to keep."""
    keep = rng.permutation(table.qi)[: int(rng.random() < 0.25)].tolist()
    weights = {}
    if kind == "stars" and rng.random() < 0.4:
        weights = {c: int(rng.integers(0, 4)) for c in table.qi}
    return Objective(kind, weights, tuple(keep))


def check_exact(
    method: Callable[..., Result],
    table: Table,
    requirement: Requirement,
    objective: Objective,
    **options: object,
) -> Status:
    """The method's value is the oracle's, the recount's and the bound's."""
    oracle = brute_force(table, requirement, objective)
    result = method(table, requirement, objective=objective, **options)
    assert result.status is oracle.status
    assert result.value == oracle.value
    assert result.limit is None
    if oracle.value is not None:
        assert isinstance(result.best, Partition)
        assert result.best.value(table, objective) == result.lower_bound
        assert result.bound_method is not None
    else:
        assert result.reason
    return result.status
