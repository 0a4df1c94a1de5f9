"""Pairs of columns, and cells of two-way tables, as tables of a page."""

from collections.abc import Sequence

from starmin.report.page import Cell, DataTable, number, share
from starmin.report.release.relations import MOST_COLUMNS, CrossCell, Pair

_SHOWN = 10  # pairs


def pair_table(pairs: Sequence[Pair]) -> DataTable:
    """Write the most changed pairs.

    ``pairs`` has the most changed first.
    """
    header = (
        ("Columns", False),
        ("Measure", False),
        ("Before", True),
        ("After", True),
    )
    rows = [
        [
            Cell(" and ".join(pair.names)),
            Cell(pair.measure),
            number(pair.before, 3),
            Cell("not told") if pair.after is None else number(pair.after, 3),
        ]
        for pair in pairs[:_SHOWN]
    ]
    return DataTable("relations", "Pairs of columns", header, rows, sortable=False)


def cell_table(cells: Sequence[CrossCell]) -> DataTable:
    """Write the most changed cells of two-way tables.

    ``cells`` has the most changed first.
    """
    header = (("Cell", False), ("Before", True), ("After", True))
    rows = [[Cell(c.where), share(c.before), share(c.after)] for c in cells]
    return DataTable(
        "worst-cells", "Cells of two-way tables", header, rows, sortable=False
    )


def relations_text(columns: int, pairs: int) -> str:
    """Say which pairs are shown.

    ``columns`` is how many quasi-identifiers there are, and ``pairs`` how many pairs
    were measured.
    """
    most = which = ""
    if columns > MOST_COLUMNS:
        most = f" among the first {MOST_COLUMNS} quasi-identifiers"
    if pairs > _SHOWN:
        which = f", of {pairs:,} pairs the {_SHOWN} most changed"
    return (
        f"How much two columns tell of each other{most}{which}. Of numbers that is "
        "their correlation, from -1 to 1; of other values Cramér's V, from 0 (nothing) "
        "to 1 (all)."
    )
