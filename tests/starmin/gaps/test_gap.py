"""Tests that the gap harness loses no row, repeats none, and believes none."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from starmin.gaps.fork_server import Ended
from starmin.gaps.job import Job, all_jobs
from starmin.gaps.standings import standings
from starmin.gaps.store import Store
from starmin.gaps.sweep import local_executor, run_job, sweep
from starmin.inputs.spec import Spec
from starmin.process.dask_workers import dask_workers

pytestmark = pytest.mark.usefixtures("undrawn")

HOSPITAL = "instance:hospital"
K2 = {"k": 2}


def test_the_command_writes_tables_and_goes_on_where_it_was(
    starmin, tmp_path, jobs_here
):
    words = f"gap {HOSPITAL} --k 3 --methods pattern_ilp,own_pattern --out gaps"
    code, out, err = starmin(*words.split(), "--json")
    assert code == 0, err
    found = json.loads(out)
    assert [row["outcome"] for row in found["runs"]] == ["ok"] * 2
    (problem,) = found["problems"]
    assert (problem["value"], problem["bound"], problem["known"]) == (12, 12, 12)
    lines = list(csv.DictReader((tmp_path / "gaps" / "gaps.csv").open(newline="")))
    assert [line["gap"] for line in lines] == ["0.0", ""]
    assert (tmp_path / "gaps" / "report.html").stat().st_size > 10_000
    store = tmp_path / "gaps" / "runs.jsonl"
    before = store.read_text()
    assert starmin(*words.split())[0] == 0 and store.read_text() == before
    content = json.loads((tmp_path / "gaps" / "gaps.json").read_text())
    assert starmin(*content["runs"][0]["command"].split()[1:])[0] == 0


def test_what_a_heuristic_takes_is_without_the_bound(monkeypatch, jobs_here):
    from starmin.gaps import sweep as module

    took, run_here = {}, module.run_process

    def recorded(line, hard):
        ended = run_here(line, hard)
        took[line[4]] = replace(ended, seconds=100.0 * (1 + len(took)))
        return took[line[4]]

    monkeypatch.setattr(module, "run_process", recorded)
    row = run_job(Job(Spec.of(HOSPITAL, K2), "mondrian"), 0)
    assert list(took) == ["solve", "bound", "verify"]
    assert row["outcome"] == "ok" and row["process_seconds"] == 100.0
    assert row["seconds"] == round(json.loads(took["solve"].out)["runtime"], 3)
    assert json.loads(took["solve"].out)["lower_bound"] is None
    assert (row["lower_bound"], row["certified_bound"]) == (2, 2)


def test_what_goes_wrong_is_a_row():
    slow = Job(
        Spec.of("instance:uniform:n=2000,d=7,alphabet=6", K2),
        "pairwise_cp",
        time_limit=1.0,
    )
    with local_executor(2) as executor:
        refused = executor.submit(run_job, Job(Spec.of(HOSPITAL, K2), "three_phase"), 0)
        absent = executor.submit(run_job, Job(Spec.of("no.csv", K2), "forest"), 0)
        starved = executor.submit(
            run_job, Job(Spec.of(HOSPITAL, K2), "pattern_ilp"), 60 << 20
        )
        never = executor.submit(run_job, Job(Spec.of(HOSPITAL, {"k": 11}), "auto"), 0)
        late = executor.submit(run_job, slow, 0)
    assert refused.result()["outcome"] == "refused"
    assert "these do:" in refused.result()["why"]
    assert absent.result()["outcome"] == "refused"
    assert starved.result()["outcome"] in ("out of memory", "crash")
    assert never.result()["outcome"] == "infeasible"
    assert late.result()["outcome"] in ("ok", "refused", "time-out", "out of memory")


def test_what_was_refused_is_said(starmin, tmp_path):
    (tmp_path / "empty.csv").write_text("")
    words = "gap empty.csv --k 2 --methods forest --quiet"
    assert "\trefused: empty.csv: an empty file; expected" in starmin(*words.split())[1]


def test_a_release_that_does_not_hold_is_not_believed(monkeypatch, jobs_here):
    from starmin.gaps import sweep as module

    job = Job(Spec.of(HOSPITAL, K2), "pattern_ilp")
    honest = Job.check

    def stricter(self, release, certificate, value=None):
        words = honest(self, release, certificate)
        return ["4" if word == "2" else word for word in words]

    monkeypatch.setattr(module.Job, "check", stricter)
    assert run_job(job, 0)["outcome"] == "NOT VALID"


def test_a_certificate_must_be_on_the_objective(monkeypatch, jobs_here):
    job = Job(Spec.of(HOSPITAL, {"l": 2, "objective": "tuples"}), "tuple_ilp")
    row = run_job(job, 0)
    assert (row["outcome"], row["value"], row["certified_bound"]) == ("ok", 4, 4)
    honest = Job.check
    as_stars = Job(Spec.of(HOSPITAL, {"l": 2, "objective": "stars"}), "tuple_ilp")
    monkeypatch.setattr(Job, "check", lambda job, *files: honest(as_stars, *files))
    row = run_job(job, 0)
    assert row["outcome"] == "NOT VALID" and "objective tuples, not" in row["why"]


VERIFIED = {"stars": 2, "holds": True, "consistent": True, "certificate": None}


REFUSED = {"accepted": False, "why": "it is of another table"}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (
            {"code": 2, "out": "", "err": "starmin: no memory"},
            "not verified: no memory",
        ),
        ({"code": None, "out": ""}, "not verified: exit code None"),
        ({"out": VERIFIED | {"holds": False}}, "does not hold what is asked"),
        ({"out": VERIFIED | {"consistent": False}}, "differs from the original"),
        ({"out": VERIFIED | {"certificate": REFUSED}}, "of another table"),
        ({"out": VERIFIED}, None),
    ],
)
def test_a_release_is_believed_only_if_the_check_says_so(said, why, monkeypatch):
    from starmin.gaps import sweep as module

    ended = {"code": 1, "err": "", "seconds": 1.0, "mebibytes": 1.0} | said
    if isinstance(ended["out"], dict):
        ended["out"] = json.dumps(ended["out"])
    monkeypatch.setattr(module, "run_process", lambda line, hard: Ended(**ended))
    row = module._verify(Job(Spec.of(HOSPITAL, K2), "forest"), Path("r.csv"), None)
    assert row.get("outcome") == ("NOT VALID" if why else None)
    assert why is None or why in row["why"]


def test_a_certificate_that_cannot_be_checked_bounds_nothing(monkeypatch):
    from starmin.gaps import sweep as module

    unknown = {"accepted": None, "bound": None, "why": "a kind of another day"}
    out = json.dumps(VERIFIED | {"certificate": unknown})
    ended = Ended(3, out, "", 1.0, 1.0)
    monkeypatch.setattr(module, "run_process", lambda line, hard: ended)
    row = module._verify(
        Job(Spec.of(HOSPITAL, K2), "forest"), Path("r.csv"), Path("p.json")
    )
    unchecked = {"certified_bound": None, "certificate_checked": False}
    assert row == {"stars": 2, "why": unknown["why"]} | unchecked


def test_a_command_that_was_killed_is_a_row(monkeypatch):
    from starmin.gaps import sweep as module

    killed = Ended(None, "", "", 16.5, 70.0)
    monkeypatch.setattr(module, "run_process", lambda line, hard: killed)
    row = run_job(Job(Spec.of(HOSPITAL, K2), "forest", time_limit=1.0), 0)
    assert (row["outcome"], row["seconds"]) == ("time-out", 16.5)


def test_runs_that_crash_are_told_by_the_exit_code_and_run_again(
    starmin, monkeypatch, jobs_here
):
    from starmin.gaps import sweep as module

    run_here = module.run_process
    crashing = {"forest", "pattern_ilp"}

    def some(line, hard):
        if crashing & {*line}:
            return Ended(-6, "", "terminate called", 1.0, 1.0)
        return run_here(line, hard)

    monkeypatch.setattr(module, "run_process", some)
    words = f"gap {HOSPITAL} --k 2 --methods forest,three_phase,pattern_ilp --out gaps"
    code, out, err = starmin(*words.split(), "--quiet")
    assert code == 70 and out.count("crash: terminate called") == 2
    assert "error: 2 of 3 runs crashed; the first: solve instance:hospital" in err
    crashing.remove("forest")
    code, out, err = starmin(*words.split(), "--quiet")
    assert code == 1 and out.count("crash: terminate called") == 1
    assert "error: 1 of 3 runs crashed; the first: solve instance:hospital" in err
    crashing.clear()
    code, out, err = starmin(*words.split(), "--quiet")
    assert code == 0 and "crash" not in out + err


def test_an_interrupted_sweep_keeps_its_rows(starmin, tmp_path, jobs_here, monkeypatch):
    words = f"gap {HOSPITAL} --k 2,3,4 --methods own_pattern --workers 1 --out gaps"
    append = Store.append

    def append_and_interrupt(self, row):
        append(self, row)
        signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "append", append_and_interrupt)
        assert starmin(*words.split())[0] == 130
    store = tmp_path / "gaps" / "runs.jsonl"
    kept = store.read_text().splitlines()
    assert 1 <= len(kept) < 3  # a second interrupt insists
    with store.open("a") as file:
        file.write('{"key": "half a ro')
    assert starmin(*words.split())[0] == 0
    rows = store.read_text().splitlines()
    assert rows[: len(kept)] == kept and len(rows) == 3


def test_a_store_of_something_else_is_refused(tmp_path):
    (tmp_path / "runs.jsonl").write_text("age,sex\n")
    with pytest.raises(ValueError, match="line 1 is not a row of gaps"):
        Store(tmp_path / "runs.jsonl")


def test_a_bound_above_a_value_is_told():
    row = {"problem": "p", "table": "t", "asked": "k 2", "method": "a", "value": 5}
    found = standings([row | {"outcome": "ok", "lower_bound": 6}])[0]
    assert "above the value 5" in found.contradiction
    known = standings([row | {"outcome": "ok", "lower_bound": 5}], {"p": 4})[0]
    assert known.contradiction and known.best == 4


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("instance:hospital", "name --k or --l"),
        ("instance:hospital --k two", "--k: expected whole numbers"),
        ("instance:hospital --k 2 --methods nonsense", "got 'nonsense'"),
        ("instance:hospital --k 2 --dask tcp://127.0.0.1:1", "no scheduler answers"),
    ],
)
def test_bad_usage_is_one_line(starmin, monkeypatch, words, why):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    client = distributed.Client
    monkeypatch.setattr(
        distributed, "Client", lambda to, timeout: client(to, timeout=0.1)
    )
    code, out, err = starmin("gap", *words.split())
    assert code == 2 and out == ""
    assert why in err and len(err.splitlines()) == 1


@pytest.mark.slow
def test_a_dask_cluster_survives_the_loss_of_a_worker(tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed")
    folder = tmp_path / "scheduler.json"
    module = [sys.executable, "-m"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    line = ["distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    processes = [
        subprocess.Popen([*module, *line, "--scheduler-file", str(folder)], **quiet)
    ]
    try:
        line = ["distributed.cli.dask_worker", "--scheduler-file", str(folder)]
        line += ["--nthreads", "1", "--no-dashboard", "--no-nanny"]
        line += ["--local-directory", str(tmp_path)]
        processes += [subprocess.Popen([*module, *line], **quiet) for _ in range(2)]
        until = time.monotonic() + 60
        while not folder.exists() and time.monotonic() < until:
            time.sleep(0.1)
        address = json.loads(folder.read_text())["address"]
        asked = [Job(Spec.of("t", {"k": k}), "") for k in (2, 3, 4)]
        planned = list(all_jobs(asked, [HOSPITAL], ["own_pattern"], [0]))
        told = []

        def tell(row):
            told.append(row["key"])
            if len(told) == 1:
                os.kill(processes[1].pid, signal.SIGKILL)

        store = Store(tmp_path / "runs.jsonl")
        with dask_workers(address) as (executor, _):
            rows = sweep(planned, store, executor, tell=tell)
        assert [row["outcome"] for row in rows] == ["ok"] * 3
        assert sorted(told) == sorted(job.key for job in planned)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_rows_come_in_the_order_of_the_jobs(tmp_path, monkeypatch):
    planned = [Job(Spec.of(HOSPITAL, {"k": k}), "own_pattern") for k in (3, 2)]
    store, second = Store(Path(tmp_path, "runs.jsonl")), Event()
    told = []

    def run(job, memory):
        """End the first job once the row of the second one is told."""
        assert job is planned[1] or second.wait(60)
        return job.row() | {"outcome": "ok"}

    def tell(row):
        told.append(row["asked"])
        second.set()

    monkeypatch.setattr("starmin.gaps.sweep.run_job", run)
    with ThreadPoolExecutor(2) as executor:
        rows = sweep([*planned, planned[0]], store, executor, tell=tell)
    assert told == ["k 2", "k 3"]
    assert [row["asked"] for row in rows] == ["k 3", "k 2"]


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
