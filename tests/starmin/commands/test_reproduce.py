"""Tests that tables of papers are made again beside the papers' numbers."""

import json

import pytest

from starmin.commands import reproduce
from starmin.commands.reproduce import SHOWN
from tests.support.places import HOME

REPRODUCED = (HOME / "docs" / "reproduction.md").read_text("utf-8")


def test_what_is_listed_is_of_the_papers(starmin):
    code, out, _ = starmin("reproduce", "--list", "--json")
    listed = json.loads(out)
    assert code == 0 and [each["name"] for each in listed] == [s.name for s in SHOWN]
    for shown in SHOWN:
        authors, item = shown.name.split(": ")
        section = REPRODUCED.partition(f"## {authors} ")[2].partition("\n## ")[0]
        named = item.partition(" (")[0]
        number = int(named.split()[1])
        assert f"| {named} |" in section or 1 <= number <= 3, shown.name
        assert all(len(row) == len(shown.values) for row in shown.paper.values())


def test_the_examples_of_the_papers_are_complete(starmin):
    for name, value in (
        ("Chakaravarthy, Pandit, Sabharwal: Figure 1", 4),
        ("murakami, uno:  table 5", 15),
        ("Murakami, Uno: Table 6", 12),
    ):
        code, out, _ = starmin("reproduce", name, "--json", "--quiet")
        found = json.loads(out)
        assert code == 0 and found["status"] == "complete"
        (row,) = found["rows"]
        assert row["optimum"] == row["optimum, paper"] == value


def test_a_smaller_table_says_that_it_is_part(starmin):
    asked = ("--rows", "300", "--quiet")
    code, out, _ = starmin("reproduce", "Xiao, Yi, Tao: Figure 2 (SAL)", *asked)
    assert code == 0 and "part: 300 of 600,000 rows; one choice of columns" in out
    code, out, _ = starmin("reproduce", "Murakami, Uno: Table 8", *asked, "--json")
    rows = json.loads(out)["rows"]
    assert [row["k"] for row in rows] == list(range(3, 11))
    assert all(0 < row["Two-phase"] <= row["Wong's"] <= 1 for row in rows)
    assert rows[0]["Two-phase, paper"] == 0.12


def test_every_table_is_made_of_a_few_rows(starmin):
    for shown in SHOWN:
        asked = () if shown.rows < 100 else ("--rows", "200")
        code, out, _ = starmin("reproduce", shown.name, *asked, "--quiet", "--json")
        rows = json.loads(out)["rows"]
        assert code == 0 and len(rows) == len(shown.values)
        for at, row in enumerate(rows):
            assert all(row[head] > 0 for head in shown.methods), shown.name
            told = [row.get(f"{head}, paper") for head in shown.paper]
            assert told == [values[at] for values in shown.paper.values()]


def test_what_is_no_table_is_refused_in_one_line(starmin):
    for words, why in (
        (("Murakami, Uno: Table 80",), "no table 'Murakami, Uno: Table 80' (nearest:"),
        ((), "name a table as in the paper, --list, or --all"),
        (("Murakami, Uno: Table 8", "--list"), "name a table as in the paper, "),
    ):
        code, out, err = starmin("reproduce", *words)
        assert code == 2 and why in err and err.count("\n") == 1 and not out


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A clone with three experiments, and the folder of what they write."""
    clone = tmp_path / "benchmarks"
    clone.mkdir()
    (clone / "beside.py").write_text("SAID = 'said'\n")
    (clone / "one.py").write_text(
        "import sys, beside\nprint(beside.SAID, sys.argv[1:])\n"
    )
    (clone / "two.py").write_text("raise SystemExit(3)\n")
    (clone / "experiments.toml").write_text(
        """
[first]
script = "one"
minutes = 1
arguments = "--store {out}.csv"
quick = "--small {all}"
page = "docs/data"
[second]
script = "one"
minutes = 1
arguments = "{data}"
needs = ["adult.csv", "more.csv"]
[third]
script = "two"
minutes = 1
"""
    )
    monkeypatch.setattr(reproduce, "BENCHMARKS", clone)
    return tmp_path / "o"


def test_experiments_run_where_what_they_need_is_there_and_go_on(starmin, small):
    asked = ("reproduce", "--all", "--out", small, "--json")
    code, out, _ = starmin(*asked)
    ended = json.loads(out)
    assert code == 1 and ended["first"].endswith(" s")
    assert ended["second"] == "passed over: it needs --data, with adult.csv, more.csv"
    assert ended["third"] == f"failed (3); see {small / 'third.log'}"
    said = (small / "first.log").read_text()
    assert said == f"said ['--store', '{small / 'first'}.csv']\n"
    data = small.parent / "data"
    data.mkdir()
    (data / "adult.csv").touch()
    (small.parent / "benchmarks" / "two.py").write_text("")
    code, out, _ = starmin(*asked, "--data", data)
    ended = json.loads(out)
    assert code == 0 and ended["first"] == "done before"
    assert ended["second"] == f"passed over: no {data / 'more.csv'}"
    assert {each.name for each in small.glob("*.done")} == {"first.done", "third.done"}
    asked = ("first", "--out", small, "--quick", "--pages")
    code, out, _ = starmin("reproduce", *asked)
    assert code == 0 and out.startswith("first ")
    said = (small / "quick" / "first.log").read_text()
    home = small.parent / "docs" / "data"
    assert said == f"said ['--small', '{small / 'quick'}', '--write', '{home}']\n"


def test_what_experiments_need_is_said_in_one_line(starmin, small):
    for words, why in (
        (("--all",), "name --out, the folder"),
        (("first", "--out", small, "--rows", "100"), "--rows is for tables"),
        (("first", "--out", small, "--data", "none"), "none: no such folder"),
        (("Murakami, Uno: Table 5", "--quick"), "are for experiments"),
        (("thirt", "--out", small), "(nearest: 'third')"),
    ):
        code, out, err = starmin("reproduce", *words)
        assert code == 2 and why in err and err.count("\n") == 1 and not out
    assert not small.exists()
    code, out, _ = starmin("reproduce", "--all", "--list")
    assert code == 0 and "second\tbenchmarks/one.py\t1\tadult.csv, more.csv" in out
    (small.parent / "benchmarks" / "experiments.toml").unlink()  # as where installed
    for words in (("--all", "--list"), ("--all", "--out", small)):
        code, _, err = starmin("reproduce", *words)
        assert code == 2 and "scripts of a clone" in err and err.count("\n") == 1
