"""Where patterns of a pool come from: a list of all, or generation by prices."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from starmin.instances import Certificate, Partition, RowTypes, Run
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LAGRANGIAN_PARAMS,
    LagrangianFunction,
    LagrangianSubgradient,
    certified_prices,
    scaled,
)
from starmin.models.lagrangian_relaxation.price_bound import (
    lagrangian_fixing,
    mean_star_cost,
)
from starmin.models.lagrangian_relaxation.subgradient import SubgradientParams
from starmin.models.pattern_program.pattern_program import loads_of
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.patterns import (
    Patterns,
    Sought,
    is_wide,
    marked,
    threshold,
)
from starmin.models.pricing.boxstep import Boxstep
from starmin.models.pricing.generated_patterns import (
    generated_patterns,
    patterns_of,
    union,
)

# The part of a pattern program that a cheap release may use, chosen by prices.


@dataclass(frozen=True, eq=False)
class PatternPool:
    """Patterns for a search, with the prices that chose their incidences."""

    # of row types by QI, or for l-diversity by QI and sensitive values; each has the
    # coarsest pattern that it fits, so that a release within the pool exists whenever
    # there is one
    patterns: Patterns
    prices: Ints  # of the row types, in units of ``PriceUnit``
    # for each incidence of the pool what a release costs at least that uses it, in the
    # same unit
    least: Ints

    @property
    def types(self) -> RowTypes:
        """The row types."""
        return self.patterns.row_types

    @property
    def worth(self) -> Floats:
        """The prices in the unit of costs."""
        return np.asarray(self.prices / self.patterns.unit.per_cost)

    def thinner(
        self, per_type: int, least_support: int, loads: Ints | None = None
    ) -> "PatternPool":
        """Keep ``per_type`` incidences for each type on average.

        Those with the lowest ``least``, where they leave a pattern ``least_support``
        rows, and those that ``loads`` uses.
        """
        count = per_type * len(self.types)
        if count >= len(self.least):
            return self
        patterns = self.patterns
        keep = self.least <= threshold(self.least, count)
        keep |= _is_coarsest(patterns)[patterns.pattern]
        pattern, copies = patterns.pattern[keep], patterns.counts[patterns.types[keep]]
        reach = np.bincount(pattern, copies, minlength=len(patterns))
        keep &= (reach >= least_support)[patterns.pattern]
        if loads is not None:
            keep |= loads > 0
        return PatternPool(patterns.thin(keep), self.prices, self.least[keep])

    def loads(self, run: Run, release: Partition) -> Ints:
        """Return a release of a run as copies by incidence.

        ValueError where the rows of some group fit no pattern of the pool together.
        """
        loads = loads_of(run.table, run.objective, self.patterns, release)
        if loads is None:
            raise ValueError("Expected a pool with the patterns of the release.")
        return loads

    def kernel(self, per_type: int, releases: Sequence[Ints]) -> Bools:
        """Mark the incidences of the patterns that some releases use.

        What good releases have in common, and where they differ, is where a better one
        is sought first (kernel search). For each type ``per_type`` incidences are
        marked on average, those with the lowest ``least``; what ``releases``, each as
        copies by incidence of the pool, use is marked in any case.
        """
        patterns = self.patterns
        held: Bools = np.asarray(sum(releases) > 0)
        open_in_some = marked(len(patterns), patterns.pattern[held])
        inside = np.flatnonzero(open_in_some[patterns.pattern])
        count = min(per_type * len(self.types), len(inside))
        held[inside[self.least[inside] <= threshold(self.least[inside], count)]] = True
        return held


def pool_with(run: Run, pool: PatternPool, release: Partition) -> PatternPool:
    """Return a pool with the patterns of a release added, so that this is within it."""
    own = patterns_of(run.table, pool.types, run.objective, release)
    patterns = union(own, pool.patterns)
    core = run.requirement.core
    least = lagrangian_fixing(patterns, pool.prices, core.size, core.diversity)
    return PatternPool(patterns, pool.prices, least)


def useful_pool(
    run: Run, patterns: Patterns, prices: Ints, per_type: int, initial: Partition | None
) -> PatternPool:
    """Choose the incidences that a cheap release may use, by their prices.

    Under k-anonymity whole patterns, under l-diversity incidences one by one: a search
    of many patterns, of which each has lost most of its types, finds few groups.
    """
    k, l = Sought.of(run).asked
    run.check_time()
    least = lagrangian_fixing(patterns, prices, k, l)
    run.check_time()
    loads = None
    if initial is not None:
        loads = loads_of(run.table, run.objective, patterns, initial)
        run.check_time()
    if l > 1:
        pool = PatternPool(patterns, prices, least)
        return pool.thinner(per_type, max(k, l), loads)
    keep = _nearest(patterns, least, per_type * len(prices))
    if loads is not None:
        keep[patterns.pattern[loads > 0]] = True
    kept = keep[patterns.pattern]
    return PatternPool(patterns.select(keep), prices, least[kept])


def _nearest(patterns: Patterns, least: Ints, most: float) -> Bools:
    """Mark the patterns that are nearest to worth opening, with so many incidences.

    Coarsest patterns are marked in any case.
    """
    worth = np.minimum.reduceat(least, patterns.starts[:-1])
    order = np.argsort(worth, kind="stable")
    keep = _is_coarsest(patterns)
    keep[order[np.cumsum(np.diff(patterns.starts)[order]) <= most]] = True
    return keep


def _is_coarsest(patterns: Patterns) -> Bools:
    """Return which patterns are the dearest of some type."""
    cost = patterns.cost[patterns.pattern]
    dearest = np.zeros(len(patterns.counts), np.int64)
    np.maximum.at(dearest, patterns.types, cost)
    return marked(len(patterns), patterns.pattern[cost == dearest[patterns.types]])


PER_TYPE = 40  # incidences
# Searches go by these prices while they are refined: soon good, then better.
POOL_PARAMS = replace(LAGRANGIAN_PARAMS, steps=200)
_ROUGH = 0.05  # A box that gains no more than this share of the bound ends an estimate.


def pattern_pool(
    run: Run,
    *,
    time_limit: float = math.inf,
    tolerance: float = 2e-4,
    initial: Partition | None = None,
    prices: Certificate | None = None,
    told: Callable[[Ints], None] = lambda prices: None,
) -> PatternPool:
    """List the closed patterns, price the types, and keep what looks useful.

    In wide tables, which have too many patterns to list, prices are found without
    listing them (``starmin.models.pricing.boxstep``) and the pool is generated. There
    ``told`` is called with prices as they are reached.

    The problem is k-anonymity, frequency l-diversity or both; the run learns the bound
    of the prices and its certificate. The prices take up to ``time_limit`` seconds, and
    stop after a round that raised the bound by less than the share ``tolerance`` in 500
    steps. For each type ``PER_TYPE`` incidences are kept on average, those with the
    lowest bound on the releases that use them; the release ``initial`` shall be within
    the pool. ``prices`` is a proof for the same table, perhaps for another requirement:
    its prices start the search for those of this one, where patterns are listed.
    TimeoutError where the time of the run was up before the pool was chosen.
    """
    if _is_wide(run):
        source: ListedPatterns | GeneratedPatterns
        source = GeneratedPatterns(run, told)
    else:
        source = ListedPatterns(run, prices)
    source.refine(run, min(time_limit, run.remaining), tolerance)
    return source.pool(run, PER_TYPE, initial)


def good_prices(run: Run, time_limit: float) -> Ints:
    """Return prices of the row types, in units of ``PriceUnit``.

    Under diversity they are those with their sensitive values. The run learns their
    bound. Arguments and errors are those of ``pattern_pool``.
    """
    source = GeneratedPatterns(run) if _is_wide(run) else ListedPatterns(run)
    source.refine(run, time_limit, tolerance=1e-3)
    assert source.prices is not None
    return source.prices


def _is_wide(run: Run) -> bool:
    return is_wide(*Sought.of(run)[:3], run.time_limit)


class ListedPatterns:
    """All closed patterns of a problem, and prices that become better step by step.

    ``prices`` is a proof whose prices are those to begin with, as for ``pattern_pool``.
    TimeoutError where the time of the run was up before the patterns were listed.
    """

    def __init__(
        self,
        run: Run,
        prices: Certificate | None = None,
        params: SubgradientParams = POOL_PARAMS,
    ) -> None:
        self._params, self._sought = params, Sought.of(run)
        self.types = self._sought.types
        self.patterns = closed_patterns(*self._sought)
        given = run.table, self.types, self.patterns.unit
        self._begin = certified_prices(prices, *given)
        if self._begin is not None:
            function = LagrangianFunction(self.patterns, *self._sought.asked)
            self._begin = scaled(self._begin, function)
        self._method: LagrangianSubgradient | None = None

    @property
    def prices(self) -> Ints | None:
        """The prices at hand, in units of ``PriceUnit``, if there are any."""
        return self._begin if self._method is None else self._method.prices

    @property
    def bound(self) -> int:
        """The bound of the prices at hand, in the same unit; 0 before an estimate."""
        return self._method.value if self._method is not None else 0

    def estimate(self, run: Run, steps: int) -> None:
        """Find prices in a few steps: too rough for a bound, but fit for searches.

        The run learns their bound.
        """
        star = mean_star_cost(run.table, run.objective)
        self._method = self._subgradient(run, LAGRANGIAN_PARAMS)
        self._method.improve_once(LAGRANGIAN_PARAMS.first_step * star, steps)

    def refine(self, run: Run, time_limit: float, tolerance: float) -> None:
        """Find prices of a good bound, as ``pattern_pool`` does; the run learns it."""
        pricing = Run(*run.asked, time_limit)
        self._method = self._subgradient(pricing, self._params)
        self._method.improve(tolerance)
        run.learn(pricing)

    def pool(
        self, run: Run, per_type: int, initial: Partition | None = None
    ) -> PatternPool:
        """Keep what looks useful at the prices at hand; as for ``pattern_pool``."""
        prices = self.prices
        assert prices is not None
        return useful_pool(run, self.patterns, prices, per_type, initial)

    def _subgradient(
        self, run: Run, params: SubgradientParams
    ) -> LagrangianSubgradient:
        """Begin steps from the prices at hand."""
        prices = self.prices
        return LagrangianSubgradient(
            *(run, self.patterns, prices), params=params, is_good=prices is not None
        )


class GeneratedPatterns:
    """Patterns that count at prices which become better box by box; none is listed.

    As ``ListedPatterns``, for tables with too many patterns to list. ``told`` and
    ``cuts_follow`` are as for ``Boxstep``.
    """

    def __init__(
        self,
        run: Run,
        told: Callable[[Ints], None] = lambda prices: None,
        cuts_follow: bool = False,
    ) -> None:
        self.boxes = Boxstep(run, told=told, cuts_follow=cuts_follow)
        self.types = self.boxes.sought.types

    @property
    def prices(self) -> Ints:
        """The prices at hand, in units of ``PriceUnit``."""
        return self.boxes.reached

    @property
    def bound(self) -> int:
        """The bound of the prices at hand, in the same unit."""
        return self.boxes.value

    def estimate(self, run: Run, steps: int) -> None:
        """Find rough prices, in boxes of so many steps."""
        self.boxes.steps = steps
        self.boxes.improve(_ROUGH, patience=1)
        self.boxes.steps = None

    def refine(self, run: Run, time_limit: float, tolerance: float) -> None:
        """Find prices of a good bound."""
        pricing = Run(*run.asked, time_limit)
        self.boxes.run = pricing
        try:
            with suppress(TimeoutError):
                self.boxes.improve(tolerance)
        finally:
            run.learn(pricing)

    def pool(
        self, run: Run, per_type: int, initial: Partition | None = None
    ) -> PatternPool:
        """Generate what looks useful at the prices at hand; as for ``pattern_pool``."""
        prices = self.prices
        found = generated_patterns(Sought.of(run), prices, per_type, initial)
        return useful_pool(run, found, prices, per_type, initial)
