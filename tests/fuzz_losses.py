"""Compares methods for losses with brute force on random problems.

``python -m tests.fuzz_losses --problems 1000`` says how many problems it compared;
``tests/starmin/methods/test_agreement.py`` runs a short form. Columns have random
trees, ranges, rounded ends, widths, highest levels, own losses, weights and missing
values, or none.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from starmin.heuristics.large_neighbourhood.large_neighbourhood import (
    large_neighbourhood,
)
from starmin.heuristics.orders.along_curves import gray_order
from starmin.heuristics.recoding.full_domain import full_domain
from starmin.heuristics.recoding.levels import incognito
from starmin.heuristics.recoding.mondrian import mondrian
from starmin.heuristics.recoding.top_down import top_down
from starmin.heuristics.recoding.top_down_specialization import top_down_specialization
from starmin.heuristics.ruin_and_recreate.ruin_and_recreate import ruin_and_recreate
from starmin.instances import (
    Coding,
    GeneralizedRelease,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Table,
)
from starmin.instances.scales.numbers import Width
from starmin.models.bounds.lagrangian import lagrangian
from starmin.models.bounds.own_pattern import own_pattern
from starmin.models.boxes.box_program import box_program
from starmin.models.matching.simplex_matching import simplex_matching
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.verify.brute_force import brute_force
from starmin.verify.cells.cells import lost_cells
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.releases.release_check import check_release
from tests.support.small_problems import UNKNOWN, ask, random_problem

EXACT = pattern_ilp, box_program
BOUNDS = own_pattern, lagrangian
HEURISTICS: tuple[Callable[..., Result], ...] = (
    gray_order,
    mondrian,
    full_domain,
    incognito,
    top_down,
    top_down_specialization,
    partial(ruin_and_recreate, proposals=20),
)
SEARCHES = (large_neighbourhood,)


def compare(seed: int, searches: bool = False) -> bool:
    """Compare all methods with brute force; whether the problem has a release."""
    _, table, objective, k, l = random_problem(seed)
    asked = ask(k, l)
    optimum = brute_force(table, asked, objective).value
    problem = table, asked, objective
    exact = (*EXACT, simplex_matching) if (k, l) == (2, 1) else EXACT
    for method in (*exact, *BOUNDS):
        result = method(table, asked, objective=objective)
        assert (result.reason is None) == (optimum is not None), (seed, result)
        if optimum is None:
            continue
        if method in exact:
            assert result.value == result.lower_bound == optimum, (seed, method, result)
            _check_published(result.best, *problem, optimum)
        assert result.lower_bound <= optimum, (seed, method, result)
        if result.certificate is not None:
            _check_certificate(result, *problem)
    for heuristic in HEURISTICS + (SEARCHES if searches else ()):
        limit = {"time_limit": 1.0} if heuristic in SEARCHES else {}
        try:
            result = heuristic(table, asked, objective=objective, **limit)
        except NotSupportedError:
            continue
        assert (result.reason is None) == (optimum is not None), (seed, heuristic)
        assert optimum is None or result.value >= optimum, (seed, heuristic, result)
    return optimum is not None


def _check_certificate(
    result: Result, table: Table, asked: Requirement, objective: Objective
) -> None:
    """The checker proves the claim, and refuses one that is larger."""
    proof = result.certificate
    assert proof is not None
    check = check_certificate(proof, table, asked, objective)
    assert check.accepted and check.bound is not None, check
    false = replace(proof, bound=check.bound + 1)
    assert not check_certificate(false, table, asked, objective).accepted


def _check_published(
    best: Partition, table: Table, asked: Requirement, objective: Objective, value: int
) -> None:
    """What is published satisfies what is asked, is true, and loses what is said."""
    scales = objective.scales
    assert scales is not None
    stated = scales.as_json()
    numeric = [c for c in stated if stated[c]["scale"] == "numeric"]
    trees = {
        column: scale.taxonomy
        for column, scale in zip(scales.columns, scales.scales, strict=True)
        if column in stated and column not in numeric
    }
    steps = {c: stated[c]["step"] for c in numeric if "step" in stated[c]}
    levels = {c: stated[c]["max_level"] for c in trees if "max_level" in stated[c]}
    released = GeneralizedRelease(table, best, scales).published
    widths = {
        c: Width.parse(stated[c]["width"]) for c in numeric if "width" in stated[c]
    }
    told = {"steps": steps, "max_levels": levels, "widths": widths}
    coding = Coding(
        "generalization",
        numeric=tuple(numeric),
        trees=trees,
        missing=tuple(UNKNOWN),
        **told,
    )
    cells = read_cells(released, coding, table)
    check = check_release(released, asked, table, "*", cells)
    assert check.holds and check.consistent, check
    by_ncp = all(each.get("loss", "ncp") == "ncp" for each in stated.values())
    if by_ncp and not objective.weights:
        lost = lost_cells(released, cells)
        assert lost * objective.whole(table) == value * table.n * table.d


def main() -> None:
    """Compare as many problems as asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.problems)
    feasible = sum(compare(seed, searches=seed % 10 == 0) for seed in seeds)
    print(f"{asked.problems} problems compared, {feasible} of them with a release")


if __name__ == "__main__":
    main()
