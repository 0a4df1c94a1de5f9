"""The boxes that a release below a claim may use, and their cheapest groups."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from starmin.verify.beyond import BeyondError, expect_time
from starmin.verify.certificates.boxes.column_nodes import LineColumn, Node, TreeColumn
from starmin.verify.certificates.boxes.pieces import Pieces

MAX_WORK = 50_000_000  # sets looked at, before a check is given up


class Box(NamedTuple):
    """What a row pays in a box, the types that fit, and those that a group has."""

    cost: int
    members: list[int]
    ends: list[int]


class RowSet(NamedTuple):
    """A set of row types, and the share by which its coefficients are divided.

    With a share of 0 it counts the piles of groups inside.
    """

    types: frozenset[int]
    share: int


class BoxConditions(NamedTuple):
    """What groups of rows are valid, as far as boxes ask.

    Attributes
    ----------
    columns
        Of the table, in the order in which nodes are chosen.
    copies
        Of each type how many rows have it.
    values
        Of each type its sensitive value, where that counts.
    pieces
        What groups are cut into.
    """

    columns: Sequence[TreeColumn | LineColumn]
    copies: list[int]
    values: list[int] | None
    pieces: Pieces

    def worth(
        self,
        cost: int,
        members: Iterable[int],
        ends: list[int],
        prices: list[int],
        gain: int = 0,
    ) -> int | None:
        """Return what the cheapest group pays above its prices; None: there is none.

        Parameters
        ----------
        cost
            Of a row.
        members
            The types that may be in it, by falling price.
        ends
            The types that are in it.
        prices
            Of the types.
        gain
            What each pile of the group is worth beside.
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

    def coefficient(self, members: list[int], ends: list[int], within: RowSet) -> int:
        """Return how many rows of a set every group of a box has, by its share.

        Or, where its share is 0, how many groups are inside for each group: one or
        none.
        """
        if within.share == 0:
            return int(within.types.issuperset(members))
        inside = [t for t in ends if t in within.types]
        outside = [t for t in members if t not in within.types]
        rows = self.pieces.least - sum(self.copies[t] for t in outside)
        if self.values is None:
            return max(len(inside), rows) // within.share
        values = self.values
        least = self.pieces.values - len({values[t] for t in outside})
        return max(len({values[t] for t in inside}), rows, least) // within.share

    def most(self, within: RowSet) -> int:
        """Return what all coefficients of a set are together at most."""
        rows = sum(self.copies[t] for t in within.types)
        if 0 < within.share < self.pieces.least or self.values is None:
            return rows // within.share
        held = Counter[int]()
        for t in within.types:
            held[self.values[t]] += self.copies[t]
        least = within.share or self.pieces.values
        return self.pieces.most_groups(rows, held.values(), least)


class BoxWalk:
    """Chooses nodes column by column, as long as a group may be worth little enough.

    Below a choice of nodes a box has fewer types, and costs no less; so its groups are
    worth no less than the cheapest of all types that are left, at the cost so far, and
    sets charge it no less.

    Parameters
    ----------
    problem, prices
        The problem; types are numbered by falling price.
    charged
        Sets, and what each charges a box, times its coefficient; 0 or more.
    threshold
        Boxes worth this or more are not looked for.
    """

    def __init__(
        self,
        problem: BoxConditions,
        prices: list[int],
        charged: list[tuple[RowSet, int]],
        threshold: int,
    ) -> None:
        self.problem, self.prices = problem, prices
        self.charged, self.threshold = charged, threshold
        self.work = 0

    def boxes(self) -> Iterator[tuple[Box, int]]:
        """Yield the boxes below the threshold, with their worth."""
        every = (1 << len(self.prices)) - 1
        yield from self._choose(0, every, 0, [])

    def _choose(
        self, column: int, members: int, cost: int, chosen: list[Node]
    ) -> Iterator[tuple[Box, int]]:
        """Yield the boxes that begin so."""
        expect_time()
        ends = self._ends(members, chosen)
        if ends is None:
            return
        types, forced = bits_of(members), bits_of(ends)
        worth = self.problem.worth(cost, types, forced, self.prices)
        if worth is None or worth >= self.threshold:
            return
        for within, charge in self.charged:
            worth += charge * self.problem.coefficient(types, forced, within)
        if worth >= self.threshold:
            return
        if column == len(self.problem.columns):
            yield Box(cost, types, forced), worth
            return

        def may_pay(some: int, loss: int) -> bool:
            self.work += 1
            if self.work > MAX_WORK:
                raise BeyondError("boxes that a release may use are too many to check")
            dearest = each_bit(some)
            found = self.problem.worth(cost + loss, dearest, [], self.prices)
            return found is not None and found < self.threshold

        for node in self.problem.columns[column].nodes(members, may_pay):
            below, paid = members & node.types, cost + node.loss
            yield from self._choose(column + 1, below, paid, [*chosen, node])

    def _ends(self, members: int, chosen: list[Node]) -> int | None:
        """Return the types of all groups that the chosen nodes publish."""
        found = 0
        for node in chosen:
            ends = node.ends(members)
            if ends is None:
                return None
            found |= ends
        return found


def each_bit(number: int) -> Iterator[int]:
    """Yield the places of the bits of a number, from the lowest one up."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def bits_of(number: int) -> list[int]:
    """List the places of the bits of a number.

    Examples
    --------
    >>> bits_of(0b10110)
    [1, 2, 4]
    """
    return list(each_bit(number))
