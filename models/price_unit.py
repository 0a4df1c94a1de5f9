r"""The unit of prices: whole numbers whose sums are proven to fit 64 bits.

Let R be the most that a row can lose, n the number of rows, and prices whole numbers
of :math:`2^{-b}`, none above C = 256 R in size. A row costs less than R more than its
price, or less than C + R, so all rows of one pattern together less than

.. math:: n (C + R) 2^b,

and b is chosen so that this is at most :math:`2^{58}`: a loop that adds up one pattern
cannot wrap, even where it counts its rows three times (``fills``). Any prices prove a
bound, so that clipping them is sound; an optimal price above 256 whole rows has not
been seen.

Sums over *patterns* have no such bound, as any number of them may share the rows: they
are kept in two words (``WORD``) or added by ``exact_sum``, and a sum in floating point
beside them must agree.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.instances import NotSupportedError, Objective, Table
from starmin.instances.arrays import Ints

MOST_BITS = 16  # of a price behind the point
MOST_ROWS = 256  # that lose all: no price is above what they lose together
MOST_SUM = 1 << 58  # what the rows of one pattern come to at most, in size
# The value of a choice that does not exist: above all sums over one pattern.
INFEASIBLE = 1 << 61
NO_PRICE = -INFEASIBLE  # Below all prices and their sums.
ANY_COST = 1 << 60  # Above all costs, prices and thresholds; below INFEASIBLE.
# Two words are ``low - high * WORD``. Both stay in 64 bits as long as what is added is
# not positive and above -WORD / 2.
WORD = 1 << 61
# So many rows are counted at least, so that prices are exact as floating-point numbers.
_LEAST_ROWS = 32
_HALF = 32  # bits of the lower half of a number
_CLOSE = 2.0**-30  # A sum in floating point is off by less than this share.


@dataclass(frozen=True)
class PriceUnit:
    """What prices of the rows of a table are whole numbers of.

    Examples
    --------
    >>> from starmin.instances import STARS
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "y"]], qi=["a", "b"])
    >>> unit = PriceUnit.of(table, STARS)
    >>> unit.per_cost, unit.whole(np.array([0.5, -1e9])).tolist()
    (65536, [32768, -33554432])
    >>> unit.bound(65537)
    2
    """

    table: str  # the name of the table, for messages
    per_cost: int  # so many units are one unit of the objective: a power of 2
    most: int  # no price is above this in size, in the unit

    @classmethod
    def of(
        cls, table: Table, objective: Objective, most_rows: int = MOST_ROWS
    ) -> "PriceUnit":
        """Choose the finest unit, of 1/65,536 at most, whose sums fit 64 bits.

        No price is above what ``most_rows`` rows lose that lose all. Raises
        NotSupportedError where there is no such unit.
        """
        row = most_of_row(table, objective)
        bits = _bits(table, objective, most_rows)
        if bits < 0:
            raise NotSupportedError(
                "Expected costs whose sums over the rows fit 64 bits; divide the "
                "weights by a common number, or round the numbers of columns."
            )
        per_cost = 1 << min(bits, MOST_BITS)
        return cls(table.name, per_cost, most_rows * row * per_cost)

    def whole(self, prices: npt.NDArray[np.floating]) -> Ints:
        """Round prices in the unit of the objective to whole numbers of this one."""
        return self.clipped(np.rint(prices * self.per_cost))

    def clipped(self, prices: npt.NDArray[np.number]) -> Ints:
        """Return the nearest prices that are not too large, as whole numbers."""
        # np.clip takes several times as long for the prices of a small table.
        return np.asarray(
            np.minimum(np.maximum(prices, -self.most), self.most), np.int64
        )

    def bound(self, value: int) -> int:
        """Return what a proven value in this unit says of costs: rounded up."""
        return -(-value // self.per_cost)

    def expect(self, prices: Ints) -> None:
        """Raise ArithmeticError where a price is so large that sums might wrap."""
        if max(int(prices.max(initial=0)), -int(prices.min(initial=0))) > self.most:
            raise ArithmeticError(
                f"{self.table}: a price is above {self.most}, in a unit of "
                f"1/{self.per_cost}."
            )

    def total(self, words: tuple[int, int, float]) -> int:
        """Return a sum of negative numbers that a compiled loop kept in two words.

        ``words`` are its low and its high word, and the same sum in floating point.
        Raises ArithmeticError where they differ: one of them has wrapped.
        """
        low, high, about = words
        exact = int(low) - int(high) * WORD
        if not abs(exact - about) <= _CLOSE * abs(about):
            raise ArithmeticError(
                f"{self.table}: prices in a unit of 1/{self.per_cost} add up to "
                f"{exact} in whole numbers, and to {about} in floating point."
            )
        return exact


def most_of_row(table: Table, objective: Objective) -> int:
    """Return the most that a row can lose, at least 1.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "x"]], qi=["a", "b"])
    >>> most_of_row(table, Objective(weights={"b": 4}))
    5
    """
    if objective.by_star:
        return max(1, int(objective.column_weights(table).sum()))
    return max(1, objective.whole(table) // table.n)


def is_fine(objective: Objective, table: Table) -> bool:
    """Return whether costs are so fine that no unit of prices has sums in 64 bits."""
    return _bits(table, objective) < 0


def _bits(table: Table, objective: Objective, most_rows: int = MOST_ROWS) -> int:
    """Return how many bits prices may have behind the point; negative for none."""
    row = most_of_row(table, objective)
    return (highest_loss(table.n, 0, most_rows) // row).bit_length() - 1


def highest_loss(rows: int, bits: int, most_rows: int = MOST_ROWS) -> int:
    """Return what a row may lose at most if prices have so many bits."""
    return MOST_SUM // (max(rows, _LEAST_ROWS) * (most_rows + 1) << bits)


def exact_sum(numbers: Ints) -> int:
    """Return the sum of fewer than 2^31 numbers of 64 bits, which may not fit 64 bits.

    Examples
    --------
    >>> exact_sum(np.array([2**62, 2**62, 2**62])) == 3 * 2**62
    True
    """
    return exact_product(numbers, np.ones(1, np.int64))


def exact_product(numbers: Ints, counts: Ints) -> int:
    """Return the sum of numbers, each times a count; counts add up to less than 2^31.

    Examples
    --------
    >>> exact_product(np.array([-(2**62), 1]), np.array([6, 2])) == 2 - 6 * 2**62
    True
    """
    high = int(((numbers >> _HALF) * counts).sum())
    low = int(((numbers & (2**_HALF - 1)) * counts).sum())
    return (high << _HALF) + low
