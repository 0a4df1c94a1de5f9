"""The same command with five seeds: how much of a gap is luck.

    python benchmarks/gaps/seeds.py DATA --store seeds.jsonl --write docs/seeds.md

runs ``starmin solve`` and ``starmin verify`` as a user would, case after case and seed
after seed. Finished runs are kept in the store: a benchmark that was stopped goes on
where it was. ``--most 60`` leaves out the cases with more seconds, ``--budget 60`` runs
a case with fewer seeds where five would take more seconds than that, one at least, and
``--stored`` runs nothing and has the seeds that are in the store.
"""

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from gaps import ACS, ADULT, CENSUS, EIGHT, FIVE, KDD, NIST, SEVEN
from solve_cases import Case, machine, rows_of, stored

SURVEY = ",".join(f"q{n}" for n in range(1, 17))
CASES = (
    *(Case(ADULT, EIGHT, f"--k {k}", s) for s in (4, 10) for k in (2, 3, 5, 10, 25)),
    Case(ADULT, FIVE, "--l 2 --diversity distinct", 60, "occupation"),
    Case(ADULT, FIVE, "--l 4 --diversity distinct", 60, "occupation"),
    Case(ACS, NIST, "--k 5", 60),
    Case("instance:survey", SURVEY, "--k 5", 60),
    Case(KDD, CENSUS.format("education,"), "--k 5", 60),
    Case(ADULT, SEVEN, "--k 5 --l 2", 60, "occupation"),
    Case(ADULT, EIGHT, "--k 5", 60, options="--weights age=5,education=3"),
    Case(ADULT, EIGHT, "--k 5", 60, options="--keep sex,race"),
    Case(ADULT, FIVE, "--k 5", 120),
    Case(ADULT, FIVE, "--k 25", 120),
    *(Case(ADULT, SEVEN, f"--l {l}", 600, "occupation") for l in (4, 6)),
    *(Case(ADULT, EIGHT, f"--k {k}", 600) for k in (2, 3, 5, 10, 25)),
    Case(ACS, NIST, "--k 5", 600),
    Case(KDD, CENSUS.format("education,"), "--k 5", 600),
)
HEAD = (
    "| table | columns | requirement | limit | stars, by seed | bound | median gap "
    "| worst gap | MiB | verified |\n" + "|---" * 10 + "|"
)


def main() -> None:
    """Run the cases with each seed; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the tables")
    parser.add_argument("--store", type=Path, help="finished runs, one JSON a line")
    parser.add_argument("--write", type=Path, help="a Markdown file for the table")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--budget", type=float, default=math.inf, help="seconds of all seeds of a case"
    )
    parser.add_argument("--stored", action="store_true", help="run nothing")
    parser.add_argument("--most", type=int, default=600, help="seconds of a case")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--note", default="", help="a paragraph of the page")
    asked = parser.parse_args()
    cases = [case for case in CASES if case.seconds <= asked.most]
    known = stored(asked.store)
    lines = [HEAD]
    print(HEAD)
    for case in cases:
        if asked.only not in case.name:
            continue
        afforded = max(1.0, asked.budget / case.seconds)
        count = int(min(asked.seeds, afforded))
        seeds = [with_seed(case, seed) for seed in range(count)]
        if asked.stored:
            seeds = [each for each in seeds if each.name in known]
        if not seeds:
            continue
        rows = list(rows_of(seeds, asked.data, asked.store))
        lines.append(line(case, rows))
        print(lines[-1], flush=True)
    if asked.write:
        chosen = f" --most {asked.most}" * (asked.most < 600)
        chosen += f" --budget {asked.budget:g}" * math.isfinite(asked.budget)
        asked.write.write_text(page(lines, chosen, asked.note), encoding="utf-8")


def with_seed(case: Case, seed: int) -> Case:
    """Return the case with a seed of the search."""
    return replace(case, options=f"{case.options} --seed {seed}".strip(), spared=0)


def line(case: Case, rows: Sequence[dict[str, Any]]) -> str:
    """Return the line of one case in the report."""
    bound = max(row["certified_bound"] or 0 for row in rows)
    values = [row["value"] for row in rows]
    gaps = [value / bound - 1 if bound else math.inf for value in values]
    verified = all(row["verified"] for row in rows)
    return (
        f"| {case.stem} | {case.columns} | {case.asked} | {case.seconds} s "
        f"| {', '.join(f'{value:,}' for value in values)} | {bound:,} "
        f"| {shown(median(gaps))} | {shown(max(gaps))} "
        f"| {max(row['memory'] for row in rows):.0f} | {'yes' if verified else 'NO'} |"
    )


def shown(gap: float) -> str:
    """Return a gap in per cent; a dash where there is no bound."""
    return f"{gap:.2%}" if math.isfinite(gap) else "-"


def page(lines: Sequence[str], chosen: str, note: str) -> str:
    """Return the page of the table, made with these options, and a note on it."""
    return (
        "# From seed to seed\n\n"
        "A search makes random choices, and how far it comes in its seconds depends "
        "on the machine. Here the same command ran with up to five seeds, each run "
        "with its release and its certificate verified. Gaps are to the best bound "
        "that one of these certificates proves.\n\n"
        f"{machine().removesuffix(', seed 0')}, by this command:\n\n"
        "    python benchmarks/gaps/seeds.py DATA --store seeds.jsonl "
        f"--write docs/seeds.md{chosen}\n\n"
        + f"{note}\n\n" * bool(note)
        + "\n".join(lines)
        + "\n"
    )


if __name__ == "__main__":
    main()
