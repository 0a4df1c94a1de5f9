"""Tests that releases of others are recounted, and judged, beside ours."""

import csv
import json

import pytest

from starmin.cli.app import main
from starmin.gaps.job import Job
from starmin.gaps.sweep import release_rows
from starmin.inputs.spec import Spec
from starmin.instances import TableError

pytestmark = pytest.mark.usefixtures("undrawn")

PEOPLE = [
    ("age", "job", "zip"),
    ("31", "nurse", "1"),
    ("35", "doctor", "1"),
    ("36", "nurse", "2"),
    ("52", "clerk", "2"),
    ("58", "clerk", "1"),
    ("44", "typist", "2"),
    ("43", "clerk", "2"),
]
RELEASE = [
    ("age", "job", "zip"),
    *[("[30-40]", "health", "*")] * 3,
    *[("[50-60]", "clerk", "*")] * 2,
    *[("[40-45]", "office", "2")] * 2,
]
TREE = "job={health{nurse,doctor},office{clerk,typist}}"


@pytest.fixture
def files(tmp_path):
    wrong = [*RELEASE[:1], ("[40-50]", "health", "*"), *RELEASE[2:]]
    split = [*RELEASE[:1], ("[30-40]", "health", "1"), *RELEASE[2:]]
    moved = [RELEASE[0], *RELEASE[:0:-1]]
    tables = {"people": PEOPLE, "fine": RELEASE, "moved": moved}
    for name, rows in (tables | {"wrong": wrong, "split": split}).items():
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    return tmp_path


@pytest.fixture
def starmin(files, capsys, monkeypatch, jobs_here):
    monkeypatch.chdir(files)

    def run(*words):
        monkeypatch.setattr("sys.argv", ["starmin", *words])
        code = main()
        return code, capsys.readouterr()

    return run


def rows_of(files, names, **costs):
    told = {"k": 2, "recoding": "generalization", "numeric": "age", "steps": "age=5"}
    told |= {"hierarchy": [TREE], "objective": "gcp", **costs}
    job = Job(Spec.of(str(files / "people.csv"), told), "auto")
    return release_rows([files / f"{name}.csv" for name in names], job)


def test_values_are_recounted_by_column_weight_and_loss(files):
    # Lengths 10, 10 and 5 of 30 (from 30 to 60); two leaves of four; five stars.
    age, job, zip_ = (3 * 10 + 2 * 10 + 2 * 5) / 30, 5 * 2 / 4, 5
    (row,) = rows_of(files, ["fine"])
    assert row["value"] == pytest.approx((age + job + zip_) / 21)
    (row,) = rows_of(files, ["fine"], weights="zip=3,age=0")
    assert row["value"] == pytest.approx((job + 3 * zip_) / 28)
    (row,) = rows_of(files, ["fine"], loss="granularity")
    assert row["value"] == pytest.approx((age + 5 / 3 + zip_) / 21)
    assert (row["outcome"], row["stars"], row["groups"]) == ("ok", 5, 3)


def test_a_release_that_fails_or_lies_has_no_value(files):
    moved, split, wrong = rows_of(files, ["moved", "split", "wrong"])
    assert moved["outcome"] == "ok" and "another order" in moved["why"]
    assert split["outcome"] == wrong["outcome"] == "fails"
    assert "2 of 4" not in split["why"] and "1 row, fewer than k = 2" in split["why"]
    assert "value" not in split and "value" not in wrong
    with pytest.raises(TableError, match="losses ncp and granularity"):
        rows_of(files, ["fine"], loss="stars")


def test_the_command_shows_them_against_the_bound(files, starmin):
    problem = ["people.csv", "--k", "2", "--recoding", "generalization"]
    problem += ["--numeric", "age", "--round", "age=5", "--hierarchy", TREE]
    words = ["gap", *problem, "--methods", "pattern_ilp", "--json", "--quiet"]
    words += ["--releases", "fine.csv", "--releases", "split.csv", "--out", "gaps"]
    code, said = starmin(*words)
    assert code == 0
    found = json.loads(said.out)
    ours, fine, split = found["runs"]
    assert ours["outcome"] == fine["outcome"] == "ok" and split["outcome"] == "fails"
    assert fine["value"] >= ours["value"] == found["problems"][0]["bound"]
    assert fine["gap"] == pytest.approx(fine["value"] / ours["value"] - 1)
    assert "fine.csv" in (files / "gaps" / "report.html").read_text()
    for more, why in (
        (["--objective", "stars"], "its bounds are for suppression"),
        (["--max-level", "zip=1"], "not among those of --hierarchy"),
    ):
        code, said = starmin(*words, *more)
        assert code == 2 and why in said.err
