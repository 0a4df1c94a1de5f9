r"""Sets of rows, and the groups that lie in them: cuts, and splits of a tree.

Let every group have K rows or more. Of a group that is published as box B, at most
:math:`|B \setminus S|` rows are outside of a set S of rows, so at least
:math:`K - |B \setminus S|` are in S. And :math:`e_{BS}` rows in S are in every group
in B, since they alone are at an end of it
(``starmin.models.boxes.walk.walk_bounds.find_ends``). Groups are disjoint; so, with
:math:`y_B` groups in box B, and for any whole p from 1 to K,

.. math::
    \sum_B \Big\lfloor \frac{\max(e_{BS}, K - |B \setminus S|)}{p} \Big\rfloor y_B
        \le \Big\lfloor \frac{|S|}{p} \Big\rfloor .

With p = K the left side is the number of groups whose boxes lie in S.

Where groups have D different sensitive values or more, a group in B has as many rows in
S, too, as it has values beyond those outside of S; of :math:`e_{BS}` rows the different
values are counted. Then each group that counts with p = K has D values in S, so the
right side is what ``starmin.models.boxes.master.joint`` says.
"""

from collections.abc import Sequence

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints, Shorts
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.master.joint import ROWS, TALLY, Tally, most_groups
from starmin.models.boxes.walk.box_data import BoxData
from starmin.models.boxes.walk.box_walk import count_forced, members_of
from starmin.models.boxes.walk.search import BoxPool, Groups
from starmin.models.boxes.walk.walk_bounds import rows_inside

PILES = 0  # the share of a set that counts the piles of groups inside


