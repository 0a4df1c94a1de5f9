"""The nodes of a column, with the row types below them as bits of a number."""

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import accumulate
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.scales.scale import Layout
from starmin.verify.certificates.boxes.conditions import Dearest, bits_of, each_bit

if TYPE_CHECKING:
    from starmin.verify.certificates.boxes.paying_ranges import (
        RangeEnds,
        SetCharges,
        TypeRows,
    )

# Whether some rows may be in a group that is worth looking for, at a further loss,
# with types that it has beside.
MayPay = Callable[[Dearest, int, int], bool]
# What a group loses at least in a column that has certain types and one more.
LossWith = Callable[[int], int | None]


class Node(NamedTuple):
    """What some types are published as in a column."""

    loss: int  # what a row pays for it
    types: int  # those below it
    # types at both ends of a range, or below each child; none of a single value
    parts: tuple[int, ...] = ()
    # of a range that is hidden: the types at each place of the column, in order
    hidden: "LineColumn | None" = None

    def ends(self, members: int) -> int | None:
        """Return those of the members that are in every group published so.

        A group has members of two parts. If there are two parts with members, and one
        of them has a single type, it is in the group. None where no group of members is
        published so.
        """
        if self.hidden is not None:
            return 0 if self.hidden.is_hidden(members) else None
        if not self.parts:
            return 0
        held = [part & members for part in self.parts if part & members]
        if len(held) < 2:
            return None
        if len(held) > 2:
            return 0
        one, other = held
        return sum(part for part in (one, other) if part & (part - 1) == 0)


class TreeColumn:
    """A column of values below the nodes of a tree; of height one without hierarchy.

    A loss of 1 on its scale costs a row ``unit``. If it is ``kept``, only single values
    are published. ``places`` has the place of each type in the column.
    """

    def __init__(self, layout: Layout, unit: int, kept: bool, places: Ints) -> None:
        self._nodes = list[Node]()
        below: dict[int, int] = {}
        parts: dict[int, list[int]] = {}
        for t, place in enumerate(places.tolist()):
            below[place] = below.get(place, 0) | 1 << t
        parents, losses = layout.parents.tolist(), layout.losses.tolist()
        allowed = layout.allowed.tolist()
        for leaf in list(below):
            child, node = leaf, parents[leaf]
            while node != child:
                below[node] = below.get(node, 0) | below[leaf]
                child, node = node, parents[node]
        for node in below:
            if parents[node] != node:
                parts.setdefault(parents[node], []).append(below[node])
        for node, types in below.items():
            inner = node >= len(layout.places)
            if allowed[node] and not (inner and kept):
                children = tuple(parts[node]) if inner else ()
                self._nodes.append(Node(unit * losses[node], types, children))
        self._nodes.sort(key=lambda node: node[:2])

    def nodes(self, members: int, none: Dearest, may_pay: MayPay) -> Iterator[Node]:
        """Yield the nodes that some of the members may be published as."""
        for node in self._nodes:
            if none.forced & ~node.types or not members & node.types:
                continue  # no group is published so
            rows = none.empty()
            rows.add(node.types & members)
            if may_pay(rows, node.loss, 0):
                yield node

    def loss_with(self, types: int) -> LossWith:
        """Return what a group loses at least that has some types, by a further one."""
        above = [node for node in self._nodes if types & ~node.types == 0]

        def loss(t: int) -> int | None:
            return next((node.loss for node in above if node.types >> t & 1), None)

        return loss


