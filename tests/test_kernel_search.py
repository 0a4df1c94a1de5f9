"""Tests that a search of some columns proves what holds for all, and ends well."""

import math
import random

import numpy as np
import pytest

from starmin.instances import KAnonymity, Partition, Run
from starmin.instances.catalogue.generators import clustered
from starmin.models.bounds.pattern_lp import write_program
from starmin.models.pattern_program.kernel_search import Strengthened, kernel_search
from starmin.models.pattern_program.pattern_program import partition_of
from starmin.models.solvers.mip_search import (
    KernelSearchParams,
    RestrictedSearch,
    Restriction,
)
from starmin.verify.brute_force import brute_force
from tests.small_problems import ask, random_bounds, random_table


def begin(table, requirement) -> tuple[Run, Strengthened]:
    """The problem with all rows in one group; nothing is known of its incidences."""
    run = Run(table, requirement)
    run.offer(Partition.single(table))
    program = write_program(run)
    nothing = np.zeros(program.incidences)
    return run, Strengthened(run, program, (), nothing, nothing, 0)


@pytest.mark.parametrize("outside", [0.0, 2.0, math.inf])
def test_what_lies_outside_limits_the_bound(outside):
    """A search of the incumbent's columns alone knows nothing of better releases."""
    table = clustered(12, 3, 3, seed=2)
    run, problem = begin(table, KAnonymity(2))
    before, program = run.lower_bound, problem.program
    stars = program.patterns.starred.all(axis=1)
    used = stars[program.patterns.pattern]
    columns = np.concatenate(
        [used, stars[program.pattern_of_columns()[program.incidences :]]]
    )
    found = []
    restriction = Restriction(
        program.program, columns, found.append, least_outside=outside
    )
    search = RestrictedSearch(run, restriction, 20.0, 0.05, seed=0)
    while search.poll(0.1):
        pass
    assert run.lower_bound == max(before, min(outside, run.value))
    for point in found:
        assert not point[~columns].any() and program.program.holds(point)
        release = partition_of(table.row_types, program, point)
        assert release.value(table) == run.value == Partition.single(table).value(table)


# Kernels of any size, and a whole that is always or never begun anew.
PARAMS = [
    KernelSearchParams(),
    KernelSearchParams(kernel_size=1, restart_share=2.0, pause=0.0),
    KernelSearchParams(kernel_size=2, kernel_share=0.01, neighbourhood_size=2),
]


@pytest.mark.parametrize("params", PARAMS)
def test_it_ends_with_the_optimum_whatever_the_kernel(params):
    for seed in range(25):
        rng = random.Random(seed)
        table, requirement = random_table(rng, 3, 8), ask(*random_bounds(rng))
        optimum = brute_force(table, requirement).value
        if optimum is None:
            continue
        run, problem = begin(table, requirement)
        assert kernel_search(problem, params)
        assert run.value == run.lower_bound == optimum


def test_it_stops_where_the_time_is_up():
    run, problem = begin(clustered(60, 4, 4, seed=1), KAnonymity(3))
    run.time_limit = 0.0
    assert not kernel_search(problem, KernelSearchParams())
    assert run.best is not None and run.lower_bound <= run.value
