"""Many jobs over an executor; what is in the store already is not run again."""

import csv
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from threading import Lock
from typing import Any

from starmin.auto.dispatch import AUTO
from starmin.cli.limited import FILE as LIMITED
from starmin.extensions import register_installed
from starmin.gaps.fork_server import Ended, current, forks, run_process, stop_all
from starmin.gaps.job import Job
from starmin.gaps.store import CRASH, Row, Store
from starmin.inputs.loading import load_release, load_table
from starmin.inputs.notices import SIGN
from starmin.inputs.roles import Roles
from starmin.inputs.spec import Input
from starmin.instances import Objective, Table, TableError
from starmin.instances.releases.coding import NONHOMOGENEOUS
from starmin.process.faults import UNKNOWN
from starmin.verify.cells.cells import Cells, PlainCells
from starmin.verify.cells.read_cells import read_cells
from starmin.verify.releases.release_check import ReleaseCheck, check_release

# The bounds of the problems of a sweep: each is computed once, for all its runs.

_PATIENCE = 60.0  # seconds beyond the limit of the run that computes it

_locks: dict[str, Lock] = {}
_found: dict[str, tuple[dict[str, Any], bytes | None]] = {}
_sweeps: list[None] = []


@contextmanager
def bounds_once() -> Iterator[None]:
    """Keep bounds within, and forget them afterwards."""
    _sweeps.append(None)
    try:
        yield
    finally:
        _sweeps.pop()
        if not _sweeps:
            _locks.clear()
            _found.clear()


