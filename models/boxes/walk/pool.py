"""The boxes that are known, and their cheapest groups."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.models.boxes.walk.box_data import BoxData
from starmin.models.boxes.walk.cheapest_group import (
    PricedBoxes,
    fill_boxes,
    price_boxes,
)
from starmin.models.boxes.walk.geometry import describe
from starmin.models.boxes.walk.search import new_seen


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
        keys = [key.tobytes() for key in np.hstack([lows, highs])]
        new = [i for i, key in enumerate(keys) if self._note(key)]
        if new:
            self._append(lows[new], highs[new])
        return np.array([self._known[key] for key in keys], np.int64)

    def places(self, lows: Int32s, highs: Int32s) -> Ints:
        """Return the places of boxes, -1 for those that are not known."""
        keys = np.hstack([lows, highs])
        return np.array([self._known.get(key.tobytes(), -1) for key in keys], np.int64)

    def _note(self, key: bytes) -> bool:
        if key in self._known:
            return False
        self._known[key] = len(self._known)
        return True

    def _append(self, lows: Int32s, highs: Int32s) -> None:
        count, m = len(lows), len(self.data.counts)
        cost = np.zeros(count, np.int64)
        bits = np.zeros((count, self.bits.shape[1]), np.int64)
        forced = np.zeros((count, self.forced.shape[1]), np.int32)
        describe(self.data, lows, highs, np.zeros(m, np.int32), cost, bits, forced)
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
        worth = np.zeros(len(priced.cost), np.int64)
        price_boxes(self.data, priced, self._seen, worth)
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
        room = len(boxes) * (self.data.most + self.forced.shape[1])
        starts = np.zeros(len(boxes) + 1, np.int64)
        types, copies = np.zeros(room, np.int32), np.zeros(room, np.int64)
        priced = self._priced(prices, boxes, gain)
        fill_boxes(self.data, priced, self._seen, starts, types, copies)
        end = int(starts[-1])
        return Groups(boxes, starts, types[:end], copies[:end])

    def members(self, boxes: Ints | None = None) -> Bools:
        """Return which types fit each of some boxes, by default of all."""
        bits = self.bits if boxes is None else self.bits[boxes]
        at = np.arange(len(self.data.counts))
        return np.asarray(bits[:, at >> 6] >> (at & 63) & 1, bool)
