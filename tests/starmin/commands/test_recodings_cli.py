"""Tests that what solve publishes, by any recoding, verify reads and agrees with."""

import json
import re
from pathlib import Path

import pytest

from starmin.instances import read_table

PEOPLE = """age,job,sex,ill,pay
21,clerk,f,flu,10
24,boss,f,cold,20
29,clerk,m,flu,30
33,farmer,m,gout,40
38,fisher,m,cold,50
44,fisher,f,flu,60
"""
JOBS = "clerk;office;*\nboss;office;*\nfarmer;field;*\nfisher;field;*\npilot;field;*\n"
ILLS = "flu;lungs;any\ncold;lungs;any\ngout;joints;any\n"
TREE = "job={office{clerk,boss},field{farmer,fisher,pilot}}"
GROUPED = ("suppression", "generalization", "permutation")
ROLES = "--sensitive ill --drop pay"
GENERAL = "--numeric age --hierarchy job=jobs.csv"


@pytest.fixture
def run(by_line):
    """Run a command in a folder of its own: exit code, stdout, stderr."""
    Path("people.csv").write_text(PEOPLE)
    Path("jobs.csv").write_text(JOBS)
    Path("ills.csv").write_text(ILLS)
    return by_line


@pytest.fixture
def answer(run):
    """Run a command with --json: exit code and object."""

    def call(line: str) -> tuple[int, dict]:
        code, out, err = run(f"{line} --json --quiet")
        assert out, err
        return code, json.loads(out)

    return call


@pytest.mark.parametrize("recoding", GROUPED)
@pytest.mark.parametrize("objective", ["stars", "tuples", "gcp"])
def test_solve_and_verify_agree(answer, recoding, objective):
    told = "" if recoding == "suppression" else GENERAL
    asked = f"--recoding {recoding} --k 2 --l 2"
    code, found = answer(
        f"solve people.csv {ROLES} {asked} {told} --objective {objective} --out o.csv"
    )
    assert code == 0
    assert (found["recoding"], found["objective"]) == (recoding, objective)
    told = told if recoding == "generalization" else ""
    code, check = answer(f"verify o.csv {ROLES} {asked} {told} --original people.csv")
    assert code == 0 and check["holds"] and check["consistent"]
    assert check["k"] >= 2 and check["l"] >= 2
    for key in ("stars", "gcp"):
        assert check[key] == found[key]
    if objective == "gcp" and recoding != "permutation":
        assert found["value"] == found["gcp"]


def test_one_group_by_hand(answer):
    code, found = answer(
        f"solve people.csv {ROLES} --k 6 {GENERAL} --recoding generalization "
        "--out o.csv"
    )
    assert code == 0 and found["objective"] == "gcp"
    assert found["value"] == found["gcp"] == 1
    assert (found["stars"], found["groups"], found["suppressed_tuples"]) == (12, 1, 6)
    assert read_table("o.csv").rows()[0] == ("[21-44]", "*", "*", "flu")
    told = f"--numeric age --hierarchy '{TREE}'"
    code, check = answer(f"verify o.csv --sensitive ill {told}")
    assert code == 0 and check["gcp"] == 1 and check["l"] == 2


def test_ranges_and_nodes_are_read_from_the_file_alone(run, answer):
    # Of 23 years 3, 4 and 6; of 5 leaves 2, 5 and 3; stars in one group of three.
    Path("hand.csv").write_text(
        "age,job,sex,ill\n[21-24],office,f,flu\n[21-24],office,f,cold\n"
        "[29-33],*,m,flu\n[29-33],*,m,gout\n"
        "[38-44],fisher,*,cold\n[38-44],fisher,*,flu\n"
    )
    for told in (GENERAL, f"--numeric age --hierarchy '{TREE}'"):
        code, check = answer(
            f"verify hand.csv --sensitive ill --k 2 --l 2 {told} --original people.csv "
            "--drop pay"
        )
        assert code == 0 and check["holds"] and check["consistent"]
        expected = 2 * (3 / 23 + 2 / 5 + 4 / 23 + 1 + 6 / 23 + 1) / 18
        assert check["gcp"] == pytest.approx(expected)
        assert (check["k"], check["l"], check["stars"]) == (2, 2, 4)
    assert "32.95%" in run(f"verify hand.csv --sensitive ill {GENERAL}")[1]
    code, _, err = run("verify hand.csv --sensitive ill --k 2")
    assert code == 0 and "column 'age' holds ranges" in err


def tamper(cell: str, other: str, count: int = 1) -> None:
    text = Path("o.csv").read_text()
    assert cell in text
    Path("o.csv").write_text(text.replace(cell, other, count))


