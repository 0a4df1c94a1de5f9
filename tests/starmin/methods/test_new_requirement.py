"""Tests that a requirement is one class and one entry: all else follows from it."""

import inspect
import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from starmin.frames.anonymize import anonymize
from starmin.instances import (
    GroupStats,
    MissingValues,
    Persons,
    Reading,
    Requirement,
    Table,
    TableError,
)
from starmin.instances.requirements.requirement import PlainGroup
from starmin.instances.requirements.requirements import REQUIREMENTS, Asked, options

TOY = Path(__file__).with_name("toy_requirement.py")
ROWS = ["30,b,x", "30,b,x", "31,b,y", "31,b,x", "40,c,z", "40,c,z", "41,c,y", "41,c,y"]


def starmin(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(TOY), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_commands_take_and_check_a_requirement_of_one_file(tmp_path):
    path, out = tmp_path / "people.csv", tmp_path / "out.csv"
    path.write_text("\n".join(["age,sex,doctor", *ROWS]) + "\n")
    page = tmp_path / "page.html"
    asked = ("--k", "2", "--spread", "doctor")
    to = ("--out", str(out), "--report", str(page), "--json")
    done = starmin("solve", str(path), *asked, *to)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["requirement"] == {"k": 2, "l": None, "spread": "doctor"}
    assert found["value"] > 0
    text = page.read_text()
    assert "In each group there are at least two values of doctor." in text
    assert "values of the column in every group" in text

    original = ("--original", str(path), "--qi", "age,sex", "--json")
    check = json.loads(starmin("verify", str(out), *asked, *original).stdout)
    assert check["holds"] and check["consistent"] and check["spread"] == 2
    failing = starmin("verify", str(path), "--qi", "age,sex", *asked)
    assert failing.returncode == 1
    assert "one value of 'doctor'" in failing.stdout
    assert "--spread" in starmin("bound", "--help", "all").stdout


def test_a_requirement_keeps_the_bound_of_the_k_beside_it(tmp_path):
    """Where no bound knows it; its certificate counts."""
    path, out, proof = (tmp_path / name for name in ("p.csv", "r.csv", "c.json"))
    path.write_text("\n".join(["age,sex,doctor", *ROWS]) + "\n")
    asked = ("--qi", "age,sex", "--k", "3", "--spread", "doctor")
    to = ("--out", str(out), "--certificate", str(proof), "--json")
    found = json.loads(starmin("solve", str(path), *asked, *to).stdout)
    plain = ("--qi", "age,sex", "--k", "3", "--json")
    alone = json.loads(starmin("bound", str(path), *plain).stdout)
    assert found["certified_bound"] == alone["lower_bound"] > 0
    against = ("--original", str(path), "--certificate", str(proof), "--json")
    check = json.loads(starmin("verify", str(out), *asked, *against).stdout)
    assert check["certificate"]["accepted"] and check["holds"]
    done = starmin("solve", str(path), "--k", "3", "--spread", "dokter")
    assert done.returncode == 2 and "no column 'dokter'" in done.stderr


def small() -> Table:
    rows = [["0", "x", "2"], ["0", "y", "1"], ["1", "y", "2"]]
    return Table.from_rows(["a", "s", "own"], rows, ["a"], ["s"])


@pytest.mark.parametrize("kind", REQUIREMENTS)
def test_what_an_example_states_is_parsed_to_it(kind):
    table, example = small(), kind.example(small())
    if not kind.options or example is None:
        return
    trees = {"s": Values()}
    again = Asked(example.as_json(), trees).on(table)
    assert again == example
    assert example.sentence(table, "suppression").endswith(".")


class Values:
    """A tree of the values of the small table, as a taxonomy has it."""

    ancestors = {value: ["any"] for value in "xy"}  # noqa: RUF012


def test_a_core_is_less_than_the_requirement_or_the_same():
    table = small()
    core = (REQUIREMENTS[0].example(table) & REQUIREMENTS[1].example(table)).core
    assert core == (3, 2, 1, True)
    for kind in REQUIREMENTS:
        example = kind.example(table)
        if example is not None and example.core.exact:
            assert max(example.core[:3]) > 1


def test_words_of_options_are_checked_and_named_as_the_user_does():
    table = small()
    with pytest.raises(TableError, match=r"^--diversity entropy needs --l$"):
        Asked({"diversity": "entropy"}).on(table)
    with pytest.raises(TableError, match=r"^diversity='entropy' needs l$"):
        Asked({"diversity": "entropy"}, python=True).on(table)
    with pytest.raises(ValueError, match=r"Expected diversity to be frequency, .*'x'"):
        Asked({"l": 2, "diversity": "x"}, python=True).on(table)
    assert len({option.name for option in options()}) == len(options())


def test_anonymize_takes_what_commands_take():
    arguments = inspect.signature(anonymize).parameters
    for option in options():
        assert arguments[option.name].default == option.default


def small_random(seed: int) -> Table:
    rng = random.Random(seed)
    rows = [
        [
            rng.choice("ab"),
            rng.choice("xyz?"),
            str(rng.randint(1, 4)),
            rng.choice("pqr"),
        ]
        for _ in range(7)
    ]
    return Table.from_rows(["a", "s", "own", "id"], rows, ["a"], ["s"])


def every_kind(table: Table) -> list[Requirement]:
    """All that have a definition in plain Python: alone, and changed by others."""
    alone = [kind.example(table) for kind in REQUIREMENTS if kind.name != "t"]
    found = [each for each in alone if each is not None]
    diverse = [each for each in found if each.reads_missing]
    found += [MissingValues(e, Reading("any", ("?",))) for e in diverse]
    found += [MissingValues(e, Reading("none", ("?",))) for e in diverse]
    found += [Persons(each, "id") for each in found[:3]]
    return [*found, found[0] & found[1]]


def test_groups_that_hold_are_those_that_the_definition_allows():
    seen = set()
    for seed in range(6):
        table = small_random(seed)
        cells = {column: table.cells(column) for column in ("own", "id")}
        requirements = [each for each in every_kind(table) if _plain(each)]
        for group in range(1, 1 << table.n):
            rows = [row for row in range(table.n) if group >> row & 1]
            plain = PlainGroup.of(rows, {"s": table.cells("s")}, cells)
            stats = GroupStats.of(table, np.zeros(len(rows), int), np.array(rows))
            for each in requirements:
                allowed = each.allows(plain)
                assert each.holds(stats).item() is allowed, (each, rows, table.rows())
                seen.add((each.form, str(each), allowed))
    assert len(seen) > 2 * len(requirements) - 3  # each holds here and fails there


def _plain(requirement: Requirement) -> bool:
    return not isinstance(requirement, Persons) or requirement.monotone
