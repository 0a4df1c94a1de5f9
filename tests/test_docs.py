"""Tests that the pages of docs say what is so, and that their commands run."""

import re
import runpy
import shlex
import sys
from argparse import ArgumentParser
from pathlib import Path

import pytest

from instances import KAnonymity, LDiversity, NotSupportedError
from instances.generators import uniform
from starmin.cli import main
from verify.brute_force import brute_force

DOCS = Path(__file__).parents[1] / "docs"
OTHERS = {"all", "picture"}  # no experiments
BUILT = {"methods/index"}  # pages that the build writes


def fenced(page: str, language: str) -> list[str]:
    """The fenced blocks of a language on a page."""
    text = (DOCS / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


@pytest.mark.parametrize("page", ["tutorial.md", "recodings.md", "command_line.md"])
def test_commands_run(page, tmp_path, monkeypatch, capsys):
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


def test_the_method_of_the_tutorial_is_one():
    (source,) = fenced("tutorial.md", "python")
    names = {}
    exec(compile(source, "slices.py", "exec"), names)
    for seed in range(20):
        table = uniform(4 + seed % 5, d=2, alphabet=2, seed=seed)
        optimum = brute_force(table, KAnonymity(2)).value
        assert names["slices"](table, KAnonymity(2)).value >= optimum
    assert names["slices"](table, KAnonymity(99)).reason
    with pytest.raises(NotSupportedError):
        names["slices"](table, LDiversity(2))


def test_links_lead_to_files_and_every_page_is_listed():
    index = (DOCS / "index.md").read_text()
    for page in DOCS.glob("*.md"):
        assert page.stem == "index" or f"\n{page.stem}\n" in index, page
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            there = (DOCS / link).exists() or link.removesuffix(".html") in BUILT
            assert "://" in link or there, (page, link)


def test_every_benchmark_is_in_the_one_command():
    folder = DOCS.parent / "benchmarks"
    called = re.findall(r'"(\w+)"', (folder / "all.py").read_text())
    assert len(called) > 10
    for script in folder.glob("*.py"):
        if "__main__" in script.read_text() and script.stem not in OTHERS:
            assert script.stem in called, script


def test_the_one_command_calls_benchmarks_with_options_they_have(monkeypatch):
    folder = DOCS.parent / "benchmarks"
    monkeypatch.syspath_prepend(folder)
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
            with pytest.raises(InterruptedError):
                runpy.run_path(line[1], run_name="__main__")
