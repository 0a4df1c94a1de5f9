"""Programs of what some releases use, by components that do not touch."""

from concurrent.futures import Future

import numpy as np

from starmin.heuristics.recombination.regions import components
from starmin.instances.arrays import Bools, Ints
from starmin.instances.runs.gate import clock
from starmin.models.neighbourhoods.neighbourhood import neighbourhood
from starmin.models.pricing.pattern_pool import PatternPool
from starmin.models.solvers.mip_search import solve_small

Solved = tuple[Ints | None, float]


class Solving:
    """A program that is being solved."""

    def __init__(self, call: "Future[Solved]") -> None:
        self._call = call

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._call.done()

    def answer(self) -> Solved:
        """Wait for the release that was found, if one was, and how long it took."""
        return self._call.result()


class Programs:
    """The programs in which the row types move whose rows releases publish differently.

    ``best`` is the release to begin at, as copies by incidence of the pool, and
    ``useful`` what types that move may use. ``limit`` is seconds for a program.
    """

    def __init__(
        self,
        pool: PatternPool,
        best: Ints,
        useful: Bools,
        k: int,
        l: int,
        limit: float,
    ) -> None:
        self.pool, self.best, self.useful = pool, best, useful
        self.k, self.l, self.limit = k, l, limit

    def components(self, free: Bools, least: int) -> list[Bools]:
        """Divide the types that move into sets that do not depend on one another.

        Two types depend on one another where both may join a pattern that is open or
        not by what moves. Under k-anonymity that is not so where k copies stay in it.
        ``free`` are the types that move; components are put together until they have
        ``least`` types.
        """
        patterns = self.pool.patterns
        moves = free[patterns.types]
        held = np.bincount(
            patterns.pattern, np.where(moves, 0, self.best), minlength=len(patterns)
        ).astype(np.int64)
        used = (moves & (self.useful | (self.best > 0))).astype(np.int64)
        parent = np.arange(len(free))
        enough = self.k if self.l == 1 else 1 << 62
        components(patterns.starts, patterns.types, used, held, enough, parent)
        chosen = np.flatnonzero(free)
        roots, number, sizes = np.unique(
            parent[chosen], return_inverse=True, return_counts=True
        )
        order = np.argsort(-sizes, kind="stable")
        program = np.empty(len(roots), np.int64)
        count, filled = 0, 0
        for root in order.tolist():
            program[root] = count
            filled += int(sizes[root])
            if filled >= least:
                count, filled = count + 1, 0
        found = list[Bools]()
        for each in range(count + (filled > 0)):
            mark = np.zeros(len(free), bool)
            mark[chosen[program[number] == each]] = True
            found.append(mark)
        return found

    def solve(self, free: Bools, seed: int) -> Solved:
        """Return the best release found in which these types move, and the seconds."""
        pool, best = self.pool, self.best
        problem = neighbourhood(
            pool.patterns, pool.types, self.k, self.l, best, free, self.useful
        )
        program, point = problem.program.program, problem.point(best)
        began = clock()
        found = solve_small(program, self.limit, point, seed)
        took = clock() - began
        return (None if found is None else problem.loads(best, found)), took
