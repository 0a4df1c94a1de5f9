"""The pictures of the columns: rows that have a value, and what the release tells."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from starmin.instances.arrays import Floats
from starmin.instances.tables.plural import counted
from starmin.report.drawing import LIGHT, SERIES, Drawing, label, new_figure, style
from starmin.report.release.distributions import Distribution

_BARS = 8  # values that get a bar each
_BINS = 16  # bars of a column of numbers


def column_figure(place: int, column: Distribution) -> Drawing:
    """Draw the values of a column, before and after.

    ``place`` is that of the column among the quasi-identifiers.
    """
    with style():
        figure, (axes,) = new_figure(_height(column))
        if column.numbers is None:
            _bars(axes, column)
        else:
            _histogram(axes, column, column.numbers)
        axis = axes.xaxis if column.numbers is None else axes.yaxis
        axis.set_major_locator(MaxNLocator(4, integer=True))
        axis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        return Drawing.of(
            f"column-{place}",
            column.name,
            _not_drawn(column),
            _alt(column),
            figure,
            png=False,
        )


def _height(column: Distribution) -> float:
    """Return the inches that a figure takes."""
    if column.numbers is not None:
        return 1.8
    return 0.45 + 0.22 * min(_BARS, len(column.values))


def _bars(axes: Axes, column: Distribution) -> None:
    """Draw a bar for each of the most frequent values."""
    shown = column.most_frequent(_BARS)
    rows = np.arange(len(shown))
    axes.barh(rows, column.before[shown], color=LIGHT, height=0.7)
    axes.barh(rows, column.after[shown], color=SERIES[0], height=0.34)
    axes.set_yticks(rows, [label(_text(column.values[i])) for i in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")


def _histogram(axes: Axes, column: Distribution, numbers: Floats) -> None:
    """Draw a bar for each number or, of many, for each of equal ranges."""
    there = ~np.isnan(numbers)
    apart = np.unique(numbers[there])
    bins = _BINS
    if len(apart) <= 2 * _BINS:
        bins = min(2 * _BINS, 1 + round(np.ptp(apart) / np.diff(apart).min()))
    half = np.ptp(apart) / (bins - 1) / 2 if len(apart) <= 2 * _BINS else 0.0
    edges = np.linspace(apart[0] - half, apart[-1] + half, bins + 1)
    width = edges[1] - edges[0]
    for weights, color, part in (
        (column.before, LIGHT, 0.94),
        (column.after, SERIES[0], 0.5),
    ):
        counts = np.histogram(numbers[there], edges, weights=weights[there])[0]
        axes.bar(edges[:-1] + width / 2, counts, part * width, color=color)
    axes.grid(visible=False, axis="x")


def _not_drawn(column: Distribution) -> str:
    """Say how many rows are not in the picture."""
    without = column.without_number
    if not without:
        return ""
    return f"{counted(without, 'row')} without a number: not drawn."


def _text(value: str | None) -> str:
    return "(missing)" if value is None else value or "(empty)"


def _alt(column: Distribution) -> str:
    first = column.most_frequent(3)
    told = "; ".join(
        f"{_text(column.values[i])}: {column.before[i]:,.0f} rows, "
        f"{column.after[i]:,.0f} told by the release"
        for i in first
    )
    return f"Bars of the values of {column.name}. {told}."
