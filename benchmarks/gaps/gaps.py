"""Certified gaps on real tables at scale, from CSV to release and certificate.

    python benchmarks/gaps/gaps.py DATA --store gaps.jsonl --write docs/gaps.md

runs ``starmin solve`` and ``starmin verify`` as a user would, one case after the
other, and writes one line each. Finished cases are kept in the store: a run that was
stopped goes on where it was. ``--long`` gives every case the full ten minutes, and
half an hour to the largest tables.
"""

import argparse
from dataclasses import replace
from pathlib import Path

from solve_cases import Case, machine, measure_all

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
ADULT, KDD, ARMY, ACS = (
    "adult.csv",
    "census_kdd_9.csv.gz",
    "military.csv.gz",
    "nist_acs_national2019.csv",
)

CASES = (
    *(Case(ADULT, EIGHT, f"--k {k}", 10) for k in (2, 3, 5, 10, 25)),
    *(Case(ADULT, EIGHT, f"--k {k}", 120) for k in (2, 3, 10, 25)),
    Case(ADULT, EIGHT, "--k 5", 600),
    Case(ADULT, FIVE, "--k 5", 60),
    *(Case(ADULT, SEVEN, f"--l {l}", 120, "occupation") for l in (2, 6)),
    Case(ADULT, SEVEN, "--l 4", 600, "occupation"),
    *(Case(ARMY, f"{MILITARY},rank", f"--k {k}", 120) for k in (5, 50)),
    *(Case(ARMY, MILITARY, f"--l {l}", 120, "rank") for l in (2, 4)),
    Case(KDD, CENSUS.format("education,"), "--k 5", 600),
    Case(KDD, CENSUS.format(""), "--l 4", 600, "education"),
    Case(ACS, NIST, "--k 5", 60),
    Case(ACS, NIST, "--k 5", 600),
)


def longer(case: Case) -> Case:
    """The same case with the time that its bar allows."""
    if case.seconds == 120 and case.table == ADULT:
        return replace(case, seconds=600)
    if case.seconds == 600 and case.table in (KDD, ACS):
        return replace(case, seconds=1800)
    return case


def main() -> None:
    """Run the cases; print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the tables")
    parser.add_argument("--store", type=Path, help="finished cases, one JSON a line")
    parser.add_argument("--write", type=Path, help="a Markdown file for the table")
    parser.add_argument("--long", action="store_true", help="the full times: hours")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    arguments = parser.parse_args()
    cases = [longer(case) if arguments.long else case for case in CASES]
    cases = [case for case in cases if arguments.only in case.name]
    lines = measure_all(cases, arguments.data, arguments.store)
    if arguments.write:
        text = (
            f"# Certified gaps at scale\n\n{machine()}, by this command:\n\n"
            "    python benchmarks/gaps/gaps.py DATA --store gaps.jsonl "
            "--write docs/gaps.md\n\n"
            "`certified` is the bound that `starmin verify --certificate` proves again "
            "without a solver. [Another page](quality.md) has the stars that "
            "heuristics and other tools need on the same tables.\n\n"
        )
        arguments.write.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
