"""Tests of what missing sensitive values count as: one more value, any, or none."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas
import pytest

import starmin
from starmin.auto.choice import bound_by, solve_by
from starmin.cli.app import main
from starmin.instances import (
    AllOf,
    DistinctDiversity,
    EntropyDiversity,
    GroupStats,
    KAnonymity,
    LDiversity,
    MaxShare,
    MissingValues,
    NotSupportedError,
    Objective,
    Problem,
    Reading,
    RecursiveDiversity,
    Scales,
    Table,
    read_missing,
)
from starmin.models.pattern_variants.known_values_ilp import known_values_ilp
from starmin.models.reductions.changed_rows import KnownValues
from starmin.models.reductions.reduction import KnownPart
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.releases.release_check import check_release
from tests.support.fuzzing import TRIES

FORMS = [
    LDiversity(2),
    LDiversity(3),
    DistinctDiversity(2),
    EntropyDiversity(2),
    RecursiveDiversity(2.0, 2),
    MaxShare(0.6),
]


def holds(requirement, values):
    """Whether a group with these sensitive values satisfies a requirement."""
    table = Table.from_rows(["q", "s"], [["0", v] for v in values], ["q"], ["s"])
    stats = GroupStats.of(table, np.zeros(len(values), np.int32))
    return requirement.holds(stats).item()


@pytest.mark.parametrize("inner", FORMS, ids=str)
def test_any_value_means_whatever_it_is_and_none_means_nobody(inner):
    """Every group of up to four rows, every way to fill in what is missing."""
    any_value = MissingValues(inner, Reading("any", ("",)))
    nobody = MissingValues(inner, Reading("none", ("",)))
    for size in range(1, 5):
        for values in product("abc", repeat=size):
            for lost in range(size + 1):
                group = [*values[lost:], *[""] * lost]
                filled = (
                    [*values[lost:], *extra] for extra in product("abcd", repeat=lost)
                )
                assert holds(any_value, group) == all(
                    holds(inner, each) for each in filled
                )
                known = values[lost:]
                assert holds(nobody, group) == (not known or holds(inner, known))


def problem(seed):
    """A small table with missing values, what is asked of it, and what it costs."""
    rng = np.random.default_rng(seed)
    n, d, q = int(rng.integers(6, 10)), int(rng.integers(1, 4)), 1 + (seed % 7 == 6)
    values = ["a", "b", "c", "d", "", None]
    rows = [
        [*map(str, rng.integers(0, 3, d)), *rng.choice(values, q, p=_SHARES)]
        for _ in range(n)
    ]
    names = [f"q{j}" for j in range(d)] + [f"s{j}" for j in range(q)]
    table = Table.from_rows(names, rows, names[:d], names[d:])
    inner = [LDiversity(2), DistinctDiversity(2), LDiversity(2), DistinctDiversity(3)]
    reading = Reading(("any", "none")[seed // 4 % 2])
    asked = MissingValues(inner[seed % 4], reading)
    if seed // 8 % 3:
        asked = KAnonymity(int(rng.integers(2, 5))) & asked
    goal = Objective("stars", {names[0]: 3}) if seed % 3 == 0 else Objective("stars")
    if seed % 5 == 4:
        goal = Objective("gcp", scales=Scales.of(table, names[:1]))
    return table, asked, goal


_SHARES = [0.25, 0.25, 0.2, 0.1, 0.1, 0.1]


def test_the_exact_program_finds_the_optimum_of_tiny_tables():
    """Of some tables; with FUZZ=500 of 500, those without a release included."""
    solved = 0
    for seed in range(TRIES or 48):
        table, asked, goal = problem(seed)
        best = brute_force(table, asked, goal)
        found = known_values_ilp(table, asked, objective=goal)
        assert (found.value, found.lower_bound) == (best.value, best.value)
        solved += best.value is not None
    assert solved > 24


@pytest.mark.parametrize("inner", FORMS, ids=str)
def test_tables_read_in_batches_have_a_release_and_a_bound(inner):
    """They are counted: one row for those that are alike, and how many these are."""
    solved = 0
    for seed, meaning in product(range(4), ("value", "any", "none")):
        rng = np.random.default_rng(seed)
        rows = [[*map(str, row)] for row in rng.integers(0, 2, (5, 2))]
        values = ["c" if seed == 3 else "", *"abcd"]
        rows = [[*row, s] for row, s in zip(rows, values, strict=True)]
        rows += rows[:3]
        table = Table.from_rows(["a", "b", "s"], rows, ["a", "b"], ["s"])
        _, first, counts = np.unique(
            table.codes, axis=1, return_index=True, return_counts=True
        )
        batches = replace(table.take(first), counts=counts)
        asked = inner
        if meaning != "value":
            asked = MissingValues(inner, Reading(meaning, ("",)))
        if seed % 2:
            asked = KAnonymity(3) & asked
        best, asks = brute_force(table, asked).value, Problem(batches, asked)
        try:
            found = solve_by("auto", asks, {"time_limit": 2.0})
        except NotSupportedError as error:  # no method takes what follows from it
            assert KnownValues.of(asks) is None and KnownPart.of(asks) is None
            assert "read as a whole" in str(error)
            continue
        assert (found.best is None) == (best is None)
        if best is not None:
            assert found.best.violation(batches, asked) is None
            assert (found.lower_bound or 0) <= best <= found.value
            solved += 1
    assert solved > 3


def test_auto_finds_the_optimum_and_certificates_are_accepted():
    solved = certified = 0
    for seed in range(12):
        table, asked, goal = problem(seed)
        best = brute_force(table, asked, goal)
        found = solve_by("auto", Problem(table, asked, goal), {"time_limit": 30.0})
        assert (found.value, found.lower_bound) == (best.value, best.value)
        if best.value is None:
            continue
        solved, bounds = solved + 1, [found]
        try:
            options = {"time_limit": 10.0}
            bounds.append(bound_by("auto", Problem(table, asked, goal), options))
        except NotSupportedError:  # different values and ranges have no bound
            assert goal.kind == "gcp"
        for bound in bounds:
            assert (bound.lower_bound or 0) <= best.value
            if (proof := bound.certificate) is not None:
                check = check_certificate(proof, table, asked, goal)
                assert check.accepted and check.bound >= proof.bound
                certified += proof.bound == best.value
    assert solved > 6 and certified > 2


def test_a_claim_of_another_reading_is_refused():
    rows = [["0", ""], ["0", "x"], ["1", "x"], ["1", "y"], ["2", ""], ["2", "y"]]
    table = Table.from_rows(["q", "s"], rows, ["q"], ["s"])
    nobody = MissingValues(LDiversity(2), Reading("none"))
    assert brute_force(table, nobody).value == 2
    usual = bound_by("auto", Problem(table, KAnonymity(3), Objective("stars")), {})
    assert usual.certificate.bound == 6
    for stated in (
        nobody.as_json(),
        nobody.as_json() | {"missing_sensitive": "all"},
        nobody.as_json() | {"missing": 3},
        nobody.as_json() | {"missing": [1]},
        {"k": 3, "missing_sensitive": "none"},
    ):
        lie = replace(usual.certificate, requirement=stated)
        assert check_certificate(lie, table).accepted is False
    other = replace(usual.certificate, requirement={"k": 3, "l": 2})
    assert not check_certificate(other, table, KAnonymity(3) & nobody).accepted


def test_what_is_measured_and_why_a_group_fails():
    rows = [["0", "x"], ["0", "x"], ["0", ""], ["1", "x"], ["1", "y"], ["2", "?"]]
    table = Table.from_rows(["q", "s"], rows, ["q"], ["s"])
    measured = {
        how: check_release(table, None, reading=how and Reading(how))
        for how in (None, "any", "none")
    }
    assert [c.missing_sensitive for c in measured.values()] == ["value", "any", "none"]
    assert [c.l for c in measured.values()] == [1.0, 1.0, 1.0]
    assert [c.distinct_l for c in measured.values()] == [1, 1, 1]
    asked = read_missing(KAnonymity(1 + 1) & LDiversity(2), Reading("none"))
    check = check_release(table, asked)
    assert [v.group for v in check.violations] == [1, 3]
    assert "'x' covers 2 of 2 rows, more than 1/2, missing ones left out" in (
        check.violations[0].why
    )
    asked = MissingValues(LDiversity(2), Reading("any"))
    why = [v.why for v in check_release(table, asked).violations]
    assert why[0].endswith("if missing ones are that value") and len(why) == 2


def test_closeness_has_no_missing_values():
    table = Table.from_rows(["q", "s"], [["0", "x"], ["1", ""]], ["q"], ["s"])
    close = starmin.TCloseness.of(table, 0.5)
    with pytest.raises(NotSupportedError, match="t-closeness"):
        read_missing(AllOf((KAnonymity(2), close)), Reading("any"))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command in a folder with a table: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    cells = ["30,m,flu", "30,m,", "30,m,gout", "41,f,flu", "42,f,?", "41,f,hiv"]
    Path("a.csv").write_text("\n".join(["age,sex,dx", *cells, "41,f,gout\n"]))

    def call(line):
        monkeypatch.setattr("sys.argv", ["starmin", *line.split()])
        return main(), *capsys.readouterr()

    return call


ASKED = "--sensitive dx --k 2 --l 2 --missing-sensitive"


def test_the_command_line_says_what_missing_values_count_as(run):
    words = {"value": "one more value", "none": "counts for nobody"}
    for meaning, value in (("value", 2), ("none", 4)):
        line = f"solve a.csv {ASKED} {meaning} --out r.csv --certificate c.json"
        code, out, err = run(line)
        assert code == 0, err
        assert (
            f"dx 2: a missing value {words[meaning]}".replace(
                "value one", "value counts as one"
            )
            in out
        )
        code, out, _ = run(f"{line} --json")
        found = json.loads(out)
        assert (found["missing_sensitive"], found["value"]) == (meaning, value)
        check = f"verify r.csv {ASKED} {meaning} --original a.csv --certificate c.json"
        code, out, _ = run(f"{check} --json")
        told = json.loads(out)
        assert (code, told["missing_sensitive"]) == (0, meaning)
        assert told["certificate"]["accepted"]
        code, out, _ = run(f"bound a.csv {ASKED} {meaning} --json")
        assert json.loads(out)["lower_bound"] <= value
    code, out, _ = run(f"solve a.csv {ASKED} any --json")
    assert (code, json.loads(out)["status"]) == (1, "infeasible")
    assert run("solve a.csv --sensitive dx --t 0.3 --missing-sensitive any")[0] == 2
    assert run("solve a.csv --k 2 --sensitive dx --missing-sensitive some")[0] == 2


def test_codes_that_are_named_missing_are(run):
    line = "solve a.csv --sensitive dx --diversity distinct --l 3 --json --quiet"
    line += " --missing-sensitive none"
    assert json.loads(run(line)[1])["value"] > 0
    code, out, _ = run(f"{line} --missing flu,gout,hiv")
    assert (code, json.loads(out)["value"]) == (0, 0)


def test_frontiers_and_gaps_take_it(run, jobs_here):
    code, out, err = run(
        "frontier a.csv --sensitive dx --k 2,3 --l 2 --json "
        "--missing-sensitive none --time-limit 20"
    )
    assert code == 0, err
    values = [each["value"] for each in json.loads(out)["points"]]
    asked = "gap a.csv --sensitive dx --k 2 --l 2 --missing-sensitive none --json"
    code, out, err = run(f"{asked} --methods auto,known_values_ilp --time-limit 10")
    assert code == 0, err
    assert {row["value"] for row in json.loads(out)["runs"]} == {values[0]}


def test_python_takes_it(run):
    frame = pandas.read_csv("a.csv", dtype=str)
    roles = {"sensitive": "dx", "k": 2, "l": 2}
    values = {}
    for meaning in ("value", "any", "none"):
        release = starmin.anonymize(frame, missing_sensitive=meaning, **roles)
        values[meaning] = release.value
        if release.frame is not None:
            assert release.verify().holds
            assert release.certificate.check(frame).accepted
    assert values == {"value": 2, "any": None, "none": 4}
    table = starmin.read_table("a.csv", sensitive=["dx"])
    for meaning, value in values.items():
        found = starmin.solve(table, k=2, l=2, missing_sensitive=meaning)
        assert found.value == value
        if value is not None:
            check = starmin.verify(found.published, k=2, l=2, missing_sensitive=meaning)
            assert check.holds and check.missing_sensitive == meaning
            bound = starmin.bound(table, k=2, l=2, missing_sensitive=meaning)
            assert bound.lower_bound <= value
    curve = starmin.frontier(table, [2], [2], missing_sensitive="none")
    assert curve.points[0].result.value == 4
