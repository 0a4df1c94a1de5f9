"""Group-count cuts in the Lagrangian function of the pattern formulation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.pattern_program.pattern_program import GroupCut
from starmin.models.patterns.patterns import Patterns, numbers_of_both

Number = TypeVar("Number", Ints, Floats)


@dataclass(frozen=True, eq=False)
class CutTerms:
    r"""What cuts add to the values of patterns, for a list of these.

    A cut, times r, is :math:`\sum_{p \in I} (r y_p - \sum_{t \notin T} x_{pt}) \le r q`
    (``starmin.models.pattern_program.pattern_program``).
    """

    # imports, import_cut: incidences of copies that cuts count as imports, and the cut
    # of each
    imports: Ints
    import_cut: Ints
    opened: Ints  # opened, open_cut: patterns of cuts, and the cut of each
    open_cut: Ints
    r: Ints  # r, q: of each cut
    q: Ints

    @classmethod
    def of(cls, patterns: Patterns, cuts: Sequence[GroupCut], k: int) -> "CutTerms":
        """Look up cuts in the patterns that they are numbered by."""
        imports = [cut.imports(patterns) for cut in cuts]
        limits = [cut.limits(patterns, k) for cut in cuts]
        each, none = np.arange(len(cuts)), np.zeros(0, np.int64)
        return cls(
            np.concatenate([none, *imports]),
            np.repeat(each, [len(some) for some in imports]),
            np.concatenate([none, *(cut.patterns for cut in cuts)]),
            np.repeat(each, [len(cut.patterns) for cut in cuts]),
            *np.array(limits, np.int64).reshape(-1, 2).T,
        )

    def charges(self, patterns: Patterns, multipliers: Number) -> tuple[Number, Number]:
        """Return what multipliers make copies cheaper by, and patterns dearer."""
        cheaper = np.zeros(len(patterns.types), multipliers.dtype)
        opening = np.zeros(len(patterns), multipliers.dtype)
        charge(self.imports, self.import_cut, multipliers, cheaper)
        charge(self.opened, self.open_cut, multipliers * self.r, opening)
        return cheaper, opening

    def excess(self, x: Floats, y: Floats) -> Floats:
        """Return by how much a point violates each cut, times r."""
        count = len(self.r)
        opened = np.bincount(self.open_cut, y[self.opened], minlength=count)
        imported = np.bincount(self.import_cut, x[self.imports], minlength=count)
        return np.asarray(self.r * (opened - self.q) - imported)


@compiled
def charge(places: Ints, cuts: Ints, amounts: Number, total: Number) -> None:
    """Add to each of these places what its cut has."""
    for i in range(len(places)):
        total[places[i]] += amounts[cuts[i]]


def renumbered(
    cuts: Sequence[GroupCut], last: Patterns, listed: Patterns
) -> list[GroupCut]:
    """Return cuts of a list by the numbers of another; patterns that it lacks leave."""
    old, new = numbers_of_both(last, listed)
    place = np.full(len(last) + len(listed), -1)
    place[new] = np.arange(len(new))
    found = (place[old[cut.patterns]] for cut in cuts)
    return [
        GroupCut(cut.types, np.sort(at[at >= 0]))
        for cut, at in zip(cuts, found, strict=True)
    ]


class Point:
    """The best choices of rows at some prices, and what they are worth together.

    ``x`` has copies by incidence, ``y`` says whether each pattern has some, and
    ``short`` by type what its copies are short of.
    """

    def __init__(self, patterns: Patterns) -> None:
        self.x, self.y = np.zeros(len(patterns.types)), np.zeros(len(patterns))
        self.short = patterns.counts.astype(float)


class PricedRows(NamedTuple):
    """Patterns, and what their rows are worth."""

    # starts, types, copies, cost: the patterns, as in
    # ``starmin.models.patterns.patterns``
    starts: Ints
    types: Int32s
    copies: Ints
    cost: Ints
    # prices, cheaper, opening: what a copy of each type is worth, what one of each
    # incidence costs less, and what each pattern costs at once
    prices: Floats
    cheaper: Floats
    opening: Floats


@compiled
def choose_rows(rows: PricedRows, k: int, x: Floats, y: Floats, short: Floats) -> float:
    """Choose at least k copies for each pattern where that is worth something.

    Returns the sum of the costs of the choices, none above 0. ``x``, copies by
    incidence, and ``y``, whether each pattern has some, are zeros before; both are
    updated, and so is ``short``, by type what its copies are short of.
    """
    starts, types, copies, cost, prices, cheaper, opening = rows
    total = 0.0
    longest = 0
    for p in range(len(starts) - 1):
        longest = max(longest, starts[p + 1] - starts[p])
    reduced, room = np.zeros(longest), min(k, longest) + 1
    places, costs = np.zeros(room, np.int64), np.zeros(room)
    for p in range(len(starts) - 1):
        begin, size = starts[p], starts[p + 1] - starts[p]
        value, chosen = opening[p], np.int64(0)
        for i in range(size):
            t = types[begin + i]
            reduced[i] = cost[p] - prices[t] - cheaper[begin + i]
            if reduced[i] < 0:
                value += reduced[i] * copies[t]
                chosen += copies[t]
        if value >= 0:
            continue
        more = 0
        if chosen < k:
            more = _list_cheapest(
                types[begin : begin + size], copies, reduced, k - chosen, places, costs
            )
            left = k - chosen
            for i in range(more):
                taken = min(left, copies[types[begin + places[i]]])
                value += costs[i] * taken
                left -= taken
            if left > 0 or value >= 0:
                continue
        total += value
        y[p] = 1.0
        for i in range(size):
            if reduced[i] < 0:
                t = types[begin + i]
                x[begin + i] = copies[t]
                short[t] -= copies[t]
        left = k - chosen
        for i in range(more):
            t = types[begin + places[i]]
            taken = min(left, copies[t])
            x[begin + places[i]] = taken
            short[t] -= taken
            left -= taken
    return total


@inner
def _list_cheapest(
    types: Int32s, copies: Ints, reduced: Floats, need: int, places: Ints, costs: Floats
) -> int:
    """List the cheapest incidences that are not worth anything, ``need`` copies."""
    found, have = np.int64(0), np.int64(0)
    for e in range(len(types)):
        if reduced[e] < 0 or (have >= need and reduced[e] >= costs[found - 1]):
            continue
        i = found
        while i > 0 and costs[i - 1] > reduced[e]:
            costs[i], places[i] = costs[i - 1], places[i - 1]
            i -= 1
        costs[i], places[i] = reduced[e], e
        found += 1
        have += copies[types[e]]
        while found > 1 and have - copies[types[places[found - 1]]] >= need:
            have -= copies[types[places[found - 1]]]
            found -= 1
    return int(found)


@compiled
def add_open(
    starts: Ints, point: Floats, opened: Floats, share: float, x: Floats
) -> None:
    """Add a share of the copies of the patterns that are open."""
    for p in range(len(starts) - 1):
        if opened[p] > 0:
            for e in range(starts[p], starts[p + 1]):
                x[e] += share * point[e]
