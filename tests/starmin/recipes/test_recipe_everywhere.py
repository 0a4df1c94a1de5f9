"""Tests that one settings file asks the same of every command."""

import json
from pathlib import Path

import pytest

from starmin.cli.app import main
from tests.starmin.recipes.test_recipe import ROWS

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


def test_the_next_table_is_told_from_the_one_that_settings_were_made_for(run):
    """New values and another distribution, a line each; nothing of the same table."""
    june = ["age,town,ill"] + [f"{20 + i % 40},{'AAB'[i % 3]},flu" for i in range(240)]
    july = ["age,town,ill"] + [f"{40 + i % 40},{'ABB'[i % 3]},flu" for i in range(240)]
    july[7], july[8] = "50,Ostend,flu", "51,B,gout"
    Path("june.csv").write_text("\n".join(june))
    Path("july.csv").write_text("\n".join(july))
    assert run("new june.csv --sensitive ill --k 2 --out june.toml")[0] == 0
    words = "--recipe june.toml --method gray_order --quiet --save-recipe {}.toml"
    told = [run(f"solve {m}.csv {words.format(m + '2')}") for m in ("june", "july")]
    assert [code for code, _, _ in told] == [0, 0], told
    assert "beside" not in told[0][2]
    lines = [s for s in told[1][2].splitlines() if "beside june.csv: " in s]
    assert [line.split("beside june.csv: column ")[1] for line in lines] == [
        "'age': values up to 47 have 19 % of the rows, had 70 %",
        "'town': new values: 'Ostend' (1 row)",
        "'town': 'A' has 33 % of the rows, had 67 %",
        "'ill': new values: 'gout' (1 row)",
    ]
    assert (
        "beside"
        not in run(
            f"solve july.csv {words.format('b')}".replace("june.toml", "july2.toml")
        )[2]
    )
    Path("june.csv").unlink()
    assert "june.csv is not there any more" in run(f"solve july.csv {words}")[2]
