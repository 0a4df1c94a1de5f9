"""Tests that no bound is told before its certificate was checked, and none is lost."""

import json
import random
import shlex
import signal
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import starmin
from starmin.auto import choice, guard
from starmin.auto.choice import best_bound
from starmin.auto.contest import with_spares
from starmin.auto.guard import checked, seconds_kept
from starmin.auto.task import Task
from starmin.cli.app import main
from starmin.gaps import sweep as run_job
from starmin.inputs.loading import Origin
from starmin.inputs.spec import Spec
from starmin.instances import (
    STARS,
    Certificate,
    KAnonymity,
    Limit,
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Partition,
    Persons,
    Problem,
    Scales,
    Table,
)
from starmin.instances.catalogue.catalogue import hospital
from starmin.instances.catalogue.generators import normal
from starmin.instances.requirements.office_rules import Combinations
from starmin.instances.runs.search_control import ask_to_stop, listen_to_stop
from starmin.models.nonhomogeneous.cell_prices import prove_by_cells
from starmin.models.pattern_variants.person_price_tree import prove_together
from starmin.models.rules.rule_bounds import rule_prices
from starmin.outputs.summary import Summary
from starmin.process.faults import InternalError
from starmin.process.interrupts import Interrupts
from starmin.registry import METHODS
from starmin.verify.certificates import certificate_check as checker
from tests.support.small_problems import random_table

pytestmark = pytest.mark.usefixtures("undrawn")

