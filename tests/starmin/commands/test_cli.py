"""Tests that the command line keeps its contract: files, JSON, exit codes, errors."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from starmin.cli.commands import COMMANDS
from starmin.commands import accuracy_constrained, bound, gap, methods, solve, verify
from starmin.commands.exchange import lift, reduce
from starmin.instances import Certificate, read_table
from starmin.instances.catalogue.catalogue import load_instance

pytestmark = pytest.mark.usefixtures("undrawn")

STARMIN = Path(sys.executable).with_name("starmin")
SOLVE_KEYS = [
    "table",
    "n",
    "d",
    "qi",
    "sensitive",
    "requirement",
    "missing_sensitive",
    "recoding",
    "objective",
    "method",
    "status",
    "claim",
    "limit",
    "value",
    "stars",
    "suppressed_tuples",
    "deleted",
    "levels",
    "groups",
    "classes",
    "unchanged",
    "undone",
    "range_ends",
    "gcp",
    "lower_bound",
    "certified_bound",
    "certificate_checked",
    "gap",
    "tolerance",
    "bound_method",
    "runtime",
    "reason",
    "defences",
    "separator",
    "encoding",
    "out",
]
VERIFY_KEYS = {
    "holds",
    "k",
    "l",
    "distinct_l",
    "entropy_l",
    "t",
    "stars",
    "gcp",
    "granularity",
    "groups",
    "violations",
    "violations_total",
    "missing_sensitive",
    "qi",
    "unchanged",
    "undone",
    "range_ends",
}
PEOPLE = "name,age,sex,zip,ill\n"
PEOPLE += "".join(
    f"{name},{age},{sex},00{zip_},{ill}\n"
    for name, age, sex, zip_, ill in [
        ("Ann", 30, "F", 1, "flu"),
        ("Bea", 30, "F", 1, "cold"),
        ("Cid", 40, "M", 2, "flu"),
        ("Dan", 40, "M", 3, "cold"),
        ("Eve", 50, "F", 3, "flu"),
        ("Fay", 50, "F", 3, "cold"),
    ]
)


@pytest.fixture
def run(by_line):
    """Run a command in a folder of its own: exit code, stdout, stderr."""
    Path("people.csv").write_text(PEOPLE)
    return by_line


@pytest.fixture
def answer(run):
    """Run a command with --json: exit code and object."""

    def call(line: str) -> tuple[int, dict]:
        code, out, _ = run(f"{line} --json")
        return code, json.loads(out)

    return call


def files() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def solved(run, line: str) -> None:
    code, _, err = run(line)
    assert code == 0, err


# Answers


def test_solve_writes_a_release_that_verify_accepts(run, answer):
    code, found = answer(
        "solve people.csv --k 2 --l 2 --sensitive ill --drop name --out out.csv "
        "--certificate proof.json --result found.json --groups groups.csv"
    )
    assert code == 0 and list(found) == SOLVE_KEYS
    assert found["status"] == "optimal" and found["gap"] == 0.0
    assert found["value"] == found["stars"] == found["lower_bound"] == 2
    assert found["requirement"] == {"k": 2, "l": 2} and found["limit"] is None
    assert found["qi"] == ["age", "sex", "zip"] and found["sensitive"] == ["ill"]
    assert (found["n"], found["d"], found["out"]) == (6, 3, "out.csv")
    assert found["gcp"] == pytest.approx(2 / 18)
    assert json.loads(Path("found.json").read_text()) == found
    released = read_table("out.csv", sensitive=["ill"])
    assert released.rows()[2:4] == [("40", "M", "*", "flu"), ("40", "M", "*", "cold")]
    groups = [cell for (cell,) in read_table("groups.csv").rows()]
    assert groups == ["1", "1", "2", "2", "3", "3"]
    code, check = answer(
        "verify out.csv --sensitive ill --k 2 --l 2 --original people.csv --drop name "
        "--certificate proof.json"
    )
    assert code == 0
    assert set(check) == VERIFY_KEYS | {
        "consistent",
        "inconsistencies",
        "reordered",
        "missing_rows",
        "certificate",
    }
    assert check["holds"] and check["consistent"] and check["stars"] == 2
    assert check["certificate"] == {
        "accepted": True,
        "bound": found["certified_bound"],
        "why": None,
        "objective": {"kind": "stars", "weights": {}, "keep": []},
        "share": None,
    }


def test_every_cell_survives_byte_for_byte(run):
    text = 'a,b,note\n007,1.0, x \n007,2.0,\n007,1.00,é\n007,2.0,"q"""\n'
    Path("odd.csv").write_text(text)
    solved(run, "solve odd.csv --k 2 --qi a,b --out out.csv --quiet")
    published = Path("out.csv").read_text().splitlines()
    assert published[0] == "a,b,note"
    assert [line.split(",")[0] for line in published[1:]] == ["007"] * 4
    assert [line.split(",", 2)[2] for line in published[1:]] == [
        " x ",
        "",
        "é",
        '"q"""',
    ]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_formats_go_in_and_out(run, answer, ending):
    solved(run, f"instances write hospital --out table{ending}")
    roles = "--qi age,gender,education --sensitive disease"
    code, found = answer(f"solve table{ending} {roles} --l 2 --out out{ending}")
    assert code == 0 and found["value"] == 6
    code, check = answer(f"verify out{ending} {roles} --l 2 --original table{ending}")
    assert code == 0 and check["stars"] == 6 and check["l"] == 2.0


