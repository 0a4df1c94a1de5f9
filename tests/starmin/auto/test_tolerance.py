"""Tests that losses are called optimal to 1e-6, never as exact, and stars exactly."""

import json
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import starmin
from starmin.cli.app import main
from starmin.gaps.gap_page import write_report
from starmin.gaps.standings import Standing
from starmin.instances import (
    Control,
    KAnonymity,
    Objective,
    Partition,
    Result,
    Run,
    Scales,
    Status,
    Table,
    watch_runs,
    write_table,
)
from starmin.instances.runs.certificate import Certificate
from starmin.instances.runs.result import TOLERANCE, is_near
from starmin.models.boxes.box_program import box_program
from starmin.models.patterns.coarse_losses import CoarseRun
from starmin.outputs.claims import claim
from starmin.page.folder import Version
from starmin.page.server import _environment
from starmin.verify.brute_force import brute_force
from starmin.verify.certificates.certificate_check import check_certificate

HUGE, TINY = 10**11, 0.5


def table_of(seed: int, rows: int = 7) -> Table:
    """A table with a column up to 1e11 beside one up to 0.5, and values of few bits."""
    rng = random.Random(seed)
    kinds = [
        lambda: str(rng.randrange(HUGE)),
        lambda: f"{rng.random() * TINY:.{rng.choice([3, 9, 12])}f}",
        lambda: rng.choice("abc"),
    ]
    cells = [[kind() for kind in kinds] for _ in range(rows)]
    return Table.from_rows(["huge", "tiny", "text"], cells, ["huge", "tiny", "text"])


def gcp_of(table: Table) -> Objective:
    return Objective("gcp", scales=Scales.of(table, ["huge", "tiny"]))


