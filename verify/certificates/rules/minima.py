"""What a row of each type costs at least, prices of items included."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from starmin.instances import Objective, Table
from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled
from starmin.verify.beyond import BeyondError
from starmin.verify.certificates.rules.items import Items

MOST_OPEN = 20  # columns of a row that matter, or sets of linked ones
NONE = 1 << 62  # No set of columns may be hidden.


class Minima:
    """Finds the cheapest set of hidden columns for types, by trying all that matter.

    Parameters
    ----------
    table, objective, items
        The problem.
    per_cost
        So many units of prices are one of the objective.
    """

    def __init__(
        self, table: Table, objective: Objective, items: Items, per_cost: int
    ) -> None:
        self.items = items
        alone = ((1 << len(items.qi)) - 1) & ~sum(items.linked)
        single = [1 << j for j in range(len(items.qi)) if alone >> j & 1]
        units = [u for u in [*single, *items.linked] if not u & items.kept]
        weights = objective.column_weights(table).tolist()
        self.units = np.array(units, np.int64)
        self.costs = np.array(
            [
                per_cost * sum(w for j, w in enumerate(weights) if unit >> j & 1)
                for unit in units
            ],
            np.int64,
        )
        self.once = per_cost if objective.once else 0
        self.columns = np.array([t.columns for t in items.terms], np.int64)
        self.hidden = np.array([t.hidden for t in items.terms], np.int64)
        self.exact = np.array([t.by_classes for t in items.terms], bool)

    def of(self, t: int, prices: Mapping[int, int], closed: set[int]) -> int:
        """Return the least cost of a row of type t.

        Parameters
        ----------
        t
            The type.
        prices
            By term.
        closed
            Items that no row shows, beside those that are rare.

        Raises
        ------
        BeyondError
            Nothing may be published of it, or too many columns matter.
        """
        item = self.items.item[t]
        own = np.flatnonzero(item >= 0)
        never = self.items.rare[item[own]] | np.isin(item[own], list(closed))
        priced = np.array([prices.get(e, 0) for e in own.tolist()], np.int64)
        some = never | (priced != 0)
        own, never, priced = own[some], never[some], priced[some]
        matters = int(np.bitwise_or.reduce(self.columns[own], initial=0))
        units = (self.units & matters) != 0
        if int(units.sum()) > MOST_OPEN:
            raise BeyondError(f"more than {MOST_OPEN} columns of a row matter")
        found = _least(
            self.units[units],
            self.costs[units],
            self.once,
            self.columns[own],
            self.hidden[own],
            self.exact[own],
            never,
            priced,
        )
        return int(found)


@compiled
def _least(
    units: Ints,
    costs: Ints,
    once: int,
    columns: Ints,
    hidden: Ints,
    exact: npt.NDArray[np.bool_],
    never: npt.NDArray[np.bool_],
    prices: Ints,
) -> int:
    least = NONE
    for some in range(1 << len(units)):
        code, cost = 0, 0
        for u in range(len(units)):
            if some >> u & 1:
                code |= units[u]
                cost += costs[u]
        if once:
            cost = once if some else 0
        fine = True
        for e in range(len(columns)):
            shows = code & columns[e] == hidden[e]
            if not shows:
                continue
            if never[e]:
                fine = False
                break
            cost += prices[e]
        if fine:
            least = min(least, cost)
    return least
