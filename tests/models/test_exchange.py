"""Tests that exported models are exact with any solver, and come back as releases."""

import json
import random
import re
import subprocess
from functools import partial
from pathlib import Path

import highspy
import pulp
import pytest
from ortools.linear_solver.python import model_builder

from starmin.instances import (
    STARS,
    TUPLES,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Scales,
    Table,
    TableError,
)
from starmin.models.exchange import EXPORTED, PUBLISHED_AS, builder
from starmin.models.exchange.named_model import read_solution, write_model
from starmin.verify.brute_force import brute_force
from tests.support.commands import run
from tests.support.places import HOME
from tests.support.rowwise import rowwise_optimum as nonhomogeneous_brute_force


def by_highs(model: Path, solution: Path, style: int = 0) -> None:
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(model))
    highs.run()
    highs.writeSolution(str(solution), style)


def by_cbc(model: Path, solution: Path) -> None:
    (cbc,) = {pulp.apis.PULP_CBC_CMD.pulp_cbc_path}
    words = [cbc, str(model), "-solve", "-solution", str(solution)]
    subprocess.run(words, check=True, capture_output=True)


def by_scip(model: Path, solution: Path) -> None:
    scip = pytest.importorskip("pyscipopt").Model()
    scip.hideOutput()
    scip.readProblem(str(model))
    scip.optimize()
    scip.writeBestSol(str(solution))


def problem(rng, name):
    """A table, a requirement and an objective that a formulation takes."""
    n = rng.randint(5, 8)
    cells = [[rng.choice("abc"), rng.choice("xy"), "", ""] for _ in range(n)]
    for row in cells:
        row[2], row[3] = str(rng.randrange(9)), rng.choice("st")
    table = Table.from_rows(["a", "b", "x", "s"], cells, ["a", "b", "x"], ["s"])
    ask = rng.choice([KAnonymity(2), KAnonymity(3), LDiversity(2)])
    goal = Objective(weights={"a": rng.randint(1, 3)})
    if name in ("pattern_ilp", "group_partition") and rng.random() < 0.5:
        goal = Objective("gcp", scales=Scales.of(table, ["x"]))
    if name == "tuple_ilp":
        return table, rng.choice([ask, KAnonymity(3) & LDiversity(2)]), TUPLES
    if name == "assignment_mip":
        return table, ask, rng.choice([goal, TUPLES])
    if name == "bipartite_matching":
        return table, LDiversity(2), goal
    if name == "pair_matching":
        return table, KAnonymity(2), goal
    if name == "matching_mip":
        small = table.take(range(rng.randint(4, 5)))
        return small, KAnonymity(rng.choice([2, 3])), goal
    return table, ask, goal


def optimum(name, table, requirement, objective):
    if name in PUBLISHED_AS:
        return nonhomogeneous_brute_force(table, requirement, objective)
    return brute_force(table, requirement, objective).value


def by_pulp(model: Path, solution: Path) -> None:
    columns, program = pulp.LpProblem.fromMPS(str(model))
    program.solve(pulp.PULP_CBC_CMD(msg=False))
    lines = [f"{name} {column.value()}\n" for name, column in columns.items()]
    solution.write_text("".join(lines))


def by_cp_sat(model: Path, solution: Path) -> None:
    program = model_builder.Model()
    assert program.import_from_mps_file(str(model))
    solver = model_builder.Solver("sat")
    solver.solve(program)
    columns = program.get_variables()
    lines = [f"{column.name} {solver.value(column)}\n" for column in columns]
    solution.write_text("".join(lines))


@pytest.mark.parametrize(
    ("solve", "ending"),
    [
        (by_highs, "lp"),
        (by_highs, "mps"),
        (partial(by_highs, style=1), "lp"),  # tables, names last
        (partial(by_highs, style=3), "mps"),  # those of GLPK, long names on own lines
        (by_cbc, "lp"),
        (by_cbc, "mps"),
        (by_scip, "lp"),
        (by_scip, "mps"),
        (by_pulp, "mps"),
        (by_cp_sat, "mps"),
    ],
)
@pytest.mark.parametrize("name", EXPORTED)
def test_a_solution_of_any_solver_is_an_optimal_release(tmp_path, name, solve, ending):
    rng, solved = random.Random(name), 0
    while solved < 2:
        table, requirement, objective = problem(rng, name)
        best = optimum(name, table, requirement, objective)
        if best is None:
            continue
        model = builder(name)(table, requirement, objective)
        path, solution = tmp_path / f"m.{ending}", tmp_path / "m.sol"
        write_model(model, path)
        solve(path, solution)
        point = model.point(read_solution(solution, model.columns))
        release = model.release(point)
        assert model.program.holds(point)
        assert release.violation(table, requirement, objective) is None
        assert release.value(table, objective) == best
        solved += 1


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(2)
    lines = [f"{rng.randrange(20, 60)},{rng.choice('fm')},é, " for _ in range(9)]
    Path("p.csv").write_text("\n".join(["age,sex,nom,x y", *lines]), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("pattern_ilp", "--qi age,sex --k 2 --numeric age"),
        ("group_partition", "--qi age,sex --k 3 --numeric age"),
        ("assignment_mip", "--qi age,sex --k 2"),
        ("tuple_ilp", "--qi age,sex --k 2"),
        ("matching_mip", "--qi age,sex --k 2"),
    ],
)
def test_the_commands_publish_what_verify_accepts(
    here, monkeypatch, capsys, model, options
):
    asked = f"p.csv {options}"
    code, out, _ = run(monkeypatch, capsys, f"export {model} {asked} --out m.lp")
    assert code == 0 and "m.lp" in out and Path("m.lp").read_bytes().isascii()
    by_highs(Path("m.lp"), Path("m.sol"))
    line = f"import {model} m.sol {asked} --out r.csv --json"
    code, out, _ = run(monkeypatch, capsys, line)
    said = json.loads(out)
    assert code == 0 and said["status"] == "feasible" and said["lower_bound"] is None
    told = run(monkeypatch, capsys, f"import {model} m.sol {asked}")[1]
    after = re.findall(r"^next +starmin (bound .*) proves how near it is$", told, re.M)
    assert after and run(monkeypatch, capsys, f"{after[0]} --time-limit 20")[0] == 0
    if model != "matching_mip":
        recoded = " --recoding generalization" if "numeric" in options else ""
        check = f"verify r.csv {options}{recoded} --original p.csv --json"
        code, out, _ = run(monkeypatch, capsys, check)
        found = json.loads(out)
        assert code == 0 and found["holds"] and found["consistent"]
        assert found["stars"] == said["stars"]


