"""Generalization with hierarchies: losses, certified bounds, and what ARX loses.

    python benchmarks/gaps/generalization.py DATA --store FILE.jsonl --write FILE.csv

runs ``starmin solve`` and ``starmin verify`` as a user would, one case after the other,
and keeps the rows of the table. DATA holds
adult.csv and the folder ``hierarchies``, ``arx_benchmark`` with the credit card data,
census_kdd_9.csv.gz and nist_acs_national2019.csv, whose hierarchies ``starmin
hierarchy`` builds. Finished cases are kept in the store: a run that was stopped goes on
where it was. All cases take four hours; ``--only`` and ``--seconds`` choose some.

``--on-the-way`` runs of each problem only the case with the longest limit, and takes
for shorter ones what that run had by then: an hour less. The search is planned for the
whole of its time, so that it has more to show where the time ends at that limit; such
lines say ``10 of 600 s``.
"""

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from generalization_cases import ARX, CASES, Case
from kept import write_rows
from solve_cases import command, stored

from starmin.gaps.fork_server import run_process

HEAD = (
    "| table | requirement | limit | loss | proven bound | gap "
    "| ARX, best | of seconds | load |\n" + "|---" * 9 + "|"
)
MARKS = (10, 60, 211, 300)  # seconds on the way at which loss and bound are kept
_LINE = re.compile(r"\s*([\d.]+)s\s+([\d.]+|-)\s+([\d.]+|-)\s")


def measure(case: Case, data: Path, folder: Path) -> dict[str, Any]:
    """Solve and verify a case; what the page says of it."""
    release, proof = folder / "release.csv", folder / "certificate.json"
    table, asked = case.problem(data, folder)
    written = ["--out", str(release), "--certificate", str(proof)]
    limit = ["--time-limit", str(case.seconds), "--method", case.method]
    load = os.getloadavg()[0]
    line = [sys.executable, "-m", "starmin", "solve", table, *asked, *limit]
    ended = run_process([*line, *written, "--json"])
    if ended.code != 0:
        raise RuntimeError(f"{case.name}: {ended.last}")
    original = ["--original", table]
    if proof.exists():
        original += ["--certificate", str(proof)]
    elif "--loss" in asked:  # it is only said what a proof is of
        at = asked.index("--loss")
        del asked[at : at + 2]
    check, rechecked, _ = command(["verify", str(release), *asked, *original])
    return {
        "case": case.name,
        **json.loads(ended.out),
        "seconds": ended.seconds,
        "load": load,
        "verified": check["holds"] and check["consistent"],
        "proven": check["certificate"]["share"] if proof.exists() else 0.0,
        "verify_seconds": rechecked,
        "way": {mark: on_the_way(ended.err, mark) for mark in MARKS},
    }


def on_the_way(progress: str, second: float) -> tuple[float | None, float | None]:
    """Return the loss and the bound that a search had after so many seconds.

    Examples
    --------
    >>> on_the_way("   0.9s  0.21  -  -  x\\n   2.0s  0.20  0.1  100% x\\n", 1)
    (0.21, None)
    """
    value = bound = None
    for seconds, loss, proven in map(re.Match.groups, _LINE.finditer(progress)):
        if float(seconds) <= second:
            value = None if loss == "-" else float(loss)
            bound = None if proven == "-" else float(proven)
    return value, bound


def line_of(case: Case, row: dict[str, Any], second: int | None = None) -> str:
    """Return the line of a case, or of what its run had after so many seconds."""
    loss, proven, limit = row["value"], row["proven"], f"{case.seconds} s"
    if second is not None:
        loss, proven = row["way"][str(second)]
        limit = f"{second} of {limit}"
    gap = f"{loss / proven - 1:.2%}" if loss and proven else "-"
    arx, seconds = ARX.get((case.table, case.requirement), (None, None))
    shown = f" by {case.method}" if case.method != "auto" else ""
    cells = [
        case.table,
        case.requirement.replace("--", "") + shown,
        limit,
        "-" if loss is None else f"{loss:.3%}",
        "-" if not proven else f"{proven:.3%}",
        gap,
        "-" if arx is None else f"{arx:.3f}%",
        str(seconds or "-"),
        f"{row['load']:.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def wanted(cases: Sequence[Case], on_way: bool) -> Iterator[tuple[Case, int | None]]:
    """Yield cases, each with the second of its run that is told, None for its end."""
    for case in cases:
        alike = [c for c in cases if replace(c, seconds=case.seconds) == case]
        longest = max(alike, key=lambda c: c.seconds)
        if on_way and case != longest and case.seconds in MARKS:
            yield longest, case.seconds
        else:
            yield case, None


def main() -> None:
    """Run the cases; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the tables")
    parser.add_argument("--store", type=Path, help="finished cases, one JSON a line")
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    parser.add_argument("--only", default="", help="cases whose name holds one of a,b")
    parser.add_argument("--seconds", default="", help="cases with these limits: 10,60")
    parser.add_argument("--on-the-way", action="store_true", help="see above")
    parser.add_argument("--anew", action="store_true", help="measure these again")
    parser.add_argument("--limit", type=int, help="no case has more seconds")
    asked = parser.parse_args()
    known, lines = stored(asked.store), [HEAD]
    limits = [int(each) for each in asked.seconds.split(",") if each]
    made: set[str] = set()
    told: set[tuple[str, int | None]] = set()
    cases = [c for c in CASES if not limits or c.seconds in limits]
    for case, second in wanted(cases, asked.on_the_way):
        if asked.limit:
            case = replace(case, seconds=min(case.seconds, asked.limit))
        if (case.name, second) in told:  # --limit makes some the same
            continue
        told.add((case.name, second))
        row = known.get(case.name)
        chosen = any(part in case.name for part in asked.only.split(","))
        if chosen and (row is None or (asked.anew and case.name not in made)):
            with tempfile.TemporaryDirectory() as folder:
                row = json.loads(json.dumps(measure(case, asked.data, Path(folder))))
            known[case.name] = row
            made.add(case.name)
            if asked.store is not None:
                text = "".join(json.dumps(each) + "\n" for each in known.values())
                asked.store.write_text(text, encoding="utf-8")
        if row is not None:
            lines.append(line_of(case, row, second))
            print(lines[-1], flush=True)
    write_rows(asked.write, lines)


if __name__ == "__main__":
    main()
