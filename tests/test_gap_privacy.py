"""Tests that gap compares methods of the accuracy-constrained problem."""

import json
from pathlib import Path

import pytest

ROWS = "21,flu 22,cold 25,flu 29,cough 33,cold 34,cough 41,flu 47,cold 52,cough 58,flu"


@pytest.fixture
def people(tmp_path):
    lines = ["age,disease", *ROWS.split(" ")]
    Path("people.csv").write_text("\n".join(lines) + "\n")
    words = "gap people.csv --qi age --numeric age --recoding generalization"
    return words.split()


def compared(starmin, words):
    """Return the rows of a sweep by bound and method, and its problems."""
    code, out, err = starmin(*words, "--json", "--jobs", "1")
    assert code == 0, err
    found = json.loads(out)
    return {(row["asked"], row["method"]): row for row in found["runs"]}, found


def test_exact_methods_bound_the_others(starmin, people, jobs_here):
    words = [*people, "--sensitive", "disease", "--max-loss", "0.2,0.4"]
    rows, found = compared(starmin, words)
    assert {method for _, method in rows} == {
        *("l_dual", "ac", "ac-line", "ipcsd-1d", "ipcsd-mondrian")
    }
    assert {row["outcome"] for row in rows.values()} == {"ok"}
    for problem in found["problems"]:
        exact = rows[problem["asked"], "l_dual"]
        assert exact["value"] == exact["lower_bound"] == problem["bound"] == 0.5
        assert problem["bound_by"] == "l_dual"
        assert all(
            row["value"] >= exact["value"]
            for (asked, _), row in rows.items()
            if asked == problem["asked"]
        )


def test_without_a_sensitive_column_it_is_the_largest_k(starmin, people, jobs_here):
    words = [*people, "--drop", "disease", "--max-loss", "0.4"]
    rows, _ = compared(starmin, [*words, "--methods", "k_dual,k"])
    assert {round(row["value"], 6) for row in rows.values()} == {0.333333}
    assert rows["loss 0.4", "k_dual"]["status"] == "optimal"
    assert rows["loss 0.4", "k"]["lower_bound"] is None


def test_a_bound_of_privacy_is_checked(starmin, people):
    for words, why in (
        ("--max-loss 2", "numbers from 0 to 1"),
        ("--max-loss 0.2 --k 2", "without --k"),
        ("--max-loss 0.2 --methods mondrian", "accuracy-constrained problem"),
        ("--max-loss 0.2 --methods ac,k_dual", "for k alone, or for l alone"),
        ("--methods mondrian", "or --max-loss"),
    ):
        code, _, err = starmin(*people, "--drop", "disease", *words.split())
        assert code == 2 and why in err
