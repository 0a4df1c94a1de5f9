"""What releases of one table show of each other where their rows are in one order."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from starmin.instances import Table
from starmin.verify.releases.unchanged import hidden_cells


def shown_by_another(
    original: Table, releases: Sequence[Table]
) -> tuple[float, float] | None:
    """Return how much of what one of two releases hides the other one shows.

    The ``releases`` have the rows of the table that all were made of, in its order. For
    each two of them: of the quasi-identifier cells that are hidden in one of them at
    least, the share that is published as it was in the other. Returned are the least
    and the greatest of these shares; None where no two releases hide anything. Where
    both hide a cell, they may still narrow it together.

    Notes
    -----
    O(n d) for each two releases.

    Examples
    --------
    >>> def table(*rows): return Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> original = table(["1", "x"], ["2", "x"], ["2", "y"])
    >>> one = table(["*", "x"], ["*", "x"], ["2", "y"])
    >>> two = table(["*", "x"], ["2", "*"], ["2", "*"])
    >>> shown_by_another(original, [one, two])
    (0.75, 0.75)
    """
    hidden = [
        np.stack([hidden_cells(original, released, column) for column in original.qi])
        for released in releases
        if set(original.qi) <= set(released.qi)
    ]
    shares = []
    for one, two in combinations(hidden, 2):
        if either := np.count_nonzero(one | two):
            shares.append(float(np.count_nonzero(one ^ two) / either))
    return (min(shares), max(shares)) if shares else None
