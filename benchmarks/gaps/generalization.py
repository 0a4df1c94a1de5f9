"""Generalization with hierarchies: losses, certified bounds, and what ARX loses.

    python benchmarks/gaps/generalization.py DATA --store FILE.jsonl --write PAGE

runs ``starmin solve`` and ``starmin verify`` as a user would, one case after the other,
and puts the table at the end of the page, below the line ``## Measured``. DATA holds
adult.csv and the folder ``hierarchies``, ``arx_benchmark`` with the credit card data,
census_kdd_9.csv.gz and nist_acs_national2019.csv, whose hierarchies ``starmin
hierarchy`` builds. Finished cases are kept in the store; a case that is measured anew
takes the place of its line there. All cases take some forty minutes.
"""

import argparse
import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gaps import NIST
from solve_cases import command, machine

from starmin import read_table
from starmin.gaps.processes import run_process

HEADING = "## Measured"
HEAD = (
    "| table | requirement | limit | loss | proven bound | gap | on the way "
    "| ARX, best | of seconds | load |\n" + "|---" * 10 + "|"
)
NINE = (
    "age,sex,education,marital_status,race,class_of_worker,birth_self,occupation_code,"
    "industry_code"
)
OTHER_COLUMNS = (
    *("sex", "race", "marital-status", "education", "native-country"),
    *("workclass", "occupation"),
)
ADULT, RANGES, CARDS = "Adult", "Adult, age by ranges", "credit card"
LEVELS, KDD, ACS = "Adult, 9 columns, 1 - granularity", "census, 9 columns", "NIST"
# Of a table its file, its columns, and by column how its hierarchy is built.
BUILT = {
    KDD: (
        "census_kdd_9.csv.gz",
        NINE,
        {
            "age": ["--ranges", "5,10,20,40"],
            "occupation_code": ["--infer"],
            "industry_code": ["--infer"],
        },
    ),
    ACS: (
        "nist_acs_national2019.csv",
        NIST,
        {
            "AGEP": ["--ranges", "5,10,20,40"],
            **{
                column: ["--infer", "--missing", "N"]
                for column in ("NOC", "NPF", "EDU", "INDP_CAT")
            },
        },
    ),
}
_LINE = re.compile(r"\s*([\d.]+)s\s+([\d.]+)\s+([\d.]+|-)\s")
# ARX 3.9.2, local recoding, best of 9 to 27 settings, in percent, and the seconds of
# the whole process; starred rows that fail the requirement repaired. Of the credit
# card data what its authors publish, where starred rows need not satisfy it.
ARX = {
    (ADULT, "--k 2"): (2.300, 13),
    (ADULT, "--k 5"): (5.471, 22),
    (ADULT, "--k 10"): (7.982, 25),
    (ADULT, "--k 25"): (11.879, 35),
    (ADULT, "--l 2"): (5.968, None),
    (ADULT, "--l 4"): (22.58, None),
    (RANGES, "--k 2"): (2.06, None),
    (RANGES, "--k 5"): (5.32, None),
    (RANGES, "--k 10"): (7.94, None),
    (RANGES, "--k 25"): (12.07, None),
    (CARDS, "--k 5"): (54.88, 211),
}


