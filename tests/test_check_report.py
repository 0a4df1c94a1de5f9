"""Tests that a check of any release has a page like that of the run that made one."""

import csv
import random
from pathlib import Path

import pytest

from tests.fuzzing import starmin
from tests.test_report_recounted import Tables

PEOPLE = "people.csv"


@pytest.fixture
def people(tmp_path, monkeypatch):
    """A table of 60 people, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(3)
    rows = [
        [
            draw.randint(20, 39),
            draw.choice("fm"),
            draw.choice("abc"),
            draw.choice("tuvw"),
        ]
        for _ in range(60)
    ]
    _write(PEOPLE, rows)
    return rows


def _write(path, rows):
    with Path(path).open("w", newline="") as file:
        csv.writer(file).writerows([["age", "sex", "town", "ill"], *rows])


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("--k 3", ""),
        (
            "--k 3 --recoding generalization",
            "--numeric age --hierarchy town={ab{a,b},c}",
        ),
        ("--l 2 --recoding permutation", ""),
        ("--k 2 --recoding nonhomogeneous", ""),
        ("--k 3 --delete-rows 1", ""),
    ],
)
def test_its_tables_are_those_of_the_run(people, asked, told):
    words = ["--sensitive", "ill", *asked.split(), *told.split()]
    beside = ["--report-population", PEOPLE, "--check", "age ~ sex + town"]
    made = "--out", "out.csv", "--time-limit", "60", "--quiet"
    code, _, said = starmin(
        "solve", PEOPLE, *words, *made, "--report", "a.html", *beside
    )
    assert code == 0, said
    original = "--original", PEOPLE
    report = "--report", "b.html", *beside
    code, _, said = starmin("verify", "out.csv", *words, *original, *report)
    assert code == 0, said
    run, check = (Path(name).read_text("utf-8") for name in ("a.html", "b.html"))
    known, found = Tables(run).tables, Tables(check).tables
    apart = {"findings"} | ({"risk"} if "permutation" in asked else set())
    assert {*known} - apart == {*found} - apart and len(known) > 5
    for name in {*known} - apart:
        assert _texts(found[name]) == _texts(known[name]), name
    for heading in ("columns-part", "learned", "worth-part", "expert"):
        assert f'id="{heading}"' in check
    assert "This page speaks of the original" in check


def _texts(rows):
    """What people read; sums may differ in their last digit, and so in their order."""
    return sorted([cell[0] for cell in row] for row in rows)


def test_a_release_of_anybody_is_told_of_as_far_as_it_is_known(people):
    known = [[age // 10 * 10, sex, "*", ill] for age, sex, _, ill in people]
    _write("out.csv", known)
    columns = "--qi", "age,sex,town", "--report", "page.html"
    code, _, _ = starmin("verify", "out.csv", *columns, "--k", "50")
    page = Path("page.html").read_text("utf-8")
    assert code == 1 and "does not keep what was asked" in page
    assert "No original was named" in page and "worth-part" not in page
    sizes = [sum(a[:2] == b[:2] for b in known) for a in known]
    cells = Tables(page).rows("risk-change")["Rows in the smallest class"]
    assert [cells[0][0], cells[1][1]] == ["\N{EN DASH}", min(sizes)]
    assert f"{min(sizes)} rows, fewer than k = 50" in page
    true = "--original", PEOPLE
    assert starmin("verify", "out.csv", *columns, *true)[0] == 1
    page = Path("page.html").read_text("utf-8")
    assert "Some of its cells are not true" in page and "worth-part" not in page
    tree = "--hierarchy", "age=ages.csv"
    lines = [f"{age};{age // 10 * 10}s;*" for age in range(20, 40)]
    Path("ages.csv").write_text("\n".join(lines))
    _write("out.csv", [[f"{row[0]}s", *row[1:]] for row in known])
    code, _, said = starmin("verify", "out.csv", *columns, *true, *tree)
    assert code == 0, said
    page = Path("page.html").read_text("utf-8")
    assert "Asked: nothing" in page and "Nothing was asked" in page
    found = Tables(page)
    assert found.rows("columns")["town"][3][1] == 60
    assert found.rows("nodes-0")["20s"][2][1] == sum(row[0] == 20 for row in known)
    _write("out.csv", [[*row[:2], "*", row[3]] for row in reversed(people)])
    code, _, said = starmin("verify", "out.csv", *columns, *true)
    page = Path("page.html").read_text("utf-8")
    assert code == 0 and "cannot be laid beside" in page
    assert "the order differs" in page and "worth-part" not in page


def test_what_is_for_the_page_needs_it(people):
    for words in (["--check", "age ~ sex"], ["--report-population", PEOPLE]):
        code, _, said = starmin("verify", PEOPLE, *words)
        assert code == 2 and f"{words[0]} needs --report" in said
    wrong = "--report", "page.html", "--report-population", "few.csv"
    Path("few.csv").write_text("age,sex\n20,f\n")
    code, _, said = starmin("verify", PEOPLE, *wrong)
    assert code == 2 and "few.csv: no columns 'town', 'ill'; its columns: age" in said
    assert not Path("page.html").exists()
