"""Tests that both checkers accept certificates of rules, agree on edited ones, and
accept none that claims too much."""

import copy
import csv
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from starmin.instances import (
    Certificate,
    Combinations,
    KAnonymity,
    Objective,
    Requirement,
    Scales,
    Table,
    Taxonomy,
)
from starmin.instances.requirements.office_rules import CombinationRules
from starmin.instances.requirements.population import Population
from starmin.models.rules.rule_bounds import rule_prices
from starmin.verify import checker
from starmin.verify.certificates.certificate_check import check_certificate
from tests.fuzz_trees import plain
from tests.support.effort import seeds
from tests.support.small_rules import PAIRS, least_by_rules, random_problem

Content = dict[str, Any]


def answer(
    table: Table, content: Content, folder: Path, people: Sequence[Table] = ()
) -> tuple[bool | None, str]:
    """Ask the checker of one file."""
    write(table, folder / "table.csv")
    populations = [(str(folder / f"{i}.csv"), "people") for i in range(len(people))]
    for each, (path, count) in zip(people, populations, strict=True):
        write(each, Path(path), count)
    proof = {"starmin_certificate": 2, **content}
    (folder / "proof.json").write_text(json.dumps(proof))
    files = str(folder / "table.csv"), str(folder / "proof.json")
    return checker.check(*files, populations=populations)


