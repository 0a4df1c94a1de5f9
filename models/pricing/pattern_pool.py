"""The part of a pattern program that a cheap release may use, chosen by prices."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from instances import (
    BoolArray,
    Certificate,
    Partition,
    RowTypes,
    Run,
    least_diversity,
    least_size,
)
from models.lagrangian_relaxation.lagrangian_fixing import lagrangian_fixing
from models.lagrangian_relaxation.lagrangian_function import LagrangianFunction
from models.lagrangian_relaxation.lagrangian_subgradient import (
    LAGRANGIAN_PARAMS,
    Ints,
    LagrangianSubgradient,
    lagrangian_prices,
)
from models.lagrangian_relaxation.prices import mean_star_cost
from models.lagrangian_relaxation.start_prices import certified_prices, scaled
from models.patterns.decode import loads_of
from models.patterns.listing import closed_patterns
from models.patterns.patterns import Patterns, threshold
from models.pricing.boxstep import Boxstep
from models.pricing.generated_patterns import (
    generated_patterns,
    is_wide,
    patterns_of,
    union,
)

PER_TYPE = 40  # incidences
# Searches go by these prices while they are refined: soon good, then better.
POOL_PARAMS = replace(LAGRANGIAN_PARAMS, steps=200)


@dataclass(frozen=True, eq=False)
class PatternPool:
    """Patterns for a search, with the prices that chose their incidences.

    Attributes
    ----------
    types
        The row types: by QI, or for l-diversity by QI and sensitive values.
    patterns
        The pool. Each type has the coarsest pattern that it fits, so that a release
        within the pool exists whenever there is one.
    prices
        Of the row types, in units of 1/DENOMINATOR.
    least
        For each incidence of the pool what a release costs at least that uses it, in
        the same unit.
    """

    types: RowTypes
    patterns: Patterns
    prices: Ints
    least: Ints

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
        return PatternPool(
            self.types, patterns.thin(keep), self.prices, self.least[keep]
        )

    def kernel(self, per_type: int, releases: Sequence[Ints]) -> BoolArray:
        """Mark the incidences of the patterns that some releases use.

        What good releases have in common, and where they differ, is where a better one
        is sought first (kernel search).

        Parameters
        ----------
        per_type
            How many incidences to mark for each type on average: those with the lowest
            ``least``.
        releases
            Each as copies by incidence of the pool; what they use is marked in any
            case.
        """
        patterns = self.patterns
        held: BoolArray = np.asarray(sum(releases) > 0)
        open_in_some = np.zeros(len(patterns), bool)
        open_in_some[patterns.pattern[held]] = True
        inside = np.flatnonzero(open_in_some[patterns.pattern])
        count = min(per_type * len(self.types), len(inside))
        held[inside[self.least[inside] <= threshold(self.least[inside], count)]] = True
        return held


def pool_with(run: Run, pool: PatternPool, release: Partition) -> PatternPool:
    """Add the patterns of a release to a pool.

    Parameters
    ----------
    run
        The problem.
    pool
        The pool.
    release
        A release that shall be within it.
    """
    own = patterns_of(run.table, pool.types, run.objective, release)
    patterns = union(own, pool.patterns)
    k, l = least_size(run.requirement), least_diversity(run.requirement)
    least = lagrangian_fixing(patterns, pool.types, pool.prices, k, l)
    return PatternPool(pool.types, patterns, pool.prices, least)


def pattern_pool(
    run: Run,
    *,
    time_limit: float = math.inf,
    tolerance: float = 2e-4,
    per_type: int = PER_TYPE,
    initial: Partition | None = None,
    prices: Certificate | None = None,
    told: Callable[[Ints], None] = lambda prices: None,
    cuts_follow: bool = False,
) -> PatternPool:
    """List the closed patterns, price the types, and keep what looks useful.

    In wide tables, which have too many patterns to list, prices are found without
    listing them (``models.pricing.boxstep``) and the pool is generated.

    Parameters
    ----------
    run
        The problem, k-anonymity, frequency l-diversity or both; it learns the bound
        of the prices and its certificate.
    time_limit
        Seconds for the prices.
    tolerance
        As for ``models.bounds.lagrangian``.
    per_type
        How many incidences to keep for each type, on average: those with the lowest
        bound on the releases that use them.
    initial
        A release that shall be within the pool.
    prices
        A proof for the same table, perhaps for another requirement: its prices start
        the search for those of this one, where patterns are listed.
    told
        Called with prices as they are reached, where patterns are not listed.
    cuts_follow
        Of losses whose patterns are not listed: as for ``models.pricing.boxstep``.

    Raises
    ------
    TimeoutError
        The time of ``run`` was up before the pool was chosen.
    """
    table, objective = run.table, run.objective
    k, l = least_size(run.requirement), least_diversity(run.requirement)
    types = table.sensitive_types if l > 1 else table.row_types
    limit = min(time_limit, run.remaining)
    if not is_wide(table, types, objective):
        listed = ListedPatterns(run, prices)
        listed.refine(run, limit, tolerance)
        return listed.pool(run, per_type, initial)
    found = _boxed(run, types, k, l, limit, tolerance, told, cuts_follow)
    patterns = generated_patterns(run, types, found, k, l, per_type, initial)
    return _useful(run, types, patterns, found, per_type, initial)


class ListedPatterns:
    """All closed patterns of a problem, and prices that become better step by step.

    Parameters
    ----------
    run
        The problem.
    prices
        A proof whose prices are those to begin with, as for ``pattern_pool``.

    Raises
    ------
    TimeoutError
        Its time was up before they were listed.
    """

    def __init__(self, run: Run, prices: Certificate | None = None) -> None:
        self._k, self._l = least_size(run.requirement), least_diversity(run.requirement)
        table = run.table
        self.types = table.sensitive_types if self._l > 1 else table.row_types
        self.patterns = closed_patterns(
            table, self.types, run.objective, self._k, self._l, run.check_time
        )
        self.prices = certified_prices(prices, table, self.types)
        if self.prices is not None:
            function = LagrangianFunction(self.patterns, self.types, self._k, self._l)
            self.prices = scaled(self.prices, function)

    def estimate(self, run: Run, steps: int) -> None:
        """Find prices in a few steps: too rough for a bound, but fit for searches.

        Parameters
        ----------
        run
            It learns their bound.
        steps
            How many.
        """
        problem = run, self.patterns, self.types, self._k, self._l
        method = LagrangianSubgradient(*problem, self.prices)
        star = mean_star_cost(run.table, run.objective)
        method.improve_once(LAGRANGIAN_PARAMS.first_step * star, steps)
        self.prices = method.prices

    def refine(self, run: Run, time_limit: float, tolerance: float) -> None:
        """Find prices of a good bound.

        Parameters
        ----------
        run
            It learns the bound and its certificate when they are found.
        time_limit
            Seconds.
        tolerance
            As for ``models.bounds.lagrangian``.
        """
        pricing = Run(run.table, run.requirement, run.objective, time_limit)
        self.prices = lagrangian_prices(
            pricing,
            self.patterns,
            self.types,
            self._k,
            self._l,
            tolerance,
            self.prices,
            POOL_PARAMS,
        )
        run.learn(pricing)

    def pool(
        self, run: Run, per_type: int, initial: Partition | None = None
    ) -> PatternPool:
        """Keep what looks useful at the prices; as for ``pattern_pool``."""
        assert self.prices is not None
        return _useful(run, self.types, self.patterns, self.prices, per_type, initial)


def _useful(
    run: Run,
    types: RowTypes,
    patterns: Patterns,
    prices: Ints,
    per_type: int,
    initial: Partition | None,
) -> PatternPool:
    """Choose the incidences that a cheap release may use, by their prices."""
    k, l = least_size(run.requirement), least_diversity(run.requirement)
    run.check_time()
    least = lagrangian_fixing(patterns, types, prices, k, l)
    run.check_time()
    pool = PatternPool(types, patterns, prices, least)
    loads = None
    if initial is not None:
        loads = loads_of(run.table, run.objective, types, patterns, initial)
        run.check_time()
    return pool.thinner(per_type, max(k, l), loads)


def _boxed(
    run: Run,
    types: RowTypes,
    k: int,
    l: int,
    limit: float,
    tolerance: float,
    told: Callable[[Ints], None],
    cuts_follow: bool,
) -> Ints:
    """Find prices without listing all patterns."""
    pricing = Run(run.table, run.requirement, run.objective, limit)
    boxes = Boxstep(pricing, types, k, l, told=told, cuts_follow=cuts_follow)
    try:
        boxes.improve(tolerance)
    except TimeoutError:
        pass
    finally:
        run.learn(pricing)
    return boxes.reached


def _is_coarsest(patterns: Patterns) -> BoolArray:
    """Return which patterns are the dearest of some type."""
    cost = patterns.cost[patterns.pattern]
    dearest = np.zeros(len(patterns.counts), np.int64)
    np.maximum.at(dearest, patterns.types, cost)
    found = np.zeros(len(patterns), bool)
    found[patterns.pattern[cost == dearest[patterns.types]]] = True
    return found
