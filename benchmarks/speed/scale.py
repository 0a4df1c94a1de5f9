"""Time, memory and gap of tables that are read in batches, by their rows.

    python benchmarks/speed/scale.py --out FOLDER [--rows 1,3,10] [--seconds 600]

For each number of millions of rows it writes ``census`` with eight columns as a folder
of Parquet files, solves it for k = 5 with a limit of so many seconds, and verifies the
release with its original and the certificate. A command is a process of its own; its
seconds and its peak memory are printed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HEAD = "| rows | step | seconds | peak GB | says |\n|---|---|---|---|---|"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--rows", default="1,3,10", help="in millions")
    parser.add_argument("--seconds", type=float, default=600, help="limit of solve")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    print(HEAD)
    for millions in map(float, asked.rows.split(",")):
        measure(int(millions * 1e6), asked.seconds, asked.out / f"{millions:g}")


def measure(rows: int, limit: float, folder: Path) -> None:
    """Write, solve and verify one table; print a line for each step."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    table, release, proof = folder / "table", folder / "release", folder / "proof.json"
    name = f"census:n={rows},sensitive=none"
    steps = {
        "write": f"instances write {name} --out {table} --json",
        "solve": f"solve {table} --k 5 --time-limit {limit} --out {release} "
        f"--certificate {proof} --json --quiet",
        "verify": f"verify {release} --k 5 --original {table} --json --quiet",
        "certificate": f"verify {release} --k 5 --original {table} "
        f"--certificate {proof} --json --quiet",
    }
    for step, line in steps.items():
        seconds, peak, said = run(line)
        print(
            f"| {rows:,} | {step} | {seconds:.0f} | {peak:.1f} | {told(step, said)} |"
        )
        sys.stdout.flush()


def run(line: str) -> tuple[float, float, dict[str, object]]:
    """Run a command; return its seconds, its peak memory in GB, and its JSON."""
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "starmin", *line.split()],
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"failed ({process.returncode}): starmin {line}")
    return time.perf_counter() - started, usage.ru_maxrss / 1e6, json.loads(said)


def told(step: str, said: dict[str, object]) -> str:
    """Return what a step found."""
    if step == "write":
        return ""
    if step == "solve":
        value, bound, gap = said["value"], said["lower_bound"], said["gap"]
        return f"{value:,} stars, bound {bound:,}, gap {gap:.2%}"
    proof = said.get("certificate")
    held = f"holds {said['holds']}, consistent {said['consistent']}"
    return held + (f", accepted {proof['accepted']}" if proof else "")


if __name__ == "__main__":
    main()
