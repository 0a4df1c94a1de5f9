"""The pricing problems of all patterns as arrays, for compiled loops."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from starmin.instances import RowTypes
from starmin.instances.arrays import Int32s, Ints
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE

BLOCK = 1 << 18  # incidences that are priced in about a millisecond


class PricingData(NamedTuple):
    """The pricing problems of all patterns, whatever the prices.

    The pricing problem of a pattern is to choose copies of its members that make a
    valid group, at the least reduced cost
    (``starmin.models.lagrangian_relaxation.price_bound``).
    """

    # starts, members: the members of pattern p, which are row types, stand in
    # ``members[starts[p] : starts[p + 1]]``
    starts: Ints
    members: Int32s
    cost: Ints  # what a row costs in each pattern, in units of ``PriceUnit``
    # counts, values: of each row type the number of copies and the sensitive value; all
    # values are 0 where no diversity is asked for
    counts: Ints
    values: Int32s
    k: int  # k, l: 1 where the requirement asks for none
    l: int
    # for k-anonymity: the least reduced cost in each pattern of a copy that is of no
    # member, however many there are; INFEASIBLE where there are none
    outside: Ints

    def block(self, at: slice) -> "PricingData":
        """Return the pricing problems of some consecutive patterns; no copies."""
        starts = self.starts[at.start : at.stop + 1]
        return self._replace(
            starts=starts, cost=self.cost[at], outside=self.outside[at]
        )


def blocks_of(starts: Ints) -> list[slice]:
    """Cut patterns into blocks of some incidences each, wherever they are priced.

    >>> blocks_of(np.array([0, 200_000, 300_000, 300_003, 300_004]))
    [slice(0, 2, None), slice(2, 4, None)]
    """
    count, total = len(starts) - 1, int(starts[-1])
    marks = np.arange(BLOCK, max(total, BLOCK), BLOCK)
    ends = np.unique(np.append(np.searchsorted(starts, marks), count))
    ends = ends[ends > 0]
    return [slice(*pair) for pair in pairwise([0, *ends.tolist()])]


def pricing_data(
    patterns: Patterns,
    types: RowTypes,
    k: int,
    l: int,
    outside: Ints | None = None,
) -> PricingData:
    """Return the pricing problems of the patterns, members in the patterns' order.

    Parameters
    ----------
    patterns, types
        The patterns and the distinct rows they are made of.
    k, l
        The requirement; l applies to the first sensitive column.
    outside
        See ``PricingData``; default: all types that fit a pattern are its members.
    """
    if outside is None:
        outside = np.full(len(patterns), INFEASIBLE)
    values = types.sensitive[:, 0] if l > 1 else np.zeros(len(types), np.int32)
    return PricingData(
        patterns.starts,
        patterns.types,
        patterns.cost.astype(np.int64) * patterns.unit.per_cost,
        patterns.counts,
        np.ascontiguousarray(values, np.int32),
        k,
        l,
        outside,
    )


class Memory(NamedTuple):
    """What the solutions at earlier prices say of each pattern."""

    # a pattern is not looked at before the prices have risen by so much in all since
    # the first call: until then its pricing problem has no negative value
    next_look: Ints
    # the h of the last best choice, where the search for the next one begins
    caps: Ints

    def block(self, at: slice) -> "Memory":
        """Return those of some consecutive patterns; no copies."""
        return Memory(self.next_look[at], self.caps[at])


class Workspace(NamedTuple):
    """Arrays that the loops write to, as long as the largest pattern has members."""

    keys: Ints  # keys, items: a heap of reduced costs and their types
    items: Int32s
    # queue_keys, queue_items: the cheapest members in order, those that have left the
    # heap
    queue_keys: Ints
    queue_items: Int32s
    sizes: Ints  # number of members in the heap, and in the queue
    used: Ints  # a count of each sensitive value; all zero before and after a call
    highest: Ints  # the l highest prices
    place: Ints  # a number of each row type


def workspace(data: PricingData) -> Workspace:
    """Return arrays of the lengths that these pricing problems need."""
    widest = int(np.diff(data.starts).max())
    return Workspace(
        np.empty(widest, np.int64),
        np.empty(widest, np.int32),
        np.empty(widest, np.int64),
        np.empty(widest, np.int32),
        np.zeros(2, np.int64),
        np.zeros(int(data.values.max()) + 1, np.int64),
        np.empty(data.l, np.int64),
        np.zeros(len(data.counts), np.int64),
    )
