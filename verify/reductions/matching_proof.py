"""The properties of the table of a matching problem, each tested cell by cell.

Each function lists its failures; none means that the property holds.
"""

from collections.abc import Iterator

import numpy as np

from starmin.verify.hard_problems.source_solvers import PointSet
from starmin.verify.reductions.base import Reduced


def construction(points: PointSet, reduced: Reduced) -> Iterator[str]:
    """Give row j 0 in column i iff v_j is a coordinate of p_i, else its own code."""
    table = reduced.table
    n, d = points.dimension * points.size, len(points.points)
    if (table.n, table.d) != (n, d):
        yield f"{table.n} rows by {table.d} columns, expected {n} by {d}"
        return
    codes = table.cells(table.sensitive[0])
    for i, column in enumerate(table.qi):
        for j, cell in enumerate(table.cells(column)):
            h, value = divmod(j, points.size)
            expected = "0" if points.points[i][h] == value else codes[j]
            if cell != expected:
                yield f"row {j + 1}, column {column}: {cell!r}, expected {expected!r}"


def sensitive_values(points: PointSet, reduced: Reduced, m: int) -> Iterator[str]:
    """Check that there are m sensitive values; rows of different domains share none."""
    codes = reduced.table.cells(reduced.table.sensitive[0])
    if len(set(codes)) != m:
        yield f"{len(set(codes))} sensitive values, expected {m}"
    owner: dict[str | None, int] = {}
    for j, code in enumerate(codes):
        h = j // points.size
        if owner.setdefault(code, h) != h:
            yield f"row {j + 1}: value {code!r} of domain {owner[code] + 1} too"


def property_1(points: PointSet, reduced: Reduced) -> Iterator[str]:
    """Check that l rows have 0 in a column: as many as the least l-diverse group."""
    l = reduced.requirement.core.diversity
    for column in reduced.table.qi:
        zeros = reduced.table.cells(column).count("0")
        if zeros != points.dimension or zeros != l:
            yield f"column {column}: {zeros} zeros, expected l = {l}"


def property_2(reduced: Reduced) -> Iterator[str]:
    """Check that rows that agree on a cell other than 0 have one sensitive value."""
    table = reduced.table
    values = table.column(table.sensitive[0])
    for column in table.qi:
        codes = table.column(column)
        for code, cell in enumerate(table.dictionary(column)):
            if cell != "0" and len(np.unique(values[codes == code])) > 1:
                yield f"column {column}: rows with {cell!r} differ in sensitive value"


def property_3(points: PointSet, reduced: Reduced) -> Iterator[str]:
    """Check that the l rows of a column are l-diverse, and columns differ in rows."""
    table = reduced.table
    values = table.column(table.sensitive[0])
    column_of: dict[tuple[int, ...], str] = {}
    for column in table.qi:
        cells = table.cells(column)
        rows = tuple(j for j, cell in enumerate(cells) if cell == "0")
        if len(set(values[list(rows)])) < points.dimension:
            yield f"column {column}: its rows share a sensitive value"
        if (other := column_of.setdefault(rows, column)) != column:
            yield f"columns {other} and {column} have 0 in the same rows"
