"""Tests that what is known of problems is so, and that releases are held against it."""

import csv
import json
import random
import re
import runpy
from dataclasses import replace

import pytest

from starmin.commands import submit
from starmin.commands.instances import page
from starmin.extensions import load_instance
from starmin.gaps.job import spec_of
from starmin.instances import TableError
from starmin.instances.catalogue import known as list_of_known
from starmin.instances.catalogue.known import KNOWN, all_known, find_known, known_of
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.places import HOME

PAGE = HOME / "docs" / "reference" / "best_known.md"
PROVEN = [each for each in all_known().values() if each.proof is not None]


def test_all_bounds_have_certificates_and_some_are_checked_anew():
    assert len(PROVEN) > 15 and {each.proof for each in PROVEN} == {
        path.name for path in KNOWN.glob("*.certificate.json.gz")
    }
    for known in random.Random(5).sample(PROVEN, 5):
        problem = spec_of(known).input().open()[0]
        table, objective = problem.table, problem.objective
        coding = "nonhomogeneous" if known.group == "non-homogeneous" else "suppression"
        asked = table, problem.requirement, objective, coding
        check = check_certificate(known.certificate, *asked)
        whole = objective.whole(table) if known.kind == "gcp" else 1
        assert check.accepted and check.bound >= known.bound * whole - 1e-3, known.name
        assert known.value >= known.bound


def test_ten_problems_of_each_kind_are_proven_and_can_be_cited():
    for kind in ("stars", "ranges", "l", "rules", "non-homogeneous"):
        rows = [load_instance(each.instance).n for each in known_of(kind)]
        assert len(rows) >= 10 and min(rows) <= 50 and 100 <= max(rows) <= 2000, kind
    cited = find_known("hospital.k2.stars").cited
    assert re.fullmatch(
        r"starmin best known values \d+ \([0-9a-f]{12}\): hospital.k2.stars, "
        r"[0-9a-f]{16}",
        cited,
    )
    with pytest.raises(TableError, match="known:none: no proven problem"):
        known_of("none")


def test_methods_are_held_against_proven_problems(starmin):
    line = "gap known:hospital.k --methods forest,mondrian --time-limit 30 --quiet"
    code, out, _ = starmin(*line.split(), "--json")
    runs = json.loads(out)["runs"]
    known = [row for row in runs if row["method"] == "best known"]
    assert code == 0 and len(runs) == 3 * len(known) and len(known) >= 3
    assert all(r["gap"] >= 0 for r in runs if r["outcome"] == "ok")
    code, _, err = starmin("gap", "known:stars", "--k", "2", "--methods", "forest")
    assert code == 2 and "says what is asked" in err


def test_the_page_is_what_is_known():
    assert PAGE.read_text() == page()


def test_a_release_is_held_against_the_best_known(starmin, tmp_path):
    problem = "hospital.k2.stars"
    words = "solve instance:hospital --k 2 --out best.csv --quiet"
    assert starmin(*words.split())[0] == 0
    code, out, _ = starmin("submit", "best.csv", "--problem", problem, "--json")
    found = json.loads(out)
    assert code == 0 and found["valid"] and not found["better"]
    assert (found["value"], found["best_known"], found["lower_bound"]) == (2, 2, 2)
    assert starmin("submit", "best.csv", "--problem", problem)[1].endswith(
        "2 stars: as good as the best known, which is optimal\n"
    )

    with (tmp_path / "best.csv").open(newline="") as file:
        cells = list(csv.reader(file))
    column = cells[0].index("age")
    for row in cells[1:]:
        row[column] = "*"
    with (tmp_path / "worse.csv").open("w", newline="") as file:
        csv.writer(file).writerows(cells)
    code, out, err = starmin("submit", "worse.csv", "--problem", problem, "--json")
    assert code == 0, err
    assert json.loads(out)["value"] > 2

    assert starmin("instances", "write", "hospital", "--out", "original.csv")[0] == 0
    code, out, _ = starmin("submit", "original.csv", "--problem", problem, "--json")
    assert code == 1 and not json.loads(out)["valid"] and "classes fail" in out
    for other in ("murakami-uno.k2.stars", "hospital.l2.stars"):
        words = "solve instance:hospital --k 3 --out best.csv --quiet --overwrite"
        assert starmin(*words.split())[0] == 0
        code, out, _ = starmin("submit", "best.csv", "--problem", other)
        assert code == 1 and "a release of another problem: hospital.k3.stars" in out


def test_a_better_release_is_told_where_it_goes(starmin, monkeypatch):
    words = "solve instance:hospital --k 2 --out best.csv --quiet"
    assert starmin(*words.split())[0] == 0
    worse = replace(find_known("hospital.k2.stars"), value=5)
    monkeypatch.setattr(submit, "find_known", lambda name: worse)
    code, out, _ = starmin("submit", "best.csv", "--problem", worse.name)
    assert code == 0 and "better than the best known by 3" in out
    assert "best_known.json" in out and "test_best_known.py" in out


def test_a_better_release_is_added_to_the_file(starmin, tmp_path, monkeypatch):
    """Those that are no better, or no release, leave the file as it was."""
    file = tmp_path / "best_known.json"
    content = json.loads(list_of_known.FILE.read_text("utf-8"))
    for each in content["problems"]:
        if each["instance"] == "hospital" and each["requirement"] == {"k": 2}:
            each["value"] += 0 if "options" in each else 3
    file.write_text(json.dumps(content))
    monkeypatch.setattr(list_of_known, "FILE", file)
    words = "solve instance:hospital --k 2 --out best.csv --quiet"
    assert starmin(*words.split())[0] == 0
    assert starmin("instances", "write", "hospital", "--out", "raw.csv")[0] == 0
    list_of_known.forget()
    try:
        script = runpy.run_path(str(HOME / "benchmarks" / "gaps" / "best_known.py"))
        problem = find_known("hospital.k2.stars")
        assert problem.value == 5
        before = file.read_bytes()
        with pytest.raises(SystemExit, match=r"raw\.csv: "):
            script["_add"](tmp_path / "raw.csv", problem)
        assert file.read_bytes() == before
        script["_add"](tmp_path / "best.csv", problem)
        added = find_known("hospital.k2.stars")
        assert (added.value, added.found_by, added.proof) == (
            2,
            "best.csv",
            problem.proof,
        )
        written = json.loads(file.read_text("utf-8"))
        assert written["version"] == content["version"] + 1
        names = {each.name for each in all_known().values()}
        assert len(names) == len(written["problems"]) == len(content["problems"])
        code, out, _ = starmin("submit", "best.csv", "--problem", "hospital.k2.stars")
        assert code == 0 and "as good as the best known" in out
        with pytest.raises(SystemExit, match="2 is no better than 2"):
            script["_add"](tmp_path / "best.csv", added)
    finally:
        list_of_known.forget()


def test_problems_are_listed_and_named(starmin):
    code, out, _ = starmin("instances", "best", "hospital", "--json")
    names = [each["problem"] for each in json.loads(out)]
    assert code == 0 and {"hospital.l2.tuples", "hospital.k3.nonhomogeneous.stars"} <= {
        *names
    }
    assert "brute_force" in starmin("instances", "best", "murakami")[1]
    with pytest.raises(TableError, match=r"no problem 'hospital.k2.star' \(nearest:"):
        find_known("hospital.k2.star")
