"""Tests that starmin accuracy-constrained keeps its bound and tells the privacy."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from starmin.auto.dispatch import ACCURACY_CONSTRAINED_METHODS
from starmin.commands import accuracy_constrained as command
from starmin.heuristics.accuracy_constrained import accuracy_constrained
from starmin.heuristics.accuracy_constrained import accuracy_constrained as bounded_k
from starmin.heuristics.recoding import mondrian
from tests.support.places import HOME


@pytest.fixture
def run(by_line):
    """Run a command in a folder of its own: exit code, stdout, stderr."""
    ages = [20, 21, 22, 40, 41, 42, 70, 75]
    rows = [f"{a},{s}" for a, s in zip(ages, "aabbbaab", strict=True)]
    Path("people.csv").write_text("\n".join(["age,ill", *rows]) + "\n")
    return by_line


def others(err: str) -> str:
    """What is said besides that ends of ranges are people's values."""
    lines = err.splitlines(keepends=True)
    return "".join(line for line in lines if "range ends of age" not in line)


COMMAND = "accuracy-constrained people.csv"
BASE = f"{COMMAND} --sensitive ill --numeric age"


@pytest.mark.parametrize("method", ACCURACY_CONSTRAINED_METHODS)
def test_the_release_has_the_privacy_and_keeps_the_bound(run, method) -> None:
    code, out, err = run(
        f"{BASE} --max-loss 0.1 --method {method} --out r.csv --groups g.csv --json"
    )
    assert (code, others(err)) == (0, "")
    found = json.loads(out)
    assert found["largest_loss"] <= 0.1 and found["out"] == "r.csv"
    assert found["method"] == method and found["limit"] is None
    code, out, _ = run("verify r.csv --qi age --sensitive ill --numeric age --json")
    checked = json.loads(out)
    # Groups that are published alike are one class for the checker.
    assert checked["l"] >= found["l"] and checked["k"] >= found["k"]
    assert checked["gcp"] == pytest.approx(found["gcp"])
    if method == "ac":
        assert found["privacy"] == found["l"] == 1.5 and found["groups"] == 3


def test_without_a_sensitive_column_it_finds_k(run) -> None:
    line = f"{COMMAND} --drop ill --numeric age --max-loss"
    for bound, k in ((0, 1), (0.1, 2), (0.6, 3), (1, 8)):
        code, out, _ = run(f"{line} {bound} --json")
        found = json.loads(out)
        assert code == 0 and found["l"] is None and found["method"] == "k"
        assert found["privacy"] == found["k"] == k


def test_dual_is_another_name_of_the_command(run) -> None:
    line = BASE.replace("accuracy-constrained", "dual")
    found = [json.loads(run(f"{b} --max-loss 0.1 --json")[1]) for b in (BASE, line)]
    for each in found:
        del each["runtime"]
    assert found[0] == found[1]
    code, out, _ = run("--help")
    assert code == 0 and " accuracy-constrained " in out and " dual " in out
    assert "another name" in " ".join(run("dual --help")[1].split())


@pytest.mark.parametrize(
    ("method", "told"),
    [
        ("k", "warning: k takes no time limit (it runs to its end)"),
        ("ipcsd-mondrian", "takes no seed (nothing in it is random)"),
        ("ac", ""),
        ("auto", ""),
    ],
)
def test_an_option_without_effect_is_told_in_one_line(run, method, told) -> None:
    line = f"{COMMAND} --drop ill" if method == "k" else BASE
    end = f"--numeric age --max-loss 0.1 --method {method}"
    assert others(run(f"{line} {end}")[2]) == ""
    code, _, err = run(f"{line} {end} --seed 1 --time-limit 20")
    err = others(err)
    assert code == 0 and told in err and err.count("\n") == bool(told)


def test_permutation_and_lines_to_read(run) -> None:
    code, out, _ = run(f"{BASE} --max-loss 0.5 --recoding permutation --out r.csv")
    assert code == 0 and "l = " in out and Path("r.csv.sa.csv").exists()
    assert run("verify r.csv --recoding permutation")[0] == 0


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"{BASE} --max-loss 2", "max-loss"),
        (f"{BASE} --max-loss 0.5 --method nearest", "these are: k_dual, "),
        (f"{BASE} --max-loss 0.5 --recoding nonhomogeneous", "recoding"),
        (f"{COMMAND} --max-loss 0.5 --method ac", "one sensitive column, got 0"),
        (f"{COMMAND} --sensitive ill --numeric ill --max-loss 1", "'ill'"),
    ],
)
def test_bad_usage_is_one_line(run, line: str, why: str) -> None:
    code, out, err = run(line)
    assert code == 2 and out == "" and err.count("\n") == 1 and why in err