GUROBI = "# Solution for model starmin\n# Objective value = 4\nx_0 1\nx_1 0\n"
SCIP = (
    "solution status: optimal solution found\nobjective value:                 4\n"
    "x_0                                               1 \t(obj:4)\n"
    "x_1                                              -0 \t(obj:0)\n"
)
CPLEX = (
    '<?xml version = "1.0"?>\n<CPLEXSolution version="1.2">\n <header\n'
    '   objectiveValue="4"/>\n <linearConstraints>\n  <constraint name="row_0" '
    'index="0" slack="0"/>\n </linearConstraints>\n <variables>\n  <variable '
    'name="x_0" index="0" value="1"/>\n  <variable name="x_1" index="1" value="-0"/>'
    "\n </variables>\n</CPLEXSolution>\n"
)
HIGHS = (
    "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 4\n"
    "# Columns 2\nx_0 1\nx_1 0\n# Rows 1\nrow_0 1\n\n# Dual solution values\n"
    "Feasible\n# Columns 2\nx_0 0\nx_1 3\n# Rows 1\nrow_0 4\n\n# Basis\nHiGHS v1\n"
)


@pytest.mark.parametrize("text", [GUROBI, SCIP, CPLEX, HIGHS])
def test_files_of_solvers_that_are_not_called_here_are_read(tmp_path, text):
    """Of HiGHS the dual values of the same names are left alone."""
    path = tmp_path / "x.sol"
    path.write_text(text)
    assert read_solution(path, ["x_0", "x_1"]) == {"x_0": 1.0, "x_1": 0.0}


def test_what_is_no_solution_is_refused_in_one_line(here, monkeypatch, capsys):
    model, asked = "pattern_ilp", "p.csv --qi sex --k 2"
    run(monkeypatch, capsys, f"export {model} {asked} --out m.mps")
    by_highs(Path("m.mps"), Path("m.sol"))
    Path("none.sol").write_text("Infeasible\n")
    Path("half.sol").write_text("x_p0_t0 what\n")
    Path("less.sol").write_text("x_p0_t0 1\n")
    for line, why in (
        (f"import {model} none.sol {asked}", "no line names a column"),
        (
            f"import {model} half.sol {asked}",
            "line 1: expected a number behind x_p0_t0",
        ),
        (f"import {model} less.sol {asked}", "breaks a row or a bound of pattern_ilp"),
        (f"import {model} m.sol {asked.replace('sex', 'age,sex')}", "pattern_ilp"),
        (f"import {model} gone.sol {asked}", "gone.sol: cannot be read"),
        (f"export {model} {asked} --out m.txt", "expected a file .lp or .mps"),
        ("export simplex p.csv --k 2 --out m.lp", "expected one of pattern_ilp"),
        ("export tuple_ilp p.csv --k 2 --objective gcp --out m.lp", "tuple_ilp"),
        ("export pattern_ilp p.csv --k 2 --objective tuples --out m.lp", "pattern_ilp"),
    ):
        code, out, err = run(monkeypatch, capsys, line)
        assert code == 2 and why in err and err.count("\n") == 1 and not out, line


def test_the_page_is_true(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (HOME / "docs" / "how_to/export_a_model.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    exec(compile(block, "how_to/export_a_model.md", "exec"), {})
    assert f"prints {capsys.readouterr().out.strip()}." in page
    (line,) = re.findall(r"^\$ starmin (.*)$", page, re.M)
    assert run(monkeypatch, capsys, line)[0] == 0
    (line,) = re.findall(r"^    starmin (import .*)$", page, re.M)
    by_highs(Path("model.mps"), Path("model.sol"))
    assert run(monkeypatch, capsys, line)[0] == 0
    assert all(f"| `{name}` |" in page for name in EXPORTED)


def test_models_refuse_what_they_do_not_take():
    rows = [[str(i), "s"] for i in range(70)]
    table = Table.from_rows(["a", "s"], rows, ["a"], ["s"])
    for name, ask, goal, why in (
        ("assignment_mip", KAnonymity(2), STARS, "60 rows"),
        ("group_partition", KAnonymity(5), STARS, "groups"),
        ("bipartite_matching", LDiversity(2), STARS, "two sensitive values"),
        ("matching_mip", KAnonymity(2), STARS, None),
        ("tuple_ilp", KAnonymity(2), Objective("tuples", keep=("a",)), "kept"),
    ):
        if why is None:
            assert builder(name)(table, ask, goal).columns
            continue
        with pytest.raises(NotSupportedError, match=why):
            builder(name)(table, ask, goal)
    with pytest.raises(TableError, match=r"\.lp or \.mps"):
        write_model(
            builder("matching_mip")(table.take(range(4)), KAnonymity(2), STARS),
            Path("x.y"),
        )
