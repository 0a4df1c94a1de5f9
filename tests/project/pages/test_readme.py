"""Tests that the commands and examples of the README run, and that it is up to date."""

import re
import shlex
import sys

import pytest

from starmin.cli.app import main
from tests.support.places import HOME

pytestmark = pytest.mark.usefixtures("undrawn")

README = (HOME / "README.md").read_text()
MAKE = {"make demo", "make test"}  # run as they are by whoever clones the project


def fenced(language: str) -> list[str]:
    """The fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.M | re.S)


def test_its_commands_run(tmp_path, monkeypatch, capsys, jobs_here):
    monkeypatch.chdir(tmp_path)
    lines = [line for block in fenced("console") for line in block.splitlines()]
    commands = [line.removeprefix("$ ") for line in lines]
    assert commands[:2] == sorted(MAKE) and len(commands) > 5
    for command in commands[2:]:
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        assert main() == 0, (command, capsys.readouterr().err)


def test_its_python_runs(capsys):
    (block,) = fenced("python")
    exec(compile(block, "README.md", "exec"), {})
    ages = "['30', '30', '[41-42]', '[41-42]']"
    assert capsys.readouterr().out == f"4 4 optimal\n{ages}\n"


def test_it_is_short():
    assert len(README.splitlines()) <= 120


def test_the_files_it_links_to_exist():
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (HOME / link).exists(), link


def test_make_has_its_two_commands():
    makefile = (HOME / "Makefile").read_text()
    needs = {"make demo": "install", "make test": "$(WARM)", "$(WARM)": "$(STAMP)"}
    assert {*MAKE} < {*needs}
    for target, needed in needs.items():
        assert f"\n{target.removeprefix('make ')}: {needed}\n" in makefile
