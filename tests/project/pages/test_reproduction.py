"""Tests that the page on the papers says of each table what is kept of it, no more."""

import csv
import re
import shutil
from importlib import import_module

import pytest

from tests.support.places import HOME

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
    """Without one cell nothing is complete, and without its rows not even part."""
    items = [item for of in script.PAPERS.values() for item in of if item.cells]
    before = [script.status(item, copied) for item in items]
    assert {"*complete*", "*part*"} <= set(before)
    rectangles = [
        (item, item.cells[0])
        for item, said in zip(items, before, strict=True)
        if said == "*complete*" and hasattr(item.cells[0], "data")
    ]
    assert len(rectangles) > 20
    for item, cells in rectangles:
        path = copied / "docs" / "data" / f"{cells.data}.csv"
        text = path.read_text("utf-8")
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        (row,) = (each for each in rows if is_last(each, cells))
        column = [*row][-1] if cells.across else cells.columns[-1]
        assert row[column] != "-"
        row[column] = "-"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, [*row])
            writer.writeheader()
            writer.writerows(rows)
        assert script.status(item, copied) != "*complete*", item.name
        assert script.kept(item, copied) < script.wanted(item)
        path.write_text(text, "utf-8")
    for path in (copied / "docs" / "data").glob("*.csv"):
        path.write_text(path.read_text("utf-8").partition("\n")[0], "utf-8")
    for path in (copied / "instances" / "best_known").glob("*.json"):
        path.write_text('{"problems": []}')
    assert {script.status(item, copied) for item in items} == {"*not*"}
    emptied = script.remade(PAGE.read_text("utf-8"), copied)
    assert "| *complete* |" not in emptied and "| *part* |" not in emptied


def is_last(row, cells) -> bool:
    """Whether a row of the store has the last cell of a rectangle."""
    return (
        all(row[column] == cell for column, cell in cells.where)
        and ", ".join(row[column] for column in cells.key) == cells.rows[-1]
        and (not cells.across or row[cells.across] == cells.columns[-1])
    )


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


def test_a_sample_of_the_blocks_is_never_complete(script, copied):
    """One block that is missing of a table is told, and its item is part."""
    (item,) = (
        each for each in script.PAPERS["Murakami, Uno 2018"] if each.name == "Table 12"
    )
    assert script.status(item, copied) == "*complete*" and not item.lacks(copied)
    path = copied / "docs" / "data" / "nonhomogeneous_blocks.csv"
    whole, part = "census-500k,sorted,3,two_phase,5,5", "two_phase,4,5"
    text = path.read_text("utf-8")
    assert whole in text
    path.write_text(text.replace(whole, whole[: -len(part)] + part), "utf-8")
    assert script.status(item, copied) == "*part*"
    assert item.lacks(copied) == "census-500k: 4 of 5 blocks, sorted"
