"""The sets of columns a released row may star, and what it may be matched to then."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from starmin.instances import NotSupportedError, Objective, Table, group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.models.price_unit import PriceUnit

MOST_ENTRIES = 500_000_000  # of ``class_of``: 2 GB


@dataclass(frozen=True, eq=False)
class StarSets:
    """All sets of starred columns; each divides the row types into classes.

    A row that is released with these stars may stem from the rows of its class: those
    that agree with it on all other columns.
    """

    starred: Bools  # M x d: the sets, the cheap ones first
    cost: Ints  # what a row pays for each set
    # M x m: for each set the class of each row type, -1 if it has fewer than k rows
    class_of: Int32s
    sizes: Ints  # number of classes of each set
    counts: Ints  # multiplicities of the m row types
    unit: PriceUnit  # what prices of these are whole numbers of

    @classmethod
    def of(
        cls,
        table: Table,
        objective: Objective,
        k: int,
        check: Callable[[], None] = lambda: None,
    ) -> "StarSets":
        """Return the sets under which some row has k rows in its class.

        Columns to be kept are in no set. ``check`` is called before each group-by; it
        may raise to end the enumeration. Raises NotSupportedError where there are too
        many columns for so many row types.

        Examples
        --------
        >>> from starmin.instances import STARS
        >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
        >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
        >>> sets = StarSets.of(table, STARS, 2)
        >>> sets.cost.tolist(), sets.class_of.tolist()
        ([1, 1, 2], [[0, 0, -1], [-1, 0, 0], [0, 0, 0]])
        """
        types = table.row_types
        free = np.flatnonzero(~objective.kept(table))
        if len(free) > 30 or len(types) << len(free) > MOST_ENTRIES:
            raise NotSupportedError(
                f"Expected at most {MOST_ENTRIES:,} row types times sets of columns "
                f"that may be starred, got {len(types):,} x 2^{len(free)}."
            )
        numbers = np.arange(1 << len(free))
        starred = np.zeros((len(numbers), table.d), bool)
        starred[:, free] = numbers[:, None] >> np.arange(len(free)) & 1
        cost = objective.row_costs(table, starred)
        order = np.argsort(cost, kind="stable")
        class_of = np.empty((len(order), len(types)), np.int32)
        sizes = np.zeros(len(order), np.int64)
        for at, number in enumerate(order):
            check()
            class_of[at], sizes[at] = _classes(table, starred[number], k)
        used = sizes > 0
        if not used.all():
            order, class_of, sizes = order[used], class_of[used], sizes[used]
        unit = PriceUnit.of(table, objective)
        return cls(starred[order], cost[order], class_of, sizes, types.counts, unit)


def _classes(table: Table, starred: Bools, k: int) -> tuple[Int32s, int]:
    """Return the class of each type, and how many there are, of those with k rows."""
    types = table.row_types
    kept = np.flatnonzero(~starred)
    if len(kept) == 0:
        inverse, size = np.zeros(len(types), np.int32), 1
    else:
        groups = group_by(
            [types.codes[:, a] for a in kept],
            [table.qi_cardinalities[a] for a in kept],
        )
        inverse, size = groups.inverse, groups.size
    enough = np.bincount(inverse, types.counts, minlength=size) >= k
    number = np.where(enough, np.cumsum(enough) - 1, -1).astype(np.int32)
    return number[inverse], int(enough.sum())
