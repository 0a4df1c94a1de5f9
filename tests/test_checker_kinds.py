"""Tests of the kinds that the checker of one file knows beside prices and trees."""

import json
import random
from itertools import islice

import pytest

from starmin.instances import Certificate, KAnonymity
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.checker import BeyondError
from starmin.verify.nonhomogeneous.matcher import (
    brute_force as rowwise_optimum,
)
from tests.fuzz_other_proofs import other_proofs, tampered_faults
from tests.one_file_checker import proven_alone
from tests.small_losses import random_problem
from tests.small_problems import random_objective, random_table

GROUPS, ROWWISE = "group_prices", "nonhomogeneous_prices"


def problems(kind):
    """Tables with losses or stars, and a number of rows."""
    for seed in range(60):
        rng, table, losses, *_ = random_problem(seed)
        if kind == ROWWISE and seed % 3 == 0:
            table = random_table(rng, least=3, most=6)
            losses = random_objective(rng, table, "stars")
        yield rng, table, losses, rng.choice([2, 2, 3])


@pytest.mark.parametrize("kind", [GROUPS, ROWWISE])
def test_both_checkers_prove_the_same_of_any_prices(kind):
    """Prices are drawn, so that most of them are too high for some group."""
    compared = proven = 0
    for rng, table, goal, k in problems(kind):
        if table.n < k or (kind == ROWWISE and table.n > 6):
            continue  # of seven rows there are too many matchings
        m, unit = len(table.row_types), rng.choice([1, 2])
        most = unit * goal.whole(table) // table.n
        low = rng.choice([0, 0, -most // 2])
        data = {"denominator": unit}
        data["prices"] = [
            rng.randint(low, most // rng.choice([2, 4])) for _ in range(m)
        ]
        if kind == ROWWISE and goal.kind == "gcp":
            data["least"] = [rng.randint(0, most) for _ in range(m)]
        claim = Certificate.of(table, KAnonymity(k), goal, kind, 10**15, data)
        recoding = "nonhomogeneous" if kind == ROWWISE else "suppression"
        check = check_certificate(claim, table, None, goal, recoding)
        content = json.loads(json.dumps(vars(claim), default=dict))
        try:
            alone = proven_alone(table, content, goal.scales)
        except BeyondError:
            continue
        assert alone == check.bound, (check.why, data)
        compared += 1
        if alone:
            optimum = (rowwise_optimum if kind == ROWWISE else lowest)(
                table, KAnonymity(k), goal
            )
            assert optimum is None or alone <= optimum
            proven += 1
    assert compared > 25 and proven > 7


def lowest(table, requirement, goal):
    """The optimum among releases by groups."""
    return brute_force(table, requirement, goal).value


def test_tampered_proofs_of_odd_sets_and_cells_are_judged_alike():
    rng, kinds = random.Random(4), set()
    for problem, content, optimum in islice(other_proofs(7), 12):
        kinds.add((content["kind"], problem.objective.kind))
        for _ in range(6):
            assert not list(tampered_faults(rng, problem, content, optimum))
    assert {kind for kind, _ in kinds} == {"odd_sets", "nonhomogeneous_tree"}
    assert ("odd_sets", "gcp") in kinds
