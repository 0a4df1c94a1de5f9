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

**Several columns**, or distinct values beside l. What cuts a group for one sensitive
column need not do for another one: groups are not cut. The rule is that of one of the
columns; the others are left to ``starmin.models.boxes.master.joint``. Where no value is
in more than h rows of the table, groups of hl rows or more have any rows.
"""

from typing import NamedTuple

PLAIN, SPREAD, CAPPED, DISTINCT = range(4)


class GroupRule(NamedTuple):
    """Which pieces are valid."""

    # ``PLAIN``: any rows; ``SPREAD``: no value twice; ``CAPPED``: no value in more than
    # a share of the rows; ``DISTINCT``: several values
    kind: int
    least: int  # least, most: rows of a piece
    most: int
    share: int  # no value is in more than one of so many rows, where that is asked for
    values: int  # different values that a piece has at least
    top: int = 1  # how often a piece has a value at most, where that is limited

    @classmethod
    def of(
        cls, k: int, l: int, distinct: int, rows: int, uncut: int | None = None
    ) -> "GroupRule":
        """Return the pieces of a requirement, of l where distinct is asked for, too.

        Of ``l`` and ``distinct`` only one is above 1, unless groups are not cut;
        ``uncut`` says for these in how many rows a value is at most. ``rows`` are those
        of the table.

        Examples
        --------
        >>> GroupRule.of(8, 5, 1, rows=100)
        GroupRule(kind=2, least=8, most=19, share=5, values=5, top=3)
        >>> GroupRule.of(2, 1, 3, rows=100)
        GroupRule(kind=3, least=3, most=100, share=1, values=3, top=1)
        >>> GroupRule.of(2, 2, 3, rows=100, uncut=30)
        GroupRule(kind=2, least=3, most=100, share=2, values=2, top=30)
        """
        if uncut is not None and l > 1:
            least = max(k, l, distinct)
            return cls(CAPPED, least, rows, l, l, max(uncut, least // l))
        if distinct > 1:
            return cls(DISTINCT, max(k, distinct), rows, 1, distinct)
        if l == 1:
            return cls(PLAIN, k, 2 * k - 1, 1, 1)
        kind = CAPPED if k > l else SPREAD
        top = 2 * -(-k // l) - 1
        return cls(kind, max(k, l), l * top + l - 1, l, l, top)

    def rows_beyond(self, j: int, least: int) -> int:
        r"""Return how many rows of a piece have none of j values, at least.

        By frequency, m rows have a value :math:`\lfloor m/l \rfloor` times at most; so
        :math:`m - j \lfloor m/l \rfloor` have none of j values. With
        :math:`q = \lfloor K/l \rfloor` that is least for m = K or m = (q + 1) l. The
        piece, or pile, has ``least`` rows or more, and more than j values.

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
        heights = range(self.least // self.share, self.top + 1)
        return [
            (
                max(self.least, h * self.share),
                self.most if h == self.top else (h + 1) * self.share - 1,
                h,
            )
            for h in heights
        ]
