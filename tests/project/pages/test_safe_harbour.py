"""Tests that the recipe of floors.md publishes what HIPAA's safe harbour allows.

The release is read by the csv module, and compared with the rule by its words.
"""

import csv
import re
import shlex
import shutil
from pathlib import Path

import pytest

from starmin.cli.app import main
from starmin.instances import TableError, Taxonomy, prefix_taxonomy
from starmin.instances.scales.taxonomies.taxonomy import join_small_areas
from tests.project.pages.test_docs import fenced
from tests.support.places import CASES


def rows_of(path: str) -> list[dict[str, str]]:
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_recipe_keeps_the_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("patients.csv", "inhabitants.csv"):
        shutil.copy(CASES / name, tmp_path)
    (block,) = fenced("how_to/floors.md", "console")
    for line in block.splitlines():
        monkeypatch.setattr("sys.argv", shlex.split(line.removeprefix("$ ")))
        assert main() == 0, (line, capsys.readouterr())
    assert "accepted" in capsys.readouterr().out
    people: dict[str, int] = {}
    for row in rows_of("inhabitants.csv"):
        area = row["zcta"][:3]
        people[area] = people.get(area, 0) + int(row["population"])
    before, after = rows_of("patients.csv"), rows_of("released.csv")
    assert [row["ill"] for row in after] == [row["ill"] for row in before]
    areas = set()
    for was, now in zip(before, after, strict=True):
        assert all(int(text) <= 90 for text in re.findall("[0-9]+", now["age"]))
        if int(was["age"]) >= 90:
            assert now["age"] == "*" or now["age"].endswith("+")
            assert not now["age"].endswith("+") or int(now["age"][:-1]) <= 90
        area = was["zip"][:3]
        small = people.get(area, 0) <= 20_000
        assert now["zip"] in ("*", "000" if small else f"{area}*")
        areas.add(now["zip"])
        year = was["admitted"][:4]
        assert now["admitted"] in ("*", year, f"{year[:3]}0s")
    assert {"000", "021*"} <= areas


@pytest.mark.parametrize(
    ("people", "more_than", "areas"),
    [
        ({"021": 20_000}, 20_000, ["000", "000"]),
        ({"021": 20_001}, 20_000, ["021*", "000"]),
        ({"02139": 1, "02140": 20_000}, 20_000, ["021*", "000"]),
        ({"02": 10**9, "036": 1}, 0, ["000", "036*"]),
        ({}, 0, ["000", "000"]),
        ({"021": 1, "03601": 1}, 0, ["021*", "036*"]),
    ],
)
def test_an_area_by_itself_has_more_people(people, more_than, areas) -> None:
    tree = prefix_taxonomy(["02139", "03601", "?"], [3, 1])
    joined = join_small_areas(tree, people, more_than)
    nodes = {path[0]: path[1] for path in joined.paths}
    assert [nodes["02139"], nodes["03601"]] == areas and nodes["?"] == "*"


def test_a_label_that_is_there_is_refused() -> None:
    tree = Taxonomy([("00", "000", "*"), ("02139", "021*", "*")])
    with pytest.raises(TableError, match="'000' is a value or a node"):
        join_small_areas(tree, {}, 0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("zip,people\n021,many\n", "row 1: expected a code and a whole number"),
        ("zip,people\n021,-5\n", "row 1: expected a code and a whole number"),
        ("zip,people\n021,5\n,7\n", "row 2: expected a code and a whole number"),
        ("zip\n021\n", "expected two columns, codes and their populations"),
        ("zip,people\n021,1.5\n", "row 1: expected a code and a whole number"),
    ],
)
def test_a_population_that_is_none_is_one_line(
    text: str,
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(text)
    table = str(CASES / "patients.csv")
    line = f"starmin hierarchy {table} zip --prefix 3 --population people.csv"
    monkeypatch.setattr("sys.argv", line.split())
    assert main() == 2
    err = capsys.readouterr().err
    assert why in err and len(err.splitlines()) == 1
