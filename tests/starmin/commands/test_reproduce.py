"""Tests that tables of papers are made again beside the papers' numbers."""

import json
import subprocess
import sys

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


def test_what_is_no_table_is_refused_in_one_line(starmin):
    for words, why in (
        (("Murakami, Uno: Table 80",), "no table 'Murakami, Uno: Table 80' (nearest:"),
        ((), "name a table as in the paper, or --list"),
        (("Murakami, Uno: Table 8", "--list"), "name a table as in the paper, or"),
    ):
        code, out, err = starmin("reproduce", *words)
        assert code == 2 and why in err and err.count("\n") == 1 and not out


def test_experiments_that_need_no_data_run_without_it(tmp_path):
    line = [sys.executable, HOME / "benchmarks" / "all.py", "--quick", "--out", "o"]
    line += ["--only", "matching_settings,definetti"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed over: it needs DATA" in done.stdout
    assert (tmp_path / "o" / "quick" / "matching_settings.done").exists()
