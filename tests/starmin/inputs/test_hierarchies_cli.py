"""Tests that hierarchies are found in folders, and that missing values are apart."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from starmin.frames.frame_problem import read_hierarchies
from starmin.instances import read_table

PEOPLE = """age,job,sex,ill
21,clerk,f,flu
24,boss,f,cold
?,clerk,m,flu
33,farmer,m,gout
,fisher,m,cold
44,fisher,f,flu
999,boss,f,cold
"""
JOBS = "clerk;office;*\nboss;office;*\nfarmer;field;*\nfisher;field;*\n"
RANGED = "--sensitive ill --recoding generalization"


@pytest.fixture
def run(by_line):
    """Run a command in a folder of its own: exit code, stdout, stderr."""
    Path("people.csv").write_text(PEOPLE)
    Path("trees").mkdir()
    Path("trees/my_job.csv").write_text(JOBS)
    Path("trees/sex.csv").write_text("f;*\nm;*\n")
    Path("trees/other.csv").write_text("no tree")
    return by_line


@pytest.mark.parametrize("told", ["trees", "trees/my_{column}.csv"])
def test_a_folder_or_a_pattern_says_the_same_as_files(run, told):
    line = f"solve people.csv {RANGED} --k 2 --quiet --hierarchy"
    code, out, _ = run(f"{line} {told} --out a.csv")
    assert code == 0 and f"job: {Path('trees/my_job.csv')}" in out
    assert run(f"{line} job=trees/my_job.csv --out b.csv")[0] == 0
    assert Path("a.csv").read_text() == Path("b.csv").read_text()
    code, out, _ = run(f"verify a.csv {RANGED} --k 2 --hierarchy {told}")
    assert code == 0 and "my_job.csv" in out
    # What is said of a column by its name goes first.
    code, out, _ = run(f"{line} trees --hierarchy job={{clerk,boss,farmer,fisher}}")
    assert code == 0 and "my_job" not in out


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("trees", "both a-job.csv and my_job.csv fit column 'job'; name one"),
        ("none/{column}.csv", "no file for any of age, job, sex, ill"),
        ("trees/a-{column}.csv --hierarchy trees/my_{column}.csv", "fit column 'job'"),
    ],
)
def test_no_file_or_two_are_refused(run, told, why):
    Path("trees/a-job.csv").write_text(JOBS)
    code, _, err = run(f"solve people.csv {RANGED} --k 2 --hierarchy {told}")
    assert code == 2 and why in err and err.count("\n") == 1


@pytest.mark.parametrize(
    "told",
    [
        "job=title=trees/my_job.csv",
        "job=title=trees/run=1.csv",
        "job=title={office{clerk,boss},field{farmer,fisher}}",
        "job=title=prefix:1",
        "trees/all=these.txt",
    ],
)
def test_names_of_columns_and_files_may_have_signs_of_equality(run, told):
    """In options, files of rules, settings files, Python and a checker's options."""
    Path("people.csv").write_text(PEOPLE.replace("job", "job=title"))
    Path("trees/run=1.csv").write_text(JOBS)
    Path("trees/all=these.txt").write_text("job=title = run=1.csv\n")
    asked = f"people.csv {RANGED} --qi job=title --unchanged age,sex --k 2 --quiet"
    line = f"solve {asked} --hierarchy '{told}' --out a.csv --certificate c.json"
    assert run(f"{line} --save-recipe a.toml")[0] == 0
    assert run("solve people.csv --recipe a.toml --quiet --out b.csv")[0] == 0
    assert Path("a.csv").read_text() == Path("b.csv").read_text()
    alone = "job=title=trees/run=1.csv" if told.endswith(".txt") else told
    code, out, _ = run(f"check c.json --original people.csv --hierarchy '{alone}'")
    assert (code, out[:9]) == (0, "accepted:")
    if told.endswith(".txt"):
        table = read_table("people.csv", qi=["job=title"])
        assert read_hierarchies(told, table, table.qi).keys() == {"job=title"}


def test_an_inline_tree_may_be_longer_than_the_name_of_a_file(run):
    leaves = [f"value{i}" for i in range(60)]
    Path("long.csv").write_text("\n".join(["a", *leaves, *leaves]))
    line = f"solve long.csv --k 2 {RANGED.split(' ', 2)[2]} --quiet --hierarchy"
    assert run(f"{line} 'a={{{','.join(leaves)}}}' --time-limit 5")[0] == 0
    cuts = ",".join(map(str, range(100)))
    code, _, err = run(f"{line} a=cuts:{cuts}")
    assert code == 2 and "expected a number" in err


def test_missing_numbers_are_published_as_they_are_or_as_stars(run):
    options = f"{RANGED} --numeric age --missing 999"
    line = f"solve people.csv {options} --quiet --json --k"
    found = json.loads(run(f"{line} 7 --out o.csv")[1])
    assert found["value"] == found["gcp"] == 1 and found["stars"] == 21
    for k in (2, 3):
        found = json.loads(run(f"{line} {k} --out o.csv")[1])
        code, out, _ = run(
            f"verify o.csv {options} --k {k} --original people.csv --json"
        )
        check = json.loads(out)
        assert code == 0 and check["consistent"] and check["gcp"] == found["gcp"]
        assert check["stars"] == found["stars"]
    assert run(f"solve people.csv {options} --k 7 --out o.csv")[0] == 0
    Path("o.csv").write_text(Path("o.csv").read_text().replace("\n*", "\n[21-44]"))
    code, out, _ = run(f"verify o.csv {options} --k 2 --original people.csv --json")
    assert code == 1 and json.loads(out)["consistent"] is False


