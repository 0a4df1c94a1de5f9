"""Non-homogeneous releases by ranges and taxonomies: losses, bound, and the gap.

    python benchmarks/papers/nonhomogeneous/nonhomogeneous_losses.py --store FILE
        [--rows 100000]
        [--k 3,10] [--bound-seconds 300] [--print]

The table is the generator ``census`` with eight quasi-identifiers; age, education
and occupation have the taxonomies that ``starmin hierarchy --infer`` makes
of them, all other columns stars alone. A line for each number of rows and k: the mean
loss (GCP) of ``rematching``, what ``degree_prices`` proves and what the checker
recomputes of it, ``LB_Gap``, and the processor seconds of each. Lines are appended to
the store, and those that are there are not measured again; ``--print`` measures
nothing. The page is made of docs/data/nonhomogeneous_losses.csv.
"""

import argparse
import csv
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

from starmin.heuristics.nonhomogeneous.rematching import rematching
from starmin.instances import KAnonymity, Objective, Scales, Table
from starmin.instances.catalogue.generators import census
from starmin.instances.scales.taxonomies.build_taxonomy import infer_taxonomy
from starmin.models.nonhomogeneous.degree_prices import degree_prices
from starmin.verify.certificates.certificate_check import check_certificate

TREES = ("age", "education", "occupation")
KEY = ("rows", "k", "bound_seconds")
COLUMNS = (*KEY, "rematching", "degree_prices", "lb_gap", "cpu", "bound_cpu", "check")
Row = dict[str, str]


def losses(table: Table) -> Objective:
    """Return the losses by trees inferred from the table."""
    trees = {c: infer_taxonomy(Counter(table.cells(c)), name=c) for c in TREES}
    return Objective("gcp", scales=Scales.of(table, (), trees))


def measure(table: Table, objective: Objective, k: int, seconds: float) -> Row:
    """Return a line of the store for one k."""
    requirement, times = KAnonymity(k), [time.process_time()]
    found = rematching(table, requirement, objective=objective)
    times.append(time.process_time())
    proven = degree_prices(
        table, requirement, objective=objective, time_limit=seconds, display=True
    )
    times.append(time.process_time())
    assert proven.certificate and found.value and proven.lower_bound
    check = check_certificate(
        proven.certificate, table, requirement, objective, "nonhomogeneous"
    )
    times.append(time.process_time())
    assert check.accepted, check.why
    whole = objective.whole(table)
    gap = found.value / proven.lower_bound - 1
    spent = [f"{end - begin:.1f}" for begin, end in pairwise(times)]
    cells = [f"{found.value / whole:.4f}", f"{proven.lower_bound / whole:.4f}"]
    key = [str(table.n), str(k), f"{seconds:g}"]
    return dict(zip(COLUMNS, [*key, *cells, f"{gap:.3f}", *spent], strict=True))


def read(store: Path) -> list[Row]:
    """Return what was measured before."""
    if not store.exists():
        return []
    with store.open(newline="") as file:
        return list(csv.DictReader(file))


def lines(rows: list[Row]) -> list[str]:
    """Return the table of the page."""
    head = "| rows | k | rematching | degree_prices | LB_Gap | s | bound s | check s |"
    shown = [c for c in COLUMNS if c != "bound_seconds"]
    ordered = sorted(rows, key=lambda row: (int(row["rows"]), int(row["k"])))
    cells = ([f"{int(row['rows']):,}", *(row[c] for c in shown[1:])] for row in ordered)
    return [head, "|---" * 8 + "|", *(f"| {' | '.join(each)} |" for each in cells)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--k", default="3,10")
    parser.add_argument("--bound-seconds", type=float, default=300.0)
    parser.add_argument("--print", action="store_true", dest="only_print")
    given = parser.parse_args()
    rows = read(given.store)
    known = {tuple(row[c] for c in KEY) for row in rows}
    wanted = [] if given.only_print else [int(k) for k in given.k.split(",")]
    limit = f"{given.bound_seconds:g}"
    wanted = [k for k in wanted if (str(given.rows), str(k), limit) not in known]
    if wanted:
        table = census(given.rows, sensitive="none")
        objective = losses(table)
    for k in wanted:
        row = measure(table, objective, k, given.bound_seconds)
        new = not given.store.exists()
        with given.store.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writerows([dict(zip(COLUMNS, COLUMNS, strict=True))] if new else [])
            writer.writerow(row)
        rows.append(row)
    print("\n".join(lines(rows)))


if __name__ == "__main__":
    main()