K2 = KAnonymity(2)
REFUSED = "a bug of starmin, please report it: the checker refuses the certificate of"
SOLVE = "solve instance:hospital --k 2 --quiet"


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in a folder of its own: exit code, stdout, lines of errors."""
    monkeypatch.chdir(tmp_path)

    def call(line: str) -> tuple[int, str, list[str]]:
        monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
        code = main()
        written = capsys.readouterr()
        lines = written.err.splitlines()
        assert all(line.startswith("starmin: ") for line in lines)
        return code, written.out, [line for line in lines if "error:" in line]

    return call


@pytest.fixture
def lies(monkeypatch):
    """Have each certificate claim one more than it proves."""
    honest = guard.checked

    def lie(found, *given):
        if (proof := found.certificate) is not None:
            proof = replace(proof, bound=proof.bound + 1)
        return honest(replace(found, certificate=proof), *given)

    monkeypatch.setattr(guard, "checked", lie)


@pytest.fixture
def hurried(monkeypatch):
    """Have no time for any check."""
    honest = guard.checked
    monkeypatch.setattr(guard, "_SOON", -1.0)
    monkeypatch.setattr(
        guard, "checked", lambda found, problem, _, *given: honest(found, problem, -1.0)
    )


def holds(path, k=2):
    """Check a release of the hospital."""
    table = hospital()
    released = starmin.read_table(path, qi=table.qi, sensitive=table.sensitive)
    return starmin.verify(released, k, original=table).holds


def unproven(found):
    """Check that nothing is said to be proven."""
    assert found["lower_bound"] is found["certified_bound"] is found["gap"] is None
    assert found["certificate_checked"] is found["bound_method"] is None
    return found["status"] == found["claim"] == "feasible"


@pytest.mark.usefixtures("lies")
def test_what_the_checker_refuses_is_not_told_by_solve(run):
    line = f"{SOLVE} --out out.csv --result r.json --certificate proof.json --json"
    code, out, errors = run(line)
    assert code == 70 and REFUSED in errors[0] and "it claims" in errors[0]
    assert holds("out.csv") and unproven(json.loads(out))
    assert unproven(json.loads(Path("r.json").read_text()))
    assert not Path("proof.json").exists()
    code, out, errors = run(f"{SOLVE} --recoding nonhomogeneous --out rings.csv")
    assert code == 70 and len(errors) == 1 and REFUSED in errors[0]
    assert "bound" not in out and Path("rings.csv").exists()


@pytest.mark.usefixtures("lies")
def test_what_the_checker_refuses_is_not_told_by_the_other_commands(run):
    code, out, errors = run("bound instance:hospital --l 2 --quiet --json")
    assert (code, out, len(errors)) == (70, "", 1) and REFUSED in errors[0]
    line = "frontier instance:hospital --k 2,3 --quiet --out curve --json"
    code, out, errors = run(line)
    assert code == 70 and all(REFUSED in each for each in errors)
    assert {each.split(": ")[2] for each in errors} == {
        "k = 2",
        "k = 3",
        "the certificate for k = 2",
        "the certificate for k = 3",
    }
    assert all(map(unproven, json.loads(out)["points"]))
    assert holds("curve/k2.csv") and holds("curve/k3.csv", 3)


@pytest.mark.usefixtures("lies", "jobs_here")
def test_what_the_checker_refuses_is_not_told_by_gap(run):
    line = "gap instance:hospital --k 2 --methods auto,own_pattern --quiet --out gaps"
    code, out, _ = run(line)
    rows = json.loads(Path("gaps/gaps.json").read_text())["runs"]
    assert code == 70 and "optimal" not in out
    assert [row["outcome"] for row in rows] == ["crash", "crash"]
    assert all(REFUSED in row["why"] and "value" not in row for row in rows)


@pytest.mark.usefixtures("lies")
def test_what_the_checker_refuses_is_an_error_that_has_the_release():
    table = hospital()
    with pytest.raises(InternalError, match=REFUSED) as caught:
        starmin.solve(table, k=2)
    solution = caught.value.result
    assert solution.best.violation(table, K2, STARS) is None
    assert solution.published.n == 10 and solution.claim == "feasible"
    assert solution.lower_bound is solution.certificate is None
    frame = pd.DataFrame({"age": [30, 30, 41, 42], "sex": list("fmff")})
    with pytest.raises(starmin.InternalError, match=REFUSED) as caught:
        starmin.anonymize(frame, k=2)
    release = caught.value.result
    assert release.verify().holds and release.value == 4
    assert release.lower_bound is None and "optimal" not in repr(release)
    with pytest.raises(InternalError, match=REFUSED) as caught:
        starmin.bound(table, k=2)
    assert caught.value.result.lower_bound is None
    with pytest.raises(InternalError, match="k = 3: the checker refuses") as caught:
        starmin.frontier(table, k=[2, 3])
    points = caught.value.result.points
    assert [point.result.lower_bound for point in points] == [None, None]
    assert all(point.result.best is not None for point in points)


@pytest.mark.usefixtures("hurried")
def test_where_there_was_no_time_nothing_is_certified(run):
    code, out, errors = run(f"{SOLVE} --json --certificate proof.json")
    found = json.loads(out)
    assert (code, errors, found["certificate_checked"]) == (0, [], False)
    assert found["certified_bound"] is None and found["status"] == "optimal"
    assert found["lower_bound"] == found["value"] and Path("proof.json").exists()
    why = "for lack of time its certificate was not checked"
    assert found["claim"].startswith("optimal by the ") and why in found["claim"]
    told = run(f"{SOLVE} --report page.html")[1]
    assert "time was up before its proof was checked: starmin verify checks it" in told
    assert "There was no time to check its certificate" in Path("page.html").read_text()
    table = hospital()
    assert why in repr(starmin.solve(table, k=2))
    assert starmin.bound(table, k=2).certificate_checked is False


def test_what_was_checked_is_said_to_be(run):
    found = json.loads(run(f"{SOLVE} --json")[1])
    assert found["certificate_checked"] is True and found["claim"] == "optimal"
    assert found["certified_bound"] == found["value"]
    line = f"{SOLVE} --method mondrian --json"
    found = json.loads(run(line)[1])
    assert found["certificate_checked"] is found["certified_bound"] is None
    solution = starmin.solve(hospital(), k=2)
    assert solution.certificate_checked and repr(solution).endswith("optimal)")


def proofs():
    """One certificate of each kind that takes time to check, with its table."""
    table, numbers = hospital(), Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    losses = Objective("gcp", scales=Scales.of(numbers, ["a"]))
    yield table, starmin.bound(table, k=2).certificate
    yield numbers, starmin.bound(numbers, k=2, objective=losses).certificate
    yield (
        numbers,
        METHODS["box_program"].load()(numbers, K2, objective=losses).certificate,
    )
    rules = Combinations({1: 2, 2: 2})
    yield table, rule_prices(table, rules).certificate
    split = random_table(random.Random(11), least=6)
    yield split, METHODS["branch_and_bound"].load()(split, K2).certificate
    yield table, starmin.bound(table, k=2, recoding="nonhomogeneous").certificate
    yield numbers, prove_by_cells(numbers, K2, STARS, 3, 9.0)
    rows = [["1", "p"], ["1", "p"], ["2", "q"], ["2", "r"]]
    visits = Table.from_rows(["a", "id"], rows, qi=["a"])
    together = Persons.of(visits, K2, "id", pseudonym=True)
    yield visits, prove_together(visits, together, STARS, 4, 9.0)
    data = {"denominator": 1, "prices": [0, 0, 0]}
    sets = {"sets": [], "set_prices": []}
    yield numbers, Certificate.of(numbers, K2, losses, "group_prices", 0, data)
    yield numbers, Certificate.of(numbers, K2, STARS, "odd_sets", 0, data | sets)


def test_every_check_ends_with_its_time():
    kinds = set()
    for table, proof in proofs():
        kinds.add(proof.kind)
        assert checker.check_certificate(proof, table).accepted
        late = checker.check_certificate(proof, table, over=lambda: True)
        assert (late.accepted, late.why) == (None, "the time for its check is over")
    known = {*checker.KINDS, *checker.ONE_FILE, checker.RULES, checker.PERSONS}
    assert kinds == known - {"residue"}


def test_time_is_kept_back_and_a_check_ends_with_it(monkeypatch):
    table = hospital()
    problem = Task(Problem(table, K2, STARS), {"time_limit": 1e-5})
    assert 0 < seconds_kept(problem) < 2.1e-6
    assert seconds_kept(problem.given(time_limit=60.0)) < 0.001
    assert seconds_kept(Task(Problem(table, K2, STARS), {})) == 0
    given = []

    def search(method, problem):
        given.append(problem.seconds)
        return METHODS[method].load()(table, K2)

    monkeypatch.setattr(choice, "_solve", search)
    monkeypatch.setattr(guard, "_SECONDS_PER_PAIR", 1e9)
    assert (
        choice.solve_by("pattern_ilp", problem.problem, {"time_limit": 50.0}).value == 2
    )
    assert given == [40.0]
    # What has begun ends when its time does.
    steps = []
    honest = checker.check_certificate

    def slow(*words, over, **named):
        steps.append(over())
        monkeypatch.setattr(guard.time, "perf_counter", lambda: 1e9)
        return honest(*words, over=over, **named)

    monkeypatch.setattr(checker, "check_certificate", slow)
    found = checked(METHODS["pattern_ilp"].load()(table, K2), problem, 60.0)
    assert steps == [False] and found.certificate_checked is False


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_check_that_is_broken_off_says_nothing(monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(checker, "check_certificate", fail)
    found = starmin.solve(hospital(), k=2)
    assert found.value == 2 and found.certificate_checked is False


def test_an_interrupt_ends_the_check(monkeypatch):
    table = hospital()
    found = METHODS["pattern_ilp"].load()(table, K2)
    problem = Task(Problem(table, K2, STARS), {})

    def interrupted(*_, over, **__):
        ask_to_stop()
        assert over()
        return checker.CertificateCheck(None, None, "over")

    with listen_to_stop():
        monkeypatch.setattr(checker, "check_certificate", interrupted)
        assert checked(found, problem, 60.0).certificate_checked is False
        monkeypatch.undo()
        # What is quick is checked all the same.
        assert checked(found, problem, 60.0).certificate_checked is True


def test_a_checker_that_breaks_is_a_bug(monkeypatch):
    monkeypatch.setattr(checker, "check_certificate", lambda *_, **__: {}["lost"])
    with pytest.raises(InternalError, match=r"broke: KeyError: 'lost' \(") as caught:
        starmin.solve(hospital(), k=2)
    assert caught.value.result.value == 2


def breaks_off(monkeypatch, error, best):
    """Have a search break off when it has found a release, or none yet."""

    def search(method, problem):
        if best is not None:
            problem.run().offer(best)  # a run that is gone
        raise error

    monkeypatch.setattr(choice, "_solve", search)


@pytest.mark.parametrize("error", [ArithmeticError, IndexError, ValueError])
def test_a_bug_in_a_search_leaves_what_it_had_found(run, monkeypatch, error):
    table = hospital()
    pairs = Partition.from_labels(np.arange(table.n) // 2)
    breaks_off(monkeypatch, error("it broke"), pairs)
    with pytest.raises(InternalError, match=f"{error.__name__}: it broke") as caught:
        starmin.solve(table, k=2)
    found, value = caught.value.result, pairs.value(table, STARS)
    assert (found.value, found.lower_bound) == (value, None)
    code, out, errors = run(f"{SOLVE} --out out.csv --json")
    assert code == 70 and len(errors) == 1 and "it broke" in errors[0]
    assert holds("out.csv") and json.loads(out)["value"] == value


def test_an_error_before_there_is_a_release_is_raised_as_it_is(monkeypatch):
    for error, best in (
        (TypeError("seed"), None),
        (NotSupportedError("no"), Partition.single(hospital())),
    ):
        breaks_off(monkeypatch, error, best)
        with pytest.raises(type(error)):
            starmin.solve(hospital(), k=2)


@pytest.mark.parametrize("count", [1, 2])
def test_an_interrupt_at_the_end_of_a_search_loses_nothing(run, monkeypatch, count):
    honest = choice.certified

    def late(found, *problem):
        proven = honest(found, *problem)
        for _ in range(count):
            signal.raise_signal(signal.SIGINT)
        return proven

    monkeypatch.setattr(choice, "certified", late)
    code, out, _ = run(f"{SOLVE} --out out.csv --json")
    found = json.loads(out)
    assert code == 130 and found["value"] == 2 and holds("out.csv")
    monkeypatch.undo()
    # After the end of a search nothing is raised.
    with Interrupts() as interrupts:
        ended = interrupts.defer
        control = guard.Control(ended=ended)
        found = choice.solve_by("auto", Problem(hospital(), K2, STARS), {}, control)
        signal.raise_signal(signal.SIGINT)
    assert found.value == 2 and interrupts.count == 1


def test_of_several_methods_the_best_release_is_left(monkeypatch):
    table = hospital()
    pairs = Partition.from_labels(np.arange(table.n) // 2)
    breaks_off(monkeypatch, KeyboardInterrupt(), pairs)
    found = choice.solve_by("auto", Problem(table, K2, STARS), {})
    assert found.value == pairs.value(table, STARS)
    assert found.limit is Limit.INTERRUPTED


def test_gap_says_which_certificates_were_checked(run, monkeypatch):
    told = {"certificate": {"accepted": True, "bound": 2, "why": None}}
    out = json.dumps({"stars": 2, "holds": True, "consistent": True} | told)
    ended = run_job.Ended(0, out, "", 1.0, 1.0)
    monkeypatch.setattr(run_job, "run_process", lambda line, hard: ended)
    job = run_job.Job(Spec.of("instance:hospital", {"k": 2}), "auto")
    row = run_job._verify(job, Path("r.csv"), Path("p.json"))
    assert row["certificate_checked"] is True


def test_rings_are_left_where_a_bug_strikes(monkeypatch):
    table = hospital()
    rings = NonHomogeneous.coarsest(table, 2, Partition.single(table).groups)

    def search(task, bound):
        task.run().offer(rings)
        raise ValueError("it broke")

    monkeypatch.setattr(choice, "solve_nonhomogeneous", search)
    with pytest.raises(InternalError, match="ValueError: it broke") as caught:
        starmin.solve(table, k=2, recoding="nonhomogeneous")
    assert caught.value.result.value <= rings.value(table, STARS)


@pytest.fixture
def word_alone(monkeypatch):
    """Leave a solver's word as it is: no tree is searched to prove it."""
    monkeypatch.setattr(choice, "certified", lambda found, *_: found)


