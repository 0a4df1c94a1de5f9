"""The boxes that a release below a claim may use."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from starmin.instances.arrays import Ints
from starmin.verify.certificates.boxes.column_nodes import (
    LineColumn,
    MayPay,
    Node,
    TreeColumn,
)
from starmin.verify.certificates.boxes.conditions import (
    Box,
    BoxConditions,
    Choice,
    Dearest,
    RowSet,
    bits_of,
)
from starmin.verify.exact import BeyondError, expect_time

if TYPE_CHECKING:
    from starmin.verify.certificates.boxes.paying_ranges import SetCharges, TypeRows

MAX_WORK = 50_000_000  # sets looked at, before a check is given up
LOOPS = 2_000  # sets looked at, before the loop is worth its start


@dataclass(eq=False)
class BoxWalk:
    """Chooses nodes column by column, as long as a group may be worth little enough.

    Below a choice of nodes a box has fewer types, and costs no less; so its groups are
    worth no less than the cheapest of all types that are left, at the cost so far, and
    sets charge it no less. Where a group has some types, its nodes in the columns to
    come have these, too: it pays what the cheapest such nodes cost, and where it has a
    further type, what the cheapest nodes cost that have that one as well.

    The ``columns`` are those of the table, in the order in which nodes are chosen;
    types are numbered by falling price. ``charged`` has sets, and what each charges a
    box, times its coefficient: 0 or more. Boxes worth ``threshold`` or more are not
    looked for.
    """

    columns: Sequence[TreeColumn | LineColumn]
    problem: BoxConditions
    prices: list[int]
    charged: list[tuple[RowSet, int]]
    threshold: int
    work: int = 0
    _known_rows: "dict[int, TypeRows]" = field(default_factory=dict)

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
        rest = self._rest(column, ends, forced)
        if rest is None:
            return
        among = Choice(cost + sum(rest), types, forced, self.prices)
        worth = self.problem.worth(among)
        if worth is None or worth >= self.threshold:
            return
        known = [
            self.problem.coefficient(members, ends, within)
            for within, _ in self.charged
        ]
        charged = sum(
            charge * number
            for (_, charge), number in zip(self.charged, known, strict=True)
        )
        worth, left = worth + charged, self.threshold - charged
        if worth >= self.threshold:
            return
        if column == len(self.columns):
            yield Box(cost, members, ends), worth
            return
        if forced and not self._anchored(column, types, ends, cost, left):
            return
        paid = cost + sum(rest[1:])

        def may_pay(rows: Dearest, loss: int, also: int) -> bool:
            self._count(1)
            return rows.worth(paid + loss, also) < left

        none = Dearest(self.problem, self.prices, ends)
        nodes = self._nodes(column, members, paid, left, none, may_pay, known)
        for node in nodes:
            if ends & ~node.types == 0:
                below = members & node.types, cost + node.loss, [*chosen, node]
                yield from self._choose(column + 1, *below)

    def _nodes(
        self,
        column: int,
        members: int,
        paid: int,
        left: int,
        none: Dearest,
        may_pay: MayPay,
        known: list[int],
    ) -> Iterator[Node]:
        """Yield the nodes of a column where groups may be worth little enough.

        Where there are many sets, ranges are looked at by a loop. It leaves out the
        last bits of large numbers, in favour of groups; each box is looked at again.
        """
        one = self.columns[column]
        if self.work < LOOPS or isinstance(one, TreeColumn):
            yield from one.nodes(members, none, may_pay)
            return
        yield from one.hidden(members, none, may_pay)
        cost = abs(paid) + one.most
        each = cost + max(abs(self.prices[0]), abs(self.prices[-1]))
        largest = abs(left) + (sum(self.problem.copies) + 2) * each
        largest += self.problem.pieces.least * sum(charge for _, charge in self.charged)
        shift = max(0, largest.bit_length() - 61)
        given = self._rows(shift), paid, left, shift, self._sets(shift, known)
        found, work = one.paying(bits_of(members), none, *given)
        self._count(work)
        yield from found

    def _rows(self, shift: int) -> "TypeRows":
        """Return the rows of all types, without the last bits of their prices."""
        from starmin.verify.certificates.boxes.paying_ranges import TypeRows

        if shift not in self._known_rows:
            values = self.problem.values or [0] * len(self.prices)
            prices = [-(-price >> shift) for price in self.prices]
            parts = prices, self.problem.copies, values
            self._known_rows[shift] = TypeRows(*(np.array(p, np.int64) for p in parts))
        return self._known_rows[shift]

    def _sets(self, shift: int, known: list[int]) -> "SetCharges":
        """Return what sets charge beside known coefficients, without last bits."""
        from starmin.verify.certificates.boxes.paying_ranges import SetCharges

        outside, shares, charges = self._rows_outside
        least = self.problem.pieces.least
        charged = np.array([charge >> shift for charge in charges], np.int64)
        return SetCharges(outside, least, shares, charged, np.array(known, np.int64))

    @cached_property
    def _rows_outside(self) -> tuple[Ints, Ints, list[int]]:
        """Of each type its rows outside of each set; shares of sets, and charges."""
        copies, sets = self.problem.copies, [one for one, _ in self.charged]
        outside = [
            [0 if one.types >> t & 1 else many for one in sets]
            for t, many in enumerate(copies)
        ]
        shares = np.array([one.share for one in sets], np.int64)
        charges = [charge for _, charge in self.charged]
        return np.array(outside, np.int64).reshape(len(copies), -1), shares, charges

    def _count(self, work: int) -> None:
        self.work += work
        if self.work > MAX_WORK:
            raise BeyondError("boxes that a release may use are too many to check")

    def _ends(self, members: int, chosen: list[Node]) -> int | None:
        """Return the types of all groups that the chosen nodes publish."""
        found = 0
        for node in chosen:
            ends = node.ends(members)
            if ends is None:
                return None
            found |= ends
        return found

    def _rest(self, column: int, ends: int, forced: list[int]) -> list[int] | None:
        """Return what a group with some types pays in each column to come, at least."""
        left = self.columns[column:]
        if not forced:
            return [0] * len(left)
        found = [each.loss_with(ends)(forced[0]) for each in left]
        known = [loss for loss in found if loss is not None]
        return known if len(known) == len(found) else None

    def _anchored(
        self, column: int, types: list[int], ends: int, cost: int, left: int
    ) -> bool:
        """Return whether a group with some types may be worth less than a number.

        The types are looked at by what a group pays that has them: one that pays no
        more than that has the types so far alone.
        """
        losses = [each.loss_with(ends) for each in self.columns[column:]]
        paid = []
        for t in types:
            total = cost
            for loss in losses:
                if (more := loss(t)) is None:
                    break
                total += more
            else:
                paid.append((total, t))
        rows = Dearest(self.problem, self.prices, ends)
        for each, t in sorted(paid):
            rows.add(1 << t)
            if rows.worth(each) < left:
                return True
        return False
