"""The dearest rows of some types, of which no group is worth less."""

from bisect import bisect_left
from itertools import accumulate

from starmin.verify.checker.boxes.pieces import NEVER, Pieces


class DearRows:
    """Rows of some types by falling price, beside those that each group has.

    Of one sensitive value there are as many as a piece may have; that a piece needs
    different values is left out.
    """

    def __init__(self, pieces: Pieces, types: list[int], must: int) -> None:
        self.never = NEVER
        self.fewest, self.most, height = pieces.rows_at_most()
        self.prices, self.must = pieces.prices, must
        self.has, self.paid = must.bit_count(), 0
        heads, self.first = list[int](), dict[int, int]()
        held = dict[str, int]()
        for t in types:
            price, many = self.prices[t], pieces.copies[t]
            if must >> t & 1:
                many -= 1
                self.paid += price
            if pieces.value is not None:
                value = pieces.value[t]
                many = min(many, height - held.get(value, 0))
                held[value] = held.get(value, 0) + many
            if many:
                self.first[t] = len(heads)
                heads += [-price] * min(many, self.most)
        self.heads = heads
        self.sums = [0, *accumulate(heads)]

    def worth(self, cost: int) -> int:
        """Return what a group is worth at least in which a row pays so much."""
        return self._least(cost, self.has, self.paid, None)

    def worth_with(self, cost: int, t: int) -> int:
        """Return the same of groups that have a row of a type."""
        if self.must >> t & 1:
            return self._least(cost, self.has, self.paid, None)
        own = self.first.get(t)
        return self._least(cost, self.has + 1, self.paid + self.prices[t], own)

    def _least(self, cost: int, has: int, paid: int, without: int | None) -> int:
        """Return what the cheapest group is worth; the row at a place is among those
        that it has."""
        if has > self.most:
            return self.never
        known = len(self.heads) - (without is not None)
        rows = bisect_left(self.heads, -cost)
        if without is not None and rows > without:
            rows -= 1
        if rows > self.most - has:
            rows = self.most - has
        elif rows < self.fewest - has:
            rows = self.fewest - has
            if rows > known:
                return self.never
        if without is not None and rows > without:
            others = self.sums[rows + 1] - self.heads[without]
        else:
            others = self.sums[rows]
        return (has + rows) * cost - paid + others
