"""The pictures of the columns: the rows that have a value, and that still show it."""

import numpy as np

from starmin.report.distributions import Distribution
from starmin.report.drawing import LIGHT, SERIES, Drawing, label, new_figure, style

_BARS = 8  # values that get a bar each
_BINS = 16  # bars of a column of numbers


def column_figure(place: int, column: Distribution) -> Drawing:
    """Draw the values of a column, before and after.

    Parameters
    ----------
    place
        Of the column among the quasi-identifiers.
    column
        How its values are distributed.
    """
    with style():
        if column.numbers is None:
            figure, (axes,) = new_figure(0.7 + 0.22 * min(_BARS, len(column.values)))
            shown = column.most_frequent(_BARS)
            names = [label(_text(column.values[i])) for i in shown]
            rows = np.arange(len(shown))
            axes.barh(rows, column.before[shown], color=LIGHT, height=0.7)
            axes.barh(rows, column.after[shown], color=SERIES[0], height=0.34)
            axes.set_yticks(rows, names)
            axes.set_ylim(len(shown) - 0.4, -0.6)
            axes.grid(visible=False, axis="y")
        else:
            figure, (axes,) = new_figure(1.9)
            edges = np.linspace(column.numbers.min(), column.numbers.max(), _BINS + 1)
            width = edges[1] - edges[0]
            for weights, color, part in (
                (column.before, LIGHT, 0.94),
                (column.after, SERIES[0], 0.5),
            ):
                counts = np.histogram(column.numbers, edges, weights=weights)[0]
                axes.bar(edges[:-1] + width / 2, counts, part * width, color=color)
            axes.grid(visible=False, axis="x")
        axes.set_title("rows that have a value (light) and that still show it (dark)")
        axis = axes.xaxis if column.numbers is None else axes.yaxis
        axis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        return Drawing.of(
            f"column-{place}", column.name, "", _alt(column), figure, png=False
        )


def _text(value: str | None) -> str:
    return "(missing)" if value is None else value or "(empty)"


def _alt(column: Distribution) -> str:
    first = column.most_frequent(3)
    told = "; ".join(
        f"{_text(column.values[i])}: {column.before[i]:,.0f} rows, "
        f"{column.after[i]:,.0f} still show it"
        for i in first
    )
    return f"Bars of the values of {column.name}. {told}."
