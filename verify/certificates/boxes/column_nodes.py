"""The nodes of a column, with the row types below them as bits of a number."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Scale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale

# Whether some types may be in a group that is worth looking for, at a further loss.
MayPay = Callable[[int, int], bool]


class Node(NamedTuple):
    """What some types are published as in a column.

    Attributes
    ----------
    loss
        What a row pays for it.
    types
        The types below it.
    parts
        Types at both ends of a range, or below each child; none of a single value.
    hidden
        Of a range that is hidden: the types at each place of the column, in order.
    """

    loss: int
    types: int
    parts: tuple[int, ...] = ()
    hidden: "LineColumn | None" = None

    def ends(self, members: int) -> int | None:
        """Return those of the members that are in every group published so.

        A group has members of two parts. If there are two parts with members, and one
        of them has a single type, it is in the group.

        Returns
        -------
        None where no group of members is published so.
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

    Parameters
    ----------
    scale
        Its scale.
    unit
        What a loss of 1 costs a row.
    kept
        Whether only single values are published.
    places
        Of each type the place in the column.
    """

    def __init__(self, scale: Scale, unit: int, kept: bool, places: Ints) -> None:
        self._nodes = list[Node]()
        below: dict[int, int] = {}
        parts: dict[int, list[int]] = {}
        for t, place in enumerate(places.tolist()):
            below[place] = below.get(place, 0) | 1 << t
        if isinstance(scale, TaxonomyScale):
            parents, losses = scale.taxonomy.parents.tolist(), scale.losses.tolist()
            allowed = scale.allowed.tolist()
        else:
            size = scale.size
            parents, losses = [size] * (size + 1), [0] * size + [1]
            allowed = [True] * (size + 1)
        for leaf in list(below):
            child, node = leaf, parents[leaf]
            while node != child:
                below[node] = below.get(node, 0) | below[leaf]
                child, node = node, parents[node]
        for node in below:
            if parents[node] != node:
                parts.setdefault(parents[node], []).append(below[node])
        for node, types in below.items():
            inner = node >= scale.size
            if allowed[node] and not (inner and kept):
                children = tuple(parts[node]) if inner else ()
                self._nodes.append(Node(unit * losses[node], types, children))

    def nodes(self, members: int, may_pay: MayPay) -> Iterator[Node]:
        """Yield the nodes that some of the members may be published as."""
        for node in self._nodes:
            if may_pay(node.types & members, node.loss):
                yield node


class LineColumn:
    """A column of numbers, published as ranges, or hidden; see ``TreeColumn``."""

    def __init__(
        self, scale: NumericScale, unit: int, kept: bool, places: Ints
    ) -> None:
        self._scale, self._unit, self._kept = scale, unit, kept
        self._known: dict[int, list[int]] = {}
        self._at = [0] * scale.size
        for t, place in enumerate(places.tolist()):
            self._at[place] |= 1 << t
        self._reach = scale.reach.tolist()
        self._all = (1 << len(places)) - 1

    def _occupied(self, members: int) -> list[int]:
        return [place for place, types in enumerate(self._at) if types & members]

    def is_hidden(self, members: int) -> bool:
        """Return whether members are published as all of the column."""
        places = self._occupied(members)
        return places[0] != places[-1] and places[-1] > self._reach[places[0]]

    def _losses(self, low: int) -> list[int]:
        """Return what ranges that begin at a place lose, by where they end."""
        if low not in self._known:
            ends = np.arange(self._scale.size)
            extents = self._scale.extents(np.full_like(ends, low), ends)
            self._known[low] = [self._unit * extent for extent in extents.tolist()]
        return self._known[low]

    def nodes(self, members: int, may_pay: MayPay) -> Iterator[Node]:
        """Yield the nodes that some of the members may be published as."""
        places = self._occupied(members)
        if not self._kept and self.is_hidden(members):
            loss = self._losses(places[0])[places[-1]]
            if may_pay(members, loss):
                yield Node(loss, self._all, hidden=self)
        left = members
        for first, low in enumerate(places):
            if not may_pay(left, 0):
                return
            types, losses = 0, self._losses(low)
            for high in places[first:]:
                if high > self._reach[low] or (high > low and self._kept):
                    break
                types |= self._at[high]
                loss = losses[high]
                if not may_pay(left, loss):
                    break
                if may_pay(types & members, loss):
                    ends = (self._at[low], self._at[high]) if low < high else ()
                    yield Node(loss, types, ends)
            left &= ~self._at[low]


def column_of(
    scale: Scale, unit: int, kept: bool, places: Ints
) -> TreeColumn | LineColumn:
    """Return a column by its scale: see ``TreeColumn``.

    Examples
    --------
    >>> from starmin.instances.scales.scale import FlatScale
    >>> scale = FlatScale(np.array([0, 1]), 2)
    >>> column = column_of(scale, 5, False, np.array([0, 1, 1]))
    >>> [tuple(node[:3]) for node in column.nodes(7, lambda types, loss: True)]
    [(0, 1, ()), (0, 6, ()), (5, 7, (1, 6))]
    """
    if isinstance(scale, NumericScale):
        return LineColumn(scale, unit, kept, places)
    return TreeColumn(scale, unit, kept, places)
