"""Prices of originals for losses: found on a list, proven over all nodes."""

from typing import Any

import numpy as np

from starmin.instances import Certificate, NonHomogeneous, Run
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.lagrangian_relaxation.price_bound import mean_star_cost
from starmin.models.lagrangian_relaxation.subgradient import (
    SubgradientMethod,
    SubgradientParams,
)
from starmin.models.nonhomogeneous.own_star_set import price_certificate
from starmin.models.patterns.node_patterns import matched_node_patterns
from starmin.models.patterns.patterns import Patterns, Sought
from starmin.models.price_unit import INFEASIBLE, PriceUnit, exact_product
from starmin.models.pricing.generated_patterns import CostList, CostListParams, grown
from starmin.models.pricing.pricing import PriceRounds, Round

# The bound of prices of originals by a list of vectors of nodes: compiled loops.


def node_price_bound(
    patterns: Patterns, k: int, prices: Ints
) -> tuple[int, Ints, Ints]:
    """Compute what prices prove if released rows may be published as these alone.

    ``patterns`` are vectors of nodes, each type in one of them at least, of k rows and
    more; k is at least 2. ``prices`` has one for each row type, in units of
    ``PriceUnit``.

    Returns the bound in the same unit; for each type k - 1 matches for each of its
    rows, less those that the released rows choose: a supergradient; and what is left to
    each type at least, cost less earnings.
    """
    counts, listed = patterns.counts, (patterns.starts, patterns.types)
    patterns.unit.expect(prices)
    cost = patterns.cost * patterns.unit.per_cost
    least, choice = _least(*listed, cost, counts, prices, k)
    used = _count_matches(*listed, counts, prices, choice, k)
    total = (k - 1) * int(prices @ counts) + exact_product(least, counts)
    return total, (k - 1) * counts - used, least


@inner
def _dearest(members: Int32s, counts: Ints, prices: Ints, k: int, best: Int32s) -> int:
    """Find the types of the k dearest rows, dearest first; how many types these are."""
    size, copies = 0, 0
    for t in members:
        if copies >= k and prices[t] <= prices[best[size - 1]]:
            continue
        at = size
        while at > 0 and prices[best[at - 1]] < prices[t]:
            best[at] = best[at - 1]
            at -= 1
        best[at] = t
        size += 1
        copies += counts[t]
        while copies - counts[best[size - 1]] >= k:
            size -= 1
            copies -= counts[best[size]]
    return size


@compiled
def _least(
    starts: Ints, types: Int32s, cost: Ints, counts: Ints, prices: Ints, k: int
) -> tuple[Ints, Int32s]:
    """Find for each type its least value, and the pattern that gives it."""
    least = np.full(len(counts), INFEASIBLE)
    choice = np.zeros(len(counts), np.int32)
    best = np.empty(k + 2, np.int32)
    for p in range(len(cost)):
        members = types[starts[p] : starts[p + 1]]
        size, copies, earned = _dearest(members, counts, prices, k, best), 0, 0
        for i in range(size):
            take = min(counts[best[i]], k - copies)
            copies += take
            earned += take * prices[best[i]]
        last = prices[best[size - 1]]
        for t in members:
            value = cost[p] - earned + max(prices[t], last)
            if value < least[t]:
                least[t] = value
                choice[t] = p
    return least, choice


@compiled
def _count_matches(
    starts: Ints, types: Int32s, counts: Ints, prices: Ints, choice: Int32s, k: int
) -> Ints:
    """Count how often each type is matched to rows other than itself."""
    used = np.zeros(len(counts), np.int64)
    rows = np.zeros(len(starts) - 1, np.int64)
    for t in range(len(counts)):
        rows[choice[t]] += counts[t]
    best = np.empty(k + 2, np.int32)
    for p in range(len(rows)):
        if rows[p] == 0:
            continue
        members = types[starts[p] : starts[p + 1]]
        size, copies = _dearest(members, counts, prices, k, best), 0
        for i in range(size):
            take = min(counts[best[i]], k - copies)
            copies += take
            used[best[i]] += take * rows[p]
        for t in members:
            if choice[t] == p:
                # Of the k dearest rows it leaves out itself, or else the last one.
                among = False
                for i in range(size):
                    among = among or best[i] == t
                used[t if among else best[size - 1]] -= counts[t]
    return used


# The first step is divided by k. Few steps at first: prices that suit a short list are
# far from those of a longer one.
STEPS = SubgradientParams(first_step=0.25, steps=20, last_step=0.05, share=0.4)
_MOST_STEPS, _NEXT_STEP = 80, 0.6
_LIST = CostListParams(factor=1.5, extra=0.1, most_incidences=12_000_000)