def test_the_separator_is_used_both_ways(run):
    Path("tabs.csv").write_text("a\tb\n1\tx,y\n2\tx,y\n")
    solved(run, r"solve tabs.csv --sep '\t' --k 2 --out out.csv")
    assert Path("out.csv").read_text() == "a\tb\n*\tx,y\n*\tx,y\n"


def test_infeasible_is_an_answer_with_its_reason(run, answer):
    code, found = answer("solve instance:hospital --k 11 --out out.csv")
    assert code == 1 and found["status"] == "infeasible"
    assert found["reason"] == "10 rows, fewer than k = 11"
    assert found["value"] is found["out"] is found["gap"] is None
    code, found = answer("solve instance:hospital --l 3 --certificate proof.json")
    assert code == 1
    assert found["reason"] == (
        "sensitive value 'pneumonia' covers 4 of 10 rows, more than 1/3"
    )
    code, found = answer("bound instance:hospital --k 11")
    assert code == 1 and found["status"] == "infeasible"
    code, out, _ = run("solve instance:hospital --k 11 --out out.csv --quiet")
    assert code == 1 and "10 rows, fewer than k = 11" in out
    assert files() == ["people.csv"]


@pytest.mark.parametrize(
    "ask",
    [
        "--k 1000000000000000000000",
        "--l 1000000000000000000000",
        "--l 1000000000000000000000 --diversity distinct",
        "--l 1000000000000000000000 --diversity entropy",
        "--l 5 --diversity recursive --c 1e300",
        "--alpha 1e-300",
    ],
)
def test_absurd_numbers_are_infeasible_too(answer, ask):
    code, found = answer(f"solve instance:hospital {ask}")
    assert code == 1 and found["status"] == "infeasible" and found["reason"]


def test_a_time_limit_of_zero_gives_a_release_and_an_honest_status(answer):
    for ask in ("--k 2", "--l 2", "--k 2 --objective tuples"):
        code, found = answer(
            f"solve instance:census:n=2000 {ask} --time-limit 0 --out out.csv"
        )
        assert code == 0 and found["value"] is not None
        assert found["status"] == (
            "optimal" if found["value"] == found["lower_bound"] else "feasible"
        )
        assert (found["limit"] == "time") == (found["status"] == "feasible")
        sensitive = "--sensitive occupation"
        assert answer(f"verify out.csv {sensitive} {ask[:5]}")[0] == 0


def test_bound_publishes_nothing(answer):
    code, found = answer("bound instance:hospital --l 2 --certificate proof.json")
    assert code == 0 and list(found) == SOLVE_KEYS
    assert found["status"] == "unknown" and found["value"] is None
    assert found["certified_bound"] == found["lower_bound"]
    assert Certificate.read(Path("proof.json")).bound == found["lower_bound"]
    code, tuples = answer("bound instance:hospital --l 2 --objective tuples")
    assert code == 0 and tuples["bound_method"] == "residue"
    # Not even where there is one release alone, with cells that it could not be told.
    Path("t.csv").write_text("a,b\n1,x\n1,y\n*,y\n2,x\n")
    code, alone = answer("bound t.csv --combinations 2 --k 4 --method hitting_sets")
    assert code == 0 and (alone["value"], alone["stars"]) == (8, None)


def test_methods_are_called_by_name(answer):
    code, found = answer("solve instance:hospital --l 2 --objective tuples")
    assert code == 0 and (found["value"], found["status"]) == (4, "optimal")
    code, found = answer("solve instance:hospital --l 2 --method three_phase")
    assert code == 0 and (found["suppressed_tuples"], found["stars"]) == (4, 8)


def test_a_model_is_exported_and_solved_by_a_solver_of_choice(answer):
    line = "solve instance:chakaravarthy-figure-1 --k 2 --method assignment_mip"
    code, found = answer(f"{line} --solver CBC --export model.lp")
    assert code == 0 and found["value"] == found["lower_bound"] == 4
    assert "Minimize" in Path("model.lp").read_text()
    assert answer(f"{line} --export model.mps")[1]["value"] == 4
    assert "ROWS" in Path("model.mps").read_text()


