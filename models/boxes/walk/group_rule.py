r"""What valid groups are cut into: pieces of how many rows, of how many values.

**k.** A group of 2k rows or more is two of k rows or more.

**k and l by frequency.** Let :math:`c = \lceil k / l \rceil`. A group of n rows, no
value of which is in more than n / l of them, has no value more often than
:math:`q = \lfloor n / l \rfloor` times. Sort its rows by value and deal them to q
piles: each has l rows or more, and no value twice. If :math:`n \ge 2lc`, there are 2c
piles or more. Some c of them are together a group: they have :math:`lc \ge k` rows, and
no value more than c times. The same holds for the others. So pieces have max(k, l) to
2lc - 1 rows; with k = 1 these are l to 2l - 1 rows of different values.

**Distinct.** Of the rows of a frequent value a group may have any number: pieces have
no largest size.
"""

from typing import NamedTuple

PLAIN, SPREAD, CAPPED, DISTINCT = range(4)


class GroupRule(NamedTuple):
    """Which pieces are valid.

    Attributes
    ----------
    kind
        ``PLAIN``: any rows; ``SPREAD``: no value twice; ``CAPPED``: no value in more
        than a share of the rows; ``DISTINCT``: several values.
    least, most
        Rows of a piece.
    share
        No value is in more than one of so many rows, where that is asked for.
    values
        Different values that a piece has at least.
    """

    kind: int
    least: int
    most: int
    share: int
    values: int

    @classmethod
    def of(cls, k: int, l: int, distinct: int, rows: int) -> "GroupRule":
        """Return the pieces of a requirement; at most one of l, distinct is above 1.

        Examples
        --------
        >>> GroupRule.of(8, 5, 1, rows=100)
        GroupRule(kind=2, least=8, most=19, share=5, values=5)
        >>> GroupRule.of(2, 1, 3, rows=100)
        GroupRule(kind=3, least=3, most=100, share=1, values=3)
        """
        if distinct > 1:
            return cls(DISTINCT, max(k, distinct), rows, 1, distinct)
        if l == 1:
            return cls(PLAIN, k, 2 * k - 1, 1, 1)
        kind = CAPPED if k > l else SPREAD
        return cls(kind, max(k, l), 2 * l * -(-k // l) - 1, l, l)

    def rows_beyond(self, j: int, least: int) -> int:
        r"""Return how many rows of a piece have none of j values, at least.

        By frequency, m rows have a value :math:`\lfloor m/l \rfloor` times at most; so
        :math:`m - j \lfloor m/l \rfloor` have none of j values. With
        :math:`q = \lfloor K/l \rfloor` that is least for m = K or m = (q + 1) l.

        Parameters
        ----------
        j
            How many values, fewer than a piece has.
        least
            Rows of the piece, or of a pile.

        Examples
        --------
        >>> rule = GroupRule.of(10, 2, 1, rows=100)
        >>> rule.rows_beyond(1, rule.least), rule.rows_beyond(1, rule.share)
        (5, 1)
        """
        if self.share == 1:
            return self.values - j
        height = least // self.share
        return min(least - j * height, (height + 1) * (self.share - j))

    @property
    def reads_values(self) -> bool:
        """Whether it asks for anything of sensitive values."""
        return self.kind != PLAIN

    def classes(self) -> list[tuple[int, int, int]]:
        """List least and most rows, and how often a piece of so many has a value.

        ``DISTINCT`` pieces have a value as often as you like; so have ``PLAIN`` ones.

        Examples
        --------
        >>> GroupRule.of(5, 2, 1, rows=100).classes()
        [(5, 5, 2), (6, 7, 3), (8, 9, 4), (10, 11, 5)]
        """
        if self.kind in (PLAIN, DISTINCT):
            return [(self.least, self.most, self.most)]
        heights = range(self.least // self.share, self.most // self.share + 1)
        return [
            (max(self.least, h * self.share), (h + 1) * self.share - 1, h)
            for h in heights
        ]
