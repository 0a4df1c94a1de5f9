"""Reads the columns of a release: numbers and ranges, nodes of trees, or values."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

import numpy as np

from instances import Table, TableError, Taxonomy
from verify.cells.cells import (
    RANGE,
    Cells,
    NumericCells,
    PlainCells,
    TaxonomyCells,
    Text,
    ends_of,
)


def read_cells(
    released: Table,
    numeric: Iterable[str],
    taxonomies: Mapping[str, Taxonomy],
    star: str = "*",
) -> dict[str, Cells]:
    """The meaning of the cells of each QI column of a release by generalization.

    Parameters
    ----------
    released
        The release.
    numeric
        QI columns of numbers and ranges. A domain is what the cells of the column
        cover, the stars apart: all of the original's, for the ranges of a release
        begin and end at values that occur.
    taxonomies
        Trees of other QI columns.
    star
        The symbol of a suppressed cell.

    Raises
    ------
    TableError
        A column that is not a QI column, or a cell that cannot be what it should.

    Examples
    --------
    >>> released = Table.from_rows(["age"], [["[30-40]"], ["70"]], qi=["age"])
    >>> read_cells(released, ["age"], {})["age"].loss("[30-40]")
    Fraction(1, 4)
    """
    numeric = tuple(numeric)
    for column in (*numeric, *taxonomies):
        if column not in released.qi:
            raise TableError(
                f"{released.name}: column {column!r} is declared numeric or has a "
                f"hierarchy but is not a QI column; these are: {', '.join(released.qi)}"
            )
        if column in numeric and column in taxonomies:
            raise TableError(
                f"{released.name}: column {column!r} is declared numeric and has a "
                "hierarchy; expected one of them"
            )
    meanings: dict[str, Cells] = {}
    for column in released.qi:
        if column in numeric:
            meanings[column] = _numeric(released, column, star)
        elif column in taxonomies:
            meanings[column] = _nodes(released, column, taxonomies[column], star)
        else:
            _expect_no_range(released, column)
            meanings[column] = PlainCells(star)
    return meanings


def _numeric(released: Table, column: str, star: str) -> NumericCells:
    found: list[Decimal] = []
    for text in _present(released, column):
        if text == star:
            continue
        ends = ends_of(text)
        if ends is None or ends[0] > ends[1]:
            what = f"a number, a range as [35-45] or the star {star!r}"
            raise _misread(released, column, text, what)
        found += ends
    return NumericCells(
        star, min(found, default=Decimal(0)), max(found, default=Decimal(0))
    )


def _nodes(
    released: Table, column: str, taxonomy: Taxonomy, star: str
) -> TaxonomyCells:
    cells = TaxonomyCells(star, taxonomy)
    if cells.below.get(star, len(taxonomy.paths)) < len(taxonomy.paths):
        raise TableError(
            f"{taxonomy.name}: node {star!r} is the star symbol; rename it, or choose "
            "another star (--star)"
        )
    for text in _present(released, column):
        if text is None or (text not in cells.below and text != star):
            raise _misread(released, column, text, f"a node of {taxonomy.name}")
    return cells


def _expect_no_range(released: Table, column: str) -> None:
    for text in _present(released, column):
        if RANGE.fullmatch(text or ""):
            what = "no range, for it is not declared (--numeric)"
            raise _misread(released, column, text, what)


def _present(released: Table, column: str) -> Iterable[Text]:
    values = released.dictionary(column)
    counts = np.bincount(released.column(column), minlength=len(values))
    return [values[code] for code in np.flatnonzero(counts)]


def _misread(released: Table, column: str, text: Text, what: str) -> TableError:
    code = released.dictionary(column).index(text)
    row = int(np.argmax(released.column(column) == code)) + 1
    return TableError(
        f"{released.name}: row {row}, column {column!r}: expected {what}, got {text!r}"
    )
