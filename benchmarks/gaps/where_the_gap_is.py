"""Which side leaves the gap open: bound and heuristics beside the optimum, on samples.

    python benchmarks/gaps/where_the_gap_is.py DATA --store samples.jsonl
        --write docs/data/samples.csv [--recoding generalization]

Samples are solved by exact methods, one after the other, from the best release found.
The bound is that of prices, with cuts where they gain something: what is proven in the
seconds that each heuristic has. Where no exact method finishes, the interval that they
leave stands in the place of the optimum. With ``--recoding generalization`` values are
losses over the hierarchies in ``DATA/hierarchies``, as shares of the whole. Finished
cases are kept in the store.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gaps import ACS, ADULT, CENSUS, EIGHT, FIVE, KDD, NIST, SEVEN
from kept import write_rows
from solve_cases import once

import starmin
from starmin.instances import (
    STARS,
    KAnonymity,
    LDiversity,
    NotSupportedError,
    Objective,
    Requirement,
    Run,
    Table,
)
from starmin.instances.scales.scales import Scales
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
from starmin.registry import find

HEURISTICS = {
    "suppression": (
        *("large_neighbourhood", "pattern_annealing", "lagrangian_diving"),
        *("local_search", "clustering"),
    ),
    "generalization": ("large_neighbourhood", "ruin_and_recreate", "local_search"),
}


@dataclass(frozen=True)
class Case:
    """A sample of a table, and what is asked of it."""

    file: str
    qi: str
    rows: int
    k: int = 1
    l: int = 1
    sensitive: str | None = None
    recoding: str = "suppression"

    @property
    def columns(self) -> list[str]:
        """Its quasi-identifiers."""
        return self.qi.split(",")

    @property
    def asked(self) -> str:
        """Its requirement in the report."""
        return f"k {self.k}" if self.l == 1 else f"l {self.l}"

    @property
    def name(self) -> str:
        """What tells it from the others."""
        asked = self.asked.replace(" ", "")
        value = "stars" if self.recoding == "suppression" else "losses"
        parts = [self.stem, str(self.rows), str(len(self.columns)), asked, value]
        return "|".join(parts)

    @property
    def stem(self) -> str:
        """The name of its table in the report."""
        return self.file.split(".")[0]

    @property
    def requirement(self) -> Requirement:
        """What is asked."""
        return KAnonymity(self.k) if self.l == 1 else LDiversity(self.l)

    def sample(self, data: Path) -> Table:
        """Draw rows, the same ones each time."""
        sensitive = [self.sensitive] if self.sensitive else []
        path = data / self.file
        wide = starmin.read_table(path, qi=self.columns, sensitive=sensitive)
        rng = np.random.default_rng(0)
        return wide.take(np.sort(rng.permutation(wide.n)[: self.rows]))

    def objective(self, table: Table, data: Path) -> Objective:
        """Stars, or losses over the hierarchies of all columns."""
        if self.recoding == "suppression":
            return STARS
        files = data / "hierarchies"
        trees = {
            column: Taxonomy.read(files / f"adult_hierarchy_{column}.csv")
            for column in table.qi
        }
        return Objective("gcp", scales=Scales.of(table, [], trees))


def cases() -> list[Case]:
    """All samples: of stars, then of losses."""
    census, with_education = CENSUS.format(""), CENSUS.format("education,")
    small, large = 1_000, 3_000
    return [
        *(Case(ADULT, FIVE, large, k) for k in (2, 3, 5, 10, 25)),
        *(Case(ADULT, EIGHT, n, k) for k in (2, 3, 5, 10, 25) for n in (small, large)),
        *(Case(ACS, NIST, n, k) for k in (2, 5) for n in (small, large)),
        *(Case(KDD, with_education, n, k) for k in (2, 5) for n in (small, 5_000)),
        *(
            Case(ADULT, SEVEN, n, l=l, sensitive="occupation")
            for l in (2, 4)
            for n in (small, large)
        ),
        Case(KDD, census, small, l=2, sensitive="education"),
        *(
            Case(ADULT, columns, n, k, recoding="generalization")
            for k in (2, 5)
            for columns, sizes in ((FIVE, (small, 2_000)), (EIGHT, (250, 500)))
            for n in sizes
        ),
    ]


def measured(case: Case, data: Path, seconds: float, exact: float) -> dict[str, Any]:
    """Return bound, releases and the interval of the optimum of a case."""
    table = case.sample(data)
    objective = case.objective(table, data)
    problem = (table, case.requirement)
    options = {"objective": objective, "time_limit": seconds}
    values, run = dict[str, int](), Run(*problem, objective)
    run.learn(find("lagrangian").load()(*problem, **options))
    for name in HEURISTICS[case.recoding]:
        if find(name).supports(case.requirement, objective):
            found = find(name).load()(*problem, **options)
            assert found.best is not None  # samples have releases
            run.offer(found.best)
            run.learn(found)
            values[name] = found.best.value(table, objective)
    bound = run.lower_bound
    solve(run, exact)
    return {
        "case": case.name,
        "bound": bound,
        "values": values,
        "optimum": [run.lower_bound, run.value],
        "whole": None if objective == STARS else objective.whole(table),
    }


def solve(run: Run, limit: float) -> None:
    """Narrow the interval that the optimum is in, by one exact method after another."""
    methods = ["pattern_ilp", "branch_and_bound"]
    if run.objective.kind == "gcp":
        methods.insert(1, "column_generation")
    if run.requirement == KAnonymity(2):
        methods = ["simplex_matching", *methods]
    for method in methods:
        if run.closed:
            return
        options = {"objective": run.objective, "initial": run.best, "time_limit": limit}
        try:
            found = find(method).load()(run.table, run.requirement, **options)
        except NotSupportedError:
            continue
        if found.best is not None:
            run.offer(found.best)
        run.learn(found)


def line(case: Case, row: dict[str, Any]) -> str:
    """Return the line of a case in the report."""
    ends, whole = row["optimum"], row["whole"]
    optimum = " .. ".join(written(end, whole) for end in sorted(set(ends)))
    cells = [case.stem, f"{case.rows:,}", str(len(case.columns)), case.asked]
    bound = row["bound"]  # None: there was no time for one
    cells += ["-" if bound is None else written(bound, whole), optimum]
    cells.append(away(bound, ends))
    cells += [away(row["values"].get(n), ends) for n in HEURISTICS[case.recoding]]
    return f"| {' | '.join(cells)} |"


def written(value: int, whole: int | None) -> str:
    """Write a number of stars, or a loss as a share of the whole."""
    return f"{value:,}" if whole is None else f"{value / whole:.3%}"


def away(value: int | None, ends: Sequence[int]) -> str:
    """Return how far a value is from the optimum, or at least and at most."""
    if value is None:
        return "-"
    shares = {f"{100 * abs(end - value) / max(1, end):.2f}" for end in ends}
    return f"{' to '.join(sorted(shares, key=float))} %"


def main() -> None:
    """Measure what is missing; print the table, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of the tables")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each heuristic")
    parser.add_argument("--exact", type=float, default=60.0, help="of exact methods")
    parser.add_argument("--store", type=Path, help="finished cases, one JSON a line")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--recoding", choices=HEURISTICS, default="suppression")
    parser.add_argument("--write", type=Path, help="a CSV of its rows")
    given = parser.parse_args()
    names = HEURISTICS[given.recoding]
    head = "| table | rows | columns | asked | bound | optimum | bound below | "
    lines = [head + " | ".join(names) + " |", "|---" * (7 + len(names)) + "|"]
    print(*lines, sep="\n", flush=True)
    for case in cases():
        if case.recoding != given.recoding or given.only not in case.name:
            continue
        run = partial(measured, case, given.data, given.seconds, given.exact)
        lines.append(line(case, once(case.name, given.store, run)))
        print(lines[-1], flush=True)
    write_rows(given.write, lines)


if __name__ == "__main__":
    main()
