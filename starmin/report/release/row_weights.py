"""The sampling weights of rows, where a column has some."""

import numpy as np

from starmin.instances import Table, as_number
from starmin.instances.arrays import Floats


def weights_of(table: Table, column: str | None) -> Floats | None:
    """Return how many people each row stands for; None where that is not known.

    ``column`` is that of weights; None: there is none.

    Examples
    --------
    >>> table = Table.from_rows(["w"], [["2"], ["0.5"]], qi=["w"])
    >>> weights_of(table, "w").tolist(), weights_of(table, "v")
    ([2.0, 0.5], None)
    """
    if column is None or column not in table.names:
        return None
    found = [
        None if text is None else as_number(text) for text in table.dictionary(column)
    ]
    numbers = np.array([np.nan if each is None else float(each) for each in found])
    weights = numbers[table.column(column)]
    return weights if (weights > 0).all() and np.isfinite(weights).all() else None
