"""A Lagrangian dive: in turn prices settle, and the surest rows are dealt."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from starmin.heuristics.annealing.start import draw, reserves
from starmin.heuristics.diving.dive_params import (
    DIVE_PARAMS,
    PILOT_PARAMS,
    DiveParams,
    PilotParams,
)
from starmin.instances import RowTypes
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from starmin.models.lagrangian_relaxation.pattern_fills import highest_cap
from starmin.models.lagrangian_relaxation.pricing_l import sort_by_value
from starmin.models.lagrangian_relaxation.subgradient import subgradient_steps
from starmin.models.patterns.patterns import Patterns


class Shares(NamedTuple):
    """Averages of pricing solutions, to be rounded to groups."""

    # starts, types: the patterns, their members in order of their sensitive values
    starts: Ints
    types: Int32s
    # copies that each member of a pattern has in its pricing solutions on average
    shares: Floats
    values: Int32s  # the sensitive value of each type
    left: Ints  # copies of each type that can be dealt
    k: int  # k, l: the requirement
    l: int
    add: float  # shares are rounded to ``floor(share + add)``, or fewer to make a group


@compiled
def what_fits(
    starts: Ints, types: Int32s, values: Int32s, left: Ints, k: int, l: int
) -> tuple[Ints, Ints, Ints]:
    """Find the patterns that rows of ``left`` can be a group of, and their members.

    These are in order of their sensitive values. Returns the patterns, where the
    members of each begin, and the numbers of these incidences.
    """
    patterns, ends = np.empty(len(starts), np.int64), np.zeros(len(starts), np.int64)
    kept = np.empty(len(types), np.int64)
    count, end = 0, 0
    for p in range(len(starts) - 1):
        begin, value, distinct, rows = end, -1, 0, 0
        for i in range(starts[p], starts[p + 1]):
            t = types[i]
            if left[t] > 0:
                kept[end] = i
                end += 1
                rows += left[t]
                if values[t] != value:
                    value = values[t]
                    distinct += 1
        if distinct < l or rows < k:
            end = begin
            continue
        patterns[count] = p
        count += 1
        ends[count] = end
    return patterns[:count].copy(), ends[: count + 1].copy(), kept[:end].copy()


@compiled
def distances(s: Shares) -> Floats:
    """Return by pattern how far its shares are from a group, by row; else infinite."""
    result = np.full(len(s.starts) - 1, np.inf)
    have = np.zeros(s.values.max() + 1, np.int64)
    for p in range(len(result)):
        if s.shares[s.starts[p] : s.starts[p + 1]].any():
            result[p] = _round(s, p, have, False)[0]
    return result


@compiled
def commit(s: Shares, order: Ints, farthest: float, faster: float, dealt: Ints) -> int:
    """Deal rounded shares that are no farther than that from a group; count the rows.

    A group is left out where the rows that are left without it would have too many of
    one value to be diverse together, for they could go nowhere; or where that comes
    nearer much faster than the rows get fewer: reserves may fall ``faster`` times as
    much as the rows that are left. Patterns take their rows in ``order``. ``s.left`` is
    updated: what earlier patterns took, others cannot have. So is ``dealt``, by member.
    """
    values, left, l = s.values, s.left, s.l
    rows, have = 0, np.zeros(values.max() + 1, np.int64)
    first, total = reserves(left, values, l), left.sum()
    reserve, used = first.copy(), np.zeros(values.max() + 1, np.int64)
    for p in order:
        a, b = s.starts[p], s.starts[p + 1]
        members = s.types[a:b]
        far = _round(s, p, have, False)[0]
        if far > farthest:
            continue
        before = left[members]
        size = _round(s, p, have, True)[1]
        taken = before - left[members]
        used[:] = 0
        for i in range(len(members)):
            used[values[members[i]]] += taken[i]
        kept = max(0.0, 1 - faster * (rows + size) / total)
        if not draw(reserve, used, size, l, kept * first - l):
            left[members] = before
            continue
        rows += size
        dealt[a:b] += taken
    return rows


@inner
def _round(s: Shares, p: int, have: Ints, take: bool) -> tuple[float, int]:
    """Round the shares of pattern p to a group; return their distance by row, its rows.

    ``have`` is scratch by value. With ``take`` the copies leave ``s.left``.
    """
    a, b = s.starts[p], s.starts[p + 1]
    members, shares = s.types[a:b], s.shares[a:b]
    values, left, add = s.values, s.left, s.add
    have[:] = 0
    for i in range(len(members)):
        t = members[i]
        have[values[t]] += min(left[t], int(shares[i] + add))
    cap = highest_cap(have, s.k, s.l)
    if cap == 0:
        return np.inf, 0
    have[:] = cap
    rows, far = 0, 0.0
    # What is rounded down comes first.
    for up in (False, True):
        for i in range(len(members)):
            t, copies = members[i], int(shares[i] + add)
            if (copies > shares[i]) != up:
                continue
            copies = min(copies, left[t], have[values[t]])
            have[values[t]] -= copies
            rows += copies
            far += abs(shares[i] - copies)
            if take:
                left[t] -= copies
    return far / rows, rows


Clock = Callable[[], float]


def some_patterns(
    whole: Patterns, chosen: Ints, starts: Ints, types: Int32s, row_types: RowTypes
) -> Patterns:
    """Return the chosen patterns, with other members and row types."""
    nodes, cost = whole.nodes[chosen], whole.cost[chosen]
    return Patterns(nodes, cost, starts, types, row_types, whole.unit)


def some_types(types: RowTypes, chosen: Ints | Bools, counts: Ints) -> RowTypes:
    """Return the chosen types, with their part of the copies ``counts``."""
    codes, sensitive = types.codes[chosen], types.sensitive[chosen]
    return replace(types, codes=codes, sensitive=sensitive, counts=counts[chosen])


@dataclass(frozen=True, eq=False)
class Stage:
    """Groups that a dive commits at a time."""

    prices: Floats  # at which they were chosen
    incidences: Ints  # of the patterns of the dive: those with copies
    copies: Ints  # how many each of these has

    @property
    def rows(self) -> int:
        """Return how many rows the stage deals."""
        return int(self.copies.sum())

    def rest(self, left: Ints, patterns: Patterns) -> Ints:
        """Return the copies of each type that are left after the stage."""
        after = left.copy()
        np.subtract.at(after, patterns.types[self.incidences], self.copies)
        return after


class Dive:
    """Deals rows to patterns such that few stars are paid.

    The pricing problem chooses the rows of each pattern that cost least at given
    prices. Where prices are near the best, the choices of one step lack some rows and
    have others twice, but on average over many steps they are near an optimal point of
    the linear relaxation (``starmin.models.bounds.lagrangian``). A dive commits what is
    almost integral in an average, even in one of a few steps, and goes on with the rows
    and the patterns that are left.

    The requirement has l > 1. ``clock`` tells the seconds that are left.
    """

    def __init__(
        self,
        patterns: Patterns,
        k: int,
        l: int,
        clock: Clock,
        params: DiveParams = DIVE_PARAMS,
    ) -> None:
        self.params, self.clock, self.star = params, clock, patterns.star
        self.types, self.k, self.l = patterns.row_types, k, l
        self.values = self.types.sensitive[:, 0].astype(np.int32)
        distinct = int(self.values.max()) + 1
        self.patterns = replace(
            patterns,
            types=sort_by_value(patterns.starts, patterns.types, self.values, distinct),
        )

    def __call__(
        self, counts: Ints, prices: Floats, window: int, faster: float
    ) -> Ints:
        """Deal as many of ``counts`` rows of the types as possible.

        ``prices`` to begin with are in the unit of costs, and each average is taken
        over ``window`` subgradient steps (``dive_params``). The reserves of values, by
        which the rows that are left stay diverse (``commit``), may fall ``faster``
        times as much as the rows; more where hardly a row can be dealt otherwise. After
        half of the time all that holds a group is committed.

        Returns copies by incidence of ``self.patterns``: eligible groups but for a few
        rows.
        """
        params, clock = self.params, self.clock
        dealt = np.zeros(len(self.patterns.types), np.int64)
        left = counts
        later = clock() / 2
        while left.any() and clock() > 0:
            share = params.stage_share if clock() >= later else 1.0  # In a hurry.
            stage = self.stage(left, prices, window, share, faster)
            prices, left = stage.prices, stage.rest(left, self.patterns)
            dealt[stage.incidences] += stage.copies
            if stage.rows <= params.least_share * left.sum():
                if faster > params.fastest:
                    break
                faster *= 2
        return dealt

    def stage(
        self, left: Ints, prices: Floats, window: int, share: float, faster: float
    ) -> Stage:
        """Settle the prices, and commit that share of the rows left or a group more.

        ``left`` are copies of each type; of the others see ``__call__``.
        """
        some, incidences = self.what_fits(left)
        if len(some) == 0:
            return Stage(prices, incidences, incidences)
        prices, shares = self._settle(some, prices, window)
        copies = np.zeros(len(incidences), np.int64)
        rows = share * float(left.sum())
        self._commit(some, shares, left.copy(), copies, rows, faster)
        dealt = copies > 0
        return Stage(prices, incidences[dealt], copies[dealt])

    def what_fits(self, left: Ints) -> tuple[Patterns, Ints]:
        """Return the patterns these rows can be groups of, and their incidences."""
        whole = self.patterns
        chosen, starts, incidences = what_fits(
            whole.starts, whole.types, self.values, left, self.k, self.l
        )
        members = whole.types[incidences]
        some = some_patterns(
            whole, chosen, starts, members, replace(self.types, counts=left.copy())
        )
        return some, incidences

    def _settle(
        self, patterns: Patterns, prices: Floats, window: int
    ) -> tuple[Floats, Floats]:
        """Find prices near the best ones, and the average shares of the last steps."""
        function = LagrangianFunction(patterns, self.k, self.l, count_choices=True)
        first, step = self.params.first_steps, self.params.step
        ratio, counted = self.params.last_step / step, 0

        def lacking(now: Floats) -> Ints:
            nonlocal counted
            if counted == first:
                function.chosen[:] = 0
            counted += 1
            return function(patterns.unit.whole(now))[1]

        prices = subgradient_steps(
            lacking,
            prices,
            np.maximum(patterns.counts, 1),
            first + window,
            lambda done: self.star * (step * ratio**done),
            lambda lack: float(self.clock() <= 0),
        )
        return prices, function.chosen / (
            counted - first if counted > first else counted
        )

    def _commit(
        self,
        patterns: Patterns,
        shares: Floats,
        left: Ints,
        dealt: Ints,
        wanted: float,
        faster: float,
    ) -> None:
        """Deal ``wanted`` rows, the surest first, rounded up where those are too few.

        The copies ``left`` of each type and those ``dealt`` to each incidence are
        updated. The reserves of values may fall ``faster`` times as fast as these rows.
        """
        rows = 0
        for add in self.params.roundings:
            rest = np.maximum(shares - dealt, 0)
            starts, types = patterns.starts, patterns.types
            rounded = Shares(
                starts, types, rest, self.values, left, self.k, self.l, add
            )
            far = distances(rounded)
            order = np.argsort(far, kind="stable")[: int(np.isfinite(far).sum())]
            begin = 0
            while begin < len(order) and rows < wanted:
                # Half as many at once as may be wanted, of the smallest size.
                end = begin + max(1, int((wanted - rows) / (2 * self.l)))
                some, begin = order[begin:end], end
                farthest = max(self.params.near, far[some[-1]])
                rows += commit(rounded, some, farthest, faster, dealt)
            if rows >= self.params.enough * wanted:
                break


Each = Callable[[Callable[[int], "Way"], list[int]], Iterable["Way"]]


@dataclass(frozen=True, eq=False)
class Way:
    """One way of a stage: what it deals, and the bound of the rows that it leaves."""

    window: int  # number of steps that its average was taken over
    stage: Stage  # what it deals
    cost: int  # what the rows that it deals cost
    left: Ints  # copies of each type that it leaves
    rest: float  # Lagrangian bound of these copies, in the unit of costs
    prices: Floats  # prices of that bound


def pilot_dive(
    dive: Dive,
    counts: Ints,
    prices: Floats,
    faster: float,
    width: int,
    each: Each = map,
    params: PilotParams = PILOT_PARAMS,
) -> Ints:
    """Deal as many of ``counts`` rows as possible, with a look ahead at each stage.

    A stage of a dive commits what is surest; what is lost by it shows in the Lagrangian
    bound of the rows that are left. So each stage is tried in ``width`` ways, by other
    averages, and that way is gone by which the cost so far and the bound of the rest
    rise least by row, as the pilots of Duin and Voss (1999) do. The prices of that
    bound begin the next stage. Losses of small stages are smaller, and differ more:
    each deals an eightieth of the rows left. Where there is too little time it deals
    more: a stage takes time by the rows that are left, so all of them together take
    that of the first one by its share.

    The ``params`` of ``dive`` name the averages; ``each`` applies a function to them:
    ``map``, or that of an executor. Of the other arguments and of what is returned see
    ``Dive.__call__``; when stages would have to deal almost a third of the rows, the
    dive alone deals the rest.
    """
    dealt = np.zeros(len(dive.patterns.types), np.int64)
    left = counts
    clock, began = dive.clock, dive.clock()
    bound, prices = _bound(dive, left, prices, params)
    seconds = width * (clock() - began)
    order = list(dive.params.windows)

    def way(window: int) -> Way:
        stage = dive.stage(left, prices, window, share, faster)
        after = stage.rest(left, dive.patterns)
        pattern = dive.patterns.pattern[stage.incidences]
        cost = int(stage.copies @ dive.patterns.cost[pattern])
        rest, prices_after = _bound(dive, after, stage.prices, params)
        return Way(window, stage, cost, after, rest, prices_after)

    def loss(one: Way) -> float:
        return (one.cost + one.rest - bound) / one.stage.rows

    while left.any() and clock() > 0:
        share = max(seconds / max(clock(), 1e-9), params.least_share)
        if share > params.most_share:
            break
        began = clock()
        ways = [one for one in each(way, order[:width]) if one.stage.rows]
        seconds = clock() - began
        rows, least = 0, dive.params.least_share * left.sum()
        if ways:
            best = min(ways, key=loss)
            rows, bound, prices = best.stage.rows, best.rest, best.prices
            dealt[best.stage.incidences] += best.stage.copies
            left = best.left
            # The best window again, then the others, one after the other.
            order.remove(best.window)
            order = [best.window, *order[width - 1 :], *order[: width - 1]]
        if rows <= least:
            if faster > dive.params.fastest:
                break
            faster *= 2
    return dealt + dive(left, prices, order[0], faster)


def _bound(
    dive: Dive, left: Ints, prices: Floats, params: PilotParams
) -> tuple[float, Floats]:
    """Return the best Lagrangian bound of these rows in time, as costs, and prices."""
    patterns, _ = dive.what_fits(left)
    if len(patterns) == 0:
        return float(prices @ left), prices
    function = LagrangianFunction(patterns, dive.k, dive.l)
    best, best_prices, ratio = -1, prices, params.last_step / params.step

    def lacking(now: Floats) -> Ints:
        nonlocal best, best_prices
        bound, lack = function(patterns.unit.whole(now))
        if bound > best:
            best, best_prices = bound, now.copy()
        return lack

    subgradient_steps(
        lacking,
        prices,
        np.maximum(left, 1),
        params.steps,
        lambda done: dive.star * (params.step * ratio**done),
        lambda lack: float(dive.clock() <= 0),
    )
    return best / patterns.unit.per_cost, best_prices
