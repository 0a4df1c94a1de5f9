"""Tests that what is called optimal is certified, and has few stars among its like.

That all exact methods are certified is tested by ``tests.fuzz_trees.errors``.

The rows that are suppressed are grouped anew; an oracle tries all groupings of them.
"""

import random
from dataclasses import replace

import numpy as np
import pytest

import starmin
from starmin.auto.choice import with_fewer_stars
from starmin.auto.guard import certified
from starmin.auto.task import Task
from starmin.instances import (
    EntropyDiversity,
    KAnonymity,
    LDiversity,
    Objective,
    Problem,
    Result,
    Scales,
    Table,
)
from starmin.instances.releases.coding import GENERALIZATION, Coding
from starmin.models.boxes.box_program import box_program
from starmin.models.tuples.tuple_ilp import tuple_ilp
from starmin.registry import METHODS
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.small_problems import (
    ask,
    random_bounds,
    random_objective,
    random_table,
)

ROWS = [["0", "x", "p"], ["0", "y", "q"], ["1", "y", "p"], ["1", "x", "q"]]


def solved(requirement: KAnonymity | LDiversity) -> tuple[Table, Result]:
    table = Table.from_rows("abs", ROWS, qi="ab", sensitive="s")
    found = METHODS["pairwise_cp"].load()(table, requirement)
    assert found.certificate is None and found.value == found.lower_bound == 4
    return table, found


@pytest.mark.parametrize("requirement", [KAnonymity(2), LDiversity(2)])
def test_a_solvers_word_becomes_a_certificate(requirement):
    table, found = solved(requirement)
    proven = certified(found, Task(Problem(table, requirement), {}))
    assert proven.certified_bound == proven.value == 4
    assert proven.bound_method == "pairwise_cp"
    assert certified(proven, Task(Problem(table, requirement), {})) is proven


def test_a_solver_that_errs_is_named():
    table, found = solved(KAnonymity(2))
    single = found.best.single(table)
    wrong = replace(found, best=single, value=8, lower_bound=8)
    with pytest.raises(ArithmeticError, match=r"pairwise_cp proved .* than 8, but one"):
        certified(wrong, Task(Problem(table, KAnonymity(2)), {}))


def test_nothing_is_done_without_time_or_where_no_tree_is_known():
    table, found = solved(KAnonymity(2))
    short = {"time_limit": found.runtime / 2}
    assert certified(found, Task(Problem(table, KAnonymity(2)), short)) is found
    other = EntropyDiversity(2)
    assert certified(found, Task(Problem(table, other), {})) is found


def test_small_losses_are_certified_by_boxes() -> None:
    """What a solver calls optimal is proven anew, ranges included."""
    rows = [[str(x), "ab"[x % 2]] for x in (0, 49, 50, 51, 100, 120, 121)]
    table = Table.from_rows(["x", "y"], rows, ["x", "y"])
    gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    problem = Problem(table, KAnonymity(2), gcp, Coding(GENERALIZATION))
    found = box_program(table, KAnonymity(2), objective=gcp)
    told = Result(found.best, found.value, found.value, 0.0, bound_method="a solver")
    proven = certified(told, Task(problem, {}))
    assert proven.certificate is not None
    assert proven.certificate.kind == "boxes"
    assert proven.certified_bound == proven.value == found.value


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
