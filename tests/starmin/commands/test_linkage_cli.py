"""Tests that the commands of starmin linkage keep the contract of the command line."""

import json
from pathlib import Path

import pytest

from starmin.commands.linkage import attack, plan_commands


@pytest.fixture
def run(by_line):
    """Run a command in a folder of its own: exit code, stdout, stderr."""
    return lambda line: by_line(f"linkage {line}")


FIRST = "sex,zip,ill\nM,*,heart\nM,*,lung\nF,560010,bones\nF,560010,cervical cancer\n"
SECOND = "sex,zip,ill\nF,560008,lung\nF,560008,bowel\nF,560010,cervical cancer\n"
SECOND += "F,560010,dysentery\n"


@pytest.fixture
def hospitals(run, tmp_path):
    """The two releases of the paper's Table 2, by suppression."""
    Path("one.csv").write_text(FIRST)
    Path("two.csv").write_text(SECOND)
    return run


def test_attack_reveals_cervical_cancer(hospitals) -> None:
    line = "attack one.csv two.csv --sensitive ill --target sex=F,zip=560010"
    code, out, err = hospitals(f"{line} --json")
    found = json.loads(out)
    assert code == 0 and err == ""
    assert found["exposed"][0]["value"] == "cervical cancer"
    assert found["exposed_total"] == found["exposed_by_linking"] == 1
    assert [spread["least"] for spread in found["before"]] == [2, 2]
    code, out, _ = hospitals(line)
    assert code == 0 and "cervical cancer" in out
    code, out, _ = hospitals(f"{line} --l 2 --diversity distinct --json")
    assert code == 1 and json.loads(out)["failing"] == 1


def test_attack_takes_targets_ranges_and_taxonomies(hospitals) -> None:
    Path("people.csv").write_text("zip,sex\n560011,M\n560010,F\n")
    for release in ("one", "two"):
        text = Path(f"{release}.csv").read_text().replace("*", "560011-560012")
        Path(f"{release}.csv").write_text(text.replace("F,", "woman,"))
    Path("sex.csv").write_text("F;woman;any\nM;man;any\n")
    code, out, _ = hospitals(
        "attack one.csv two.csv --sensitive ill --targets people.csv --ranges zip "
        "--hierarchy sex=sex.csv --json"
    )
    found = json.loads(out)
    assert code == 0 and found["absent"] == 1 and found["exposed_total"] == 1
    Path("ill.csv").write_text(
        "\n".join(
            f"{ill};{part};any"
            for ill, part in {
                "heart": "chest", "lung": "chest", "bones": "limbs", "bowel": "belly",
                "cervical cancer": "belly", "dysentery": "belly",
            }.items()
        )
    )  # fmt: skip
    line = (
        "attack one.csv two.csv --sensitive ill --targets people.csv --ranges zip "
        "--hierarchy sex=sex.csv --hierarchy ill=ill.csv --json --k 2 --t"
    )
    code, out, _ = hospitals(f"{line} 1")
    assert code == 1 and json.loads(out)["requirement"]["distance"] == "hierarchical"


def test_worst_case_writes_releases_that_reach_it(run) -> None:
    line = "worst-case --values 8 --l 5 --releases 2"
    code, out, _ = run(f"{line} --out worst --json")
    assert code == 0 and json.loads(out)["least"] == 2
    code, out, _ = run(
        "attack worst/release1.csv worst/release2.csv --sensitive s --target q=x --json"
    )
    assert code == 0 and json.loads(out)["after"]["least"] == 2


def test_plan_and_simulate_agree(run) -> None:
    source = "--geometric 30,6,0.8 --l 3 --eps 0.1"
    code, out, _ = run(f"plan {source} --releases 2 --samples 400 --json")
    found = json.loads(out)
    assert code == 0 and found["chosen"]["samples"]["association"] <= 400
    gamma, classes = found["chosen"]["gamma"], found["chosen"]["classes"]
    code, out, _ = run(
        f"simulate {source} --releases 2 --gamma {gamma} --runs 2000 --json"
    )
    simulated = json.loads(out)
    assert code == 0 and not simulated["exceeds_eps"]
    assert simulated["classes"] == classes
    assert simulated["samples"] == found["chosen"]["samples"]["association"]
    code, out, _ = run(f"simulate {source} --gamma {gamma} --samples 20")
    assert code == 1 and ": exceeded" in out


def test_plan_of_a_table_writes_its_classes(run) -> None:
    rows = [f"{age},{'pq'[age % 2]}" for age in range(8, 16) for _ in range(5)]
    Path("people.csv").write_text("\n".join(["age,ill", *rows]) + "\n")
    code, _, _ = run(
        "plan people.csv --sensitive ill --numeric age --l 2 --eps 0.1 --gamma 0.25 "
        "--out classes.csv --any-classes"
    )
    lines = Path("classes.csv").read_text().splitlines()
    assert code == 0 and lines[0] == "age,class"
    assert lines[1:] == [f"{age},{1 + (age >= 12)}" for age in range(8, 16)]
    code, out, _ = run(
        "plan people.csv --sensitive ill --l 2 --eps 0.1 --estimated 0.99"
    )
    assert code == 1 and "none" in out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("attack one.csv --sensitive ill", "two releases or more"),
        ("attack one.csv two.csv", "one sensitive column"),
        ("attack one.csv two.csv --sensitive ill --target sex", "COLUMN=VALUE"),
        ("attack one.csv two.csv --sensitive ill --target sex=F", "no column 'zip'"),
        (
            "attack one.csv two.csv --sensitive ill --ranges age",
            "not a quasi-identifier",
        ),
        ("attack one.csv two.csv --sensitive ill --hierarchy zip=no.csv", "no.csv"),
        ("attack one.csv two.csv --sensitive ill --hierarchy zip", "COLUMN=FILE"),
        ("attack one.csv none.csv --sensitive ill", "none.csv"),
        ("attack one.csv two.csv --targets a.csv --target sex=F", "exclude each other"),
        ("worst-case --values 3 --l 4", "1 <= l <= 3"),
        ("plan --l 2 --eps 0.1", "one of TABLE, --uniform and --geometric"),
        ("plan --uniform 9 --l 2 --eps 0.1", "--uniform Q,A"),
        ("plan --uniform 9,4 --l 5 --eps 0.1", "1 <= l <= 4"),
        ("plan --uniform 9,4 --l 2 --eps 0.1 --gamma 0.9", "gamma <= 0.25"),
        ("plan --uniform 9,4 --l 2 --eps 0.1 --tv 0.3 --gamma 0.2", "larger gamma"),
        ("plan --uniform 9,4 --l 2 --eps 0.1 --out c.csv", "--out needs"),
        ("plan --uniform 9,4 --l 2 --eps 0.1 --any-classes", "needs --gamma"),
        ("plan --uniform 9,4 --l 2 --eps 0.1 --releases 2 --measure exact", "exact is"),
        ("simulate --uniform 9,4 --l 2 --eps 0.1", "--gamma"),
        ("", "Missing command"),
    ],
)
def test_bad_usage_is_one_line_and_exit_2(hospitals, line: str, message: str) -> None:
    code, out, err = hospitals(line)
    assert code == 2 and out == ""
    assert err.count("\n") == 1 and message in err


def test_examples_of_the_help_run(run) -> None:
    for examples in (
        attack.WORST_EXAMPLES,
        attack.ATTACK_EXAMPLES,
        plan_commands.PLAN_EXAMPLES,
        plan_commands.SIMULATE_EXAMPLES,
    ):
        for example in examples:
            code, _, err = run(example.removeprefix("starmin linkage "))
            assert code == 0 and err == "", example
