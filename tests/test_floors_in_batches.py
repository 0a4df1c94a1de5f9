"""Tests that floors and sets hold in tables that are read in batches, and by rows."""

import json
import random
import shlex
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import starmin
from starmin.cli.app import main
from starmin.instances import KAnonymity, Objective, Table, TableError, Taxonomy
from starmin.instances.scales.floors import Floors
from starmin.instances.tables.table import as_sets
from starmin.verify.brute_force import brute_force

ZIP = Taxonomy([(f"0{i}", f"z{i // 2}", "*") for i in range(6)])
NAMES = ["age", "zip", "items", "sex"]
TOLD = "--top age=90 --bottom age=18 --min-level zip=1 --hierarchy zip=zip.csv"
ASKED = "--k 2 --objective stars --qi age,zip,items --sets 'items=|'"


def cells(seed: int, n: int = 9) -> list[list[str]]:
    rng = random.Random(seed)
    ages = ["12", "15", "40", "91", "95", "90+", "?"]
    sets = ["a|b", "b|a", "b | a", "c"]
    return [
        [rng.choice(ages), f"0{rng.randrange(6)}", rng.choice(sets), rng.choice("mf")]
        for _ in range(n)
    ]


def optimum(rows: list[list[str]]) -> int | None:
    table = as_sets(Table.from_rows(NAMES, rows, qi=NAMES[:3]), {"items": "|"})
    floors = Floors({"zip": 1}, {"age": "90"}, {"age": "18"})
    return brute_force(floors.on(table, {"zip": ZIP}), KAnonymity(2)).value


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.chdir(tmp_path)
    ZIP.write("zip.csv")

    def said(line: str) -> tuple[int, dict, str]:
        monkeypatch.setattr("sys.argv", ["starmin", *shlex.split(line)])
        code = main()
        out, err = capsys.readouterr()
        return code, json.loads(out) if out.startswith("{") else {}, err

    return said


@pytest.mark.parametrize("kind", ["file", "folder of text", "folder of Parquet"])
@pytest.mark.parametrize("seed", range(3))
def test_batches_are_the_whole_table(seed: int, kind: str, run) -> None:
    rows = cells(seed)
    frame, source, out = pd.DataFrame(rows, columns=NAMES), "t.csv", "out.csv"
    if kind == "file":
        frame.to_csv(source, index=False)
    else:
        source, out = "t", "out" if "Parquet" in kind else "out.csv"
        Path(source).mkdir()
        for i, part in enumerate((frame[:5], frame[5:])):
            if "Parquet" in kind:
                part.to_parquet(f"t/{i}.parquet", index=False)
            else:
                part.to_csv(f"t/{i}.csv", index=False)
    line = f"solve {source} {ASKED} {TOLD} --stream --json --quiet"
    code, found, err = run(f"{line} --out {out} --certificate c.json")
    assert code == 0, err
    assert found["value"] == found["lower_bound"] == optimum(rows)
    text = Path(out)
    published = pd.read_csv(text, dtype=str) if text.is_file() else None
    if published is None:
        published = pd.concat(map(pd.read_parquet, sorted(text.iterdir())))
    assert set(published["age"]) <= {"<=18", "40", "90+", "?", "*"}
    assert set(published["zip"]) <= {"z0", "z1", "z2", "*"}
    assert len(set(published["items"]) - {"c", "*"}) <= 1
    assert published["sex"].tolist() == [row[3] for row in rows]
    known = f"{ASKED} {TOLD} --original {source} --certificate c.json"
    code, check, err = run(f"verify {out} {known} --stream --json --quiet")
    assert code == 0, err
    assert check["holds"] and check["consistent"] and check["certificate"]["accepted"]
    assert check["stars"] == found["value"]


def test_cells_below_a_floor_and_lies_are_found_in_batches(run) -> None:
    rows = [["91", "00", "a|b", "m"], ["95", "01", "b|a", "f"]] * 2
    pd.DataFrame(rows, columns=NAMES).to_csv("t.csv", index=False)
    code, _, err = run(f"solve t.csv {ASKED} {TOLD} --stream --out r.csv --quiet")
    assert code == 0, err
    text = Path("r.csv").read_text()
    assert text.split()[1:] == ["90+,z0,a|b,m", "90+,z0,a|b,f"] * 2
    asked = ASKED.replace("--objective stars ", "")
    line = f"verify r.csv {asked} {TOLD} --original t.csv --stream --json --quiet"
    for before, after, why in (
        ("90+,z0", "91,z0", "column 'age': expected a number below 90"),
        ("90+,z0", "90+,00", "column 'zip': expected a node of zip.csv from level 1"),
    ):
        Path("r.csv").write_text(text.replace(before, after))
        code, _, err = run(line)
        assert code == 2 and why in err and len(err.splitlines()) == 1
    for before, after in (("90+,z0", "<=18,z0"), ("90+,z0", "90+,z1"), ("a|b", "a")):
        Path("r.csv").write_text(text.replace(before, after))
        code, check, _ = run(line)
        assert code == 1 and not check["consistent"]
    Path("r.csv").write_text(text.replace("a|b", "b|a"))
    assert run(line)[0] == 0  # the same set


def test_what_batches_cannot_read_as_sets_is_one_line(run) -> None:
    pd.DataFrame(cells(0), columns=NAMES).to_csv("t.csv", index=False)
    asked = "--k 2 --qi age,zip --stream"
    for told, why in (
        ("items=|", "--sets: column 'items' is no quasi-identifier"),
        ("item=|", "--sets: no column 'item'"),
    ):
        code, _, err = run(f"solve t.csv {asked} --sets '{told}'")
        assert code == 2 and why in err and len(err.splitlines()) == 1


def test_releases_by_rows_have_floors_under_stars() -> None:
    told = {"min_level": {"zip": 1}, "top": {"age": 90}, "bottom": {"age": 18}}
    for seed in range(8):
        rows = [[row[0], row[1]] for row in cells(seed)]
        table = Table.from_rows(NAMES[:2], rows, qi=NAMES[:2])
        given = {"k": 2, "recoding": "nonhomogeneous"}
        ranged = {"taxonomies": {"zip": ZIP}, "objective": "stars", **told}
        found = starmin.solve(table, **given, **ranged)
        coarse = replace(found.problem.table, floors={})
        plain = starmin.solve(coarse, **given, objective=Objective("stars"))
        assert found.value == found.lower_bound == plain.value
        frame = pd.DataFrame(rows, columns=NAMES[:2])
        trees = {"hierarchies": {"zip": ZIP}, "objective": "stars", **told}
        release = starmin.anonymize(frame, **given, **trees)
        assert release.value == found.value
        check = release.verify()
        assert check.holds and check.consistent
        assert release.certificate is None or release.certificate.check(frame).accepted
        shown = {*release.frame["age"], *release.frame["zip"]}
        assert shown <= {"<=18", "40", "90+", "?", "*", "z0", "z1", "z2"}
    with pytest.raises(TableError, match="are for the objective stars, not for gcp"):
        starmin.solve(table, **given, **{**ranged, "objective": "gcp"})
