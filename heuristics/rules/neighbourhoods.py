"""Choose anew what some types show by integer programs, while all others stay.

Items of the types touch; each is offered sets that cost little.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from starmin.heuristics.rules.search_params import RuleSearchParams
from starmin.instances import Limit, Mask, Run
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.set_pool import MOST_SETS, list_near, paid_for, shown_by
from starmin.models.solvers.mip_search import MipSearch, integral
from starmin.models.solvers.program import INF, Columns, Program, Rows

_MOST_PAIRS = 12_000_000  # of a set and an item that it shows


class NearbySets(NamedTuple):
    """What types may show, near to the least under prices."""

    # types, codes, costs, over: by set, in order of types: its type, the bits that it
    # hides, what a row pays, and how much that is above the least of its type, prices
    # included
    types: Ints
    codes: Ints
    costs: Ints
    over: Ints
    type_starts: Ints  # by type: its first set
    starts: Ints  # starts, items: by set: where its items begin, and these
    items: Int32s
    # item_starts, sets: by item: where the sets that show it begin, and these, cheap
    # ones first
    item_starts: Ints
    sets: Int32s

    @classmethod
    def of(
        cls, function: PriceFunction, prices: Ints, slack: int, codes: Ints
    ) -> "tuple[NearbySets, Ints]":
        """List sets within a slack of the least, those of a mask, and the rows of each.

        ``slack`` is in the unit of the function; ``codes`` is what the copies of the
        types hide in the mask, in order.
        """
        program = function.program
        choices, needs = program.choices, len(program.need)
        function.solve_types(prices)
        shown = max(1, len(choices.item) // max(1, len(program)))
        near = list_near(
            function,
            prices,
            np.full(len(program), slack),
            min(MOST_SETS, max(_MOST_PAIRS // shown, len(program))),
        )
        owners = np.repeat(np.arange(len(program)), program.copies)
        listed = np.repeat(np.arange(len(program)), np.diff(near.starts))
        every = np.stack([np.r_[listed, owners], np.r_[near.codes, codes]])
        (types, own), place = np.unique(every, axis=1, return_inverse=True)
        rows = np.bincount(place[len(listed) :], minlength=len(types))
        costs = program.costs_of(own, choices.types[types])
        paid = paid_for(function, types, own, costs, prices)
        least = np.full(len(program), np.iinfo(np.int64).max)
        np.minimum.at(least, types, paid)
        over = paid - least[types]
        sets, entries = shown_by(choices, types, own, np.ones(needs, bool))
        items = choices.item[entries]
        order = np.lexsort((over[sets], items))
        found = cls(
            types,
            own,
            costs,
            over,
            np.searchsorted(types, np.arange(len(program) + 1)),
            np.searchsorted(sets, np.arange(len(types) + 1)),
            items.astype(np.int32),
            np.searchsorted(items[order], np.arange(needs + 1)),
            sets[order].astype(np.int32),
        )
        return found, rows.astype(np.int64)

    def shown(self, sets: Ints, rows: Ints, items: int) -> Ints:
        """Count by item the rows that show it, of some sets, with ``rows`` by set."""
        used = rows != 0
        owners, pairs = self.pairs(sets[used])
        total = np.zeros(items, np.int64)
        np.add.at(total, pairs, rows[used][owners])
        return total

    def pairs(self, sets: Ints) -> tuple[Ints, Ints]:
        """Return the places of sets with an item each that the set shows."""
        lengths = self.starts[sets + 1] - self.starts[sets]
        owners = np.repeat(np.arange(len(sets)), lengths)
        first = np.cumsum(lengths) - lengths
        places = np.arange(len(owners)) + (self.starts[sets] - first)[owners]
        return owners, self.items[places].astype(np.int64)


_ITEMS = 6  # of a type, along which a neighbourhood grows
_OTHERS = 15  # types of an item that do not show it
_WANTED = 1.5  # times the rows that an item needs: those with fewer are contested


@compiled
def grow(
    sets: NearbySets,
    rows: Ints,
    shown: Ints,
    need: Ints,
    near: int,
    first: Ints,
    size: int,
    seed: int,
) -> Ints:
    """Return types around some: they show, or could, what few rows show.

    ``rows`` counts by set, ``shown`` and ``need`` by item; items of sets within
    ``near`` of the least of their type are followed, from ``first`` until ``size``
    types are found.
    """
    np.random.seed(seed)
    chosen, seen = np.zeros(len(sets.type_starts) - 1, np.bool_), {-1}
    found, items = np.empty(size, np.int64), np.empty(_ITEMS, np.int64)
    count, at = 0, 0
    for t in first[:size]:
        chosen[t], found[count] = True, t
        count += 1
    while at < count and count < size:
        other = at + np.random.randint(count - at)
        t, found[other] = found[other], found[at]
        found[at] = t
        at += 1
        drawn = 0
        for s in range(sets.type_starts[t], sets.type_starts[t + 1]):
            if sets.over[s] > near and rows[s] == 0:
                continue
            for x in range(sets.starts[s], sets.starts[s + 1]):
                i = sets.items[x]
                if shown[i] >= _WANTED * need[i] or i in seen:
                    continue
                seen.add(i)
                drawn += 1
                if drawn <= _ITEMS:
                    items[drawn - 1] = i
                elif np.random.randint(drawn) < _ITEMS:
                    items[np.random.randint(_ITEMS)] = i
        for i in items[: min(drawn, _ITEMS)]:
            others = 0
            for x in range(sets.item_starts[i], sets.item_starts[i + 1]):
                s = sets.sets[x]
                o = sets.types[s]
                if chosen[o] or count == size:
                    continue
                if rows[s] == 0:
                    if others == _OTHERS or np.random.random() < 0.3:
                        continue
                    others += 1
                chosen[o] = True
                found[count] = o
                count += 1
    return np.sort(found[:count])


class Part(NamedTuple):
    """What some types show, as an integer program."""

    sets: Ints  # those of the types
    columns: Ints  # which of them are its first columns
    # program, start: the program, and what the types show now as a point of it
    program: Program
    start: Floats

    def rows(self, point: Floats) -> Ints:
        """Return by set how many rows have it at a point."""
        rows = np.zeros(len(self.sets), np.int64)
        rows[self.columns] = np.rint(point[: len(self.columns)])
        return rows


def part_of(
    sets: NearbySets,
    rows: Ints,
    shown: Ints,
    need: Ints,
    copies: Ints,
    types: Ints,
    lack: int,
) -> Part:
    """Make the program of some types, where all others show what they show.

    An item that others show is shown by enough rows, or by none where no type shows it.
    Items that too few rows show now may lack rows, at a price: ``lack`` for each row.
    ``rows`` counts by set, ``shown`` and ``need`` by item, ``copies`` by type;
    ``types`` are in order.
    """
    lengths = np.diff(sets.type_starts)[types]
    first = np.cumsum(lengths) - lengths
    own = np.arange(lengths.sum()) + np.repeat(sets.type_starts[types] - first, lengths)
    others = shown - sets.shown(own, rows[own], len(need))
    owners, items = sets.pairs(own)
    asked = others[items] < need[items]
    owners, items = owners[asked], items[asked]
    place, room = np.searchsorted(types, sets.types[own]), copies[types]
    few = (shown > 0) & (shown < need)
    missing = np.where(few, 0, need - others)
    alive = _possible(owners, items, place, room, missing, len(own))
    columns, number = np.flatnonzero(alive), np.cumsum(alive) - 1
    kept = alive[owners]
    open_items, item = np.unique(items[kept], return_inverse=True)
    column, now = number[owners[kept]], rows[own[columns]]
    place, n, m = place[columns], len(columns), len(open_items)
    is_open = others[open_items] > 0
    closed, least = np.flatnonzero(~is_open), need[open_items]
    missing = np.where(is_open, least - others[open_items], 0)
    free = ~is_open[item]
    pairs = item[free] * len(types) + place[column[free]]
    links, link = np.unique(pairs, return_inverse=True)
    numbers, limits = np.arange(len(links)), room[links % len(types)]
    lacking = np.flatnonzero(few[open_items])
    made, share = Columns(), room[place]
    sets_of = made.add(n, sets.costs[own[columns]], share)
    opened = made.add(m, lower=is_open)
    lacks = made.add(len(lacking), lack, least[lacking])
    program = made.program(
        (
            Rows.of(len(room), room, room, (place, sets_of, 1)),
            Rows.of(
                *(m, missing, INF, (item, column, 1)),
                (closed, opened[closed], -least[closed]),
                (lacking, lacks, 1),
            ),
            Rows.of(
                *(len(links), -INF, 0, (link, column[free], 1)),
                (numbers, opened[links // len(types)], -limits),
            ),
        )
    )
    short = (need - shown)[open_items[lacking]]
    start = np.concatenate([now, shown[open_items] > 0, short]).astype(float)
    return Part(own, columns, program, start)


def _possible(
    owners: Ints, items: Ints, place: Ints, room: Ints, missing: Ints, sets: int
) -> Bools:
    """Find the sets all of whose items can be shown by enough rows."""
    alive = np.ones(sets, bool)
    while True:
        kept = alive[owners]
        found = np.unique(items[kept] * len(room) + place[owners[kept]])
        most = np.zeros(len(missing), np.int64)
        np.add.at(most, found // len(room), room[found % len(room)])
        rare = most[items] < missing[items]
        if not (rare & kept).any():
            return alive
        alive[owners[rare]] = False


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
        """Solve programs until no item lacks rows, ever dearer; whether none does."""
        end = self.run.elapsed + seconds
        most = round(_HIGHEST * self.program.mean_star_cost)
        self._lack = round(_LACK * self.program.mean_star_cost)

        def ends(_: int) -> bool:
            dear = self._lack > most
            return self.lacking == 0 or dear or self.run.elapsed > end

        self._solve(workers, ends)
        return self.lacking == 0

    def search(self, workers: int, patience: int) -> Limit | None:
        """Solve programs, one for each worker, until ``patience`` gained nothing."""
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
                active[0][1].call.wait(_TICK)
                for x in range(len(active) - 1, -1, -1):
                    if not active[x][1].call.running:
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