class _ListedPrices(SubgradientMethod):
    """Steps whose bounds prove nothing, since the list lacks patterns."""

    method = "degree_prices"

    def __init__(self, run: Run[NonHomogeneous], k: int, now: Round) -> None:
        super().__init__(run, now.prices, (k - 1) * now.listed.counts, 0.0, STEPS)
        assert now.ceiling is not None
        self.patterns, self.k = now.listed, k
        self.ceiling = now.ceiling / self.unit.per_cost

    def _bound(self, prices: Ints) -> tuple[int, Ints]:
        return node_price_bound(self.patterns, self.k, prices)[:2]

    def _certificate(self, bound: int) -> Certificate | None:
        return None

    def _note(self) -> None:
        pass


class NodeDegreePrices(PriceRounds[Patterns | None]):
    r"""Column generation for the bound of prices of originals, over vectors of nodes.

    As ``starmin.models.pricing.restricted_list`` for groups: prices climb on a list of
    the vectors of nodes that are cheap for some type. What the list says is an
    estimate; a walk over all vectors of nodes
    (``starmin.models.patterns.node_patterns``) finds those that leave a released row
    less at these prices, and with them what the prices prove. They join the list, and
    again.

    The problem is gcp with ``k`` at least 2; the run learns the bounds and their
    certificates. ``iterations`` is how many steps were taken.
    """

    def __init__(self, run: Run[NonHomogeneous], k: int) -> None:
        self.run, self.k = run, k
        self._unit = PriceUnit.of(run.table, run.objective)
        self.types = run.table.row_types
        self.iterations = 0
        self.value = -1  # no bound is known, not even 0

    def improve(self, tolerance: float) -> None:
        """Raise the bound until a round gains less than this share of it.

        Raises TimeoutError where the time of the run was up.
        """
        listed, ceiling = self._list()
        star = mean_star_cost(self.run.table, self.run.objective)
        prices, first = np.zeros(len(self.types), np.int64), STEPS.first_step * star
        begin = Round(listed, prices, ceiling, first / self.k, STEPS.steps)
        self.rounds(begin, tolerance)

    def climb(self, now: Round) -> tuple[Ints, Patterns | None, int]:
        """Climb on a list, and prove the prices by a walk over all vectors of nodes."""
        k = self.k
        climb = _ListedPrices(self.run, k, now)
        climb.improve_once(now.first, now.steps)
        self.iterations += climb.iterations
        least = node_price_bound(now.listed, k, climb.prices)[2]
        return climb.prices, self._prove(climb.prices, least), climb.value

    def follow(
        self,
        last: Round,
        found: Patterns | None,
        estimate: int,
        before: int,
        tolerance: float,
    ) -> Round | None:
        """Return a climb on what was found as well; None where a round gained little.

        Where that is too much, the climb begins with half of the prices.
        """
        small = tolerance * self.value
        if self.value - before <= small and estimate - self.value <= small:
            return None
        listed, prices = last.listed, last.prices
        if found is None:
            prices = prices // 2
        elif len(found):
            listed = grown(listed, found)
        assert last.steps is not None
        steps, first = min(2 * last.steps, _MOST_STEPS), last.first * _NEXT_STEP
        return last._replace(listed=listed, prices=prices, steps=steps, first=first)

    def _list(self) -> tuple[Patterns, Ints]:
        """Return a first list, and prices that none shall exceed; prove a first bound.

        Without prices each row is left what its cheapest pattern costs.
        """
        run = self.run
        groups = Run(*run.asked, run.remaining)
        cheap = CostList(self._sought(groups), _LIST)
        costs, prices = cheap.own_costs()
        self._note(0 * prices, prices)
        listed, most = cheap.list(costs)
        return listed, self._unit.clipped(most * self._unit.per_cost)

    def _prove(self, prices: Ints, least: Ints) -> Patterns | None:
        """Return the patterns that leave less than the list; note what prices prove."""
        found, true = matched_node_patterns(self._sought(self.run), prices, least)
        if found is not None:
            self._note(prices, true)
        return found

    def _sought(self, run: Run[Any]) -> Sought:
        check = run.check_time
        return Sought(run.table, self.types, run.objective, self.k, check=check)

    def _note(self, prices: Ints, least: Ints) -> None:
        """Tell the run what prices prove that leave so much to each type."""
        run, counts = self.run, self.types.counts
        value = (self.k - 1) * int(prices @ counts) + exact_product(least, counts)
        if value <= self.value:
            return
        self.value, bound = value, self._unit.bound(value)
        proof = price_certificate(run, prices, bound, self._unit.per_cost, least)
        run.raise_bound(bound, "degree_prices", proof)
