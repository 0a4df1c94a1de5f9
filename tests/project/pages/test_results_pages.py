"""Tests that pages of results are what the generator makes of the kept rows."""

import csv
import re
import tomllib
from importlib import import_module

import pytest

from tests.support.places import HOME

RESULTS = HOME / "docs" / "results"
SPECS = HOME / "docs" / "site" / "results"
NAMES = sorted(path.stem for path in SPECS.glob("*.toml"))


@pytest.fixture
def site(monkeypatch):
    """Import a module of the site."""
    monkeypatch.syspath_prepend(HOME / "docs" / "site")
    return import_module


def test_there_is_a_page_for_each_description_and_no_other():
    assert {path.stem for path in RESULTS.glob("*.md")} == {*NAMES, "index"}
    assert len(NAMES) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_what_the_generator_writes(site, name):
    pages = site("results_pages")
    assert (RESULTS / f"{name}.md").read_text("utf-8") == pages.page(name)


def test_the_index_is_what_the_generator_writes(site):
    pages = site("results_pages")
    text = (RESULTS / "index.md").read_text("utf-8")
    assert text == pages.index()
    for name in NAMES:
        assert f"({name}.md)" in text


@pytest.mark.parametrize("name", NAMES)
def test_every_page_has_the_one_form(name):
    text = (RESULTS / f"{name}.md").read_text("utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", text, re.M)
    sections = tomllib.loads((SPECS / f"{name}.toml").read_text())["tables"]
    assert len(tables) == len(sections)
    assert max(table.count("\n") for table in tables) <= 15 + 2
    heads = re.findall(r"^(# |\*\*Question\.\*\* |\*\*Answer\.\*\* )", text, re.M)
    assert heads == ["# ", "**Question.** ", "**Answer.** "]
    stamp = (
        r"\[CSV\]\(\.\./data/(\w+)\.csv\)\. Version [\w.]+, until 20\d\d-\d\d-\d\d, "
    )
    stamped = re.findall(stamp + r".*\. By\n\n    python benchmarks/", text)
    assert stamped == [each["data"] for each in sections]


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_sentences_are_not_typed(name):
    """With a unit they are taken from the rows, by name; a limit is a question."""
    spec = tomllib.loads((SPECS / f"{name}.toml").read_text())
    typed = re.findall(
        r"\d[\d,.]*(?:(?<![,.]) ?%|(?<![,.]) stars\b)",
        spec["answer"] + spec.get("note", ""),
    )
    assert not typed
    assert "{" in spec["answer"]


def test_a_number_that_is_asked_for_wrongly_is_refused(site):
    number_of = site("kept_numbers").number_of
    asked = {"data": "gaps", "column": "bound", "where": {"table": "adult"}}
    with pytest.raises(ValueError, match="rows fit"):
        number_of(asked)
    least = number_of({**asked, "take": "least"})
    with (HOME / "docs" / "data" / "gaps.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["table"] == "adult"]
    assert int(least.replace(",", "")) == min(int(row["bound"]) for row in rows)
    assert number_of({**asked, "take": "count"}) == str(len(rows))


def test_rows_are_kept_and_shown_as_they_were_printed(site, tmp_path):
    kept = site("kept_rows")
    lines = [
        "| table | stars, by seed | gap | limit |\n|---|---|---|---|",
        "| cover, 1000 | 17,032, 17,035 | 2,565.99% | 1,635 s |",
        "| a 7,000 | 9 | 0.40 to 1,000.10 % | 3,100 .. 3,200 |",
        "- a word beside it",
    ]
    kept.write_rows(tmp_path / "a.csv", lines)
    rows = kept.read_rows("a", tmp_path)
    assert list(rows[0].values()) == [
        "cover, 1000", "17032, 17035", "2565.99%", "1635 s",
    ]  # fmt: skip
    shown = [[kept.shown(cell) for cell in row.values()] for row in rows]
    assert shown == [kept.cells_of(line) for line in lines[1:3]]
    assert kept.write_rows(None, lines) is None
