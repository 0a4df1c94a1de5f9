"""What a release with deleted rows costs, counted from its cells and its original."""

from fractions import Fraction

import numpy as np

from starmin.instances import Coding, Objective, Requirement, Table
from starmin.instances.releases.partial_partition import (
    expect_deletable,
    expect_stars,
    price_of,
)
from starmin.instances.requirements.deleted_rows import (
    ROW,
    DeletedRows,
    number,
)
from starmin.instances.requirements.requirement import of_kind


def value_of(
    released: Table,
    asked: Requirement | None,
    original: Table | None,
    objective: Objective,
    coding: Coding,
) -> int | float | None:
    """Return what a release costs where rows may be deleted, else None.

    Nothing is counted where ``original``, the table it was made of, is None. It was
    published by suppression; ``objective`` says what a star costs. Raises TableError
    where rows cannot be deleted in this problem.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, STARS
    >>> table = Table.from_rows(["a"], [["0"], ["0"], ["1"]], qi=["a"])
    >>> kept, asked = table.take([0, 1]), DeletedRows(KAnonymity(2), "3")
    >>> value_of(kept, asked, table, STARS, Coding())
    3
    """
    deletable = of_kind(asked, DeletedRows)
    if deletable is None:
        return None
    expect_stars(coding)
    there = released if original is None else original
    objective.check(there)
    expect_deletable(there, deletable, objective)
    if original is None:
        return None
    return recount(released, original, deletable, objective, coding.star)


def recount(
    released: Table,
    original: Table,
    asked: DeletedRows,
    objective: Objective,
    star: str = "*",
) -> int | float:
    """Return what a release by suppression costs, its deleted rows counted.

    Parameters
    ----------
    released, original
        The release, and the table it was made of.
    asked
        With the price of a deleted row.
    objective
        What a star costs; for gcp the result is a share of 1.
    star
        The symbol of a suppressed cell.

    Raises
    ------
    TableError
        Rows cannot be deleted in this problem.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, STARS
    >>> rows = [["0", "x"], ["1", "x"], ["2", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> released = Table.from_rows(["a", "b"], [["*", "x"]] * 2, qi=["a", "b"])
    >>> recount(released, table, DeletedRows(KAnonymity(2)), STARS)
    4
    """
    missing = original.n - released.n
    weights = [objective.weights.get(column, 1) for column in released.qi]
    stars = [_starred(released, column, star) for column in released.qi]
    cost = sum(w * many for w, many in zip(weights, stars, strict=True))
    if not objective.by_node:
        return cost + missing * price_of(asked, original, objective)
    row = sum(weights)
    price = row * (1 if asked.price == ROW else number(asked.price))
    return float(Fraction(cost + missing * price) / max(1, original.n * row))


def _starred(released: Table, column: str, star: str) -> int:
    """Return how many cells of a column are suppressed."""
    texts = np.array([text == star for text in released.dictionary(column)], bool)
    return int(np.count_nonzero(texts[released.column(column)]))