def write(table: Table, path: Path, count: str | None = None) -> None:
    """Write a table; a population with the column of how many a line stands for."""
    rows = [list(row) for row in table.rows()]
    if count is not None:
        counts = [1] * len(rows) if table.counts is None else table.counts.tolist()
        rows = [[*row, str(n)] for row, n in zip(rows, counts, strict=True)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([[*table.names, *([count] if count else [])], *rows])


def populations_of(requirement: Requirement) -> list[Table]:
    """Return the tables of people that rules count, in order."""
    parts = [part for part in requirement.parts if isinstance(part, CombinationRules)]
    return [part.population.table for part in parts if part.population is not None]


def edited(rng: random.Random, content: Content) -> Content:
    """Change one thing of a certificate."""
    content = copy.deepcopy(content)
    data, prices = content["data"], content["data"]["prices"]
    change = rng.choice(["bound", "unit", "price", "type", "term", "n", "keep"])
    if change == "bound" or (change in ("price", "type", "term") and not prices):
        content["bound"] += rng.choice([1, 2, 10])
    elif change == "unit":
        data["denominator"] = max(1, data["denominator"] + rng.choice([-1, 1, 4096]))
    elif change == "n":
        content["table"]["n"] += 1
    elif change == "keep":
        content["objective"]["keep"] = [rng.choice(content["table"]["qi"])]
    else:
        entry = rng.choice(prices)
        at = rng.randrange(1, len(entry) - 1, 2) if len(entry) > 1 else 0
        if change == "type":
            entry[0] += rng.choice([-1, 1, 50])
        elif change == "term":
            entry[at] += rng.choice([-1, 1, 500])
        else:
            entry[at + 1] += rng.choice([-1, 1]) * rng.choice([1, 1000, 10**6])
    return content


def agree(seed: int, folder: Path, with_strata: bool = False) -> None:
    rng = random.Random(seed)
    problem = table, requirement, objective = random_problem(
        rng, "classes" if with_strata else None
    )
    if with_strata:  # k counts within them, too
        kinds = {"strata": ("stratum",), "semantics": "classes"}
        sizes = rng.choice([{1: 2}, {2: 2}, {1: 3, 2: 2}])
        requirement = Combinations(sizes, **kinds) & KAnonymity(2)
        problem = table, requirement, objective
    best = least_by_rules(*problem)
    found = rule_prices(*problem[:2], objective=objective)
    if best is None:
        return
    assert found.certificate is not None
    content = json.loads(json.dumps(vars(found.certificate), default=dict))
    people = populations_of(requirement)
    accepted, why = answer(table, content, folder, people)
    assert accepted, (seed, why)
    if people:
        accepted, why = answer(table, content, folder)
        assert accepted is None and "population" in why
    for _ in range(6):
        other = edited(rng, content)
        accepted, why = answer(table, other, folder, people)
        proof = Certificate(**other)
        check = check_certificate(proof, table, requirement, objective)
        if other["objective"] == content["objective"]:
            assert accepted == check.accepted, (seed, other, why, check.why)
            assert not accepted or other["bound"] <= best, (seed, other)


@pytest.mark.parametrize("seed", seeds(20))
def test_checkers_agree_on_certificates_and_edited_ones(
    seed: int, tmp_path: Path
) -> None:
    agree(seed, tmp_path)


@pytest.mark.parametrize("seed", seeds(20))
def test_checkers_agree_on_k_beside_rules_of_strata(seed: int, tmp_path: Path) -> None:
    agree(seed, tmp_path, with_strata=True)


@pytest.mark.parametrize("semantics", ["source", "shown", "classes"])
def test_what_anyone_may_have_written_is_refused_in_words(
    semantics: str, tmp_path: Path
) -> None:
    asked = Combinations(2, 2, semantics=semantics) & KAnonymity(2)
    certificate = rule_prices(PAIRS, asked).certificate
    assert certificate is not None
    content = json.loads(json.dumps(vars(certificate), default=dict))
    assert answer(PAIRS, content, tmp_path)[0]
    for wrong, why in (
        ({"bound": content["bound"] + 1}, "it claims"),
        ({"data": {"denominator": 1}}, "its data are not"),
        ({"data": {"denominator": 0, "prices": []}}, "not whole"),
        ({"data": {"denominator": 1, "prices": [[0, 1]]}}, "not a type, terms"),
        ({"data": {"denominator": 1, "prices": [[0], [0]]}}, "twice"),
        ({"requirement": {"k": 2, "hides": 1}}, "unknown name"),
        ({"requirement": {"all_of": []}}, "empty"),
        ({"requirement": {"combinations": {"0": 2}, "semantics": "shown"}}, "size"),
        ({"requirement": {"combinations": {"2": 2}, "semantics": "seen"}}, "neither"),
    ):
        accepted, said = answer(PAIRS, content | wrong, tmp_path)
        assert accepted is False and why in said, (wrong, said)


if (
    __name__ == "__main__"
):  # python -m tests.models.rules.test_rule_certificates 1000 FOLDER
    for number in range(int(sys.argv[1])):
        agree(10_000 + number, Path(sys.argv[2]))


def test_people_are_counted_by_their_counts(tmp_path):
    """Each line of the population stands for five people, so that nothing is rare."""
    table = Table.from_rows(
        ["a", "b"], [["x", "1"], ["y", "1"], ["y", "2"]], ["a", "b"]
    )
    people = [[*row, "5"] for row in table.rows()]
    counted = Population.of(Table.from_rows(["a", "b", "n"], people, ["a", "b"]), "n")
    asked = Combinations({1: 2}, semantics="source", population=counted)
    found = rule_prices(table, asked)
    content = plain(found.certificate)
    for bound, accepted in ((0, True), (1, False), (2, False)):
        lie = {**content, "bound": bound}
        check = check_certificate(Certificate(**lie), table, asked)
        assert (check.accepted, check.bound) == (accepted, 0)
        assert answer(table, lie, tmp_path, [counted.table])[0] is accepted


def test_losses_of_nodes_have_no_rules_of_a_population_that_lacks_values():
    """Nobody among the people has the values 3 and 4 of the hierarchy."""
    table = Table.from_rows(["a"], [["1"], ["1"]], ["a"])
    tree = Taxonomy([("1", "p", "*"), ("2", "p", "*"), ("3", "*"), ("4", "*")])
    goal = Objective("gcp", scales=Scales.of(table, (), {"a": tree}))
    people = Population(Table.from_rows(["a"], [["1"], ["2"]], ["a"]))
    asked = Combinations(1, 2, semantics="source", population=people)
    data = {"denominator": 1, "prices": []}
    proof = Certificate.of(table, asked, goal, "rules", 8, data)
    check = check_certificate(proof, table, asked, goal)
    assert not check.accepted and (check.bound or 0) <= 4


def test_a_refused_proof_of_rules_says_what_it_is_about():
    table = Table.from_rows(["a"], [["1"], ["2"]], ["a"])
    proof = Certificate.of(
        table, Combinations({1: 2}), Objective(), "rules", 1, {"denominator": 1}
    )
    check = check_certificate(proof, table)
    assert (check.accepted, check.objective) == (False, Objective())
    assert check.why == "its data: no entry 'prices'"
