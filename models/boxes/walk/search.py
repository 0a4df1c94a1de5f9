"""Boxes by the worth of their cheapest groups: the walk, with room as it is needed."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.models.boxes.walk.box_data import BoxData, BoxWalk
from starmin.models.boxes.walk.box_fills import PricedBoxes, fill_boxes, price_boxes
from starmin.models.boxes.walk.box_walk import (
    AT,
    DEPTH,
    FOUND,
    FULL,
    NO_ROOM_BOXES,
    NO_ROOM_MEMBERS,
    NO_ROOM_STACK,
    WORK,
    start,
    walk_on,
)
from starmin.models.boxes.walk.walk_bounds import describe
from starmin.models.patterns.node_arrays import doubled

_ROOM = 4_096  # for sets that wait, and for boxes, at first
_WORK = 5_000_000  # types and places looked at between two looks at the clock


class Charges(NamedTuple):
    """Sets of row types by which boxes are charged.

    ``starmin.models.boxes.master.side_constraints`` says how.
    """

    inside: Bools  # R x m: which types are in each set
    share: Ints  # by what its coefficients are divided
    charge: Ints  # what each costs, times its coefficient; 0 or more


class FoundBoxes(NamedTuple):
    """Boxes, and what their cheapest groups are worth; none is left out below
    ``threshold``."""

    lows: Int32s
    highs: Int32s
    worth: Ints
    threshold: int

    @property
    def least(self) -> int:
        """What no box is worth less than, listed or not; at most 0."""
        return int(self.worth.min(initial=min(0, self.threshold)))


def find_boxes(
    data: BoxData,
    prices: Ints,
    charges: Charges,
    threshold: int,
    most: int,
    check_time: Callable[[], None],
) -> FoundBoxes:
    """Find the boxes whose cheapest group pays less than a threshold above its prices.

    Boxes worth ``threshold`` or more are not looked for. At most ``most`` are found:
    where there are more, the threshold becomes lower. ``check_time`` is called now and
    then.
    """
    order = np.argsort(-prices, kind="stable").astype(np.int32)
    walk = _walk(data, prices, charges, threshold, most)
    start(walk, order)
    while True:
        check_time()
        walk.state[WORK], walk.state[FULL] = _WORK, 0
        walk_on(walk)
        full = walk.state[FULL]
        if full == NO_ROOM_BOXES:
            if walk.state[FOUND] > 2 * most:
                _tighten(walk, most)
            else:
                walk = doubled(walk, "found_lows", "found_highs", "worth")
        elif full == NO_ROOM_MEMBERS:
            walk = doubled(walk, "members")
        elif full == NO_ROOM_STACK:
            walk = doubled(walk, "stack", "lows", "highs")
        elif walk.state[DEPTH] == 0:
            break
    if walk.state[FOUND] > most:
        _tighten(walk, most)
    found = int(walk.state[FOUND])
    return FoundBoxes(
        walk.found_lows[:found].copy(),
        walk.found_highs[:found].copy(),
        walk.worth[:found].copy(),
        int(walk.threshold[0]),
    )


def _walk(
    data: BoxData, prices: Ints, charges: Charges, threshold: int, most: int
) -> BoxWalk:
    d, m = data.place.shape
    used = charges.charge > 0
    places = max(data.loss.shape[1], data.lower.shape[1])
    room = _ROOM
    return BoxWalk(
        data,
        prices,
        np.ascontiguousarray(charges.inside[used]),
        charges.share[used],
        charges.charge[used],
        np.array([threshold], np.int64),
        members=np.zeros(m + 16 * room, np.int32),
        stack=np.zeros((room, AT + 1), np.int64),
        lows=np.zeros((room, d), np.int32),
        highs=np.zeros((room, d), np.int32),
        heads=np.zeros(data.most + 1, np.int64),
        tags=np.zeros(data.most + 1, np.int32),
        own_heads=np.zeros(data.most + 1, np.int64),
        own_tags=np.zeros(data.most + 1, np.int32),
        first=np.zeros(d, np.int32),
        last=np.zeros(d, np.int32),
        paid=np.zeros(m, np.int64),
        tally=np.zeros(places, np.int32),
        starts=np.zeros(places + 1, np.int32),
        sorted=np.zeros(m, np.int32),
        forced=np.zeros(2 * d, np.int32),
        ends=np.zeros(2 * d + 2, np.int32),
        types=np.zeros(data.most + 2 * d, np.int32),
        copies=np.zeros(data.most + 2 * d, np.int64),
        seen=new_seen(data),
        found_lows=np.zeros((room, d), np.int32),
        found_highs=np.zeros((room, d), np.int32),
        worth=np.zeros(room, np.int64),
        state=np.zeros(4, np.int64),
    )


def new_seen(data: BoxData) -> Ints:
    """Return marks of sensitive values, none of them set."""
    return np.zeros(int(data.value.max()) + 2, np.int64)


def _tighten(walk: BoxWalk, most: int) -> None:
    """Keep the best boxes, and lower the threshold: no other box is worth less."""
    found = int(walk.state[FOUND])
    order = np.argpartition(walk.worth[:found], most)
    keep, limit = np.sort(order[:most]), int(walk.worth[order[most]])
    for part in (walk.found_lows, walk.found_highs, walk.worth):
        part[:most] = part[keep]
    walk.state[FOUND], walk.threshold[0] = most, limit


# The boxes that are known, and their cheapest groups.


class Groups(NamedTuple):
    """Groups of rows, each in a box: group g has ``copies`` of ``types`` from
    ``starts[g]`` to ``starts[g + 1]``."""

    box: Ints
    starts: Ints
    types: Int32s
    copies: Ints

    @property
    def sizes(self) -> Ints:
        """Rows of each group."""
        return np.asarray(np.add.reduceat(self.copies, self.starts[:-1]), np.int64)

    def contents(self) -> list[tuple[int, bytes, bytes]]:
        """Return of each group what tells it from others."""
        cuts = self.starts[1:-1]
        parts = [np.split(each, cuts) for each in (self.types, self.copies)]
        return [
            (box, types.tobytes(), copies.tobytes())
            for box, types, copies in zip(self.box.tolist(), *parts, strict=True)
        ]

    def entries(self, number: Ints) -> tuple[Ints, Ints]:
        """Return the entries of some groups, and of each the place of its group."""
        lengths = np.diff(self.starts)[number]
        begins = np.cumsum(lengths) - lengths
        at = np.arange(lengths.sum()) + np.repeat(self.starts[number] - begins, lengths)
        return at, np.repeat(np.arange(len(number)), lengths)

    def select(self, keep: Bools, box: Ints) -> "Groups":
        """Return the groups that are marked in ``keep``, in boxes of other numbers.

        ``box`` has the box of each group that is kept.
        """
        lengths = np.diff(self.starts)
        entries = np.repeat(keep, lengths)
        return Groups(
            box,
            np.append(0, np.cumsum(lengths[keep])),
            self.types[entries],
            self.copies[entries],
        )


class BoxPool:
    """A list of boxes that grows, each of them once.

    By box, ``lows`` and ``highs`` are its ends, ``cost`` is what a row pays, ``bits``
    are the types that fit, and ``forced`` those that every group published so has.
    """

    def __init__(self, data: BoxData) -> None:
        d, m = data.place.shape
        self.data = data
        self.lows = np.zeros((0, d), np.int32)
        self.highs = np.zeros((0, d), np.int32)
        self.cost = np.zeros(0, np.int64)
        self.bits = np.zeros((0, (m + 63) // 64), np.int64)
        self.forced = np.zeros((0, 2 * d), np.int32)
        self._known: dict[bytes, int] = {}
        self._seen = new_seen(data)

    def __len__(self) -> int:
        return len(self.cost)

    def add(self, lows: Int32s, highs: Int32s) -> Ints:
        """Add boxes that are not known; return the places of all of them."""
        known, size = self._known, len(self._known)
        keys = [key.tobytes() for key in np.hstack([lows, highs])]
        found = np.array([known.setdefault(key, len(known)) for key in keys], np.int64)
        places, first = np.unique(found, return_index=True)
        new = first[places >= size]
        if len(new):
            self._append(lows[new], highs[new])
        return found

    def places(self, lows: Int32s, highs: Int32s) -> Ints:
        """Return the places of boxes, -1 for those that are not known."""
        keys = np.hstack([lows, highs])
        return np.array([self._known.get(key.tobytes(), -1) for key in keys], np.int64)

    def _append(self, lows: Int32s, highs: Int32s) -> None:
        cost, bits, forced = describe(self.data, lows, highs)
        self.lows = np.concatenate([self.lows, lows])
        self.highs = np.concatenate([self.highs, highs])
        self.cost = np.concatenate([self.cost, cost])
        self.bits = np.concatenate([self.bits, bits])
        self.forced = np.concatenate([self.forced, forced])

    def worth(
        self, prices: Ints, gain: Ints | None = None, boxes: Ints | None = None
    ) -> Ints:
        """Return what the cheapest group of each box pays above its prices.

        Prices are by type. ``gain`` says by box what each pile of a group is worth
        beside: see ``best_fill``. Only ``boxes`` are looked at; by default all.
        """
        some = slice(None) if boxes is None else boxes
        priced = self._priced(prices, some, gain)
        worth: Ints = price_boxes(self.data, priced, self._seen)
        return worth

    def _priced(
        self, prices: Ints, some: Ints | slice, gain: Ints | None
    ) -> PricedBoxes:
        parts = self.cost[some], self.bits[some], self.forced[some]
        gain = np.zeros(len(parts[0]), np.int64) if gain is None else gain[some]
        order = np.argsort(-prices, kind="stable").astype(np.int32)
        return PricedBoxes(prices, order, *parts, gain)

    def fills(self, prices: Ints, boxes: Ints, gain: Ints | None = None) -> Groups:
        """Return the cheapest group of each of some boxes, which have one."""
        priced = self._priced(prices, boxes, gain)
        return Groups(boxes, *fill_boxes(self.data, priced, self._seen))

    def members(self, boxes: Ints | None = None) -> Bools:
        """Return which types fit each of some boxes, by default of all."""
        bits = self.bits if boxes is None else self.bits[boxes]
        at = np.arange(len(self.data.counts))
        return np.asarray(bits[:, at >> 6] >> (at & 63) & 1, bool)
