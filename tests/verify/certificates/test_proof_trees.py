"""Tests that trees prove optima, and that neither checker accepts a broken one."""

import copy
import json
import random
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest

from starmin.instances import (
    STARS,
    Certificate,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    Objective,
    Partition,
    Run,
    Table,
    TableError,
)
from starmin.models.bounds.residue import residue
from starmin.models.pattern_ilp.branch_and_bound import branch_and_bound
from starmin.models.pattern_ilp.pattern_ilp import pattern_ilp
from starmin.models.pattern_ilp.split_counts import TreeParams
from starmin.models.pattern_ilp.tree_relaxation import Relaxation
from starmin.testing.problems import draw
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.reductions import VertexCover, named_cubic_graph
from tests.fuzz_trees import (
    by_standard_library,
    errors,
    faults,
    plain,
    random_losses,
    rowwise_errors,
    trees,
)
from tests.support.small_problems import ask, random_bounds, random_table


@pytest.fixture(scope="module")
def found():
    return list(islice(trees(seed=0), 20))


def test_both_checkers_accept_the_tree_of_an_optimum(found):
    split = 0
    for problem, content in found:
        done = []
        check = check_certificate(
            Certificate(**content),
            problem.table,
            problem.requirement,
            problem.objective,
            told=lambda *leaves, done=done: done.append(leaves),
        )
        assert check.accepted, check.why
        if done:
            assert done[-1] == (len(done), len(done))
        assert content["bound"] == problem.optimum.value == check.bound
        bound = by_standard_library(problem.table, content, problem.objective.scales)
        assert bound == content["bound"]
        split += any("split" in node for node in content["data"]["nodes"])
    assert split > 5


def test_no_edited_tree_proves_more_than_the_truth(found):
    rng = random.Random(1)
    for problem, content in found:
        for _ in range(15):
            assert not list(faults(rng, problem, content))


def test_a_larger_claim_a_missing_node_and_one_too_many_are_refused(found):
    for problem, content in found:
        for spoiled, word in (
            (content | {"bound": content["bound"] + 1}, "claims"),
            (_with_nodes(content, content["data"]["nodes"][:-1]), "missing"),
            (_with_nodes(content, [*content["data"]["nodes"], {}]), "beyond"),
        ):
            lie = Certificate(**spoiled)
            check = check_certificate(
                lie, problem.table, scales=problem.objective.scales
            )
            assert not check.accepted and word in check.why


def _with_nodes(content, nodes):
    spoiled = copy.deepcopy(content)
    spoiled["data"]["nodes"] = nodes
    return spoiled


def test_trees_that_split_on_counts_prove_optima():
    params = TreeParams(
        root_rounds=0, rounds=0, candidates=1, counts=12, thin_share=0.0
    )
    counted = 0
    for seed in (14, 16, 30, 40):
        problem = draw(seed, "l" if seed % 2 else "k", "stars", 11)
        table, requirement = problem.table, problem.requirement
        result = branch_and_bound(table, requirement, params=params)
        assert result.value == result.certified_bound == problem.optimum.value
        content = plain(result.certificate)
        assert check_certificate(result.certificate, table, requirement).accepted
        assert by_standard_library(table, content) == result.value
        counted += any(
            "count_split" in node for node in content["data"].get("nodes", [])
        )
    assert counted > 2


@pytest.mark.parametrize("form", ["k", "l", "k+l"])
def test_trees_prove_losses_over_hierarchies(form):
    proven = 0
    for seed in range(8):
        problem = draw(seed, form, "gcp", 10)
        result = branch_and_bound(
            problem.table, problem.requirement, objective=problem.objective
        )
        if problem.optimum.value is None:
            continue
        assert result.certified_bound == problem.optimum.value == result.value
        check = check_certificate(
            result.certificate, problem.table, problem.requirement, problem.objective
        )
        assert check.accepted, check.why
        proven += result.certificate.kind == "tree"
    assert proven > 0


@pytest.mark.parametrize("form", ["k", "l", "k+l"])
def test_both_checkers_prove_the_same_residue_and_no_more(form):
    proven = 0
    for seed in range(30):
        problem = draw(seed, form, "tuples", 11)
        result = residue(
            problem.table, problem.requirement, objective=problem.objective
        )
        if problem.optimum.value is None or result.certificate is None:
            continue
        content = plain(result.certificate)
        assert content["bound"] <= problem.optimum.value
        assert by_standard_library(problem.table, content) == content["bound"]
        lie = content | {"bound": content["bound"] + 1}
        assert by_standard_library(problem.table, lie) == content["bound"]
        proven += content["bound"] > 0
    assert proven > 4


