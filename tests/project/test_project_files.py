"""Tests that the files beside the code say what the project does."""

import ast
import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.places import HOME

PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]


def parsed(path: Path) -> object:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(path.read_text())


def test_hooks_run_what_make_lint_runs() -> None:
    (local,) = parsed(HOME / ".pre-commit-config.yaml")["repos"]
    hooks = {hook["entry"].removeprefix(".venv/bin/") for hook in local["hooks"]}
    rule = (HOME / "Makefile").read_text().split("lint: install")[1].split("\n\n")[0]
    lines = {line.split("/", 1)[1] for line in rule.strip().splitlines()}
    assert {line.removesuffix(" .") for line in lines} == hooks


def test_the_workflow_tests_the_versions_that_are_named() -> None:
    jobs = parsed(HOME / ".github" / "workflows" / "ci.yml")["jobs"]
    tested = jobs["test"]["strategy"]["matrix"]["python"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert tested == named and PROJECT["requires-python"] == f">={tested[0]}"
    for form in (HOME / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        assert parsed(form)


def test_the_changelog_has_the_sections_of_each_version() -> None:
    text = (HOME / "CHANGELOG.md").read_text()
    versions = re.split(r"^## ", text, flags=re.M)[1:]
    assert versions[0].startswith(f"{PROJECT['version']} (unreleased)")
    for version in versions:
        sections = re.findall(r"^### (.*)$", version, re.M)
        lines = [line for line in version.splitlines() if line.startswith("- ")]
        assert len(lines) == len(set(lines))  # a merge keeps the lines of both sides
        assert sections and set(sections) <= {"Added", "Changed", "Fixed", "Removed"}


@pytest.fixture
def compare(monkeypatch, tmp_path):
    """The script that compares two commits, with a history of its own."""
    monkeypatch.syspath_prepend(HOME / "benchmarks" / "history")
    import compare as script

    monkeypatch.setattr(script, "HISTORY", tmp_path / "history.jsonl")
    monkeypatch.setattr(script, "git", lambda *words: words[-1])
    yield script
    for name in ("compare", "cases"):
        del sys.modules[name]


@pytest.mark.parametrize(
    ("change", "code", "told"),
    [
        ({}, 0, ""),
        ({"value": 9, "bound": 9, "seconds": 1.1}, 0, ""),
        ({"value": 11}, 1, "value 10 -> 11"),
        ({"bound": 7}, 1, "bound 8 -> 7"),
        ({"certified": None}, 1, "certified 8 -> None"),
        ({"seconds": 2.0}, 1, "seconds 1.0 -> 2.0"),
        ({"error": "ValueError: no"}, 1, "ValueError: no"),
    ],
)
def test_a_case_that_got_worse_is_named(compare, capsys, change, code, told) -> None:
    row = {"value": 10, "bound": 8, "certified": 8, "seconds": 1.0}
    about = {"machine": compare.machine()}
    lines = []
    for number, each in enumerate(compare.CASES):
        for commit in ("before", "after"):
            changed = change if commit == "after" and number == 0 else {}
            kept = {"commit": commit, "case": each.name}
            lines.append(json.dumps(about | kept | row | changed))
    compare.HISTORY.write_text("\n".join(lines) + "\n")
    assert compare.main(["before", "after"]) == code
    said = [line for line in capsys.readouterr().out.splitlines() if "WORSE" in line]
    assert len(said) == code and all(told in line for line in said)


FLOORS = ("starmin", "models", "heuristics", "verify", "instances")


def test_guides_of_folders_name_modules_that_are_there() -> None:
    files = [f for floor in FLOORS for f in (HOME / floor).rglob("*.py")]
    defined = {
        name
        for file in files
        for name in re.findall(
            r"(?:\b(?:def|class) |^)(\w+)(?=[(:]| = )", file.read_text(), re.M
        )
    }
    missing = []
    for guide in (file for file in files if file.name == "__init__.py"):
        here = {path.stem for path in guide.parent.iterdir()} | {guide.parent.name}
        text = ast.get_docstring(ast.parse(guide.read_text())) or ""
        missing += [
            f"{guide.relative_to(HOME)}: {name}"
            for name in re.findall(r"``([a-z_]+)``", text)
            if name not in here | defined and not name.startswith("starmin_")
        ]
    assert len(files) > 500 and not missing


def test_tests_lie_as_the_floors_do() -> None:
    """A file that tests a folder is in its floor's, by a name of its own."""
    files = sorted((HOME / "tests").rglob("test_*.py"))
    assert len({file.name for file in files}) == len(files)
    tops = {file.relative_to(HOME / "tests").parts[0] for file in files}
    assert tops == {*FLOORS, "project"}


def test_few_modules_share_a_name() -> None:
    named: dict[str, list[str]] = {}
    for floor in FLOORS:
        for file in (HOME / floor).rglob("*.py"):
            named.setdefault(file.name, []).append(str(file.relative_to(HOME)))
    del named["__init__.py"]
    # A kind of proof and the checks of it, a command and its method: one thing each.
    assert len([name for name, files in named.items() if len(files) > 1]) <= 25


def test_there_is_one_problem() -> None:
    defined = [
        str(file.relative_to(HOME))
        for floor in FLOORS
        for file in (HOME / floor).rglob("*.py")
        if re.search(r"^class Problem\b", file.read_text(), re.M)
    ]
    assert defined == ["instances/problem.py"]