def test_a_certificate_is_found_even_for_methods_that_give_none(answer):
    code, found = answer(
        "solve instance:hospital --l 2 --method three_phase --certificate proof.json"
    )
    assert code == 0 and found["value"] == 8 and found["certified_bound"] == 6


def test_weights_and_kept_columns(run, answer):
    roles = "--drop name --sensitive ill --k 2"
    _, plain = answer(f"solve people.csv {roles}")
    _, heavy = answer(f"solve people.csv {roles} --weights zip=5,age=1")
    assert plain["value"] == 2 and heavy["value"] > 2
    _, kept = answer(f"solve people.csv {roles} --keep zip --out out.csv")
    assert kept["status"] == "infeasible"
    assert "zip='002'" in kept["reason"]
    _, kept = answer(f"solve people.csv {roles} --keep sex --out out.csv")
    assert kept["value"] == 2
    assert "*" not in read_table("out.csv").dictionary("sex")


def test_shuffled_rows_and_groups_go_together(run, answer):
    line = "solve instance:hospital --k 2 --shuffle --shuffle-seed 3 --quiet"
    solved(run, f"{line} --out out.csv --groups groups.csv")
    solved(run, f"{line} --out again.csv")
    assert Path("out.csv").read_bytes() == Path("again.csv").read_bytes()
    solved(run, "solve instance:hospital --k 2 --out plain.csv --quiet")
    shuffled = read_table("out.csv").rows()
    assert shuffled != read_table("plain.csv").rows()
    assert sorted(shuffled) == sorted(read_table("plain.csv").rows())
    rendered = {}
    for row, group in zip(shuffled, read_table("groups.csv").rows(), strict=True):
        assert rendered.setdefault(group, row[:3]) == row[:3]
    line = "verify out.csv --k 2 --original instance:hospital"
    code, check = answer(line)
    assert code == 0 and check["holds"] and check["reordered"]
    assert check["consistent"] is None and check["inconsistencies"]
    code, out, _ = run(line)
    assert (
        code == 0 and "cells     the order differs, so rows cannot be compared" in out
    )
    text = Path("out.csv").read_text()
    Path("lie.csv").write_text(text.replace("dyspepsia", "none"))
    code, check = answer(line.replace("out.csv", "lie.csv"))
    assert code == 1 and check["holds"] and check["consistent"] is False
    assert not check["reordered"]


def test_the_order_of_shuffled_rows_cannot_be_drawn_again(run):
    """Of 200 rows: that two random orders are equal is out of the question."""
    people = [f"{i}" for i in range(200)]
    cells = "".join(f"{i % 2},{name}\n" for i, name in enumerate(people))
    Path("many.csv").write_text("a,note\n" + cells)
    ask = "many.csv --qi a --shuffle --out out.csv --quiet"
    lines = [f"solve {ask} --k 2 --seed 0", f"dual {ask} --max-loss 0 --seed 0"]
    for line in lines:
        orders, warned = [people], []
        for seed in ("", "", "--shuffle-seed 0", "--shuffle-seed 0"):
            code, _, err = run(f"{line} {seed}")
            assert code == 0
            orders.append(read_table("out.csv").cells("note"))
            warned.append("whoever knows the seed" in err)
        assert orders[3] == orders[4] and warned == [False, False, True, True]
        assert len({tuple(order) for order in orders}) == 4
        # The order that the seed 0, the default of everything else, used to give.
        assert np.random.default_rng(0).permutation(200).tolist() != [
            int(str(name)) for name in orders[1]
        ]
    page = "solve many.csv --qi a --k 2 --shuffle-seed 3 --shuffle --report page.html"
    assert run(f"{page} --out out.csv")[0] == 0
    assert "shuffle-seed" not in Path("page.html").read_text()


def test_a_release_is_a_start(answer, run):
    solved(run, "solve instance:murakami-uno --k 3 --out start.csv --quiet")
    line = "solve instance:murakami-uno --k 2 --initial start.csv --time-limit 0"
    code, found = answer(line)
    _, start = answer("verify start.csv --original instance:murakami-uno")
    assert code == 0 and found["value"] <= start["stars"]


def test_columns_published_unchanged_are_named(run):
    code, _, err = run("solve people.csv --k 2 --qi age,sex --out out.csv --quiet")
    assert code == 0 and err.count("\n") == 1
    assert "published as they are: name, zip, ill" in err
    _, _, err = run("solve people.csv --k 2 --qi age,sex --drop name,zip,ill --quiet")
    assert err == ""


def test_progress_goes_to_stderr_unless_quiet(run):
    _, out, err = run("solve instance:hospital --k 2 --json")
    assert err.split()[:4] == ["time", "value", "bound", "savable"]
    assert len(out.splitlines()) == 1
    _, _, err = run("solve instance:hospital --k 2 --json --quiet")
    assert err == ""


