"""Tests that rules over combinations are asked for, published and checked by commands
and from Python."""

import csv
import json
import random
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest

import starmin
from starmin.cli.app import main
from starmin.instances import (
    Combinations,
    KAnonymity,
    Requirement,
    Rules,
    Table,
    TableError,
)
from starmin.instances.requirements.requirements import Asked
from starmin.models.rules.rule_bounds import rule_prices
from starmin.verify import checker
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.effort import seeds
from tests.support.small_rules import least_by_rules

PAIRS = "tests/cases/pairs.csv"
TABLE = Table.from_rows(["a", "b", "c"], [["0", "x", "r"]], ["a", "b"])


@pytest.fixture
def command(monkeypatch: Any, capsys: Any) -> Any:
    def call(line: str) -> tuple[int, Any, str]:
        monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line), "--quiet"])
        code = main()
        out, err = capsys.readouterr()
        return code, json.loads(out) if "--json" in line and out else out, err

    return call


@pytest.mark.parametrize(
    ("asked", "stars"),
    [
        ("--combinations 2 --k 2 --semantics source", 6),
        ("--combinations 2 --k 2", 7),
        ("--combinations 2 --k 2 --semantics classes", 8),
        ("--combinations 2:2 --k 2", 8),
    ],
)
def test_a_release_is_solved_published_and_checked(
    asked: str, stars: int, command: Any, tmp_path: Path
) -> None:
    out, proof = tmp_path / "out.csv", tmp_path / "proof.json"
    code, said, _ = command(
        f"solve {PAIRS} {asked} --json --out {out} --certificate {proof}"
    )
    assert code == 0 and said["value"] == said["stars"] == stars
    assert said["groups"] is None and said["requirement"]["combinations"] == {"2": 2}
    assert said["lower_bound"] <= stars and said["certificate_checked"]
    claims = f"--original {PAIRS} --certificate {proof} --json"
    code, said, _ = command(f"verify {out} {asked} {claims}")
    assert code == 0 and said["holds"] and said["consistent"]
    assert said["stars"] == stars and said["certificate"]["accepted"]
    code, said, _ = command(f"verify {out} --combinations 2 --k 9 {claims}")
    assert code == 1 and not said["holds"] and not said["certificate"]["accepted"]


def test_every_broken_rule_is_told(command: Any) -> None:
    code, said, _ = command(f"verify {PAIRS} --combinations 2 --k 2 --json")
    assert code == 1 and said["violations_total"] == 10
    broken = {tuple(r["columns"]): r["rare"] for r in said["rules"] if r["rare"]}
    assert broken[("sex", "inc")] == 4 and sum(broken.values()) == 10
    code, said, _ = command(f"verify {PAIRS} --combinations 2 --k 2")
    assert code == 1 and "sex + inc, k = 2: 4 of 6 combinations in 4 rows" in said
    assert "row 10: prov='3', sex='M': 1, fewer than k = 2" in said


