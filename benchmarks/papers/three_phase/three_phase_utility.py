"""Figures 7 and 8 of Xiao, Yi and Tao: the divergence of TP+ and of TDS.

    python benchmarks/papers/three_phase/three_phase_utility.py --out FOLDER
        [--rows 600000]
        [--methods TP+ TDS] [--write docs/data/three_phase.csv]

Releases the projections of the census tables SAL and OCC by TP+, and by top-down
specialization (TDS) twice: with a hierarchy of no level but the star for each column,
and with ages cut into ranges of numbers. ``coarse N`` is section 5.6: ages are joined
by N years first, then TP+ runs. ``--methods`` measures only those of the figures that
it names, and nothing coarsened. Each release is compared with its table by the
Kullback-Leibler divergence. Writes

utility.csv
    A line for each run: the divergence, in nats. Lines that are there are not made
    again.
figure7, figure8, as CSV, PNG and SVG
    Averages over the projections: by l (d = 4) and by d (l = 6).
"""

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from kept import merge_rows
from three_phase_paper import (
    DS,
    LS,
    POINT,
    TABLES,
    D,
    L,
    average,
    draw,
    points,
    projections,
    write,
)

from starmin.heuristics.approximation.three_phase import three_phase_hybrid
from starmin.heuristics.recoding.top_down_specialization import top_down_specialization
from starmin.instances import (
    GeneralizedRelease,
    LDiversity,
    Objective,
    Release,
    Scales,
    Table,
)
from starmin.instances.catalogue.generators import census
from starmin.verify.utility import Truth, compare, spread_of

COLUMNS = ("table", "n", "d", "l", "columns", "method", "kl", "cpu")
AGES = (5, 10, 20)


def by_tp(table: Table, l: int) -> Table:
    """Publish stars."""
    found = three_phase_hybrid(table, LDiversity(l))
    return Release(table, found.best).published


def by_tds(table: Table, l: int, numeric: tuple[str, ...] = ()) -> Table:
    """Publish one cut through the hierarchy of each column."""
    scales = Scales.of(table, [c for c in numeric if c in table.qi])
    objective = Objective("gcp", scales=scales)
    found = top_down_specialization(table, LDiversity(l), objective=objective)
    return GeneralizedRelease(table, found.best, scales).published


def by_coarse(table: Table, l: int, years: int) -> Table:
    """Publish ages by so many years, and stars."""
    return by_tp(coarsened(table, years), l)


def coarsened(table: Table, years: int) -> Table:
    """Join ages to ranges of so many years, of those that there are."""
    if "age" not in table.qi:
        return table
    ages = np.array([int(value or "") for value in table.dictionary("age")])
    part = ages // years
    shown = {}
    for p in set(part.tolist()):
        low, high = ages[part == p].min(), ages[part == p].max()
        shown[p] = str(low) if low == high else f"[{low}-{high}]"
    cells = np.array([shown[p] for p in part.tolist()], object)[table.column("age")]
    rest = [table.cells(c) for c in table.names if c != "age"]
    names = ["age", *(c for c in table.names if c != "age")]
    rows = list(zip(cells.tolist(), *rest, strict=True))
    return Table.from_rows(names, rows, table.qi, table.sensitive)


METHODS: dict[str, Callable[[Table, int], Table]] = {
    "TP+": by_tp,
    "TDS": by_tds,
    "TDS, ages in ranges": lambda table, l: by_tds(table, l, ("age",)),
}
COARSE: dict[str, Callable[[Table, int], Table]] = {
    f"coarse {years}": lambda table, l, years=years: by_coarse(table, l, years)
    for years in AGES
}


def divergence(table: Table, released: Table) -> float:
    """How far the release is from the table, in nats."""
    scales = Scales.of(table, [c for c in ("age",) if c in table.qi])
    return compare(spread_of(released, table, scales), Truth.of(table, scales)).kl


def runs(
    rows: int, named: dict[str, Callable[[Table, int], Table]], whole: bool
) -> Iterator[tuple[str, Table, int, str, Callable[..., Table]]]:
    """All that is measured, by l at d = 4, then by d at l = 6."""
    for name, sensitive in TABLES.items():
        table = census(rows, sensitive)
        for d in (D, *(d for d in DS if d != D)):
            for projection in projections(table, d):
                small = projection.drop(projection.other)
                for l in LS if d == D else (L,):
                    coarse = COARSE if whole and (d, l) == (D, L) else {}
                    for method, publish in (named | coarse).items():
                        yield name, small, l, method, publish


def main() -> None:
    """Measure what is not in the file, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=600_000)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--write", type=Path, help="a CSV of all points")
    parser.add_argument("--print", action="store_true", dest="only_print")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "utility.csv"
    found = read(path)
    named = {name: METHODS[name] for name in given.methods}
    known = {tuple(row[c] for c in COLUMNS[:6]) for row in found}
    if not given.only_print:
        with path.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if not found:
                writer.writeheader()
            for name, table, l, method, publish in runs(
                given.rows, named, named == METHODS
            ):
                key = (name, table.n, table.d, l, " ".join(table.qi), method)
                if key in known:
                    continue
                worked = time.process_time()
                kl = divergence(table, publish(table, l))
                row = dict(zip(COLUMNS, (*key, kl), strict=False))
                row["kl"] = round(kl, 5)
                row["cpu"] = round(time.process_time() - worked, 3)
                writer.writerow(row)
                file.flush()
                found.append(row)
    chosen = [row for row in found if row["method"] in named]
    for number, by, fixed in ((7, "l", ("d", D)), (8, "d", ("l", L))):
        part = [row for row in chosen if row[fixed[0]] == fixed[1]]
        rows = average(part, by, "kl")
        write(rows, given.out / f"figure{number}.csv")
        merge_rows(given.write, points(rows, number, by, "kl"), POINT)
        draw(rows, by, "kl", given.out / f"figure{number}")
        print(f"figure {number}")
        show(rows, by)
    print("coarsened first, d = 4, l = 6")
    same = [row for row in found if (row["d"], row["l"]) == (D, L)]
    show(average(same, "l", "kl"), "l")


def read(path: Path) -> list[dict[str, Any]]:
    """What was measured before."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    for row in rows:
        row |= {key: int(row[key]) for key in ("n", "d", "l")}
        row["kl"] = float(row["kl"])
    return rows


def show(rows: list[dict[str, Any]], by: str) -> None:
    """A line of Markdown for each table and method."""
    for name, method in dict.fromkeys((row["table"], row["method"]) for row in rows):
        cells = [row for row in rows if (row["table"], row["method"]) == (name, method)]
        shown = " | ".join(f"{row['kl']:.2f}" for row in cells)
        print(f"| {name}, {method} | {shown} |")


if __name__ == "__main__":
    main()
