"""Tests that the page on the papers says of each table what is kept of it, no more."""

import re
import shutil
from importlib import import_module
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
PAGE = HOME / "docs" / "reproduction.md"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(HOME / "benchmarks" / "papers")
    return import_module("reproduction")


@pytest.fixture
def copied(tmp_path):
    """A copy of the stores."""
    shutil.copytree(HOME / "docs", tmp_path / "docs")
    shutil.copytree(
        HOME / "instances" / "best_known", tmp_path / "instances" / "best_known"
    )
    return tmp_path


def test_the_page_is_what_the_script_makes_of_the_stores(script, copied):
    page = PAGE.read_text("utf-8")
    assert script.remade(page, HOME) == page
    # Nothing that somebody writes into its tables stays.
    boast = page.replace("| *part* |", "| *complete* |").replace("*not*", "*complete*")
    assert boast.count("*complete*") > page.count("*complete*") + 10
    kept = script.remade(boast, copied)
    assert kept.count("| *complete* |") == page.count("| *complete* |")


def test_each_declared_status_falls_with_its_store(script, copied):
    """Without one cell nothing is complete, and without its tables not even part."""
    items = [item for of in script.PAPERS.values() for item in of if item.cells]
    before = [script.status(item, copied) for item in items]
    assert {"*complete*", "*part*"} <= set(before)
    whole = [
        item
        for item, said in zip(items, before, strict=True)
        if said == "*complete*" and item.cells[0].page != "best_known"
    ]
    assert len(whole) > 10
    for item in whole:
        cells = item.cells[0]
        path = copied / "docs" / f"{cells.page}.md"
        text = path.read_text("utf-8")
        below = text.index(cells.heading + "\n")
        row = re.compile(rf"^(\| {re.escape(cells.rows[-1])} \|).*$", re.M)
        found = row.search(text, text.index(cells.head, below))
        head = re.compile(r"^\|.*$", re.M).search(
            text, text.index(cells.head, below) - 2
        )
        at = [each.strip() for each in head[0].split("|")].index(cells.columns[-1])
        row_cells = found[0].split("|")
        blank = "|".join([*row_cells[:at], " - ", *row_cells[at + 1 :]])
        path.write_text(text[: found.start()] + blank + text[found.end() :], "utf-8")
        assert script.status(item, copied) != "*complete*", item.name
        assert script.kept(item, copied) < script.wanted(item)
        path.write_text(text, "utf-8")
    for page in {cells.page for item in items for cells in item.cells}:
        path = copied / "docs" / f"{page}.md"
        path.write_text(re.sub(r"(?m)^\|.*\n", "", path.read_text("utf-8")), "utf-8")
    for path in (copied / "instances" / "best_known").glob("*.json"):
        path.write_text('{"records": []}')
    assert {script.status(item, copied) for item in items} == {"*not*"}
    emptied = script.remade(PAGE.read_text("utf-8"), copied)
    assert "| *complete* |" not in emptied and "| *part* |" not in emptied


def test_the_numbers_of_the_paper_beside_ours_do_not_count(script):
    numbers = import_module("reproduced_cells").numbers
    assert [numbers(cell) for cell in ("- (0.13)", "0.2 (0.13)", "0.1, 2 s", "-")] == [
        0, 1, 2, 0,
    ]  # fmt: skip


def test_every_table_and_figure_of_the_papers_is_declared_once(script):
    """The numbers that the papers count to."""
    last = {
        "Chakaravarthy, Pandit, Sabharwal 2010": {"Figure": 2},
        "Xiao, Yi, Tao 2010": {"Table": 6, "Figure": 8},
        "Ghinita, Karras, Kalnis, Mamoulis 2009": {"Figure": 36},
        "Murakami, Uno 2018": {"Table": 20, "Figure": 12},
        "Rameshwar, Tandon 2025": {"Figure": 2},
    }
    assert set(last) == set(script.PAPERS)
    for paper, items in script.PAPERS.items():
        for kind, most in last[paper].items():
            named: list[int] = []
            for item in items:
                if found := re.match(rf"{kind}s? (\d+)(?: to (\d+))?", item.name):
                    first, end = int(found[1]), int(found[2] or found[1])
                    named += range(first, end + 1)
            assert sorted(set(named)) == list(range(1, most + 1)), (paper, kind)
            if paper != "Rameshwar, Tandon 2025":  # whose figures have parts a and b
                assert len(named) == most, (paper, kind)


def test_the_page_shows_what_is_kept_of_losses(script, monkeypatch):
    monkeypatch.syspath_prepend(HOME / "benchmarks" / "papers")
    losses = import_module("nonhomogeneous_losses")
    rows = losses.read(HOME / "docs" / "data" / "nonhomogeneous_losses.csv")
    page = (HOME / "docs" / "nonhomogeneous.md").read_text("utf-8")
    assert len(rows) >= 2 and "\n".join(losses.lines(rows)) in page
