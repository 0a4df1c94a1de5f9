"""One tree: items of a region are opened or closed until its bound is high."""

import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from starmin.instances.arrays import Ints
from starmin.models.rules.trees.local import (
    CLOSED,
    IMPOSSIBLE,
    Local,
    climb,
    item_to_split,
    local_bound,
)
from starmin.models.rules.trees.region import Region

_MOST_DEPTH = 100


@dataclass(frozen=True, eq=False)
class Leaf:
    """What is opened and closed on the way to a leaf, and the prices there."""

    value: int  # the bound of the region, in the unit of prices
    number: int  # of the node
    prices: Ints  # by movable entry of the region
    closed: tuple[int, ...] = ()  # closed, opened: items
    opened: tuple[int, ...] = ()

    def __lt__(self, other: "Leaf") -> bool:
        return (self.value, self.number) < (other.value, other.number)


class RegionTree:
    """A tree in a region, whose bound is that of its lowest leaf.

    ``local`` is the program at its prices, to which each call returns. ``step`` is the
    first step of prices in a leaf, of ``steps``. By number of a node, ``splits`` has
    the item, and the nodes in which it is closed and opened. ``leaves`` are those that
    may be split, as a heap: the lowest first; ``settled`` are others whose bound
    counts, as they cannot be split.
    """

    def __init__(self, local: Local, region: Region, step: float, steps: int) -> None:
        self.local, self.region = local, region
        self._step, self._steps = step, steps
        self.first = local.prices[region.movable]
        self._base = int(local_bound(local, region.types, region.items))
        self.splits: dict[int, tuple[int, int, int]] = {}
        self.leaves, self.settled = list[Leaf](), list[Leaf]()
        self._numbers = 1
        self._push(Leaf(self._climb(), 0, local.prices[region.movable]))
        local.prices[region.movable] = self.first
        local_bound(local, region.types, region.items)

    @property
    def lowest(self) -> Leaf | None:
        """The leaf whose bound is least; None where no mask reaches any."""
        found = [*self.leaves[:1], *self.settled]
        return min(found) if found else None

    @property
    def gain(self) -> int:
        """By how much the tree raises the bound of prices."""
        lowest = self.lowest
        return (IMPOSSIBLE if lowest is None else lowest.value) - self._base

    @property
    def done(self) -> bool:
        """Whether splitting leaves cannot raise the bound."""
        lowest = self.lowest
        return lowest is None or any(lowest is leaf for leaf in self.settled)

    def grow(self) -> None:
        """Split the lowest leaf.

        Wherever that is broken off, the bound of the tree holds: its leaf goes last.
        """
        leaf = self.leaves[0]
        with self.at(leaf):
            item = int(item_to_split(self.local, self.region.inside))
            if item < 0 or len(leaf.closed) + len(leaf.opened) >= _MOST_DEPTH:
                self.settled.append(leaf)
            else:
                self._split(leaf, item)
        heapq.heappop(self.leaves)

    @contextmanager
    def at(self, leaf: Leaf) -> Iterator[None]:
        """Give the program the prices of a leaf, and what is opened and closed."""
        local, region = self.local, self.region
        self.mark(leaf, True)
        local.prices[region.movable] = leaf.prices
        local_bound(local, region.types, region.items)
        try:
            yield
        finally:
            self.mark(leaf, False)
            local.prices[region.movable] = self.first
            local_bound(local, region.types, region.items)

    def _split(self, leaf: Leaf, item: int) -> None:
        local, movable = self.local, self.region.movable
        a, b = self._numbers, self._numbers + 1
        self._numbers += 2
        local.closed[item] = True
        local.prices[local.entries_of(item)] = CLOSED
        value, closed = self._climb(), (*leaf.closed, item)
        less = Leaf(value, a, local.prices[movable], closed, leaf.opened)
        local.closed[item] = False
        local.prices[movable] = leaf.prices
        local.opened[item] = True
        value, opened = self._climb(), (*leaf.opened, item)
        more = Leaf(value, b, local.prices[movable], leaf.closed, opened)
        local.opened[item] = False
        self._push(less)
        self._push(more)
        self.splits[leaf.number] = item, a, b

    def _climb(self) -> int:
        region, steps = self.region, (self._step, self._steps)
        given = self.local, region.types, region.items, region.movable, *steps
        return climb(*given)

    def _push(self, leaf: Leaf) -> None:
        if leaf.value < IMPOSSIBLE:
            heapq.heappush(self.leaves, leaf)

    def mark(self, leaf: Leaf, marked: bool) -> None:
        """Open and close what is opened and closed at a leaf, or undo that."""
        self.local.closed[list(leaf.closed)] = marked
        self.local.opened[list(leaf.opened)] = marked

    def numbered(self) -> dict[int, Leaf]:
        """Return by number the leaves that some mask may reach."""
        return {leaf.number: leaf for leaf in (*self.leaves, *self.settled)}

    def moved(self, there: Leaf) -> "RegionTree":
        """Return the tree from the prices on that the program has now.

        One leaf begins with these, others with their own prices in the region.
        """
        local, region = self.local, self.region
        tree = copy(self)
        tree.first = local.prices[region.movable]
        tree._base = int(local_bound(local, region.types, region.items))
        tree.splits, tree.leaves, tree.settled = dict(self.splits), [], []
        for leaf in (*self.leaves, *self.settled):
            prices = leaf.prices
            if leaf is there:
                prices = np.where(prices == CLOSED, CLOSED, tree.first)
            with tree.at(replace(leaf, prices=prices)):
                value = tree._climb()
                own = local.prices[region.movable]
                tree._push(replace(leaf, value=value, prices=own))
        return tree

    def size(self) -> int:
        """Return how many prices its leaves have, at most."""
        return (len(self.leaves) + len(self.settled)) * len(self.first)

    def prices(self) -> Ints:
        """Return the prices at the lowest leaf, by movable entry."""
        lowest = self.lowest
        return self.first if lowest is None else np.asarray(lowest.prices)
