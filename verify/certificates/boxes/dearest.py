"""The dearest rows of some types, of which no group is worth less."""

from bisect import bisect_left, insort

from starmin.verify.certificates.boxes.bits import bits_of, each_bit
from starmin.verify.certificates.boxes.conditions import BoxConditions

_NEVER = 1 << 4096  # above the worth of any group


class Dearest:
    """Rows by falling price, as many as a group may have, as types are added.

    Types are numbered by falling price: where there are as many rows, none of a price
    as low as that of the last one joins, nor of any type after that.

    Of one sensitive value there are as many as a group may have. That a group needs
    different values is left out.

    ``prices`` is what rows of each type are worth; of each of the types ``forced``, as
    bits, a group has a row.

    Examples
    --------
    >>> from starmin.verify.certificates.boxes.pieces import Pieces
    >>> problem = BoxConditions([1, 2, 1], None, Pieces.of(2, 1, 1))
    >>> rows = Dearest(problem, [9, 5, 1])
    >>> rows.add(0b110)
    >>> rows.worth(4), rows.worth(2)
    (-2, -6)
    >>> rows.add(0b001)
    >>> rows.worth(4)
    -7
    """

    def __init__(
        self, problem: BoxConditions, prices: list[int], forced: int = 0
    ) -> None:
        self._problem, self._prices, self._forced = problem, prices, forced
        self._must = bits_of(forced)
        self._least = problem.pieces.least
        _, most, self._height = problem.pieces.sizes[-1]
        self._most = sum(problem.copies) if most is None else most
        self._paid = sum(prices[t] for t in self._must)
        self._heads: list[int] = []  # prices below 0, so that they rise
        self._held: dict[int, list[int]] = {}  # and by value

    def empty(self, forced: int = 0) -> "Dearest":
        """Return the same without rows, but with further types that a group has."""
        return Dearest(self._problem, self._prices, self._forced | forced)

    def copy(self) -> "Dearest":
        """Return a copy that does not follow."""
        made = self.empty()
        made._heads = list(self._heads)
        made._held = {value: list(held) for value, held in self._held.items()}
        return made

    @property
    def size(self) -> tuple[int, int, int | None, int, int]:
        """Least and most rows, how many of a value; forced rows, what these pay."""
        return self._least, self._most, self._height, len(self._must), self._paid

    def alone(self, types: int) -> int:
        """Return the type, as a bit, that is a single row which a group may lack."""
        if types & (types - 1) or not types & ~self._forced:
            return 0
        return types if self._problem.copies[types.bit_length() - 1] == 1 else 0

    def add(self, types: int) -> None:
        """Add all rows of some types, given as bits."""
        heads, most = self._heads, self._most
        for t in each_bit(types):
            if len(heads) == most and -self._prices[t] >= heads[-1]:
                return
            copies = self._problem.copies[t] - (self._forced >> t & 1)
            for _ in range(min(copies, self._height or self._most)):
                self._insert(-self._prices[t], t)

    def _insert(self, head: int, t: int) -> None:
        heads, values = self._heads, self._problem.values
        if len(heads) == self._most and head >= heads[-1]:
            return
        if self._height is not None and values is not None:
            held = self._held.setdefault(values[t], [])
            if len(held) == self._height:
                if head >= held[-1]:
                    return
                del heads[bisect_left(heads, held.pop())]
            insort(held, head)
        insort(heads, head)
        if self._height is None and len(heads) > self._most:
            heads.pop()

    def worth(self, cost: int, also: int = 0) -> int:
        """Return what a group is worth at least in which a row pays so much.

        It has a row of each of the types ``also``, as bits, that are not added.
        """
        size, paid = len(self._must), self._paid
        for t in each_bit(also & ~self._forced):
            size, paid = size + 1, paid + self._prices[t]
        if size > self._most:
            return _NEVER
        total = size * cost - paid
        for head in self._heads:
            if size >= self._most or (size >= self._least and cost + head >= 0):
                break
            total, size = total + cost + head, size + 1
        return total if size >= self._least else _NEVER
