"""Trees of many regions, whose gains add up to one bound."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from starmin.instances.arrays import Ints
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.trees.local import IMPOSSIBLE, Local
from starmin.models.rules.trees.region import Regions
from starmin.models.rules.trees.region_tree import RegionTree


@dataclass(frozen=True)
class ForestParams:
    """Constants of the trees.

    Attributes
    ----------
    types
        Of a region, at most.
    step, steps
        The first step of prices in a leaf in mean costs of a star, and how many there
        are.
    splits
        Of a tree at a time.
    worth
        A tree counts if it raises the bound by so much of the mean cost of a star.
    prices
        All leaves have so many at most.
    items
        Where the rows of more items than these differ from best fills, each tree would
        gain too small a part of what is missing; none are grown.
    """

    types: int = 400
    step: float = 0.08
    steps: int = 100
    splits: int = 16
    worth: float = 0.001
    prices: int = 2_000_000
    items: int = 1_000


PARAMS = ForestParams()


class Forest:
    r"""Prices, and trees in regions that do not touch each other.

    A mask reaches one leaf of each tree. The prices of these leaves, each in its own
    region, are prices of the whole program, so the cost of the mask is their bound or
    more. As regions share no type and no item, that is the bound of the first prices,
    and what each leaf adds in its region:

    .. math:: L(\pi) + \sum_c \min_{\text{leaf } \ell \text{ of } c} \Delta_\ell.

    Parameters
    ----------
    function, prices, value
        The first prices, and their bound in the unit of the function.
    params
        Constants.
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
        self.trees = list[RegionTree]()
        self._star = function.program.mean_star_cost
        self._worth = params.worth * self._star * function.unit.per_cost

    @property
    def value(self) -> int:
        """The bound, in the unit of the function."""
        total = self._value + sum(tree.gain for tree in self.trees)
        return min(total, IMPOSSIBLE)

    def grow(self, goes_on: Callable[[int], bool]) -> None:
        """Plant trees, then let them grow as long as that raises the bound.

        Parameters
        ----------
        goes_on
            Called now and then with the bound; a false answer ends this.
        """
        gained = self._plant(goes_on)
        while gained:
            gained = False
            for tree in sorted(self.trees, key=lambda tree: tree.gain):
                before = tree.gain
                if not self._split(tree, goes_on):
                    return
                gained |= tree.gain > before + self._worth

    def _plant(self, goes_on: Callable[[int], bool]) -> bool:
        """Plant trees; return whether they may grow further."""
        regions = Regions(self.local, self.params.types)
        seeds = np.argsort(-regions.apart, kind="stable")
        seeds = seeds[: np.count_nonzero(regions.apart)]
        if len(seeds) > self.params.items:
            return False
        step = self.params.step * self._star
        for seed in seeds.tolist():
            region = regions.around(seed)
            if region is None or not len(region.inside):
                continue
            tree = RegionTree(self.local, region, step, self.params.steps)
            goes = self._split(tree, goes_on)
            if tree.lowest is not None and tree.gain > self._worth:
                self.trees.append(tree)
                regions.take(region)
            if not goes:
                return False
        return True

    def _split(self, tree: RegionTree, goes_on: Callable[[int], bool]) -> bool:
        """Let a tree grow; return whether there is time and room for more."""
        for _ in range(self.params.splits):
            if tree.done:
                break
            tree.grow()
            if not goes_on(self.value):
                return False
        return goes_on(self.value) and self._size() < self.params.prices

    def _size(self) -> int:
        return sum(tree.size() for tree in self.trees)

    def prices(self) -> Ints:
        """Return the first prices with those of the lowest leaf of each tree."""
        prices = self.first.copy()
        for tree in self.trees:
            prices[tree.region.movable] = tree.prices()
        return prices