def test_pattern_ilp_certifies_a_cover_that_is_least():
    reduced = VertexCover().apply(named_cubic_graph("petersen"))
    result = pattern_ilp(reduced.table, reduced.requirement)
    assert result.value == result.certified_bound == reduced.threshold == 320
    assert by_standard_library(reduced.table, plain(result.certificate)) == 320


def test_the_bound_of_a_tree_that_was_not_finished_is_certified():
    table = VertexCover().apply(named_cubic_graph("cube")).table
    result = branch_and_bound(table, KAnonymity(7), time_limit=0.5)
    assert result.lower_bound == result.certified_bound <= 258
    assert check_certificate(result.certificate, table, KAnonymity(7)).accepted


def test_the_tree_does_not_depend_on_which_worker_is_first():
    table = VertexCover().apply(named_cubic_graph("prism")).table
    few = TreeParams(root_rounds=0, rounds=1, workers=3)
    first, second = (branch_and_bound(table, KAnonymity(7), params=few) for _ in "ab")
    nodes = first.certificate.data["nodes"]
    assert len(nodes) > 5 and first.certificate.data == second.certificate.data
    check = check_certificate(first.certificate, table, KAnonymity(7))
    assert check.accepted and check.bound == first.value == 198


@pytest.mark.parametrize("calls", range(1, 7))
def test_a_search_that_is_stopped_anywhere_certifies_its_bound(calls, monkeypatch):
    table = VertexCover().apply(named_cubic_graph("prism")).table
    solve, left = Relaxation.solve, [calls]

    def stopped(*arguments):
        left[0] -= 1
        if left[0] < 0:
            raise TimeoutError
        return solve(*arguments)

    monkeypatch.setattr(Relaxation, "solve", stopped)
    result = branch_and_bound(table, KAnonymity(7))
    assert 190 <= result.certified_bound == result.lower_bound <= 198
    assert check_certificate(result.certificate, table, KAnonymity(7)).accepted


