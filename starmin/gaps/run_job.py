"""One job in processes of its own: whatever it does, a row comes back."""

import csv
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starmin.auto.dispatch import AUTO
from starmin.cli.limited import FILE as LIMITED
from starmin.gaps.fork_server import current
from starmin.gaps.job import Job
from starmin.gaps.known_bounds import known_bound
from starmin.gaps.processes import Ended, run_process
from starmin.gaps.store import CRASH
from starmin.inputs.tables.identifiers import SIGN
from starmin.process.exit_codes import UNKNOWN

Row = dict[str, Any]

_GRACE, _FACTOR = 15.0, 1.5  # beyond its own limit a command is killed
_CHECK_LIMIT = 600.0  # seconds to verify a release
_WARM_LIMIT = 900.0  # seconds to compile all loops
_BOUND = ("lower_bound", "certified_bound", "certificate_checked", "bound_method")


def run_job(job: Job, memory: int) -> Row:
    """Solve, verify what was written, and say in one row how that went.

    Seconds are those of the method; those of the process, which starts, compiles, reads
    and writes, are ``process_seconds``. What a heuristic finds is bounded by another
    command, which has as much time and memory of its own; within ``bounds_once`` it is
    run once for each problem.

    Parameters
    ----------
    job
        What to run.
    memory
        Bytes that the process may allocate; 0: as many as there are.

    Returns
    -------
    dict
        ``outcome`` is ``ok``, ``infeasible``, ``refused`` (the method does not take
        the problem), ``time-out`` (it did not end by itself), ``out of memory``,
        ``crash``, or ``NOT VALID`` where the release or the certificate does not hold;
        ``why`` says more. ``trajectory`` has seconds, value and bound at each
        improvement.
    """
    row = job.row()
    with tempfile.TemporaryDirectory() as folder:
        release, proof = Path(folder, "release.csv"), Path(folder, "proof.json")
        steps = Path(folder, "trajectory.csv")
        hard = _FACTOR * job.time_limit + _GRACE
        words = [*job.command(release, proof), *job.traced(steps)]
        ended = _starmin(words, memory, hard)
        row |= {
            "process_seconds": round(ended.seconds, 2),
            "mebibytes": ended.mebibytes and round(ended.mebibytes),
        }
        row |= _read(ended, job)
        row["seconds"] = round(row.get("runtime", ended.seconds), 3)
        row["trajectory"] = _points(steps)
        row |= {"warnings": _warnings(ended)}
        if row["outcome"] == "ok" and job.bounded_apart:
            row |= _bound(job, proof, memory, hard)
        if row["outcome"] == "ok" and release.exists():
            checked = proof if proof.exists() else None
            row |= _verify(job, release, checked, row.get("value"))
    return row


def warm_up(methods: Sequence[str]) -> None:
    """Compile the loops of methods, so that no run waits for it."""
    from starmin.auto.warming import warmed  # numba, which takes a second
    from starmin.auto.warming.warm_loops import methods_of_auto
    from starmin.instances.loops.versions import are_kept

    unknown = [name for name in methods if name != AUTO and not warmed.known(name)]
    if AUTO in methods:
        unknown += [name for name in methods_of_auto() if not warmed.known(name)]
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
        answer = json.loads(ended.out)
        said = job.read(answer)
        infeasible = said["status"] == "infeasible"
        return said | {"outcome": "infeasible" if infeasible else "ok"}
    if ended.starved:
        return {"outcome": "out of memory", "why": ended.last}
    if ended.code == 2:
        return {"outcome": "refused", "why": ended.last}
    return {"outcome": CRASH, "why": ended.last}


def _warnings(ended: Ended) -> str:
    """Return the lines that warn of columns that look like identifiers."""
    said = (line.removeprefix("starmin: ") for line in ended.err.splitlines())
    return "\n".join(line for line in said if SIGN in line)


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
    if not found["holds"]:
        return row | {"outcome": "NOT VALID", "why": "it does not hold what is asked"}
    if not found["consistent"]:
        return row | {"outcome": "NOT VALID", "why": "it differs from the original"}
    if (told := found.get("certificate")) is None:  # none was to be checked
        return row
    if told["accepted"] is None:  # so it is a claim that nobody has checked
        return row | {
            "certified_bound": None,
            "certificate_checked": False,
            "why": told["why"],
        }
    if not told["accepted"]:
        return row | {"outcome": "NOT VALID", "why": told["why"]}
    return row | {"certificate_checked": True}
