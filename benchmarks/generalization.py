"""Generalization with hierarchies on Adult: losses, certified bounds, and ARX's.

    python benchmarks/generalization.py DATA --store generalization.jsonl --write PAGE

runs ``starmin solve`` and ``starmin verify`` as a user would, one case after the other,
and puts the table at the end of the page, below the line ``## Measured``. DATA holds
adult.csv and the folder ``hierarchies``. Finished cases are kept in the store.
"""

import argparse
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from solve_cases import command, machine

HEADING = "## Measured"
HEAD = (
    "| requirement | limit | loss | proven bound | gap | ARX, best | of seconds "
    "| load |\n" + "|---" * 8 + "|"
)
# ARX 3.9.2, local recoding, best of 9 to 27 settings, in percent, and the seconds of
# the whole process; starred rows that fail the requirement repaired.
ARX = {
    "--k 2": (2.300, 13),
    "--k 5": (5.471, 22),
    "--k 10": (7.982, 25),
    "--k 25": (11.879, 35),
    "--l 2": (5.968, None),
    "--l 4": (22.58, None),
}


@dataclass(frozen=True)
class Case:
    """Adult anonymized once: eight columns for k, for l the occupation sensitive."""

    requirement: str
    seconds: int

    @property
    def name(self) -> str:
        """What tells it from the others."""
        return f"{self.requirement}|{self.seconds}"

    def measure(self, data: Path, folder: Path) -> dict[str, Any]:
        """Solve and verify it; what the page says of it."""
        release, proof = folder / "release.csv", folder / "certificate.json"
        table = str(data / "adult.csv")
        trees = str(data / "hierarchies" / "adult_hierarchy_{column}.csv")
        asked = [*self.requirement.split(), "--drop", "salary-class"]
        asked += ["--recoding", "generalization", "--hierarchy", trees]
        if self.requirement.startswith("--l"):
            asked += ["--sensitive", "occupation"]
        written = ["--out", str(release), "--certificate", str(proof)]
        limit = ["--time-limit", str(self.seconds)]
        load = os.getloadavg()[0]
        row, seconds, _ = command(["solve", table, *asked, *limit, *written])
        original = ["--original", table, "--certificate", str(proof)]
        check, rechecked, _ = command(["verify", str(release), *asked, *original])
        return {
            "case": self.name,
            **row,
            "seconds": seconds,
            "load": load,
            "verified": check["holds"] and check["consistent"],
            "proven": check["certificate"]["share"],
            "verify_seconds": rechecked,
        }

    def line(self, row: dict[str, Any]) -> str:
        """Its line of the page."""
        loss, proven = row["gcp"], row["proven"]
        arx, seconds = ARX[self.requirement]
        return (
            f"| {self.requirement.replace('--', '')} | {self.seconds} s "
            f"| {loss:.3%} | {proven:.3%} | {loss / proven - 1:.2%} | {arx:.3f}% "
            f"| {seconds or '-'} | {row['load']:.1f} |"
        )


CASES = (
    *(Case(f"--k {k}", 10) for k in (2, 5, 10, 25)),
    *(Case(f"--l {l}", 60) for l in (2, 4)),
    *(Case(f"--k {k}", 60) for k in (2, 5, 10, 25)),
)


def main() -> None:
    """Run the cases; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the tables")
    parser.add_argument("--store", type=Path, help="finished cases, one JSON a line")
    parser.add_argument("--write", type=Path, help="the page whose end is remade")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    asked = parser.parse_args()
    known = {}
    if asked.store is not None and asked.store.exists():
        rows = asked.store.read_text(encoding="utf-8").splitlines()
        known = {row["case"]: row for row in map(json.loads, rows)}
    lines = [HEAD]
    for case in CASES:
        if asked.only not in case.name:
            continue
        if (row := known.get(case.name)) is None:
            with tempfile.TemporaryDirectory() as folder:
                row = case.measure(asked.data, Path(folder))
            if asked.store is not None:
                with asked.store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
        lines.append(case.line(row))
        print(lines[-1], flush=True)
    if asked.write:
        above = asked.write.read_text(encoding="utf-8").split(f"{HEADING}\n")[0]
        text = (
            f"{above}{HEADING}\n\n{machine()}. `load` is the machine's when the case "
            "began: with more than one for each core, less is done in the seconds.\n\n"
            "    python benchmarks/generalization.py DATA --store generalization.jsonl "
            "--write docs/generalization.md\n\n"
        )
        asked.write.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
