"""Which side leaves the gap open: bound and heuristic beside the optimum, on samples.

    python benchmarks/gaps/where_the_gap_is.py DATA [--seconds 10] [--exact 60]
        [--only N] [--recoding generalization]

Samples of Adult are solved by an exact method, once, from the best release found. The
bound is that of the linear relaxation, by prices; the release is that of
``large_neighbourhood`` in a few seconds. Where the exact method does not finish, its
interval stands in the place of the optimum. With ``--recoding generalization`` values
are losses over the hierarchies in ``DATA/hierarchies``, as shares of the whole.
"""

import argparse
from pathlib import Path

import numpy as np

import starmin
from instances import (
    STARS,
    KAnonymity,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Table,
)
from instances.scales.scales import Scales
from instances.scales.taxonomy import Taxonomy
from starmin.registry.methods import load

FIVE = ["sex", "race", "marital-status", "education", "workclass"]
EIGHT = [*FIVE, "age", "native-country", "occupation"]
CASES = {
    "suppression": [
        (rows, columns, k)
        for k in (2, 3, 5, 10)
        for columns in (FIVE, EIGHT)
        for rows in (1_000, 3_000)
    ],
    "generalization": [
        (rows, columns, k)
        for k in (2, 5)
        for columns, sizes in ((FIVE, (1_000, 2_000)), (EIGHT, (250, 500)))
        for rows in sizes
    ],
}
HEAD = "| rows | columns | k | relaxation | optimum | release | below | above |"


def sample(table: Table, rows: int) -> Table:
    """Draw rows, the same ones each time."""
    rng = np.random.default_rng(0)
    return table.take(np.sort(rng.permutation(table.n)[:rows]))


def losses(table: Table, data: Path) -> Objective:
    """Return the losses over the hierarchies of all columns."""
    trees = {
        column: Taxonomy.read(data / "hierarchies" / f"adult_hierarchy_{column}.csv")
        for column in table.qi
    }
    return Objective("gcp", scales=Scales.of(table, [], trees))


def solved(
    table: Table,
    requirement: Requirement,
    objective: Objective,
    start: Result,
    bound: int,
    limit: float,
) -> tuple[int, int]:
    """Return the interval that the optimum is in, from a release and a bound."""
    best, value = start.best, start.value
    assert value is not None
    methods = ["pattern_ilp", "column_generation", "branch_and_bound"]
    if requirement == KAnonymity(2) and objective.kind == "stars":
        methods = ["simplex_matching"]
    for method in methods:
        try:
            found = load(method)(
                *(table, requirement),
                objective=objective,
                initial=best,
                time_limit=limit,
            )
        except NotSupportedError:
            continue
        if found.value is not None and found.value < value:
            best, value = found.best, found.value
        bound = max(bound, found.lower_bound or 0)
        if value == bound:
            break
    return bound, value


def written(value: int, whole: int | None) -> str:
    """Write a number of stars, or a loss as a share of the whole."""
    return f"{value:,}" if whole is None else f"{value / whole:.3%}"


def shares(low: int, ends: tuple[int, int], high: int) -> tuple[str, str]:
    """Return how far both sides are from the optimum, or at most and at least."""
    below, above = (
        [100 * abs(end - one) / max(1, end) for end in sorted(set(ends))]
        for one in (low, high)
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
    parser.add_argument("--recoding", choices=CASES, default="suppression")
    given = parser.parse_args()
    print(HEAD, "|---" * 8 + "|", sep="\n", flush=True)
    for rows, columns, k in CASES[given.recoding][: given.only]:
        wide = starmin.read_table(given.data / "adult.csv", qi=columns)
        table, requirement = sample(wide, rows), KAnonymity(k)
        objective, whole = STARS, None
        if given.recoding == "generalization":
            objective = losses(table, given.data)
            whole = objective.whole(table)
        problem = (table, requirement)
        options = {"objective": objective, "time_limit": given.seconds}
        relaxed = load("lagrangian")(*problem, **options)
        release = load("large_neighbourhood")(*problem, **options)
        assert release.best is not None
        low, high = relaxed.lower_bound or 0, release.best.value(table, objective)
        ends = solved(*problem, objective, release, low, given.exact)
        optimum = " .. ".join(written(end, whole) for end in sorted(set(ends)))
        below, above = shares(low, ends, high)
        print(
            f"| {rows:,} | {len(columns)} | {k} | {written(low, whole)} | {optimum} "
            f"| {written(high, whole)} | {below} | {above} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
