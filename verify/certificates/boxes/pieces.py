r"""What valid groups are cut into, as certificates of boxes state it.

With frequency l and :math:`c = \lceil k / l \rceil` a group of :math:`n \ge 2lc` rows
has no value more than :math:`q = \lfloor n / l \rfloor` times. Sorted by value and
dealt to q piles, no pile has a value twice, and each has l rows or more. Some c piles
are a valid group, and so are the others, which are c or more. So pieces have fewer than
2lc rows. With a number of different values alone groups are not cut. Without either a
group of 2k rows is cut in two. Nor are groups cut where several columns are looked at.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Pieces(NamedTuple):
    """How many rows pieces have, of how many values."""

    least: int  # rows of a piece, at least
    values: int  # different values of a piece, at least
    # least and most rows, and how many may have the same value, which is how many piles
    # it has: each piece is of one of these sizes. None: any number
    sizes: Sequence[tuple[int, int | None, int | None]]

    @classmethod
    def of(
        cls, k: int, l: int, distinct: int, uncut: tuple[int, int] | None = None
    ) -> "Pieces":
        """Return the pieces of a requirement; of diversity by frequency, if it has l.

        Where groups are not cut, ``uncut`` says how many rows there are, and how many
        of these have the same value at most: so many piles need not be told from more.

        >>> Pieces.of(3, 2, 1)
        Pieces(least=3, values=2, sizes=[(3, 3, 1), (4, 5, 2), (6, 7, 3)])
        >>> Pieces.of(2, 1, 3)
        Pieces(least=3, values=3, sizes=[(3, None, None)])
        """
        least = max(k, l, distinct)
        if l > 1:
            rows, held = uncut or (0, 2 * -(-least // l) - 1)
            top = max(held, least // l)
            heights = range(least // l, top + 1)
            sizes = [(max(least, h * l), h * l + l - 1, h) for h in heights]
            if uncut is not None:
                sizes[-1] = (sizes[-1][0], max(rows, sizes[-1][0]), top)
            return cls(least, l, sizes)
        if distinct > 1:
            return cls(least, distinct, [(least, None, None)])
        return cls(least, 1, [(least, 2 * least - 1, None)])

    def most_groups(self, rows: int, held: Iterable[int], least: int) -> int:
        """Return how many pieces, or piles, some rows have at most.

        Of N pieces each has rows of none of any j values. So the rows that do not have
        the j most frequent values are at least N times as many as these.

        ``held`` says how many of the ``rows`` have each value; ``least`` is the rows of
        a piece, or of a pile.
        """
        most, frequent, left = rows // least, sorted(held, reverse=True), rows
        for j in range(self.values if self.values > 1 else 0):
            most = min(most, left // self.rows_beyond(j, least))
            left -= frequent[j] if j < len(frequent) else 0
        return most

    def rows_beyond(self, j: int, least: int) -> int:
        r"""Return how many rows of a piece have none of j values, at least.

        Where no value is in more than one of l rows, m rows have one
        :math:`\lfloor m/l \rfloor` times at most, so that
        :math:`m - j \lfloor m/l \rfloor` have none of j values. That is least for the
        fewest rows, or for the next multiple of l.

        ``least`` is the rows of the piece, or of a pile.

        >>> [Pieces.of(5, 3, 1).rows_beyond(j, 5) for j in range(3)]
        [5, 4, 2]
        >>> [Pieces.of(5, 1, 3).rows_beyond(j, 5) for j in range(3)]
        [3, 2, 1]
        """
        l = self.values
        if self.sizes[0][2] is None:
            return l - j
        height = least // l
        return min(least - j * height, (height + 1) * (l - j))