def test_progress_has_one_header_and_one_clock(run):
    for line in ("bound", "solve", "solve --recoding generalization"):
        _, _, err = run(f"{line} instance:murakami-uno --k 2 --verbose")
        head, *rest = [shown.split() for shown in err.splitlines()]
        assert head == ["time", "value", "bound", "savable", "running"] and rest
        assert all(shown[0].endswith("s") and len(shown) == 5 for shown in rest)
        seconds = [float(shown[0][:-1]) for shown in rest]
        assert seconds == sorted(seconds)
        assert all(one[1:] != other[1:] for one, other in pairwise(rest))


def test_further_requirements(answer):
    line = "solve people.csv --sensitive ill --drop name --out out.csv"
    check = "verify out.csv --sensitive ill"
    for ask in (
        "--l 2 --diversity distinct",
        "--l 2 --diversity entropy",
        "--l 2 --diversity recursive --c 3",
        "--k 2 --alpha 0.5",
        "--k 2 --t 0.1",
    ):
        code, found = answer(f"{line} {ask}")
        assert code == 0 and found["status"] in ("feasible", "optimal"), ask
        code, checked = answer(f"{check} {ask}")
        assert code == 0 and checked["holds"], ask
    assert checked["t"] <= 0.1


def test_each_row_asks_for_its_own_k(run, answer):
    Path("own.csv").write_text("a,k\n1,1\n2,2\n3,2\n3,1\n")
    code, found = answer("solve own.csv --k-column k --out out.csv")
    assert code == 0 and found["qi"] == ["a"]
    assert found["requirement"] == {"k": None, "l": None, "k_column": "k"}
    assert answer("verify out.csv --k-column k")[0] == 0
    Path("out.csv").write_text("a,k\n1,1\n2,2\n3,2\n3,1\n")
    assert answer("verify out.csv --k-column k")[0] == 1


# Verify


def test_verify_says_what_holds(answer):
    Path("release.csv").write_text("age,ill\n*,flu\n*,flu\n30,flu\n30,cold\n")
    code, check = answer("verify release.csv --sensitive ill --k 2 --l 2")
    assert code == 1 and set(check) == VERIFY_KEYS
    assert (check["k"], check["l"], check["distinct_l"]) == (2, 1.0, 1)
    assert check["violations_total"] == 1
    assert set(check["violations"][0]) == {"group", "rows", "why"}
    assert answer("verify release.csv --sensitive ill --k 2")[0] == 0


def test_verify_measures_where_nothing_is_asked(run, answer):
    Path("release.csv").write_text("age,ill\n*,flu\n*,flu\n30,flu\n30,cold\n41,flu\n")
    line = "verify release.csv --sensitive ill"
    code, check = answer(line)
    assert (code, check["holds"], check["k"], check["l"]) == (0, None, 1, 1.0)
    code, out, _ = run(line)
    assert code == 0 and out.startswith("k         1 in 3 classes\nl         1.000")
    matched = "--drop ill --recoding nonhomogeneous --original release.csv --star -"
    code, check = answer(f"verify release.csv {matched}")
    assert (code, check["holds"], check["k"]) == (0, None, 1)
    code, out, _ = run(f"verify release.csv {matched}")
    assert code == 0 and out.startswith("k         1 matching")


def test_verify_finds_lies(run, answer):
    solved(run, "solve instance:hospital --k 2 --out out.csv --quiet")
    text = Path("out.csv").read_text()
    Path("lie.csv").write_text(text.replace("dyspepsia", "none"))
    code, check = answer("verify lie.csv --k 2 --original instance:hospital")
    assert code == 1 and check["holds"] and check["consistent"] is False
    assert check["inconsistencies"]
    Path("short.csv").write_text("".join(text.splitlines(keepends=True)[:-2]))
    code, check = answer("verify short.csv --original instance:hospital")
    assert (code, check["consistent"], check["missing_rows"]) == (0, True, 2)
    shorter = Path("short.csv").read_text().replace("pneumonia", "none")
    Path("short.csv").write_text(shorter)
    assert answer("verify short.csv --original instance:hospital")[0] == 1
    Path("other.csv").write_text(text.replace("age,", "years,", 1))
    line = "verify other.csv --qi years,gender --original instance:hospital"
    assert answer(line)[0] == 1
    code, out, _ = run("verify lie.csv --k 2 --original instance:hospital")
    assert code == 1 and "differs" in out


