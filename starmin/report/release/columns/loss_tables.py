"""What a release hides, column by column and value by value, as tables."""

from collections.abc import Sequence

from starmin.report.page import Cell, DataTable, number, share
from starmin.report.release.columns.column_facts import ColumnFacts

_MISSING = "(missing)"
_EMPTY = "(empty)"


def loss_text(recoding: str, columns: Sequence[ColumnFacts] | None, rows: int) -> str:
    """Say how much is lost."""
    if columns is None:
        return (
            "No quasi-identifier was touched: all are published as they are, with the "
            "number of their group. What is hidden is which of the sensitive values "
            "of a group belongs to which of its rows."
        )
    changed = sum(column.changed for column in columns)
    share_of = share(changed / (rows * len(columns)) if columns else 0.0).text
    verb = "starred" if recoding != "generalization" else "generalized or starred"
    if changed == 0:
        return "Nothing: all cells are published as they are."
    worst = max(columns, key=lambda column: column.changed)
    return (
        f"{changed:,} cells, {share_of} of all quasi-identifier cells, were {verb}; "
        f"most of them, {worst.changed:,}, in the column {worst.name}."
    )


def by_columns(columns: Sequence[ColumnFacts], recoding: str) -> DataTable:
    """Write a line for each column."""
    general = recoding == "generalization"
    starred = not general or any(each.starred for each in columns)
    header = [
        ("Column", False),
        ("Values before", True),
        ("Values after", True),
        *([("Changed", True)] if general else []),
        *([("Stars", True), ("Share of stars", True)] if starred else []),
        *([("Mean loss", True)] if general else []),
    ]
    rows = [
        [
            Cell(each.name),
            number(each.before),
            number(each.after),
            *([number(each.changed)] if general else []),
            *(
                [number(each.starred), share(each.starred / each.rows, bar=not general)]
                if starred
                else []
            ),
            *([share(each.lost, bar=True)] if general else []),
        ]
        for each in columns
    ]
    return DataTable("columns", "By column", header, rows)


def by_values(
    columns: Sequence[ColumnFacts], recoding: str
) -> list[tuple[str, DataTable]]:
    """Write a table of its values for each column that was changed."""
    return [
        (_summary(each), _values(i, each, recoding == "generalization"))
        for i, each in enumerate(columns)
        if each.changed
    ]


def _summary(column: ColumnFacts) -> str:
    some = len(column.values)
    which = f"{some:,} of {column.before:,}" if some < column.before else f"{some:,}"
    return f"{column.name} ({which} value{'' if column.before == 1 else 's'})"


def _values(place: int, column: ColumnFacts, general: bool) -> DataTable:
    header = [
        ("Value", False),
        ("Rows", True),
        *([("Changed", True)] if general else []),
        ("Stars", True),
        ("Share hidden", True),
    ]
    rows = [
        [
            Cell(_MISSING if each.value is None else each.value or _EMPTY),
            number(each.rows),
            *([number(each.changed)] if general else []),
            number(each.starred),
            share(each.changed / each.rows, bar=True),
        ]
        for each in column.values
    ]
    return DataTable(f"values-{place}", f"Values of {column.name}", header, rows)