@pytest.mark.parametrize(
    ("cell", "other", "code", "why"),
    [
        ("[21-44]", "[22-44]", 1, "agree"),
        ("[21-44]", "[21-43]", 1, ""),
        ("[21-44]", "[44-21]", 2, "row 1, column 'age': expected a number, a range"),
        ("[21-44]", "[21-44", 2, "row 1, column 'age'"),
        ("[21-44]", "21-44", 1, ""),  # as others write it: another class
        (",*,", ",sea,", 2, "row 1, column 'job': expected a node of jobs.csv"),
        (",*,", ",office,", 1, ""),
        (",*,*,", ",*,[1-2],", 2, "column 'sex': expected no range"),
    ],
)
def test_tampered_releases_are_refused(run, cell, other, code, why):
    asked = "--k 6 --recoding generalization"
    assert run(f"solve people.csv {ROLES} {asked} {GENERAL} --out o.csv")[0] == 0
    tamper(cell, other)
    found, _, err = run(
        f"verify o.csv {ROLES} {asked} {GENERAL} --original people.csv --quiet"
    )
    assert found == code
    if code == 2:
        assert why in err and err.count("\n") == 1 and "o.csv" in err


def test_a_value_that_looks_like_a_range_is_one_where_the_original_has_it(run):
    rows = [("[1-2]", 1), ("[1-2]", 7), ("x", 2), ("x", 9), ("[1-2]", 3), ("x", 5)]
    lines = ["what,many", *(f"{what},{many}" for what, many in rows)]
    Path("marks.csv").write_text("\n".join(lines) + "\n")
    asked = "--qi what,many --top many=4 --k 2 --recoding nonhomogeneous"
    assert run(f"solve marks.csv {asked} --out o.csv --seed 1")[0] == 0
    assert "[1-2]" in Path("o.csv").read_text()
    told = run(f"verify o.csv {asked} --original marks.csv")
    assert told[0] == 0, told


def test_a_cell_that_does_not_cover_is_an_inconsistency(run, answer):
    assert (
        run(
            f"solve people.csv {ROLES} --k 6 --recoding generalization {GENERAL} "
            "--out o.csv"
        )[0]
        == 0
    )
    text = Path("o.csv").read_text().replace("[21-44]", "[21-43]")
    Path("o.csv").write_text(text)
    code, check = answer(f"verify o.csv {ROLES} {GENERAL} --k 6 --original people.csv")
    assert code == 1 and check["holds"] and not check["consistent"]
    assert check["inconsistencies"][0]["column"] == "age"
    assert check["inconsistencies"][0]["rows"] == [6]


def test_a_permuted_release_is_two_files(run, answer):
    asked = "--l 2 --recoding permutation --method anatomy"
    code, out, _ = run(
        f"solve people.csv {ROLES} {asked} --out o.csv --shuffle --seed 3"
    )
    assert code == 0 and "o.csv.sa.csv" in out
    assert read_table("o.csv").names == ("age", "job", "sex", "group")
    assert read_table("o.csv.sa.csv").names == ("group", "ill", "count")
    out = run(f"solve people.csv {ROLES} {asked.replace('anatomy', 'auto')}")[1]
    assert (
        "release   no cell hidden" in out
        and "no release by suppression hides fewer" in out
    )
    assert run("verify o.csv --recoding permutation --l 2")[0] == 0
    assert run("verify o.csv --recoding permutation --l 4")[0] == 1
    line = "verify o.csv --recoding permutation"
    assert run(f"{line} --sensitive pay")[2].count("no column 'pay'") == 1
    assert run(f"{line} --qi zip")[2].count("no column 'zip'") == 1
    assert run(f"{line} --numeric age")[2].count("has no use for it") == 1
    values = Path("o.csv.sa.csv").read_text()
    Path("o.csv.sa.csv").write_text(values + "1,flu,1\n")
    code, _, err = run(f"{line} --l 2")
    assert code == 2 and "expected" in err and err.count("\n") == 1
    Path("o.csv.sa.csv").unlink()
    code, _, err = run(f"{line} --l 2")
    assert code == 2 and "o.csv.sa.csv: no such file" in err


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
@pytest.mark.parametrize("recoding", GROUPED)
def test_closeness_by_each_distance(answer, distance, recoding):
    asked = f"--t 0.3 --distance {distance} --recoding {recoding}"
    tree = "--hierarchy ill=ills.csv"
    code, found = answer(f"solve people.csv {ROLES} {asked} {tree} --out o.csv")
    assert code == 0
    assert found["requirement"]["t"] == 0.3
    assert found["requirement"]["distance"] == distance
    code, check = answer(f"verify o.csv {ROLES} {asked} {tree} --original people.csv")
    assert code == 0 and check["holds"] and 0 <= check["t"] <= 0.3


