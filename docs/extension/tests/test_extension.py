"""Tests that what this package adds to starmin is what it says."""

import json
import subprocess
import sys

import starmin
from starmin.testing import check_instance, check_method, check_requirement


def test_methods(starmin_method):
    check_method(starmin_method)


def test_requirements(starmin_requirement):
    check_requirement(starmin_requirement)


def test_instances(starmin_instance):
    check_instance(starmin_instance)


def test_they_are_called_by_name_and_a_bound_without_proof_is_told_so(tmp_path):
    line = "solve instance:hypergraph-matching --k 3 --method sorted_slices --json"
    found = starmin_says(*line.split())
    assert found["method"] == "sorted_slices" and found["value"] > 0
    line = "bound instance:hypergraph-matching --k 3 --method rare_rows"
    assert "so says the package starmin_extension" in said(*line.split())
    path = tmp_path / "people.csv"
    path.write_text("age,doctor\n30,b\n30,b\n41,b\n41,c\n")
    line = ("solve", str(path), "--qi", "age", "--spread", "doctor", "--json")
    assert starmin_says(*line)["value"] == 4
    assert starmin.load_instance("hypergraph-matching:n=6").n == 6


def starmin_says(*words):
    return json.loads(said(*words))


def said(*words):
    line = [sys.executable, "-m", "starmin", *words]
    done = subprocess.run(line, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
