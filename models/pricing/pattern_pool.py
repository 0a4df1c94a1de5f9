"""The part of a pattern program that a cheap release may use, chosen by prices."""

import math
from dataclasses import dataclass

import numpy as np

from instances import Partition, RowTypes, Run, least_diversity, least_size
from models.lagrangian_relaxation.lagrangian_fixing import lagrangian_fixing
from models.lagrangian_relaxation.lagrangian_subgradient import Ints, lagrangian_prices
from models.patterns.decode import loads_of
from models.patterns.listing import closed_patterns
from models.patterns.patterns import Patterns, threshold
from models.pricing.boxstep import Boxstep
from models.pricing.generated_patterns import generated_patterns, is_wide

PER_TYPE = 40  # incidences


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
        keep |= np.isin(patterns.pattern, _coarsest(patterns))
        pattern, copies = patterns.pattern[keep], patterns.counts[patterns.types[keep]]
        reach = np.bincount(pattern, copies, minlength=len(patterns))
        keep &= (reach >= least_support)[patterns.pattern]
        if loads is not None:
            keep |= loads > 0
        return PatternPool(
            self.types, patterns.thin(keep), self.prices, self.least[keep]
        )


def pattern_pool(
    run: Run,
    *,
    time_limit: float = math.inf,
    tolerance: float = 2e-4,
    per_type: int = PER_TYPE,
    initial: Partition | None = None,
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

    Raises
    ------
    TimeoutError
        The time of ``run`` was up before the pool was chosen.
    """
    table, objective = run.table, run.objective
    k, l = least_size(run.requirement), least_diversity(run.requirement)
    types = table.sensitive_types if l > 1 else table.row_types
    limit = min(time_limit, run.remaining)
    wide = is_wide(table, types, objective)
    if wide:
        prices = _boxed(run, types, k, l, limit, tolerance)
        patterns = generated_patterns(run, types, prices, k, l, per_type, initial)
    else:
        patterns = closed_patterns(table, types, objective, k, l, run.check_time)
        pricing = Run(table, run.requirement, objective, limit)
        prices = lagrangian_prices(pricing, patterns, types, k, l, tolerance)
        run.learn(pricing)
    run.check_time()
    least = lagrangian_fixing(patterns, types, prices, k, l)
    run.check_time()
    pool = PatternPool(types, patterns, prices, least)
    loads = None
    if initial is not None:
        loads = loads_of(table, objective, types, patterns, initial)
        run.check_time()
    return pool.thinner(per_type, max(k, l), loads)


def _boxed(
    run: Run, types: RowTypes, k: int, l: int, limit: float, tolerance: float
) -> Ints:
    """Prices found without listing all patterns."""
    pricing = Run(run.table, run.requirement, run.objective, limit)
    boxes = Boxstep(pricing, types, k, l)
    try:
        boxes.improve(tolerance)
    except TimeoutError:
        pass
    finally:
        run.learn(pricing)
    return boxes.reached


def _coarsest(patterns: Patterns) -> Ints:
    """Return the dearest pattern of each type."""
    cost = patterns.cost[patterns.pattern]
    dearest = np.zeros(len(patterns.counts), np.int64)
    np.maximum.at(dearest, patterns.types, cost)
    return np.unique(patterns.pattern[cost == dearest[patterns.types]])