def test_distances_of_two_groups_by_hand(answer):
    """Three of six have flu, two colds, one gout: {flu, cold, cold} and the rest."""
    Path("two.csv").write_text("q,ill\n1,flu\n1,cold\n1,cold\n2,flu\n2,flu\n2,gout\n")
    line = "verify two.csv --sensitive ill --t 1 --hierarchy ill=ills.csv --distance"
    # Shares (1/3, 2/3, 0) and (2/3, 0, 1/3) against (1/2, 1/3, 1/6).
    assert answer(f"{line} equal")[1]["t"] == pytest.approx(1 / 3)
    # Ranks flu, cold, gout: 1/6 and 1/6 of 2 steps; both groups alike.
    assert answer(f"{line} ordered")[1]["t"] == pytest.approx(1 / 6)
    # 1/6 to gout over the root, 1/6 within the lungs at half the height.
    assert answer(f"{line} hierarchical")[1]["t"] == pytest.approx(1 / 6 + 1 / 12)


def test_pay_is_ordered_by_number(answer):
    line = "--qi age,job,sex --sensitive pay --t 0.4 --distance ordered"
    code, found = answer(f"solve people.csv {line} --out o.csv")
    assert code == 0 and found["status"] != "infeasible"
    code, check = answer(f"verify o.csv {line}")
    assert code == 0 and check["holds"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("--k 2 --numeric age", "--numeric age: is for --recoding generalization"),
        ("--k 2 --hierarchy job=jobs.csv", "--hierarchy job: is for --recoding"),
        ("--k 2 --hierarchy job", "expected COLUMN=FILE"),
        ("--k 2 --hierarchy job=none.csv", "none.csv: cannot be read (No such file"),
        ("--k 2 --hierarchy job={a", "--hierarchy job: braces do not match"),
        ("--k 2 --hierarchy job=jobs.csv --hierarchy job=jobs.csv", "named twice"),
        (
            "--k 2 --hierarchy zip=jobs.csv",
            "people.csv has no such quasi-identifier or",
        ),
        ("--k 2 --recoding generalization --numeric zip", "column 'zip' is declared"),
        ("--k 2 --recoding generalization --numeric job", "row 1, column 'job': exp"),
        (
            "--k 2 --recoding generalization --hierarchy age=jobs.csv",
            "row 1, column 'age': '21' is no leaf of jobs.csv",
        ),
        ("--k 2 --distance ordered", "--distance ordered needs --t"),
        ("--t 0.5 --distance ordered", "value 'flu' of sensitive column 'ill' is not"),
        ("--t 0.5 --distance hierarchical", "needs --hierarchy ill=FILE"),
        (
            "--t 0.5 --distance hierarchical --hierarchy ill={flu,cold}",
            "value 'gout' of sensitive column 'ill' has no place",
        ),
        ("--k 2 --star '' --recoding generalization", "--star: expected a symbol"),
        (
            f"--k 2 --star field --recoding generalization --hierarchy '{TREE}'",
            "node 'field' is the star symbol",
        ),
        ("--k 2 --recoding permutation --out /dev/null", "this recoding needs files"),
        ("--k 2 --objective gcp --method pattern_subsets", "does not take"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(run, line, why):
    before = set(Path().iterdir())
    code, out, err = run(f"solve people.csv {ROLES} {line}")
    assert code == 2 and not out
    assert why in err and err.count("\n") == 1
    assert set(Path().iterdir()) == before


def test_the_proof_beside_a_permutation_is_checked(run, answer):
    line = f"people.csv --recoding permutation --k 2 {ROLES}"
    code, solved = answer(f"solve {line} --out p.csv --certificate p.json")
    assert code == 0 and solved["certified_bound"] == solved["value"]
    told = f"verify p.csv --original people.csv --certificate p.json {line[10:]}"
    for columns in ("", " --qi age,job,sex"):
        code, found = answer(told + columns)
        assert code == 0 and found["certificate"]["accepted"]
        assert found["qi"] == ["age", "job", "sex"]
    assert "holds     yes, by age, job, sex\n" in run(told)[1]


def test_group_sizes_that_a_permutation_does_not_publish_are_in_the_original(run):
    rows = PEOPLE.splitlines()
    sizes = ["need", "2", "2", "2", "2", "3", "3"]
    table = [f"{row},{size}" for row, size in zip(rows, sizes, strict=True)]
    Path("sized.csv").write_text("\n".join(table) + "\n")
    asked = f"--recoding permutation --k-column need {ROLES}"
    assert run(f"solve sized.csv {asked} --method gray_order --out p.csv")[0] == 0
    assert run(f"verify p.csv {asked} --original sized.csv")[0] == 0
    Path("more.csv").write_text("\n".join([*table[:-1], table[-1][:-1] + "7"]) + "\n")
    code, out, _ = run(f"verify p.csv {asked} --original more.csv")
    assert code == 1 and "fewer than the k = 7 that one of them asks for" in out
    # In another order it is not known whose sizes they are.
    Path("moved.csv").write_text("\n".join([table[0], *reversed(table[1:])]) + "\n")
    for line in ("", " --original moved.csv"):
        code, _, said = run(f"verify p.csv {asked}{line}")
        assert code == 2 and "no column 'need' of group sizes" in said


def test_permutation_needs_a_sensitive_column_and_its_own_file(run):
    code, _, err = run("solve people.csv --k 2 --recoding permutation")
    assert code == 2 and "needs a sensitive column" in err
    line = f"solve people.csv {ROLES} --k 2 --recoding permutation --out o.csv"
    code, _, err = run(f"{line} --groups o.csv.sa.csv")
    assert code == 2 and "is written as" in err


def test_a_generalized_release_is_a_start(run, answer):
    asked = f"{ROLES} --k 2 --recoding generalization {GENERAL}"
    assert answer(f"solve people.csv {asked} --out o.csv")[0] == 0
    before = read_table("o.csv").rows()
    code, found = answer(f"solve people.csv {asked} --initial o.csv --out p.csv")
    assert code == 0 and found["gcp"] <= 1
    assert len(read_table("p.csv").rows()) == len(before)


@pytest.mark.parametrize("recoding", ["generalization", "permutation"])
def test_round_trip_of_thirty_thousand_rows(answer, recoding):
    persons = "instance:census:n=30000"
    sizes = {"race": 9, "marital_status": 6, "birth_place": 56, "work_class": 9}
    for column, size in sizes.items():
        codes = range(1, size + 1)
        lines = [f"{v};{column} {v // 2};{column}s {v // 8};*\n" for v in codes]
        Path(f"{column}.csv").write_text("".join(lines))
    trees = " ".join(f"--hierarchy {column}={column}.csv" for column in sizes)
    columns = "--qi age,gender,race,marital_status,birth_place,work_class"
    asked = f"{columns} --sensitive occupation --k 5 --l 3"
    told = f"--recoding {recoding}"
    general = f"{told} --numeric age {trees}"
    code, found = answer(
        f"solve {persons} {asked} {general} --method mondrian "
        "--objective gcp --out o.csv"
    )
    assert code == 0 and found["d"] == 6 and 0 < found["value"] < 1
    told = general if recoding == "generalization" else told
    code, check = answer(f"verify o.csv {asked} {told} --original {persons}")
    assert code == 0 and check["holds"] and check["consistent"]
    assert check["groups"] <= found["groups"] and check["gcp"] == found["gcp"]
    if recoding == "generalization":
        assert found["gcp"] == found["value"]


def test_a_proof_of_a_loss_is_told_as_a_share(run):
    asked = "instance:murakami-uno --recoding generalization --k 2"
    run(f"solve {asked} --out out.csv --certificate proof.json --quiet")
    line = "verify out.csv --original instance:murakami-uno --objective gcp --k 2"
    code, out, _ = run(f"{line} --certificate proof.json")
    assert code == 0 and re.search(r"at least a loss of \d+\.\d\d% of the cells", out)


@pytest.mark.parametrize("cost", ["--weights sex=2", "--keep sex", ""])
@pytest.mark.parametrize(
    "told",
    [
        "",
        f"{GENERAL} --recoding generalization",
        "--hierarchy job=jobs.csv --recoding generalization --min-level job=1",
        "--hierarchy job=jobs.csv --min-level job=1",
        "--top age=40",
        f"{GENERAL} --recoding nonhomogeneous",
        "--recoding nonhomogeneous",
    ],
)
def test_what_is_minimised_by_default_is_the_same_to_solve_and_to_verify(
    cost, told, answer
):
    line = f"{ROLES} --k 2 {told} {cost} --certificate c.json"
    code, found = answer(f"solve people.csv {line} --out r.csv --time-limit 9")
    assert code == 0 and found["certified_bound"] is not None
    code, check = answer(f"verify r.csv --original people.csv {line}")
    assert code == 0 and check["certificate"]["accepted"], check["certificate"]["why"]
    stated = check["certificate"]["objective"]
    assert stated["kind"] == found["objective"], told
    if "--recoding generalization" in told and cost:  # nor is it to be named
        line = line.replace("--recoding generalization", "")
        if "--numeric" in line:
            code, check = answer(f"verify r.csv --original people.csv {line}")
            assert code == 0 and check["certificate"]["accepted"]
