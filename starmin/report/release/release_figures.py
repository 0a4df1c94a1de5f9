"""Draw what became of a release: group sizes, stars of rows, levels and nodes used."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from starmin.instances import Coding, IntArray, Table, Taxonomy
from starmin.instances.arrays import Floats
from starmin.instances.releases.coding import GENERALIZATION
from starmin.instances.tables.names import counted
from starmin.instances.times.signs import TO
from starmin.report import drawing
from starmin.report.drawing import FAINT, INK, LIGHT, SERIES, Drawing
from starmin.report.page import DataTable, share
from starmin.report.release.column_facts import labelled
from starmin.report.release.distributions import Distribution

_BARS = 8  # values that get a bar each
_BINS = 16  # bars of a column of numbers


def column_figure(
    place: int, column: Distribution, known: Mapping[str, str] | None = None
) -> Drawing:
    """Draw the values of a column, before and after.

    ``place`` is that of the column among the quasi-identifiers, and ``known`` says what
    its values stand for.
    """
    numbers, text, known = column.numbers, "", known or {}
    told = "; ".join(
        f"{labelled(column.values[i], known)}: {column.before[i]:,.0f} rows, "
        f"{column.after[i]:,.0f} told by the release"
        for i in column.most_frequent(3)
    )
    if without := column.without_number:
        text = f"{counted(without, 'row')} without a number: not drawn."
    with drawing.style():
        many = min(_BARS, len(column.values))
        figure, (axes,) = drawing.new_figure(
            1.8 if numbers is not None else 0.45 + 0.22 * many
        )
        if numbers is None:
            _bars(axes, column, known)
        else:
            _histogram(axes, column, numbers)
        axis = axes.xaxis if numbers is None else axes.yaxis
        axis.set_major_locator(MaxNLocator(4, integer=True))
        axis.set_major_formatter(lambda x, _: f"{x:,.0f}")
        return Drawing.of(
            f"column-{place}",
            column.name,
            text,
            f"Bars of the values of {column.name}. {told}.",
            figure,
            png=False,
        )


def _bars(axes: Axes, column: Distribution, known: Mapping[str, str]) -> None:
    """Draw a bar for each of the most frequent values."""
    shown = column.most_frequent(_BARS)
    rows = np.arange(len(shown))
    axes.barh(rows, column.before[shown], color=LIGHT, height=0.7)
    axes.barh(rows, column.after[shown], color=SERIES[0], height=0.34)
    axes.set_yticks(
        rows, [drawing.label(labelled(column.values[i], known)) for i in shown]
    )
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


VALUE, RANGE, STAR = "the value", "a range", "a star"
ROOT = "the root, for all values"
_MOST_NODES = 40  # of a table


@dataclass(frozen=True)
class ColumnLevels:
    """What the cells of a column are published as."""

    name: str
    rows: dict[str, int]  # by what is published, the finest first: how many rows
    # of a column with a taxonomy, by node: how many rows publish it
    nodes: dict[str, int]
    taxonomy: Taxonomy | None  # its tree, or None


def published_levels(released: Table, coding: Coding) -> list[ColumnLevels]:
    """Return what the cells of each QI column of a generalized release are.

    >>> from starmin.inputs.recoding_options import parse_coding
    >>> released = Table.from_rows(["pet"], [["tame"], ["tame"], ["rat"]], qi=["pet"])
    >>> coding = parse_coding("generalization", "*", None, ["pet={tame{cat,dog},rat}"])
    >>> published_levels(released, coding)[0].rows
    {'the value': 1, 'level 1': 2}
    """
    return [_column(released, column, coding) for column in released.qi]


def _column(released: Table, column: str, coding: Coding) -> ColumnLevels:
    cells = released.text_counts(column)
    tree = coding.qi_trees(released).get(column)
    kinds = {
        text: _kind(text or "", column in coding.numeric, tree, coding.star)
        for text in cells
    }
    rows = {
        kind: sum(n for text, n in cells.items() if kinds[text] == kind)
        for kind in _finest_first(kinds.values())
    }
    nodes = {text or "": n for text, n in cells.items()}
    return ColumnLevels(column, rows, nodes if tree else {}, tree)


def _kind(text: str, numeric: bool, tree: Taxonomy | None, star: str) -> str:
    """Return what a cell is: a value, a node of some level, a range, or a star.

    A star is the symbol alone, as it is counted elsewhere; a root has another name.
    """
    if text == star:
        return STAR
    if tree is not None and text in tree.labels:
        node = tree.labels.index(text)
        if node < len(tree.leaves):
            return VALUE
        if tree.counts[node] == len(tree.leaves):
            return ROOT
        return f"level {tree.node_levels[node]}"
    return RANGE if numeric and (text.startswith("[") or TO in text) else VALUE


def level_parts(released: Table, coding: Coding) -> dict[str, Any]:
    """Return what a page shows of a generalized release; nothing of another one."""
    if coding.recoding != GENERALIZATION or not released.qi:
        return {"levels": None, "nodes": []}
    columns = published_levels(released, coding)
    return {"levels": level_bars(columns), "nodes": node_tables(columns)}


def level_bars(columns: list[ColumnLevels]) -> Drawing:
    """Draw a bar for each column: the share of rows at each level."""
    kinds = _finest_first(kind for column in columns for kind in column.rows)
    steps = [kind for kind in kinds if kind not in (VALUE, ROOT, STAR)]
    colors = {VALUE: LIGHT, ROOT: FAINT, STAR: INK}
    colors |= {kind: SERIES[i % len(SERIES)] for i, kind in enumerate(steps)}
    with drawing.style():
        figure, (axes,) = drawing.new_figure(0.9 + 0.28 * len(columns))
        for y, column in enumerate(columns):
            left, whole = 0.0, sum(column.rows.values())
            for kind in column.rows:
                width = column.rows[kind] / whole
                axes.barh(y, width, left=left, height=0.62, color=colors[kind])
                left += width
        for kind in kinds:
            axes.barh([0], [0], color=colors[kind], label=kind)
        axes.set_yticks(
            range(len(columns)), [drawing.label(each.name) for each in columns]
        )
        axes.set(xlim=(0, 1), ylim=(len(columns) - 0.4, -0.6))
        drawing.percent_ticks(axes.xaxis)
        axes.grid(visible=False)
        figure.legend(loc="outside lower center", ncols=3)
        return Drawing.of(
            "levels",
            "What the cells are published as",
            "The share of rows by column: values as they were, nodes by their level in "
            "the hierarchy, ranges, and what hides the value altogether: the root of a "
            "hierarchy, or a star.",
            "Bars of the columns by what their cells are published as. "
            + " ".join(_told(column) for column in columns),
            figure,
        )


def _finest_first(kinds: Iterable[str]) -> list[str]:
    """Return all that is published, each once."""
    found = {*kinds}
    levels = sorted(found - {VALUE, RANGE, ROOT, STAR}, key=lambda k: int(k.split()[1]))
    return [k for k in (VALUE, *levels, RANGE, ROOT, STAR) if k in found]


def _told(column: ColumnLevels) -> str:
    whole = sum(column.rows.values())
    parts = [f"{kind} {share(n / whole).text}" for kind, n in column.rows.items()]
    return f"{column.name}: {', '.join(parts)}."


def node_tables(columns: list[ColumnLevels]) -> list[tuple[str, DataTable]]:
    """Write the tree of each column with the rows that publish each of its nodes."""
    return [
        (column.name, _nodes(i, column, column.taxonomy))
        for i, column in enumerate(columns)
        if column.taxonomy is not None
    ]


def _nodes(place: int, column: ColumnLevels, tree: Taxonomy) -> DataTable:
    header = "Node|#Level|#Values below|#Rows published as it|%=Share"
    whole = sum(column.rows.values())
    inner = range(len(tree.leaves), len(tree.labels))
    used = sorted(inner, key=lambda node: -column.nodes.get(tree.labels[node], 0))
    shown = sorted(used[:_MOST_NODES])  # as a walk through the tree meets them
    found = [
        (
            "\N{NO-BREAK SPACE}" * 3 * _depth(tree, node) + tree.labels[node],
            *(int(tree.node_levels[node]), int(tree.counts[node])),
            column.nodes.get(tree.labels[node], 0),
        )
        for node in shown
    ]
    found.append(("single values", 0, 1, column.rows.get(VALUE, 0)))
    rows = [(*line, line[-1] / whole) for line in found]
    caption = f"Hierarchy of {column.name}"
    return DataTable.of(f"nodes-{place}", caption, header, rows, sortable=False)


def _depth(tree: Taxonomy, node: int) -> int:
    """Return how many nodes are above a node."""
    depth = 0
    while tree.parents[node] != node:
        node, depth = int(tree.parents[node]), depth + 1
    return depth


_SINGLE = 30  # different sizes that get a bar each


def bins(sizes: IntArray) -> list[tuple[int, int, int]]:
    """Return the least and the greatest size of each bar, and its count.

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


