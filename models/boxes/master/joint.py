r"""Several sensitive columns, or distinct values beside shares: what is left out.

The cheapest group of a box is a matter of sorting where one column asks for shares of
values, or for a number of them. It is so no longer where several do: with two columns
of shares it is a common independent set of two matroids. So pricing asks for one of the
columns alone, and rows of the program for the others. For a box B, with
:math:`x_t` rows of type t that are published as B, and :math:`y` groups,

.. math::
    l \sum_{t \in T} x_t \le \sum_t x_t, \qquad
    \sum_{t \in T} x_t \ge \big(D - |V(B \setminus T)|\big)\, y,

where T are the types of B that have a certain value in some column, and in the second
row any types of B: those that are not in T have :math:`|V(B \setminus T)|` values of a
column, and a group has D. Where all x and y are whole, and all these rows hold, the
rows of B are a valid group: with T the types whose values it lacks, the second row is
:math:`0 \ge D` less the number of values that it has. And x is made whole by splits
like y.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from starmin.instances import RowTypes
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.requirements.requirement import Core
from starmin.models.boxes.walk.box_data import BoxData, GroupRule

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
                if excess > some:
                    found.append((excess, self.share(counted)))
        if self.distinct > 1:
            for counted in self._rare(members, rows, groups):
                tally = self.number(members, counted)
                excess = tally.constant * groups - rows[counted].sum()
                if excess > some:
                    found.append((excess, tally))
        found.sort(key=lambda each: -each[0])
        return [tally for _, tally in found]

    def _rare(self, members: Bools, rows: Floats, groups: float) -> Iterator[Bools]:
        """Yield types of values of which a point has less than a row for each group."""
        for codes in self.values.T:
            yield members & (np.bincount(codes, rows)[codes] < groups)

    def share(self, counted: Bools) -> Tally:
        """Return the row that has a value in one of l rows at most."""
        weight = self.l * counted.astype(np.int64) - 1
        return Tally(SHARE, counted, weight)

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
