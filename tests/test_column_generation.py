"""Tests that generating patterns loses nothing against listing them all."""

import random
from dataclasses import replace

import pytest

from starmin.instances import STARS, KAnonymity, LDiversity, Limit, Run
from starmin.instances.catalogue.generators import clustered
from starmin.models.bounds.pattern_lp import pattern_lp
from starmin.models.pattern_ilp.column_generation import column_generation
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.models.price_unit import MOST_BITS
from starmin.models.pricing.boxstep import Boxstep
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.patience import patiently
from tests.seeds import seeds
from tests.small_problems import ask, random_bounds, random_objective, random_table

DENOMINATOR = 1 << MOST_BITS  # of small tables


def boxed(table, requirement, objective, k, l):
    types = table.sensitive_types if l > 1 else table.row_types
    run = Run(table, requirement, objective)
    boxes = Boxstep(run, types, k, l)
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
    value, run = boxed(table, requirement, objective, k, l)
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
