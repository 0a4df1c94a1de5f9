"""The figure of a release: how large its groups are, or how many stars rows have."""

import numpy as np
from matplotlib.ticker import MaxNLocator

from starmin.instances import IntArray
from starmin.report.drawing import SERIES, Drawing, new_figure, plain_ticks, style

_SINGLE = 30  # different sizes that get a bar each


def bins(sizes: IntArray) -> list[tuple[int, int, int]]:
    """Return the least and the greatest size of each bar, and its count.

    Examples
    --------
    >>> bins(np.array([2, 2, 3, 5]))
    [(2, 2, 2), (3, 3, 1), (4, 4, 0), (5, 5, 1)]
    """
    low, high = int(sizes.min()), int(sizes.max())
    if high - low < _SINGLE:
        counts = np.bincount(sizes - low)
        return [(low + i, low + i, int(count)) for i, count in enumerate(counts)]
    edges = np.unique(np.rint(np.geomspace(max(low, 1), high + 1, _SINGLE)).astype(int))
    edges[0] = low
    counts = np.histogram(sizes, edges)[0]
    return [
        (int(a), int(b) - 1, int(count))
        for a, b, count in zip(edges, edges[1:], counts, strict=False)
    ]


def group_sizes(sizes: IntArray) -> Drawing:
    """Count how many classes of rows there are of each size."""
    return _histogram(
        sizes,
        ("group-sizes", "Class sizes", "rows in a class", "number of classes"),
        "Rows of a class cannot be told apart by their quasi-identifiers.",
    )


def stars_of_rows(stars: IntArray) -> Drawing:
    """Count how many rows have so many stars."""
    return _histogram(
        stars,
        ("row-stars", "Stars of the rows", "stars in a row", "number of rows"),
        "Each row has stars of its own.",
    )


def _histogram(sizes: IntArray, names: tuple[str, ...], text: str) -> Drawing:
    stem, title, across, up = names
    found = bins(sizes)
    with style():
        figure, (axes,) = new_figure(2.7)
        if all(a == b for a, b, _ in found):
            axes.bar(
                [a for a, _, _ in found], [n for _, _, n in found], color=SERIES[0]
            )
            margin = max(0.7, 4 - (len(found) - 1) / 2)  # one bar is not a wall
            low, high = found[0][0], found[-1][0]
            axes.set_xlim(max(low - margin, -0.7), high + margin)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        else:
            left = np.array([max(a, 0.5) for a, _, _ in found])
            width = np.array([b + 1 for _, b, _ in found]) - left
            heights = [n for _, _, n in found]
            axes.bar(left, heights, 0.94 * width, align="edge", color=SERIES[0])
            axes.set_xscale("log")
            plain_ticks(axes.xaxis)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(visible=False, axis="x")
        axes.set(xlabel=across, title=up)
        return Drawing.of(stem, title, text, _alt(sizes, title), figure)


def _alt(sizes: IntArray, title: str) -> str:
    return (
        f"Histogram. {title}: least {sizes.min():,}, median {np.median(sizes):,.6g}, "
        f"greatest {sizes.max():,}, over {len(sizes):,}."
    )