def test_a_certificate_that_was_tampered_with_is_refused(run, answer):
    solved(
        run,
        "solve instance:hospital --k 2 --out out.csv --certificate proof.json --quiet",
    )
    line = "verify out.csv --k 2 --original instance:hospital --certificate"
    assert answer(f"{line} proof.json")[0] == 0
    proof = json.loads(Path("proof.json").read_text())
    for change in (
        {"bound": proof["bound"] + 1},
        {"data": {}},
        {"requirement": {"k": 3}},
        {"table": {**proof["table"], "n": 9}},
        {"table": {**proof["table"], "fingerprint": "0"}},
    ):
        Path("false.json").write_text(json.dumps(proof | change))
        code, check = answer(f"{line} false.json")
        assert code == 1 and check["holds"], change
        assert not check["certificate"]["accepted"] and check["certificate"]["why"]
    assert answer(f"{line.replace('--k 2', '--k 3')} proof.json")[0] == 1
    Path("false.json").write_text("{}")
    code, out, err = run(f"{line} false.json")
    assert (code, out) == (2, "") and "false.json" in err
    code, _, err = run("verify out.csv --k 2 --certificate proof.json")
    assert code == 2 and "--original" in err


def test_a_certificate_is_on_the_objective_that_is_named(run, answer):
    goal = "--weights age=3,gender=1 --keep gender"
    ask = "instance:hospital --l 2"
    solved(run, f"solve {ask} {goal} --out out.csv --certificate proof.json --quiet")
    line = f"verify out.csv --l 2 --original {ask.split()[0]} --certificate proof.json"
    stated = "stars (weights age=3, gender=1; keep gender)"
    for same in ("", goal, "--weights age=3 --keep gender --objective stars"):
        code, out, _ = run(f"{line} {same}")
        assert code == 0 and f"accepted: at least 10 {stated} by suppression" in out
    for other in ("--objective tuples", "--weights age=3", "--keep gender"):
        code, check = answer(f"{line} {other}")
        verdict = check["certificate"]
        assert code == 1 and check["holds"] and not verdict["accepted"], other
        assert verdict["why"].startswith(f"it is for the objective {stated}, not for ")
        assert verdict["objective"]["weights"] == {"age": 3, "gender": 1}
        code, out, _ = run(f"{line} {other}")
        assert code == 1 and f"refused: {verdict['why']}" in out


# Bad usage and bad input


BAD_USAGE = {
    "nonsense": "nonsense",
    "solve": "TABLE",
    "solve people.csv": "--k",
    "solve people.csv --k": "--k",
    "solve people.csv --k x": "--k",
    "solve people.csv --k 2.5": "--k",
    "solve people.csv --k 1": "k >= 2",
    "solve people.csv --k -3": "k >= 2",
    "solve people.csv --l 1 --sensitive ill": "l >= 2",
    "solve people.csv --l 2": "--sensitive",
    "solve people.csv --k 2 --nonsense": "--nonsense",
    "solve people.csv more.csv --k 2": "more.csv",
    "solve people.csv --k 2 --objective gold": "--objective",
    "solve people.csv --l 2 --sensitive ill --diversity gold": "--diversity",
    "solve people.csv --k 2 --diversity entropy": "--l",
    "solve people.csv --l 2 --sensitive ill --diversity recursive": "--c",
    "solve people.csv --k 2 --alpha 2 --sensitive ill": "alpha",
    "solve people.csv --t nan --sensitive ill": "t <= 1",
    "solve people.csv --k-column name": "name",
    "solve people.csv --k 2 --time-limit -1": "--time-limit",
    "solve people.csv --k 2 --time-limit nan": "--time-limit",
    "solve people.csv --k 2 --seed -1": "--seed",
    "solve people.csv --k 2 --workers 0": "--workers",
    "solve people.csv --k 2 --method gold": "gold",
    "solve people.csv --k 2 --method residue": "residue",
    "solve people.csv --k 2 --objective tuples --method pattern_ilp": "tuple_ilp",
    "bound people.csv --k 2 --method pattern_ilp": "pattern_lp",
    "solve nothing.csv --k 2": "nothing.csv",
    "solve people.txt --k 2": "people.txt",
    "solve instance:nothing --k 2": "hospital",
    "solve instance:census:n=x --k 2": "n",
    "solve people.csv --k 2 --qi age,years": "years",
    "solve people.csv --k 2 --qi age,,sex": "--qi",
    "solve people.csv --k 2 --qi ''": "quasi-identifier",
    "solve people.csv --k 2 --qi age,age": "twice",
    "solve people.csv --k 2 --sensitive sick": "sick",
    "solve people.csv --k 2 --qi age,ill --sensitive ill": "ill",
    "solve people.csv --k 2 --drop years": "years",
    "solve people.csv --k 2 --sep ab": "separator",
    "solve people.csv --k 2 --star ''": "--star",
    "solve people.csv --k 2 --star F": "'F'",
    "solve people.csv --k 2 --weights age": "--weights",
    "solve people.csv --k 2 --weights age=-1": "--weights",
    "solve people.csv --k 2 --weights age=1.5": "--weights",
    "solve people.csv --k 2 --weights age=1000000000000000000000": "1000000",
    "solve people.csv --k 2 --weights years=1": "years",
    "solve people.csv --k 2 --objective tuples --weights age=2": "weights",
    "solve people.csv --k 2 --keep years": "years",
    "solve people.csv --k 2 --out nowhere/out.csv": "nowhere",
    "solve people.csv --k 2 --out people.csv": "people.csv",
    "solve people.csv --k 2 --out ./out.csv --groups out.csv": "out.csv",
    "solve people.csv --k 2 --out out.doc": "out.doc",
    "solve people.csv --k 2 --certificate nowhere/proof.json": "nowhere",
    "solve people.csv --k 2 --out .": "folder",
    "solve people.csv --k 2 --initial nothing.csv": "nothing.csv",
    "solve people.csv --k 2 --initial instance:hospital": "hospital",
    "solve people.csv --k 2 --export model.lp": "export",
    "solve people.csv --k 2 --solver CBC": "solver",
    "solve people.csv --k 2 --method assignment_mip --solver gold": "gold",
    "solve people.csv --k 2 --method assignment_mip --export model.txt": "model.txt",
    "solve people.csv --k 2 --method bipartite_matching": "pattern_ilp",
    "verify people.csv --certificate proof.json": "--original",
    "verify people.csv --original nothing.csv": "nothing.csv",
    "verify people.csv --original people.csv --certificate people.csv": "people.csv",
    "verify people.csv --k 0": "k >= 2",
    "verify people.csv --weights age=3": "--certificate",
    "verify people.csv --drop years": "years",
    "instances write": "NAME",
    "instances write hospital": "--out",
    "instances write nothing --out a.csv": "nothing",
    "instances write hospital --out a.doc": "a.doc",
    "instances nonsense": "nonsense",
    "methods --nonsense": "--nonsense",
}


