"""Compare methods over all problems of a sweep: ratios, profiles, growth, figures."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator

from starmin.gaps.sweep_statistics import seconds_to
from starmin.report import drawing
from starmin.report.drawing import LIGHT, SERIES, Drawing

Row = Mapping[str, Any]
Points = list[tuple[float, float]]

NEAR = 0.01  # of the best value: what counts as good


@dataclass(frozen=True)
class Runs:
    """The runs of a sweep that were to give a release, against the best values."""

    rows: tuple[Row, ...]  # all of them, failed ones included; no bounds
    best: Mapping[str, float | None]  # by problem: the least value

    @classmethod
    def of(cls, rows: Sequence[Row], best: Mapping[str, float | None]) -> "Runs":
        """Return the runs of a sweep that look for releases."""
        found = tuple(row for row in rows if row["kind"] not in ("bound", "release"))
        return cls(found, best)

    def ratio(self, row: Row) -> float:
        """Divide a value by the best one of the problem; infinite without one."""
        value, best = row.get("value"), self.best.get(row["problem"])
        if row["outcome"] != "ok" or value is None or best is None:
            return math.inf
        if value == best:
            return 1.0
        return value / best if best else math.inf

    def of_method(self, method: str) -> list[Row]:
        """Return the runs of a method."""
        return [row for row in self.rows if row["method"] == method]

    def ranking(self) -> list[str]:
        """Return the methods, the one with the least ratios first."""

        def rank(method: str) -> tuple[float, float, float]:
            rows = self.of_method(method)
            ratios = [min(self.ratio(row), 10.0) for row in rows]
            seconds = median(row.get("seconds", math.inf) for row in rows)
            return -sum(r < 10 for r in ratios), sum(ratios) / len(ratios), seconds

        return sorted(dict.fromkeys(r["method"] for r in self.rows), key=rank)

    def profile(self, method: str) -> list[float]:
        """Sort the ratios of runs that gave a release (Dolan and More, 2002)."""
        return sorted(
            r for r in map(self.ratio, self.of_method(method)) if r < math.inf
        )

    def data_profile(self, method: str) -> list[float]:
        """Return after how many seconds runs came near the best value, sorted."""
        found = list[float]()
        for row in self.of_method(method):
            best = self.best.get(row["problem"])
            if best is not None and self.ratio(row) <= 1 + NEAR:
                first = seconds_to(row.get("trajectory") or (), best * (1 + NEAR))
                seconds = row.get("seconds") if first is None else first
                found += [] if seconds is None else [seconds]
        return sorted(found)

    def times(self, method: str) -> Points:
        """Return the seconds and the gap of each run that has a gap."""
        return [
            (row["seconds"], row["gap"])
            for row in self.of_method(method)
            if row["outcome"] == "ok" and row.get("gap") is not None
        ]

    def growth(
        self, method: str, by: Literal["n", "d"], of: Literal["seconds", "gap"]
    ) -> Points:
        """Return the median for each n, or d, of tables alike in the other one."""
        found: dict[float, list[float]] = {}
        for row in self.of_method(method):
            alike = row.get(_OTHER[by]) == self.usual(_OTHER[by])
            if row["outcome"] == "ok" and alike and row.get(of) is not None:
                found.setdefault(row[by], []).append(row[of])
        return sorted((x, median(values)) for x, values in found.items())

    def usual(self, what: Literal["n", "d"]) -> int | None:
        """Return the n, or d, that most problems have; the greatest of several."""
        of = {r["problem"]: r[what] for r in self.rows if r.get(what) is not None}
        counts = Counter(of.values())
        return max(counts, key=lambda x: (counts[x], x), default=None)


_OTHER: dict[str, Literal["n", "d"]] = {"n": "d", "d": "n"}


# Figures over all problems of a sweep: gap and time, profiles, growth.

_MARKERS = "osD^vPX*"
_LINES = ("-", "--", "-.", (0, (1, 1)), "-", "--", "-.", (0, (1, 1)))


def comparisons(runs: Runs) -> list[Drawing]:
    """Draw the comparisons that the sweep has data for."""
    if not any(runs.times(m) or runs.profile(m) for m in runs.ranking()):
        return []
    with drawing.style():
        drawings = (
            *(make(runs) for make in (_gap_and_time, _profile, _data_profile)),
            _growth(runs, "n", "rows", "columns"),
            _growth(runs, "d", "quasi-identifiers", "rows"),
        )
        return [each for each in drawings if each is not None]


def _gap_and_time(runs: Runs) -> Drawing | None:
    figure, (axes,) = drawing.new_figure(3.6)
    for method, look in _looks(runs):
        if points := runs.times(method):
            axes.plot(*zip(*points, strict=True), **look | {"linestyle": "none"})
    if not axes.lines:
        return None
    axes.set_xscale("log")
    drawing.plain_ticks(axes.xaxis)
    _gap_axis(axes)
    axes.set(xlabel="seconds", title="gap to the best bound")
    _legend(figure, axes)
    best = runs.ranking()[0]
    return Drawing.of(
        "gap-time",
        "Gap against time",
        "A mark for each run; lower is better, further left is faster.",
        f"Scatter plot of the gap of each run against its seconds, for "
        f"{len(runs.ranking())} methods; the least values are found by {best}.",
        figure,
    )


def _profile(runs: Runs) -> Drawing | None:
    figure, axes = _shares_within(runs, runs.profile, 1.0, 1e6)
    widest = max([1.0, *(r for m in runs.ranking() for r in runs.profile(m))])
    axes.set_xlim(1, min(max(widest * 1.05, 1.02), 4.0))
    axes.set(xlabel="value / best value", title="share of runs within that ratio")
    shares = _told(runs, lambda m: sum(r == 1 for r in runs.profile(m)))
    return Drawing.of(
        "performance",
        "Performance profile",
        "How often a method comes within a ratio of the best value; higher is better. "
        "Where a line starts, it is the best.",
        f"Lines of the share of runs within a ratio of the best value. Best value "
        f"reached: {shares}.",
        figure,
    )


def _data_profile(runs: Runs) -> Drawing | None:
    ends = [s for m in runs.ranking() for s in runs.data_profile(m) if s > 0]
    if not ends:
        return None
    first, last = min(ends) / 1.5, max(ends) * 1.5
    figure, axes = _shares_within(runs, runs.data_profile, first, last)
    axes.set_xscale("log")
    axes.set_xlim(first, last)
    drawing.plain_ticks(axes.xaxis)
    axes.set(
        xlabel="seconds", title=f"share of runs within {NEAR:.0%} of the best value"
    )
    counts = _told(runs, lambda m: len(runs.data_profile(m)))
    return Drawing.of(
        "data-profile",
        "Data profile",
        f"How many runs have come within {NEAR:.0%} of the best value by then; higher "
        "is more, further left is faster.",
        f"Lines of the share of runs within {NEAR:.0%} of the best value against "
        f"seconds. Runs in the end: {counts}.",
        figure,
    )


def _shares_within(
    runs: Runs, found: Callable[[str], list[float]], first: float, last: float
) -> tuple[Figure, Axes]:
    """Draw for each method the share of its runs up to each number that they have."""
    figure, (axes,) = drawing.new_figure(3.6)
    for method, look in _looks(runs):
        numbers, count = found(method), len(runs.of_method(method))
        xs = [first, *(max(first, x) for x in numbers), last]
        ys = [0.0, *((i + 1) / count for i in range(len(numbers)))]
        axes.step(xs, [*ys, ys[-1]], where="post", **look | {"marker": ""})
    axes.set_ylim(0, 1.03)
    drawing.percent_ticks(axes.yaxis)
    _legend(figure, axes)
    return figure, axes


def _growth(runs: Runs, by: Literal["n", "d"], what: str, other: str) -> Drawing | None:
    """Draw seconds and gap against n or d; None where all tables are of one size."""
    figure, (upper, lower) = drawing.new_figure(4.6, 2)
    sizes: set[float] = set()
    for method, look in _looks(runs):
        for axes in (upper, lower):
            of: Literal["seconds", "gap"] = "seconds" if axes is upper else "gap"
            if points := runs.growth(method, by, of):
                axes.plot(*zip(*points, strict=True), **look)
                sizes |= {x for x, _ in points}
    if len(sizes) < 2:
        return None
    for axes in (upper, lower):
        if by == "n":
            axes.set_xscale("log")
            drawing.plain_ticks(axes.xaxis)
        else:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    upper.set_yscale("log")
    drawing.plain_ticks(upper.yaxis)
    upper.set(title="seconds")
    _gap_axis(lower)
    lower.set(title="gap to the best bound", xlabel=what)
    _legend(figure, upper)
    alike = runs.usual(_OTHER[by])
    return Drawing.of(
        f"growth-{by}",
        f"Growth with {what}",
        f"Medians over the tables of {alike:,} {other}.",
        f"Lines of seconds and of gaps against the number of {what}, for tables of "
        f"{alike:,} {other}, from {min(sizes):,} to {max(sizes):,} {what}.",
        figure,
    )


def _looks(runs: Runs) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return how methods are drawn, the best last; beyond eight they are alike."""
    ranking = runs.ranking()
    for place, method in reversed(list(enumerate(ranking))):
        look: dict[str, Any] = {"markersize": 4.5, "linewidth": 1.4}
        if place < len(SERIES):
            look |= {"color": SERIES[place], "marker": _MARKERS[place]}
            look |= {"linestyle": _LINES[place], "label": drawing.label(method)}
        else:
            others = f"{len(ranking) - len(SERIES)} others"
            look |= {"color": LIGHT, "marker": ".", "linestyle": "-", "linewidth": 0.8}
            look |= {"label": others if place == len(SERIES) else "_"}
        yield method, look