@pytest.mark.parametrize("objective", ["stars", "tuples"])
def test_stars_of_a_generalized_release_have_no_bound_of_suppression(run, objective):
    line = f"solve people.csv {RANGED} --k 2 --hierarchy trees --objective {objective}"
    found = json.loads(run(f"{line} --certificate c.json --json --out o.csv")[1])
    released = read_table("o.csv", ["age", "job", "sex"], ["ill"])
    stars = [[cell == "*" for cell in row[:3]] for row in released.rows()]
    by_hand = sum(map(sum if objective == "stars" else any, stars))
    assert found["value"] == by_hand > 0
    assert found["lower_bound"] is found["certified_bound"] is found["gap"] is None
    assert found["status"] == "feasible" and not Path("c.json").exists()


def test_what_loses_nothing_is_optimal(run):
    Path("same.csv").write_text("a\n1\n1\n2\n2\n")
    for told in ("", "--recoding generalization --numeric a"):
        for method in ("auto", "mondrian"):
            line = f"solve same.csv --k 2 --method {method} {told} --json --quiet"
            found = json.loads(run(line)[1])
            assert (found["value"], found["status"]) == (0, "optimal")


def test_bound_takes_hierarchies_for_losses_alone(run):
    line = "bound people.csv --sensitive ill --k 2 --numeric age"
    code, _, err = run(line)
    assert code == 2 and "--numeric age: is for --objective gcp" in err
    line += " --missing 999 --hierarchy trees --objective gcp"
    code, out, err = run(f"{line} --json --quiet")
    found = json.loads(out)
    assert (code, err) == (0, "") and 0 < found["certified_bound"] <= 1


def test_losses_are_counted_as_asked(run):
    line = f"{RANGED} --k 2 --hierarchy trees"
    for loss, key in (("ncp", "gcp"), ("granularity", "granularity")):
        code, out, _ = run(f"solve people.csv {line} --loss {loss} --json --out o.csv")
        found = json.loads(out)
        check = json.loads(run(f"verify o.csv {line} --json")[1])
        lost = check[key] if loss == "ncp" else 1 - check[key]
        assert code == 0 and found["value"] == pytest.approx(lost)
        assert found["gcp"] == check["gcp"]
    code, _, err = run("solve people.csv --sensitive ill --k 2 --loss granularity")
    assert code == 2 and "--loss granularity: is for --objective gcp" in err


def test_full_domain_suppresses_up_to_a_share(run):
    line = f"solve people.csv {RANGED} --k 2 --hierarchy trees --method full_domain"
    found = [
        json.loads(run(f"{line} --suppress {share} --json --quiet")[1])
        for share in (1, 0)
    ]
    assert found[0]["value"] <= found[1]["value"] and found[0]["status"] == "feasible"
    code, _, err = run(f"{line.replace('full_domain', 'mondrian')} --suppress 0.5")
    assert code == 2 and "mondrian does not take 'suppress'" in err
    assert run(f"{line} --suppress 2")[0] == 2


@pytest.mark.parametrize(
    "asked",
    [
        "--k 2",
        "--k 3 --recoding generalization --numeric age --hierarchy trees",
        "--k 2 --recoding nonhomogeneous",
        "--l 2 --recoding permutation",
    ],
)
def test_a_mapping_says_what_each_value_became(run, asked):
    line = f"solve people.csv --sensitive ill {asked} --quiet --out r.csv"
    code, _, err = run(f"{line} --mapping m.csv --time-limit 5")
    assert code == 0, err
    before, after = (
        [*csv.DictReader(Path(name).read_text().splitlines())]
        for name in ("people.csv", "r.csv")
    )
    rows = zip(before, after, strict=True)
    counted = Counter((c, a[c], b[c]) for a, b in rows for c in ("age", "job", "sex"))
    header, *lines = csv.reader(Path("m.csv").read_text().splitlines())
    assert header == ["column", "value", "published", "rows"]
    assert {(c, a, b): int(n) for c, a, b, n in lines} == counted
    assert len(lines) == len(counted)


def test_what_speaks_of_all_rows_is_refused_in_batches(run):
    for option in ("mapping", "report-public"):
        line = f"solve people.csv --stream --k 2 --{option} x.html --quiet"
        code, _, err = run(line)
        assert code == 2 and err.count("\n") == 1 and f"--{option}: needs" in err


def test_a_value_that_stands_there_with_blanks_is_told(run):
    line = f"solve people.csv {RANGED} --k 2 --quiet --hierarchy"
    for name, other in (("clerk ", "'clerk '"), (" Clerk", "' Clerk'")):
        Path("j.csv").write_text(JOBS.replace("clerk", name))
        code, _, err = run(f"{line} job=j.csv")
        told = f"'clerk' is no leaf of j.csv; 'clerk' stands there as {other}"
        assert code == 2 and told in err and "add it" not in err
        code, _, err = run(f"{line} job=j.csv --min-level job=1")
        assert code == 2 and told in err


def test_levels_are_those_by_which_all_rows_are_alike(run):
    """Each row as its levels have it: in classes of two, or suppressed."""
    above = {r[0]: r for r in (line.split(";") for line in JOBS.split())}
    line = f"solve people.csv --qi job,sex {RANGED} --k 2 --hierarchy trees --json"
    for method in ("full_domain --suppress 0", "incognito"):
        code, out, err = run(f"{line} --quiet --method {method}")
        assert code == 0, err
        levels = json.loads(out)["levels"]
        assert [*levels] == ["job", "sex"]
        rows = csv.DictReader(PEOPLE.splitlines())
        shown = Counter(
            (above[r["job"]][levels["job"]], (r["sex"], "*")[levels["sex"]])
            for r in rows
        )
        assert min(shown.values()) >= 2
    assert json.loads(run(f"{line} --quiet --method mondrian")[1])["levels"] is None
