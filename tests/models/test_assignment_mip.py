"""Tests that the assignment program is exact with each solver, and is exported."""

from pathlib import Path
from typing import get_args

import numpy as np
import pulp
import pytest

from starmin.instances import KAnonymity, Limit, NotSupportedError, Status, TableError
from starmin.instances.catalogue.catalogue import hospital
from starmin.instances.catalogue.generators import uniform
from starmin.instances.runs.background_call import BackgroundCall
from starmin.models.matching.assignment_mip import assignment_mip
from tests.support.small_problems import (
    Form,
    check_exact,
    tiny_objective,
    tiny_requirement,
    tiny_table,
)

# The CBC that pulp brings is to leave with pulp 4.
pytestmark = pytest.mark.filterwarnings("ignore:PULP_CBC_CMD:DeprecationWarning")


@pytest.mark.parametrize("form", get_args(Form))
@pytest.mark.parametrize(("solver", "tables"), [("HiGHS", 15), ("CBC", 8)])
def test_equals_brute_force(form: Form, solver: str, tables: int) -> None:
    seen = []
    for seed in range(tables):
        rng = np.random.default_rng([seed, 4])
        table = tiny_table(rng, most=7, sensitive=2 if seed % 5 == 0 else 1)
        requirement = tiny_requirement(rng, form)
        objective = tiny_objective(rng, table, "stars" if seed % 2 else "tuples")
        status = check_exact(
            assignment_mip, table, requirement, objective, solver=solver
        )
        seen.append(status)
    assert seen.count(Status.OPTIMAL) > tables // 4
    assert seen.count(Status.INFEASIBLE) > 0


def test_hospital() -> None:
    assert assignment_mip(hospital(), KAnonymity(2)).value == 2


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
def test_export_is_the_model(tmp_path: Path, suffix: str) -> None:
    table = uniform(7, d=2, alphabet=3, seed=3)
    path = tmp_path / f"model{suffix}"
    value = assignment_mip(table, KAnonymity(3), export=path).value
    if suffix == ".mps":
        _, problem = pulp.LpProblem.fromMPS(str(path))
        problem.solve(pulp.getSolver("HiGHS", msg=False))
        assert round(problem.objective.value()) == value
    else:
        assert "Binaries" in path.read_text()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_export_refused(tmp_path: Path) -> None:
    table = uniform(5, d=2)
    with pytest.raises(TableError, match=r"expected a file \.lp or \.mps"):
        assignment_mip(table, KAnonymity(2), export=tmp_path / "model.txt")
    with pytest.raises(TableError, match="does not exist"):
        assignment_mip(table, KAnonymity(2), export=tmp_path / "no" / "model.lp")


def test_time_limit_keeps_incumbent_and_bound() -> None:
    table = uniform(16, d=5, alphabet=3, seed=1)
    result = assignment_mip(table, KAnonymity(3), time_limit=1.0)
    assert result.limit is Limit.TIME and result.status is Status.FEASIBLE
    assert result.lower_bound is not None
    cbc = assignment_mip(table, KAnonymity(3), time_limit=1.0, solver="CBC")
    assert cbc.limit is Limit.TIME and cbc.best is not None
    nothing = assignment_mip(table, KAnonymity(3), time_limit=0.0, initial=cbc.best)
    assert nothing.limit is Limit.TIME and nothing.value == cbc.value


def test_interrupt_keeps_incumbent(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = iter([True])
    wait = BackgroundCall.wait

    def interrupted_once(call: BackgroundCall, seconds: float) -> bool:
        if next(waits, False):
            raise KeyboardInterrupt
        return wait(call, seconds)

    monkeypatch.setattr(BackgroundCall, "wait", interrupted_once)
    table = uniform(12, d=4, alphabet=3, seed=1)
    result = assignment_mip(table, KAnonymity(3), time_limit=60.0)
    assert result.limit is Limit.INTERRUPTED and result.best is not None


def test_what_it_does_not_solve() -> None:
    with pytest.raises(NotSupportedError, match=r"installed solver .* got 'NONE'"):
        assignment_mip(hospital(), KAnonymity(2), solver="NONE")
    with pytest.raises(NotSupportedError, match="at most 60 rows"):
        assignment_mip(uniform(61), KAnonymity(2))
