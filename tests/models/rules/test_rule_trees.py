"""Tests that trees of rules raise the bound of prices, and that both checkers accept
them, agree on edited ones, and accept none that claims too much."""

import copy
import json
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from starmin.instances import Certificate, Objective, Requirement, Table
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.region_forest import PARAMS, Forest
from starmin.models.rules.rule_bounds import rule_certificate
from starmin.models.rules.rule_program import RuleProgram
from starmin.verify.certificates.certificate_check import check_certificate
from tests.models.rules.test_rule_certificates import answer
from tests.support.small_rules import least_by_rules, random_problem

Content = dict[str, Any]
SMALL = replace(PARAMS, worth=0.0, steps=30)


def grown(
    table: Table, requirement: Requirement, objective: Objective
) -> tuple[int, Content]:
    """Grow trees from prices of 0; return what prices alone prove, and the proof."""
    program = RuleProgram.of(table, requirement, objective)
    function = PriceFunction(program)
    first = function(function.none)
    forest = Forest(function, function.none, first, SMALL)
    forest.grow(lambda value: True)
    bound = function.bound(forest.value)
    unit, trees = function.unit.per_cost, forest.trees
    given = program, requirement, unit, forest.first, bound, trees
    proof = vars(rule_certificate(*given))
    return function.bound(first), json.loads(json.dumps(proof, default=dict))


def edited(rng: random.Random, content: Content) -> Content:
    """Change one thing of its trees."""
    content = copy.deepcopy(content)
    trees = content["data"]["trees"]
    nodes = rng.choice(trees)
    node = rng.choice(nodes)
    change = rng.choice(["bound", "twice", "cut", "more", "node", "node", "node"])
    if change == "bound":
        content["bound"] += 1
    elif change == "twice":
        trees.append(copy.deepcopy(nodes))
    elif change == "cut":
        nodes.pop()
    elif change == "more":
        nodes.append({"prices": []})
    elif "item" in node:
        place = rng.randrange(2)
        node["item"][place] = max(0, node["item"][place] + rng.choice([-1, 1, 2]))
    elif node["prices"]:
        entry = rng.choice(node["prices"])
        place = rng.randrange(len(entry))
        entry[place] += rng.choice([-1, 1]) * rng.choice([1, 1000])
    else:
        content["bound"] += rng.choice([1, 2])
    return content


def agree(seed: int, folder: Path) -> int:
    """Check one problem; return by how much its trees raise the bound."""
    rng = random.Random(seed)
    problem = table, requirement, objective = random_problem(rng)
    best = least_by_rules(*problem)
    if best is None or "population" in json.dumps(requirement.as_json()):
        return 0
    first, content = grown(*problem)
    assert first <= content["bound"] <= best, seed
    accepted, why = answer(table, content, folder)
    assert accepted, (seed, why)
    for _ in range(8 if "trees" in content["data"] else 0):
        other = edited(rng, content)
        accepted, why = answer(table, other, folder)
        check = check_certificate(Certificate(**other), table, requirement, objective)
        assert accepted == check.accepted, (seed, other, why, check.why)
        assert not accepted or other["bound"] <= best, (seed, other)
    return int(content["bound"]) - first


def test_checkers_agree_on_trees_and_edited_ones(tmp_path: Path) -> None:
    assert sum(agree(seed, tmp_path) > 0 for seed in range(150)) > 5


if __name__ == "__main__":  # python -m tests.models.rules.test_rule_trees 1000 FOLDER
    raised = sum(
        agree(10_000 + n, Path(sys.argv[2])) > 0 for n in range(int(sys.argv[1]))
    )
    sys.stdout.write(f"{raised} raised\n")
