"""Tests of the prices that the program over boxes begins with."""

from dataclasses import replace

import numpy as np
import pytest

from starmin.auto.contest import search
from starmin.auto.task import Task
from starmin.instances import KAnonymity, Objective, Problem, Scales, Table
from starmin.instances.runs.cores import limited_to
from starmin.models.bounds import DUAL_ASCENT
from starmin.models.bounds.dual_ascent import dual_ascent
from starmin.models.boxes import box_search
from starmin.models.boxes.box_program import box_program
from starmin.models.boxes.master.master import Relaxation
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.fuzz_boxes import random_problem
from tests.support.effort import only


def ended(self):
    raise TimeoutError


def losses(seeds):
    """Problems of losses that dual ascent takes, and has a bound of."""
    for seed in seeds:
        table, requirement, objective, rng = random_problem(seed)
        if DUAL_ASCENT.supports(requirement, objective):
            first = dual_ascent(table, requirement, objective=objective)
            if first.lower_bound:
                yield seed, table, requirement, objective, rng, first


def never(*given, **options):
    raise AssertionError("prices are found twice")


def test_before_the_first_program_it_proves_what_dual_ascent_does(monkeypatch):
    """Its own proof of the same prices may be less by what rounding takes."""
    monkeypatch.setattr(Relaxation, "converge", ended)
    own = 0
    for seed, table, requirement, objective, _, first in losses(range(40)):
        found = box_program(table, requirement, objective=objective)
        assert found.lower_bound == found.certified_bound >= first.lower_bound, seed
        proof = found.certificate, table, requirement, objective
        assert check_certificate(*proof).accepted, seed
        own += found.certificate.kind == "boxes"
    assert own > 3


def test_it_is_exact_at_any_prices_that_it_is_given(monkeypatch):
    """Those that are too high, too low, or of other rows prove what they do."""
    monkeypatch.setattr(box_search, "dual_ascent", never)
    tried = 0
    for seed, table, requirement, objective, rng, first in losses(range(24)):
        best = brute_force(table, requirement, objective).value
        prices = list(first.certificate.data["prices"])
        dear = max(prices)
        for wrong in (
            prices,
            [rng.choice([0, price, 2 * price]) for price in prices],
            [-price for price in prices],
            [50 * dear for _ in prices],
            rng.sample(prices, len(prices)),
            [*prices, dear],
        ):
            data = first.certificate.data | {"prices": wrong}
            given = replace(first.certificate, data=data)
            found = box_program(table, requirement, objective=objective, prices=given)
            assert found.value == found.lower_bound == best, (seed, wrong)
            assert found.certified_bound == best, (seed, wrong)
            proof = found.certificate, table, requirement, objective
            assert check_certificate(*proof).accepted, (seed, wrong)
            tried += 1
    assert tried > 20


@pytest.mark.parametrize("cores", [1, 2])
def test_auto_hands_over_the_prices_that_it_has(cores, monkeypatch):
    rows = np.random.default_rng(1).integers(0, 30, (60, 2)).astype(str).tolist()
    table = Table.from_rows(["x", "y"], rows, ["x", "y"])
    objective = Objective("gcp", scales=Scales.of(table, ["x", "y"]))
    problem = Problem(table, KAnonymity(4), objective)
    monkeypatch.setattr(box_search, "dual_ascent", never)
    begun = []
    prices_of = box_search.prices_of

    def noted(proof, *given):
        begun.append(prices_of(proof, *given))
        return begun[-1]

    monkeypatch.setattr(box_search, "prices_of", noted)
    task = Task(problem, {"time_limit": 600.0, "seed": 0})
    turns = {"bounds": "dual_ascent", "provers": "box_program"}
    search_too = {"searches": ("ruin_and_recreate",)} if cores > 1 else {}
    only(monkeypatch, **{turn: (name,) for turn, name in turns.items()}, **search_too)
    with limited_to(cores):
        found = search(task)
    assert found.value == found.certified_bound
    assert [prices.sum() > 0 for prices in begun] == [True]
