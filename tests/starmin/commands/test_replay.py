"""Tests that groups that were kept are published again, checked and counted anew."""

import json
from pathlib import Path

import pytest

from starmin.cli.app import main

ROWS = "age,sex,ill\n30,f,flu\n31,f,flu\n45,m,cold\n47,m,flu\n47,m,cold\n91,f,flu\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(ROWS)

    def call(line: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["starmin", *line.split()])
        return main(), *capsys.readouterr()

    return call


@pytest.mark.parametrize(
    "asked",
    [
        "--k 2 --sensitive ill",
        "--k 2 --sensitive ill --recoding generalization --numeric age",
    ],
)
def test_the_same_release_without_a_search(asked, run):
    told = f"solve t.csv {asked} --json"
    code, out, _ = run(f"{told} --out a.csv --groups g.csv")
    first = json.loads(out)
    assert code == 0
    code, out, _ = run(f"{told} --replay g.csv --out b.csv --certificate c.json")
    again = json.loads(out)
    assert code == 0 and Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    assert (again["method"], again["value"]) == ("replay", first["value"])
    assert 0 < again["lower_bound"] <= again["value"] and Path("c.json").is_file()


def test_groups_are_kept_while_a_column_is_corrected(run):
    assert run("solve t.csv --k 2 --sensitive ill --groups g.csv")[0] == 0
    Path("t.csv").write_text(ROWS.replace("91,f,flu", "90,m,cold"))
    words = (
        "solve t.csv --k 2 --sensitive ill --replay g.csv --out b.csv --groups h.csv"
    )
    code, out, _ = run(f"{words} --json")
    assert code == 0 and Path("g.csv").read_text() == Path("h.csv").read_text()
    stars = Path("b.csv").read_text().count("*")
    assert json.loads(out)["stars"] == stars
    assert run("verify b.csv --k 2 --sensitive ill --original t.csv")[0] == 0


@pytest.mark.parametrize(
    ("groups", "asked", "said"),
    [
        ("group\n1\n1\n2\n2\n3\n3\n", "--k 3", "2 rows"),
        ("group\n1\n1\n", "--k 2", "g.csv has 2 rows, t.csv has 6"),
        ("row\n1\n1\n2\n2\n3\n3\n", "--k 2", "expected one column `group`"),
        (
            "group\n1\n1\n2\n2\n3\n3\n",
            "--k 2 --recoding nonhomogeneous",
            "has no groups",
        ),
        ("group\n1\n1\n2\n2\n3\n3\n", "--combinations 2:2", "has no groups"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(groups, asked, said, run):
    Path("g.csv").write_text(groups)
    words = "solve t.csv --sensitive ill --replay g.csv --out r.csv"
    code, out, err = run(f"{words} {asked}")
    assert code == 2 and said in err and len(err.splitlines()) == 1, err
    assert not out and not Path("r.csv").exists()


def test_infeasible_is_an_answer(run):
    Path("g.csv").write_text("group\n1\n1\n2\n2\n3\n3\n")
    assert run("solve t.csv --k 7 --replay g.csv")[0] == 1
    code, _, err = run("solve t.csv --k 2 --replay t.csv")
    assert code == 2 and "expected one column" in err
