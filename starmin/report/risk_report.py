"""What ``starmin risk`` says: who can be found, by what, and what privacy costs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from starmin.instances.tables.names import counted
from starmin.report.page import Cell, DataTable, number, render, share, title_of
from starmin.verify.risk.candidates import SIZES, Candidate, PopulationRisk
from starmin.verify.risk.table_risk import Risk

if TYPE_CHECKING:  # it loads matplotlib
    from starmin.report.drawing import Picture

# What was asked, and which share of all cells is hidden, and must be at least.
Price: TypeAlias = tuple[str, float | None, float | None]
_BINS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 99), (100, None))
_OF_ALL = "of the rows on average (marketer: all rows are linked)"
_OF_OTHERS = "of the rows on average, by someone who does not know who is in it"
HEADER = (
    *("column", "values", "missing", "bits"),
    *("unique alone", "in pairs", "in triples", "remark"),
)


def risk_lines(risk: Risk) -> list[tuple[str, str]]:
    """Return a label and a text for each kind of risk."""
    classes, population, specials = risk.classes, risk.population, risk.specials
    rows, uniques = classes.rows, classes.uniques
    below = ", ".join(f"{k}: {classes.below(k):,}" for k in SIZES)
    sets = ", ".join(f"{many:,} of {j}" for j, many in enumerate(specials.by_size, 1))
    held = [
        f"{key} {value}" for key, value in risk.measures.items() if value is not None
    ]
    lines = {
        "known": ", ".join(risk.qi),
        "unique": f"{uniques:,} of {counted(rows, 'row')} look like no other "
        f"({share(uniques / rows).text})",
        "classes": f"{len(classes.sizes):,}; rows in classes of fewer than {below}",
        "linked": f"{share(classes.average).text} of the rows on average by someone "
        f"who knows who is in the table, {share(1 / classes.smallest).text} at most",
    }
    if population is not None:
        how = "by weights" if population.estimated else "by the population"
        lines["journalist"] = (
            f"{population.expected:,.1f} rows are expected to be linked right {how} "
            f"({share(population.expected / rows).text}), the riskiest with "
            f"{share(population.highest).text}"
        )
        if population.fewer:
            lines["warning"] = _other_population(population)
    lines["special"] = (
        f"minimal unique sets of columns: {sets}, in {specials.rows:,} rows"
    )
    return [*lines.items(), ("holds", ", ".join(held))]


def _other_population(population: PopulationRisk) -> str:
    """Say that a population has fewer people of some classes than the table."""
    return (
        f"{counted(population.fewer, 'row')} have fewer people like them in the "
        "population than in the table; it may be another population"
    )


def candidate_cells(column: Candidate) -> tuple[str, ...]:
    """Return the texts of a line of the table that ``HEADER`` heads."""
    return tuple(cell.text for cell in _line(column))


def _line(column: Candidate) -> list[Cell]:
    remark = ", ".join(column.follows)
    remark = f"follows from {remark}" if remark else ""
    return [
        Cell(column.name),
        number(column.distinct),
        number(column.missing),
        number(column.entropy, 2),
        share(column.alone, bar=True),
        share(column.pairs, bar=True),
        share(column.triples, bar=True),
        Cell("an identifier: leave it out" if column.looks_like_id else remark),
    ]


def risk_page(risk: Risk, source: str, prices: Sequence[Price] = ()) -> str:
    """Write the page, as text of HTML.

    ``source`` is what the user called the table, and ``prices`` is what k-anonymity
    costs, if that was asked for.
    """
    from starmin.report.drawing import Drawing, style

    classes, rows = risk.classes, risk.classes.rows
    tiles = [
        ("rows", f"{rows:,}", ""),
        ("like no other", f"{classes.uniques:,}", share(classes.uniques / rows).text),
        ("classes", f"{len(classes.sizes):,}", f"smallest: {classes.smallest:,}"),
        ("linked on average", share(classes.average).text, _OF_ALL),
    ]
    if risk.population is not None:
        linked = share(risk.population.expected / rows).text
        tiles.append(("journalist", linked, _OF_OTHERS))
    alarms = [*risk.notes]
    if risk.population is not None and risk.population.fewer:
        alarms.append(_other_population(risk.population))
    picture, sizes = class_sizes(risk)
    with style():
        figure = Drawing.of(
            "classes",
            "Rows by the size of their class",
            "Left stand the rows that are easily found.",
            f"Bars of the rows in classes of each size. {sizes}.",
            picture,
            png=False,
        )
    about = "cost", "Shares of all cells, as stars", "requirement|%published|%at least"
    cost = DataTable.of(*about, prices, sortable=False)
    return render(
        "risk.html",
        title=f"Risk before anonymization: {title_of(source)}",
        risk=risk,
        tiles=tiles,
        alarms=alarms,
        figure=figure,
        columns=DataTable(
            "columns",
            "All columns, the most telling first",
            [(name, 0 < j < len(HEADER) - 1) for j, name in enumerate(HEADER)],
            [*map(_line, risk.columns)],
        ),
        specials=_specials(risk),
        prices=cost if prices else None,
    )


def _specials(risk: Risk) -> DataTable:
    """List how often each column is in a minimal unique set."""
    found = sorted(
        zip(risk.qi, risk.specials.by_column, strict=True), key=lambda each: -each[1]
    )
    most = max((many for _, many in found), default=0) or 1
    rows = [(name, Cell(f"{many:,}", float(many), many / most)) for name, many in found]
    about = f"Minimal unique sets of at most {risk.specials.most} columns that a column"
    return DataTable.of("specials", f"{about} is in", "column|#sets", rows)


def class_sizes(risk: Risk) -> "tuple[Picture, str]":
    """Draw how many rows are in classes of which sizes; what is drawn, in words."""
    from matplotlib.ticker import FuncFormatter

    from starmin.report.drawing import SERIES, new_figure, style

    sizes, heights = risk.classes.sizes, dict[str, int]()
    for low, high in _BINS:
        name = f"{low}" if high == low else f"{low}-{high}" if high else f"{low}+"
        inside = (sizes >= low) & (sizes <= (high or sizes.max()))
        heights[name] = int(sizes[inside].sum())
    with style():
        figure, (axes,) = new_figure(2.4)
        axes.bar([*heights], [*heights.values()], color=SERIES[0], width=0.7)
        axes.set(xlabel="rows that look alike", title="rows")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}"))
    return figure, ", ".join(f"{name}: {rows:,}" for name, rows in heights.items())