def size_figure(sizes: IntArray, of_rows: bool) -> Drawing:
    """Count how many classes there are of each size, or rows with so many stars."""
    names = "group-sizes", "Class sizes", "rows in a class", "number of classes"
    text = "Rows of a class cannot be told apart by their quasi-identifiers."
    if of_rows:
        names = "row-stars", "Stars of the rows", "stars in a row", "number of rows"
        text = "Each row has stars of its own."
    stem, title, across, up = names
    found = bins(sizes)
    with drawing.style():
        figure, (axes,) = drawing.new_figure(2.7)
        lows, highs, heights = zip(*found, strict=True)
        if lows == highs:
            axes.bar(lows, heights, color=SERIES[0])
            margin = max(0.7, 4 - (len(found) - 1) / 2)  # one bar is not a wall
            axes.set_xlim(max(lows[0] - margin, -0.7), lows[-1] + margin)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        else:
            left = np.maximum(lows, 0.5)
            width = np.array(highs) + 1 - left
            axes.bar(left, heights, 0.94 * width, align="edge", color=SERIES[0])
            axes.set_xscale("log")
            drawing.plain_ticks(axes.xaxis)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(visible=False, axis="x")
        axes.set(xlabel=across, title=up)
        alt = (
            f"Histogram. {title}: least {sizes.min():,}, median "
            f"{np.median(sizes):,.6g}, greatest {sizes.max():,}, over {len(sizes):,}."
        )
        return Drawing.of(stem, title, text, alt, figure)
