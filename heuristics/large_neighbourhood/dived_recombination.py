"""Recombination of diverse releases: offspring is dived for, not annealed."""

from dataclasses import dataclass

import numpy as np

from starmin.heuristics.diving.group_neighbourhoods import (
    GroupDive,
    GroupNeighbourhoods,
)
from starmin.heuristics.large_neighbourhood.neighbourhood_params import (
    DIVED_PARAMS,
    DivedParams,
)
from starmin.heuristics.large_neighbourhood.release_parts import crossover
from starmin.instances.arrays import Bools, Ints
from starmin.instances.runs.search_control import clock, stopping
from starmin.models.pattern_program.neighbourhood import neighbourhood
from starmin.models.pricing.pool_sources import PatternPool
from starmin.models.solvers.mip_search import solve_small


@dataclass(frozen=True, eq=False)
class DivedRecombination:
    """A release, and shares of its groups that are dived for, each by itself."""

    pool: PatternPool
    loads: Ints  # the release, as copies by incidence of the pool
    dives: list[GroupDive]  # the groups, and how their rows are dealt anew
    k: int  # k, l: the requirement
    l: int
    # the types that no other neighbourhood may move meanwhile: none, as releases are
    # merged by regions
    free: Bools
    dive_limit: float  # dive_limit, limit: seconds for all dives, and for the program
    limit: float
    seed: int  # of the solver

    def solve(self) -> tuple[Ints, float]:
        """Return a release that costs no more, and the seconds that its program took.

        No seconds where there was none.
        """
        began, patterns, best = clock(), self.pool.patterns, self.loads
        useful, differs = best > 0, np.zeros(len(best), bool)
        for dive in self.dives:
            if clock() - began >= self.dive_limit or stopping():
                break
            each = self.loads.copy()
            each[dive.incidences] += dive.solve()[0] - dive.loads
            useful |= each > 0
            differs |= each != self.loads
            best = crossover(patterns, best, each, self.k, self.l)
        if not differs.any() or self.limit <= 0 or stopping():
            return best, 0.0
        began = clock()
        free = np.zeros(len(patterns.counts), bool)
        free[patterns.types[differs]] = True
        problem = neighbourhood(
            patterns, self.pool.types, self.k, self.l, best, free, useful
        )
        point = problem.point(best)
        found = solve_small(problem.program.program, self.limit, point, self.seed)
        if found is not None:
            merged = problem.loads(best, found)
            cost = patterns.cost[patterns.pattern]
            best = merged if merged @ cost < best @ cost else best
        return best, clock() - began


class DivedRecombinations:
    """Improves a diverse release by what is better in dives for some of its rows.

    A dive for the rows of some thousand groups is worse than the release, nearly
    always. But each of several dives is better somewhere, and the program of all that
    they and the release use is small: two or three patterns for each row. Branch and
    bound solves it for a thousand row types in a second (optimal recombination), where
    programs of all patterns of a row have some hundred types. Those that gain nothing
    let the next ones have more seconds, and so more rows. Annealed offspring
    (``starmin.heuristics.large_neighbourhood.recombination``) does less here: annealing
    changes little in groups that are barely diverse.

    The pool has one sensitive column, and the requirement l > 1. ``slots`` are solved
    at the same time. ``groups`` chooses the groups, and says how they are dived for.
    """

    complete = False  # No neighbourhood proves that nothing is cheaper.

    def __init__(
        self,
        pool: PatternPool,
        k: int,
        l: int,
        rng: np.random.Generator,
        slots: int,
        groups: GroupNeighbourhoods,
        params: DivedParams = DIVED_PARAMS,
    ) -> None:
        self.pool, self.k, self.l, self.rng = pool, k, l, rng
        self.slots, self.groups, self.params = slots, groups, params
        self._cost = pool.patterns.cost[pool.patterns.pattern]
        self._rows, self._limit, self._running = float(params.rows), params.limit, 0

    def propose(
        self, loads: Ints, remaining: float, busy: Bools | None = None
    ) -> DivedRecombination | None:
        """Return dives from a release; None where as many as may be are solved."""
        if self._running >= self.slots:
            return None
        self._running += 1
        params = self.params
        limit = min(self._limit, remaining / (1 + params.dive_limit))
        dive_limit = params.dive_limit * limit
        dives = [
            self.groups.some(loads, self._rows, dive_limit) for _ in range(params.dives)
        ]
        return DivedRecombination(
            self.pool,
            loads,
            dives,
            self.k,
            self.l,
            np.zeros(len(self.pool.types), bool),
            dive_limit,
            limit,
            int(self.rng.integers(2**31)),
        )

    def merge(
        self, loads: Ints, part: DivedRecombination, found: Ints, seconds: float
    ) -> Ints:
        """Return the loads with all regions of what was found that cost no more.

        ``loads`` are copies by incidence, of the release as it is; ``found`` is the
        release that was found for ``part``, which may have begun at an earlier one.
        ``seconds`` is how long its program took: dives are for fewer rows where it was
        not solved, and for more where it was solved soon.
        """
        self._running -= 1
        params = self.params
        if seconds >= part.limit:
            self._rows = max(self._rows * params.fewer, params.least_rows)
        elif seconds < params.soon * part.limit:
            self._rows = min(self._rows * params.more, params.most_rows)
        merged = crossover(self.pool.patterns, loads, found, self.k, self.l)
        if merged @ self._cost == loads @ self._cost:
            self._limit = min(self._limit * params.longer, params.most_limit)
        return merged
