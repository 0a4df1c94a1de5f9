"""Tests that the pages of docs say what is so, and that their commands run."""

import json
import re
import runpy
import shlex
import sys
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import starmin.heuristics.orders
import starmin.registry.methods
from starmin.cli.app import main
from starmin.commands.methods import as_markdown
from starmin.instances.runs.method import Method
from starmin.registry.methods import METHODS
from tests import test_agreement, test_methods

DOCS = Path(__file__).parents[1] / "docs"
OTHERS = {
    "picture",
    "same_results",
    "cluster_run",
    "record",
    "compare",
}  # no experiments
BUILT = {"methods/index"}  # pages that the build writes


def fenced(page: str, language: str) -> list[str]:
    """The fenced blocks of a language on a page."""
    text = (DOCS / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


@pytest.mark.parametrize("page", ["tutorial.md", "recodings.md", "command_line.md"])
def test_commands_run(page, tmp_path, monkeypatch, capsys, jobs_here):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(fenced("tutorial.md", "text")[0])
    lines = [line for block in fenced(page, "console") for line in block.splitlines()]
    said = ""
    for line in lines:
        monkeypatch.setattr(sys, "argv", shlex.split(line.removeprefix("$ ")))
        code, found = main(), capsys.readouterr()
        assert code == 0, (line, found.err)
        said += found.out
    for block in fenced("tutorial.md", "text")[1:] if page == "tutorial.md" else []:
        for shown in block.splitlines():
            assert re.sub(r"[\d.]+ s\)$", "", shown) in said


@pytest.fixture
def slices(monkeypatch):
    """The tutorial's method, as its page says: one file and one declaration."""
    source, entry = fenced("tutorial.md", "python")
    declared: dict[str, Any] = {"Method": Method}
    exec(entry, declared)
    method = declared["SLICES"]
    monkeypatch.setattr(starmin.heuristics.orders, "SLICES", method, raising=False)
    module = ModuleType(method.target)
    exec(compile(source, "heuristics/orders/slices.py", "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(METHODS, method.name, method)
    monkeypatch.setattr(starmin.registry.methods, "LISTED", tuple(METHODS.values()))
    return method


def test_the_method_of_the_tutorial_passes_the_tests_that_it_promises(slices):
    test_methods.test_a_registered_method_is_there("slices")
    assert slices.load().__module__ == slices.target
    assert "slices" in test_agreement.names_of("heuristic")
    test_agreement.test_a_method_is_what_it_says("slices")
    assert f"| {slices.name} | {slices.kind} | groups | k |" in as_markdown()
    assert f"{test_agreement.OTHER_TABLES} random" in (DOCS / "tutorial.md").read_text()


def test_the_method_of_the_tutorial_is_a_command(slices, monkeypatch, tmp_path, capsys):
    words = "starmin solve instance:hospital --k 2 --method slices --json --out r.csv"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", words.split())
    assert main() == 0
    said = json.loads(capsys.readouterr().out)
    assert said["method"] == "slices" and said["value"] >= 2
    monkeypatch.setattr(sys, "argv", [*words.split(), "--l", "2"])
    assert main() == 2


def test_the_release_made_in_python_is_checked(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (source,) = fenced("recodings.md", "python")
    exec(compile(source, "ranges.py", "exec"), {})
    assert capsys.readouterr().out == "True True\n"


def test_the_frames_generalized_in_python_are_as_the_page_says(capsys):
    for source in fenced("generalization.md", "python"):
        exec(compile(source, "generalization.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == [
        "['[31-33]', '[35-36]', '[35-36]', '[52-58]', '[52-58]', '[31-33]', '[52-58]']",
        "['nurse', 'health', 'health', 'office', 'office', 'nurse', 'office']",
        "0.2421 0.2421 optimal",
        "True",
        "['[30-40]', '[50-60]'] ['health', 'office']",
        "True optimal",
    ]
    assert "24.21 %" in (DOCS / "generalization.md").read_text()


def test_links_lead_to_files_and_every_page_is_listed():
    index = (DOCS / "index.md").read_text()
    for page in DOCS.glob("*.md"):
        assert page.stem == "index" or f"\n{page.stem}\n" in index, page
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            there = (DOCS / link).exists() or link.removesuffix(".html") in BUILT
            assert "://" in link or there, (page, link)


@pytest.mark.parametrize("page", ["architecture.md", "contributing.md", "security.md"])
def test_paths_of_the_source_that_pages_name_are_there(page):
    text = (DOCS / page).read_text()
    floors = "starmin|verify|heuristics|models|instances"
    named = set(re.findall(rf"`((?:{floors})/[\w/.]*)`", text))
    named |= {f"tests/{name}" for name in re.findall(r"`(test_\w+\.py)`", text)}
    assert named and not [p for p in named if not (DOCS.parent / p).exists()]


def test_every_benchmark_is_in_the_one_command():
    folder = DOCS.parent / "benchmarks"
    called = re.findall(r'"([\w/]+)"', (folder / "all.py").read_text())
    assert len(called) > 10
    for script in folder.glob("*/*.py"):
        if "__main__" in script.read_text() and script.stem not in OTHERS:
            assert f"{script.parent.name}/{script.stem}" in called, script


def test_the_one_command_calls_benchmarks_with_options_they_have(monkeypatch):
    folder = DOCS.parent / "benchmarks"
    experiments = runpy.run_path(str(folder / "all.py"))["EXPERIMENTS"]
    parse = ArgumentParser.parse_args

    def parsed(self, *given):
        parse(self, *given)
        raise InterruptedError

    monkeypatch.setattr(ArgumentParser, "parse_args", parsed)
    for quick in (True, False):
        for each in experiments:
            if quick and each.quick is None:
                continue
            line = each.command(Path("data"), Path("out"), quick, pages=True)
            monkeypatch.setattr(sys, "argv", line[1:])
            monkeypatch.syspath_prepend(Path(line[1]).parent)
            with pytest.raises(InterruptedError):
                runpy.run_path(line[1], run_name="__main__")


def test_pages_agree_on_the_bounds_that_both_have(monkeypatch):
    """The one on quality takes them from the one on gaps."""
    monkeypatch.syspath_prepend(DOCS.parent / "benchmarks" / "quality")
    page = import_module("quality_page")
    sections = (DOCS / "quality.md").read_text().split("\n## ")[1:]
    compared = 0
    for case in dict.fromkeys(case for case, _ in page.CASES):
        (text,) = (s for s in sections if s.startswith(f"{case.title};"))
        asked, bounds = (
            re.search(rf"^\| {first} ?\|(.*)\|$", text, re.M)[1].split("|")
            for first in ("", "bound")
        )
        shown = dict(zip(map(str.strip, asked), bounds, strict=True))
        for requirement, bound in page.bounds_of_gaps(case).items():
            if requirement in shown:
                assert int(shown[requirement].replace(",", "")) >= bound
                compared += 1
    assert compared >= 8
