"""Trees of many regions, whose gains add up to one bound."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from starmin.instances.arrays import Ints
from starmin.models.best_first import BestFirst
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.region_prices import (
    CLOSED,
    IMPOSSIBLE,
    Climb,
    Local,
    Region,
    Regions,
    apart,
    climb_on,
    item_to_split,
    local_bound,
)

# One tree: items of a region are opened or closed until its bound is high.

_MOST_DEPTH = 100


@dataclass(frozen=True, eq=False)
class Leaf:
    """What is opened and closed on the way to a leaf, and the prices there."""

    value: int  # the bound of the region, in the unit of prices
    number: int  # of the node
    prices: Ints  # by movable entry of the region
    closed: tuple[int, ...] = ()  # closed, opened: items
    opened: tuple[int, ...] = ()


def _leaves() -> BestFirst[Leaf]:
    return BestFirst[Leaf](lambda leaf: (leaf.value, leaf.number))


class RegionTree:
    """A tree in a region, whose bound is that of its lowest leaf.

    ``local`` is the program at its prices, to which each call returns. ``step`` is the
    first step of prices in a leaf, of ``steps``. By number of a node, ``splits`` has
    the item, and the nodes in which it is closed and opened. ``leaves`` are those that
    some mask may reach.
    """

    def __init__(self, local: Local, region: Region, step: float, steps: int) -> None:
        self.local, self.region = local, region
        self._step, self._steps = step, steps
        self.first = local.prices[region.movable]
        self._base = int(local_bound(local, region.types, region.items))
        self.splits: dict[int, tuple[int, int, int]] = {}
        self.leaves, self._numbers = _leaves(), 1
        self._open(Leaf(self._climb(), 0, local.prices[region.movable]))
        local.prices[region.movable] = self.first
        local_bound(local, region.types, region.items)

    @property
    def lowest(self) -> Leaf | None:
        """The leaf whose bound is least; None where no mask reaches any."""
        found = self.leaves.lowest
        return None if found is None else found[1]

    @property
    def gain(self) -> int:
        """By how much the tree raises the bound of prices."""
        lowest = self.lowest
        return (IMPOSSIBLE if lowest is None else lowest.value) - self._base

    @property
    def done(self) -> bool:
        """Whether splitting leaves cannot raise the bound."""
        lowest = self.lowest
        return lowest is None or any(lowest is leaf for leaf in self.leaves.settled)

    def grow(self) -> None:
        """Split the lowest leaf that is open; the bound holds wherever that ends."""
        self.leaves.expand(self._branch)

    def _branch(self, leaves: list[Leaf]) -> list[Leaf]:
        (leaf,) = leaves
        with self.at(leaf):
            item = int(item_to_split(self.local, self.region.inside))
            if item >= 0 and len(leaf.closed) + len(leaf.opened) < _MOST_DEPTH:
                return self._split(leaf, item)
        self.leaves.settled.append(leaf)
        return []

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

    def _split(self, leaf: Leaf, item: int) -> list[Leaf]:
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
        self.splits[leaf.number] = item, a, b
        return [side for side in (less, more) if side.value < IMPOSSIBLE]

    def _climb(self) -> int:
        """Leave the best prices of the region on a way, and return their bound."""
        local, region = self.local, self.region
        way = Climb.of(region.movable, self._step, self._steps)
        given = local, region.types, region.items, way
        value = int(climb_on(*given, 0, self._steps, 0))
        local.prices[region.movable] = way.best
        return value

    def _open(self, leaf: Leaf) -> None:
        if leaf.value < IMPOSSIBLE:
            self.leaves.open(leaf)

    def mark(self, leaf: Leaf, marked: bool) -> None:
        """Open and close what is opened and closed at a leaf, or undo that."""
        self.local.closed[list(leaf.closed)] = marked
        self.local.opened[list(leaf.opened)] = marked

    def moved(self, there: Leaf) -> "RegionTree":
        """Return the tree from the prices on that the program has now.

        One leaf begins with these, others with their own prices in the region.
        """
        local, region = self.local, self.region
        tree = copy(self)
        tree.first = local.prices[region.movable]
        tree._base = int(local_bound(local, region.types, region.items))
        tree.splits, tree.leaves = dict(self.splits), _leaves()
        for leaf in self.leaves:
            prices = leaf.prices
            if leaf is there:
                prices = np.where(prices == CLOSED, CLOSED, tree.first)
            with tree.at(replace(leaf, prices=prices)):
                value = tree._climb()
                own = local.prices[region.movable]
                tree._open(replace(leaf, value=value, prices=own))
        return tree


@dataclass(frozen=True)
class ForestParams:
    """Constants of the trees."""

    types: int = 400  # of a region, at most
    # step, steps: the first step of prices in a leaf in mean costs of a star, and how
    # many there are
    step: float = 0.08
    steps: int = 100
    splits: int = 16  # of a tree at a time
    # a tree counts if it raises the bound by so much of the mean cost of a star
    worth: float = 0.001
    prices: int = 2_000_000  # all leaves have so many at most
    # items, few_types: where the rows of more items than these differ from best fills,
    # regions have so few types: they gain as much in a fraction of the time
    items: int = 1_000
    few_types: int = 60
    # where there are more, each tree would gain too small a part of what is missing;
    # none are grown
    most_items: int = 10_000
    # short_step, all_steps: as of step and steps, for all prices at the lowest leaves
    short_step: float = 0.02
    all_steps: int = 400


PARAMS = ForestParams()
_NONE = np.zeros(0, np.int64)
_AT_ONCE = 4  # steps of all prices between looks at the clock


class Forest:
    r"""Prices, and trees in regions that do not touch each other.

    A mask reaches one leaf of each tree. The prices of these leaves, each in its own
    region, are prices of the whole program, so the cost of the mask is their bound or
    more. As regions share no type and no item, that is the bound of the first prices,
    and what each leaf adds in its region:

    .. math:: L(\pi) + \sum_c \min_{\text{leaf } \ell \text{ of } c} \Delta_\ell.

    ``prices`` are the first prices, and ``value`` is their bound in the unit of the
    function.
    """

    def __init__(
        self,
        function: PriceFunction,
        prices: Ints,
        value: int,
        params: ForestParams = PARAMS,
    ) -> None:
        self.function, self.first, self.params = function, prices, params
        self._value = value
        self.local = Local.of(function, prices)
        self._regions = Regions(self.local, params.types)
        self.trees = list[RegionTree]()
        self._star = function.program.mean_star_cost
        self._worth = params.worth * self._star * function.unit.per_cost

    @property
    def value(self) -> int:
        """The bound, in the unit of the function."""
        total = self._value + sum(tree.gain for tree in self.trees)
        return min(total, IMPOSSIBLE)

    def grow(self, goes_on: Callable[[int], bool]) -> None:
        """Plant trees, let them grow, and move all prices, as long as that gains.

        ``goes_on`` is called now and then with the bound; a false answer ends this.
        """
        seeds = apart(self.local)
        if (number := np.count_nonzero(seeds)) > self.params.most_items:
            return
        if number > self.params.items:
            self._regions = Regions(self.local, self.params.few_types)
        while self._plant(seeds, goes_on) and self._deepen(goes_on):
            found = self._recentre(goes_on)
            if found is None:
                return
            seeds = found

    def _plant(self, seeds: Ints, goes_on: Callable[[int], bool]) -> bool:
        """Plant trees; return whether they may grow further.

        ``seeds`` says by item by how many rows who shows it differs from its best fill.
        """
        step = self.params.step * self._star
        order = np.argsort(-seeds, kind="stable")
        for seed in order[: np.count_nonzero(seeds)].tolist():
            if not goes_on(self.value):
                return False
            region = self._regions.around(seed)
            if region is None or not len(region.inside):
                continue
            tree = RegionTree(self.local, region, step, self.params.steps)
            goes = self._split(tree, goes_on)
            if tree.lowest is not None and tree.gain > self._worth:
                self.trees.append(tree)
                self._regions.take(region)
            if not goes:
                return False
        return True

    def _deepen(self, goes_on: Callable[[int], bool]) -> bool:
        """Split leaves as long as that gains; return whether there is time for more."""
        gained = True
        while gained:
            gained = False
            for tree in sorted(self.trees, key=lambda tree: tree.gain):
                before = tree.gain
                if not self._split(tree, goes_on):
                    return False
                gained |= tree.gain > before + self._worth
        return True

    def _recentre(self, goes_on: Callable[[int], bool]) -> Ints | None:
        """Move all prices at the lowest leaves, and those of other leaves after them.

        The first prices are good where nothing is opened or closed. What lies between
        regions can be worth more once it is known what is. Returns by item by how many
        rows who shows it differs from its best fill; None where that does not gain, and
        all stays.
        """
        lowest = [tree.lowest for tree in self.trees]
        if not goes_on(self.value):
            return None
        leaves = [leaf for leaf in lowest if leaf is not None]
        if not leaves or len(leaves) < len(lowest):
            return None
        local, function = self.local, self.function
        closed = np.concatenate(
            [_NONE, *(local.entries_of(i) for leaf in leaves for i in leaf.closed)]
        )
        before = local.prices.copy()
        for tree, leaf in zip(self.trees, leaves, strict=True):
            tree.mark(leaf, True)
            local.prices[tree.region.movable] = leaf.prices
        every = np.arange(len(local.pays.copies))
        self._climb(every, goes_on)
        seeds = apart(local)
        for tree, leaf in zip(self.trees, leaves, strict=True):
            tree.mark(leaf, False)
        local.prices[closed] = before[closed]
        first = local.prices.copy()
        value = function.constant + int(local_bound(local, every, function.items))
        trees = list[RegionTree]()
        for tree, leaf in zip(self.trees, leaves, strict=True):
            trees.append(tree.moved(leaf))
            if not goes_on(self.value):
                break
        gained = value + sum(tree.gain for tree in trees) - self.value
        if len(trees) == len(leaves) and gained > self._worth:
            self.first, self._value, self.trees = first, value, trees
            return seeds
        local.prices[:] = before
        local_bound(local, every, function.items)
        return None

    def _climb(self, types: Ints, goes_on: Callable[[int], bool]) -> None:
        """Move all prices, from those and at what is opened and closed now."""
        local, params = self.local, self.params
        movable = np.flatnonzero(local.choices.item >= 0)
        step, value = params.short_step * self._star, 0
        way = Climb.of(movable, step, params.all_steps)
        given = local, types, self.function.items, way
        for begin in range(0, params.all_steps, _AT_ONCE):
            end = min(begin + _AT_ONCE, params.all_steps)
            value = int(climb_on(*given, begin, end, value))
            if not goes_on(self.value):
                break
        local.prices[movable] = way.best

    def _split(self, tree: RegionTree, goes_on: Callable[[int], bool]) -> bool:
        """Let a tree grow; return whether there is time and room for more."""
        for _ in range(self.params.splits):
            if tree.done:
                break
            tree.grow()
            if not goes_on(self.value):
                return False
        size = sum(len(grown.leaves) * len(grown.first) for grown in self.trees)
        return goes_on(self.value) and size < self.params.prices

    def prices(self) -> Ints:
        """Return the first prices with those of the lowest leaf of each tree."""
        prices = self.first.copy()
        for tree in self.trees:
            lowest = tree.lowest
            own = tree.first if lowest is None else lowest.prices
            prices[tree.region.movable] = own
        return prices
