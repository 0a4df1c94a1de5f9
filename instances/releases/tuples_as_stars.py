"""Suppressed tuples of a table as the stars of another one."""

import numpy as np

from starmin.instances.releases.objective import Objective
from starmin.instances.tables.canonical import canonical_order
from starmin.instances.tables.table import Table


def tuples_as_stars(table: Table, objective: Objective) -> tuple[Table, Objective]:
    """Return a table whose releases have as many stars as this one's starred rows.

    Its first quasi-identifier has a value of its own for each row type, so that it is
    starred just where the rows of a group differ. Columns to be kept follow; they are
    to be kept there, too. Rows, sensitive columns and the canonical order of row types
    are the same.

    Parameters
    ----------
    table
        Equal values merged.
    objective
        Tuples.

    Examples
    --------
    >>> rows = [["1", "x"], ["2", "x"], ["2", "x"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> whole, stars = tuples_as_stars(table, Objective("tuples", keep=("b",)))
    >>> whole.rows()
    [('0', 'x'), ('1', 'x'), ('1', 'x')]
    >>> str(stars)
    'stars (keep b)'
    """
    types = table.row_types
    rank = np.empty(len(types), np.int32)
    rank[canonical_order(table, types)] = np.arange(len(types), dtype=np.int32)
    width = len(str(len(types) - 1))
    texts = tuple(f"{number:0{width}}" for number in range(len(types)))
    first = "row"
    while first in table.names:
        first += "'"
    kept = [column for column in table.qi if column in objective.keep]
    others = (*kept, *table.sensitive)
    codes = np.vstack([rank[types.inverse], *(table.column(c) for c in others)])
    dictionaries = (texts, *(table.dictionary(c) for c in others))
    whole = Table(
        (first, *others), codes, dictionaries, (first, *kept), table.sensitive
    )
    return whole, Objective(keep=tuple(kept))
