"""Prices with group-count cuts: the best bound on losses under k-anonymity."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from instances import RowTypes, Run
from instances.runs.stop import stopping
from models.lagrangian_relaxation.adam_step import AdamStep
from models.lagrangian_relaxation.candidates import INFEASIBLE
from models.lagrangian_relaxation.prices import reduced_values
from models.patterns.fitting import all_fitting
from models.patterns.group_cuts import GroupCut, cuts_at
from models.patterns.group_nodes import numbers_of
from models.patterns.patterns import Patterns
from models.patterns.unit import DENOMINATOR
from models.pricing.cut_certificate import cut_certificate
from models.pricing.cut_terms import CutTerms, Point, choose_rows
from models.pricing.pricing import priced_patterns

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_MOST = 2**60  # sums stay below this


@dataclass(frozen=True)
class CutParams:
    """How cuts are found, and prices and multipliers climb.

    Attributes
    ----------
    room, most_incidences
        Prices may rise by so much, in mean prices; by less where patterns would have
        more incidences.
    steps, mean_of
        Steps of a round, and how many of the last ones make the fractional point.
    first, last, next
        The first step of a round, in mean prices, the last one as a share of it, and
        the first one of a round as a share of that of the round before.
    least, seeds
        Patterns are taken for fractional that are open in this share of the steps and
        closed in as many; sets of types are grown from so many of them, at most.
    tolerance
        Stop after a round that gains less than this share of the bound.
    """

    room: float = 0.1
    most_incidences: int = 500_000
    steps: int = 150
    mean_of: int = 75
    first: float = 0.04
    last: float = 0.05
    next: float = 0.8
    least: float = 0.08
    seeds: int = 1_500
    tolerance: float = 2e-4


class CutPrices:
    r"""Raises the bound of good prices by group-count cuts, with multipliers.

    The relaxation opens fractions of several patterns on rows that cannot fill them
    all, and no prices prove more than it does. What a cut
    (``models.patterns.group_cuts``) says, times a multiplier :math:`\mu_c \ge 0`, is
    added to the Lagrangian function: patterns of the cut cost :math:`\mu_c r_c` once
    they are open, and copies that they import are cheaper by :math:`\mu_c`. In rounds,
    prices and multipliers climb on a list of patterns, the mean of the last choices is
    a fractional point, and cuts that it violates join.

    The list has all patterns that count below a ceiling of the prices, as in
    ``models.pricing.boxstep``. What prices and multipliers prove is computed in whole
    numbers: by the walk over all vectors of nodes for the patterns of no cut, and for
    the others with all types that fit them.

    Parameters
    ----------
    run
        The problem, k-anonymity and gcp; it learns the bounds and their certificates.
    types, k
        The row types and the requirement.
    prices
        To begin with, in units of 1/DENOMINATOR.
    value
        What they prove, in the same unit.
    params
        Constants that steer it.

    Attributes
    ----------
    value
        What is proven, in units of 1/DENOMINATOR.
    iterations
        Steps taken.
    """

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        k: int,
        prices: Ints,
        value: int,
        params: CutParams = CutParams(),
    ) -> None:
        self.run, self.types, self.k, self.params = run, types, k, params
        self.value, self.iterations = value, 0
        self._prices = prices / DENOMINATOR
        self._mean = max(float(self._prices @ types.counts) / run.table.n, 1e-9)
        self._cuts: list[GroupCut] = []
        self._multipliers = np.zeros(0)

    def improve(self) -> None:
        """Climb and add cuts in turn until a round gains too little.

        Raises
        ------
        TimeoutError
            The time of the run was up.
        """
        listed = self._list()
        step, params = self.params.first * self._mean, self.params
        self._add(listed, self._climb(listed, step))
        while len(self._cuts) and not self.run.closed:
            step *= params.next
            point = self._climb(listed, step)
            before = self.value
            self._prove(listed)
            if self.value - before <= params.tolerance * max(self.value, 1):
                return
            self._add(listed, point)

    def _list(self) -> Patterns:
        """List what counts at a ceiling of the prices, which is set."""
        room = self.params.room * self._mean
        most = self.params.most_incidences
        while True:
            self._ceiling = self._prices + room
            ceiling = np.rint(self._ceiling * DENOMINATOR).astype(np.int64)
            found = self._count_at(ceiling, most)
            if found is not None:
                return found
            room, most = room / 2, most if room > 1e-3 * self._mean else 2 * most

    def _count_at(self, prices: Ints, most: int) -> Patterns | None:
        run = self.run
        problem = run.table, self.types, run.objective, prices, self.k
        return priced_patterns(*problem, most_incidences=most, check=run.check_time)

    def _climb(self, listed: Patterns, first: float) -> Point:
        """Take steps along supergradients; return the mean of the last choices."""
        params, terms = self.params, CutTerms.of(listed, self._cuts, self.k)
        prices, multipliers = self._prices.copy(), self._multipliers.copy()
        of_prices, of_cuts = AdamStep(len(prices)), AdamStep(len(multipliers))
        mean, best = Point(listed), -np.inf
        cost = listed.cost[listed.pattern].astype(float)
        for step in range(params.steps):
            self.run.check_time()
            if stopping():
                raise KeyboardInterrupt
            point = Point(listed)
            cheaper, opening = terms.charges(listed, multipliers)
            value = float(prices @ listed.counts - (terms.r * terms.q) @ multipliers)
            value += choose_rows(
                *(listed.starts, listed.types, listed.counts),
                *(cost - prices[listed.types] - cheaper, opening, self.k),
                *(point.x, point.y, point.short),
            )
            if value > best:
                best, self._prices = value, prices.copy()
                self._multipliers = multipliers.copy()
            if step >= params.steps - params.mean_of:
                mean.x += point.x / params.mean_of
                mean.y += point.y / params.mean_of
            length = first * params.last ** (step / params.steps)
            prices += length * of_prices.along(point.short / listed.counts)
            np.minimum(prices, self._ceiling, out=prices)
            if len(multipliers):
                rise = of_cuts.along(terms.excess(point.x, point.y))
                multipliers += length * self.k / terms.r * rise
                np.maximum(multipliers, 0, out=multipliers)
            self.iterations += 1
        return mean

    def _add(self, listed: Patterns, point: Point) -> None:
        """Drop the cuts without a multiplier; add those that a point violates."""
        params = self.params
        used = np.flatnonzero(self._multipliers > 0)
        kept = [self._cuts[c] for c in used]
        y = np.where(point.y < params.least, 0, point.y)
        x = np.where(y[listed.pattern] > 0, point.x, 0)
        seeds = np.flatnonzero((y > 0) & (y <= 1 - params.least))
        order = np.argsort(np.abs(y[seeds] - 0.5), kind="stable")
        known = {each.types.tobytes() for each in kept}
        found = cuts_at(listed, self.k, x, y, seeds[order[: params.seeds]])
        new = [c for c in found if len(c.patterns) and c.types.tobytes() not in known]
        self._cuts = kept + new
        self._multipliers = np.append(self._multipliers[used], np.zeros(len(new)))

    def _prove(self, listed: Patterns) -> None:
        """Compute in whole numbers what is proven; tell the run if that is more."""
        run, table = self.run, self.run.table
        prices = np.rint(self._prices * DENOMINATOR).astype(np.int64)
        multipliers = np.rint(self._multipliers * DENOMINATOR).astype(np.int64)
        used = np.flatnonzero(multipliers)
        multipliers, cuts = multipliers[used], [self._cuts[c] for c in used]
        highest = int(np.abs(prices).max()) + int(multipliers.sum())
        whole = run.objective.whole(table) * DENOMINATOR
        most = self.params.most_incidences
        found = self._count_at(prices, most)
        if highest * (table.n + self.k) + whole >= _MOST or found is None:
            return
        held, numbered = _held(run, listed, cuts)
        terms = CutTerms.of(held, numbered, self.k)
        cheaper, opening = terms.charges(held, multipliers)
        reduced = held.cost[held.pattern] * DENOMINATOR - prices[held.types] - cheaper
        worth = reduced_values(held, self.types, reduced, self.k)
        worth = np.where(worth >= INFEASIBLE, 0, worth + opening)
        total = int(prices @ self.types.counts)
        total -= sum((multipliers * terms.r * terms.q).tolist())
        total += int(np.minimum(worth, 0).sum())
        if len(found):
            others = found.select(~_among(found, held))
            own = others.cost[others.pattern] * DENOMINATOR - prices[others.types]
            if len(others):
                values = reduced_values(others, self.types, own, self.k)
                total += int(np.minimum(values, 0).sum())
        if total <= self.value:
            return
        self.value, bound = total, -(-total // DENOMINATOR)
        proof = cut_certificate(
            run, self.types, prices, bound, held, numbered, multipliers
        )
        run.raise_bound(bound, "lagrangian", proof)


def _held(
    run: Run, listed: Patterns, cuts: list[GroupCut]
) -> tuple[Patterns, list[GroupCut]]:
    """Return the patterns of cuts with all types that fit, and the cuts by these."""
    none = np.zeros(0, np.int64)
    chosen = np.unique(np.concatenate([none, *(cut.patterns for cut in cuts)]))
    nodes, scales = listed.nodes[chosen], run.objective.scales_of(run.table)
    types = run.table.row_types
    starts, members = all_fitting(scales.positions(types.codes), *scales.spans(nodes))
    held = Patterns(nodes, listed.cost[chosen], starts, members, types.counts)
    return held, [
        GroupCut(cut.types, np.searchsorted(chosen, cut.patterns)) for cut in cuts
    ]


def _among(some: Patterns, others: Patterns) -> npt.NDArray[np.bool_]:
    """Mark the patterns that are among others."""
    numbers = numbers_of(np.concatenate([some.nodes, others.nodes]))
    here, there = np.split(numbers, [len(some)])
    return np.isin(here, there)