def known_bound(
    command: str, proof: Path, seconds: float, compute: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Return what a command found of a bound, and write its certificate again.

    ``command`` tells the bound from others; the certificate goes to ``proof``, if there
    is one. ``compute`` runs the command, which writes ``proof``, and may take so many
    ``seconds``; others that need it wait as long, and a while.

    >>> calls = []
    >>> with bounds_once():
    ...     for _ in range(3):
    ...         _ = known_bound("x", Path("none"), 1, lambda: {"n": calls.append(1)})
    >>> len(calls)
    1
    """
    if not _sweeps:
        return compute()
    lock = _locks.setdefault(command, Lock())
    held = lock.acquire(timeout=seconds + _PATIENCE)
    try:
        if command not in _found:
            found = compute()
            _found[command] = found, proof.read_bytes() if proof.exists() else None
            return found
        found, written = _found[command]
        if written is not None:
            proof.write_bytes(written)
        return dict(found)
    finally:
        if held:
            lock.release()


# One job in processes of its own: whatever it does, a row comes back.

_GRACE, _FACTOR = 15.0, 1.5  # beyond its own limit a command is killed
_CHECK_LIMIT = 600.0  # seconds to verify a release
_WARM_LIMIT = 900.0  # seconds to compile all loops
_BOUND = ("lower_bound", "certified_bound", "certificate_checked", "bound_method")


def run_job(job: Job, memory: int) -> Row:
    """Solve, verify what was written, and say in one row how that went.

    ``outcome`` is ``ok``, ``infeasible``, ``refused`` (the method does not take the
    problem), ``time-out`` (it did not end by itself), ``out of memory``, ``crash``, or
    ``NOT VALID`` where the release or the certificate does not hold; ``why`` says more.
    ``trajectory`` has seconds, value and bound at each improvement. Seconds are those
    of the method; those of the process, which starts, compiles, reads and writes, are
    ``process_seconds``.

    ``memory`` is in bytes that the process may allocate; 0: as many as there are. What
    a heuristic finds is bounded by another command, which has as much time and memory
    of its own; within ``bounds_once`` it is run once for each problem.
    """
    register_installed()  # it may run in a process of its own, as of a cluster
    row = job.row()
    with tempfile.TemporaryDirectory() as folder:
        release, proof = Path(folder, "release.csv"), Path(folder, "proof.json")
        steps = Path(folder, "trajectory.csv")
        hard = _FACTOR * job.time_limit + _GRACE
        words = [*job.command(release, proof), *job.traced(steps)]
        ended = _starmin(words, memory, hard)
        row["process_seconds"] = round(ended.seconds, 2)
        row["mebibytes"] = ended.mebibytes and round(ended.mebibytes)
        row |= _read(ended, job)
        row["seconds"] = round(row.get("runtime", ended.seconds), 3)
        row["trajectory"] = _points(steps)
        # The lines that warn of columns that look like identifiers.
        said = (line.removeprefix("starmin: ") for line in ended.err.splitlines())
        row["warnings"] = "\n".join(line for line in said if SIGN in line)
        if row["outcome"] == "ok" and job.bounded_apart:
            row |= _bound(job, proof, memory, hard)
        if row["outcome"] == "ok" and release.exists():
            checked = proof if proof.exists() else None
            row |= _verify(job, release, checked, row.get("value"))
    return row


def warm_up(methods: Sequence[str]) -> None:
    """Compile the loops of methods, so that no run waits for it."""
    # numba, which takes a second
    from starmin.auto.warm_loops import is_known, methods_of_auto
    from starmin.instances.loops.versions import are_kept

    called = [name for name in methods if name != AUTO]
    called += methods_of_auto() if AUTO in methods else ()
    unknown = [name for name in called if not is_known(name)]
    if unknown and are_kept():
        _starmin(["warm-up", "--methods", ",".join(unknown)], 0, _WARM_LIMIT)


def _points(path: Path) -> list[list[float | None]]:
    """Read what a command wrote of its value and bound; nothing where it did not."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        rows = [row[:3] for row in csv.reader(file)][1:]
    return [[float(cell) if cell else None for cell in row] for row in rows]


def _starmin(arguments: list[str], memory: int, hard: float) -> Ended:
    """Run a command of starmin with so much memory and time."""
    words = [*arguments, "--json", "--quiet"]
    if server := current():
        return server.run(words, memory, hard)
    return run_process([sys.executable, "-P", str(LIMITED), str(memory), *words], hard)


def _read(ended: Ended, job: Job) -> Row:
    """Read what the command says, or why it says nothing."""
    if ended.code is None:
        return {"outcome": "time-out", "why": "killed: it did not keep its limit"}
    if ended.code in (0, 1) and ended.out.strip():
        said = job.read(json.loads(ended.out))
        infeasible = said["status"] == "infeasible"
        return said | {"outcome": "infeasible" if infeasible else "ok"}
    how = "refused" if ended.code == 2 else CRASH
    return {"outcome": "out of memory" if ended.starved else how, "why": ended.last}


def _bound(job: Job, proof: Path, memory: int, hard: float) -> Row:
    """Return what a bound proves of the problem; nothing where none does."""

    def bound() -> Row:
        ended = _starmin(job.bound(proof), memory, hard)
        found = _read(ended, job) if ended.code == 0 else {}
        return {name: found[name] for name in _BOUND if found.get(name) is not None}

    return known_bound(" ".join(job.bound(Path())), proof, hard, bound)


def _verify(
    job: Job, release: Path, proof: Path | None, value: float | None = None
) -> Row:
    """Check that the release holds and is true, and its certificate is accepted."""
    words = job.check(release, proof, value)
    if not words:
        return {"why": "nothing that verify could be asked"}
    ended = _starmin(words, 0, _CHECK_LIMIT)
    if ended.code not in (0, 1, UNKNOWN) or not ended.out.strip():
        return {"outcome": "NOT VALID", "why": f"not verified: {ended.last}"}
    found = json.loads(ended.out)
    row: Row = {"stars": found["stars"]}
    told, why = found.get("certificate"), None
    if not found["holds"]:
        why = "it does not hold what is asked"
    elif not found["consistent"]:
        why = "it differs from the original"
    elif told is None:  # none was to be checked
        return row
    elif told["accepted"] is None:  # so it is a claim that nobody has checked
        row |= {"certified_bound": None, "why": told["why"]}
        return row | {"certificate_checked": False}
    elif told["accepted"]:
        return row | {"certificate_checked": True}
    return row | {"outcome": "NOT VALID", "why": why or told["why"]}


# Releases that anyone made, recounted, as rows beside those of our methods.

RELEASE = "release"
FAILS = "fails"  # a release that does not satisfy what is asked, or does not tell truth


def release_rows(paths: list[Path], job: Job) -> list[Row]:
    """Return a row for each release of a problem, recounted by the checker.

    ``job`` is any run on the problem. The order of the rows of a release may be another
    one. A release that fails the requirement, or does not tell the truth, has no value;
    its row says why. Raises TableError where a file is no release of the table.
    """
    spec, loss = job.spec, vars(job.spec.costs)["loss"]
    if spec.recoding == NONHOMOGENEOUS:
        raise TableError("--releases: expected releases by groups")
    if spec.goal.once or (loss or "ncp") not in ("ncp", "granularity"):
        raise TableError(
            "--releases: are recounted for stars, and for gcp by the losses ncp and "
            "granularity"
        )
    read = spec.input()
    table = load_table(spec.table, read.named)
    roles = replace(read.named, qi=table.qi, sensitive=table.sensitive or None)
    return [_row(path, job, read, roles) for path in paths]


def _row(path: Path, job: Job, read: Input, roles: Roles) -> Row:
    """Return the row of one release."""
    coding, asked = read.coding, read.asked
    released, original = load_release(str(path), job.spec.table, roles, asked.columns)
    assert original is not None
    plain = dict.fromkeys(released.qi, PlainCells(coding.star))
    cells = plain | (read_cells(released, coding, original) if coding.told else {})
    requirement = asked.on(released)
    check = check_release(released, requirement, original, coding.star, cells)
    row = job.row() | {"key": f"{job.problem} {path}", "method": path.name}
    row |= {"kind": RELEASE, "seed": None, "time_limit": None}
    row |= {"n": released.n, "d": released.d, "stars": check.stars}
    row |= {"groups": check.groups, "gcp": check.gcp}
    why = _fault(check)
    if why is not None:
        return row | {"outcome": FAILS, "why": why}
    note = {"why": "its rows are in another order"} if check.reordered else {}
    others = vars(job.spec.costs)["loss"] == "granularity"
    value = _value(released, job.spec.goal, cells, others)
    return row | {"outcome": "ok", "value": value} | note


def _fault(check: ReleaseCheck) -> str | None:
    """Return why a release does not count, or None."""
    if check.violations:
        first = check.violations[0]
        fail = f"{check.violations_total} of {check.groups} classes fail"
        return f"{fail}; class {first.group}: {first.why}"
    if check.inconsistencies and not check.reordered:
        return f"it differs from the table: {check.inconsistencies[0].why}"
    return None


def _value(
    released: Table, objective: Objective, cells: Mapping[str, Cells], others: bool
) -> float | int:
    """Return its value as that of a result is shown: stars, or a share of 1."""
    lost, whole = Fraction(0), 0
    for column in released.qi:
        weight, found = objective.weights.get(column, 1), released.text_counts(column)
        of = cells[column].lost_of_others if others else cells[column].lost
        lost += weight * of(found)
        whole += weight * released.n
    return int(lost) if objective.by_star else float(lost / (whole or 1))


def sweep(
    jobs: Sequence[Job],
    store: Store,
    executor: Executor,
    memory: int = 0,
    tell: Callable[[Row], None] = lambda row: None,
) -> list[Row]:
    """Run the jobs that are missing; the rows of all, in the order of the jobs.

    Finished rows are in the store, and go there; ``tell`` is called with each new one.
    Threads are enough as an executor, since each run is a process of its own; a Dask
    cluster gives one by ``Client.get_executor``. ``memory`` is in bytes for each run;
    0: as many as there are.

    Nothing that happens to one run ends the sweep. Interrupted, it keeps the finished
    rows, and the same call goes on from there. What crashed is run again.
    """
    missing = [job for job in dict.fromkeys(jobs) if not store.has(job.key)]
    futures: dict[Future[Row], Job] = {}
    try:
        for job in missing:
            futures[executor.submit(run_job, job, memory)] = job
        for future in as_completed(futures):
            row = futures[future].row()
            if (error := future.exception()) is None:
                row = future.result()
            else:  # the worker was lost
                why = f"{type(error).__name__}: {error}"[:300]
                row |= {"outcome": CRASH, "why": why}
            store.append(row)
            tell(row)
    except BaseException:
        for future in futures:
            future.cancel()
        stop_all()
        if server := current():
            server.stop()
        raise
    # What a row is of comes from the job, whatever the file says.
    return [store.rows[job.key] | job.row() for job in dict.fromkeys(jobs)]


@contextmanager
def local_executor(workers: int, methods: Sequence[str] = ()) -> Iterator[Executor]:
    """Run so many at a time on this machine, of these methods above all."""
    with forks(methods), bounds_once(), ThreadPoolExecutor(workers) as executor:
        yield executor
