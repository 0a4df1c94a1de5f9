"""Prices with group-count cuts: the best bound under k-anonymity."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from starmin.instances import Certificate, Run
from starmin.instances.arrays import Floats, Ints, distinct
from starmin.instances.runs.cores import Team
from starmin.instances.runs.search_control import stopping
from starmin.instances.tables.row_types import canonical_order
from starmin.models.lagrangian_relaxation.price_bound import reduced_values
from starmin.models.lagrangian_relaxation.pricing_distinct import blocks_of
from starmin.models.lagrangian_relaxation.subgradient import AdamStep
from starmin.models.pattern_program.cut_separation import FractionalPoint
from starmin.models.pattern_program.pattern_program import GroupCut
from starmin.models.patterns.patterns import (
    MOST_INCIDENCES,
    Patterns,
    Sought,
    cover,
    numbers_of_both,
)
from starmin.models.price_unit import INFEASIBLE, PriceUnit, exact_sum
from starmin.models.pricing.cut_terms import (
    CutTerms,
    Point,
    PricedRows,
    add_open,
    charge,
    choose_rows,
    renumbered,
)
from starmin.models.pricing.generated_patterns import in_full
from starmin.models.pricing.pricing import PriceBox, PriceRounds, Round

# What prices and multipliers of group-count cuts prove, and its certificate.

_MOST = 2**60  # sums stay below this


@dataclass(frozen=True, eq=False)
class StatedCuts:
    """Cuts by patterns that have all types that fit."""

    patterns: Patterns  # those of the cuts
    cuts: list[GroupCut]  # with patterns by their number among these

    @classmethod
    def of(cls, run: Run, listed: Patterns, cuts: Sequence[GroupCut]) -> "StatedCuts":
        """Look up all types for cuts by a list that may lack some."""
        none = np.zeros(0, np.int64)
        chosen = distinct(none, *(cut.patterns for cut in cuts))
        given = listed.nodes[chosen], listed.cost[chosen]
        held = in_full(run.table, run.table.row_types, run.objective, *given)
        return cls(
            held, [GroupCut(c.types, np.searchsorted(chosen, c.patterns)) for c in cuts]
        )


def cut_bound(
    run: Run, k: int, found: Patterns, prices: Ints, stated: StatedCuts, by: Ints
) -> int | None:
    """Return what prices and multipliers prove, in units of ``PriceUnit``.

    None where sums might not fit 64 bits. ``found`` are the patterns that are worth
    something at the prices. ``prices`` and the multipliers ``by``, which are of cuts
    times r, are in units of ``PriceUnit``.
    """
    table, held = run.table, stated.patterns
    highest = int(np.abs(prices).max()) + int(by.sum())
    unit = found.unit
    whole = run.objective.whole(table) * unit.per_cost
    if highest * (table.n + k) + whole >= _MOST:
        return None
    terms = CutTerms.of(held, stated.cuts, k)
    total: int = int(prices @ held.counts) - sum((by * terms.r * terms.q).tolist())
    cheaper, opening = terms.charges(held, by)
    reduced = held.cost[held.pattern] * unit.per_cost - prices[held.types] - cheaper
    if len(held):
        worth = reduced_values(held, reduced, k)
        worth = np.where(worth >= INFEASIBLE, 0, worth + opening)
        total += exact_sum(np.minimum(worth, 0))
    here, there = numbers_of_both(found, held)
    others = found.select(~np.isin(here, there))
    if len(others):
        own = others.cost[others.pattern] * unit.per_cost - prices[others.types]
        total += exact_sum(np.minimum(reduced_values(others, own, k), 0))
    return total


def cut_certificate(
    run: Run, prices: Ints, bound: int, stated: StatedCuts, by: Ints
) -> Certificate:
    """Return a certificate that ``certificate_check`` of ``starmin.verify`` accepts.

    ``prices`` and the multipliers ``by``, which are of cuts times r, are in units of
    ``PriceUnit``; ``bound`` is what they prove.
    """
    table, objective, patterns = run.table, run.objective, stated.patterns
    types = table.row_types
    order = canonical_order(table, types)
    rank = np.argsort(order)
    positions = objective.scales_of(table).positions(types.codes)
    data = {
        "denominator": stated.patterns.unit.per_cost,
        "prices": prices[order].tolist(),
        "patterns": [
            sorted(rank[cover(positions, patterns.types[first:last])].tolist())
            for first, last in zip(patterns.starts, patterns.starts[1:], strict=False)
        ],
        "cuts": [
            [sorted(rank[cut.types].tolist()), cut.patterns.tolist(), multiplier]
            for cut, multiplier in zip(stated.cuts, by.tolist(), strict=True)
        ],
    }
    return Certificate.of(table, run.requirement, objective, "prices", bound, data)


# The best choices of rows at prices with cuts, made in blocks side by side.


class Chooser:
    """Chooses rows for patterns, for many prices in turn.

    Blocks are chosen for by whoever is free. Copies are whole numbers, and what blocks
    are worth is added up in their order, so it makes no difference who that is. A group
    has at least ``k`` copies; ``point`` are the last choices.
    """

    def __init__(self, patterns: Patterns, k: int) -> None:
        self.point, self.patterns, self.k = Point(patterns), patterns, k
        self._blocks = blocks_of(patterns.starts)
        self._cheaper = np.zeros(len(patterns.types))
        self._opening = np.zeros(len(patterns))

    def choose(
        self,
        prices: Floats,
        terms: CutTerms,
        multipliers: Floats,
        team: Team,
        mean: Point,
        share: float,
    ) -> float:
        """Choose at some prices and multipliers; return what the choices cost.

        ``prices`` say what a copy of each type is worth, ``multipliers`` what a cut is;
        ``terms`` is what these add. The team helps. The share ``share`` of the choices
        is added to the point ``mean``.
        """
        patterns, point, k = self.patterns, self.point, self.k
        # What multipliers make copies cheaper by, and patterns dearer.
        self._cheaper[terms.imports] = 0
        self._opening[terms.opened] = 0
        charge(terms.imports, terms.import_cut, multipliers, self._cheaper)
        charge(terms.opened, terms.open_cut, multipliers * terms.r, self._opening)
        values = [0.0] * len(self._blocks)
        # by who works
        short = defaultdict[int, Floats](lambda: np.zeros(len(patterns.counts)))

        def work(worker: int, number: int) -> None:
            at = self._blocks[number]
            starts, y = patterns.starts[at.start : at.stop + 1], point.y[at]
            y[:] = point.x[starts[0] : starts[-1]] = 0
            rows = PricedRows(
                *(starts, patterns.types, patterns.counts, patterns.cost[at]),
                *(prices, self._cheaper, self._opening[at]),
            )
            values[number] = choose_rows(rows, k, point.x, y, short[worker])
            if share:
                add_open(starts, point.x, y, share, mean.x)
                mean.y[at] += share * y

        team.share(len(values), work)
        point.short = sum(short.values(), patterns.counts.astype(float))
        return sum(values)


@dataclass(frozen=True)
class CutParams:
    """How cuts are found, and prices and multipliers climb."""

    # prices of the first round may rise by so much, the least and the most that those
    # of further rounds may, in mean prices
    room: tuple[float, float, float] = (0.1, 1 / 64, 8.0)
    # prices may rise by less where patterns would have more incidences
    most_incidences: int = 2_500_000
    # steps, mean_of: steps of a round, and how many of the last ones make the
    # fractional point
    steps: int = 150
    mean_of: int = 75
    # first, last: the first step of a round, in mean prices, the last one as a share of
    # it
    first: float = 0.06
    last: float = 0.05
    # next, small: the first step of a round as a share of that of the round before, and
    # the same where that gained no more than the share ``small`` of the bound
    next: tuple[float, float] = (0.97, 0.8)
    small: float = 1e-4
    # patterns are taken for fractional that are open in this share of the steps and
    # closed in as many; sets of types are grown from these
    least: float = 0.08
    # at_once, grow_share: so many are grown between two looks at the clock, until it
    # took this share of the time that the steps before took
    at_once: int = 200
    grow_share: float = 10.0
    # tolerance, patience: stop after so many rounds in a row that gain less than this
    # share of the bound
    tolerance: float = 2e-5
    patience: int = 5


class CutPrices(PriceRounds[Point]):
    r"""Raises the bound of good prices by group-count cuts, with multipliers.

    The relaxation opens fractions of several patterns on rows that cannot fill them
    all, and no prices prove more than it does. What a cut
    (``starmin.models.pattern_program.pattern_program``) says, times a multiplier
    :math:`\mu_c \ge 0`, is added to the Lagrangian function: patterns of the cut cost
    :math:`\mu_c r_c` once they are open, and copies that they import are cheaper by
    :math:`\mu_c`.

    In rounds, prices and multipliers climb below a ceiling on all patterns that count
    there (``starmin.models.pricing.pricing``), and the ceiling follows. The mean of
    the last choices is a fractional point. Cuts that it violates join, and those that
    have a multiplier take in the patterns by which the point evades them: the
    relaxation turns to patterns that are nearly the same.

    What prices and multipliers prove is computed in whole numbers, for the patterns of
    cuts with all types that fit them.

    The problem is k-anonymity with stars or gcp; its run learns the bounds and their
    certificates. ``prices``, in units of ``PriceUnit``, are those to begin with;
    ``value`` is what is proven with cuts, in the same unit, and ``iterations`` counts
    the steps taken.
    """

    def __init__(self, run: Run, prices: Ints, params: CutParams = CutParams()) -> None:
        self.run, self.params, sought = run, params, Sought.of(run)
        self.k = sought.k
        self.value, self.iterations = 0, 0
        self._unit = PriceUnit.of(run.table, run.objective)
        self._prices = prices / self._unit.per_cost
        total = float((self._prices * sought.types.counts).sum())
        self._mean = max(total / run.table.n, 1e-9)
        self._box = PriceBox(sought, self._mean, params.room, params.most_incidences)
        self._cuts: list[GroupCut] = []
        self._multipliers = np.zeros(0)
        self._climbed = 0.0  # seconds of the last climb

    def improve(self) -> None:
        """Climb and add cuts in turn until rounds gain too little.

        TimeoutError where the time of the run is up.
        """
        self._in_vain, first = 0, self.params.first * self._mean
        with Team() as self._team:
            self.rounds(self._next(None, first), self.params.tolerance)

    def climb(self, now: Round) -> tuple[Ints, Point, int]:
        """Climb, and prove the prices with the multipliers of cuts."""
        point = self._climb(now.listed, now.first)
        if self._cuts:
            self._prove(now.listed)
        return self._whole_prices, point, self.value

    def follow(
        self, last: Round, found: Point, estimate: int, before: int, tolerance: float
    ) -> Round | None:
        """Add the cuts that the point violates; None where there are none.

        Or where the last rounds in a row gained too little.
        """
        params, gain = self.params, self.value - before
        first = last.first * params.next[gain <= params.small * self.value]
        small = gain <= tolerance * max(self.value, 1)
        self._in_vain = self._in_vain + 1 if small else 0
        self._add(last.listed, found)
        if not self._cuts or self._in_vain >= params.patience:
            return None
        self._box.follow(self._whole_prices)
        return self._next(last.listed, first)

    @property
    def _whole_prices(self) -> Ints:
        return self._unit.whole(self._prices)

    def _next(self, last: Patterns | None, first: float) -> Round | None:
        """List what counts below a new ceiling; number the patterns of cuts by it."""
        box = self._box
        listed = box.list(self._whole_prices)
        while listed is None and box.most_incidences < MOST_INCIDENCES:
            box.most_incidences *= 2
            box.room[:] = self.params.room[1]
            listed = box.list(self._whole_prices)
        if listed is None:
            return None
        if last is not None:
            self._cuts = renumbered(self._cuts, last, listed)
        prices, steps = self._whole_prices, self.params.steps
        return Round(listed, prices, box.ceiling, first, steps)

    def _climb(self, listed: Patterns, first: float) -> Point:
        """Take steps along supergradients; return the mean of the last choices."""
        params, terms = self.params, CutTerms.of(listed, self._cuts, self.k)
        prices, multipliers = self._prices.copy(), self._multipliers.copy()
        of_prices, of_cuts = AdamStep(len(prices)), AdamStep(len(multipliers))
        chooser, mean, best = Chooser(listed, self.k), Point(listed), -np.inf
        ceiling = self._box.ceiling / self._unit.per_cost
        began = self.run.elapsed
        for step in range(params.steps):
            self.run.check_time()
            if stopping():
                raise KeyboardInterrupt
            # No product by BLAS: its threads cost more than they gain beside others.
            value = float((prices * listed.counts).sum())
            value -= float((terms.r * terms.q * multipliers).sum())
            last = step >= params.steps - params.mean_of
            share = 1 / params.mean_of if last else 0.0
            chosen = chooser.choose(prices, terms, multipliers, self._team, mean, share)
            value, point = value + chosen, chooser.point
            if value > best:
                best, self._prices = value, prices.copy()
                self._multipliers = multipliers.copy()
            length = first * params.last ** (step / params.steps)
            prices += length * of_prices.along(point.short / listed.counts)
            np.minimum(prices, ceiling, out=prices)
            if len(multipliers):
                rise = of_cuts.along(terms.excess(point.x, point.y))
                multipliers += length * self.k / terms.r * rise
                np.maximum(multipliers, 0, out=multipliers)
            self.iterations += 1
        self._climbed = self.run.elapsed - began
        return mean

    def _add(self, listed: Patterns, point: Point) -> None:
        """Drop cuts without a multiplier, widen the others; add what is violated."""
        used = np.flatnonzero(self._multipliers > 0)
        kept = [self._cuts[c] for c in used]
        known = {each.types.tobytes() for each in kept}
        new = [one for one in self._grow(listed, point) if one.tobytes() not in known]
        exact = FractionalPoint.of(listed, self.k, point.x, point.y)
        found = exact.cuts([each.types for each in kept] + new)
        for number, cut in enumerate(kept):
            patterns = distinct(cut.patterns, found[number].patterns)
            found[number] = GroupCut(cut.types, patterns)
        self._cuts = found
        self._multipliers = np.append(self._multipliers[used], np.zeros(len(new)))

    def _grow(self, listed: Patterns, point: Point) -> list[Ints]:
        """Return sets of types with cuts that the point violates."""
        params = self.params
        y = np.where(point.y < params.least, 0, point.y)
        x = np.where(y[listed.pattern] > 0, point.x, 0)
        rough = FractionalPoint.of(listed, self.k, x, y)
        seeds = np.flatnonzero((y > 0) & (y <= 1 - params.least))
        seeds = seeds[np.argsort(np.abs(y[seeds] - 0.5), kind="stable")]
        end = self.run.elapsed + params.grow_share * self._climbed
        sets = dict[bytes, Ints]()
        for first in range(0, len(seeds), params.at_once):
            for types in rough.grow(seeds[first : first + params.at_once]):
                sets[types.tobytes()] = types
            self.run.check_time()
            if self.run.elapsed > end:
                break
        return list(sets.values())

    def _prove(self, listed: Patterns) -> None:
        """Compute in whole numbers what is proven; tell the run if that is more."""
        run = self.run
        prices = self._whole_prices
        multipliers = self._unit.whole(self._multipliers)
        used = np.flatnonzero(multipliers)
        stated = StatedCuts.of(run, listed, [self._cuts[c] for c in used])
        total = cut_bound(run, self.k, listed, prices, stated, multipliers[used])
        if total is None or total <= self.value:
            return
        self.value, bound = total, self._unit.bound(total)
        proof = cut_certificate(run, prices, bound, stated, multipliers[used])
        run.raise_bound(bound, "lagrangian", proof)
