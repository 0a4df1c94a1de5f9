"""Tests that one settings file asks the same of every command."""

import json
from pathlib import Path

import pytest

from starmin.cli.app import main

ROWS = """name,age,sex,zip,ill
a,30,f,02139,flu
b,31,f,02138,flu
c,45,m,02134,cold
d,47,m,10001,flu
e,47,m,10002,cold
f,91,f,10003,flu
g,33,f,02139,cold
h,44,m,02138,flu
"""
SETTINGS = """[columns]
name = { role = "identifier" }
age = { role = "quasi-identifier", kind = "numeric", round = 5, top = 90 }
sex = { role = "quasi-identifier" }
zip = { role = "quasi-identifier", hierarchy = "prefix:3,1" }
ill = { role = "sensitive" }
[requirement]
k = 2
[objective]
recoding = "generalization"
[run]
method = "gray_order"
[output]
out = "{table}.public.csv"
"""
ROLES = "--qi age,sex,zip --sensitive ill --drop name"
RANGES = "--numeric age --round age=5 --top age=90 --hierarchy zip=prefix:3,1"
ALL = f"{ROLES} {RANGES} --k 2"
TIMED = "runtime", "seconds", "trajectory", "primal_integral", "mebibytes"
TIMED += ("process_seconds",)
COMMANDS = {
    "risk may.csv": ROLES,
    "frontier may.csv --method gray_order": f"{ALL} --recoding generalization",
    "frontier may.csv --method gray_order --k 2,3": (
        f"{ROLES} {RANGES} --recoding generalization"
    ),
    "bound may.csv --method own_pattern": f"{ALL} --recoding generalization",
    "gap may.csv --methods gray_order --jobs 1": (f"{ALL} --recoding generalization"),
    "verify may.public.csv --original may.csv": ALL,
    "audit may.public.csv --original may.csv": ALL,
}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Call a command in a folder with a table and its settings."""
    monkeypatch.chdir(tmp_path)
    Path("may.csv").write_text(ROWS)
    Path("a.toml").write_text(SETTINGS)

    def call(words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["starmin", *words.split()])
        return main(), *capsys.readouterr()

    return call


def plain(text):
    """What a command says, without seconds and names of outputs."""

    def without(value):
        if isinstance(value, list):
            return [without(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {k: without(v) for k, v in value.items() if k not in TIMED}

    return without(json.loads(text))


@pytest.mark.parametrize("line", COMMANDS)
def test_a_file_asks_what_options_ask(line, run):
    if "public" in line:
        assert run("solve may.csv --recipe a.toml")[0] == 0
    said = [run(f"{line} --json {w}") for w in ("--recipe a.toml", COMMANDS[line])]
    assert [code for code, _, _ in said] == [0, 0], said
    assert plain(said[0][1]) == plain(said[1][1])


def test_options_go_before_the_file_in_every_command(run):
    told = json.loads(run("risk may.csv --recipe a.toml --drop zip --json")[1])
    assert told["qi"] == ["age", "sex"]
    words = "--drop zip --method gray_order --json"
    told = json.loads(run(f"frontier may.csv --recipe a.toml --k 3 {words}")[1])
    assert ([p["requirement"]["k"] for p in told["points"]], told["qi"]) == (
        [3],
        ["age", "sex"],
    )


def test_what_a_command_cannot_ask_is_refused(run):
    text = SETTINGS.replace("k = 2\n", 'k = 2\ncombinations = "1:2"\n')
    Path("a.toml").write_text(text)
    for command in ("frontier", "gap"):
        code, out, err = run(f"{command} may.csv --recipe a.toml")
        assert (code, out) == (2, ""), err
        assert "a.toml: line 9: [requirement] combinations: " in err
        assert f"`starmin {command}` does not take it" in err
    assert run("risk may.csv --recipe a.toml")[0] == 0


def test_a_column_that_nobody_decided_on_is_in_no_release_of_a_frontier(run):
    Path("may.csv").write_text(ROWS.replace("\n", ",x\n").replace("ill,x", "ill,mail"))
    code, out, err = run("frontier may.csv --recipe a.toml --out folder")
    assert (code, out) == (2, "") and "column 'mail' is not in a.toml" in err
    assert not Path("folder").exists()
