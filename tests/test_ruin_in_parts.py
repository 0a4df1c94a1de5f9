"""Tests that ruin and recreate in parts finds valid releases, never a worse one."""

import math

import numpy as np
import pytest

from starmin.heuristics.ruin_and_recreate.ruin_and_recreate import (
    PartParams,
    RuinInParts,
)
from starmin.instances import KAnonymity, LDiversity, Objective, Partition, Run, Scales
from starmin.instances.catalogue.generators import clustered
from starmin.instances.runs.cores import Threads
from starmin.models.price_unit import PriceUnit
from starmin.verify.brute_force import brute_force
from tests.seeds import seeds
from tests.small_losses import random_problem
from tests.small_problems import ask


@pytest.mark.parametrize("priced", [False, True])
@pytest.mark.parametrize("seed", seeds(15))
def test_no_release_is_below_the_optimum_or_worse_than_the_start(seed, priced):
    _, table, objective, k, l = random_problem(seed)
    requirement = ask(k, l)
    optimum = brute_force(table, requirement, objective).value
    if optimum is None:
        return
    run = Run(table, requirement, objective)
    run.offer(Partition.coarsest(table, objective))
    start = run.value
    prices = None
    if priced:
        kinds = table.sensitive_types if l > 1 else table.row_types
        most = 2 * PriceUnit.of(table, objective).per_cost * start // table.n
        prices = np.random.default_rng(seed).integers(0, most + 1, len(kinds))
    with Threads(2) as threads:
        params = PartParams(proposals=20, rounds=3)
        RuinInParts(run, seed, params, prices).improve(threads, 2, math.inf)
    assert optimum <= run.value <= start
    assert run.best.violation(table, requirement) is None


@pytest.mark.parametrize("requirement", [KAnonymity(3), LDiversity(2), ask(4, 3)])
def test_parts_together_are_a_release_that_gains(requirement):
    table = clustered(300, 4, 6, seed=1, sensitive=5)
    objective = Objective("gcp", scales=Scales.of(table, []))
    values = []
    for parts in 1, 3:
        run = Run(table, requirement, objective)
        groups = np.arange(table.n) * 5 // table.n
        run.offer(Partition.coarsest(table, objective))
        run.offer(Partition.from_labels(groups))
        before = run.value
        with Threads(parts) as threads:
            params = PartParams(proposals=20, rounds=4, hot=0.1)
            RuinInParts(run, 0, params).improve(threads, parts, math.inf)
        assert run.value < before
        values.append(run.value)
    assert max(values) <= 1.1 * min(values)


def test_without_time_the_release_stays():
    table = clustered(60, 3, 4, seed=2, sensitive=3)
    objective = Objective("gcp", scales=Scales.of(table, []))
    run = Run(table, KAnonymity(3), objective)
    run.offer(Partition.coarsest(table, objective))
    before = run.value
    with Threads(2) as threads:
        RuinInParts(run, 0).improve(threads, 2, 0.0)
    assert run.value == before
