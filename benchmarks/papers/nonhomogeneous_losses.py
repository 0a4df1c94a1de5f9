"""Non-homogeneous releases by ranges and taxonomies: losses, bound, and the gap.

    python benchmarks/papers/nonhomogeneous_losses.py [--rows 100000] [--k 3,10]
        [--bound-seconds 300]

The table is the generator ``census`` with eight quasi-identifiers; age, education
and occupation have the taxonomies that ``starmin hierarchy --infer`` makes
of them, all other columns stars alone. A line for each k: the mean loss (GCP) of
``rematching``, what ``degree_prices`` proves and what the checker recomputes of it,
``LB_Gap``, and the seconds of each.
"""

import argparse
import time
from collections import Counter
from itertools import pairwise

from starmin.heuristics.nonhomogeneous.rematching import rematching
from starmin.instances import KAnonymity, Objective, Scales, Table
from starmin.instances.catalogue.census import census
from starmin.instances.scales.taxonomies.infer_taxonomy import infer_taxonomy
from starmin.models.nonhomogeneous.degree_prices import degree_prices
from starmin.verify.certificates.certificate_check import check_certificate

TREES = ("age", "education", "occupation")


def losses(table: Table) -> Objective:
    """Return the losses by trees inferred from the table."""
    trees = {c: infer_taxonomy(Counter(table.cells(c)), name=c) for c in TREES}
    return Objective("gcp", scales=Scales.of(table, (), trees))


def measure(table: Table, objective: Objective, k: int, seconds: float) -> str:
    """Return a line of the table for one k."""
    requirement, times = KAnonymity(k), [time.perf_counter()]
    found = rematching(table, requirement, objective=objective)
    times.append(time.perf_counter())
    proven = degree_prices(
        table, requirement, objective=objective, time_limit=seconds, display=True
    )
    times.append(time.perf_counter())
    assert proven.certificate and found.value and proven.lower_bound
    check = check_certificate(
        proven.certificate, table, requirement, objective, "nonhomogeneous"
    )
    times.append(time.perf_counter())
    assert check.accepted, check.why
    whole = objective.whole(table)
    gap = found.value / proven.lower_bound - 1
    spent = [f"{end - begin:.0f}" for begin, end in pairwise(times)]
    cells = [f"{found.value / whole:.4f}", f"{proven.lower_bound / whole:.4f}"]
    return f"| {' | '.join([str(k), *cells, f'{gap:.3f}', *spent])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--k", default="3,10")
    parser.add_argument("--bound-seconds", type=float, default=300.0)
    given = parser.parse_args()
    table = census(given.rows, sensitive="none")
    objective = losses(table)
    print("| k | rematching | degree_prices | LB_Gap | s | bound s | check s |")
    print("|---|---|---|---|---|---|---|")
    for k in map(int, given.k.split(",")):
        print(measure(table, objective, k, given.bound_seconds), flush=True)


if __name__ == "__main__":
    main()
