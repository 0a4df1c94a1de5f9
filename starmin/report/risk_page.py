"""The page of ``starmin risk``: who can be found, by what, and what privacy costs."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import TypeAlias

from matplotlib.ticker import FuncFormatter

from starmin.instances.tables.names import counted
from starmin.report.drawing import SERIES, Drawing, Picture, new_figure, style
from starmin.report.page import Cell, DataTable, number, render, share, title_of
from starmin.report.risk_lines import HEADER, other_population, remark
from starmin.verify.risk.table_risk import Risk

# What was asked, and which share of all cells is hidden, and must be at least.
Price: TypeAlias = tuple[str, float | None, float | None]
_BINS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 99), (100, None))
_MEANINGS = {
    "highest": "of a row at most, by someone who knows that the person is in the table",
    "average": "of the rows on average (marketer: all rows are linked)",
    "journalist": "of the rows on average, by someone who does not know who is in it",
}


def risk_page(risk: Risk, source: str, prices: Sequence[Price] = ()) -> str:
    """Write the page, as text of HTML.

    Parameters
    ----------
    risk
        What was measured.
    source
        What the user called the table.
    prices
        What k-anonymity costs, if that was asked for.
    """
    classes = risk.classes
    rows = classes.rows
    tiles = [
        ("rows", f"{rows:,}", ""),
        ("like no other", f"{classes.uniques:,}", share(classes.uniques / rows).text),
        ("classes", f"{len(classes.sizes):,}", f"smallest: {classes.smallest:,}"),
        ("linked on average", share(classes.average).text, _MEANINGS["average"]),
    ]
    if risk.population is not None:
        linked = share(risk.population.expected / rows).text
        tiles.append(("journalist", linked, _MEANINGS["journalist"]))
    return render(
        "risk.html",
        title=f"Risk before anonymization: {title_of(source)}",
        version=version("starmin"),
        lead=_lead(risk),
        tiles=tiles,
        alarms=_alarms(risk),
        figure=_figure(risk),
        columns=DataTable(
            "columns",
            "All columns, the most telling first",
            [(name, 0 < j < len(HEADER) - 1) for j, name in enumerate(HEADER)],
            [
                [
                    Cell(c.name),
                    number(c.distinct),
                    number(c.missing),
                    number(c.entropy, 2),
                    share(c.alone, bar=True),
                    share(c.pairs, bar=True),
                    share(c.triples, bar=True),
                    Cell(remark(c)),
                ]
                for c in risk.columns
            ],
        ),
        specials=_specials(risk),
        prices=_cost(prices),
    )


def _lead(risk: Risk) -> str:
    classes = risk.classes
    return (
        f"Of {counted(classes.rows, 'row')}, {classes.uniques:,} look like no other to "
        f"someone who knows {', '.join(risk.qi)}; {classes.below(5):,} look like fewer "
        "than four others. Nothing is hidden yet: these are the figures of the table "
        "as it is."
    )


def _alarms(risk: Risk) -> list[str]:
    lines = list(risk.notes)
    if risk.population is not None and risk.population.fewer:
        lines.append(other_population(risk.population))
    return lines


def _specials(risk: Risk) -> DataTable:
    """List how often each column is in a minimal unique set."""
    found = sorted(
        zip(risk.qi, risk.specials.by_column, strict=True), key=lambda each: -each[1]
    )
    most = max((many for _, many in found), default=0) or 1
    rows = [
        [Cell(name), Cell(f"{many:,}", float(many), many / most)]
        for name, many in found
    ]
    return DataTable(
        "specials",
        f"Minimal unique sets of at most {risk.specials.most} columns that a column "
        "is in",
        [("column", False), ("sets", True)],
        rows,
    )


def _cost(prices: Sequence[Price]) -> DataTable | None:
    if not prices:
        return None
    lines = [
        [Cell(asked), share(found), share(least)] for asked, found, least in prices
    ]
    header = [("requirement", False), ("published", True), ("at least", True)]
    return DataTable(
        "cost", "Shares of all cells, as stars", header, lines, sortable=False
    )


def class_sizes(risk: Risk) -> tuple[Picture, str]:
    """Draw how many rows are in classes of which sizes; what is drawn, in words."""
    sizes = risk.classes.sizes
    names, heights = [], []
    for low, high in _BINS:
        inside = (sizes >= low) & (sizes <= (high or sizes.max()))
        name = (
            f"{low}+" if high is None else f"{low}-{high}" if high > low else f"{low}"
        )
        names.append(name)
        heights.append(int(sizes[inside].sum()))
    told = ", ".join(f"{n}: {h:,}" for n, h in zip(names, heights, strict=True))
    with style():
        figure, (axes,) = new_figure(2.4)
        axes.bar(names, heights, color=SERIES[0], width=0.7)
        axes.set(xlabel="rows that look alike", title="rows")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}"))
    return figure, told


def _figure(risk: Risk) -> Drawing:
    """Return the figure of the page."""
    figure, told = class_sizes(risk)
    with style():
        return Drawing.of(
            "classes",
            "Rows by the size of their class",
            "Left stand the rows that are easily found.",
            f"Bars of the rows in classes of each size. {told}.",
            figure,
            png=False,
        )
