"""Tests that the pages of docs say what is so, and that their commands run."""

import re
import runpy
import sys
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path

import pytest

from starmin.commands.reproduce import experiments
from tests.support.places import HOME

DOCS = HOME / "docs"
OTHERS = {
    "picture",
    "same_results",
    "cluster_run",
    "record",
    "compare",
    "recount",
    "files_entered",
}  # no experiments
BUILT = {
    "methods/index",
    "reference/index",
    "reference/losses",
    "reference/requirements",
    "reference/json_keys",
    "reference/file_formats",
    "reference/certificate_kinds",
}  # pages that the build writes


def fenced(page: str, language: str) -> list[str]:
    """The fenced blocks of a language on a page."""
    text = (DOCS / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def test_the_frames_generalized_in_python_are_as_the_page_says(capsys):
    for source in fenced("explanation/generalization.md", "python"):
        exec(compile(source, "explanation/generalization.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == [
        "['[31-33]', '[35-36]', '[35-36]', '[52-58]', '[52-58]', '[31-33]', '[52-58]']",
        "['nurse', 'health', 'health', 'office', 'office', 'nurse', 'office']",
        "0.2421 0.2421 optimal",
        "True",
        "['[30-40]', '[50-60]'] ['health', 'office']",
        "True optimal",
    ]
    assert "24.21 %" in (DOCS / "explanation/generalization.md").read_text()


def test_links_lead_to_files_and_every_page_is_listed():
    index = (DOCS / "index.md").read_text()
    for page in (each for each in DOCS.rglob("*.md") if "_build" not in each.parts):
        name = str(page.relative_to(DOCS).with_suffix(""))
        text = page.read_text()
        assert name == "index" or f"\n{name}\n" in index, page
        for link in re.findall(r"\]\(([^)#]+)\)", text):
            told = (page.parent / link).exists() or "://" in link
            built = (page.parent / link.removesuffix(".html")).resolve()
            assert told or str(built.relative_to(DOCS)) in BUILT, (page, link)


def test_each_former_address_leads_to_a_page():
    lines = (DOCS / "site" / "moved.csv").read_text().splitlines()[1:]
    moved = dict(line.split(",") for line in lines)
    assert len(moved) == len(lines) == 36
    for old, new in moved.items():
        assert not (DOCS / f"{old}.md").exists() and (DOCS / f"{new}.md").exists()


@pytest.mark.parametrize(
    "page",
    [
        "explanation/design",
        "../CONTRIBUTING",
        "explanation/security",
        "explanation/formulations",
    ],
)
def test_paths_of_the_source_that_pages_name_are_there(page):
    text = (DOCS / f"{page}.md").read_text()
    floors = "starmin|verify|heuristics|models|instances|tests"
    named = set(re.findall(rf"`((?:{floors})/[\w/.]*)`", text))
    named -= set(re.findall(r"This is `([\w/.]+)`", text))  # what its reader writes
    assert named and not [p for p in named if not (DOCS.parent / p).exists()]
    tests = {path.name for path in (HOME / "tests").rglob("test_*.py")}
    assert {*re.findall(r"`(test_\w+\.py)`", text)} <= tests


def test_every_benchmark_is_in_the_one_command():
    folder = DOCS.parent / "benchmarks"
    called = {each.script for each in experiments()}
    assert len(called) > 10
    for script in folder.rglob("*/*.py"):
        if "__main__" in script.read_text() and script.stem not in OTHERS:
            name = script.relative_to(folder).with_suffix("").as_posix()
            assert name in called, script


def test_the_one_command_calls_benchmarks_with_options_they_have(monkeypatch):
    parse = ArgumentParser.parse_args

    def parsed(self, *given):
        parse(self, *given)
        raise InterruptedError

    monkeypatch.setattr(ArgumentParser, "parse_args", parsed)
    for quick in (True, False):
        for each in experiments():
            if quick and each.quick is None:
                continue
            line = each.command(Path("data"), Path("out"), quick, pages=True)
            monkeypatch.setattr(sys, "argv", line[1:])
            monkeypatch.syspath_prepend(Path(line[1]).parent)
            with pytest.raises(InterruptedError):
                runpy.run_path(line[1], run_name="__main__")


def test_folders_of_benchmarks_keep_rows_in_the_same_way():
    """The files have one name, and whichever is imported first serves all."""
    files = [*(DOCS.parent / "benchmarks").rglob("kept.py")]
    assert len(files) >= 9
    assert len({each.read_text() for each in files}) == 1


def test_pages_agree_on_the_bounds_that_both_have(monkeypatch):
    """The one on quality takes them from the one on gaps."""
    monkeypatch.syspath_prepend(DOCS.parent / "benchmarks" / "quality")
    page = import_module("quality_page")
    compared = 0
    for case in dict.fromkeys(case for case, _ in page.CASES):
        shown = page.read_rows(f"quality_{case.name}")[0]
        assert shown["method"] == "bound"
        for requirement, bound in page.bounds_of_gaps(case).items():
            if requirement in shown:
                assert int(shown[requirement]) >= bound
                compared += 1
    assert compared >= 8
