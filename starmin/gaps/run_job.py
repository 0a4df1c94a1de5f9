"""One job in processes of its own: whatever it does, a row comes back."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from starmin.gaps.job import Job

Row = dict[str, Any]

_GRACE, _FACTOR = 15.0, 1.5  # beyond its own limit a command is killed
_CHECK_LIMIT = 600.0  # seconds to verify a release
_running: set[subprocess.Popen[bytes]] = set()
_KEPT = (
    "n",
    "d",
    "status",
    "limit",
    "value",
    "lower_bound",
    "certified_bound",
    "bound_method",
    "groups",
    "gcp",
    "runtime",
    "reason",
)


def run_job(job: Job, memory: int) -> Row:
    """Solve, verify what was written, and say in one row how that went.

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
        ``why`` says more.
    """
    row = job.row()
    with tempfile.TemporaryDirectory() as folder:
        release, proof = Path(folder, "release.csv"), Path(folder, "proof.json")
        hard = _FACTOR * job.time_limit + _GRACE
        ended = _starmin(job.command(release, proof), memory, hard)
        row |= {"seconds": ended.seconds, "mebibytes": ended.mebibytes}
        row |= _read(ended)
        if row["outcome"] == "ok" and release.exists():
            row |= _verify(job, release, proof if proof.exists() else None)
    return row


def stop_all() -> None:
    """Kill what runs in this process's name; their rows are of no use."""
    for process in list(_running):
        process.kill()


class _Ended:
    """How a command ended."""

    def __init__(self, code: int | None, out: str, err: str, usage: Any) -> None:
        self.code, self.out, self.err = code, out, err
        self.mebibytes = round(usage.ru_maxrss / 1024)
        self.seconds = 0.0

    @property
    def last(self) -> str:
        """The last thing it said."""
        lines = self.err.strip().splitlines() or [f"exit code {self.code}"]
        return lines[-1].removeprefix("starmin: ")[:300]


def _starmin(arguments: list[str], memory: int, hard: float) -> _Ended:
    """Run a command; killed after ``hard`` seconds (its code is None then)."""
    line = [sys.executable, "-m", "starmin.gaps.limited", str(memory), *arguments]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        # In a session of its own: Ctrl-C is for the sweep, which then stops the runs.
        process = subprocess.Popen(
            [*line, "--json", "--quiet"],
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        _running.add(process)
        try:
            killed, usage = _wait(process, started + hard)
        finally:
            _running.discard(process)
        seconds = time.perf_counter() - started
        out.seek(0)
        err.seek(0)
        code = None if killed else process.returncode
        said = out.read().decode(), err.read().decode(errors="replace")
    ended = _Ended(code, *said, usage)
    ended.seconds = round(seconds, 2)
    return ended


def _wait(process: subprocess.Popen[bytes], until: float) -> tuple[bool, Any]:
    """Whether it had to be killed, and what it used."""
    killed = False
    while True:
        found, status, usage = os.wait4(process.pid, os.WNOHANG)
        if found:
            process.returncode = os.waitstatus_to_exitcode(status)
            return killed, usage
        if time.perf_counter() > until and not killed:
            process.kill()
            killed = True
        time.sleep(0.02)


def _read(ended: _Ended) -> Row:
    """What the command says, or why it says nothing."""
    if ended.code is None:
        return {"outcome": "time-out", "why": "killed: it did not keep its limit"}
    if ended.code in (0, 1) and ended.out.strip():
        answer = json.loads(ended.out)
        infeasible = answer["status"] == "infeasible"
        said = {name: answer[name] for name in _KEPT}
        return said | {"outcome": "infeasible" if infeasible else "ok"}
    if any(sign in ended.err for sign in ("MemoryError", "allocate", "bad_alloc")):
        return {"outcome": "out of memory", "why": ended.last}
    if ended.code == 2:
        return {"outcome": "refused", "why": ended.last}
    return {"outcome": "crash", "why": ended.last}


def _verify(job: Job, release: Path, proof: Path | None) -> Row:
    """Whether the release holds, says the truth, and the certificate is accepted."""
    ended = _starmin(job.check(release, proof), 0, _CHECK_LIMIT)
    if ended.code not in (0, 1) or not ended.out.strip():
        return {"outcome": "NOT VALID", "why": f"not verified: {ended.last}"}
    found = json.loads(ended.out)
    row: Row = {"stars": found["stars"]}
    if not found["holds"]:
        return row | {"outcome": "NOT VALID", "why": "it does not hold what is asked"}
    if not found["consistent"]:
        return row | {"outcome": "NOT VALID", "why": "it differs from the original"}
    if proof is not None and not found["certificate"]["accepted"]:
        return row | {"outcome": "NOT VALID", "why": found["certificate"]["why"]}
    return row
