"""Prices with group-count cuts: the best bound under k-anonymity."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from instances import RowTypes, Run
from instances.runs.stop import stopping
from models.lagrangian_relaxation.adam_step import AdamStep
from models.patterns.group_cuts import GroupCut, cuts_at
from models.patterns.patterns import Patterns
from models.patterns.unit import DENOMINATOR
from models.pricing.cut_bound import StatedCuts, cut_bound, cut_certificate
from models.pricing.cut_terms import CutTerms, Point, choose_rows
from models.pricing.pricing import priced_patterns

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


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
    at_once, grow_share
        So many are grown between two looks at the clock, until it took this share of
        the time that the steps before took.
    tolerance
        Stop after a round that gains less than this share of the bound.
    """

    room: float = 0.25
    most_incidences: int = 2_500_000
    steps: int = 150
    mean_of: int = 75
    first: float = 0.06
    last: float = 0.05
    next: float = 0.8
    least: float = 0.08
    seeds: int = 1_500
    at_once: int = 50
    grow_share: float = 3.0
    tolerance: float = 2e-5


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
        The problem, k-anonymity with stars or gcp; it learns the bounds and their
        certificates.
    types, k
        The row types and the requirement.
    prices
        To begin with, in units of 1/DENOMINATOR.
    params
        Constants that steer it.

    Attributes
    ----------
    value
        What is proven with cuts, in units of 1/DENOMINATOR.
    iterations
        Steps taken.
    """

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        k: int,
        prices: Ints,
        params: CutParams = CutParams(),
    ) -> None:
        self.run, self.types, self.k, self.params = run, types, k, params
        self.value, self.iterations = 0, 0
        self._prices = prices / DENOMINATOR
        self._mean = max(float(self._prices @ types.counts) / run.table.n, 1e-9)
        self._cuts: list[GroupCut] = []
        self._multipliers = np.zeros(0)
        self._climbed = 0.0  # seconds of the last climb

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
        began = self.run.elapsed
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
        self._climbed = self.run.elapsed - began
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
        seeds, new = seeds[order[: params.seeds]], list[GroupCut]()
        end = self.run.elapsed + params.grow_share * self._climbed
        for first in range(0, len(seeds), params.at_once):
            some = seeds[first : first + params.at_once]
            for cut in cuts_at(listed, self.k, x, y, some):
                if len(cut.patterns) and cut.types.tobytes() not in known:
                    known.add(cut.types.tobytes())
                    new.append(cut)
            self.run.check_time()
            if self.run.elapsed > end:
                break
        self._cuts = kept + new
        self._multipliers = np.append(self._multipliers[used], np.zeros(len(new)))

    def _prove(self, listed: Patterns) -> None:
        """Compute in whole numbers what is proven; tell the run if that is more."""
        run = self.run
        prices = np.rint(self._prices * DENOMINATOR).astype(np.int64)
        multipliers = np.rint(self._multipliers * DENOMINATOR).astype(np.int64)
        used = np.flatnonzero(multipliers)
        found = self._count_at(prices, self.params.most_incidences)
        if found is None:
            return
        stated = StatedCuts.of(run, listed, [self._cuts[c] for c in used])
        total = cut_bound(run, self.k, found, prices, stated, multipliers[used])
        if total is None or total <= self.value:
            return
        self.value, bound = total, -(-total // DENOMINATOR)
        proof = cut_certificate(run, prices, bound, stated, multipliers[used])
        run.raise_bound(bound, "lagrangian", proof)
