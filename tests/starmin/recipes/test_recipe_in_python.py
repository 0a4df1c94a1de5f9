"""Tests that a settings file asks in Python what it asks on the command line."""

import warnings
from pathlib import Path

import pandas
import pytest

import starmin
from starmin.cli.app import main
from starmin.instances import TableError
from tests.starmin.recipes.test_recipe import ROWS

pytestmark = pytest.mark.usefixtures("undrawn")

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
    assert "published as they are" not in capsys.readouterr().err
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


def test_solve_and_verify_take_it_as_well(frame):
    release = starmin.anonymize(frame, recipe="a.toml")
    table = starmin.from_frame(frame, ["age", "sex", "zip"])
    found = starmin.solve(table, recipe="a.toml")
    assert found.published.rows() == starmin.from_frame(release.frame).rows()
    assert found.value == release.solution.value
    asked = starmin.solve(table, recipe="a.toml", k=4).problem.requirement
    assert asked.as_json() == {"k": 4}
    for released in (release.frame, found.published):
        for original in (frame, table, None):
            told = {"recipe": "a.toml", "original": original}
            assert starmin.verify(released, **told).holds
            assert not starmin.verify(released, **told, k=4).holds
    wrong = release.frame.assign(age="[30-40]")
    check = starmin.verify(wrong, recipe="a.toml", original=frame)
    assert check.consistent is False
    with pytest.raises(TableError, match="column 'mail' is not in"):
        starmin.verify(release.frame.assign(mail="x"), recipe="a.toml")


def test_persons_diversity_and_times_are_asked_as_in_the_file(tmp_path):
    told = """columns.id.role = "person"
columns.born = { role = "quasi-identifier", kind = "date", round = "month" }
columns.ill.role = "sensitive"
requirement = { k = 2, l = 2, diversity = "distinct" }
objective.recoding = "generalization"
"""
    Path(tmp_path, "b.toml").write_text(told)
    days = ["2024-05-01", "2024-05-03", "2024-05-09", "2024-06-01", "2024-06-02"]
    frame = pandas.DataFrame({"id": list("aabcd"), "born": days, "ill": list("xyxyx")})
    recipe = {"recipe": tmp_path / "b.toml"}
    table = starmin.from_frame(frame, ["born"], ["ill"])
    found = starmin.solve(table, **recipe)
    check = starmin.verify(found.published, **recipe, original=frame)
    assert check.holds and check.consistent and "id" not in found.published.names
    assert found.problem.requirement.as_json()["l"] == 2
    alone = table.drop(["id"])
    assert not starmin.verify(alone, **recipe, original=frame).holds


def test_the_command_verify_takes_roles_requirement_and_recoding(
    frame, monkeypatch, capsys
):
    def said(*words: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["starmin", *words])
        code = main()
        return code, "".join(capsys.readouterr())

    assert said(*["solve", "may.csv", "--recipe", "a.toml", "--quiet"])[0] == 0
    verify = ["verify", "r.csv", "--recipe", "a.toml"]
    code, told = said(*verify, "--original", "may.csv")
    assert code == 0 and "yes, by age, sex, zip" in told
    assert "as in the original" in told
    assert said(*verify)[0] == 0
    code, told = said(*verify, "--k", "4")
    assert code == 1 and "fewer than k = 4" in told
    Path("a.toml").write_text(RECIPE.replace("round = 5", "round = 10"))
    code, told = said(*verify, "--original", "may.csv")
    assert code != 0, "ranges of five years are no multiples of ten"
    Path("a.toml").write_text(RECIPE.replace("prefix:3,1", "prefix:x"))
    code, told = said(*verify)
    assert code == 2 and "a.toml" in told
