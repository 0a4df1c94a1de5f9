"""The experiment of Xiao, Yi and Tao: TP, TP+ and Hilbert against l, d and n.

    python benchmarks/papers/three_phase/three_phase_paper.py --out FOLDER
        [--rows 600000]
        [--write docs/data/three_phase.csv]

makes census tables with income (SAL) and occupation (OCC) sensitive, runs the three
methods on their projections to d QI columns and writes

runs.csv
    A line for each run: stars, seconds, the phase in which TP ended.
phases.csv
    How often TP ended in each phase, by table and l, over all 127 projections.
figure2 .. figure6, as CSV, PNG and SVG
    Averages over the projections: stars by l (d = 4), stars by d (l = 6), seconds by l,
    seconds by d, seconds by n (d = 4, l = 6, a sixth of the rows to all of them).

``--write`` keeps the points of the figures, one a line, beside those that are in a CSV
file, and the phases in ``NAME_phases.csv`` beside it.

The paper has 600,000 rows; that takes a quarter of an hour on a core of its own, 20,000
rows about a minute.
"""

import argparse
import csv
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
from kept import merge_rows

from starmin.heuristics.approximation.three_phase import three_phase, three_phase_hybrid
from starmin.heuristics.orders.suppression import hilbert_suppression
from starmin.instances import STARS, LDiversity, Result, Table
from starmin.instances.catalogue.generators import census, hard_residue

Row = dict[str, Any]

METHODS: dict[str, Callable[..., Result]] = {
    "TP": three_phase,
    "TP+": three_phase_hybrid,
    "Hilbert": hilbert_suppression,
}
TABLES: dict[str, Literal["income", "occupation"]] = {
    "SAL": "income",
    "OCC": "occupation",
}
LS = range(2, 11)
DS = range(1, 8)
POINT = ("figure", "table", "method", "measure", "by", "x")  # what says which it is
L, D = 6, 4  # what the paper holds fixed


def projections(table: Table, d: int) -> Iterator[Table]:
    """All choices of d of the QI columns."""
    for columns in combinations(table.qi, d):
        yield table.with_roles(columns, table.sensitive)


def measure(name: str, table: Table, l: int) -> Iterator[Row]:
    """Each method on one table."""
    for method, solve in METHODS.items():
        fresh = replace(table)  # without cached row types
        started = time.perf_counter()
        result = solve(fresh, LDiversity(l), objective=STARS)
        yield {
            "table": name,
            "n": table.n,
            "d": table.d,
            "l": l,
            "columns": " ".join(table.qi),
            "method": method,
            "stars": result.value,
            "seconds": round(time.perf_counter() - started, 4),
            "phase": result.stats.get("phase", ""),
        }


def all_runs(rows: int) -> Iterator[Row]:
    """By l at d = 4, by d at l = 6, by n at both."""
    for name, sensitive in TABLES.items():
        table = census(rows, sensitive)
        for projection in projections(table, D):
            for l in LS:
                yield from measure(name, projection, l)
        for d in DS:
            for projection in projections(table, d) if d != D else ():
                yield from measure(name, projection, L)
        for sixth in range(1, 6):
            part = table.take(np.arange(rows * sixth // 6))
            for projection in projections(part, D):
                yield from measure(name, projection, L)


def phases(rows: int) -> list[Row]:
    """In which phases TP ended, on all projections."""
    counts = Counter[tuple[str, int, object]]()
    for name, sensitive in TABLES.items():
        table = census(rows, sensitive)
        for d in DS:
            for projection in projections(table, d):
                for l in LS:
                    result = three_phase(projection, LDiversity(l))
                    counts[name, l, result.stats.get("phase", "infeasible")] += 1
    keys = (1, 2, 3, "infeasible")
    return [
        {"table": name, "l": l} | {f"phase {key}": counts[name, l, key] for key in keys}
        for name in TABLES
        for l in LS
    ]


def warm_up() -> None:
    """Compile all loops, or load what is compiled, before anything is timed."""
    list(measure("warm-up", census(2000), 2))
    for phase in (2, 3):
        list(measure("warm-up", hard_residue(phase=phase), 3))


def average(runs: Iterable[Row], by: str, what: str) -> list[Row]:
    """The mean of one figure over all projections."""
    cells: dict[tuple[Any, ...], list[float]] = {}
    for run in runs:
        key = (run["table"], run["method"], run[by])
        cells.setdefault(key, []).append(run[what])
    return [
        {"table": t, "method": m, by: x, what: sum(values) / len(values)}
        for (t, m, x), values in sorted(cells.items())
    ]


def draw(rows: Sequence[Row], by: str, what: str, path: Path) -> None:
    """Two panels, SAL and OCC, a curve for each method."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    for panel, name in zip(figure.subplots(1, 2), TABLES, strict=True):
        named = dict.fromkeys(row["method"] for row in rows)
        for method, marker in zip(named, "osx^", strict=False):
            points = sorted(
                (row[by], row[what])
                for row in rows
                if (row["table"], row["method"]) == (name, method)
            )
            panel.plot(*zip(*points, strict=True), marker=marker, label=method)
        panel.set(title=name, xlabel=by, ylabel=what, ylim=(0, None))
        panel.legend()
    for suffix in (".png", ".svg", ".pdf"):
        figure.savefig(path.with_suffix(suffix), dpi=150)


def points(rows: Sequence[Row], number: int, by: str, what: str) -> Iterator[Row]:
    """The points of a figure, as the page of results has them."""
    digits = {"stars": 0, "seconds": 2, "kl": 2}[what]
    for row in rows:
        yield {
            "figure": str(number),
            "table": row["table"],
            "method": row["method"],
            "measure": "KL-divergence" if what == "kl" else what,
            "by": by,
            "x": str(row[by]),
            "value": f"{row[what]:.{digits}f}",
        }


def write(rows: Sequence[Row], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=600_000)
    parser.add_argument("--write", type=Path, help="a CSV of all points")
    arguments = parser.parse_args()
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    warm_up()
    runs = list(all_runs(arguments.rows))
    write(runs, out / "runs.csv")
    full = [run for run in runs if run["n"] == arguments.rows]
    by_l = [run for run in full if run["d"] == D]
    by_d = [run for run in full if run["l"] == L]
    kept: list[Row] = []
    by_n = [run for run in runs if (run["d"], run["l"]) == (D, L)]
    for number, chosen, by, what in (
        (2, by_l, "l", "stars"),
        (3, by_d, "d", "stars"),
        (4, by_l, "l", "seconds"),
        (5, by_d, "d", "seconds"),
        (6, by_n, "n", "seconds"),
    ):
        rows = average(chosen, by, what)
        write(rows, out / f"figure{number}.csv")
        draw(rows, by, what, out / f"figure{number}")
        kept += points(rows, number, by, what)
    merge_rows(arguments.write, kept, POINT)
    ended = phases(arguments.rows)
    write(ended, out / "phases.csv")
    if to := arguments.write:
        told = ("table", "l", *(f"phase {phase}" for phase in (1, 2, 3)))
        lines = [{key: str(row[key]) for key in told} for row in ended]
        merge_rows(to.with_stem(f"{to.stem}_phases"), lines, ("table", "l"))
    for row in ended:
        print("  ".join(f"{key} {value}" for key, value in row.items()))


if __name__ == "__main__":
    main()
