"""A dive whose stages are tried several ways, with the bound of the rest as a pilot."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from starmin.heuristics.diving.dive import Clock, Dive, Stage
from starmin.heuristics.diving.dive_params import PILOT_PARAMS, PilotParams
from starmin.instances.arrays import Floats, Ints
from starmin.models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from starmin.models.lagrangian_relaxation.subgradient_steps import subgradient_steps

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
    clock: Clock,
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
    ``map``, or that of an executor. ``counts`` are copies of each type, and ``prices``
    to begin with are in the unit of costs. The reserves of values may fall ``faster``
    times as much as the rows. ``clock`` tells the seconds that are left: when stages
    would have to deal almost a third of the rows, the dive alone deals the rest.

    Returns copies by incidence of ``dive.patterns``: eligible groups. A few rows are
    left.
    """
    dealt = np.zeros(len(dive.patterns.types), np.int64)
    left = counts
    began = clock()
    bound, prices = _bound(dive, left, prices, params)
    seconds = width * (clock() - began)
    order = list(dive.params.windows)

    def way(window: int) -> Way:
        stage = dive.stage(left, prices, window, share, faster, clock)
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
    return dealt + dive(left, prices, order[0], faster, clock)


def _bound(
    dive: Dive, left: Ints, prices: Floats, params: PilotParams
) -> tuple[float, Floats]:
    """Compute the best Lagrangian bound of these rows in some steps.

    Returns the bound in the unit of costs, and its prices.
    """
    patterns, _ = dive.what_fits(left)
    if len(patterns) == 0:
        return float(prices @ left), prices
    function = LagrangianFunction(patterns, dive.types, dive.k, dive.l)
    best, best_prices = -1, prices
    ratio = params.last_step / params.step

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
    )
    return best / patterns.unit.per_cost, best_prices
