"""Tests that the two textbook formulations are exact on tiny tables."""

from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from instances import KAnonymity, LDiversity, NotSupportedError, Status
from instances.examples import hospital
from models.assignment_mip import assignment_mip
from models.cp_sat import cp_sat
from tests.exact_problems import (
    Form,
    check_exact,
    tiny_objective,
    tiny_requirement,
    tiny_table,
)

METHODS = {"cp_sat": (cp_sat, 7, 60), "assignment_mip": (assignment_mip, 6, 40)}


@pytest.mark.parametrize("kind", ["stars", "tuples"])
@pytest.mark.parametrize("form", get_args(Form))
@pytest.mark.parametrize("name", METHODS)
def test_equals_brute_force(name: str, form: Form, kind: str) -> None:
    method, most, tables = METHODS[name]
    seen = []
    for seed in range(tables):
        rng = np.random.default_rng([seed, len(form), len(kind)])
        table = tiny_table(rng, most, sensitive=int(rng.integers(1, 3)), values=3)
        requirement = tiny_requirement(rng, form)
        objective = tiny_objective(rng, table, kind)
        seen.append(check_exact(method, table, requirement, objective))
    assert seen.count(Status.OPTIMAL) >= tables // 5
    assert seen.count(Status.INFEASIBLE) > 0


@pytest.mark.parametrize("method", [cp_sat, assignment_mip])
def test_hospital(method) -> None:
    assert method(hospital(), LDiversity(2)).value == 6
    assert method(hospital(), KAnonymity(2)).value == 2


@pytest.mark.parametrize("method", [cp_sat, assignment_mip])
def test_time_limit_zero_still_publishes(method) -> None:
    result = method(hospital(), KAnonymity(3), time_limit=0.0)
    assert result.best is not None
    assert result.status is Status.FEASIBLE
    assert result.limit.value == "time"


def test_solvers_by_name() -> None:
    assert assignment_mip(hospital(), KAnonymity(2), solver="CBC").value == 2
    with pytest.raises(NotSupportedError, match="HiGHS"):
        assignment_mip(hospital(), KAnonymity(2), solver="NONESUCH")


@pytest.mark.parametrize("ending", [".lp", ".mps"])
def test_the_program_can_be_exported(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"model{ending}"
    assignment_mip(hospital(), KAnonymity(2), export=path, time_limit=0.0)
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    highs.run()
    assert round(highs.getInfo().objective_function_value) == 2
