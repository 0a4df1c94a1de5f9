"""Integer programs choose anew what some types show, while all others stay."""

import numpy as np

from starmin.heuristics.rules.nearby_sets import NearbySets
from starmin.heuristics.rules.neighbourhood import Part, grow, part_of
from starmin.heuristics.rules.search_params import RuleSearchParams
from starmin.instances import Limit, Mask, Run
from starmin.instances.arrays import Ints
from starmin.models.rules.price_function import PriceFunction
from starmin.models.solvers.mip_search import MipSearch, integral

_TICK = 0.002  # seconds between looks at the programs
_OFFER = 1.0  # seconds between masks that the run learns
_LONGEST = 3.0  # seconds of a program
_LONG = 0.5  # seconds, from which on neighbourhoods become no larger
_GROWTH, _SHRINKAGE = 1.02, 0.8
_LEAST_SIZE = 20
_LEAST_PATIENCE = 20


class Neighbourhoods:
    """A mask, and the sets among which its types choose.

    Parameters
    ----------
    run
        Learns better masks.
    function, prices
        The problem, and what items cost.
    codes
        What the copies of open types hide at first; that satisfies the rules.
    params
        Constants of the search.
    seed
        Of random choices.
    """

    def __init__(
        self,
        run: Run[Mask],
        function: PriceFunction,
        prices: Ints,
        codes: Ints,
        params: RuleSearchParams,
        seed: int,
    ) -> None:
        self.run, self.program = run, function.program
        self._star = round(self.program.mean_star_cost * function.unit.per_cost)
        self._near = round(params.near * self._star)
        self._size = float(params.size)
        self.sets, self.rows = NearbySets.of(function, prices, self._near, codes)
        every, items = np.arange(len(self.rows)), len(self.program.need)
        self.shown = self.sets.shown(every, self.rows, items)
        self._rng = np.random.default_rng(seed)
        self._gained = 0

    def search(self, workers: int, patience: int) -> Limit | None:
        """Solve programs, one for each worker at a time.

        Parameters
        ----------
        workers
            So many programs at once.
        patience
            Stop after so many programs without a gain, or fewer for few types.
        """
        run, idle = self.run, 0
        patience = min(patience, _LEAST_PATIENCE + len(self.program))
        active = list[tuple[Part, MipSearch, float]]()
        offered = run.elapsed
        try:
            while idle < patience and not run.closed:
                if run.remaining <= 0:
                    return Limit.TIME
                while len(active) < workers:
                    if (part := self._draw()) is None:
                        return None
                    limit = min(_LONGEST, run.remaining)
                    search = MipSearch(part.program, limit, part.start)
                    active.append((part, search, run.elapsed))
                active[0][1].wait(_TICK)
                for x in range(len(active) - 1, -1, -1):
                    if not active[x][1].running:
                        idle = 0 if self._take(*active.pop(x)) else idle + 1
                if self._gained and run.elapsed > offered + _OFFER:
                    self._offer()
                    offered = run.elapsed
        finally:
            for _, search, _ in active:
                search.stop()
            if self._gained:
                self._offer()
        return None

    def _draw(self) -> Part | None:
        """Make a program around a type that pays over the least; None if none does."""
        sets, program = self.sets, self.program
        over = self.rows * np.minimum(sets.over, 2 * self._star)
        paid = np.cumsum(over)
        if not len(paid) or paid[-1] == 0:
            return None
        first = np.searchsorted(paid, self._rng.integers(paid[-1]), side="right")
        size = min(int(self._size), len(program))
        given = sets, self.rows, self.shown, program.need
        seed = int(self._rng.integers(2**31 - 1))
        types = grow(*given, self._near, int(sets.types[first]), size, seed)
        return part_of(*given, program.copies, types)

    def _take(self, part: Part, search: MipSearch, begun: float) -> bool:
        """Take what a program found, unless others changed meanwhile what it needs."""
        seconds = self.run.elapsed - begun
        found = list(search.solutions())
        point = integral(part.program, found[-1]) if found else None
        if seconds > _LONG:
            self._size = max(_LEAST_SIZE, _SHRINKAGE * self._size)
        if point is None:
            return False
        change = part.rows(point) - self.rows[part.sets]
        cost = int(self.sets.costs[part.sets] @ change)
        if cost >= 0 and seconds < _LONG:
            self._size = min(_GROWTH * self._size, len(self.program))
        if cost > 0 or not change.any():
            return False
        need = self.program.need
        shown = self.shown + self.sets.shown(part.sets, change, len(need))
        rows = self.rows[part.sets] + change
        if rows.min() < 0 or ((shown > 0) & (shown < need)).any():
            return False
        self.rows[part.sets], self.shown = rows, shown
        self._gained -= cost
        return cost < 0

    def _offer(self) -> None:
        self._gained = 0
        mask = self.program.mask(np.repeat(self.sets.codes, self.rows))
        if self.run.value is None or mask.value(self.run.table, self.run.objective) < (
            self.run.value
        ):
            self.run.offer(mask)
