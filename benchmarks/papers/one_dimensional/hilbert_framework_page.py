"""The figures of the benchmark of the one-dimensional framework, and its tables."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from kept import merge_rows

Row = dict[str, Any]

WHAT = {
    "gcp": "GCP",
    "seconds": "seconds",
    "max_ncp": "weighted maximum NCP",
    "mean_ncp": "mean NCP",
    "volume": "weighted mean volume",
    "privacy": "privacy (size by most frequent value)",
    "kl": "KL-divergence of the count queries",
}
MEASURES = {"privacy": "privacy", "kl": "KL-divergence"}  # in short
GENERALIZED = ("hilbert", "idistance", "gray_order", "mondrian", "anatomy")
PERMUTED = ("perm_hilb", "perm_idist", "perm_gray", "anatomy")


@dataclass(frozen=True)
class Figure:
    """One figure of the paper: for each experiment and measure a panel.

    ``methods``: those that are shown; default: all.
    """

    number: int
    title: str
    experiments: tuple[str, ...]
    measures: tuple[str, ...]
    methods: tuple[str, ...] = ()
    log: bool = False


LOSS = ("gcp", "seconds")
BY_L = ("l", "level", "l by d", "l by n")
FIGURES = (
    Figure(22, "k-anonymity by k", ("k",), LOSS),
    Figure(23, "k-anonymity by n, k = 50", ("k by n",), LOSS),
    Figure(24, "k-anonymity by d, k = 50", ("k by d",), LOSS),
    Figure(25, "l-diversity by l", ("l",), LOSS),
    Figure(26, "l-diversity by n, l = 10", ("l by n",), LOSS),
    Figure(27, "l-diversity by d; census: l = 10, adult: l = 4", ("l by d",), LOSS),
    Figure(28, "l-diversity by correlation, l = 5", ("correlation",), LOSS),
    Figure(29, "weighted maximum NCP", ("l", "l by n"), ("max_ncp",), log=True),
    Figure(30, "mean NCP", ("l", "l by n"), ("mean_ncp",)),
    Figure(31, "weighted mean volume", ("l", "l by n"), ("volume",), log=True),
    Figure(32, "most privacy by E, d = 3", ("E",), ("privacy", "seconds")),
    Figure(33, "most privacy by d, E = 0.4", ("E by d",), ("privacy", "seconds")),
    Figure(
        34, "most privacy by n, d = 3, E = 0.4", ("E by n",), ("privacy", "seconds")
    ),
    Figure(35, "count queries, generalization", BY_L, ("kl",), GENERALIZED, True),
    Figure(36, "count queries, permutation", BY_L, ("kl",), PERMUTED, True),
)


def points(
    rows: Sequence[Row], table: str, experiment: str, measure: str, figure: Figure
) -> dict[str, dict[float, float]]:
    """For each method the mean by x."""
    found: dict[str, dict[float, list[float]]] = {}
    for row in rows:
        if (row["table"], row["experiment"]) != (table, experiment):
            continue
        if row[measure] == "" or (
            figure.methods and row["method"] not in figure.methods
        ):
            continue
        if not figure.methods and row["method"] in (*PERMUTED,):
            continue  # measured for queries alone
        by_x = found.setdefault(row["method"], {})
        by_x.setdefault(float(row["x"]), []).append(float(row[measure]))
    return {
        method: {x: fmean(values) for x, values in sorted(by_x.items())}
        for method, by_x in found.items()
    }


def drawn(rows: Sequence[Row]) -> Iterator[tuple[Figure, str]]:
    """The figures there is something to show in, and of which table."""
    for figure, table in product(FIGURES, ("census", "correlated", "adult")):
        if any(
            points(rows, table, e, m, figure)
            for e, m in product(figure.experiments, figure.measures)
        ):
            yield figure, table


def draw_all(rows: Sequence[Row], out: Path) -> None:
    """Write all figures."""
    for figure, table in drawn(rows):
        suffix = "_adult" if table == "adult" else ""
        draw(rows, figure, table, out / f"figure{figure.number}{suffix}")


def draw(rows: Sequence[Row], figure: Figure, table: str, path: Path) -> None:
    """A panel for each experiment and measure, a curve for each method; and the CSV."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    mpl.rcParams["svg.hashsalt"] = "starmin"
    panels = [
        (e, m)
        for e, m in product(figure.experiments, figure.measures)
        if points(rows, table, e, m, figure)
    ]
    canvas = Canvas(figsize=(1 + 4.6 * len(panels), 4), layout="constrained")
    FigureCanvasAgg(canvas)
    axes = canvas.subplots(1, len(panels), squeeze=False)[0]
    lines: list[Row] = []
    for panel, (experiment, measure) in zip(axes, panels, strict=True):
        curves = points(rows, table, experiment, measure, figure)
        for (method, curve), marker in zip(curves.items(), MARKERS, strict=False):
            panel.plot(list(curve), list(curve.values()), marker, label=method, ms=5)
            lines += [
                {"experiment": experiment, "x": x, "method": method, measure: y}
                for x, y in curve.items()
            ]
        panel.set(xlabel=experiment.split(" by ")[-1], ylabel=WHAT[measure])
        if figure.log or measure == "seconds":
            panel.set_yscale("log")
        panel.grid(alpha=0.3)
    axes[-1].legend(fontsize="small")
    canvas.suptitle(f"Figure {figure.number}, {table}: {figure.title}")
    canvas.savefig(path.with_suffix(".png"), dpi=110)
    canvas.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    canvas.savefig(path.with_suffix(".pdf"), metadata={"CreationDate": None})
    with path.with_suffix(".csv").open("w", newline="") as file:
        writer = csv.DictWriter(
            file, ["experiment", "x", "method", *figure.measures], restval=""
        )
        writer.writeheader()
        writer.writerows(lines)


MARKERS = [f"{point}-" for point in "osxD^v<>*P+"]


def keep(path: Path, rows: Sequence[Row]) -> None:
    """Keep the points of all figures, one a line, beside those that are there."""
    merge_rows(path, kept(rows), ("figure", "table", "measure", "by", "method", "x"))


def kept(rows: Sequence[Row]) -> Iterator[dict[str, str]]:
    """The points, as the page of results has them."""
    for figure, table in drawn(rows):
        for experiment, measure in product(figure.experiments, figure.measures):
            curves = points(rows, table, experiment, measure, figure)
            for method, curve in curves.items():
                for x, value in curve.items():
                    yield {
                        "figure": str(figure.number),
                        "table": table,
                        "measure": MEASURES.get(measure, WHAT[measure]),
                        "by": experiment.split(" by ")[-1],
                        "method": method,
                        "x": f"{x:.10g}",
                        "value": shown(measure, value),
                    }


def shown(measure: str, value: float) -> str:
    """A value with the four digits that are kept."""
    if measure == "seconds":
        return f"{value:.2f}"
    digits = f"{value:.4g}"
    return digits if value < 9_999.5 else f"{float(digits):.0f}"
