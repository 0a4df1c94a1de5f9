"""Tests that the public health table is published as its page says."""

import csv
import shlex
import sys
from pathlib import Path
from typing import Any

from starmin.cli.app import main
from starmin.instances.catalogue.catalogue import cases
from tests.project.pages.test_docs import fenced

PAGE = "how_to/public_health.md"


def test_the_lines_of_the_page_publish_and_check(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    people, checked = fenced(PAGE, "text")
    Path("counties.csv").write_text(people)
    Path("counties.toml").write_text(fenced(PAGE, "toml")[0])
    solve, verify = fenced(PAGE, "console")[0].splitlines()
    solve = solve.replace("--time-limit 20", "--time-limit 2")

    def call(line: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", shlex.split(line.removeprefix("$ ")))
        code = main()
        return code, capsys.readouterr().out

    assert call(solve)[0] == 0
    with Path("released.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2000 and all(row["reported"] != "*" for row in rows)
    large = {f"county {number:02}" for number in range(1, 7)}
    assert {row["county"] for row in rows} <= large | {"*"}
    assert all((row["race"] == "*") == (row["ethnicity"] == "*") for row in rows)
    code, said = call(verify)
    assert code == 0 and "accepted: at least" in said
    table = cases(2000)
    with Path("cases.csv").open("w", newline="") as file:
        csv.writer(file).writerows([table.names, *table.rows()])
    code, said = call(checked)
    assert code == 1 and "county, k = 20000: " in said


def test_a_seed_draws_the_same_cases_everywhere() -> None:
    table = cases(1000, seed=3)
    assert table.rows() == cases(1000, seed=3).rows() != cases(1000).rows()
    died = [row[-1] for row in table.rows() if row[2] == "65+"].count("yes")
    assert died > [row[-1] for row in table.rows() if row[2] == "18-49"].count("yes")