@pytest.mark.usefixtures("word_alone")
def test_whose_word_an_optimum_is_stands_wherever_it_is_told(run):
    word = "optimal by the solver's word (CP-SAT); no certificate"
    line = "solve instance:hospital --k 2 --method pairwise_cp --quiet"
    _, out, _ = run(f"{line} --report page.html")
    plain = "optimal, says a solver (CP-SAT)"
    assert f"status    {plain}: nothing could be saved (" in out
    assert "so says a solver (CP-SAT), without a proof to check" in out
    page = Path("page.html").read_text()
    assert page.count(word.replace("'", "&#39;")) >= 2 and "it is optimal" not in page
    found = json.loads(run(f"{line} --json")[1])
    assert (found["claim"], found["status"]) == (word, "optimal")
    solution = starmin.solve(hospital(), k=2, method="pairwise_cp")
    assert solution.claim == word and word in repr(solution)
    frame = pd.DataFrame({"age": [30, 30, 41, 42], "sex": list("fmff")})
    release = starmin.anonymize(frame, k=2, method="pairwise_cp")
    assert f"{word}; text now: age" in release.headline and plain in release.summary()
    line = "frontier instance:hospital --k 2 --method pairwise_cp --quiet"
    assert plain in run(line)[1]


@pytest.mark.usefixtures("word_alone")
def test_a_certificate_of_less_is_told_beside_the_word(monkeypatch):
    table = hospital()
    honest = choice._solve
    less = replace(starmin.bound(table, l=2).certificate, bound=1)

    def search(method, problem):
        return replace(honest(method, problem), certificate=less)

    monkeypatch.setattr(choice, "_solve", search)
    found = starmin.solve(table, l=2, method="pairwise_cp")
    assert (found.value, found.certified_bound, found.certificate_checked) == (
        6,
        1,
        True,
    )
    word = "the solver's word (CP-SAT)"
    assert found.claim == f"optimal by {word}; certified: at least 1"
    lines = dict(Summary.of(found.problem, Origin("t"), found.units).lines())
    said = "the certificate proves 1, a solver (CP-SAT) says the rest"
    assert said in lines["bound"]