def test_bounds_strata_and_files_of_rules(command: Any, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("columns,k\nact+sex,2\ninc,2\n")
    asked = f"--rules {own} --strata prov --linked act,sex"
    code, said, _ = command(f"bound {PAIRS} {asked} --json")
    assert code == 0 and said["qi"] == ["act", "sex", "inc"]
    assert said["requirement"]["strata"] == ["prov"]
    out, bound = tmp_path / "out.csv", said["lower_bound"]
    code, said, _ = command(f"solve {PAIRS} {asked} --json --out {out}")
    assert code == 0 and said["value"] >= bound > 0
    assert command(f"verify {out} {asked} --original {PAIRS}")[0] == 0


def test_rows_that_a_release_lacks_are_passed_over(
    command: Any, tmp_path: Path
) -> None:
    """What cells tell is read against the rows that they stand for."""
    table, out = tmp_path / "table.csv", tmp_path / "out.csv"
    table.write_text("a,b,c\n0,x,r\n9,z,t\n0,x,r\n0,y,r\n1,x,s\n1,y,s\n")
    out.write_text("a,b,c\n0,x,r\n0,x,r\n0,*,r\n*,x,s\n*,*,s\n")
    asked = f"--qi a,b --combinations 2 --k 2 --original {table}"
    code, said, _ = command(f"verify {out} {asked} --json")
    assert code == 0 and said["consistent"] and said["missing_rows"] == 1
    assert said["unchanged"]["columns"] == ["c"]


VISITS = "county,sex,code\nAda,f,1\nAda,f,1\nBo,f,1\nBo,m,2\nAda,m,2\nCy,m,2\n"


def test_rows_are_hidden_among_the_people_of_a_table(
    command: Any, tmp_path: Path
) -> None:
    table, people = tmp_path / "visits.csv", tmp_path / "people.csv"
    table.write_text(VISITS)
    people.write_text("county,sex,n\nAda,f,20\nAda,m,9\nBo,f,3\nBo,m,30\n")
    own = tmp_path / "own.csv"
    own.write_text("columns,k\ncounty+sex,10\n")
    asked = f"--qi county,sex --rules {own} --population {people} --population-count n"
    out, proof = tmp_path / "out.csv", tmp_path / "proof.json"
    code, said, _ = command(
        f"solve {table} {asked} --json --out {out} --certificate {proof}"
    )
    # Women of Bo and men of Ada are too few; nobody lives in Cy.
    assert code == 0 and (said["value"], said["lower_bound"]) == (3, 3)
    assert said["requirement"]["semantics"] == "source"
    assert said["requirement"]["population"]["people"] == 62
    assert "Cy" not in out.read_text()
    claims = f"--original {table} --certificate {proof} --json"
    code, said, _ = command(f"verify {out} {asked} {claims}")
    assert code == 0 and said["holds"] and said["certificate"]["accepted"]
    code, said, _ = command(f"verify {table} {asked} --json")
    assert code == 1 and said["violations_total"] == 4


@pytest.mark.parametrize("seed", seeds(3))
def test_missing_cells_count_as_hidden_if_declared(
    seed: int, command: Any, tmp_path: Path
) -> None:
    """By options, a file of rules, a settings file and in Python: that of all masks."""
    rng, table = random.Random(seed), tmp_path / "t.csv"
    rows = [
        [rng.choice(["", "NA", "x", "y"]), rng.choice("pq"), rng.choice(["?", "1"])]
        for _ in range(5)
    ]
    with table.open("w", newline="") as file:
        csv.writer(file).writerows(["abc", *rows])
    hidden = (None, "", "?", "NA")
    semantics = rng.choice(["source", "shown"])
    asked = Combinations(2, 2, semantics=semantics, hidden=hidden)
    best = least_by_rules(Table.from_rows("abc", rows, "abc"), asked)
    rare = least_by_rules(
        Table.from_rows("abc", rows, "abc"), Combinations(2, 2, semantics=semantics)
    )
    assert best is not None and rare is not None and best <= rare
    told = f"--combinations 2 --k 2 --semantics {semantics} --missing NA"
    own = tmp_path / "own.toml"
    sets = [["a", "b"], ["a", "c"], ["b", "c"]]
    own.write_text(
        "missing_hidden = true\n"
        + "".join(f"[[rule]]\ncolumns = {json.dumps(c)}\nk = 2\n" for c in sets)
    )
    recipe = tmp_path / "release.toml"
    out, proof = tmp_path / "out.csv", tmp_path / "proof.json"
    for line in (
        f"{told} --missing-hidden --save-recipe {recipe}",
        f"--rules {own} --semantics {semantics} --missing NA",
        f"--recipe {recipe}",
    ):
        to = f"--json --out {out} --certificate {proof}"
        code, said, err = command(f"solve {table} {line} {to}")
        assert code == 0, err
        assert (said["value"], said["lower_bound"]) == (best, best)
        assert said["requirement"]["hidden"] == list(hidden)
        asks = line.partition(" --save-recipe")[0]
        claims = f"--original {table} --certificate {proof}"
        code, said, _ = command(f"verify {out} {asks} {claims} --json")
        assert code == 0 and said["holds"] and said["certificate"]["accepted"]
    alone = str(table), str(proof)
    assert checker.check(*alone)[0]
    content = json.loads(proof.read_text())
    proof.write_text(json.dumps(content | {"bound": best + 1}))
    assert checker.check(*alone)[0] is False
    code, said, _ = command(f"bound {table} {told} --missing-hidden --json")
    assert code == 0 and said["lower_bound"] <= best
    frame = pandas.DataFrame(rows, columns=list("abc"))
    release = starmin.anonymize(
        frame, combinations=2, k=2, semantics=semantics, missing_hidden=True,
        missing=["", "?", "NA"],
    )  # fmt: skip
    assert release.value == best and release.verify().holds
    if rare > best:
        code, said, _ = command(f"verify {out} {told} --original {table} --json")
        assert code == 1 and not said["holds"]


def test_a_missing_cell_stays_where_those_linked_to_it_are_starred(
    command: Any, tmp_path: Path
) -> None:
    table, out, proof = (tmp_path / name for name in ("t.csv", "r.csv", "c.json"))
    table.write_text("q0,q1\nc,\na,a\n,a\n")
    asked = "--combinations 1 --k 2 --semantics source --missing-hidden --linked q0,q1"
    code, said, _ = command(
        f"solve {table} {asked} --out {out} --certificate {proof} --json"
    )
    assert (code, said["value"], said["lower_bound"]) == (0, 3, 3)
    assert out.read_text() == "q0,q1\n*,\n*,*\n,a\n"
    claim = f"--original {table} {asked} --certificate {proof} --json"
    code, said, _ = command(f"verify {out} {claim}")
    assert code == 0 and said["holds"] and said["certificate"]["accepted"]
    assert command(f"check {proof} --original {table}")[0] == 0
    out.write_text("q0,q1\n*,\n*,a\n,a\n")
    code, said, _ = command(f"verify {out} {claim}")
    assert code == 1 and said["violations"][0]["why"].startswith("linked columns")


def test_the_last_rule_is_rare_by_its_own_count_alone(tmp_path: Path) -> None:
    """A missing cell of another rule does not make its item one that none may show."""
    rows = [["", "x"], ["0", "x"], ["0", "x"]]
    table = Table.from_rows("ab", rows, "ab")
    asked = Rules([(["a"], 2)], hidden=[""]) & Rules([(["b"], 2)], semantics="source")
    proof = rule_prices(table, asked).certificate
    assert proof is not None and proof.bound == 0
    for claim, accepted in ((0, True), (3, False)):
        other = replace(proof, bound=claim)
        assert check_certificate(other, table, asked).accepted == accepted


def test_people_are_those_of_an_instance(command: Any, tmp_path: Path) -> None:
    """As the table itself is named, by option, in a file of rules and in Python."""
    name, out = "instance:census:n=400", tmp_path / "out.csv"
    own = tmp_path / "own.toml"
    own.write_text(
        '[[rule]]\ncolumns = ["age", "gender"]\nk = 5\n'
        'population = "instance:census:n=900"\n'
    )
    asked = "--combinations 2 --k 5 --population instance:census:n=900 --qi age,gender"
    values = []
    for line in (asked, f"--rules {own} --qi age,gender"):
        code, said, err = command(f"solve {name} {line} --json --out {out}")
        assert code == 0 and said["value"] == said["lower_bound"] > 0, err
        assert said["requirement"]["population"]["people"] == 900
        assert command(f"verify {out} {line} --original {name}")[0] == 0
        values.append(said["value"])
    assert values[0] == values[1]
    for wrong, why in (
        ("instance:cencus:n=900", "no such instance (nearest: 'census')"),
        ("instance:hospital", "the population has no column"),
    ):
        line = f"solve {name} --combinations 2 --k 5 --population {wrong}"
        code, _, err = command(line)
        assert code == 2 and why in err and err.count("\n") == 1


def test_the_threshold_of_mu_argus_is_told_with_a_file_of_rules(
    command: Any, tmp_path: Path
) -> None:
    own = tmp_path / "own.csv"
    own.write_text("columns,k\nact+sex,2\ninc,3\n")
    code, said, _ = command(f"bound {PAIRS} --rules {own}")
    assert code == 0 and "its threshold is k - 1: 1 for k = 2, 2 for k = 3" in said


def test_a_file_of_rules_counts_people_beside_rows(
    command: Any, tmp_path: Path
) -> None:
    """Pairs are counted in the release, counties by their inhabitants."""
    table, own = tmp_path / "visits.csv", tmp_path / "own.toml"
    table.write_text(VISITS)
    own.write_text(
        '[[rule]]\ncolumns = ["sex", "code"]\nk = 2\n[[rule]]\n'
        'columns = ["county"]\nk = 20000\npopulation = "counties.csv"\n'
        'count = "people"\n'
    )
    (tmp_path / "counties.csv").write_text("county,people\nAda,481587\nBo,19999\n")
    out = tmp_path / "out.csv"
    code, said, _ = command(f"solve {table} --rules {own} --json --out {out}")
    assert code == 0 and (said["value"], said["lower_bound"]) == (3, 3)
    assert {row.split(",")[0] for row in out.read_text().split()[1:]} == {"Ada", "*"}
    code, said, _ = command(f"verify {out} --rules {own} --original {table} --json")
    assert code == 0 and said["holds"]
    frame = pandas.read_csv(table, dtype=str)
    release = starmin.anonymize(frame, rules=own)
    assert release.value == 3 and release.verify().holds
    people = pandas.DataFrame({"county": ["Ada", "Bo"], "n": [9, 1]})
    by_frame = starmin.anonymize(
        frame, ["county"], rules=[(["county"], 5)], population=people,
        population_count="n",
    )  # fmt: skip
    assert by_frame.value == 3 and by_frame.verify().holds


def parsed(**stated: object) -> Requirement | None:
    return Asked(stated).on(TABLE)


def test_what_is_stated_is_what_is_asked(tmp_path: Path) -> None:
    assert parsed(combinations="2", k=5) == Combinations(2, 5)
    assert parsed(combinations="2,1", k=5) == Combinations({1: 5, 2: 5})
    assert parsed(combinations="1:20,2:10") == Combinations({1: 20, 2: 10})
    assert parsed(combinations="2:5", k=2) == KAnonymity(2) & Combinations(2, 5)
    assert parsed(combinations={2: 5}) == Combinations(2, 5)
    for name, text in (
        ("r.csv", "columns,k\na+b,5\n\nb,7\n"),
        ("r.toml", '[[rule]]\ncolumns=["a","b"]\nk=5\n[[rule]]\ncolumns=["b"]\nk=7\n'),
    ):
        path = tmp_path / name
        path.write_text(text)
        rules = [(["a", "b"], 5), (["b"], 7)]
        asked = parsed(rules=str(path), strata="c", linked="a,b", semantics="classes")
        assert asked == Rules(
            rules, strata=["c"], linked=[["a", "b"]], semantics="classes"
        )


@pytest.mark.parametrize(
    ("stated", "why"),
    [
        ({"combinations": "2"}, "needs --k, or a k of its own: 2:5"),
        ({"combinations": "2:x"}, "got '2:x'"),
        ({"combinations": "2:5,2:6"}, "size 2 twice"),
        ({"combinations": "2:1"}, "--combinations: .*k"),
        ({"combinations": "2:5", "population": "none.csv"}, "none.csv: no such file"),
        ({"k": 2, "population": "none.csv"}, "--population needs --combinations"),
        ({"k": 2, "population_count": "n"}, "needs --population"),
        ({"k": 2, "missing_hidden": True}, "--missing-hidden needs"),
        (
            {"combinations": "2:5", "missing_hidden": True, "semantics": "classes"},
            "--missing-hidden: --semantics classes counts missing cells as values",
        ),
        ({"k": 2, "strata": "c"}, "--strata needs --combinations or --rules"),
        ({"rules": "none.csv"}, "none.csv: No such file"),
    ],
)
def test_what_cannot_be_asked_is_one_clear_line(
    stated: dict[str, Any], why: str
) -> None:
    with pytest.raises(TableError, match=why):
        parsed(**stated)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("r.csv", "a,b\n", "expected the header `columns,k`"),
        ("r.csv", "columns,k\na+b,5\na,one\n", "line 3: expected columns and a k"),
        ("r.csv", "columns,k\nz,5\n", "'z' is no quasi-identifier"),
        ("r.toml", "rule = 3\n", r"expected \[\[rule\]\]"),
        ("r.toml", '[[rule]]\ncolumns="a"\nk=5\n', "rule 1: expected columns"),
        ("r.toml", "[[", "r.toml"),
        ("r.toml", 'missing_hidden = 1\n[[rule]]\ncolumns=["a"]\nk=5\n', "true or"),
        ("r.toml", '[[rule]]\ncolumns=["a"]\nk=5\ncount="n"\n', "'count' is not"),
        ("r.toml", '[[rule]]\ncolumns=["a"]\nk=5\npopulation=3\n', "names a file"),
    ],
)
def test_a_file_of_rules_that_is_none_is_told(
    name: str, text: str, why: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(TableError, match=why):
        parsed(rules=str(path))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("--combinations 2:2 --groups g.csv", "--groups: a release by rules"),
        ("--combinations 2:2 --recoding nonhomogeneous", "published by suppression"),
        ("--combinations 2:2 --method pattern_ilp", "these do: rule_ilp, rule_search"),
        ("--combinations 2:2 --objective gcp", "gcp"),
    ],
)
def test_what_is_not_done_is_one_line(line: str, why: str, command: Any) -> None:
    code, _, err = command(f"solve {PAIRS} {line}")
    assert code == 2 and why in err and err.count("\n") == 1