def test_near_means_near_in_whole_numbers():
    rng = random.Random(4)
    for _ in range(5_000):
        bound = rng.randrange(1, 10 ** rng.randint(1, 40))
        value = bound + rng.choice([0, 1, bound // 10**6, bound // 999_999, bound])
        if is_near(value, bound, TOLERANCE):
            assert (value - bound) * 10**6 <= value
        assert is_near(value, bound, 0.0) == (value == bound)


@pytest.mark.parametrize("seed", range(6))
def test_optimal_is_never_more_than_is_proven(seed):
    table, rule = table_of(seed), KAnonymity(2 + seed % 2)
    goal = gcp_of(table)
    optimum = brute_force(table, rule, goal).value
    found = box_program(table, rule, objective=goal, time_limit=30)
    assert found.tolerance == TOLERANCE and found.certificate is not None
    assert found.lower_bound <= optimum <= found.value
    assert check_certificate(found.certificate, table, rule, goal).accepted
    assert found.status is Status.OPTIMAL and found.limit is None
    assert (found.value - found.lower_bound) * 10**6 <= found.value
    with watch_runs(Control(gap=0.0)):
        exact = box_program(table, rule, objective=goal, time_limit=30)
    assert exact.value == exact.lower_bound == optimum


def test_a_search_ends_within_the_tolerance_unless_a_smaller_gap_is_asked_for():
    table = table_of(1)
    for gap, ends in ((None, True), (0.01, True), (1e-9, False), (0.0, False)):
        with watch_runs(Control(gap=gap)), watch_runs():
            run = Run(table, KAnonymity(7), gcp_of(table))
            run.offer(Partition.single(table))
            assert run.value is not None and run.is_enough(run.value)
            run.raise_bound(run.value - run.value // 10**7, "by hand")
        found = run.result()
        assert run.closed is ends and found.status is Status.OPTIMAL
        assert claim(found, str).startswith("proven (to 1e-6) by")


@pytest.mark.parametrize("parts", [10**6, 999_999, 1_000_001, 10**7])
def test_bounds_on_rounded_losses_are_enough_where_they_are_for_true_ones(parts):
    table = table_of(1)
    true = Run(table, KAnonymity(7), gcp_of(table))
    coarse = CoarseRun(true)
    coarse.offer(Partition.single(table))
    assert coarse.value is not None and not coarse.closed
    coarse.raise_bound(coarse.value - coarse.value // parts, "by hand")
    assert coarse.closed is true.closed is (true.result().status is Status.OPTIMAL)


def test_claims_are_exact_only_where_a_certificate_proves_all():
    table = table_of(3)
    given = table, KAnonymity(2), gcp_of(table), "prices"
    value = 10**9
    exact = Result(None, value, value, 1.0, bound_method="pattern_ilp")
    exact = replace(exact, tolerance=TOLERANCE)
    near = replace(exact, lower_bound=value - 10)
    for found, proven, said in (
        (exact, value, "optimal"),
        (exact, value - 10, "proven (to 1e-6)"),
        (near, value - 10, "proven (to 1e-6)"),
        (near, value - 100, "proven (to 1e-6)"),
        (
            near,
            9,
            "proven (to 1e-6) by the solver's word (HiGHS); certified: at least 9",
        ),
        (replace(near, tolerance=0.0), value - 10, "feasible"),
        (replace(near, lower_bound=value - 1_001), value - 1_001, "feasible"),
    ):
        proof = Certificate.of(*given, proven, {})
        assert claim(replace(found, certificate=proof), str) == said


def test_auto_says_to_what_it_proved():
    table = table_of(5, rows=12)
    how = {"k": 3, "recoding": "generalization", "numeric": ["huge", "tiny"]}
    found = starmin.solve(table, **how, time_limit=20)
    assert found.status is Status.OPTIMAL and found.runtime < 18
    assert (found.value - found.lower_bound) * 10**6 <= found.value
    assert (found.claim == "optimal") == (
        found.units.value == found.units.certified_bound
    )


# What is told in the unit that people read, and where the whole numbers are.


def doors(table, how, hears):
    """Every result that a call of ``starmin`` returns, by the call."""
    k, quick = how["k"], {"time_limit": 5.0}
    one = {name: value for name, value in how.items() if name != "k"}
    asked = starmin.question(table, **how)
    several = [k, k + 1]
    return {
        "solve": starmin.solve(table, **how, **quick, on_progress=hears),
        "bound": starmin.bound(table, **how, **quick, on_progress=hears),
        "anonymize": starmin.anonymize(table, **how, **quick, on_progress=hears),
        "Anonymizer": starmin.Anonymizer(**how, **quick).fit(table).release_,
        "question.solve": asked.solve(**quick),
        "question.bound": asked.bound(**quick),
    } | {
        f"{name}, k = {point.asked.k}": point.result
        for name, curve in (
            ("frontier", starmin.frontier(table, several, **one, **quick)),
            ("question.frontier", asked.frontier(several, **quick)),
        )
        for point in curve.points
    }


@pytest.mark.parametrize("objective", ["gcp", "stars", "tuples"])
def test_every_result_is_told_in_the_unit_that_people_read(objective):
    table, told = table_of(2, rows=6), []
    how = {"k": 2, "objective": objective, "qi": list(table.qi)}
    if objective == "gcp":
        how["numeric"] = ["huge", "tiny"]
    for door, found in doors(table, how, told.append).items():
        whole = getattr(found, "solution", found).problem.objective.whole(table)
        for name in ("value", "lower_bound", "certified_bound"):
            units, read = getattr(found.units, name), getattr(found, name)
            if units is None or objective != "gcp":
                assert read == units and type(read) is type(units), (door, name)
            else:
                assert type(units) is int and read == units / whole <= 1, (door, name)
        assert found.lower_bound is not None, door
        if isinstance(found, starmin.Anonymization):
            assert (" lost, " if objective == "gcp" else f" {objective}, ") in repr(
                found.certificate
            )
        if "bound" in door:
            assert found.best is found.published is found.value is None
            assert f"lower_bound={found.lower_bound}" in repr(found)
    for name in ("value", "lower_bound"):
        heard = [getattr(p, name) for p in told if getattr(p, name) is not None]
        assert heard and all(objective != "gcp" or cost <= 1 for cost in heard), name
    side = starmin.compare(table, methods=["auto", "mondrian"], time_limit=5.0, **how)
    best = starmin.solve(table, **how)
    rows = side.to_pylist()
    # Losses are proven to this share, by whoever comes first; stars exactly.
    share = TOLERANCE if objective == "gcp" else 0.0
    bound = rows[0]["lower_bound"]
    assert rows[1]["lower_bound"] == bound
    assert bound == pytest.approx(best.lower_bound, rel=share, abs=0.0)
    assert rows[0]["value"] == best.value <= rows[1]["value"]


def test_two_losses_that_read_alike_are_not_called_equal():
    """A share has 53 bits: what is proven exactly is seen by the whole numbers."""
    problem = starmin.question(table_of(1), k=7, numeric=["huge", "tiny"]).problem
    value = Partition.single(problem.table).value(problem.table, problem.objective)
    units = Result(None, value, value - 1, 0.1, tolerance=TOLERANCE)
    found = starmin.Solution(units, problem)
    assert found.value == found.lower_bound and found.gap > 0
    assert found.claim.startswith("proven (to 1e-6) by") and "optimal" not in repr(
        found
    )


# Each door to a search knows the tolerance.

FROM_COMMANDS = {
    "solve": "solve t.csv --k 3",
    "bound": "bound t.csv --k 3 --objective gcp",
    "frontier": "frontier t.csv --k 3",
    "gap": "gap t.csv --k 3 --methods box_program",
}


def told_by(out):
    """The object of ``--json``, or that of its first requirement or run."""
    found = json.loads(out)
    return (found.get("points") or found.get("runs") or [found])[0]


@pytest.mark.parametrize("door", FROM_COMMANDS)
def test_every_command_tells_what_is_proven_to_the_tolerance(
    door, monkeypatch, tmp_path, capsys
):
    monkeypatch.chdir(tmp_path)
    write_table(table_of(5, rows=12), Path("t.csv"))
    words = [*FROM_COMMANDS[door].split(), "--numeric", "huge,tiny", "--qi"]
    words += ["huge,tiny,text", "--time-limit", "20", "--json", "--quiet"]
    if door != "bound":
        words += ["--recoding", "generalization"]
    # A bound has no gap, and processes of a comparison take long.
    for asked in ([],) if door in ("bound", "gap") else ([], ["--gap", "0"]):
        monkeypatch.setattr(sys, "argv", ["starmin", *words, *asked])
        code, (out, err) = main(), capsys.readouterr()
        assert code == 0, err
        told = told_by(out)
        assert told["tolerance"] == TOLERANCE
        bound = told["lower_bound"]
        if door == "bound":
            assert told["status"] == "unknown" and 0 < bound < 1
            continue
        assert told["status"] == "optimal" and told["gap"] <= TOLERANCE
        assert 0 < bound <= told["value"] < 1 and told["claim"]
        assert told["claim"] == "optimal" or "to 1e-6" in told["claim"]


def test_what_a_page_and_a_comparison_say_is_not_exact_where_the_proof_is_not(tmp_path):
    near = Standing("p", "t", "k 3", 0.5, ("a",), 0.5 - 1e-8, "b", 0.5 - 1e-8, None)
    assert not near.settles(near.certified)
    near = replace(near, tolerance=TOLERANCE)
    assert near.settles(near.bound) and not near.settles(0.5 - 1e-6)
    write_report(tmp_path, [], [replace(near, value=None, known=0.5)], ())
    lead = (tmp_path / "report.html").read_text()
    assert "1 of them solved to a proven optimum, losses being proven (to 1e-6)" in lead
    told = {"status": "optimal", "claim": "proven (to 1e-6)", "gap": 2e-8}
    worth, moved = _environment().get_template("worth.html"), (0.0, 0.0)
    said = worth.render(version=Version(1, tmp_path, {}, told), moved=moved)
    assert said.startswith("Proven (to 1e-6): ") and "but for next to nothing" in said
    exact = Version(1, tmp_path, {}, {**told, "gap": 0.0})
    said = worth.render(version=exact, moved=moved)
    assert said.startswith("Proven: none")
