"""Tests that the registry lists every method, each one with what it takes."""

import inspect
import json
import pkgutil
import sys
from importlib import import_module
from pathlib import Path

import pytest

from starmin import heuristics, models
from starmin.cli.app import main
from starmin.commands.methods import methods
from starmin.instances import STARS, TUPLES, KAnonymity, LDiversity, NotSupportedError
from starmin.instances.requirements.requirements import REQUIREMENTS
from starmin.registry import LISTED, METHODS, find, supporting

HOME = Path(models.__file__).parents[2]


@pytest.mark.parametrize("name", METHODS)
def test_a_registered_method_is_there(name):
    method = METHODS[name]
    function = find(name).load()
    first = inspect.getdoc(function).split("\n\n")[0]
    assert function.__name__ == name and first.endswith(".")
    parameters = list(inspect.signature(function).parameters)
    assert parameters[:2] == ["table", "requirement"]
    options = list(inspect.signature(function).parameters.values())[2:]
    assert all(p.kind is p.KEYWORD_ONLY and p.default is not p.empty for p in options)
    assert "objective" in method.options()
    assert method.kind in ("exact", "heuristic", "bound")
    parts = {part for form in method.requirements for part in form.split("+")}
    forms = {kind.name for kind in REQUIREMENTS if kind.name}
    known = {"persons alike", "known", *(f"known-{kind.name}" for kind in REQUIREMENTS)}
    assert parts <= {"any", *forms, *known}
    assert set(method.objectives) <= {"stars", "tuples", "gcp"}
    assert method.guarantee and method.reach and method.source


@pytest.mark.parametrize("package", [models, heuristics])
def test_every_method_is_registered(package):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        name = module.name.rpartition(".")[2]
        function = getattr(import_module(module.name), name, None)
        if inspect.isfunction(function):
            signature = inspect.signature(function)
            takes = list(signature.parameters)[:2] == ["table", "requirement"]
            if takes and "Result" in str(signature.return_annotation):
                assert METHODS[name].target == module.name


def test_no_method_is_listed_twice():
    assert len(LISTED) == len(METHODS)


def test_find_names_what_there_is():
    assert find("residue", "bound").name == "residue"
    with pytest.raises(NotSupportedError, match=r"got 'resdue' .nearest: 'residue'"):
        find("resdue", "bound")
    with pytest.raises(NotSupportedError, match=r"these are: .*residue"):
        find("xyz", "bound")
    with pytest.raises(NotSupportedError, match="bound methods, got 'pattern_ilp'"):
        find("pattern_ilp", "bound")


def test_a_former_name_finds_its_method():
    for method in LISTED:
        for alias in method.aliases:
            assert alias not in METHODS and find(alias) is method


def test_supporting_goes_by_form_and_objective():
    names = {m.name for m in supporting(LDiversity(3), TUPLES, "bound")}
    assert "residue" in names and "pattern_lp" not in names
    both = KAnonymity(5) & LDiversity(2)
    assert "pattern_ilp" in {m.name for m in supporting(both, STARS, "exact")}


def test_one_method_is_shown_in_full(capsys):
    for method in (find("own_pattern"), find("hilb"), find("ring")):
        assert methods(method.name) == 0
        text = capsys.readouterr().out
        assert inspect.getdoc(method.load()) in text and method.guarantee in text
        assert all(name in text for name in (*method.options(), *method.aliases))
        assert methods(method.name, as_json=True) == 0
        said = json.loads(capsys.readouterr().out)
        assert said["former_names"] == list(method.aliases)
        assert set(said["options"]) == method.options()
        assert said["docstring"] in text and (HOME / said["file"]).is_file()
    assert said["options"]["initial"] is None


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("lagrangien", "nearest: 'lagrangian'"),
        ("forest --markdown", "got several"),
        ("--json --auto", "got several"),
    ],
)
def test_what_cannot_be_shown_is_told_in_one_line(monkeypatch, capsys, line, why):
    monkeypatch.setattr(sys, "argv", ["starmin", "methods", *line.split()])
    assert main() == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and why in err
