"""Tests that trees of starred cells prove non-homogeneous optima, and no edit more."""

import copy
import random

import numpy as np
import pytest

from starmin.auto.choice import solve_by
from starmin.instances import (
    Certificate,
    Coding,
    KAnonymity,
    LDiversity,
    Objective,
    Problem,
    Table,
)
from starmin.models.nonhomogeneous.cell_prices import prove_by_cells
from starmin.verify.certificates.certificate_check import check_certificate
from tests.fuzz_trees import plain
from tests.support.rowwise import rowwise_optimum as brute_force
from tests.support.small_problems import random_objective, random_table

ROWWISE = "nonhomogeneous"


def problems(count: int, most: int):
    rng = random.Random(11)
    while count:
        table = random_table(rng, 4, most)
        objective = random_objective(rng, table, rng.choice(["stars", "tuples"]))
        requirement = KAnonymity(rng.choice([2, 3, 4]))
        value = brute_force(table, requirement, objective)
        if value:
            yield rng, table, requirement, objective, value
            count -= 1


def grown(rng: random.Random, content: dict, depth: int) -> dict:
    """A tree with splits that are not needed: each leaf has the prices of the root."""
    content = copy.deepcopy(content)
    (leaf,) = content["data"]["nodes"]
    nodes = [leaf]
    for _ in range(depth):
        n = content["table"]["n"]
        nodes = [{"split": [rng.randrange(n), 0]}, *nodes, *copy.deepcopy(nodes)]
    nodes[0]["prices"] = leaf.get("prices", [])
    content["data"]["nodes"] = nodes
    return content


def test_trees_prove_the_optimum_of_brute_force_and_no_more():
    for rng, table, requirement, objective, value in problems(25, 6):
        proof = prove_by_cells(table, requirement, objective, value, 20.0)
        check = check_certificate(proof, table, requirement, objective, ROWWISE)
        assert check.accepted and check.bound == value
        content = plain(proof)
        if len(content["data"]["nodes"]) == 1 and "row" not in objective.keep:
            content = grown(rng, content, 2)
        for _ in range(12):
            lie = edited(rng, content)
            check = check_certificate(
                Certificate(**lie), table, requirement, objective, ROWWISE
            )
            assert (check.bound or 0) <= value
            assert not (check.accepted and lie["bound"] > value)


def edited(rng: random.Random, content: dict) -> dict:
    """A copy with one to three edits of its nodes, and perhaps a larger claim."""
    content = copy.deepcopy(content)
    nodes, n = content["data"]["nodes"], content["table"]["n"]
    for _ in range(rng.randint(1, 3)):
        if not nodes:
            break
        node = rng.choice(nodes)
        how = rng.randrange(5)
        if how == 0:
            nodes.remove(node)
        elif how == 1:
            nodes.insert(rng.randrange(len(nodes)), copy.deepcopy(node))
        elif how == 2 and "split" in node:
            node["split"][rng.randrange(2)] += rng.choice([1, -1])
        elif how == 3:
            node.pop("split", None)
        else:
            change = [rng.randrange(n), rng.randrange(-9999, 99999)]
            node["prices"] = [*node.get("prices", []), *change]
    content["bound"] += rng.choice([0, 1, 1, 3])
    return content


def test_a_tree_that_branches_is_complete():
    cells = np.random.default_rng(968724).integers(0, 3, (9, 4)).astype(str)
    table = Table.from_rows("abcd", cells.tolist(), "abcd")
    found = solve_by(
        "matching_mip",
        Problem(table, KAnonymity(3), Objective(), Coding("nonhomogeneous")),
        {},
    )
    assert found.certificate.kind == "nonhomogeneous_tree"
    assert found.certified_bound == found.value == 22
    content = plain(found.certificate)
    nodes = content["data"]["nodes"]
    assert any("split" in node for node in nodes)
    for place in range(len(nodes)):  # each node is needed
        content["data"]["nodes"] = nodes[:place] + nodes[place + 1 :]
        check = check_certificate(Certificate(**content), table)
        assert not check.accepted


def test_what_is_no_tree_of_cells_is_refused():
    table = Table.from_rows("ab", [["0", "x"], ["1", "x"], ["1", "y"]], "ab")
    objective = Objective(keep=("b",))
    two = table.take(np.array([0, 1]))
    for nodes, word in (
        ([{"split": [0, 1]}, {}, {}], "never starred"),
        ([{"split": [0, 2]}, {}, {}], "never starred|not below 2"),
        ([{"split": [0, 0]}, {}], "missing"),
        ([{}, {}], "beyond"),
        (
            [{"split": [0, 0]}, {"split": [0, 0]}, {}, {}, {"cuts": [0, 1]}],
            "unknown name",
        ),
    ):
        data = {"denominator": 1, "nodes": nodes}
        claim = Certificate.of(
            two, KAnonymity(2), objective, "nonhomogeneous_tree", 1, data
        )
        check = check_certificate(claim, two)
        assert not check.accepted
        assert any(each in check.why for each in word.split("|")), check.why
    claim = Certificate.of(
        *(two, LDiversity(2), objective, "nonhomogeneous_tree", 1),
        {"denominator": 1, "nodes": [{}]},
    )
    assert not check_certificate(claim, two).accepted


def test_too_large_a_table_or_too_little_time_leaves_no_certificate():
    wide = Table.from_rows(
        "abcdefghijklmnopqrst", [["0"] * 20] * 3, "abcdefghijklmnopqrst"
    )
    assert prove_by_cells(wide, KAnonymity(2), Objective(), 1, 9.0) is None
    with pytest.raises(ValueError, match="Expected"):
        KAnonymity(0)
