"""Boxes, sets of row types, and the cheapest groups of boxes by their definition."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from starmin.verify.certificates.boxes.bits import bits_of, each_bit
from starmin.verify.certificates.boxes.pieces import Pieces
from starmin.verify.certificates.untrusted import RefusalError


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


class BoxConditions(NamedTuple):
    """What groups of rows are valid, as far as boxes ask."""

    copies: list[int]  # by type: how many rows have it
    values: list[int] | None  # by type: its sensitive value, where that counts
    pieces: Pieces  # what groups are cut into

    def worth(
        self,
        cost: int,
        members: Iterable[int],
        ends: list[int],
        prices: list[int],
        gain: int = 0,
    ) -> int | None:
        """Return what the cheapest group pays above its prices; None: there is none.

        A row costs ``cost``. The types ``members`` may be in the group, by falling
        price, and the types ``ends`` are in it. Each pile of the group is worth
        ``gain`` beside.
        """
        if self.values is None:
            return self._sized(cost, members, ends, prices, None, 0)
        if self.pieces.sizes[0][1] is None:
            return self._of_values(cost, list(members), ends, prices, self.values)
        dearest, best = list(members), None
        for number in range(len(self.pieces.sizes)):
            given = cost, dearest, ends, prices, self.values
            found = self._sized(*given, number)
            if found is not None:
                found -= gain * (self.pieces.sizes[number][2] or 0)
                best = found if best is None else min(best, found)
        return best

    def _sized(
        self,
        cost: int,
        members: Iterable[int],
        ends: list[int],
        prices: list[int],
        values: list[int] | None,
        number: int,
    ) -> int | None:
        """Return what the cheapest group of a size is worth."""
        least, most, height = self.pieces.sizes[number]
        assert most is not None
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

    def _of_values(
        self,
        cost: int,
        members: list[int],
        ends: list[int],
        prices: list[int],
        values: list[int],
    ) -> int | None:
        """Return what the cheapest group of several values is worth.

        It has the ends and all rows that pay. Values that are missing come with their
        cheapest rows; then there are the cheapest others, while rows are missing.
        """
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
        if self.values is None:
            rows = self.pieces.least - self._rows(outside, self.pieces.least)
            return max(inside.bit_count(), rows) // within.share
        values = self.values
        rows = self.pieces.least - self._rows(outside, self.pieces.least)
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
