"""Types whose items touch, and the integer program of what they show."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.rules.nearby_sets import NearbySets
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.solvers.program import INF, Program, Rows

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
    ``near`` of the least of their type are followed, from the types ``first`` until
    ``size`` are found.
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

    ``sets`` are what may be shown, and ``rows`` counts by set how many rows have it,
    ``shown`` and ``need`` by item the rows that show it and that it needs, ``copies``
    by type its rows. ``types`` are those that choose, in order.
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
    lacks = n + m + np.arange(len(lacking))
    blocks = (
        Rows(place, np.arange(n), np.ones(n), room.astype(float), room.astype(float)),
        Rows(
            np.concatenate([item, closed, lacking]),
            np.concatenate([column, n + closed, lacks]),
            np.concatenate([np.ones(len(item)), -least[closed], np.ones(len(lacks))]),
            missing.astype(float),
            np.full(m, INF),
        ),
        Rows(
            np.concatenate([link, numbers]),
            np.concatenate([column[free], n + links // len(types)]),
            np.concatenate([np.ones(len(link)), -limits]),
            np.full(len(links), -INF),
            np.zeros(len(links)),
        ),
    )
    program = Program(
        np.concatenate(
            [sets.costs[own[columns]], np.zeros(m), np.full(len(lacks), lack)]
        ).astype(float),
        np.concatenate([np.zeros(n), is_open, np.zeros(len(lacks))]),
        np.concatenate([room[place], np.ones(m), least[lacking]]).astype(float),
        np.ones(n + m + len(lacks), bool),
        blocks,
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
