"""Patterns that are too many to list: what prices leave is searched, or bounded."""

from importlib import import_module

import numpy as np
import pytest

from starmin.instances import (
    KAnonymity,
    Limit,
    NotSupportedError,
    Objective,
    Scales,
    Table,
)
from starmin.models.pattern_ilp.branch_and_bound import branch_and_bound
from starmin.models.pattern_ilp.column_generation import column_generation
from starmin.models.pattern_ilp.pattern_ilp import PatternIlpParams, pattern_ilp
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.fuzz_boxes import is_plain, random_problem
from tests.fuzz_trees import by_standard_library, plain

pytestmark = pytest.mark.usefixtures("exactly")

LISTING = import_module("starmin.models.bounds.pattern_lp")
BY_BOTH = pattern_ilp, branch_and_bound


def agrees(seed, method):
    """Whether a problem is one that is priced; its optimum is that of brute force."""
    table, requirement, objective, _ = random_problem(seed, most=10)
    if requirement.core.distinct > 1:
        return False
    optimum = brute_force(table, requirement, objective).value
    found = method(table, requirement, objective=objective, time_limit=60)
    assert found.value == optimum, (seed, found, optimum)
    if not optimum:
        return False
    assert found.lower_bound == found.certified_bound == optimum, (seed, found)
    proof = found.certificate, table, requirement, objective
    assert check_certificate(*proof).accepted, seed
    ranges = "numeric" in str(dict(found.certificate.objective))
    if is_plain(objective.scales) and not ranges:
        content = plain(found.certificate)
        assert by_standard_library(table, content, objective.scales) == optimum
    return True


@pytest.mark.parametrize("method", BY_BOTH)
def test_what_prices_leave_has_the_optimum(method, monkeypatch):
    monkeypatch.setattr(LISTING, "MAX_INCIDENCES", 1)
    assert sum(agrees(seed, method) for seed in range(40)) > 8


@pytest.fixture
def wide():
    """Sixty rows of three columns of numbers: far more than a million pairs."""
    rng = np.random.default_rng(3)
    rows = [[str(x) for x in row] for row in rng.integers(0, 900, (60, 3))]
    table = Table.from_rows(list("abc"), rows, list("abc"))
    return table, Objective("gcp", scales=Scales.of(table, list("abc")))


@pytest.mark.parametrize("method", [*BY_BOTH, column_generation])
def test_many_pairs_are_no_refusal(wide, method):
    table, objective = wide
    found = method(table, KAnonymity(3), objective=objective)
    assert 0 < found.certified_bound <= found.lower_bound <= found.value
    assert found.value < 1.1 * found.certified_bound
    assert found.certified_bound == found.value or method is column_generation
    proof = found.certificate, table, KAnonymity(3), objective
    assert check_certificate(*proof).accepted


def test_too_many_for_prices_are_bounded(wide, monkeypatch):
    table, objective = wide
    search = import_module("starmin.models.pattern_ilp.priced_program")
    monkeypatch.setattr(search, "MOST_LEFT", 1)
    found = branch_and_bound(table, KAnonymity(3), objective=objective)
    assert found.limit is Limit.ITERATIONS
    assert 0 < found.certified_bound < found.value


def test_what_only_lists_is_told(wide):
    table, objective = wide
    with pytest.raises(NotSupportedError, match="1,000,000 pairs"):
        pattern_ilp(
            table,
            KAnonymity(3),
            objective=objective,
            params=PatternIlpParams(priced=False),
        )