def _legend(figure: Figure, axes: Axes) -> None:
    """Draw the legend below the panels, the best method first."""
    handles, names = axes.get_legend_handles_labels()
    figure.legend(
        handles[::-1], names[::-1], loc="outside lower left", ncols=2, handlelength=2.6
    )


def _gap_axis(axes: Axes) -> None:
    """Scale gaps from 0 on, in percent; logarithmic where small ones would vanish."""
    gaps = [float(y) for line in axes.lines for y in np.asarray(line.get_ydata())]
    least = min((gap for gap in gaps if gap > 0), default=0.0)
    most = max(gaps, default=0.0)
    if least and most / least > 30:
        linear = 10.0 ** max(-5, math.floor(math.log10(least)))
        axes.set_yscale("symlog", linthresh=linear, linscale=0.4)
        axes.set_ylim(-0.3 * linear, most * 1.6)
    else:
        axes.set_ylim(-0.04 * (most or 1), None)
    axes.yaxis.set_major_formatter(lambda y, _: "" if y < 0 else f"{100 * y:,.6g}%")
    axes.yaxis.set_minor_locator(NullLocator())


def _told(runs: Runs, count: Callable[[str], int]) -> str:
    return ", ".join(f"{m} {count(m)}" for m in runs.ranking()[: len(SERIES)])
