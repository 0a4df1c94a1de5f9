"""Certified gaps on real tables, from CSV to release and certificate, seed by seed.

    python benchmarks/gaps/gaps.py DATA --store gaps.jsonl --write docs/data/gaps.csv

runs ``starmin solve`` and ``starmin verify`` as a user would, case after case and seed
after seed. Finished runs are kept in the store: a benchmark that was stopped goes on
where it was. ``--most 60`` leaves out the cases with more seconds, ``--budget 600``
runs a case with fewer seeds where five would take more seconds than that, one at
least, and ``--stored`` runs nothing and shows the seeds that are in the store.
"""

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from kept import write_rows
from solve_cases import Case, rows_of, stored

FIVE = "sex,race,marital-status,education,workclass"
SEVEN = "sex,age,race,marital-status,education,native-country,workclass"
EIGHT = SEVEN + ",occupation"
CENSUS = (
    "age,sex,{}marital_status,race,class_of_worker,birth_self,occupation_code,"
    "industry_code"
)
MILITARY = "grade,branch,gender,race,hisp"
NIST = (
    "AGEP,SEX,MSP,HISP,RAC1P,NOC,NPF,HOUSING_TYPE,OWN_RENT,INDP_CAT,EDU,DVET,DREM,"
    "DPHY,DEYE,DEAR"
)
SURVEY = ",".join(f"q{n}" for n in range(1, 17))
ADULT, KDD, ARMY, ACS = (
    "adult.csv",
    "census_kdd_9.csv.gz",
    "military.csv.gz",
    "nist_acs_national2019.csv",
)

CASES = (
    *(
        Case(ADULT, EIGHT, f"--k {k}", seconds)
        for seconds in (4, 10, 600)
        for k in (2, 3, 5, 10, 25)
    ),
    # One thread for twice the seconds: what the second one is worth.
    *(Case(ADULT, EIGHT, f"--k {k}", 20, options="--workers 1") for k in (5, 25)),
    Case(ADULT, EIGHT, "--k 5", 60, options="--weights age=5,education=3"),
    Case(ADULT, EIGHT, "--k 5", 60, options="--keep sex,race"),
    Case(ADULT, SEVEN, "--k 5 --l 2", 60, "occupation"),
    Case(ADULT, SEVEN, "--l 2", 120, "occupation"),
    *(Case(ADULT, SEVEN, f"--l {l}", 600, "occupation") for l in (4, 6)),
    *(Case(ADULT, FIVE, f"--k {k}", 120) for k in (5, 25)),
    *(
        Case(ADULT, FIVE, f"--l {l} --diversity distinct", 60, "occupation")
        for l in (2, 4)
    ),
    *(Case(ARMY, f"{MILITARY},rank", f"--k {k}", 120) for k in (5, 50)),
    *(Case(ARMY, MILITARY, f"--l {l}", 120, "rank") for l in (2, 4)),
    *(Case(KDD, CENSUS.format("education,"), "--k 5", each) for each in (60, 600)),
    Case(KDD, CENSUS.format(""), "--l 4", 600, "education"),
    Case(ACS, NIST, "--k 2", 600),
    *(Case(ACS, NIST, "--k 5", seconds) for seconds in (60, 600)),
    Case("instance:survey", SURVEY, "--k 5", 60),
)
HEAD = (
    "| table | columns | requirement | limit | stars, by seed | bound | median gap "
    "| worst gap | seconds | MiB | verified |\n" + "|---" * 11 + "|"
)


def main() -> None:
    """Run the cases with each seed; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the tables")
    parser.add_argument("--store", type=Path, help="finished runs, one JSON a line")
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--budget", type=float, default=math.inf, help="seconds of all seeds of a case"
    )
    parser.add_argument("--stored", action="store_true", help="run nothing")
    parser.add_argument("--most", type=int, default=600, help="seconds of a case")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    asked = parser.parse_args()
    known = stored(asked.store)
    lines = [HEAD]
    print(HEAD)
    for case in CASES:
        if asked.only not in case.name or case.seconds > asked.most:
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
    write_rows(asked.write, lines)


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
        f"| {max(row['seconds'] for row in rows):.1f} "
        f"| {max(row['memory'] for row in rows):.0f} | {'yes' if verified else 'NO'} |"
    )


def shown(gap: float) -> str:
    """Return a gap in per cent; a dash where there is no bound."""
    return f"{gap:.2%}" if math.isfinite(gap) else "-"


if __name__ == "__main__":
    main()
