"""Tests of the checker of one file: how it is made, what it knows and leaves out."""

import ast
import json
import random
import subprocess
import sys
from importlib import import_module
from itertools import islice
from pathlib import Path

import pytest

from starmin.auto.choice import bound_by, solve_by
from starmin.instances import (
    STARS,
    Certificate,
    DistinctDiversity,
    KAnonymity,
    LDiversity,
    Objective,
    Problem,
    Scales,
    Table,
)
from starmin.verify import checker
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.checker import BeyondError, join
from starmin.verify.checker.box_pieces import Pieces
from starmin.verify.checker.boxes import DearRows
from starmin.verify.checker.columns import Given
from starmin.verify.checker.statement import Statement
from tests.fuzz_trees import plain
from tests.support.fuzz_other_proofs import other_proofs, tampered_faults
from tests.support.one_file_checker import proven_alone
from tests.support.rowwise import rowwise_optimum
from tests.support.small_problems import random_objective, random_problem, random_table

ROWS = [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]


def test_the_command_writes_the_one_file_and_nothing_else(starmin):
    asked = "check", "--as-file", "checker.py"
    assert starmin(*asked) == (0, "wrote     checker.py\n", "")
    assert Path("checker.py").read_text(encoding="utf-8") == join.joined()
    assert [*Path().iterdir()] == [Path("checker.py")]
    for words, why in {
        ("check", "--as-file", "no/checker.py"): "folder no does not exist",
        (*asked, "p.json"): "--as-file: it checks nothing",
        (*asked, "--original", "t.csv"): "--as-file: it checks nothing",
        ("check", "p.json"): "--original, or --as-file",
        ("check", "--original", "t.csv"): "name CERTIFICATE",
    }.items():
        code, out, err = starmin(*words)
        assert (code, out, err.count("\n")) == (2, "", 1) and why in err


def test_the_former_name_says_what_is_imported(monkeypatch):
    name = "starmin.verify.certificate_checker"
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.warns(DeprecationWarning, match="is now starmin.verify.checker;"):
        former = import_module(name)
    assert former.check is checker.check and former.InputError is checker.InputError


def test_the_one_file_imports_the_standard_library_alone():
    imported = set()
    for node in ast.walk(ast.parse(join.joined())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(node.module.split(".")[0])
    assert imported <= sys.stdlib_module_names


def test_what_is_joined_runs_alone(tmp_path, one_file):
    """In a folder of its own, without the packages of the environment."""
    (tmp_path / "t.csv").write_text("a,b\n" + "\n".join(map(",".join, ROWS)) + "\n")
    table = Table.from_rows(["a", "b"], ROWS, qi=["a", "b"])
    prices = {"denominator": 1, "prices": [1] * 4}
    for bound, code in ((4, 0), (5, 1)):
        claim = Certificate.of(table, KAnonymity(2), STARS, "prices", bound, prices)
        content = {"starmin_certificate": 2} | vars(claim)
        (tmp_path / "p.json").write_text(json.dumps(content, default=dict))
        command = [sys.executable, "-I", "-S", one_file, "t.csv", "p.json"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (code, "")


def test_a_name_that_stands_for_two_things_is_not_joined(tmp_path, monkeypatch):
    (tmp_path / "command.py").write_text(
        f'"""Check."""\n\nfrom {join.ROOT}other import two\n\none = two\n'
    )
    (tmp_path / "other.py").write_text('"""Others."""\n\ntwo = 2\none = 1\n')
    monkeypatch.setattr(join, "HOME", tmp_path)
    try:
        join.joined()
    except ValueError as error:
        assert str(error) == "one is in other and in command"
    else:
        raise AssertionError


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


def statement(seed, asked, **more):
    """A small table of numbers, its certificate with any prices, and the pieces."""
    rng = random.Random(seed)
    rows = [[str(rng.randint(0, 4)), "uvwuvwuv"[row]] for row in range(8)]
    table = Table.from_rows(["a", "s"], rows, ["a"], ["s"])
    goal = Objective("gcp", scales=Scales.of(table, ["a"]))
    data = {"denominator": 1, "prices": [], "sets": [], "multipliers": [], **more}
    content = plain(Certificate.of(table, asked, goal, "boxes", 0, data))
    problem = Statement(Given(["a", "s"], rows, content, {}))
    content["data"]["prices"] = [rng.randint(-20, 60) for _ in problem.types]
    return rng, Pieces(problem, content["data"])


@pytest.mark.parametrize(
    "asked",
    [KAnonymity(2), KAnonymity(3), LDiversity(2), DistinctDiversity(2)],
    ids=["k=2", "k=3", "l=2", "distinct"],
)
def test_no_group_is_worth_less_than_the_dearest_rows(asked):
    compared = 0
    for seed in range(12):
        more = {} if isinstance(asked, KAnonymity) else {"sensitive": ["s"]}
        rng, pieces = statement(seed, asked, **more)
        every = range(len(pieces.order))
        for _ in range(40):
            types = sorted(rng.sample(every, rng.randint(1, len(every))))
            must = rng.sample(types, rng.randint(0, min(2, len(types))))
            rows = DearRows(pieces, types, sum(1 << t for t in must))
            cost = rng.randint(-10, 60)
            exact = pieces.worth(cost, types, sorted(must), pieces.prices)
            if exact is not None:
                assert rows.worth(cost) <= exact
            for t in types:
                known = sorted({*must, t})
                exact = pieces.worth(cost, types, known, pieces.prices)
                if exact is not None:
                    assert rows.worth(cost, t) <= exact
                    compared += 1
    assert compared > 500


def test_what_a_set_counts_holds_of_every_group_inside():
    compared = 0
    for seed in range(12):
        rng, pieces = statement(seed, DistinctDiversity(3), sensitive=["s"])
        every = range(len(pieces.order))
        for _ in range(30):
            inside = sorted(rng.sample(every, rng.randint(3, len(every))))
            some = rng.sample(inside, rng.randint(0, len(inside)))
            pieces.tally(
                [pieces.order[t] for t in inside],
                "values",
                [pieces.order[t] for t in some],
            )
            _, _, (of_some, of_others, of_group) = pieces.tallies[len(pieces.sets) - 1]
            group = rng.sample(inside, rng.randint(3, len(inside)))
            if len({pieces.columns_of[0][t] for t in group}) >= 3:
                counted = len({*group} & {*some})
                others = len(group) - counted
                assert of_some * counted + of_others * others + of_group <= 0
                compared += 1
    assert compared > 100


@pytest.mark.parametrize("name", ["box_program", "branch_and_bound", "lagrangian"])
def test_no_checker_proves_diversity_without_a_sensitive_column(name):
    rows = [[a, b, c] for a in "xy" for b in "xy" for c in "yzz"]
    table = Table.from_rows(["a", "b", "c"], rows[:7], ["a", "b", "c"])
    ask = bound_by if name == "lagrangian" else solve_by
    found = ask(name, Problem(table, KAnonymity(2)), {})
    content = plain(found.certificate)
    assert proven_alone(table, content) == found.certificate.bound > 0
    for asked in ({"l": 2}, {"k": 2, "l": 2}, {"l": 2, "diversity": "distinct"}):
        told = content | {"requirement": asked}
        assert proven_alone(table, told) is None
        assert not check_certificate(Certificate(**told), table).accepted
