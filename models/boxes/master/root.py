"""The bound at the root: prices of rows and multipliers of box cuts."""

from collections.abc import Callable

import numpy as np

from starmin.models.boxes.master.master import Point
from starmin.models.boxes.master.relaxation import Duals, Relaxation
from starmin.models.boxes.master.separation import find_sets, full_sets
from starmin.models.boxes.params import BoxParams

_SHARES = 0.7, 0.3, 0.0  # of the best duals in those at which boxes are looked for
_FAR = 0.5  # of the gap: where less is to be gained, the last duals come first


class Root:
    """Column generation with exact pricing, and rounds of cuts.

    The relaxation has groups with which it is feasible, and boxes that are near to
    them. ``start`` are the duals to begin with; ``goal`` returns what bound ends the
    search. ``best`` are the duals that prove most, and ``bound`` is what they prove.
    """

    def __init__(
        self,
        relaxation: Relaxation,
        start: Duals,
        goal: Callable[[], int],
        params: BoxParams,
    ) -> None:
        self.relaxation, self.goal, self.params = relaxation, goal, params
        self.best, self.bound = start, -(2**62)

    def solve(self, between: Callable[["Root", Point], None]) -> None:
        """Raise the bound as far as cuts are found.

        ``between`` is called with this and the point before each round of cuts.
        TimeoutError where the time is up.
        """
        self._begin()
        left = self.params.patience
        while left > 0:
            before = self.bound
            point = self._converge()
            between(self, point)
            if self.bound >= self.goal():
                return
            if not add_cuts(self.relaxation, point, self.params.cuts):
                return
            enough = self.params.little * (self.goal() - before)
            left = self.params.patience if self.bound - before > enough else left - 1

    def _begin(self) -> None:
        """Prove what the first prices do; add the boxes that are cheapest at them."""
        relaxation, start = self.relaxation, self.best
        gap = max(0, self.goal() - relaxation.base(start))
        found = relaxation.find(start, gap, self.params.boxes)
        self.bound = relaxation.proven(start, found.worth)
        places = relaxation.pool.add(found.lows, found.highs)
        relaxation.add_groups(relaxation.fills(start, places))

    def _converge(self) -> Point:
        """Solve with all groups in all boxes."""
        while True:
            point, duals, _ = self.relaxation.converge()
            far = self.relaxation.base(duals) - self.bound
            near = far < _FAR * (self.goal() - self.bound)
            shares = _SHARES[-1:] if near else _SHARES
            if not any(self._grow(duals, share) for share in shares):
                return point
            if self.bound >= self.goal():
                return point

    def _grow(self, duals: Duals, share: float) -> bool:
        """Look for boxes between the best duals and the last ones.

        Those join, too, that may be in a better release by what is proven.

        Returns whether some joined that are worth less than 0 at the last ones.
        """
        relaxation = self.relaxation
        mean = duals.mixed(self.best, share)
        gap = max(0, self.goal() - self.bound) if self.bound > 0 else 0
        found = relaxation.find(mean, gap, self.params.boxes)
        bound = relaxation.proven(mean, found.worth)
        if bound > self.bound:
            self.best, self.bound = mean, bound
        new = len(relaxation.pool)
        relaxation.pool.add(found.lows, found.highs)
        if len(relaxation.pool) == new:
            return False
        return bool(relaxation.worth(duals)[new:].min() < -relaxation.eps)


def add_cuts(relaxation: Relaxation, point: Point, most: int) -> bool:
    """Add so many cuts at most that a point violates; whether there are any."""
    data, pool = relaxation.data, relaxation.pool
    y = relaxation.master.in_boxes(point.x, len(pool))
    support = np.flatnonzero(y > 1e-6)
    given = data, pool.bits[support], y[support], most
    sets = find_sets(*given, relaxation.check_time)
    if not sets and most:
        sets = full_sets(data, pool.members(support), y[support], most)
    relaxation.add_sets([(inside, data.least) for inside in sets])
    return bool(sets)
