"""Tests that generating patterns, or listing a few, loses nothing against all."""

import functools
import random
from dataclasses import replace

import numpy as np
import pytest

from starmin.instances import (
    STARS,
    KAnonymity,
    LDiversity,
    Limit,
    Objective,
    Run,
    Scales,
    Table,
    Taxonomy,
)
from starmin.instances.catalogue.generators import clustered
from starmin.models.bounds.pattern_lp import pattern_lp
from starmin.models.pattern_ilp.column_generation import column_generation
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.models.price_unit import MOST_BITS
from starmin.models.pricing import boxstep
from starmin.models.pricing.boxstep import Boxstep
from starmin.models.pricing.generated_patterns import CostListParams
from starmin.models.pricing.restricted_list import ListParams, RestrictedList
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.effort import patiently, seeds
from tests.support.small_problems import (
    ask,
    random_bounds,
    random_objective,
    random_table,
)

DENOMINATOR = 1 << MOST_BITS  # of small tables


def boxed(table, requirement, objective):
    run = Run(table, requirement, objective)
    boxes = Boxstep(run)
    boxes.improve(1e-6)
    return boxes.value / DENOMINATOR, run


@pytest.mark.parametrize("seed", seeds(20))
def test_prices_reach_the_relaxation_and_stay_below_the_optimum(seed):
    rng = random.Random(seed)
    table = random_table(rng, 2, 9)
    table = table.with_roles(table.qi, table.sensitive[:1])
    k, l = random_bounds(rng)
    requirement, objective = ask(k, l), random_objective(rng, table, "stars")
    optimum = brute_force(table, requirement, objective).value
    if optimum is None:
        return
    value, run = boxed(table, requirement, objective)
    relaxed = pattern_lp(table, requirement, objective=objective).lower_bound
    assert relaxed - 1 - 0.002 * optimum <= value <= optimum
    check = check_certificate(run.certificate, table, requirement, objective)
    assert check.accepted and check.bound <= optimum


@pytest.mark.parametrize("seed", seeds(20, 100))
def test_it_proves_the_optimum_of_small_tables(seed):
    rng = random.Random(seed)
    table = random_table(rng, 2, 9)
    k, l = random_bounds(rng)
    requirement, objective = ask(k, l), random_objective(rng, table, "stars")
    result = column_generation(table, requirement, objective=objective)
    optimum = brute_force(table, requirement, objective).value
    assert result.value == optimum == result.lower_bound


def test_it_solves_what_pattern_ilp_solves():
    table = clustered(300, d=5, centres=8, noise=5, seed=5)
    first = pattern_ilp(table, KAnonymity(2))
    result = column_generation(table, KAnonymity(2), initial=first.best)
    assert result.value == result.lower_bound == first.value


def wide(d, seed=1):
    return clustered(300, d=d, alphabet=2, centres=6, noise=2, sensitive=6, seed=seed)


@pytest.mark.parametrize(
    ("d", "requirement"),
    [(24, KAnonymity(5)), (30, KAnonymity(3)), (24, KAnonymity(4) & LDiversity(2))],
    ids=str,
)
def test_certificates_of_wide_tables_are_checked(d, requirement):
    table = wide(d)
    result = patiently(
        lambda seconds: column_generation(table, requirement, time_limit=seconds),
        lambda result: result.certificate is not None,
        1.0,
    )
    assert result.limit in (Limit.TIME, Limit.ITERATIONS, None)
    certificate = result.certificate
    assert check_certificate(certificate, table, requirement, STARS).accepted
    dearer = replace(certificate, bound=certificate.bound + 300)
    assert not check_certificate(dearer, table).accepted
    assert not check_certificate(certificate, wide(d, 2)).accepted
    assert not check_certificate(certificate, table, KAnonymity(9)).accepted
    prices = list(certificate.data["prices"])
    lower = {**certificate.data, "prices": [p - DENOMINATOR for p in prices]}
    assert not check_certificate(replace(certificate, data=lower), table).accepted


def test_a_time_limit_of_nothing_still_gives_a_release():
    result = column_generation(wide(24), KAnonymity(5), time_limit=0.0)
    assert result.value is not None and result.limit is Limit.TIME


TREE = Taxonomy.parse("{low{0,1},high{2,3,top{4,5}}}")


def _problem(seed: int) -> tuple[Table, Objective]:
    """Draw a table with a tree and a column of ranges."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, [6, 9], (int(rng.integers(8, 12)), 2))
    table = Table.from_rows("ab", rows.astype(str).tolist(), qi="ab")
    return table, Objective("gcp", scales=Scales.of(table, ["b"], {"a": TREE}))


@pytest.mark.parametrize("most", [1_000_000, 0])
@pytest.mark.parametrize("cuts_follow", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_boxes_begin_below_prices_that_a_short_list_reaches(
    seed: int, cuts_follow: bool, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However little is listed, what counts at the prices reached proves the rest.

    Below a ceiling, or, where that would be too much, on what is nearly worth opening.
    """
    monkeypatch.setattr(boxstep, "_MOST_SHORT", most)
    cheap = CostListParams(1.0, extra=0.1 * (seed % 3), most_incidences=2_000)
    always_short = ListParams(cheap, most_counting=2_000, least_proven=2.0)
    short = functools.partial(RestrictedList, params=always_short)
    monkeypatch.setattr(boxstep, "RestrictedList", short)
    table, objective = _problem(seed)
    k = 2 + seed % 3
    requirement = KAnonymity(k)
    run = Run(table, requirement, objective)
    optimum = brute_force(table, requirement, objective).value
    boxes = boxstep.Boxstep(run, cuts_follow=cuts_follow)
    boxes.improve(1e-6)
    assert boxes.boxes > 1
    relaxed = pattern_lp(table, requirement, objective=objective).lower_bound
    assert optimum is not None and relaxed is not None
    least = 0.99 if not cuts_follow else 0.97
    assert least * relaxed - 1 <= boxes.value / DENOMINATOR <= optimum
    assert run.certificate is not None and run.lower_bound == run.certificate.bound
    check = check_certificate(run.certificate, table, requirement, objective)
    assert check.accepted and check.bound == run.certificate.bound <= optimum
