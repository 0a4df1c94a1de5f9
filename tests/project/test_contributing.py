"""Tests that each walk of CONTRIBUTING adds what it says, as its code stands there."""

import json
import re
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import starmin
import starmin.heuristics.orders
import starmin.registry
from starmin.cli import commands
from starmin.cli.app import add_commands, app, main
from starmin.commands.methods import as_markdown
from starmin.instances import GeneralizedRelease, Partition, Scales, Taxonomy
from starmin.instances.io import at_once as formats
from starmin.instances.io import write
from starmin.instances.requirements.requirements import REQUIREMENTS
from starmin.instances.runs.method import Method
from starmin.instances.scales import node_losses
from starmin.registry import METHODS
from starmin.testing import check_requirement
from tests.starmin.methods import test_agreement, test_methods
from tests.support.places import HOME

PAGE = (HOME / "CONTRIBUTING.md").read_text()
PEOPLE = HOME / "docs" / "tutorials" / "people.csv"


def walk(heading: str) -> list[str]:
    """The Python blocks of a section."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^```python\n(.*?)^```$", section, re.M | re.S)


def module(name: str, source: str, monkeypatch) -> Any:
    """A module of starmin that has the source of a block."""
    made = ModuleType(name)
    monkeypatch.setitem(sys.modules, name, made)
    exec(compile(source, f"{name}.py", "exec"), made.__dict__)
    return made


def test_every_walk_has_its_code():
    headings = re.findall(r"^## (Add .*)$", PAGE, re.M)
    assert len(headings) == 5 and all(map(walk, headings))


@pytest.fixture
def slices(monkeypatch):
    """The method: one file and one declaration."""
    source, entry = walk("Add a method")
    declared: dict[str, Any] = {"Method": Method}
    exec(entry, declared)
    method = declared["SLICES"]
    monkeypatch.setattr(starmin.heuristics.orders, "SLICES", method, raising=False)
    module(method.target, source, monkeypatch)
    monkeypatch.setitem(METHODS, method.name, method)
    monkeypatch.setattr(starmin.registry, "LISTED", tuple(METHODS.values()))
    return method


def test_the_method_passes_the_tests_that_the_page_promises(slices):
    test_methods.test_a_registered_method_is_there("slices")
    assert slices.load().__module__ == slices.target
    assert "slices" in test_agreement.names_of("heuristic")
    test_agreement.test_a_method_is_what_it_says("slices")
    assert f"| {slices.name} | {slices.kind} | groups | k |" in as_markdown()


def test_the_method_is_a_command(slices, monkeypatch, tmp_path, capsys):
    words = "starmin solve instance:hospital --k 2 --method slices --json --out r.csv"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", words.split())
    assert main() == 0
    said = json.loads(capsys.readouterr().out)
    assert said["method"] == "slices" and said["value"] >= 2
    monkeypatch.setattr(sys, "argv", [*words.split(), "--l", "2"])
    assert main() == 2


@pytest.fixture
def mixed(monkeypatch):
    """The requirement: one class in one file, and one entry."""
    (source,) = walk("Add a requirement")
    kind = module("starmin.instances.requirements.mixed", source, monkeypatch).Mixed
    REQUIREMENTS.append(kind)
    yield kind
    REQUIREMENTS.remove(kind)


def test_the_requirement_is_what_its_definition_says(mixed):
    check_requirement(mixed, tables=3)


def test_the_rule_of_losses_counts_pairs_of_leaves(monkeypatch):
    (source,) = walk("Add what is minimised")
    names: dict[str, Any] = {}
    exec(source, names)
    rules = {**node_losses.LOSS_RULES, "pairs": names["PAIRS"]}
    for place in ("node_losses", "scales"):
        name = f"starmin.instances.scales.{place}.LOSS_RULES"
        monkeypatch.setattr(name, rules)
    tree = Taxonomy.parse("{pet{cat,dog},farm{cow,hen,pig},rat}")
    lost = node_losses.rule_losses(tree, "pairs")  # type: ignore[arg-type]
    counts = tree.counts
    assert lost.tolist() == [n * (n - 1) // 2 for n in counts.tolist()]

    table = starmin.Table.from_rows(["a"], [["cat"], ["dog"], ["rat"]], qi=["a"])
    pets = {"a": Taxonomy.parse("{pet{cat,dog},rat}")}
    scales = Scales.of(table, [], pets, loss="pairs")
    # Two of three rows are published as pet: one of three pairs is lost in each.
    parted = Partition(np.array([0, 0, 1], np.int32))
    assert round(GeneralizedRelease(table, parted, scales).gcp * 9, 9) == 2


def test_the_format_reads_what_it_writes(monkeypatch, tmp_path):
    (source,) = walk("Add a file format")
    lines = module("starmin.instances.io.lines", source, monkeypatch).LinesFormat()
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, lines))
    monkeypatch.setattr(write, "WRITTEN", (*write.WRITTEN, ".jsonl"))
    monkeypatch.setattr(formats, "READ", (*formats.READ, ".jsonl"))
    table = starmin.read_table(PEOPLE, drop=["name"], sensitive=["disease"])
    starmin.write_table(table, tmp_path / "people.jsonl")
    again = starmin.read_table(tmp_path / "people.jsonl", sensitive=["disease"])
    assert again.rows() == table.rows()
    (tmp_path / "bad.jsonl").write_text("{")
    with pytest.raises(starmin.TableError, match=r"bad\.jsonl: cannot be read"):
        starmin.read_table(tmp_path / "bad.jsonl")


def test_the_command_is_one(monkeypatch, capsys):
    source, entry = walk("Add a command")
    module("starmin.commands.rows", source, monkeypatch)
    names: dict[str, Any] = {}
    exec(entry, names)
    monkeypatch.setitem(commands.COMMANDS, "rows", names["ROWS"])
    registered = [*app.registered_commands]
    add_commands(app)
    try:
        monkeypatch.setattr(sys, "argv", f"starmin rows {PEOPLE} --drop name".split())
        assert main() == 0
        assert capsys.readouterr().out == "10 rows, 10 different\n"
        monkeypatch.setattr(sys, "argv", ["starmin", "rows", "nowhere.csv"])
        assert main() == 2
        assert "nowhere.csv: no such file" in capsys.readouterr().err
    finally:
        app.registered_commands = registered
