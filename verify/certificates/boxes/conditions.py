"""Boxes, sets of row types, and the cheapest groups of boxes by their definition."""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from starmin.verify.certificates.untrusted import RefusalError

# Sets of row types as the bits of a number.

_MANY = 40  # bits that are faster looked up all at once


def as_bits(places: Iterable[int]) -> int:
    """Return the number that has bits at some places."""
    return sum(1 << place for place in set(places))


def each_bit(number: int) -> Iterator[int]:
    """Yield the places of the bits of a number, from the lowest one up."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def bits_of(number: int) -> list[int]:
    """List the places of the bits of a number."""
    if number.bit_count() < _MANY:
        return list(each_bit(number))
    each = number.to_bytes(number.bit_length() // 8 + 1, "little")
    bits = np.unpackbits(np.frombuffer(each, np.uint8), bitorder="little")
    places: list[int] = np.flatnonzero(bits).tolist()
    return places


class Box(NamedTuple):
    """What a row pays in a box, the types that fit, and those that a group has.

    Types are the bits of a number.
    """

    cost: int
    types: int
    forced: int

    @property
    def members(self) -> list[int]:
        """The types that fit."""
        return bits_of(self.types)

    @property
    def ends(self) -> list[int]:
        """Those that every group has."""
        return bits_of(self.forced)


class RowSet(NamedTuple):
    """A set of row types, as bits, and by what its coefficients are divided.

    With a share of 0 it counts the piles of groups inside. With one of -1 it is the box
    that has these types, and says what its groups have (see ``tally``): ``kind`` what
    is said of rows, ``counted`` of which ones.
    """

    types: int
    share: int
    kind: str = ""
    counted: int = 0


class Tally(NamedTuple):
    """What a row that is counted counts, any other one, and a group beside."""

    counted: int
    other: int
    group: int

    def price(self, is_counted: bool) -> int:
        """Return what a row counts."""
        return self.counted if is_counted else self.other


def tally(one: RowSet, l: int, distinct: int, columns: list[list[int]]) -> Tally:
    r"""Return what groups count in a box, as far as a set of rows T of it says.

    ``rows``: the rows of T. ``share``: l times the rows of T, less all rows; if T has a
    single value in some column, that is 0 at most. ``values``: if the rows of the box
    that are not in T have w different values of a column, each group has
    :math:`D - w` values or more among T; that times the groups, less the rows of T, is
    0 at most.

    The ``columns`` are the sensitive values of the types, by column. Raises
    RefusalError where ``one`` says nothing of that kind.
    """
    if one.kind == "rows":
        return Tally(1, 0, 0)
    if one.kind == "share":
        counted = bits_of(one.counted)
        if any(len({column[t] for t in counted}) == 1 for column in columns):
            return Tally(l - 1, -1, 0)
        raise RefusalError("a share counts types of several values")
    others = bits_of(one.types & ~one.counted)
    fewest = min(len({column[t] for t in others}) for column in columns)
    return Tally(-1, 0, max(0, distinct - fewest))


# What valid groups are cut into, as certificates of boxes state it.


class Pieces(NamedTuple):
    r"""How many rows the pieces have, of how many values, that groups are cut into.

    With frequency l and :math:`c = \lceil k / l \rceil` a group of :math:`n \ge 2lc`
    rows has no value more than :math:`q = \lfloor n / l \rfloor` times. Sorted by
    value and dealt to q piles, no pile has a value twice, and each has l rows or more.
    Some c piles are a valid group, and so are the others, which are c or more. So
    pieces have fewer than 2lc rows. With a number of different values alone groups are
    not cut. Without either a group of 2k rows is cut in two. Nor are groups cut where
    several columns are looked at.
    """

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


class Choice(NamedTuple):
    """What the rows of a group are chosen from."""

    cost: int  # what a row pays
    members: list[int]  # the types that may be in the group, by falling price
    ends: list[int]  # those that are in it
    prices: list[int]  # by type


class BoxConditions(NamedTuple):
    """What groups of rows are valid, as far as boxes ask."""

    copies: list[int]  # by type: how many rows have it
    values: list[int] | None  # by type: its sensitive value, where that counts
    pieces: Pieces  # what groups are cut into

    def worth(self, among: Choice, gain: int = 0) -> int | None:
        """Return what the cheapest group pays above its prices; None: there is none.

        Each pile of the group is worth ``gain`` beside.
        """
        best = None
        for least, most, height in self.pieces.sizes:
            if most is None:
                return self._of_values(among)
            found = self._sized(among, least, most, height)
            if found is not None:
                found -= gain * (height or 0)
                best = found if best is None else min(best, found)
        return best

    def _sized(
        self, among: Choice, least: int, most: int, height: int | None
    ) -> int | None:
        """Return what the cheapest group of a size is worth."""
        (cost, members, ends, prices), values = among, self.values
        if len(ends) > most:
            return None
        total, size = sum(cost - prices[t] for t in ends), len(ends)
        held = Counter(values[t] for t in ends) if values else Counter[int]()
        if height is not None and max(held.values(), default=0) > height:
            return None
        for t in members:
            each = cost - prices[t]
            if size >= most or (size >= least and each >= 0):
                break
            take = (most if each < 0 else least) - size
            take = min(take, self.copies[t] - (t in ends))
            if values and height is not None:
                take = min(take, height - held[values[t]])
                held[values[t]] += take
            total, size = total + take * each, size + take
        return total if size >= least else None

    def _of_values(self, among: Choice) -> int | None:
        """Return what the cheapest group of several values is worth.

        It has the ends and all rows that pay. Values that are missing come with their
        cheapest rows; then there are the cheapest others, while rows are missing.
        """
        (cost, members, ends, prices), values = among, self.values or []
        taken = dict.fromkeys(ends, 1)
        for t in members:
            if prices[t] > cost:
                taken[t] = self.copies[t]
        held = {values[t] for t in taken}
        for t in members:
            if len(held) < self.pieces.values and values[t] not in held:
                held.add(values[t])
                taken[t] = 1
        missing = self.pieces.least - sum(taken.values())
        for t in members:
            more = min(self.copies[t] - taken.get(t, 0), missing)
            if more > 0:
                taken[t] = taken.get(t, 0) + more
                missing -= more
        if missing > 0 or len(held) < self.pieces.values:
            return None
        return sum(many * (cost - prices[t]) for t, many in taken.items())

    def coefficient(self, types: int, forced: int, within: RowSet) -> int:
        """Return how many rows of a set every group of a box has, by its share.

        Or, where its share is 0, how many groups are inside for each group: one or
        none; where it is less, whether it is this box.
        """
        outside, most = types & ~within.types, self.pieces.least
        if outside and within.share == most > forced.bit_count():
            return 0  # a row of the group may be outside
        inside = forced & within.types
        if within.share < 0:
            return int(types == within.types)
        if within.share == 0:
            return int(outside == 0)
        values, rows = self.values, most - self._rows(outside, most)
        if values is None:
            return max(inside.bit_count(), rows) // within.share
        found = len({values[t] for t in each_bit(inside)})
        least = self.pieces.values - len({values[t] for t in each_bit(outside)})
        return max(found, rows, least) // within.share

    def _rows(self, types: int, enough: int) -> int:
        """Count the rows of some types; where these are enough, the types."""
        count = types.bit_count()
        if count >= enough:
            return count
        return sum(self.copies[t] for t in each_bit(types))

    def most(self, within: RowSet) -> int:
        """Return what all coefficients of a set are together at most."""
        if within.share < 0:
            return self._rows(within.counted, 1 << 62) if within.kind == "rows" else 0
        types = bits_of(within.types)
        rows = sum(self.copies[t] for t in types)
        if 0 < within.share < self.pieces.least or self.values is None:
            return rows // within.share
        held = Counter[int]()
        for t in types:
            held[self.values[t]] += self.copies[t]
        least = within.share or self.pieces.values
        return self.pieces.most_groups(rows, held.values(), least)


# The dearest rows of some types, of which no group is worth less.

_NEVER = 1 << 4096  # above the worth of any group


class Dearest:
    """Rows by falling price, as many as a group may have, as types are added.

    Types are numbered by falling price: where there are as many rows, none of a price
    as low as that of the last one joins, nor of any type after that.

    Of one sensitive value there are as many as a group may have. That a group needs
    different values is left out.

    ``prices`` is what rows of each type are worth; of each of the types ``forced``, as
    bits, a group has a row.

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
        self._problem, self._prices, self.forced = problem, prices, forced
        self._must = bits_of(forced)
        self._least = problem.pieces.least
        _, most, self._height = problem.pieces.sizes[-1]
        self._most = sum(problem.copies) if most is None else most
        self._paid = sum(prices[t] for t in self._must)
        self._heads: list[int] = []  # prices below 0, so that they rise
        self._held: dict[int, list[int]] = {}  # and by value

    def empty(self, forced: int = 0) -> "Dearest":
        """Return the same without rows, but with further types that a group has."""
        return Dearest(self._problem, self._prices, self.forced | forced)

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
        if types & (types - 1) or not types & ~self.forced:
            return 0
        return types if self._problem.copies[types.bit_length() - 1] == 1 else 0

    def add(self, types: int) -> None:
        """Add all rows of some types, given as bits."""
        heads, most = self._heads, self._most
        for t in each_bit(types):
            if len(heads) == most and -self._prices[t] >= heads[-1]:
                return
            copies = self._problem.copies[t] - (self.forced >> t & 1)
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
        for t in each_bit(also & ~self.forced):
            size, paid = size + 1, paid + self._prices[t]
        if size > self._most:
            return _NEVER
        total = size * cost - paid
        for head in self._heads:
            if size >= self._most or (size >= self._least and cost + head >= 0):
                break
            total, size = total + cost + head, size + 1
        return total if size >= self._least else _NEVER
