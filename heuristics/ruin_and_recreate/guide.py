"""What prices say to the moves: what rows are worth, and which patterns to try."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.pricing import priced_patterns

_EXTENT = 0.05  # of what k rows are worth: patterns whose fills are worth less count
_MOST_INCIDENCES = 2_000_000
_TRIES = 4


@dataclass(frozen=True, eq=False)
class Guide:
    """What a row of each kind is worth, and patterns that a good release may have.

    A kind is a row type, under diversity with its sensitive value.
    """

    worth: Floats  # by kind
    # starts, kinds: the kinds of pattern q are ``kinds[starts[q] : starts[q + 1]]``,
    # those that are worth most first
    starts: Ints
    kinds: Int32s

    def of_part(self, present: npt.NDArray[np.integer]) -> "Guide":
        """Return the guide for the kinds that are present."""
        number = np.full(len(self.worth), -1, np.int32)
        number[present] = np.arange(len(present))
        pattern = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        kinds = number[self.kinds]
        inside = kinds >= 0
        lengths = np.bincount(pattern[inside], minlength=len(self.starts) - 1)
        lengths = lengths[lengths > 0]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Guide(self.worth[present], starts, kinds[inside].astype(np.int32))


def guide_at(
    table: Table,
    types: RowTypes,
    objective: Objective,
    prices: Ints,
    k: int,
    l: int = 1,
    check: Callable[[], None] = lambda: None,
) -> Guide:
    """Return what prices of the Lagrangian bound say.

    The row types are by QI, under diversity by QI and sensitive values; ``prices`` has
    one for each type, in units of ``PriceUnit``. k is l or more. ``check`` is called
    now and then; it may raise to end the search.

    Examples
    --------
    >>> from starmin.instances import STARS
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> prices = np.array([3, 4, 2]) * PriceUnit.of(table, STARS).per_cost // 2
    >>> guide = guide_at(table, table.row_types, STARS, prices, 2)
    >>> guide.worth.tolist(), guide.starts.tolist(), guide.kinds.tolist()
    ([1.5, 2.0, 1.0], [0, 2, 4], [1, 2, 1, 0])
    """
    mean = float(prices @ types.counts) / types.counts.sum()
    threshold, found = _EXTENT * mean * k, None
    for _ in range(_TRIES):
        found = priced_patterns(
            table,
            types,
            objective,
            prices,
            k,
            l,
            threshold=int(threshold),
            by_sets=l > 1,
            most_incidences=_MOST_INCIDENCES,
            check=check,
        )
        if found is not None:
            break
        threshold /= 4
    # The bound does not say what rows of a type that loses nothing alone are worth.
    per_cost = PriceUnit.of(table, objective).per_cost
    alone = (types.counts >= k) & (l == 1)
    worth = np.where(alone, 0, prices) / per_cost
    if found is None:
        return Guide(worth, np.zeros(1, np.int64), np.zeros(0, np.int32))
    order = np.lexsort((-prices[found.types], found.pattern))
    return Guide(worth, found.starts.astype(np.int64), found.types[order])
