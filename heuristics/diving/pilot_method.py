"""A dive whose stages are tried several ways, with the bound of the rest as a pilot."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from heuristics.diving.dive import FASTEST, LEAST, Clock, Dive, Floats, Ints, Stage
from models.lagrangian_relaxation.adam_step import AdamStep
from models.lagrangian_relaxation.prices import integer_prices
from models.lagrangian_relaxation.pricing_sweep import PricingSweep
from models.patterns.unit import DENOMINATOR

Each = Callable[[Callable[[int], "Way"], list[int]], Iterable["Way"]]

# Of an average: the best ones first (``heuristics.diving.dive``).
FILLS = (4, 3, 5, 2, 6)
_STEPS, _STEP, _LAST_STEP = 80, 0.06, 0.002
_LEAST_SHARE, _MOST_SHARE = 0.0125, 0.3  # of the rows left that a stage deals


@dataclass(frozen=True, eq=False)
class Way:
    """One stage, what it costs, the rows that it leaves, and their bound.

    Attributes
    ----------
    fills
        By which the stage went.
    stage
        What it deals.
    cost
        Of that.
    left
        Copies of each type.
    rest
        Their bound, in the unit of costs.
    prices
        Of that bound.
    """

    fills: int
    stage: Stage
    cost: int
    left: Ints
    rest: float
    prices: Floats


def pilot_dive(
    dive: Dive,
    counts: Ints,
    prices: Floats,
    faster: float,
    clock: Clock,
    width: int,
    each: Each = map,
) -> Ints:
    """Deal as many of ``counts`` rows as possible, with a look ahead at each stage.

    A stage of a dive commits what is surest; what is lost by it shows in the Lagrangian
    bound of the rows that are left. So each stage is tried in ``width`` ways, by other
    numbers of fills, and that way is gone by which the cost so far and the bound of
    the rest rise least by row, as the pilots of Duin and Voss (1999) do. The prices of
    that bound begin the next stage. Losses of small stages are smaller, and differ
    more: each deals an eightieth of the rows left. Where there is too little time it
    deals more: a stage takes time by the rows that are left, so all of them together
    take that of the first one by its share.

    Parameters
    ----------
    dive, counts, prices, faster
        As for the dive alone.
    clock
        Seconds that are left. When stages would have to deal almost a third of the
        rows, the dive alone deals the rest.
    width
        Ways that are tried at each stage.
    each
        Applies a function to the numbers of fills: ``map``, or that of an executor.

    Returns
    -------
    Copies by incidence of ``dive.patterns``: eligible groups. A few rows are left.
    """
    dealt = np.zeros(len(dive.patterns.types), np.int64)
    left = counts
    began = time.perf_counter()
    bound, prices = _bound(dive, left, prices)
    seconds = width * (time.perf_counter() - began)
    order = list(FILLS)

    def way(fills: int) -> Way:
        stage = dive.stage(left, prices, fills, share, faster, clock)
        after = stage.rest(left, dive.patterns)
        pattern = dive.patterns.pattern[stage.incidences]
        cost = int(stage.copies @ dive.patterns.cost[pattern])
        return Way(fills, stage, cost, after, *_bound(dive, after, stage.prices))

    def loss(one: Way) -> float:
        return (one.cost + one.rest - bound) / one.stage.rows

    while left.any() and clock() > 0:
        share = max(seconds / max(clock(), 1e-9), _LEAST_SHARE)
        if share > _MOST_SHARE:
            break
        began = time.perf_counter()
        ways = [one for one in each(way, order[:width]) if one.stage.rows]
        seconds = time.perf_counter() - began
        rows, least = 0, LEAST * left.sum()
        if ways:
            best = min(ways, key=loss)
            rows, bound, prices = best.stage.rows, best.rest, best.prices
            dealt[best.stage.incidences] += best.stage.copies
            left = best.left
            # The best again, the others in turns.
            order.remove(best.fills)
            order = [best.fills, *order[width - 1 :], *order[: width - 1]]
        if rows <= least:
            if faster > FASTEST:
                break
            faster *= 2
    return dealt + dive(left, prices, order[0], faster, clock)


def _bound(dive: Dive, left: Ints, prices: Floats) -> tuple[float, Floats]:
    """The best Lagrangian bound of these rows in some steps, and its prices."""
    patterns, _ = dive.what_fits(left)
    if len(patterns) == 0:
        return float(prices @ left), prices
    sweep = PricingSweep(patterns, dive.types, dive.k, dive.l)
    smoothed, counts = AdamStep(len(prices)), np.maximum(left, 1)
    best, best_prices, now = -1, prices, prices.copy()
    for step in range(1, _STEPS + 1):
        bound, lack = sweep(integer_prices(now))
        if bound > best:
            best, best_prices = bound, now.copy()
        size = _STEP * (_LAST_STEP / _STEP) ** (step / _STEPS)
        now += dive.star * size * smoothed.along(lack / counts)
    return best / DENOMINATOR, best_prices
