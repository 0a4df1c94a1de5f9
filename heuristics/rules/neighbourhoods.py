"""Integer programs choose anew what some types show, while all others stay."""

from collections.abc import Callable

import numpy as np

from starmin.heuristics.rules.neighbourhood import NearbySets, Part, grow, part_of
from starmin.heuristics.rules.search_params import RuleSearchParams
from starmin.instances import Limit, Mask, Run
from starmin.instances.arrays import Bools, Ints
from starmin.models.rules.price_function import PriceFunction
from starmin.models.solvers.mip_search import MipSearch, integral

_TICK = 0.002  # seconds between looks at the programs
_OFFER = 1.0  # seconds between masks that the run learns
_LONGEST = 3.0  # seconds of a program
_LONG = 0.5  # seconds, from which on neighbourhoods become no larger
_GROWTH, _SHRINKAGE = 1.02, 0.8
_LEAST_SIZE = 20
_LACK = 3.0  # what it costs at first that an item lacks a row, in mean costs of a star
_STUCK = 16  # programs after which no fewer are lacking: then it costs more,
_DEARER = 1.5  # so many times as much,
_HIGHEST = 60  # until that is the most: then other moves are better
_MENDING = 0.8  # the share of programs that begin where rows are lacking
_LEAST_PATIENCE = 20


class Neighbourhoods:
    """A mask, and the sets among which its types choose.

    ``run`` learns better masks. ``prices`` is what items cost. ``codes`` is what the
    copies of open types hide at first; some items may lack rows then.
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
        self._lack, self._stuck = 0, 0
        self.lacking = self._lacking(self.shown)

    @property
    def codes(self) -> Ints:
        """What the copies of open types hide."""
        return np.repeat(self.sets.codes, self.rows)

    def mend(self, workers: int, seconds: float) -> bool:
        """Solve programs until no item lacks rows; return whether none does.

        Each lacking row costs some stars, and more and more where that does not help.
        """
        end = self.run.elapsed + seconds
        most = round(_HIGHEST * self.program.mean_star_cost)
        self._lack = round(_LACK * self.program.mean_star_cost)

        def ends(_: int) -> bool:
            dear = self._lack > most
            return self.lacking == 0 or dear or self.run.elapsed > end

        self._solve(workers, ends)
        return self.lacking == 0

    def search(self, workers: int, patience: int) -> Limit | None:
        """Solve programs, one for each worker at a time.

        It stops after ``patience`` programs without a gain, or fewer for few types.
        """
        patience = min(patience, _LEAST_PATIENCE + len(self.program))
        return self._solve(workers, lambda idle: idle >= patience)

    def _solve(self, workers: int, ends: Callable[[int], bool]) -> Limit | None:
        """Solve programs until that ends, by how many gained nothing in a row."""
        run, idle = self.run, 0
        active = list[tuple[Part, MipSearch, float]]()
        offered = run.elapsed
        try:
            while not ends(idle) and not run.closed:
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
            if self._gained or self.run.value is None:
                self._offer()
        return None

    def _draw(self) -> Part | None:
        """Make a program around a type that pays over the least; None if none does."""
        sets, program = self.sets, self.program
        over = self.rows * np.minimum(sets.over, 2 * self._star)
        paid = np.cumsum(over)
        none = not len(paid) or paid[-1] == 0
        if self.lacking and (none or self._rng.random() < _MENDING):
            first = self._around_lack()
        elif none:
            return None
        else:
            at = self._rng.integers(paid[-1])
            own = np.searchsorted(paid, at, side="right")
            first = sets.types[own : own + 1]
        size = min(int(self._size), len(program))
        given = sets, self.rows, self.shown, program.need
        seed = int(self._rng.integers(2**31 - 1))
        types = grow(*given, self._near, first, size, seed)
        return part_of(*given, program.copies, types, self._lack)

    def _around_lack(self) -> Ints:
        """Return the types that show an item which lacks rows, and some that could."""
        sets, need = self.sets, self.program.need
        i = int(self._rng.choice(np.flatnonzero(self._few(self.shown))))
        own = sets.sets[sets.item_starts[i] : sets.item_starts[i + 1]]
        showing = self.rows[own] > 0
        could = own[~showing][: 2 * int(need[i])]
        types = sets.types[np.concatenate([own[showing], could])]
        return np.unique(types)[: int(self._size)]

    def _take(self, part: Part, search: MipSearch, begun: float) -> bool:
        """Take what a program found, unless others changed meanwhile what it needs."""
        seconds = self.run.elapsed - begun
        found = list(search.solutions())
        point = integral(part.program, found[-1]) if found else None
        self._stuck += 1
        if self.lacking and self._stuck >= _STUCK:
            self._stuck, self._lack = 0, round(_DEARER * self._lack)
        if seconds > _LONG:
            self._size = max(_LEAST_SIZE, _SHRINKAGE * self._size)
        if point is None:
            return False
        change = part.rows(point) - self.rows[part.sets]
        need = self.program.need
        shown = self.shown + self.sets.shown(part.sets, change, len(need))
        cost = int(self.sets.costs[part.sets] @ change)
        lacking = self._lacking(shown)
        cost += self._lack * (lacking - self.lacking)
        if cost >= 0 and seconds < _LONG:
            self._size = min(_GROWTH * self._size, len(self.program))
        if cost > 0 or not change.any():
            return False
        rows = self.rows[part.sets] + change
        if rows.min() < 0 or (lacking and not self.lacking):
            return False
        if lacking < self.lacking:
            self._stuck = 0
        self.rows[part.sets], self.shown, self.lacking = rows, shown, lacking
        self._gained -= cost
        return cost < 0

    def _lacking(self, shown: Ints) -> int:
        """Return how many rows items lack that too few rows show."""
        return int((self.program.need - shown)[self._few(shown)].sum())

    def _few(self, shown: Ints) -> Bools:
        """Mark the items that some rows show, but too few."""
        return np.asarray((shown > 0) & (shown < self.program.need))

    def _offer(self) -> None:
        if self.lacking:
            return
        self._gained = 0
        mask = self.program.mask(self.codes)
        if self.run.value is None or mask.value(self.run.table, self.run.objective) < (
            self.run.value
        ):
            self.run.offer(mask)
