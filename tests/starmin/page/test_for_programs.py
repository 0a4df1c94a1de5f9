"""What commands say for programs: people who stand alone, tables, values joined."""

import io
import json
import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from starmin.cli.app import main
from starmin.inputs.roles import Roles
from starmin.recipes import profile

SETTINGS = """
columns.age = { role = "quasi-identifier", kind = "numeric", round = 10 }
columns.town = { role = "quasi-identifier", hierarchy = "tree.csv", min-level = 1 }
columns.ill = { role = "sensitive" }
requirement.k = 2
objective.recoding = "generalization"
"""


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    draw = random.Random(3)
    rows = [
        (draw.randint(20, 59), draw.choice("abcdef"), draw.choice("xy"))
        for _ in range(120)
    ]
    lines = ["age,town,ill", *(",".join(map(str, row)) for row in rows)]
    Path("june.csv").write_text("\n".join(lines) + "\n")
    Path("july.csv").write_text("\n".join([*lines[:50], "33,g,x"]) + "\n")

    def call(line: str) -> list[dict]:
        monkeypatch.setattr(sys, "argv", ["starmin", *line.split()])
        assert main() == 0
        return [json.loads(each) for each in capsys.readouterr().out.splitlines()]

    call.rows = rows
    return call


def test_values_are_joined_by_hand_and_counted(said):
    line = "hierarchy june.csv town --join west=a,b --rare 18 --rest few --json --out"
    (found,) = said(f"{line} tree.csv")
    towns = Counter(town for _, town, _ in said.rows)
    paths = [line.split(";") for line in Path("tree.csv").read_text().splitlines()]
    for town, above, root in paths:
        small = "few" if towns[town] < 18 else town
        assert (above, root) == ("west" if town in "ab" else small, "*")
    assert found["rows"][1]["west"] == towns["a"] + towns["b"]


def test_people_who_stand_alone_are_counted(said, monkeypatch):
    said("hierarchy june.csv town --join west=a,b --json --out tree.csv")
    Path("s.toml").write_text(SETTINGS)
    monkeypatch.setattr(sys, "stdin", io.StringIO("s.toml\nnone.toml\n"))
    first, told, wrong = said("risk june.csv --follow")
    west = {"a": "west", "b": "west"}
    seen = Counter((age // 10, west.get(town, town)) for age, town, _ in said.rows)
    plain = Counter((age, town) for age, town, _ in said.rows)
    ages = Counter(age // 10 for age, _, _ in said.rows)
    assert first == {"rows": 120} and "cannot be read" in wrong["error"]
    assert told["alone"] == sum(n == 1 for n in seen.values())
    assert told["before"] == sum(n == 1 for n in plain.values())
    assert told["otherwise"]["town"] == sum(n == 1 for n in ages.values())
    (risk,) = said("risk june.csv --recipe s.toml --json")
    assert risk["qi"] == ["age", "town"] and risk["uniques"] == told["before"]


def test_of_many_rows_a_sample_is_within_what_is_told(said, monkeypatch):
    monkeypatch.setattr(profile, "_EXACT", 10)
    Path("s.toml").write_text('columns.age.role = "quasi-identifier"')
    counted = profile.Alone("june.csv", Roles()).answer("s.toml")
    true = sum(n == 1 for n in Counter(age for age, _, _ in said.rows).values())
    assert abs(counted["alone"] - true) <= 2 * counted["within"]


def test_a_table_is_told_and_compared(said):
    (june,) = said("new june.csv --json")
    roles = [c["role"] for c in june["columns"]]
    assert roles == ["quasi-identifier", "quasi-identifier", "sensitive"]
    assert june["first"][0] == [str(cell) for cell in said.rows[0]]
    towns = Counter(town for _, town, _ in said.rows)
    assert dict(june["columns"][1]["values"]) == towns
    assert sum(n for _, _, n in june["columns"][0]["bins"]) == 120
    (july,) = said("new july.csv --json --beside june.csv")
    assert july["beside"]["rows"] == 120 and july["beside"]["missing"] == []
    assert july["beside"]["columns"]["town"]["values"] == [["g", 1]]


def test_progress_is_an_object_a_line(said, capsys, monkeypatch):
    line = "solve june.csv --k 2 --drop ill --method mondrian --progress json --quiet"
    monkeypatch.setattr(sys, "argv", ["starmin", *line.split(), "--json"])
    assert main() == 0
    out, err = capsys.readouterr()
    told = [json.loads(each) for each in err.splitlines() if each.startswith("{")]
    assert {*told[-1]} == {"seconds", "value", "bound", "gap", "method"}
    assert told[-1]["value"] == json.loads(out)["value"]