@dataclass(frozen=True)
class Case:
    """A table anonymized once.

    Adult has eight columns for k; for l the occupation is sensitive. The loss of credit
    card data is one minus granularity.

    Attributes
    ----------
    table, requirement
        What is anonymized.
    seconds
        The time limit.
    method
        With which method.
    at
        Seconds on the way at which the loss and the bound are told as well.
    """

    table: str
    requirement: str
    seconds: int
    method: str = "auto"
    at: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """What tells it from the others."""
        name = f"{self.table}|{self.requirement}|{self.seconds}"
        return name if self.method == "auto" else f"{name}|{self.method}"

    def problem(self, data: Path, folder: Path) -> tuple[str, list[str]]:
        """Return the file of the table, and the options that say what is asked."""
        asked = [*self.requirement.split(), "--recoding", "generalization"]
        if self.table == CARDS:
            files = data / "arx_benchmark"
            asked += ["--loss", "granularity", "--hierarchy", f"{files}/hierarchies"]
            return str(files / "creditcard.csv.gz"), asked
        if self.table in BUILT:
            return self._built(data, folder, asked)
        trees = data / "hierarchies"
        if self.table == LEVELS:
            asked += ["--loss", "granularity"]
        else:
            asked += ["--drop", "salary-class"]
        asked += ["--hierarchy", str(trees / "adult_hierarchy_{column}.csv")]
        if self.table == RANGES:
            del asked[-2:]
            for column in OTHER_COLUMNS:
                file = trees / f"adult_hierarchy_{column}.csv"
                asked += ["--hierarchy", f"{column}={file}"]
            asked += ["--numeric", "age"]
        if self.requirement.startswith("--l"):
            asked += ["--sensitive", "occupation"]
        return str(data / "adult.csv"), asked

    def _built(
        self, data: Path, folder: Path, asked: list[str]
    ) -> tuple[str, list[str]]:
        """Build the hierarchies of a table first."""
        file, qi, build = BUILT[self.table]
        table = str(data / file)
        others = [c for c in read_table(table).names if c not in qi.split(",")]
        asked += ["--qi", qi, "--drop", ",".join(others)]
        for column, how in build.items():
            out = folder / f"{column}.csv"
            command(["hierarchy", table, column, *how, "--out", str(out)])
            asked += ["--hierarchy", f"{column}={out}"]
            if "--missing" in how and "--missing" not in asked:
                asked += how[-2:]
        return table, asked

    def measure(self, data: Path, folder: Path) -> dict[str, Any]:
        """Solve and verify it; what the page says of it."""
        release, proof = folder / "release.csv", folder / "certificate.json"
        table, asked = self.problem(data, folder)
        written = ["--out", str(release), "--certificate", str(proof)]
        limit = ["--time-limit", str(self.seconds), "--method", self.method]
        load = os.getloadavg()[0]
        line = [sys.executable, "-m", "starmin", "solve", table, *asked, *limit]
        ended = run_process([*line, *written, "--json"])
        if ended.code != 0:
            raise RuntimeError(f"{self.name}: {ended.last}")
        original = ["--original", table]
        if proof.exists():
            original += ["--certificate", str(proof)]
        elif "--loss" in asked:  # it is only said what a proof is of
            at = asked.index("--loss")
            del asked[at : at + 2]
        check, rechecked, _ = command(["verify", str(release), *asked, *original])
        return {
            "case": self.name,
            **json.loads(ended.out),
            "seconds": ended.seconds,
            "load": load,
            "verified": check["holds"] and check["consistent"],
            "proven": check["certificate"]["share"] if proof.exists() else 0.0,
            "verify_seconds": rechecked,
            "way": [on_the_way(ended.err, second) for second in self.at],
        }

    def line(self, row: dict[str, Any]) -> str:
        """Its line of the page."""
        loss, proven = row["value"], row["proven"]
        gap = f"{loss / proven - 1:.2%}" if proven else "-"
        arx, seconds = ARX.get((self.table, self.requirement), (None, None))
        way = "; ".join(
            f"{second} s: {value:.3%}"
            for second, (value, _) in zip(self.at, row["way"], strict=True)
            if value is not None
        )
        shown = f" by {self.method}" if self.method != "auto" else ""
        return (
            f"| {self.table} | {self.requirement.replace('--', '')}{shown} "
            f"| {self.seconds} s | {loss:.3%} | {proven:.3%} | {gap} | {way or '-'} "
            f"| {'-' if arx is None else f'{arx:.3f}%'} | {seconds or '-'} "
            f"| {row['load']:.1f} |"
        )


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
            value, bound = float(loss), None if proven == "-" else float(proven)
    return value, bound


CASES = (
    *(Case(ADULT, f"--k {k}", 10) for k in (2, 5, 10, 25)),
    *(Case(ADULT, f"--k {k}", 60) for k in (2, 5, 10, 25)),
    Case(ADULT, "--k 5", 600, at=(10, 60, 211)),
    *(Case(ADULT, f"--l {l}", 60) for l in (2, 4)),
    *(Case(RANGES, f"--k {k}", 10) for k in (2, 5, 10, 25)),
    Case(RANGES, "--k 5", 60),
    *(Case(CARDS, "--k 5", seconds) for seconds in (10, 60)),
    Case(CARDS, "--k 5", 600, at=(60, 211)),
    Case(KDD, "--k 5", 60),
    Case(ACS, "--k 5", 60),
    *(Case(LEVELS, "--k 5", 60, method) for method in ("full_domain", "incognito")),
)


def main() -> None:
    """Run the cases; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the tables")
    parser.add_argument("--store", type=Path, help="finished cases, one JSON a line")
    parser.add_argument("--write", type=Path, help="the page whose end is remade")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--anew", action="store_true", help="measure these again")
    parser.add_argument("--limit", type=int, help="no case has more seconds")
    asked = parser.parse_args()
    known = {}
    if asked.store is not None and asked.store.exists():
        rows = asked.store.read_text(encoding="utf-8").splitlines()
        known = {row["case"]: row for row in map(json.loads, rows)}
    lines = [HEAD]
    for case in CASES:
        if asked.limit:
            case = replace(case, seconds=min(case.seconds, asked.limit))
        row, wanted = known.get(case.name), asked.only in case.name
        if wanted and (row is None or asked.anew):
            with tempfile.TemporaryDirectory() as folder:
                row = known[case.name] = case.measure(asked.data, Path(folder))
            if asked.store is not None:
                text = "".join(json.dumps(each) + "\n" for each in known.values())
                asked.store.write_text(text, encoding="utf-8")
        if row is not None:
            lines.append(case.line(row))
            print(lines[-1], flush=True)
    if asked.write:
        above = asked.write.read_text(encoding="utf-8").split(f"{HEADING}\n")[0]
        text = (
            f"{above}{HEADING}\n\n{machine()}. `load` is the machine's when the case "
            "began: with more than one for each core, less is done in the seconds.\n\n"
            "    python benchmarks/gaps/generalization.py DATA "
            "--store generalization.jsonl --write docs/generalization.md\n\n"
        )
        asked.write.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