def test_the_checker_of_one_file_needs_nothing_else(tmp_path, one_file):
    rows = [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"], ["0", "2"], ["2", "2"]]
    table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    file = tmp_path / "table.csv"
    file.write_text("a,b\n" + "\n".join(map(",".join, rows)) + "\n\n")
    proof = tmp_path / "proof.json"
    certificate = branch_and_bound(table, KAnonymity(2)).certificate
    certificate.write(proof)

    def run(path):
        command = [sys.executable, "-I", one_file, str(file), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert done.stdout.count("\n") == 1 and not done.stderr
        return done.returncode, done.stdout

    assert run(proof) == (
        0,
        f"accepted: no release has fewer than {certificate.bound} stars\n",
    )
    lie = tmp_path / "lie.json"
    content = json.loads(proof.read_text())
    lie.write_text(json.dumps(content | {"bound": content["bound"] + 1}))
    assert run(lie)[0] == 1
    lie.write_text("{")
    assert run(lie)[0] == 2


def test_both_checkers_prove_the_bound_of_prices_alike():
    for seed in range(24):
        problem = draw(seed, ("k", "l", "k+l")[seed % 3], "stars", 9)
        if problem.optimum.value is None or len(problem.table.sensitive) > 1:
            continue
        table, requirement = problem.table, problem.requirement
        result = pattern_ilp(table, requirement, time_limit=0.0)
        if result.certificate is None:
            continue
        check = check_certificate(result.certificate, table, requirement)
        claim = result.certificate.bound
        assert check.accepted
        assert by_standard_library(table, plain(result.certificate)) == claim


def test_both_checkers_prove_alike_whatever_the_prices_are():
    """Prices that no search found leave more to each walk, which goes another way."""
    rng, proven = random.Random(11), 0
    for _ in range(50):
        table = random_table(rng, least=6, most=11)
        k, l = random_bounds(rng)
        objective = random_losses(rng, table)
        types = table.sensitive_types if l > 1 else table.row_types
        unit, row = rng.choice([1, 2, 6]), objective.whole(table) // table.n
        top = unit * (1 if objective.once else row)
        prices = [rng.randint(-top // 2, 2 * top) for _ in range(len(types))]
        data = {"denominator": unit, "prices": prices}
        claim = Certificate.of(table, ask(k, l), objective, "prices", 10**6, data)
        found = check_certificate(claim, table, objective=objective).bound
        assert found == by_standard_library(table, plain(claim), objective.scales)
        proven += bool(found)
    assert proven > 12


def test_exact_methods_agree_with_brute_force():
    assert [each for seed in range(1000, 1006) for each in errors(seed)] == []
    assert [each for seed in range(3) for each in rowwise_errors(seed)] == []


def test_a_release_below_a_proven_bound_is_an_error_that_names_who_proved_it():
    table = Table.from_rows(["a"], [["0"], ["0"], ["1"], ["1"]], qi=["a"])
    run = Run(table, KAnonymity(2))
    run.raise_bound(3, "some_solver")
    with pytest.raises(ArithmeticError, match=r"some_solver proved .* than 3, but"):
        run.offer(Partition.from_labels(np.array([0, 0, 1, 1])))


def test_a_compressed_certificate_is_read_back_and_junk_refused(found, tmp_path):
    file = tmp_path / "proof.json.gz"
    _, content = found[0]
    Certificate(**content).write(file)
    assert plain(Certificate.read(file)) == content
    for junk in (b"{}", file.read_bytes()[:-9], file.read_bytes()[:20] + b"xyz"):
        file.write_bytes(junk)
        with pytest.raises(TableError, match="not a gzip file, or cut off"):
            Certificate.read(file)


def test_trees_prove_optima_of_distinct_diversity_and_of_several_columns():
    """No code is shared with the search by brute force, nor among the checkers."""
    rng, split, one = random.Random(5), 0, LDiversity(2)
    two, three = DistinctDiversity(2), DistinctDiversity(3)
    cases = [(one, 1, 2), (one, 3, 2), (two, 1, 2), (three, 3, 1)] * 3
    cases += [(one & three, 1, 1), (one & three, 4, 1)] * 3
    for l, k, columns in cases:
        requirement = l if k == 1 else KAnonymity(k) & l
        rows = [
            [rng.choice("0123"), rng.choice("01"), *rng.choices("abcd", k=2)]
            for _ in range(10)
        ]
        table = Table.from_rows("xyst", rows, qi="xy", sensitive="st"[:columns])
        if not (optimum := brute_force(table, requirement).value):
            continue
        result = branch_and_bound(table, requirement)
        assert result.value == optimum == result.certified_bound
        content = plain(result.certificate)
        assert check_certificate(result.certificate, table, requirement).accepted
        assert by_standard_library(table, content) == optimum
        assert by_standard_library(table, content | {"bound": optimum + 1}) == optimum
        split += len(content["data"].get("nodes", []))
    assert split > 10


def test_a_node_that_is_none_is_refused_though_the_prices_prove_all():
    rows = [["d", "y", "c"], ["a", "z", "c"], ["a", "x", "c"]]
    table = Table.from_rows(["a", "s", "b"], rows, ["a", "b"], ["s"])
    node = {"prices": [65536, 1, 65536, 2, 65534]}
    data = {"patterns": [], "cuts": [], "nodes": [node], "prices": [65536] * 3}
    data["denominator"] = 65536
    proof = Certificate.of(table, LDiversity(3), STARS, "tree", 3, data)
    for nodes, accepted in (([node], False), ([{}], True)):
        content = _with_nodes(plain(proof), nodes)
        assert check_certificate(Certificate(**content), table).accepted == accepted
        assert (by_standard_library(table, content) == 3) == accepted


def test_a_tree_proves_no_more_than_it_claims():
    """What the list leaves out costs the claim or more, and may cost no more."""
    rows = ["pq", "rq", "ps", "ps", "ps", "rs", "rs", "rs"]
    table = Table.from_rows(["a", "b"], [[*row] for row in rows], ["a", "b"])
    goal = Objective(weights={"a": 3, "b": 2})
    assert brute_force(table, KAnonymity(2), goal).value == 6
    node = {"prices": [0, 4, 2, 4]}
    data = {"patterns": [], "cuts": [], "nodes": [node], "prices": [0] * 4}
    data["denominator"] = 1
    proof = Certificate.of(table, KAnonymity(2), goal, "tree", 6, data)
    check = check_certificate(proof, table)
    assert (check.accepted, check.bound) == (True, 6)
