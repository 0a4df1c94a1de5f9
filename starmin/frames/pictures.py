"""The picture of a release: value and bound by time, and losses by column."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from starmin.instances import Progress
from starmin.instances.releases.coding import PERMUTATION
from starmin.instances.releases.release import kept_of
from starmin.report.drawing import SERIES, label, new_figure, percent_ticks, style
from starmin.report.release.column_facts import ColumnFacts, column_facts
from starmin.solving import Solution
from starmin.verify.cells.read_cells import read_cells

_ROW = 0.22  # inches of a column's bar


def draw(found: Solution, history: Sequence[Progress]) -> Figure:
    """Draw what became of a release by time and by column.

    Of a permutation there is nothing to draw by column. ``history`` is what was told of
    the search; if nothing was, there is nothing by time.
    """
    columns = _facts(found)
    panels = bool(history) + bool(columns)
    with style():
        height = 2.2 * bool(history) + (0.8 + _ROW * len(columns))
        figure, axes = new_figure(height, max(1, panels))
        if history:
            _trace(axes[0], found, history)
        if columns:
            _losses(axes[-1], columns)
        figure.set_layout_engine("constrained")
    return figure


def _facts(found: Solution) -> list[ColumnFacts]:
    table = kept_of(found.problem.table, found.best)[0]
    coding = found.problem.coding
    if found.published is None or coding.recoding == PERMUTATION:
        return []
    cells = read_cells(found.published, coding, table) if coding.told else None
    return column_facts(table, found.published, coding.star, cells)


def _trace(axes: Axes, found: Solution, history: Sequence[Progress]) -> None:
    """Draw value and bound as steps, to the end of the search."""
    for at, name in enumerate(("value", "lower_bound")):
        told = [(p.seconds, getattr(p, name)) for p in history]
        told.append((found.runtime, getattr(found, name)))
        points = [(seconds, value) for seconds, value in told if value is not None]
        seconds, values = zip(*points, strict=True) if points else ((), ())
        text = ("value of the best release", "proven bound")[at]
        axes.step(seconds, values, where="post", color=SERIES[at], label=text)
    axes.set_title("Value and bound")
    axes.set_xlabel("seconds")
    if found.problem.objective.kind == "gcp":
        percent_ticks(axes.yaxis)
    axes.legend()


def _losses(axes: Axes, columns: list[ColumnFacts]) -> None:
    """Draw for each column which share of its cells is not published as it was."""
    names = [label(column.name) for column in columns]
    axes.barh(
        names, [column.changed / column.rows for column in columns], color=SERIES[0]
    )
    axes.invert_yaxis()
    axes.set_title("Cells that are not published as they were")
    percent_ticks(axes.xaxis)
    axes.grid(False, axis="y")
