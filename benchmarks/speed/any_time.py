"""Stars on offer at a second of a long search, and what a limit of so long gives.

    python benchmarks/speed/any_time.py DATA [--limit 300] [--case NAME] [--at 1,2,4,8]
        [--store FILE] [--write docs/data/any_time.csv]

For each case the search runs once with the long limit, up to the last of the seconds,
and its progress says what is on offer at each of them; then once with each of the
seconds as its limit. Each search is given the table; a first, short one loads the
compiled loops. Cases that the store has are not measured again.
"""

import argparse
import json
import math
from dataclasses import dataclass
from pathlib import Path

from kept import write_rows

import starmin

EIGHT = "sex,age,race,marital-status,education,native-country,workclass,occupation"
NINE = (
    "age,sex,education,marital_status,race,class_of_worker,birth_self,occupation_code,"
    "industry_code"
)
HEAD = (
    "| case | second | under the long limit | as the limit | worse by |\n"
    + "|---" * 5
    + "|"
)


@dataclass(frozen=True)
class Case:
    """A problem.

    Attributes
    ----------
    name, file
        What it is called, and its table in the folder of data.
    qi
        The quasi-identifiers with commas between them.
    k, l
        The requirement.
    sensitive
        The sensitive column, if any.
    """

    name: str
    file: str
    qi: str
    k: int | None = None
    l: int | None = None
    sensitive: str | None = None

    def solve(
        self, table: starmin.Table, limit: float, stop: float = math.inf
    ) -> tuple[int, list[starmin.Progress]]:
        """Search until a second; return the stars, and all that was told on the way."""
        told: list[starmin.Progress] = []

        def hear(now: starmin.Progress) -> bool:
            told.append(now)
            return now.seconds > stop

        result = starmin.solve(
            table, self.k, self.l, time_limit=limit, on_progress=hear
        )
        assert result.value is not None
        return result.value, told


CASES = (
    *(Case(f"adult k={k}", "adult.csv", EIGHT, k) for k in (2, 5, 25)),
    Case(
        "adult l=4",
        "adult.csv",
        EIGHT.removesuffix(",occupation"),
        l=4,
        sensitive="occupation",
    ),
    Case("census k=5", "census_kdd_9.csv.gz", NINE, 5),
)


def on_offer(told: list[starmin.Progress], second: float) -> int | None:
    """Return the stars of the best release at a second."""
    values = [now.value for now in told if now.seconds <= second]
    return values[-1] if values else None


def profile(case: Case, data: Path, limit: float, at: list[float]) -> list[str]:
    """Return the lines of one case."""
    sensitive = () if case.sensitive is None else (case.sensitive,)
    table = starmin.read_table(data / case.file, case.qi.split(","), sensitive)
    case.solve(table, 3.0)
    _, told = case.solve(table, limit, stop=max(at))
    lines = []
    for second in at:
        offered = on_offer(told, second)
        alone, _ = case.solve(table, second)
        shown = "-" if offered is None else f"{offered:,}"
        worse = "-" if offered is None else f"{offered / alone - 1:.2%}"
        lines.append(f"| {case.name} | {second:g} | {shown} | {alone:,} | {worse} |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Profile the cases."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--limit", type=float, default=300.0)
    parser.add_argument("--case", default="", help="only those with this in their name")
    parser.add_argument("--at", default="1,2,4,8,16,32,64")
    parser.add_argument("--store", type=Path, help="a JSON file of finished cases")
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    given = parser.parse_args()
    at = [float(second) for second in given.at.split(",")]
    known: dict[str, list[str]] = {}
    if given.store and given.store.exists():
        known = json.loads(given.store.read_text(encoding="utf-8"))
    lines = [HEAD]
    print(HEAD)
    for case in CASES:
        if given.case not in case.name:
            continue
        if case.name not in known:
            known[case.name] = profile(case, given.data, given.limit, at)
            if given.store:
                given.store.write_text(json.dumps(known), encoding="utf-8")
        lines += known[case.name]
    write_rows(given.write, lines)


if __name__ == "__main__":
    main()
