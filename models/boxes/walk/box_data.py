"""The columns of a small table, its row types and its requirement, for loops."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.scales.scale import Layout

# What valid groups are cut into: pieces of how many rows, of how many values.
#
# **k.** A group of 2k rows or more is two of k rows or more.
#
# **k and l by frequency.** Let :math:`c = \lceil k / l \rceil`. A group of n rows, no
# value of which is in more than n / l of them, has no value more often than :math:`q
# = \lfloor n / l \rfloor` times. Sort its rows by value and deal them to q piles:
# each has l rows or more, and no value twice. If :math:`n \ge 2lc`, there are 2c
# piles or more. Some c of them are together a group: they have :math:`lc \ge k` rows,
# and no value more than c times. The same holds for the others. So pieces have max(k,
# l) to 2lc - 1 rows; with k = 1 these are l to 2l - 1 rows of different values.
#
# **Distinct.** Of the rows of a frequent value a group may have any number: pieces
# have no largest size.
#
# **Several columns**, or distinct values beside l. What cuts a group for one sensitive
# column need not do for another one: groups are not cut. The rule is that of one of the
# columns; the others are left to ``starmin.models.boxes.master.side_constraints``.
# Where no value is in more than h rows of the table, groups of hl rows or more have any
# rows.

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


class BoxData(NamedTuple):
    """What loops over boxes read.

    A box has in each column a least and a greatest place: of numbers the ends of a
    range, or all places where ranges are hidden; of a tree a node, twice. Arrays by
    column and place, or by column and node, are filled up to a common length.
    """

    counts: Ints  # of the row types: how many rows have each
    place: Int32s  # d x m: where each type is in each column
    # sensitive code of each type; all different where groups may have any
    value: Int32s
    # which columns are of numbers; the others are trees, flat ones of height one
    line: Bools
    # of each column how many places there are: those of a tree are its leaves
    size: Ints
    # of a line how many missing values there are, which have the first places
    apart: Ints
    ranges: Bools  # of a line whether ranges may be published
    # whole, shortest: of a line what all of it costs a row, and its shortest range
    whole: Ints
    shortest: Ints
    # lower, upper, reach: of each place of a line what a range that begins there takes
    # from the cost and one that ends there adds to it, and the last place of a range
    # that begins there and is not hidden
    lower: Ints
    upper: Ints
    reach: Ints
    single: Ints  # of each place of a line what it costs by itself
    # of each node of a tree what it costs a row; -1 where it is not published
    loss: Ints
    # first, last, parent: of each node the leaves below it, and the node above
    first: Int32s
    last: Int32s
    parent: Int32s
    # least, most, kind, share, values, top: of the pieces that groups are cut into: see
    # ``GroupRule``
    least: int
    most: int
    kind: int
    share: int
    values: int
    top: int
    spread: bool  # whether the rows of a group have different sensitive values


class BoxColumn(NamedTuple):
    """A column with its costs, which may need more than 64 bits: see ``BoxData``."""

    number: int
    line: bool
    size: int
    apart: int
    ranges: bool
    whole: int = 0
    shortest: int = 0
    lower: Sequence[int] = ()
    upper: Sequence[int] = ()
    reach: Sequence[int] = ()
    single: Sequence[int] = ()
    loss: Sequence[int] = ()
    first: Sequence[int] = ()
    last: Sequence[int] = ()
    parent: Sequence[int] = ()

    def cost(self, low: int, high: int) -> int:
        """Return what a row pays for a range, or for a node that is given twice."""
        if not self.line:
            return self.loss[low]
        if low == high:
            return self.single[low]
        if high > self.reach[low]:
            return self.whole
        return max(self.upper[high] - self.lower[low], self.shortest)


def box_columns(table: Table, objective: Objective, per_cost: int) -> list[BoxColumn]:
    """Return the columns in the order of the walk, their costs multiplied by a number.

    Trees come before numbers, and of each kind columns of few values first.
    """
    scales, kept = objective.scales_of(table).scales, objective.kept(table)
    units = objective.units(table)

    def rank(j: int) -> tuple[bool, int]:
        return scales[j].layout.is_line, len(table.text_counts(table.qi[j]))

    return [
        _column(j, scales[j].layout, units[j] * per_cost, bool(kept[j]))
        for j in sorted(range(len(scales)), key=rank)
    ]


def box_data(
    columns: Sequence[BoxColumn],
    positions: Int32s,
    types: RowTypes,
    shift: int,
    rule: GroupRule,
    sensitive: int = 0,
) -> BoxData:
    """Return what loops read of a problem.

    Parameters
    ----------
    columns, positions
        Of the table; and m x d: the places of the types in these.
    types, shift
        By quasi-identifier, with sensitive values where the rule reads them; how many
        bits of costs are left out.
    rule, sensitive
        What pieces groups are cut into; the place of the column whose values it reads.
    """
    value = (
        np.arange(len(types)) if rule.kind == PLAIN else types.sensitive[:, sensitive]
    )
    order = [c.number for c in columns]
    read: dict[str, Any] = {}
    for name in ("line", "ranges", "size", "apart"):
        read[name] = np.array([getattr(c, name) for c in columns])
    for name in ("whole", "shortest"):
        read[name] = np.array([getattr(c, name) >> shift for c in columns], np.int64)
    for name in ("lower", "upper", "single", "loss"):
        read[name] = _filled([[x >> shift for x in getattr(c, name)] for c in columns])
    for name in ("first", "last", "parent"):
        read[name] = _filled([getattr(c, name) for c in columns]).astype(np.int32)
    return BoxData(
        counts=types.counts.astype(np.int64),
        place=np.ascontiguousarray(positions[:, order].T.astype(np.int32)),
        value=value.astype(np.int32),
        reach=_filled([c.reach for c in columns]),
        **read,
        **rule._asdict(),
        spread=rule.kind == SPREAD,
    )


def _column(number: int, layout: Layout, unit: int, kept: bool) -> BoxColumn:
    size, losses = len(layout.places), layout.losses.tolist()
    if layout.is_line:
        return BoxColumn(
            *(number, True, size, len(layout.missing), not kept),
            whole=unit * losses[-1],
            shortest=unit * layout.least,
            lower=[unit * end for end in layout.lower.tolist()],
            upper=[unit * end for end in layout.upper.tolist()],
            reach=layout.reach.tolist(),
            single=[unit * each for each in layout.single.tolist()],
        )
    each = zip(losses, layout.allowed.tolist(), strict=True)
    loss = [unit * lost if allowed else -1 for lost, allowed in each]
    if kept:
        loss[size:] = [-1] * (len(loss) - size)
    return BoxColumn(
        *(number, False, size, 0, not kept),
        loss=loss,
        first=layout.first.tolist(),
        last=layout.last.tolist(),
        parent=layout.parents.tolist(),
    )


def _filled(parts: Sequence[Sequence[int]]) -> Ints:
    """Return lists as the rows of an array, filled up with zeros."""
    found = np.zeros((len(parts), max(1, *map(len, parts))), np.int64)
    for row, part in zip(found, parts, strict=True):
        row[: len(part)] = part
    return found


# What the walk over boxes reads and writes.


# The highest prices of copies, their sensitive values, and how many there are.
Highest: TypeAlias = tuple[Ints, Int32s, int]


class BoxWalk(NamedTuple):
    """What the walk reads and writes."""

    data: BoxData
    prices: Ints  # of the types
    # inside, share, charge: sets of types, by which boxes are charged beside their
    # fills: see ``charged``
    inside: Bools
    share: Ints
    charge: Ints
    threshold: Ints  # one number: boxes that are worth this or more are not looked for
    # the types of the sets that wait, one after the other, each by falling price
    members: Int32s
    # stack, lows, highs: the sets that wait: column to choose next, where the types
    # are, cost of a row so far, a bound on what is below; the place to go on from,
    # above 0 where a part of the column is done, and where the types of further parts
    # begin; and the box so far
    stack: Ints
    lows: Int32s
    highs: Int32s
    # heads, tags, own_heads, own_tags: room for the highest prices of copies, and for
    # their sensitive values: where a column is split, and where one set is looked at
    heads: Ints
    tags: Int32s
    own_heads: Ints
    own_tags: Int32s
    # first, last, paid: room for the ends of types in each column, and for what groups
    # with each type cost
    first: Int32s
    last: Int32s
    paid: Ints
    tally: Int32s  # tally, starts, sorted: room to sort types by place
    starts: Int32s
    sorted: Int32s
    # forced, ends, types, copies, seen: room for types that are in a group, and for
    # fills: see ``Fill``
    forced: Int32s
    ends: Int32s
    types: Int32s
    copies: Ints
    seen: Ints
    found_lows: Int32s  # found_lows, found_highs, worth: the boxes found
    found_highs: Int32s
    worth: Ints
    # sets that wait; boxes found; work until the next stop, in types, places and sets
    # that are looked at; what there was no room for
    state: Ints
