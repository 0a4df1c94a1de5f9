"""The figure of a frontier: what each requirement costs, and at least must cost."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.ticker import FixedLocator, NullLocator

from starmin.frontiers.frontier_search import Curve
from starmin.report import drawing
from starmin.report.drawing import SERIES, Drawing, Picture

_LOGARITHMIC = 8  # times the least requirement: from here on steps are ratios
_MARKERS = "osD^vPX*"


def frontier_picture(curves: Sequence[Curve], symbol: str, unit: str) -> Picture:
    """Draw the curves, and shade what lies between value and bound.

    There is one curve, or one for each l. ``symbol`` is what the horizontal axis shows,
    k or l, and ``unit`` what the vertical axis is a share of.
    """
    asked = sorted({number for curve in curves for number in curve.asked})
    with drawing.style():
        figure, (axes,) = drawing.new_figure(3.0)
        for place, curve in enumerate(curves):
            color = SERIES[place % len(SERIES)]
            values, bounds = (  # None is nan
                np.array(shares, float) for shares in (curve.values, curve.bounds)
            )
            axes.fill_between(curve.asked, bounds, values, color=color, alpha=0.2, lw=0)
            look: dict[str, Any] = {"color": color, "linewidth": 1.4, "markersize": 4.5}
            name = f"{curve.name}: " if curve.name else ""
            marker = _MARKERS[place % len(_MARKERS)]
            axes.plot(
                curve.asked, values, marker=marker, label=f"{name}published", **look
            )
            axes.plot(
                curve.asked, bounds, linestyle="--", label=f"{name}no less", **look
            )
        if asked[-1] >= _LOGARITHMIC * asked[0]:
            axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator(asked))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        axes.set_ylim(bottom=0)
        drawing.percent_ticks(axes.yaxis)
        axes.set(xlabel=symbol, title=f"share of {unit}")
        axes.legend(loc="upper left", ncols=1)
    return figure


def frontier_figure(curves: Sequence[Curve], symbol: str, unit: str) -> Drawing:
    """Draw the curves as files of a report; see ``frontier_picture``."""
    told = " ".join(
        f"{symbol} = {number}{f', {curve.name}' if curve.name else ''}: {value:.2%}."
        for curve in curves
        for number, value in zip(curve.asked, curve.values, strict=True)
        if value is not None
    )
    with drawing.style():
        figure = frontier_picture(curves, symbol, unit)
        return Drawing.of(
            "frontier",
            "What more privacy costs",
            "The line is what was found; no release is below the dashed line, which is "
            "proven.",
            f"Lines of the share of {unit}, and of its proven lower bound, against "
            f"{symbol}. {told}",
            figure,
        )