class LineColumn:
    """A column of numbers, published as ranges, or hidden; see ``TreeColumn``."""

    def __init__(self, layout: Layout, unit: int, kept: bool, places: Ints) -> None:
        self._layout, self._kept = layout, kept
        self._ends: dict[int, RangeEnds] = {}
        self._at, self._places = [0] * len(layout.places), places.tolist()
        self._place = places
        for t, place in enumerate(places.tolist()):
            self._at[place] |= 1 << t
        self._reach, self._least = layout.reach.tolist(), unit * layout.least
        parts: list[list[int]] = [
            [unit * each for each in part.tolist()]
            for part in (layout.lower, layout.upper, layout.single)
        ]
        self._lower, self._upper, self._single = parts
        self._whole = unit * int(layout.losses[-1])
        self.most = max(self._whole, self._least, *self._single)
        self._all = (1 << len(places)) - 1

    def is_hidden(self, members: int) -> bool:
        """Return whether members are published as all of the column."""
        first, last = self._span(members)
        return first != last and last > self._reach[first]

    def _span(self, members: int) -> tuple[int, int]:
        """Return the first and the last place of members."""
        places = self._place[bits_of(members)]
        return int(places.min()), int(places.max())

    def _loss(self, low: int, high: int) -> int:
        """Return what a range from a place to another one loses."""
        if low == high:
            return self._single[low]
        if high > self._reach[low]:
            return self._whole
        return max(self._upper[high] - self._lower[low], self._least)

    def nodes(self, members: int, none: Dearest, may_pay: MayPay) -> Iterator[Node]:
        """Yield the nodes that some of the members may be published as."""
        places = [place for place, types in enumerate(self._at) if types & members]
        later, rows = list[Dearest](), none.empty()
        for low in reversed(places):
            rows.add(self._at[low] & members)
            later.append(rows.copy())
        later.reverse()  # by place, the rows from there on
        yield from self.hidden(members, none, may_pay)
        for first, low in enumerate(places):
            if not may_pay(later[first], 0, 0):
                return
            types = 0
            here = self._at[low] & members
            rows = none.empty(0 if here & (here - 1) else here)  # a type that is alone
            for high in places[first:]:
                if high > self._reach[low] or (high > low and self._kept):
                    break
                types |= self._at[high]
                loss, at_high = self._loss(low, high), self._at[high] & members
                if not may_pay(later[first], loss, 0):
                    break
                also = rows.alone(at_high)
                rows.add(at_high & ~also)
                pays = may_pay(rows, loss, also)
                rows.add(also)
                if pays:
                    ends = (self._at[low], self._at[high]) if low < high else ()
                    yield Node(loss, types, ends)

    def hidden(self, members: int, none: Dearest, may_pay: MayPay) -> Iterator[Node]:
        """Yield the node that hides all of the column, where members may have it."""
        if not self._kept and self.is_hidden(members):
            rows = none.empty()
            rows.add(members)
            loss = self._loss(*self._span(members))
            if may_pay(rows, loss, 0):
                yield Node(loss, self._all, hidden=self)

    def paying(
        self,
        members: list[int],
        none: Dearest,
        each: "TypeRows",
        paid: int,
        left: int,
        shift: int,
        sets: "SetCharges",
    ) -> tuple[list[Node], int]:
        """List the nodes at which groups may be worth less than ``left``, by a loop.

        The rows ``none`` are those of types that are in every group. ``each`` has the
        rows of all types, and ``sets`` what sets charge, of all types: both without the
        lowest ``shift`` bits, which numbers of the loop leave out, so that costs become
        less and prices more. A row pays ``paid`` in other columns. Returned are the
        nodes, the hidden one left out, and the number of sets looked at.
        """
        from starmin.verify.certificates.boxes.paying_ranges import (
            GroupSize,
            LineRows,
            paying_ranges,
        )

        some = np.array(members, np.int64)
        ordered = some[np.argsort(self._place[some], kind="stable")]
        at = self._place[ordered]
        places, starts = np.unique(at, return_index=True)
        ends = places if self._kept else self._layout.reach[places]
        held = np.zeros(len(self._place), bool)
        held[bits_of(none.forced)] = True
        rows = LineRows(
            np.append(starts, len(at)),
            each.prices[ordered],
            each.copies[ordered],
            each.values[ordered],
            held[ordered],
            self._shifted(shift).at(places),
            np.searchsorted(places, ends, "right") - 1,
        )
        least, most, height, must, worth = none.size
        top = most if height is None else height
        size = GroupSize(least, most, top, must, -(-worth >> shift))
        sets = sets._replace(outside=sets.outside[ordered])
        found = paying_ranges(rows, size, sets, paid >> shift, -(-left >> shift))
        *pairs, (work, _) = found.tolist()
        occupied, nodes = places.tolist(), list[Node]()
        for first, last in pairs:
            low, high = occupied[first], occupied[last]
            parts = (self._at[low], self._at[high]) if low < high else ()
            nodes.append(Node(self._loss(low, high), self._between(low, high), parts))
        return nodes, work

    def _between(self, low: int, high: int) -> int:
        """Return the types from a place to another one."""
        return self._below[high] & ~(self._below[low - 1] if low else 0)

    @cached_property
    def _below(self) -> list[int]:
        """The types at each place and before."""
        return list(accumulate(self._at, or_))

    def _shifted(self, shift: int) -> "RangeEnds":
        """Return what ranges lose by their ends at least, without the last bits."""
        from starmin.verify.certificates.boxes.paying_ranges import RangeEnds

        if shift not in self._ends:
            self._ends[shift] = RangeEnds(
                np.array([-(-each >> shift) for each in self._lower], np.int64),
                np.array([each >> shift for each in self._upper], np.int64),
                np.array([each >> shift for each in self._single], np.int64),
                self._least >> shift,
            )
        return self._ends[shift]

    def loss_with(self, types: int) -> LossWith:
        """Return what a group loses at least that has some types, by a further one."""
        held = [self._places[t] for t in each_bit(types)]
        first, last = min(held, default=len(self._at)), max(held, default=-1)
        places, loss_of, kept = self._places, self._loss, self._kept

        def loss(t: int) -> int | None:
            place = places[t]
            low = place if place < first else first
            high = place if place > last else last
            return None if low < high and kept else loss_of(low, high)

        return loss


def column_of(
    layout: Layout, unit: int, kept: bool, places: Ints
) -> TreeColumn | LineColumn:
    """Return a column by the layout of its scale: see ``TreeColumn``."""
    of = LineColumn if layout.is_line else TreeColumn
    return of(layout, unit, kept, places)
