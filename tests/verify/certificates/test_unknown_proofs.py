"""Tests that a proof that a checker does not know is neither accepted nor refused."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import starmin
from starmin.instances import STARS, Certificate, KAnonymity, Table
from starmin.instances.catalogue.generators import uniform
from starmin.instances.runs.certificate import UnknownFormatError
from starmin.models.matching.simplex_matching import simplex_matching
from starmin.verify.certificates.certificate_check import check_certificate
from tests.support.commands import run

ROWS = [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"], ["0", "2"], ["2", "2"]]
TABLE = Table.from_rows(["a", "b"], ROWS, qi=["a", "b"], name="t.csv")
PRICES = {"denominator": 1, "prices": [1, 1, 1, 1, 1, 1]}
CLAIM = Certificate.of(TABLE, KAnonymity(2), STARS, "prices", 6, PRICES)


@pytest.fixture
def here(tmp_path, monkeypatch, one_file):
    """A folder with the table and a release of it."""
    monkeypatch.chdir(tmp_path)
    Path("checker.py").symlink_to(one_file)
    Path("t.csv").write_text("a,b\n" + "\n".join(map(",".join, ROWS)) + "\n")
    Path("r.csv").write_text("a,b\n" + "*,*\n" * len(ROWS))
    return tmp_path


def alone(certificate, *trees):
    """Exit code and sentence of the checker that is one file."""
    Path("p.json").write_text(json.dumps(certificate))
    command = [sys.executable, "-I", "checker.py", "t.csv", "p.json", *trees]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.count("\n") == 1 and not done.stderr
    return done.returncode, done.stdout


def written(certificate=CLAIM, **changes):
    """What a file of a certificate holds."""
    content = {"starmin_certificate": 2} | vars(certificate) | changes
    return json.loads(json.dumps(content, default=dict))


def ranged(**scale):
    """The same for losses."""
    scales = {"a": {"scale": "numeric", "missing": [], "loss": "ncp"} | scale}
    return written(
        objective={"kind": "gcp", "weights": {}, "keep": [], "scales": scales}
    )


ANOTHER = (  # what is stated is no problem, or one that is not known
    written(objective=CLAIM.objective | {"cap": 2}),
    written(table=CLAIM.table | {"cap": 2}),
    ranged() | {"objective": ranged()["objective"] | {"scales": ["a"]}},
    ranged() | {"objective": ranged()["objective"] | {"scales": {"a": 2}}},
)


def test_what_states_another_problem_is_refused_in_python():
    table = Table.from_rows("ab", ROWS, "ab")
    for content in ANOTHER:
        told = {name: content[name] for name in vars(CLAIM)}
        check = starmin.check_certificate(Certificate(**told), table)
        assert check.accepted is False and check.bound is None, check


def test_the_checker_of_one_file_says_what_it_cannot_check(here):
    unit = PRICES | {"unit": 7}
    for content in (
        written(kind="a kind\nto come"),
        written(starmin_certificate=3),
        ranged() | {"data": unit},
        ranged(),
        ranged(step="5"),
    ):
        code, said = alone(content)
        assert code == 3 and said.startswith("cannot be checked here: "), said
    for content in (
        written(bound=7),
        written(kind=7),
        written(starmin_certificate=True),
        written(starmin_certificate="2"),
        written(bound=7, data=PRICES | {"prices": [9] * 6}),
        *(written(kind=kind, data=unit) for kind in ("prices", "odd_sets", "boxes")),
        *ANOTHER,
    ):
        code, said = alone(content)
        assert code == 1 and said.startswith("refused: "), said
    assert alone(written())[0] == 0


def test_the_certificate_of_two_anonymity_is_checked_alone(here):
    """Of k = 2 the proof is by odd sets."""
    table = uniform(13, 4, 4, seed=1)
    starmin.write_table(table, "t.csv")
    proof = simplex_matching(table, KAnonymity(2)).certificate
    assert proof.kind == "odd_sets" and check_certificate(proof, table).accepted
    assert alone(written(proof))[0] == 0
    false = replace(proof, bound=proof.bound + 1)
    assert check_certificate(false, table).accepted is False
    assert alone(written(false))[0] == 1


@pytest.mark.parametrize(
    "change",
    [{"kind": "a kind\nto come"}, {"kind": "oracle"}, {"starmin_certificate": 3}],
)
def test_verify_says_what_it_cannot_check(change, here, monkeypatch, capsys):
    Path("p.json").write_text(json.dumps(written(**change)))
    line = "verify r.csv --k 2 --original t.csv --certificate p.json"
    code, out, err = run(monkeypatch, capsys, line)
    assert (code, err) == (3, "") and "proof     cannot be checked here: " in out
    code, out, _ = run(monkeypatch, capsys, f"{line} --json")
    found = json.loads(out)["certificate"]
    assert code == 3 and found["accepted"] is None and found["bound"] is None
    assert found["why"] and "\n" not in found["why"]
    verdict = starmin.check_certificate("p.json", TABLE)
    assert verdict.accepted is None and verdict.why == found["why"]
    # What is violated or forged stays an answer of its own.
    assert run(monkeypatch, capsys, line.replace("--k 2", "--k 7"))[0] == 1
    Path("p.json").write_text(json.dumps(written(bound=7)))
    code, out, _ = run(monkeypatch, capsys, line)
    assert code == 1 and "proof     refused: it claims 7" in out


def test_numbers_beyond_its_arithmetic_are_not_checked():
    large = {"denominator": 1, "prices": [2**61] * 6}
    check = check_certificate(replace(CLAIM, data=large), TABLE)
    assert check.accepted is None and "64 bits" in check.why
    check = check_certificate(
        replace(CLAIM, data={"denominator": 1, "prices": [2**62] * 6}), TABLE
    )
    assert check.accepted is False


def test_a_format_to_come_is_told_from_what_is_no_certificate(here):
    Path("p.json").write_text(json.dumps(written(starmin_certificate=3)))
    with pytest.raises(UnknownFormatError, match="of format 3; known here: 1 or 2"):
        Certificate.read(Path("p.json"))
    for version in (True, 0, "2", 1.0, None):
        Path("p.json").write_text(json.dumps(written(starmin_certificate=version)))
        with pytest.raises(ValueError, match="not a starmin certificate") as error:
            Certificate.read(Path("p.json"))
        assert type(error.value) is not UnknownFormatError


def test_what_the_one_file_cannot_check_is_told_by_verify_as_well():
    """``verify`` asks it about kinds of small tables, as long as there is time."""
    names = [f"c{column}" for column in range(40)]
    wide = Table.from_rows(names, [["0"] * 40, ["1"] * 40], qi=names)
    data = {"denominator": 1, "nodes": [{}]}
    for table, over, why in (
        (wide, None, "too many rows and columns for a tree of cells"),
        (TABLE, lambda: True, "the time for its check is over"),
    ):
        kind = "nonhomogeneous_tree"
        claim = Certificate.of(table, KAnonymity(2), STARS, kind, 0, data)
        check = check_certificate(claim, table, over=over)
        assert (check.accepted, check.bound, check.why) == (None, None, why)