# Where the search is interrupted, and the privacy of what was found until then.
PLACES = {
    "before any groups": (accuracy_constrained, "space_along", "ac", 1, 2.0),
    "while rows move": (accuracy_constrained, "adjust_groups", "ac", 1, 2.0),
    "in the search over l": (mondrian, "mondrian", "ipcsd-mondrian", 1, 1.0),
    "with l found": (mondrian, "mondrian", "ipcsd-mondrian", 3, 2.0),
    "while it is written": (command, "publish", "ac", 1, 2.0),
}


def interrupt(monkeypatch, place, name, call: int, times: int = 1) -> None:
    """Strike when a function is called for the so-manieth time."""
    work, calls = getattr(place, name), []

    def struck(*given, **options):
        calls.append(name)
        if call <= len(calls) < call + times:
            signal.raise_signal(signal.SIGINT)
        return work(*given, **options)

    monkeypatch.setattr(place, name, struck)


@pytest.mark.parametrize("where", PLACES)
def test_an_interrupt_leaves_the_best_groups_so_far(run, monkeypatch, where) -> None:
    place, name, method, call, privacy = PLACES[where]
    interrupt(monkeypatch, place, name, call)
    ages, ills = (20, 21, 22, 40, 41, 42, 70, 75), "aabcbacb"
    rows = [f"{a},{s}" for a, s in zip(ages, ills, strict=True)]
    Path("people.csv").write_text("\n".join(["age,ill", *rows]) + "\n")
    line = f"{BASE} --max-loss 0.4 --method {method} --out r.csv --groups g.csv"
    code, out, err = run(f"{line} --json")
    assert (code, others(err)) == (130, "")
    found = json.loads(out)
    stopped = None if where == "while it is written" else "interrupted"
    assert (found["limit"], found["privacy"]) == (stopped, privacy)
    assert found["method"] == method and found["largest_loss"] <= 0.4
    check = "verify r.csv --qi age --sensitive ill --numeric age --json"
    code, out, _ = run(f"{check} --original people.csv")
    checked = json.loads(out)
    assert code == 0 and checked["gcp"] == pytest.approx(found["gcp"])
    assert {path.name for path in Path().iterdir()} == {"people.csv", "r.csv", "g.csv"}


def test_an_interrupt_without_a_sensitive_column(run, monkeypatch) -> None:
    interrupt(monkeypatch, bounded_k, "space_along", 1)
    line = f"{COMMAND} --drop ill --numeric age --max-loss 0.1"
    code, out, _ = run(line)
    assert (
        code == 130 and "privacy   k = " in out and "the search was interrupted" in out
    )


def test_a_second_interrupt_leaves_nothing(run, monkeypatch) -> None:
    interrupt(monkeypatch, command, "publish", 1)
    interrupt(monkeypatch, accuracy_constrained, "space_along", 1)
    code, out, err = run(f"{BASE} --max-loss 0.1 --out r.csv --groups g.csv")
    assert (code, out, err) == (130, "", "")
    assert [path.name for path in Path().iterdir()] == ["people.csv"]


STRUCK = """
import os, sys
from importlib import import_module
from starmin.cli.app import script
module = import_module("starmin.heuristics.accuracy_constrained.presets")
number, asked = int(sys.argv.pop(1)), module._asked
def ask_and_strike(l):
    module._asked = asked
    os.kill(os.getpid(), number)
    return asked(l)
module._asked = ask_and_strike
script()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_process_that_is_interrupted_publishes(tmp_path, number) -> None:
    line = "instance:census:n=20000 --numeric age --max-loss 0.3 --out r.csv --json"
    line += " --method ipcsd-mondrian"
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", STRUCK, str(int(number))),
            *("accuracy-constrained", *line.split()),
        ],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HOME)},
    )
    out, err = process.communicate(timeout=600)
    assert (process.returncode, others(err)) == (130, "")
    found = json.loads(out)
    assert found["limit"] == "interrupted" and found["largest_loss"] <= 0.3
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 20_001
