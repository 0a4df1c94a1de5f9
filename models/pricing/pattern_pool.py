"""The part of a pattern program that a cheap release may use, chosen by prices."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from starmin.instances import Partition, RowTypes, Run
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.models.lagrangian_relaxation.lagrangian_fixing import lagrangian_fixing
from starmin.models.pattern_program.decode import loads_of
from starmin.models.patterns.patterns import Patterns, threshold
from starmin.models.pricing.generated_patterns import (
    patterns_of,
    union,
)


@dataclass(frozen=True, eq=False)
class PatternPool:
    """Patterns for a search, with the prices that chose their incidences."""

    types: RowTypes  # by QI, or for l-diversity by QI and sensitive values
    # each type has the coarsest pattern that it fits, so that a release within the pool
    # exists whenever there is one
    patterns: Patterns
    prices: Ints  # of the row types, in units of ``PriceUnit``
    # for each incidence of the pool what a release costs at least that uses it, in the
    # same unit
    least: Ints

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
        return PatternPool(
            self.types, patterns.thin(keep), self.prices, self.least[keep]
        )

    def loads(self, run: Run, release: Partition) -> Ints:
        """Return a release of a run as copies by incidence.

        ValueError where the rows of some group fit no pattern of the pool together.
        """
        loads = loads_of(run.table, run.objective, self.types, self.patterns, release)
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
        open_in_some = np.zeros(len(patterns), bool)
        open_in_some[patterns.pattern[held]] = True
        inside = np.flatnonzero(open_in_some[patterns.pattern])
        count = min(per_type * len(self.types), len(inside))
        held[inside[self.least[inside] <= threshold(self.least[inside], count)]] = True
        return held


def pool_with(run: Run, pool: PatternPool, release: Partition) -> PatternPool:
    """Return a pool with the patterns of a release added, so that this is within it."""
    own = patterns_of(run.table, pool.types, run.objective, release)
    patterns = union(own, pool.patterns)
    k, l = run.requirement.core.size, run.requirement.core.diversity
    least = lagrangian_fixing(patterns, pool.types, pool.prices, k, l)
    return PatternPool(pool.types, patterns, pool.prices, least)


def useful_pool(
    run: Run,
    types: RowTypes,
    patterns: Patterns,
    prices: Ints,
    per_type: int,
    initial: Partition | None,
) -> PatternPool:
    """Choose the incidences that a cheap release may use, by their prices.

    Under k-anonymity whole patterns, under l-diversity incidences one by one: a search
    of many patterns, of which each has lost most of its types, finds few groups.
    """
    k, l = run.requirement.core.size, run.requirement.core.diversity
    run.check_time()
    least = lagrangian_fixing(patterns, types, prices, k, l)
    run.check_time()
    loads = None
    if initial is not None:
        loads = loads_of(run.table, run.objective, types, patterns, initial)
        run.check_time()
    if l > 1:
        pool = PatternPool(types, patterns, prices, least)
        return pool.thinner(per_type, max(k, l), loads)
    keep = _nearest(patterns, least, per_type * len(types))
    if loads is not None:
        keep[patterns.pattern[loads > 0]] = True
    kept = keep[patterns.pattern]
    return PatternPool(types, patterns.select(keep), prices, least[kept])


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
    found = np.zeros(len(patterns), bool)
    found[patterns.pattern[cost == dearest[patterns.types]]] = True
    return found
