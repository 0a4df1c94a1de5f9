"""Tests that floors, sets and rules hold in tables that are read in batches."""

import json
import random
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import starmin
from starmin.cli.app import main
from starmin.heuristics.rules.office_greedy import office_greedy
from starmin.heuristics.rules.rule_search import rule_search
from starmin.instances import KAnonymity, Mask, Objective, Table, TableError, Taxonomy
from starmin.instances.scales.floors import Floors
from starmin.instances.tables.table import as_sets
from starmin.models.rules.rule_ilp import rule_ilp
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.effort import seeds
from tests.support.small_rules import PAIRS, SEMANTICS, least_by_rules, random_problem

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
@pytest.mark.parametrize("seed", range(2))
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
        ranged = {"hierarchy": {"zip": ZIP}, "objective": "stars", **told}
        found = starmin.solve(table, **given, **ranged)
        coarse = replace(found.problem.table, floors={})
        plain = starmin.solve(coarse, **given, objective=Objective("stars"))
        assert found.value == found.lower_bound == plain.value
        frame = pd.DataFrame(rows, columns=NAMES[:2])
        trees = {"hierarchy": {"zip": ZIP}, "objective": "stars", **told}
        release = starmin.anonymize(frame, **given, **trees)
        assert release.value == found.value
        check = release.verify()
        assert check.holds and check.consistent
        assert release.certificate is None or release.certificate.check(frame).accepted
        shown = {*release.frame["age"], *release.frame["zip"]}
        assert shown <= {"<=18", "40", "90+", "?", "*", "z0", "z1", "z2"}
    with pytest.raises(TableError, match="are for the objective stars, not for gcp"):
        starmin.solve(table, **given, **{**ranged, "objective": "gcp"})


def distinct(table: Table) -> Table:
    """Return the distinct rows, with all of their columns, and how often each is."""
    codes, counts = np.unique(table.codes, axis=1, return_counts=True)
    return replace(table, codes=codes, counts=counts.astype(np.int64))


def all_rows(table: Table, mask: Mask) -> tuple[Table, Mask]:
    """Return a table with a row for each copy, and the mask of these."""
    lines = mask.lines(table)
    each = np.repeat(np.arange(len(mask.starred)), lines.counts)
    levels = None if mask.levels is None else mask.levels[each]
    return replace(lines, counts=None).take(each), Mask(mask.starred[each], levels)


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("seed", seeds(8))
def test_distinct_rows_have_the_optimum_of_all(seed: int, semantics: str) -> None:
    table, asked, objective = random_problem(random.Random(seed), semantics)
    few = distinct(table)
    best = least_by_rules(table, asked, objective)
    for method in (rule_ilp, rule_search):
        found = method(few, asked, objective=objective, time_limit=5)
        assert (found.value, found.reason is None) == (best, bool(found.best))
        if found.best is None:
            continue
        rows, mask = all_rows(few, found.best)
        assert found.best.violation(few, asked, objective) is None
        assert mask.violation(rows, asked, objective) is None
        assert mask.value(rows, objective) == found.best.value(few, objective)
        assert mask.value(rows, objective) == found.value
        if found.certificate is not None:
            for own in (few, rows):
                assert check_certificate(found.certificate, own, asked).accepted


@pytest.mark.parametrize("seed", seeds(15))
def test_offices_star_copies_alike(seed: int) -> None:
    table, asked, objective = random_problem(random.Random(seed))
    few = distinct(table)
    found = office_greedy(few, asked, objective=objective)
    assert found.value == office_greedy(table, asked, objective=objective).value


def test_masks_that_do_not_publish_each_copy_are_refused() -> None:
    table, asked, objective = random_problem(random.Random(3), "shown")
    few = distinct(table)
    whole = Mask.coarsest(few, asked, objective)
    assert whole.n == table.n and whole.copies is not None
    lacking = replace(whole, copies=whole.copies + 1)
    for mask, own in ((lacking, few), (whole, table)):
        assert "as often" in (mask.violation(own, asked, objective) or "")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(PAIRS.rows(), columns=PAIRS.names)
    frame["note"] = [f"n{i}" for i in range(len(frame))]
    frame.to_csv("t.csv", index=False)
    for kind, ending in (("text", "csv"), ("parquet", "parquet")):
        Path(kind).mkdir()
        for i, part in enumerate((frame[:4], frame[4:])):
            write = part.to_csv if ending == "csv" else part.to_parquet
            write(f"{kind}/{i}.{ending}", index=False)

    def said(line: str) -> tuple[int, dict]:
        monkeypatch.setattr("sys.argv", ["starmin", *shlex.split(line), "--json"])
        code = main()
        out = capsys.readouterr().out
        return code, json.loads(out) if out.startswith("{") else {}

    return said


@pytest.mark.parametrize(("semantics", "stars"), [("source", 6), ("shown", 7)])
@pytest.mark.parametrize("source", ["t.csv", "text", "parquet"])
def test_files_are_published_and_checked(source, semantics, stars, call) -> None:
    out = "out.csv" if source == "t.csv" else "out"
    rules = f"--combinations 2 --k 2 --semantics {semantics} --qi {','.join(PAIRS.qi)}"
    stream = "--stream" if source == "t.csv" else ""
    solved = f"solve {source} {stream} {rules} --out {out} --certificate proof.json"
    code, found = call(solved)
    assert code == 0 and found["value"] == found["lower_bound"] == stars
    assert found["certificate_checked"]
    check = f"{stream} {rules} --original {source} --certificate proof.json"
    code, found = call(f"verify {out} {check}")
    assert code == 0 and found["holds"] and found["stars"] == stars
    assert found["consistent"] and found["certificate"]["accepted"]
    if source == "t.csv":
        code, whole = call(f"verify {out} {check.replace('--stream', '')}")
        assert code == 0 and whole["stars_by_column"] == found["stars_by_column"]
        own = ("columns", "k", "items", "rare", "rare_rows", "least", "hidden_rows")
        for one, other in zip(whole["rules"], found["rules"], strict=True):
            assert [one[key] for key in own] == [other[key] for key in own]
    code, found = call(f"verify {source} {stream} {rules} --original {source}")
    assert code == 1 and not found["holds"] and found["violations_total"] > 0
