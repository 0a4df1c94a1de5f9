"""Tests that what is known of problems is so, and that releases are held against it."""

import csv
import json
import random

import pytest

from starmin.commands.instances import page
from starmin.extensions import load_instance
from starmin.instances import TableError
from starmin.instances.catalogue.known import KNOWN, all_known, find_known
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.places import HOME

PAGE = HOME / "docs" / "reference" / "best_known.md"
PROVEN = [each for each in all_known().values() if each.proof is not None]


def test_all_bounds_have_certificates_and_some_are_checked_anew():
    assert len(PROVEN) > 15 and {each.proof for each in PROVEN} == {
        path.name for path in KNOWN.glob("*.certificate.json.gz")
    }
    for known in random.Random(5).sample(PROVEN, 5):
        table = load_instance(known.instance)
        proof = known.certificate
        check = check_certificate(proof, table, known.requirement, known.objective)
        assert check.accepted and check.bound >= known.bound, known.name
        assert known.value >= known.bound


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


def test_problems_are_listed_and_named(starmin):
    code, out, _ = starmin("instances", "best", "hospital", "--json")
    names = [each["problem"] for each in json.loads(out)]
    assert code == 0 and "hospital.l2.tuples" in names and len(names) == 5
    assert "brute_force" in starmin("instances", "best", "murakami")[1]
    with pytest.raises(TableError, match=r"no problem 'hospital.k2.star' \(nearest:"):
        find_known("hospital.k2.star")
