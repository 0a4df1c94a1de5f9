"""Tests that rules over taxonomies are solved as brute force over all nodes solves
them, that bounds are valid and certified, and that no edited certificate proves more.
"""

import csv
import json
import random
import sys
from pathlib import Path

import pytest

from starmin.heuristics.rules.office_greedy import office_greedy
from starmin.heuristics.rules.rule_search import rule_search
from starmin.instances import Certificate
from starmin.models.rules.rule_bounds import hitting_sets, rule_prices
from starmin.models.rules.rule_ilp import rule_ilp
from starmin.verify import checker
from starmin.verify.certificates.certificate_check import check_certificate
from tests.models.rules.test_rule_certificates import Content, edited
from tests.support.effort import seeds
from tests.support.small_rules import Problem, least_by_rules, random_node_problem


def answer(problem: Problem, content: Content, folder: Path) -> tuple[bool | None, str]:
    """Ask the checker of one file."""
    table = problem.table
    with (folder / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([table.names, *table.rows()])
    proof = {"starmin_certificate": 2, **content}
    (folder / "proof.json").write_text(json.dumps(proof))
    named = []
    for column, tree in problem.trees.items():
        tree.write(folder / f"{column}.csv")
        named.append(f"{column}={folder / column}.csv")
    files = str(folder / "table.csv"), str(folder / "proof.json")
    return checker.check(*files, *named)


def agree(seed: int, folder: Path) -> None:
    rng = random.Random(seed)
    problem = random_node_problem(rng)
    given, objective = (problem.table, problem.requirement), problem.objective
    best = least_by_rules(*given, objective, problem.trees)
    exact = rule_ilp(*given, objective=objective)
    assert (exact.value, exact.lower_bound) == (best, best), seed
    assert (exact.reason is None) == (best is not None)
    if best is None:
        return
    assert exact.best is not None
    assert exact.best.violation(*given, objective) is None
    found = rule_search(*given, objective=objective, stagnation=500, workers=1)
    greedy = office_greedy(*given, objective=objective)
    assert found.value is not None and greedy.value is not None
    assert best <= found.value <= greedy.value
    priced = rule_prices(*given, objective=objective)
    sets = hitting_sets(*given, objective=objective)
    assert sets.lower_bound is not None and priced.lower_bound is not None
    assert sets.lower_bound <= priced.lower_bound <= best
    if all(getattr(p, "semantics", "") == "source" for p in problem.requirement.parts):
        assert sets.lower_bound == best == sets.value
    assert priced.certificate is not None
    content = json.loads(json.dumps(vars(priced.certificate), default=dict))
    accepted, why = answer(problem, content, folder)
    assert accepted, (seed, why)
    for _ in range(4):
        check = check_certificate(Certificate(**content), *given, objective)
        assert accepted == check.accepted, (seed, content, why, check.why)
        assert not accepted or content["bound"] <= best, (seed, content)
        content = edited(rng, content)
        if content["objective"]["keep"] != list(objective.keep):
            return
        accepted, why = answer(problem, content, folder)


@pytest.mark.parametrize("seed", seeds(10))
def test_methods_and_checkers_agree_with_all_nodes(seed: int, tmp_path: Path) -> None:
    agree(seed, tmp_path)


if __name__ == "__main__":  # python -m tests.models.rules.test_node_rules 300 FOLDER
    for number in range(int(sys.argv[1])):
        agree(10_000 + number, Path(sys.argv[2]))