@pytest.mark.parametrize("asked", ["solve", "verify"])
def test_strata_are_no_quasi_identifiers(asked: str, command: Any) -> None:
    line = f"{asked} {PAIRS} --qi prov,act,sex --combinations 2:2 --strata prov"
    code, _, err = command(line)
    assert code == 2 and "take it out of the quasi-identifiers" in err


def test_frames_are_published_by_rules() -> None:
    frame = pandas.read_csv(PAIRS, dtype=str)
    release = starmin.anonymize(frame, combinations=2, k=2)
    assert (release.value, release.lower_bound, release.status) == (7, 7, "optimal")
    assert int((release.frame == "*").sum().sum()) == 7 and release.verify().holds
    assert release.certificate is not None and release.certificate.check(frame).accepted
    asked = Combinations({1: 2, 2: 2}, strata=["prov"])
    within = starmin.anonymize(frame, ["act", "sex", "inc"], requirement=asked)
    stated = starmin.anonymize(frame, combinations={1: 2, 2: 2}, strata=["prov"])
    assert within.value == stated.value
    assert within.verify().holds and within.verify().stars == within.value


@pytest.mark.parametrize("semantics", ["source", "shown", "classes"])
def test_rules_count_values_as_floors_leave_them(
    semantics: str, command: Any, tmp_path: Path
) -> None:
    people = tmp_path / "people.csv"
    ages = [20, 25, 60, 81, 84, 90, 97, 21, 22, 60, 85, 88]
    rows = [f"{age},{'fm'[j % 2]}" for j, age in enumerate(ages)]
    people.write_text("\n".join(["age,sex", *rows]) + "\n")
    out, proof = tmp_path / "out.csv", tmp_path / "proof.json"
    asked = f"--combinations 2 --k 2 --semantics {semantics} --top age=80 --json"
    code, said, _ = command(f"solve {people} {asked} --out {out} --certificate {proof}")
    assert code == 0 and "80+" in out.read_text()
    assert "97" not in out.read_text()
    claims = f"--qi age,sex --original {people} --certificate {proof}"
    code, said, _ = command(f"verify {out} {asked} {claims}")
    assert code == 0 and said["holds"] and said["consistent"]
    assert said["certificate"]["accepted"]
    people.write_text(people.read_text().replace("97,f", "70,f"))
    assert command(f"verify {out} {asked} {claims}")[0] == 1


def test_frames_are_checked_as_floors_leave_them() -> None:
    ages = [20, 25, 60, 81, 84, 90, 97, 21, 22, 60, 85, 88]
    frame = pandas.DataFrame({"age": ages, "sex": list("fm" * 6)})
    release = starmin.anonymize(frame, combinations=2, k=2, top={"age": 80})
    assert "80+" in set(release.frame["age"])
    check = release.verify()
    assert check.holds and check.consistent


def test_reports_say_what_is_hidden_and_what_others_count(
    command: Any, tmp_path: Path
) -> None:
    out, made, seen = (
        tmp_path / name for name in ("out.csv", "made.html", "seen.html")
    )
    asked = "--combinations 2 --k 2"
    to = f"--out {out} --report {made}"
    assert command(f"solve {PAIRS} {asked} {to}")[0] == 0
    stated = f"--original {PAIRS} --report {seen}"
    assert command(f"verify {out} {asked} {stated}")[0] == 0
    for page in (made, seen):
        text = page.read_text()
        assert "sdcMicro, alpha 1" in text and "prov + act" in text
        assert "takes a star itself as information" in text
    assert command(f"verify {PAIRS} {asked} --report {seen}")[0] == 1
    assert "prov = " in seen.read_text()