@pytest.mark.parametrize("line", BAD_USAGE)
def test_bad_usage_is_told_in_one_line(run, line):
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert err.startswith("starmin: ") and err.count("\n") == 1
    assert BAD_USAGE[line] in err
    assert files() == ["people.csv"]


BAD_TABLES = {
    "ragged": (b"a,b\n1,2\n3\n", "line 3"),
    "no rows": (b"a,b\n", "no rows"),
    "empty": (b"", "empty"),
    "duplicate names": (b"a,a\n1,2\n", "'a'"),
    "empty name": (b"a,\n1,2\n", "column 2"),
    "NUL": (b"a,b\n1,2\n3,\x004\n", "NUL"),
    "not UTF-16": (b"\xff\xfea,b\0\n", "utf-16"),
    "open quote": (b'a,b\n1,"2\n', "line"),
    "star": (b"a,b\n1,2\n1,*\n", "row 2, column 'b'"),
}


@pytest.mark.parametrize("what", BAD_TABLES)
def test_a_bad_table_is_told_in_one_line(run, what):
    content, word = BAD_TABLES[what]
    Path("bad.csv").write_bytes(content)
    code, out, err = run("solve bad.csv --k 2 --out out.csv")
    assert (code, out) == (2, "")
    assert "bad.csv" in err and word in err and err.count("\n") == 1
    assert files() == ["bad.csv", "people.csv"]


ODD_TABLES = {
    "one row": (b"a,b\n1,2\n", 1, "1 row, fewer than k = 2"),
    "one column": (b"a\n1\n2\n", 0, "release   2 of"),
    "byte order mark": (b"\xef\xbb\xbfa,b\n1,2\n1,3\n", 0, "s (a, b)"),
    "quoted line breaks": (b'a,b\n"1\n2",x\n"1\n2",y\n', 0, "release   2 of"),
    "markup": (b"<script>,[red]\n[/],2\n[bold],3\n", 0, "s (<script>, [red])"),
    "carriage returns": (b"a,b\r1,2\r1,3\r", 0, "release   2 of"),
    "empty cells": (b"a,b\n,\n,\n", 0, "no cell hidden; 1 group"),
    "semicolons": (b"a;b\n1;2\n1;3\n", 0, "s (a, b)"),
    "tabs": (b"a\tb\n1\t2\n1\t3\n", 0, "s (a, b)"),
}


@pytest.mark.parametrize("what", ODD_TABLES)
def test_an_odd_table_is_a_table(run, what):
    content, code, word = ODD_TABLES[what]
    Path("odd.csv").write_bytes(content)
    found, out, err = run("solve odd.csv --k 2 --quiet --out out.csv --report r.html")
    assert found == code and word in out + err
    if code == 0:
        cells = [len(row) for row in read_table("odd.csv").rows()]
        assert [len(row) for row in read_table("out.csv").rows()] == cells
        check = "verify out.csv --k 2 --original odd.csv --quiet"
        assert run(check)[0] == 0


