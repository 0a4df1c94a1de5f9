"""Tests of starmin check: the checker of one file as a command."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from starmin.cli.app import main

PEOPLE = "age,sex,ill\n30,f,no\n30,m,no\n31,f,yes\n32,m,no\n40,f,yes\n41,f,no\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text(PEOPLE)
    return tmp_path


def run(monkeypatch, capsys, line):
    """Exit code, stdout and stderr of a command."""
    monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
    code, said = main(), capsys.readouterr()
    return code, said.out, said.err


SOLVE = "solve p.csv --qi age,sex --k 2 --out r.csv --certificate c.json --quiet"


def test_proofs_are_accepted_refused_or_unknown(here, monkeypatch, capsys):
    assert run(monkeypatch, capsys, SOLVE)[0] == 0
    code, out, _ = run(monkeypatch, capsys, "check c.json --original p.csv")
    proof = json.loads(Path("c.json").read_text())
    assert code == 0 and f"fewer than {proof['bound']} stars" in out
    Path("d.json").write_text(json.dumps(proof | {"bound": proof["bound"] + 1}))
    code, out, _ = run(monkeypatch, capsys, "check d.json --original p.csv")
    assert code == 1 and out.startswith("refused: it claims")
    Path("e.json").write_text(json.dumps(proof | {"kind": "a kind to come"}))
    code, out, _ = run(monkeypatch, capsys, "check e.json --original p.csv")
    assert code == 3 and "cannot be checked here" in out


def test_hierarchies_are_named(here, monkeypatch, capsys):
    lines = [f"{age};{age[0]}*;*" for age in ("30", "31", "32", "40", "41")]
    Path("age.csv").write_text("\n".join(lines) + "\n")
    told = "--recoding generalization --objective gcp --hierarchy age=age.csv"
    assert run(monkeypatch, capsys, f"{SOLVE} {told}")[0] == 0
    line = "check c.json --original p.csv --hierarchy age=age.csv"
    code, out, _ = run(monkeypatch, capsys, line)
    assert code == 0 and "loses less than" in out


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("check c.json --original none.csv", "none.csv"),
        ("check none.json --original p.csv", "none.json"),
        ("check p.csv --original p.csv", "p.csv"),
        ("check c.json --original two.csv", "two columns have the same name"),
        ("check c.json --original p.csv --hierarchy age", "expected COLUMN=FILE"),
        ("check c.json", "--original"),
    ],
)
def test_bad_input_is_one_line(here, monkeypatch, capsys, line, why):
    Path("c.json").write_text("{}")
    Path("two.csv").write_text("a,a\n1,2\n")
    code, out, err = run(monkeypatch, capsys, line)
    assert code == 2 and why in err and err.count("\n") == 1 and not out


def test_no_solver_and_no_loop_is_loaded(here):
    Path("c.json").write_text("[]")
    seen = (
        "import sys; from starmin.cli.app import main; sys.argv = ['starmin', 'check', "
        "'c.json', '--original', 'p.csv']; main(); "
        "print(sorted({'numba', 'highspy', 'ortools', 'scipy'} & {*sys.modules}))"
    )
    line = [sys.executable, "-P", "-c", seen]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