class RowSets:
    r"""Sets of row types, each with a share p, and their coefficients of boxes.

    A group of m rows that has a value m / l times at most is
    :math:`\lfloor m/l \rfloor` piles of l rows or more of different values. A set whose
    share is ``PILES`` counts the piles of groups inside. If numbers of groups and of
    piles are whole, what is left is a flow. One whose share is ``TALLY`` counts rows of
    groups in the box that has just its types.

    Coefficients follow as the pool grows. ``inside``, R x m, marks the types in each
    set, whose coefficients are divided by its ``share``; ``tallies`` says by place of a
    set what it counts, where that is rows of its box.
    """

    def __init__(self, pool: BoxPool) -> None:
        m = len(pool.data.counts)
        self.pool = pool
        self.inside = np.zeros((0, m), bool)
        self.share = np.zeros(0, np.int64)
        self._coefficients = np.zeros((0, len(pool)), np.int16)
        self.tallies: dict[int, Tally] = {}
        self._known: dict[tuple[bytes, int, bytes], int] = {}
        self._most: list[int] = []

    def __len__(self) -> int:
        return len(self.share)

    @property
    def most(self) -> Ints:
        """What the left side is at most in every release."""
        return np.array(self._most, np.int64)

    def _room(self, inside: Bools, share: int, tally: Tally | None) -> int:
        """Return what the left side is at most: where it counts groups, by values."""
        data = self.pool.data
        if tally is not None:
            counted = int((inside & tally.counted) @ data.counts)
            return counted if tally.kind == ROWS else 0
        if share in (PILES, data.least):
            return most_groups(data, inside, share or data.share)
        return int(inside @ data.counts) // share

    def add(self, inside: Bools, share: int, tally: Tally | None = None) -> int:
        """Add a set unless it is known; return its place."""
        counts = tally.kind.encode() + tally.counted.tobytes() if tally else b""
        key = np.packbits(inside).tobytes(), share, counts
        if key not in self._known:
            self._known[key] = len(self)
            if tally is not None:
                self.tallies[len(self)] = tally
            self.inside = np.vstack([self.inside, inside])
            self.share = np.append(self.share, share)
            self._most.append(self._room(inside, share, tally))
        return self._known[key]

    def drop(self, count: int) -> None:
        """Take the last sets away."""
        left = len(self) - count
        self._known = {k: s for k, s in self._known.items() if s < left}
        self.tallies = {s: tally for s, tally in self.tallies.items() if s < left}
        self.inside, self.share = self.inside[:-count], self.share[:-count]
        self._coefficients = self._coefficients[: len(self)]
        del self._most[-count:]

    @property
    def coefficients(self) -> Shorts:
        """R x B, those of all boxes."""
        rows, boxes = self._coefficients.shape
        if boxes < len(self.pool):
            more = self._compute(slice(0, rows), slice(boxes, None))
            self._coefficients = np.hstack([self._coefficients, more])
        if rows < len(self):
            more = self._compute(slice(rows, None), slice(0, None))
            self._coefficients = np.vstack([self._coefficients, more])
        return self._coefficients

    def _compute(self, sets: slice, boxes: slice) -> Shorts:
        bits, forced = self.pool.bits[boxes], self.pool.forced[boxes]
        found = np.zeros((len(self.share[sets]), len(bits)), np.int16)
        given = self.inside[sets], self.share[sets], found
        set_coefficients(self.pool.data, bits, forced, *given)
        return found

    def of_groups(self, groups: Groups, sets: slice = slice(None)) -> Shorts:
        """Return the coefficients of groups, R x g, for some of the sets."""
        found = self.coefficients[sets][:, groups.box]
        piles = self.share[sets] == PILES
        if piles.any():
            found[piles] *= (groups.sizes // self.pool.data.share).astype(np.int16)
        places = np.arange(len(self))[sets]
        if any(s in self.tallies for s in places.tolist()):
            found = found.astype(np.int32)
            for row, s in enumerate(places.tolist()):
                if (tally := self.tallies.get(s)) is not None:
                    each = tally.weight[groups.types] * groups.copies
                    total = np.add.reduceat(each, groups.starts[:-1]) + tally.constant
                    found[row] *= total.astype(np.int32)
        return found

    def tallied(self, multipliers: Sequence[int]) -> dict[int, list[tuple[int, Tally]]]:
        """Return by box what its rows are charged by, and how often."""
        found: dict[int, list[tuple[int, Tally]]] = {}
        for s, tally in self.tallies.items():
            if s < len(multipliers) and multipliers[s]:
                for box in np.flatnonzero(self.coefficients[s]).tolist():
                    found.setdefault(box, []).append((multipliers[s], tally))
        return found

    def gain(self, multipliers: Ints) -> Ints:
        """Return by box what each pile of a group is worth beside."""
        used = np.flatnonzero((self.share == PILES) & (multipliers != 0))
        return np.asarray(multipliers[used] @ self.coefficients[used].astype(int))

    def charges(self, multipliers: Ints) -> Ints:
        """Return by box what sets are worth that count neither piles nor rows."""
        used = np.flatnonzero((self.share > PILES) & (multipliers != 0))
        return np.asarray(multipliers[used] @ self.coefficients[used].astype(int))

    def on(self, pool: BoxPool) -> "RowSets":
        """Return the same sets, and their coefficients of the boxes of another pool."""
        sets = RowSets(pool)
        sets.inside, sets.share = self.inside, self.share
        sets._known, sets._most = dict(self._known), list(self._most)
        sets.tallies = dict(self.tallies)
        return sets


@inner
def holds_all(members: Int32s, inside: Bools) -> bool:
    """Return whether a set has all of some types."""
    outside = 0
    for t in members:
        outside += not inside[t]
    return bool(outside == 0)


@inner
def is_just(members: Int32s, inside: Bools) -> bool:
    """Return whether a set is that of some types."""
    size = 0
    for t in range(len(inside)):
        size += inside[t]
    return bool(size == len(members) and holds_all(members, inside))


@compiled
def set_coefficients(
    b: BoxData, bits: Ints, forced: Int32s, inside: Bools, share: Ints, found: Shorts
) -> None:
    """Fill in the coefficients of boxes, R x B."""
    order = np.arange(len(b.counts)).astype(np.int32)
    members = order.copy()
    for box in range(len(bits)):
        count = members_of(bits[box], order, members)
        ends = forced[box, : count_forced(forced[box])]
        for s in range(len(share)):
            if share[s] == TALLY:
                found[s, box] = is_just(members[:count], inside[s])
                continue
            rows = rows_inside(b, members[:count], ends, inside[s])
            if share[s] == PILES:
                found[s, box] = holds_all(members[:count], inside[s])
            else:
                found[s, box] = rows // share[s]
