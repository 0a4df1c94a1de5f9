r"""Rows of the program that do not cover: for sensitive columns, for sets of rows.

**Several sensitive columns, or distinct values beside shares.** The cheapest group of
a box is a matter of sorting where one column asks for shares of values, or for a
number of them. It is so no longer where several do: with two columns of shares it is
a common independent set of two matroids. So pricing asks for one of the columns
alone, and rows of the program for the others. For a box B, with :math:`x_t` rows of
type t that are published as B, and :math:`y` groups,

.. math::
    l \sum_{t \in T} x_t \le \sum_t x_t, \qquad
    \sum_{t \in T} x_t \ge \big(D - |V(B \setminus T)|\big)\, y,

where T are the types of B that have a certain value in some column, and in the second
row any types of B: those that are not in T have :math:`|V(B \setminus T)|` values of
a column, and a group has D. Where all x and y are whole, and all these rows hold, the
rows of B are a valid group: with T the types whose values it lacks, the second row is
:math:`0 \ge D` less the number of values that it has. And x is made whole by splits
like y.

**Sets of rows.** Let every group have K rows or more. Of a group that is published as
box B, at most :math:`|B \setminus S|` rows are outside of a set S of rows, so at
least :math:`K - |B \setminus S|` are in S. And :math:`e_{BS}` rows in S are in every
group in B, since they alone are at an end of it
(``starmin.models.boxes.walk.walk_bounds.find_ends``). Groups are disjoint; so, with
:math:`y_B` groups in box B, and for any whole p from 1 to K,

.. math::
    \sum_B \Big\lfloor \frac{\max(e_{BS}, K - |B \setminus S|)}{p} \Big\rfloor y_B
        \le \Big\lfloor \frac{|S|}{p} \Big\rfloor .

With p = K the left side is the number of groups whose boxes lie in S.

Where groups have D different sensitive values or more, a group in B has as many rows
in S, too, as it has values beyond those outside of S; of :math:`e_{BS}` rows the
different values are counted. Then each group that counts with p = K has D values in
S, so the right side is what ``most_in_each`` says.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from starmin.instances import RowTypes
from starmin.instances.arrays import Bools, Floats, Int32s, Ints, Shorts
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.requirements.requirement import Core
from starmin.models.boxes.walk.box_data import BoxData, GroupRule
from starmin.models.boxes.walk.box_fills import count_forced, members_of
from starmin.models.boxes.walk.search import BoxPool, Groups
from starmin.models.boxes.walk.walk_bounds import rows_inside

# How many groups there can be in a set of rows, by its size and its values.
#
# Let each group have K rows or more, and D different sensitive values or more. For N
# groups inside a set of rows, of which :math:`n_v` have the value v,
#
# .. math:: KN \le \sum_v n_v, \qquad r_j N \le \sum_{v \text{ not among the } j
# \text{ most frequent}} n_v \quad \text{for } 0 \le j < D,
#
# if each group has :math:`r_j` rows or more whose value is none of any j ones: D - j,
# or, with diversity by frequency, more (``GroupRule.rows_beyond``).


def most_groups(data: BoxData, inside: Bools, least: int) -> int:
    """Return how many groups, or piles, of so many rows a set of types has at most."""
    rows = int(data.counts[inside].sum())
    most = rows // least
    if data.values > 1:
        held = np.bincount(data.value[inside], data.counts[inside])
        frequent = np.sort(held)[::-1].astype(int).tolist()
        for j, needed in enumerate(needed_beyond(data, least)):
            most = min(most, (rows - sum(frequent[:j])) // needed)
    return most


def needed_beyond(data: BoxData, least: int) -> list[int]:
    """Return how many rows of a group, or pile, have none of j values, by j."""
    rule = GroupRule(data.kind, data.least, data.most, data.share, data.values)
    return [rule.rows_beyond(j, least) for j in range(data.values)]


def most_in_each(data: BoxData, sets: Bools) -> Ints:
    """Return how many groups there are at most inside each of some sets of types."""
    if data.values < 2:
        return np.asarray(sets @ data.counts // data.least, np.int64)
    return np.array([most_groups(data, one, data.least) for one in sets], np.int64)


TALLY = -1  # the share of a set that counts rows of its own box
ROWS, SHARE, VALUES = "rows", "share", "values"


class Tally(NamedTuple):
    """What counts rows of the groups of one box."""

    # ``ROWS``: rows of some types; ``SHARE`` and ``VALUES``: as above, at most 0
    kind: str
    counted: Bools  # by row type: the types T
    # weight, constant: what a row of each type counts, and what a group counts beside
    weight: Ints
    constant: int = 0

    @classmethod
    def rows(cls, counted: Bools) -> "Tally":
        """Count rows of some types."""
        return cls(ROWS, counted, counted.astype(np.int64))


class Joint(NamedTuple):
    """What groups need in all sensitive columns."""

    values: Int32s  # m x s: the sensitive codes of the types
    base: int  # the column whose rule prices groups
    most: int  # in how many rows a value of that column is at most
    # l, distinct: no value is in more than 1/l of a group, which has so many different
    # ones
    l: int
    distinct: int

    @classmethod
    def of(cls, types: RowTypes, core: Core) -> "Joint | None":
        """Return what is left out by the rule of one column; None where nothing is.

        The column in which few values are frequent asks for most.
        """
        columns = types.sensitive.shape[1]
        both = core.diversity > 1 and core.distinct > 1
        if max(core.diversity, core.distinct) == 1 or (columns == 1 and not both):
            return None
        held = [np.bincount(v, types.counts).astype(int) for v in types.sensitive.T]
        base = int(np.argmax([(each**2).sum() for each in held]))
        values = types.sensitive.astype(np.int32)
        most = int(held[base].max())
        return cls(values, base, most, core.diversity, core.distinct)

    def groups_by_value(self, members: Bools) -> Iterator[Bools]:
        """Yield the types of a set that have a certain value in a column."""
        for codes in self.values.T:
            for value in np.unique(codes[members]):
                yield members & (codes == value)

    def short(self, members: Bools, rows: Floats, groups: float) -> list[Tally]:
        """List the rows of the program that a point breaks in a box.

        ``members`` marks the types of the box; ``rows`` says how many rows of each type
        are published so, and ``groups`` in how many groups.
        """
        found, some = list[tuple[float, Tally]](), 1e-6
        if self.l > 1:
            for counted in self.groups_by_value(members):
                excess = self.l * rows[counted].sum() - rows.sum()
                if excess > some:  # no value is in more than one of l rows
                    weight = self.l * counted.astype(np.int64) - 1
                    found.append((excess, Tally(SHARE, counted, weight)))
        if self.distinct > 1:
            for codes in self.values.T:  # values with less than a row for each group
                counted = members & (np.bincount(codes, rows)[codes] < groups)
                tally = self.number(members, counted)
                excess = tally.constant * groups - rows[counted].sum()
                if excess > some:
                    found.append((excess, tally))
        found.sort(key=lambda each: -each[0])
        return [tally for _, tally in found]

    def number(self, members: Bools, counted: Bools) -> Tally:
        """Return the row that has values among some types, by what others have."""
        others = members & ~counted
        least = min(len(np.unique(codes[others])) for codes in self.values.T)
        constant = max(0, self.distinct - least)
        return Tally(VALUES, counted, -counted.astype(np.int64), constant)


def fractional_rows(
    joint: Joint, members: Bools, rows: Floats
) -> tuple[float, Bools, float]:
    """Return the types of a box whose number of rows is least near to a whole one.

    First comes how far it is from one, then the types, and their rows. Those of a value
    come before single types.
    """
    best = 0.0, members, 0.0
    singles = (np.arange(len(rows)) == t for t in np.flatnonzero(members))
    kinds: Sequence[Iterator[Bools]] = [joint.groups_by_value(members), singles]
    for counted_sets in kinds:
        for counted in counted_sets:
            number = float(rows[counted].sum())
            far = abs(number - round(number))
            if far > best[0]:
                best = far, counted, number
        if best[0] > 1e-4:
            break
    return best


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
        given = self.pool.bits[boxes], self.pool.forced[boxes], self.inside[sets]
        found: Shorts = set_coefficients(self.pool.data, *given, self.share[sets])
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
    b: BoxData, bits: Ints, forced: Int32s, inside: Bools, share: Ints
) -> Shorts:
    """Return the coefficients of boxes, R x B."""
    found = np.zeros((len(share), len(bits)), np.int16)
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
    return found
