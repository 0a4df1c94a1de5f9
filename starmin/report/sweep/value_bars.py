"""The figures of single problems: what each method found, and the best bound."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from starmin.gaps.standings import Row, Standing
from starmin.report.drawing import (
    FAINT,
    INK,
    LIGHT,
    SERIES,
    WIDTH,
    Drawing,
    label,
    new_figure,
    style,
)
from starmin.report.page import share

MOST = 12  # problems with a figure
_BARS = 24  # of a figure


def value_bars(rows: Sequence[Row], found: Sequence[Standing]) -> list[Drawing]:
    """Draw bars for each of the first problems that have a value."""
    shown = [each for each in found if each.value is not None][:MOST]
    with style():
        return [
            _bars(i, each, [r for r in rows if r["problem"] == each.problem])
            for i, each in enumerate(shown, 1)
        ]


def _bars(place: int, problem: Standing, rows: Sequence[Row]) -> Drawing:
    bars = _least(rows, "value", min)[:_BARS]
    bounds = _least(rows, "lower_bound", max, kind="bound")[::-1]
    count = len(bars) + len(bounds)
    figure, (axes,) = new_figure(0.75 + 0.24 * count)
    bound = problem.bound or 0
    most = max(value for _, value in [*bars, *bounds])
    for y, (_, value) in enumerate(bars):
        axes.barh(y, min(value, bound), color=LIGHT, height=0.62)
        axes.barh(y, max(value - bound, 0), left=bound, color=SERIES[0], height=0.62)
        _note(axes, y, max(value, bound), _told(problem, value))
    for y, (_, value) in enumerate(bounds, len(bars)):
        axes.barh(y, value, facecolor="none", edgecolor=FAINT, height=0.62)
        _note(axes, y, max(value, bound), _number(value))
    if problem.bound is not None:
        axes.axvline(bound, color=INK, linewidth=1)
    axes.set_yticks(range(count), [label(name) for name, _ in [*bars, *bounds]])
    room = _room([name for name, _ in [*bars, *bounds]], [_told(problem, most)])
    axes.set(xlim=(0, (most or 1) * room), ylim=(count - 0.4, -0.6))
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(left=False, bottom=False, labelbottom=False)
    return Drawing.of(
        f"values-{place}",
        f"{problem.table}, {problem.asked}",
        _summary(problem),
        f"Bars of the values of {len(bars)} methods and {len(bounds)} lower bounds on "
        f"{problem.table}, {problem.asked}. {_summary(problem)}",
        figure,
    )


def _room(names: Sequence[str], notes: Sequence[str]) -> float:
    """Return how much wider than its longest bar a panel is, for the notes to fit."""
    inches = WIDTH - 0.3 - 0.068 * max(len(label(name)) for name in names)
    return inches / (inches - 0.15 - 0.062 * max(map(len, notes)))


def _note(axes: Axes, y: float, x: float, text: str) -> None:
    """Write a text right of the end of a bar."""
    axes.annotate(
        text,
        (x, y),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize=8.5,
    )


def _least(
    rows: Sequence[Row], what: str, choose: Any, kind: str = ""
) -> list[tuple[str, float]]:
    """Return the methods with the best they reached, over seeds; the least first."""
    best: dict[str, float] = {}
    for row in rows:
        value = row.get(what)
        if row["outcome"] == "ok" and value is not None and kind in ("", row["kind"]):
            best[row["method"]] = choose(value, best.get(row["method"], value))
    return sorted(best.items(), key=lambda pair: pair[1])


def _summary(problem: Standing) -> str:
    best, bound = _number(problem.best), _number(problem.bound)
    gap = problem.gap(problem.best)
    return (
        f"Best {best}, bound {bound}"
        f"{'' if gap is None else f', gap {share(gap).text}'}."
    )


def _told(problem: Standing, value: float) -> str:
    gap = problem.gap(value)
    return _number(value) if gap is None else f"{_number(value)} ({share(gap).text})"


def _number(value: float | None) -> str:
    if value is None:
        return "unknown"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
