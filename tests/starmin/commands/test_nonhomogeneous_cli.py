"""Tests that non-homogeneous releases go from solve to verify on the command line."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import starmin
from starmin.cli.app import main
from starmin.instances import KAnonymity, NonHomogeneous, NonHomogeneousRelease
from starmin.instances.catalogue.catalogue import load_instance
from starmin.verify.nonhomogeneous.check_nonhomogeneous import check_nonhomogeneous
from tests.support.effort import patiently

STRUCK = """
import os, sys
from starmin.cli.app import script
from importlib import import_module
todo = import_module("starmin.heuristics.nonhomogeneous.blocks")._Todo
number, left = int(sys.argv.pop(1)), int(sys.argv.pop(1))
keep = todo.keep
def keep_and_strike(self, block, solved):
    global left
    keep(self, block, solved)
    left -= 1
    if left == 0:
        os.kill(os.getpid(), number)
todo.keep = keep_and_strike
script()
"""
PAPER = "instance:murakami-uno"
RECODING = ("--recoding", "nonhomogeneous")


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["starmin", *words, "--quiet"])
        code = main()
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_the_paper_has_12_stars_where_groups_need_15(run):
    code, out, _ = run("solve", PAPER, "--k", "2", *RECODING, "--json")
    found = json.loads(out)
    assert (code, found["value"], found["status"]) == (0, 12, "optimal")
    assert found["recoding"] == "nonhomogeneous" and found["groups"] is None
    _, out, _ = run("solve", PAPER, "--k", "2", "--json")
    assert json.loads(out)["value"] == 15


def test_what_is_solved_is_verified_with_its_certificate(run):
    written = ("--out", "r.csv", "--certificate", "c.json")
    assert run("solve", PAPER, "--k", "2", *RECODING, *written)[0] == 0
    claims = ("--original", PAPER, "--certificate", "c.json")
    code, out, _ = run("verify", "r.csv", "--k", "2", *RECODING, *claims, "--json")
    check = json.loads(out)
    assert code == 0 and check["holds"] and check["consistent"] and check["k"] == 2
    verdict = check["certificate"]
    assert (verdict["accepted"], verdict["bound"], verdict["why"]) == (True, 12, None)
    code, out, _ = run("verify", "r.csv", "--k", "3", *RECODING, "--original", PAPER)
    assert code == 1 and "7 rows of the original need 21 pairs" in out
    # It is not 2-anonymous by groups; the bound holds for groups as well.
    assert run("verify", "r.csv", "--k", "2", *claims)[0] == 1


def test_a_certificate_for_groups_is_refused(run):
    certified = ("--certificate", "c.json")
    assert run("bound", PAPER, "--k", "2", *certified)[0] == 0
    assert run("solve", PAPER, "--k", "2", *RECODING, "--out", "r.csv")[0] == 0
    claims = ("--original", PAPER, *certified)
    code, out, _ = run("verify", "r.csv", "--k", "2", *RECODING, *claims, "--json")
    assert code == 1
    assert "groups only" in json.loads(out)["certificate"]["why"]


def test_a_release_is_a_start_and_is_never_made_worse(run):
    assert run("solve", PAPER, "--k", "2", *RECODING, "--out", "r.csv")[0] == 0
    start = ("--initial", "r.csv", "--time-limit", "0")
    words = ("solve", PAPER, "--k", "2", *RECODING, *start, "--json")
    code, out, _ = run(*words, "--method", "matching_cp_sat")
    assert code == 0 and json.loads(out)["value"] == 12
    code, _, err = run("solve", PAPER, "--k", "3", *RECODING, "--initial", "r.csv")
    assert code == 2 and "fewer than k = 3 matchings" in err
    head, *rows = Path("r.csv").read_text().splitlines(keepends=True)
    Path("cut.csv").write_text("".join([head, *rows[:-1]]))
    code, _, err = run("solve", PAPER, "--k", "2", *RECODING, "--initial", "cut.csv")
    assert code == 2 and "--initial: cut.csv: " in err
    Path("square.csv").write_text("a,b\nx,1\nx,2\ny,1\ny,2\n")
    line = ("solve", "square.csv", "--k", "2", *RECODING)
    assert run(*line, "--keep", "a", "--out", "kept.csv")[0] == 0
    assert run(*line, "--keep", "a", "--initial", "kept.csv")[0] == 0
    code, _, err = run(*line, "--keep", "b", "--initial", "kept.csv")
    assert code == 2 and "kept.csv: it stars a column that is to be kept" in err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("solve", PAPER, "--l", "2"), "KAnonymity only"),
        (("solve", PAPER, "--k", "2", "--groups", "g.csv"), "no groups"),
        (("solve", PAPER, "--k", "2", "--method", "mondrian"), "for the recoding"),
        (("solve", PAPER, "--k", "2", "--star", "M"), "star symbol"),
    ],
)
def test_what_makes_no_sense_is_refused(run, words, why):
    code, _, err = run(*words, *RECODING)
    assert code == 2 and why in err and err.count("\n") == 1


def test_verify_needs_the_public_table(run):
    assert run("solve", PAPER, "--k", "2", *RECODING, "--out", "r.csv")[0] == 0
    code, _, err = run("verify", "r.csv", "--k", "2", *RECODING)
    assert code == 2 and "--original" in err
    _, _, err = run("solve", PAPER, "--k", "2", "--method", "pair_matching")
    assert "pair_matching is for the recoding nonhomogeneous" in err


def test_bound_and_infeasible(run):
    code, out, _ = run("bound", PAPER, "--k", "2", *RECODING, "--json")
    assert code == 0 and json.loads(out)["lower_bound"] == 12
    code, out, _ = run("solve", PAPER, "--k", "8", *RECODING, "--json")
    assert code == 1 and json.loads(out)["reason"] == "7 rows, fewer than k = 8"


def test_a_killed_run_goes_on_from_its_finished_blocks(run, tmp_path):
    table = "instance:normal:n=1500,d=7,seed=1"
    cut = ("--block-size", "75", "--checkpoint", "kept", "--workers", "2")
    words = (
        "solve",
        table,
        "--k",
        "4",
        *RECODING,
        "--method",
        "blocks",
        *cut,
        "--json",
    )

    def strike(number: int, more: int) -> tuple[int, str]:
        """Send a signal when there are so many more blocks; exit code and output."""
        command = [sys.executable, "-c", STRUCK, str(int(number)), str(more)]
        command += [*words, "--out", "r.csv"]
        ended = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        return ended.returncode, ended.stdout

    def kept() -> dict[str, int]:
        files = tmp_path.glob("kept/*.npy")
        return {file.name: file.stat().st_mtime_ns for file in files}

    assert strike(signal.SIGKILL, 2)[0] == -signal.SIGKILL
    first = kept()
    assert 2 <= len(first) < 20 and not (tmp_path / "r.csv").exists()
    code, out = strike(signal.SIGTERM, 2)
    assert code == 130 and json.loads(out)["limit"] == "interrupted"
    claims = ("--k", "4", *RECODING, "--original", table)
    assert run("verify", "r.csv", *claims)[0] == 0
    code, resumed, _ = run(*words)
    assert code == 0 and len(kept()) == 20 and first.items() <= kept().items()
    assert json.loads(resumed)["value"] < json.loads(out)["value"]
    words = [word.replace("kept", "other") for word in words]
    _, fresh, _ = run(*words)
    assert json.loads(fresh)["value"] == json.loads(resumed)["value"]


def test_auto_cuts_where_blocks_are_asked_for(run, tmp_path):
    words = ("solve", "instance:normal:n=400,d=4", "--k", "3", *RECODING, "--json")
    code, out, _ = run(*words, "--block-size", "100", "--checkpoint", "kept")
    assert code == 0 and json.loads(out)["method"] == "blocks"
    assert json.loads(out)["lower_bound"] > 0 and len(list(tmp_path.iterdir())) == 1
    (tmp_path / "file").write_text("")
    for wrong in (("--checkpoint", "file"), ("--block-size", "4")):
        code, _, err = run(*words, "--method", "blocks", *wrong)
        assert code == 2 and err.count("\n") == 1


def test_ranges_and_nodes_go_from_solve_to_verify(run, tmp_path):
    rows = ["31,cat,x", "35,dog,x", "42,rat,y", "47,cat,y", "60,hen,x", "61,dog,y"]
    (tmp_path / "t.csv").write_text("\n".join(["age,pet,city", *rows, ""]))
    tree = ("--hierarchy", "pet={tame{cat,dog},farm{rat,hen}}")
    told = ("--k", "2", *RECODING, "--numeric", "age", *tree)
    code, out, _ = run("solve", "t.csv", *told, "--out", "r.csv", "--json")
    found = json.loads(out)
    assert code == 0 and found["objective"] == "gcp"
    cells = (tmp_path / "r.csv").read_text()
    assert "[31-35],tame,x" in cells
    code, out, _ = run("verify", "r.csv", "--original", "t.csv", *told, "--json")
    check = json.loads(out)
    assert code == 0 and check["consistent"]
    assert check["gcp"] == pytest.approx(found["gcp"]) == found["value"]
    start = ("--initial", "r.csv", "--time-limit", "0", "--json")
    assert json.loads(run("solve", "t.csv", *told, *start)[1])["gcp"] <= check["gcp"]
    (tmp_path / "r.csv").write_text(cells.replace("[31-35]", "[31-34]"))
    assert run("verify", "r.csv", "--original", "t.csv", *told)[0] == 1
    code, _, err = run("solve", "t.csv", *told, "--objective", "stars")
    assert code == 2 and "--objective gcp" in err


def test_auto_takes_rings_in_good_groups_where_they_are_ahead():
    table = load_instance("census:n=600,sensitive=none,seed=3")
    given = {"k": 10, "recoding": "nonhomogeneous"}
    alone = starmin.solve(table, method="rematching", **given)
    result = patiently(
        lambda seconds: starmin.solve(table, time_limit=seconds, **given),
        lambda result: result.stats["method"] == "ring" and result.value < alone.value,
        1.0,
    )
    assert result.best.violation(table, KAnonymity(10)) is None


def test_auto_takes_rings_in_good_groups_for_losses():
    table = load_instance("census:n=600,sensitive=none,seed=3")
    given = {"k": 5, "recoding": "nonhomogeneous", "numeric": ["age"]}
    alone = starmin.solve(table, method="rematching", **given)
    result = patiently(
        lambda seconds: starmin.solve(table, time_limit=seconds, **given),
        lambda result: (
            result.stats["method"] == "ring"
            and result.value < alone.value
            and (result.certified_bound or 0) > 0
        ),
        1.0,
    )
    assert result.best.violation(table, KAnonymity(5)) is None
    assert result.certified_bound <= result.value


def test_the_face_takes_the_recoding():
    table = load_instance("uniform:n=60,d=4,alphabet=3,seed=1")
    result = starmin.solve(table, k=3, recoding="nonhomogeneous", time_limit=2)
    assert isinstance(result.best, NonHomogeneous)
    published = NonHomogeneousRelease(table, result.best).published
    assert check_nonhomogeneous(published, table).k >= 3
    assert result.certified_bound == result.lower_bound <= result.value
