"""Tests that of releases with the fewest suppressed tuples one with few stars is taken.

The rows that are suppressed are grouped anew; an oracle tries all groupings of them.
"""

import random

import numpy as np
import pytest

import starmin
from starmin.auto.choice import with_fewer_stars
from starmin.auto.task import Task
from starmin.instances import KAnonymity, Objective, Problem, Table
from starmin.models.tuples.tuple_ilp import tuple_ilp
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.small_problems import ask, random_bounds, random_objective, random_table

STARS = Objective()


def test_stars_of_the_suppressed_rows_are_fewest_and_tuples_stay():
    fewer = 0
    for seed in range(40):
        rng = random.Random(seed)
        table, requirement = random_table(rng), ask(*random_bounds(rng))
        objective = random_objective(rng, table, "tuples")
        plain = tuple_ilp(table, requirement, objective=objective)
        found = starmin.solve(table, requirement=requirement, objective=objective)
        assert (found.value, found.lower_bound) == (plain.value, plain.lower_bound)
        if found.best is None:
            continue
        assert found.best.violation(table, requirement) is None
        assert found.best.value(table, objective) == found.value
        rows = np.flatnonzero(found.best.starred(table).any(axis=1)[found.best.groups])
        stars = Objective(keep=objective.keep)
        if rows.size:
            least = brute_force(table.take(rows), requirement, stars).value
            assert found.best.value(table, stars) == least
        fewer += least_of(plain, table) > least_of(found, table)
        if found.certificate is not None:
            check = check_certificate(found.certificate, table, requirement, objective)
            assert check.accepted
    assert fewer > 3


def least_of(result, table):
    """The stars of a result."""
    return result.best.value(table, STARS)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_breaks_off_the_second_search_leaves_the_first(error):
    rows = [["0", "x"], ["0", "y"], ["1", "x"], ["1", "y"]]
    table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    objective = Objective("tuples")
    found = tuple_ilp(table, KAnonymity(2), objective=objective)

    def broken(problem):
        raise error

    problem = Task(Problem(table, KAnonymity(2), objective), {})
    assert with_fewer_stars(found, problem, broken) is found
