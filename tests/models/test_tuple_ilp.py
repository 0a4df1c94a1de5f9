"""Tests that tuple minimisation is exact, on tiny tables and on large ones."""

from typing import get_args

import numpy as np
import pytest

from starmin.instances import (
    STARS,
    KAnonymity,
    LDiversity,
    Limit,
    NotSupportedError,
    Partition,
    Status,
    Table,
)
from starmin.instances.catalogue.catalogue import hospital
from starmin.models.solvers.linear_solver import GRACE, HighsCall
from starmin.models.tuples.tuple_ilp import TupleParams, tuple_ilp
from tests.support.small_problems import (
    Form,
    check_exact,
    tiny_objective,
    tiny_requirement,
    tiny_table,
)


@pytest.mark.parametrize("form", get_args(Form))
@pytest.mark.parametrize("sensitive", [1, 2])
@pytest.mark.parametrize("few_types", [1, 2, 1000])
def test_equals_brute_force(form: Form, sensitive: int, few_types: int) -> None:
    params = TupleParams(few_types)
    seen = []
    for seed in range(20):
        rng = np.random.default_rng([sensitive, few_types, seed])
        table = tiny_table(rng, sensitive=sensitive, values=int(rng.integers(2, 6)))
        requirement = tiny_requirement(rng, form)
        objective = tiny_objective(rng, table, "tuples")
        seen.append(
            check_exact(tuple_ilp, table, requirement, objective, params=params)
        )
    assert seen.count(Status.OPTIMAL) > 4
    assert seen.count(Status.INFEASIBLE) > 0


def test_eleven_rows() -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        table = tiny_table(rng, most=11)
        check_exact(
            tuple_ilp, table, LDiversity(2), tiny_objective(rng, table, "tuples")
        )


def test_hospital() -> None:
    assert tuple_ilp(hospital(), LDiversity(2)).value == 4


def test_one_small_type_takes_surplus_or_a_whole_type() -> None:
    table = Table.from_rows(["q"], ["0", *"11111", *"222"], qi=["q"])
    assert tuple_ilp(table, KAnonymity(3)).value == 3
    short = table.take(np.arange(1, 9) - (np.arange(1, 9) == 1))
    assert tuple_ilp(short, KAnonymity(3)).value == 4


def correlated(
    seed: int, n: int, blocks: int, skew: float, sensitive: int = 1
) -> Table:
    """Values depend on the type, and one of them is frequent."""
    rng = np.random.default_rng(seed)
    type_ = rng.integers(0, blocks, n)
    hidden = np.where(
        rng.random((sensitive, n)) < 0.5, type_ % 5, rng.integers(0, 5, (sensitive, n))
    )
    hidden[rng.random(hidden.shape) < skew] = 0
    codes = np.stack([type_ // 7, type_ % 7, *hidden]).astype(np.int32)
    names = ("a", "b", *(f"s{i}" for i in range(sensitive)))
    texts = tuple(map(str, range(blocks)))
    return Table(names, codes, (texts,) * len(names), names[:2], names[2:])


@pytest.mark.parametrize(("l", "skew"), [(2, 0.12), (2, 0.25), (2, 0.32), (3, 0.15)])
def test_large_tables_are_closed(l: int, skew: float) -> None:
    result = tuple_ilp(correlated(3, 60_000, 9_000, skew), LDiversity(l))
    assert result.status is Status.OPTIMAL


def test_two_sensitive_columns_on_a_thousand_rows() -> None:
    table = correlated(1, 1_000, 60, 0.1, sensitive=2)
    result = tuple_ilp(table, LDiversity(2) & KAnonymity(4))
    assert result.status is Status.OPTIMAL
    alone = tuple_ilp(table.with_roles(table.qi, ["s0"]), LDiversity(2)).value
    assert alone is not None and result.value is not None and alone <= result.value


def test_time_limit_zero_gives_a_release() -> None:
    table = correlated(3, 4_000, 600, 0.25)
    result = tuple_ilp(table, LDiversity(2), time_limit=0.0)
    optimum = tuple_ilp(table, LDiversity(2))
    assert result.limit is Limit.TIME and result.value is not None
    assert result.lower_bound is not None and optimum.value is not None
    assert result.lower_bound <= optimum.value <= result.value
    again = tuple_ilp(table, LDiversity(2), time_limit=0.0, initial=optimum.best)
    assert again.value == optimum.value


def test_interrupt_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = HighsCall.wait

    def wait(call: HighsCall, seconds: float) -> None:
        if seconds < GRACE:
            raise KeyboardInterrupt
        plain(call, seconds)

    monkeypatch.setattr(HighsCall, "wait", wait)
    result = tuple_ilp(correlated(3, 60_000, 9_000, 0.25), LDiversity(2))
    assert result.limit is Limit.INTERRUPTED
    assert result.best is not None


def test_what_it_does_not_solve() -> None:
    with pytest.raises(NotSupportedError, match="tuples"):
        tuple_ilp(hospital(), KAnonymity(2), objective=STARS)
    with pytest.raises(ValueError, match="valid release"):
        alone = Partition(np.arange(10, dtype=np.int32))
        tuple_ilp(hospital(), KAnonymity(2), initial=alone)