def test_a_proof_that_checks_slowly_leaves_the_one_that_does_not(monkeypatch):
    table, honest = normal(40, 2, seed=3), checker.check_certificate
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    task = Task(Problem(table, K2, losses), {})
    found, bound = (
        METHODS[name].load()(table, K2, objective=losses)
        for name in ("box_program", "dual_ascent")
    )
    assert 0 < bound.certificate.bound <= found.certificate.bound
    both = with_spares(found, [bound])
    assert both.spares == (bound.certificate,)
    told = checked(both, task, 60.0)
    assert (told.certificate, told.certificate_checked) == (found.certificate, True)
    assert not told.spares and not with_spares(bound, [bound]).spares

    def slow(proof, *words, **named):
        if proof.kind == "boxes":
            return checker.CertificateCheck(None, None, "over")
        return honest(proof, *words, **named)

    # After a search that was late the quick one is checked, and that alone.
    late = checked(both, task, -4.0)
    assert (late.certificate, late.certificate_checked) == (bound.certificate, True)
    assert checked(bound, task, -4.0).certificate_checked is True
    monkeypatch.setattr(checker, "check_certificate", slow)
    told = checked(both, task, 60.0)
    assert told.certified_bound == bound.certificate.bound
    assert told.certificate_checked and told.value == found.value
    assert checked(found, task, 60.0).certificate_checked is False
    # What nobody could check and says nothing, as no release costs less than 0, leaves.
    nothing = replace(found, certificate=replace(found.certificate, bound=0))
    assert checked(nothing, task, 60.0).certificate is None
    # Prices by row are checked quickly, though they are of the same kind.
    rows = METHODS["own_pattern"].load()(table, K2, objective=losses)
    rows = replace(rows, certificate=replace(rows.certificate, kind="group_prices"))
    assert with_spares(bound, [rows, bound]).spares == (rows.certificate,)
    # Bounds alone keep both, too.
    stars = best_bound("auto", Task(Problem(table, K2), {"time_limit": 60.0}))
    assert stars.certificate.kind == "group_prices" and stars.spares


def test_a_check_of_prices_pauses_within_the_search_of_one_row(monkeypatch):
    from starmin.verify.certificates.prices import group_prices

    table = normal(300, 2, seed=4)
    losses = Objective("gcp", scales=Scales.of(table, table.qi))
    found = METHODS["dual_ascent"].load()(table, KAnonymity(5), objective=losses)
    proof = found.certificate
    whole, looks = checker.check_certificate(proof, table), []
    honest = group_prices.next_first

    def watched(*given):
        looks.append(honest(*given))
        return looks[-1]

    monkeypatch.setattr(group_prices, "next_first", watched)
    monkeypatch.setattr(group_prices, "_CELLS", 1)
    paused = checker.check_certificate(proof, table)
    assert (paused.accepted, paused.bound) == (True, whole.bound)
    assert len(looks) > len(set(looks))  # it was at one row more than once
