"""Prices below a ceiling, and the patterns that count there."""

import numpy as np

from starmin.instances import RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.models.patterns.patterns import MOST_INCIDENCES, Patterns
from starmin.models.price_unit import PriceUnit
from starmin.models.pricing.pricing import priced_patterns

_NEAR = 0.1  # of the room: there a price is taken to want more
_FLOOR = 1e-9  # of the unit: less room is none


class PriceBox:
    r"""A ceiling above prices, with room for each type as its price has needed it.

    The patterns that count at prices u (``starmin.models.pricing.pricing``) are all
    that count at any prices :math:`\lambda \le u`: below this ceiling the bound of a
    few patterns is the bound of all, and needs no correction. Types whose price came
    near the ceiling get twice the room above it, the others half, so that few patterns
    are left in the end.

    ``room`` is given as that at first, the same for all types, the least and the most
    of it; the attribute is by type. All are in units of ``unit``, a price in the unit
    of costs. There is less room where patterns would have more pairs with types than
    ``most_incidences``. ``ceiling`` is that of the last list, by type and in units of
    ``PriceUnit``.
    """

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        k: int,
        l: int,
        unit: float,
        room: tuple[float, float, float],
        most_incidences: int = MOST_INCIDENCES,
    ) -> None:
        self._problem = run, types, k, l
        self._prices = PriceUnit.of(run.table, run.objective)
        self.unit, self.most_incidences = unit, most_incidences
        first, self._least, self._most = room
        self.room = np.full(len(types), first)
        self.ceiling = np.zeros(len(types), np.int64)

    def list(self, prices: Ints) -> Patterns | None:
        """Put the ceiling above prices, lower where too much counts; return what does.

        None where too many patterns count even at the prices themselves.
        """
        while self.room.max() >= _FLOOR:
            if (found := self.list_once(prices, self.most_incidences)) is not None:
                return found
            self.room = self.room / 2
        return None

    def list_once(self, prices: Ints, most_incidences: int) -> Patterns | None:
        """Put the ceiling above prices; return what counts there, None for too much."""
        run, types, k, l = self._problem
        return priced_patterns(
            *(run.table, types, run.objective, self.above(prices), k, l),
            most_incidences=most_incidences,
            check=run.check_time,
        )

    def above(self, prices: Ints) -> Ints:
        """Put the ceiling above prices, and return it."""
        room = self._prices.clipped(self.room * (self.unit * self._prices.per_cost))
        self.ceiling = self._prices.clipped(prices + np.maximum(room, 1))
        return self.ceiling

    def follow(self, prices: Ints) -> None:
        """Give types room by how near to the ceiling prices have come."""
        room = self.room * (self.unit * self._prices.per_cost)
        near = prices > self.ceiling - _NEAR * room
        room = self.room * np.where(near, 2.0, 0.5)
        self.room = np.clip(room, self._least, self._most)
