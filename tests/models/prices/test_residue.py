"""Tests that the residue bound holds, is re-proven, and often is the optimum."""

import json
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from starmin.instances import (
    STARS,
    TUPLES,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Requirement,
    Status,
    Table,
)
from starmin.models.bounds.residue import residue
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.one_file_checker import proven_alone
from tests.support.small_problems import (
    Form,
    tiny_objective,
    tiny_requirement,
    tiny_table,
)


@pytest.mark.parametrize("form", get_args(Form))
@pytest.mark.parametrize("sensitive", [1, 2])
def test_bound_is_valid_and_recomputed(form: Form, sensitive: int) -> None:
    bounded = tight = 0
    for seed in range(150):
        rng = np.random.default_rng([sensitive, seed])
        table = tiny_table(rng, most=8, sensitive=sensitive)
        requirement = tiny_requirement(rng, form)
        objective = tiny_objective(rng, table, "tuples")
        result = residue(table, requirement, objective=objective)
        optimum = brute_force(table, requirement, objective).value
        if optimum is None:
            assert result.status is Status.INFEASIBLE
            continue
        assert result.status is Status.UNKNOWN and result.best is None
        assert result.lower_bound is not None and result.lower_bound <= optimum
        assert result.certificate is not None
        check = check_certificate(result.certificate, table, requirement, objective)
        assert check.accepted and check.bound == result.lower_bound
        bounded += 1
        tight += result.lower_bound == optimum
    assert bounded > 40 and tight > bounded // 2


def test_rows_stay_where_their_type_has_enough_different_values() -> None:
    """Also beside k and frequencies, with kept columns, and for both checkers."""
    bounded = tight = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        table = tiny_table(rng, most=8, sensitive=int(rng.integers(1, 3)))
        asked: Requirement = DistinctDiversity(int(rng.integers(2, 4)))
        asked = asked & KAnonymity(3) if rng.random() < 0.3 else asked
        asked = asked & LDiversity(2) if rng.random() < 0.3 else asked
        objective = tiny_objective(rng, table, "tuples")
        found = residue(table, asked, objective=objective)
        optimum = brute_force(table, asked, objective).value
        if optimum is None or found.certificate is None:
            continue
        assert found.lower_bound is not None and found.lower_bound <= optimum
        assert check_certificate(found.certificate, table, asked, objective).accepted
        content = json.loads(json.dumps(vars(found.certificate), default=dict))
        assert proven_alone(table, content) == found.lower_bound
        higher = replace(found.certificate, bound=found.lower_bound + 1)
        assert not check_certificate(higher, table, asked, objective).accepted
        bounded += 1
        tight += found.lower_bound == optimum
    assert bounded > 100 and tight > bounded // 2


def test_donors_that_keep_their_own_balance_lift_it_above_the_forced_rows() -> None:
    rows = ["0a"] * 3 + ["0b"] + ["1a", "1b", "1c", "1d"]
    table = Table.from_rows(["q", "s"], rows, qi=["q"], sensitive=["s"])
    # Two of the three 0a leave; l = 2 asks for two other values beside them.
    assert residue(table, LDiversity(2)).lower_bound == 4


def test_few_small_types_are_joined_by_others() -> None:
    table = Table.from_rows(["q"], ["0", "1", "1", "1", "1"], qi=["q"])
    assert residue(table, KAnonymity(3)).lower_bound == 3
    assert residue(table, KAnonymity(2), objective=TUPLES).lower_bound == 2


def test_what_it_does_not_bound() -> None:
    table = Table.from_rows(["q"], ["0", "1"], qi=["q"])
    with pytest.raises(NotSupportedError, match="tuples"):
        residue(table, KAnonymity(2), objective=STARS)
    kept = residue(table, KAnonymity(2), objective=Objective("tuples", keep=("q",)))
    assert kept.status is Status.INFEASIBLE
