"""Tests that the pairwise model is exact and keeps incumbent and bound at limits."""

from typing import get_args

import numpy as np
import pytest

from starmin.instances import KAnonymity, LDiversity, Limit, NotSupportedError, Status
from starmin.instances.catalogue.catalogue import hospital
from starmin.instances.catalogue.generators import uniform
from starmin.instances.runs.background_call import BackgroundCall
from starmin.models.matching.pairwise_cp import pairwise_cp
from tests.support.effort import patiently
from tests.support.small_problems import (
    Form,
    check_exact,
    tiny_objective,
    tiny_requirement,
    tiny_table,
)


@pytest.mark.parametrize("form", get_args(Form))
@pytest.mark.parametrize("kind", ["stars", "tuples"])
def test_equals_brute_force(form: Form, kind: str) -> None:
    seen = []
    for seed in range(21):
        rng = np.random.default_rng([seed, 3])
        table = tiny_table(rng, most=9, sensitive=2 if seed % 5 == 0 else 1)
        requirement = tiny_requirement(rng, form)
        objective = tiny_objective(rng, table, "stars" if kind == "stars" else "tuples")
        seen.append(check_exact(pairwise_cp, table, requirement, objective))
    assert seen.count(Status.OPTIMAL) > 5
    assert seen.count(Status.INFEASIBLE) > 0


def test_eleven_rows() -> None:
    for seed in range(2):
        rng = np.random.default_rng(seed)
        table = tiny_table(rng, most=11)
        check_exact(
            pairwise_cp, table, KAnonymity(3), tiny_objective(rng, table, "stars")
        )


def test_hospital() -> None:
    assert pairwise_cp(hospital(), LDiversity(2)).value == 6
    assert pairwise_cp(hospital(), KAnonymity(2)).value == 2


def test_time_limit_keeps_incumbent_and_bound() -> None:
    table = uniform(40, d=5, alphabet=3, seed=1)
    result = patiently(
        lambda seconds: pairwise_cp(table, KAnonymity(4), time_limit=seconds),
        lambda result: (result.lower_bound or 0) > 0,
        0.5,
    )
    assert result.limit is Limit.TIME and result.status is Status.FEASIBLE
    nothing = pairwise_cp(table, KAnonymity(4), time_limit=0.0, initial=result.best)
    assert nothing.limit is Limit.TIME and nothing.value == result.value


def test_interrupt_keeps_incumbent(monkeypatch: pytest.MonkeyPatch) -> None:
    wait, calls = BackgroundCall.wait, []

    def interrupted(call: BackgroundCall, seconds: float) -> bool:
        calls.append(seconds)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return wait(call, seconds)

    monkeypatch.setattr(BackgroundCall, "wait", interrupted)
    result = pairwise_cp(uniform(40, d=5, alphabet=3, seed=1), KAnonymity(4))
    assert result.limit is Limit.INTERRUPTED and result.best is not None


def test_display_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    pairwise_cp(hospital(), KAnonymity(2), display=True)
    printed = capsys.readouterr()
    assert printed.out == "" and "0.00%" in printed.err


def test_too_many_rows() -> None:
    with pytest.raises(NotSupportedError, match="at most 60 rows"):
        pairwise_cp(uniform(61), KAnonymity(2))
