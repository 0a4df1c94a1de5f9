"""Tests that a settings file asks in Python what it asks on the command line."""

import warnings
from pathlib import Path

import pandas
import pytest

import starmin
from starmin.cli.app import main
from starmin.instances import TableError
from tests.test_recipe import ROWS

RECIPE = """[columns]
name = { role = "identifier" }
age = { role = "quasi-identifier", kind = "numeric", round = 5, top = 90 }
sex = { role = "quasi-identifier", cost = 2 }
zip = { role = "quasi-identifier", hierarchy = "prefix:3,1", max-level = 1 }
ill = { role = "unchanged" }
[requirement]
k = 2
[objective]
recoding = "generalization"
[table]
missing = ["-9"]
[run]
method = "gray_order"
[output]
out = "r.csv"
report = "r.html"
"""


@pytest.fixture
def frame(tmp_path, monkeypatch) -> pandas.DataFrame:
    monkeypatch.chdir(tmp_path)
    Path("may.csv").write_text(ROWS)
    Path("a.toml").write_text(RECIPE)
    return pandas.read_csv("may.csv", dtype=str)


def test_the_same_release_as_by_the_command(frame, monkeypatch, capsys):
    line = "starmin solve may.csv --recipe a.toml --quiet"
    monkeypatch.setattr("sys.argv", line.split())
    assert main() == 0
    assert "published unchanged" not in capsys.readouterr().err
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = starmin.anonymize(frame, recipe="a.toml")
    made = release.frame.to_csv(index=False)
    assert made == Path("r.csv").read_text() and release.verify().holds


def test_arguments_go_before_it_column_by_column(frame):
    told = {"drop": ["zip"], "k": 3, "method": "mondrian"}
    release = starmin.anonymize(frame, recipe=Path("a.toml"), **told)
    assert [*release.frame.columns] == ["age", "sex", "ill"]
    assert release.solution.problem.requirement.as_json() == {"k": 3}
    assert release.method == "mondrian"


def test_a_column_that_it_lacks_is_refused(frame):
    frame["mail"] = "x"
    with pytest.raises(TableError, match=r"frame: column 'mail' is not in a\.toml"):
        starmin.anonymize(frame, recipe="a.toml")
    Path("a.toml").write_text(RECIPE.replace("kind", "kid"))
    with pytest.raises(TableError, match=r"a\.toml: line 3: \[columns\] age kid: no "):
        starmin.anonymize(frame, recipe="a.toml")
