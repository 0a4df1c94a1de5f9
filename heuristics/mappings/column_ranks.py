"""The values of columns as places in an order, for methods that cut ranges."""

from typing import Literal

import numpy as np

from starmin.instances import Table, as_number
from starmin.instances.arrays import Bools, Int32s

Order = Literal["value", "frequency"]


def column_ranks(table: Table, order: Order = "value") -> list[Int32s]:
    """Return for each quasi-identifier the place 0, 1, .. of each of its codes.

    Parameters
    ----------
    table
        Any table.
    order
        ``value``: by number where all values that occur are numbers, else as text;
        ``frequency``: the most frequent first.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["10"], ["9"], ["9"]], qi=["a"])
    >>> column_ranks(table)[0].tolist(), column_ranks(table, "frequency")[0].tolist()
    ([1, 0], [1, 0])
    """
    ranks = []
    for column in table.qi:
        values = table.dictionary(column)
        counts = np.bincount(table.column(column), minlength=len(values))
        if order == "frequency":
            keys: list[tuple[float, str]] = [(-float(c), "") for c in counts]
        else:
            keys = _by_value(values, counts > 0)
        places = np.empty(len(values), np.int32)
        places[sorted(range(len(values)), key=keys.__getitem__)] = np.arange(
            len(values)
        )
        ranks.append(places)
    return ranks


def _by_value(values: tuple[str | None, ...], occurs: Bools) -> list[tuple[float, str]]:
    """Return keys that sort values: numbers where all that occur are, else texts."""
    numbers = [as_number(value) for value in values]
    if any(
        number is None for number, here in zip(numbers, occurs, strict=True) if here
    ):
        return [(0.0, value or "") for value in values]
    return [
        (number or 0.0, value or "")
        for number, value in zip(numbers, values, strict=True)
    ]