def test_a_start_that_does_not_fit_is_refused(run):
    solved(run, "solve instance:murakami-uno --k 2 --out two.csv --quiet")
    line = "solve instance:murakami-uno --quiet"
    code, _, err = run(f"{line} --k 3 --initial two.csv")
    assert code == 2 and "fewer than k = 3" in err
    lines = Path("two.csv").read_text().splitlines(keepends=True)
    Path("turned.csv").write_text("".join([lines[0], *reversed(lines[1:])]))
    code, _, err = run(f"{line} --k 2 --initial turned.csv")
    assert code == 2 and "turned.csv" in err and "rows" in err
    Path("cut.csv").write_text("".join(lines[:-1]))
    assert run(f"{line} --k 2 --initial cut.csv")[0] == 2
    code, _, err = run(f"{line} --k 2 --initial two.csv --keep gender,age")
    assert code in (1, 2)
    Path("square.csv").write_text("a,b\nx,1\nx,2\ny,1\ny,2\n")
    line = "solve square.csv --k 2 --quiet"
    solved(run, f"{line} --keep a --out kept.csv")
    solved(run, f"{line} --keep a --initial kept.csv")
    code, _, err = run(f"{line} --keep b --initial kept.csv")
    assert code == 2 and "kept.csv: it stars a column of --keep" in err


def test_a_folder_that_is_not_writable_is_told(run, monkeypatch):
    Path("locked").mkdir()
    monkeypatch.setattr(
        "starmin.instances.io.atomic.os.access", lambda path, mode: False
    )
    code, out, err = run("solve people.csv --k 2 --out locked/out.csv")
    assert (code, out) == (2, "") and "locked is not writable" in err


# The process


def test_help_shows_examples_that_run(run, monkeypatch, jobs_here):
    monkeypatch.setenv("COLUMNS", "200")
    for name, module in (
        ("solve", solve),
        ("bound", bound),
        ("verify", verify),
        ("accuracy-constrained", accuracy_constrained),
        ("reduce", reduce),
        ("lift", lift),
        ("methods", methods),
    ):
        code, out, _ = run(f"{name} --help")
        assert code == 0
        for example in module.EXAMPLES:
            assert example in out
            code, _, err = run(example.removeprefix("starmin "))
            assert code == 0, (example, err)
    assert all(example in run("gap --help")[1] for example in gap.EXAMPLES)
    assert run(gap.EXAMPLES[0].removeprefix("starmin "))[0] == 0
    for line in ("instances list", "instances write"):
        _, out, _ = run(f"{line} --help")
        example = out.split("$ starmin ")[1].split("\n")[0].strip()
        assert run(example)[0] == 0
    assert "solve" in run("--help")[1]


def test_instances_and_methods_are_listed(run):
    code, out, _ = run("instances")
    assert code == 0 and out.splitlines()[1].startswith("hospital\t")
    assert run("instances list")[1] == out
    listed = json.loads(run("instances list --json")[1])
    assert {"name", "description", "source", "parameters"} <= set(listed[0])
    for name in ("hospital", "uniform:n=20,d=2"):
        _, out, _ = run(f"instances write {name} --out a.csv --json")
        assert json.loads(out)["n"] == load_instance(name).n
        assert read_table("a.csv").n == load_instance(name).n
    listed = json.loads(run("methods --json")[1])
    assert {"pattern_ilp", "residue"} <= {method["name"] for method in listed}
    assert run("methods")[1].count("\n") == len(listed) + 1
    assert run("methods --markdown")[1].count("\n") == len(listed) + 2


def test_the_usual_questions(run):
    code, out, err = run("--version")
    assert (code, err) == (0, "") and re.fullmatch(r"starmin [\d.]+\n", out)
    for line in ("", "solve ", "linkage ", "linkage attack "):
        assert run(f"{line}-h") == run(f"{line}--help") != (2, "", "")
    _, _, err = run("solve people.csv --k 2 --objective gold")
    assert "'--objective': 'gold' is not one of 'stars'" in err


def test_completion_stays_on(run, monkeypatch):
    assert "--show-completion" in run("--help")[1]


