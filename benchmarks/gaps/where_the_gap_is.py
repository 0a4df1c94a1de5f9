"""Which side leaves the gap open: bound and heuristic beside the optimum, on samples.

    python benchmarks/gaps/where_the_gap_is.py DATA [--seconds 10] [--exact 60]

Samples of Adult are solved by an exact method, once, from the best release found. The
bound is that of the linear relaxation, by prices; the release is that of
``large_neighbourhood`` in a few seconds. Where the exact method does not finish, its
interval stands in the place of the optimum.
"""

import argparse
from pathlib import Path

import numpy as np

import starmin
from instances import (
    STARS,
    KAnonymity,
    NotSupportedError,
    Requirement,
    Result,
    Table,
)
from starmin.registry.methods import load

FIVE = ["sex", "race", "marital-status", "education", "workclass"]
EIGHT = [*FIVE, "age", "native-country", "occupation"]
CASES = [
    (rows, columns, k)
    for k in (2, 3, 5, 10)
    for columns in (FIVE, EIGHT)
    for rows in (1_000, 3_000)
]
HEAD = "| rows | columns | k | relaxation | optimum | release | below | above |"


def sample(table: Table, rows: int) -> Table:
    """Draw rows, the same ones each time."""
    rng = np.random.default_rng(0)
    return table.take(np.sort(rng.permutation(table.n)[:rows]))


def solved(
    table: Table, requirement: Requirement, start: Result, bound: int, limit: float
) -> str:
    """Return the optimum, or the interval that it is in, from a release and a bound."""
    value = start.value
    methods = ["pattern_ilp", "branch_and_bound"]
    if requirement == KAnonymity(2):
        methods = ["simplex_matching"]
    for method in methods:
        try:
            found = load(method)(
                table, requirement, initial=start.best, time_limit=limit
            )
        except NotSupportedError:
            continue
        value = min(value or found.value, found.value)
        bound = max(bound, found.lower_bound or 0)
        if value == bound:
            return str(value)
    return f"{bound}..{value}"


def shares(low: int, optimum: str, high: int) -> tuple[str, str]:
    """Return how far both sides are from the optimum, or at most and at least."""
    ends = [int(part) for part in optimum.split("..")]
    below, above = (
        [100 * abs(end - one) / max(1, end) for end in ends] for one in (low, high)
    )
    return tuple(
        " to ".join(f"{share:.2f} %" for share in sorted(side))
        for side in (below, above)
    )


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--exact", type=float, default=60.0)
    parser.add_argument("--only", type=int, help="the first so many cases")
    given = parser.parse_args()
    print(HEAD, "|---" * 8 + "|", sep="\n", flush=True)
    for rows, columns, k in CASES[: given.only]:
        whole = starmin.read_table(given.data / "adult.csv", qi=columns)
        table, requirement = sample(whole, rows), KAnonymity(k)
        relaxed = load("lagrangian")(table, requirement, time_limit=given.seconds)
        release = load("large_neighbourhood")(
            table, requirement, time_limit=given.seconds
        )
        assert release.best is not None
        low, high = relaxed.lower_bound or 0, release.best.value(table, STARS)
        optimum = solved(table, requirement, release, low, given.exact)
        below, above = shares(low, optimum, high)
        print(
            f"| {rows:,} | {len(columns)} | {k} | {low:,} | {optimum} "
            f"| {high:,} | {below} | {above} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
