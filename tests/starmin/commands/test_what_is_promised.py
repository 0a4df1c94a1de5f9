"""Tests that what k and l promise is said as it is: of groups, not of what is known."""

import re
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import starmin
from starmin.cli.app import main
from starmin.heuristics.recoding.anatomy import anatomy
from starmin.instances import LDiversity, Table
from tests.support.places import CASES, HOME
from tests.support.report_pages import Page

SECURITY = (HOME / "docs" / "explanation/security.md").read_text()
CASE = CASES / "five.csv"


def test_the_example_of_the_page_says_what_it_prints(capsys):
    (source,) = re.findall(r"^```python\n(.*?)^```$", SECURITY, re.M | re.S)
    (shown,) = re.findall(r"^```text\n(.*?)^```$", SECURITY, re.M | re.S)
    exec(compile(source, "explanation/security.md", "exec"), {})
    assert capsys.readouterr().out == shown


def test_an_optimum_tells_one_value_for_certain():
    """By brute force: of all originals with this column x and this optimum."""
    table = starmin.read_table(CASE).with_roles(["x"], ["s"])
    release = starmin.solve(table, l=2)
    rows, published = table.rows(), release.published.rows()
    classes = [
        [i for i, row in enumerate(published) if row[0] == x]
        for x in {row[0] for row in published}
    ]
    possible = [set() for _ in rows]
    for values in permutations([s for _, s in rows]):
        other = [(x, s) for (x, _), s in zip(rows, values, strict=True)]
        alike = all(
            sorted(other[i][1] for i in each) == sorted(rows[i][1] for i in each)
            for each in classes
        )
        world = Table.from_rows(["x", "s"], other, ["x"], ["s"])
        if alike and starmin.solve(world, l=2).value == release.value:
            for person, value in zip(possible, values, strict=True):
                person.add(value)
    certain = [i for i, values in enumerate(possible) if len(values) == 1]
    assert [rows[i] for i in certain] == [("a", "HIV")] and published[certain[0]][
        0
    ] == "*"


@pytest.fixture
def guessed_right(monkeypatch):
    monkeypatch.syspath_prepend(HOME / "benchmarks/papers/attacks")
    from definetti import guessed_right

    return guessed_right


def linked(share, n=1200, values=8, seed=0):
    """Rows whose three columns go with the sensitive value in so many cases."""
    rng = np.random.default_rng(seed)
    rows = []
    for value in rng.integers(0, values, n):
        told = rng.random(3) < share
        columns = np.where(told, value, rng.integers(0, values, 3))
        rows.append([*map(str, columns), f"s{value}"])
    return Table.from_rows(["a", "b", "c", "s"], rows, ["a", "b", "c"], ["s"])


@pytest.mark.parametrize("l", [2, 4])
def test_anatomy_falls_where_columns_go_with_values(l, guessed_right):
    for share, least, most in ((0.6, 1.5 / l, 1.0), (0.0, 0.8 / l, 1.25 / l)):
        table = linked(share)
        groups = anatomy(table, LDiversity(l), shuffle_seed=1).best.groups
        right = guessed_right(table, groups.astype(np.int64))
        assert least <= right <= most


def test_no_page_and_no_report_promises_a_confidence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = f"starmin solve {CASE} --sensitive s --l 2 --report r.html --quiet"
    monkeypatch.setattr(sys, "argv", line.split())
    assert main() == 0
    page = Page(Path("r.html").read_text())
    lead = "Of the people who look alike, at most one in two have the same s."
    assert any(lead in text for _, text in page.texts)
    assert "in some releases all but one" in page.text("li")
    pages = [*(HOME / "docs").glob("*.md"), HOME / "README.md"]
    for text in [Path("r.html").read_text(), *(each.read_text() for each in pages)]:
        assert not re.search(
            r"confidence 1/l|probability of (more|at most) (than )?one", text
        )