def start(line: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [STARMIN, *shlex.split(line)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_writes_the_incumbent(answer, tmp_path, number):
    line = "solve instance:uniform:n=3000,d=7,alphabet=5,seed=1 --k 3 --out out.csv"
    line += " --time-limit 3600"
    process = start(f"{line} --json --result found.json", tmp_path)
    process.stderr.readline()
    process.stderr.readline()  # the first incumbent
    time.sleep(0.5)
    process.send_signal(number)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    found = json.loads(out)
    assert found["limit"] == "interrupted" and found["status"] == "feasible"
    line = (
        "verify out.csv --k 3 --original instance:uniform:n=3000,d=7,alphabet=5,seed=1"
    )
    code, check = answer(line)
    assert code == 0 and check["stars"] == found["value"]


def test_the_command_ends_when_its_time_is_up(tmp_path):
    process = start(
        "solve instance:uniform:n=20000,d=6,alphabet=6 --k 5 --time-limit 2 "
        "--out out.csv --json",
        tmp_path,
    )
    out, _ = process.communicate(timeout=60)
    found = json.loads(out)
    assert process.returncode == 0 and found["limit"] == "time"
    assert (tmp_path / "out.csv").read_text().count("*") == found["value"]


def test_a_reader_that_leaves_hears_no_complaint(tmp_path):
    command = f"{shlex.quote(str(STARMIN))} methods --json | true"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert found.stderr == ""


def test_it_runs_as_a_module_and_says_what_was_guessed_at_its_end(tmp_path):
    (tmp_path / "a.csv").write_text("Made by us\na,b\n1,2\n1,2\n")
    line = [sys.executable, "-m", "starmin", "solve", "a.csv", "--k", "11", "--quiet"]
    found = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
    assert found.returncode == 1 and "fewer than k = 11" in found.stdout
    assert "1 line above the names left out" in found.stderr


NOISY = """
import ctypes, os, sys
from starmin.instances.runs.run import Run
search = Run.carry_out
def noisy(*given, **options):
    libc = ctypes.CDLL(None)
    libc.puts(b"C speaks")
    libc.fflush(None)
    libc.puts(b"C keeps that for later")
    os.write(1, b"a descriptor speaks\\n")
    os.system("echo a program speaks")
    print("Python speaks")
    return search(*given, **options)
Run.carry_out = noisy
from starmin.__main__ import script
script()
"""


@pytest.mark.parametrize(
    "line",
    [
        "solve instance:hospital --l 2",
        "bound instance:hospital --k 2",
        "frontier instance:hospital --k 2,3",
    ],
)
def test_stdout_is_one_object_whatever_a_library_prints(tmp_path, line):
    words = [sys.executable, "-c", NOISY, *line.split(), "--json", "--quiet"]
    found = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert isinstance(json.loads(found.stdout), dict)
    assert "Python speaks" in found.stderr
    lines = found.stderr.splitlines()
    assert not {"C", "a"} & {word for line in lines for word in line.split()[:1]}


def test_every_command_takes_quiet():
    waiting = [command.load(name) for name, command in COMMANDS.items()]
    while waiting:
        command = waiting.pop()
        if inside := getattr(command, "commands", None):
            waiting += inside.values()
        else:
            assert "--quiet" in {o for p in command.params for o in p.opts}, command


def test_the_list_of_commands_says_what_each_of_them_says():
    for name, command in COMMANDS.items():
        first = (command.load(name).help or "").split("\n\n")[0]
        assert command.summary == " ".join(first.split())


def test_the_list_of_commands_is_shown_without_loading_any():
    code = "import sys; sys.argv[1:] = ['--help']\n"
    code += "from starmin.cli import app\nassert app.main() == 0\n"
    code += "print([m for m in ('numpy', 'pyarrow') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "solve" in shown.stdout and shown.stdout.endswith("[]\n")


LOADED = """
import sys
from starmin.cli import app
sys.argv[1:] = {line!r}.split()
assert app.main() == 0
print(*sorted(sys.modules))
"""
METHODS_AND_PAGES = {
    *("starmin.models", "starmin.heuristics", "starmin.verify", "starmin.auto"),
    *("starmin.outputs", "starmin.defences", "starmin.gaps", "starmin.report"),
    *("starmin.driver", "pyarrow.parquet", "numba"),
}
NOT_FOR_TEN_ROWS = {
    *("starmin.defences.pad", "starmin.gaps.sweep", "starmin.verify.audit"),
    *("starmin.verify.releases.mask_check", "starmin.outputs.streamed_output"),
    *(
        "starmin.verify.certificates.one_file",
        "starmin.verify.certificates.prices.tree_file",
    ),
    *("starmin.verify.certificates.rule_items", "starmin.models.pricing"),
    *("starmin.models.pattern_ilp.prove", "pyarrow.parquet", "pandas"),
    *("starmin.models.distinct.distinct_search", "starmin.models.patterns.node_walk"),
}
LIGHT = {
    "solve --help": METHODS_AND_PAGES,
    "solve ten.csv --k 2 --out out.csv --quiet": NOT_FOR_TEN_ROWS,
}


@pytest.mark.parametrize("line", LIGHT)
def test_what_a_command_does_not_need_is_not_imported(line, tmp_path):
    rows = [f"{number % 2},{number % 3},{number % 4 // 2}" for number in range(10)]
    (tmp_path / "ten.csv").write_text("\n".join(["a,b,c", *rows]))
    code = [sys.executable, "-P", "-c", LOADED.format(line=line)]
    done = subprocess.run(code, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert all(find_spec(name) for name in LIGHT[line])  # so that it can fail
    assert not LIGHT[line] & {*done.stdout.splitlines()[-1].split()}
