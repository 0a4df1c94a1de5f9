"""Tests that starmin dual keeps its bound, and says truly how much privacy there is."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from starmin.cli import main
from starmin.dual import DUAL_METHODS


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in a folder of its own: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    ages = [20, 21, 22, 40, 41, 42, 70, 75]
    rows = [f"{a},{s}" for a, s in zip(ages, "aabbbaab", strict=True)]
    Path("people.csv").write_text("\n".join(["age,ill", *rows]) + "\n")

    def call(line: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
        code = main()
        written = capsys.readouterr()
        return code, written.out, written.err

    return call


BASE = "dual people.csv --sensitive ill --numeric age"


@pytest.mark.parametrize("method", DUAL_METHODS)
def test_the_release_has_the_privacy_and_keeps_the_bound(run, method) -> None:
    code, out, err = run(
        f"{BASE} --max-loss 0.1 --method {method} --out r.csv --groups g.csv --json"
    )
    assert (code, err) == (0, "")
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
    line = "dual people.csv --drop ill --numeric age --max-loss"
    for bound, k in ((0, 1), (0.1, 2), (0.6, 3), (1, 8)):
        code, out, _ = run(f"{line} {bound} --json")
        found = json.loads(out)
        assert code == 0 and found["l"] is None and found["method"] == "k"
        assert found["privacy"] == found["k"] == k


def test_permutation_and_lines_to_read(run) -> None:
    code, out, _ = run(f"{BASE} --max-loss 0.5 --recoding permutation --out r.csv")
    assert code == 0 and "l = " in out and Path("r.csv.sa.csv").exists()
    assert run("verify r.csv --recoding permutation")[0] == 0


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"{BASE} --max-loss 2", "max-loss"),
        (f"{BASE} --max-loss 0.5 --method nearest", "these are: ac, "),
        (f"{BASE} --max-loss 0.5 --recoding nonhomogeneous", "recoding"),
        ("dual people.csv --max-loss 0.5 --method ac", "one sensitive column, got 0"),
        ("dual people.csv --sensitive ill --numeric ill --max-loss 1", "'ill'"),
    ],
)
def test_bad_usage_is_one_line(run, line: str, why: str) -> None:
    code, out, err = run(line)
    assert code == 2 and out == "" and err.count("\n") == 1 and why in err
