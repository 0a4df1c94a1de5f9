"""Destroy operators: which row types of a release move, to be placed anew."""

from dataclasses import dataclass

import numpy as np

from starmin.instances import Run, group_by
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.runs.search_control import clock
from starmin.models.pattern_program.neighbourhood import (
    Neighbourhood,
    OperatorWeights,
    WholeGroups,
    neighbourhood,
)
from starmin.models.pattern_program.pattern_program import (
    PatternProgram,
    open_pattern_flow,
    partition_of_loads,
)
from starmin.models.patterns.closed_listing import cheapest_pattern_costs
from starmin.models.patterns.patterns import Patterns, marked
from starmin.models.solvers.mip_search import solve_small

# A release from the linear relaxation: keep what is integral, solve the rest.

_INTEGRAL = 1e-6  # A value so near to a whole number is one.


def round_relaxation(
    program: PatternProgram,
    point: Floats,
    useful: Bools,
    time_limit: float,
    seed: int = 0,
) -> Ints | None:
    """Return loads of a release near a fractional point, None where none was found.

    ``point`` is an optimal one of the relaxation. The patterns in which it is
    fractional give up all their types; what the other types have is kept, and the
    program of the free types, which may use the pairs ``useful``, is solved within
    ``time_limit`` seconds (see ``starmin.models.pattern_program.neighbourhood``). On
    real tables the relaxation is integral but for a few patterns, above all for
    l-diversity.
    """
    patterns = program.patterns
    x = point[: program.incidences]
    fractional = np.abs(x - np.rint(x)) > _INTEGRAL
    bad = np.bincount(patterns.pattern, fractional, minlength=len(patterns)) > 0
    if program.k > 1:
        y = point[program.first_y : program.first_y + len(patterns)]
        bad |= np.abs(y - np.rint(y)) > _INTEGRAL
    moving = patterns.types[bad[patterns.pattern] & (x > _INTEGRAL)]
    free = marked(len(patterns.counts), moving)
    loads = np.where(free[patterns.types], 0, np.rint(x)).astype(np.int64)
    if not free.any():
        return loads
    asked = program.k, program.l
    around = neighbourhood(patterns, *asked, loads, free, useful)
    found = solve_small(around.program.program, time_limit, seed=seed)
    return None if found is None else around.loads(loads, found)


def offer_rounded(
    run: Run,
    program: PatternProgram,
    point: Floats,
    useful: Bools,
    share: float,
    seed: int,
) -> None:
    """Offer a release near a fractional point, found in this share of the time left."""
    limit = share * run.remaining
    loads = round_relaxation(program, point, useful, limit, seed)
    if loads is None:
        return
    patterns = program.patterns
    if program.l == 1 < program.k:  # the cheapest of the same open patterns
        is_open = np.bincount(patterns.pattern, loads, minlength=len(patterns)) > 0
        better = open_pattern_flow(patterns, is_open, program.k)
        loads = loads if better is None else better
    run.offer(partition_of_loads(patterns, loads))


_FIRST_SIZE = 120.0  # Row types of the first neighbourhoods.
_LEAST_SIZE, _MOST_SIZE = 20.0, 3_000.0  # Row types of a neighbourhood.
_GROW, _SHRINK = 1.1, 0.7
_MEMORY = 0.9  # of the weight of a kind of part, at each update
# Where groups near a row are chosen, a standard deviation of the excess weighs as much
# as so many columns that differ; the noise is in columns, too.
_PAYING, _NOISE = 0.7, 0.3


@dataclass(frozen=True, eq=False)
class RepairTask:
    """A neighbourhood to be solved, here or in another process."""

    kind: int  # the destroy operator that chose it
    free: Bools  # which types move; all other copies are fixed
    problem: Neighbourhood  # the program of the free types
    start: Floats  # its point at the current release
    limit: float  # seconds for the solver
    seed: int  # for the solver

    def solve(self) -> tuple[Floats | None, float]:
        """Return the best point that is found, and the seconds that took."""
        started = clock()
        program = self.problem.program.program
        found = solve_small(program, self.limit, self.start, self.seed)
        return found, clock() - started


class DestroyOperators:
    """Destroys a release by one of two operators and repairs it by branch and bound.

    The operators free the types nearest to a random one, and whole groups near to each
    other whose rows pay much beyond their worth. The operator that gained more of late
    is chosen more often (adaptive large neighbourhood search). The neighbourhoods of an
    operator grow where they are solved quickly, and shrink otherwise.

    Free types may use the incidences ``useful``. ``prices`` are what a row of each type
    is worth, in the unit of costs; default: the cost of its cheapest pattern.
    ``part_limit`` is in seconds, for one neighbourhood.

    References
    ----------
    Ropke and Pisinger (2006), An adaptive large neighborhood search heuristic for the
    pickup and delivery problem with time windows.
    """

    def __init__(
        self,
        patterns: Patterns,
        k: int,
        l: int,
        useful: Bools,
        rng: np.random.Generator,
        prices: Floats | None = None,
        part_limit: float = 8.0,
    ) -> None:
        self.patterns, self.types = patterns, patterns.row_types
        self.k, self.l = k, l
        self.useful, self.rng = useful, rng
        self.part_limit = part_limit
        self.cost = patterns.cost[patterns.pattern]
        worth = cheapest_pattern_costs(patterns) if prices is None else prices
        self.excess = (self.cost - worth[patterns.types]).astype(float)
        self.kinds = self._nearest, self._near_groups
        self.weights = OperatorWeights(len(self.kinds), _MEMORY)
        self.sizes = np.full(len(self.kinds), _FIRST_SIZE)
        self.complete = False  # all types were free, and the optimum was found

    def step(self, loads: Ints, remaining: float) -> Ints | None:
        """Solve one neighbourhood; return the new loads if they cost less."""
        part = self.propose(loads, remaining)
        return None if part is None else self.merge(loads, part, *part.solve())

    def propose(
        self, loads: Ints, remaining: float, busy: Bools | None = None
    ) -> RepairTask | None:
        """Return a neighbourhood without the types marked ``busy``; None if empty."""
        kind = self.weights.draw(self.rng)
        wanted = min(len(self.types), int(self.sizes[kind]))
        free = self.kinds[kind](loads, wanted)
        if busy is not None:
            free &= ~busy
        if not free.any():
            return None
        problem = self.around(loads, free)
        limit, seed = min(self.part_limit, remaining), int(self.rng.integers(2**31))
        return RepairTask(kind, free, problem, problem.point(loads), limit, seed)

    def around(self, loads: Ints, free: Bools) -> Neighbourhood:
        """Return the program in which only the types marked ``free`` move."""
        asked = self.k, self.l
        return neighbourhood(self.patterns, *asked, loads, free, self.useful)

    def merge(
        self, loads: Ints, part: RepairTask, found: Floats | None, seconds: float
    ) -> Ints | None:
        """Return the loads with a solved neighbourhood if they cost less.

        ``loads`` are the current release; other neighbourhoods may have changed it
        since this one was proposed, and None is returned where the result would be no
        release. ``found`` is the point of the neighbourhood's program that was found,
        if any, and ``seconds`` the time that took.
        """
        after = loads if found is None else part.problem.loads(loads, found)
        gain = int((loads - after) @ self.cost)
        if gain > 0 and not self._is_release(after):
            gain = 0
        whole = bool(part.free.all() and self.useful.all())
        self.complete = whole and found is not None and seconds < part.limit
        self._learn(part.kind, gain / max(seconds, 1e-3), seconds)
        return after if gain > 0 else None

    def _is_release(self, loads: Ints) -> bool:
        """Return whether all patterns in use satisfy the requirement."""
        used = np.flatnonzero(loads)
        pattern, copies = self.patterns.pattern[used], loads[used]
        total = np.bincount(pattern, copies)
        if (total[total > 0] < self.k).any():
            return False
        if self.l == 1:
            return True
        for values in self.types.sensitive.T:
            own = values[self.patterns.types[used]]
            pairs = group_by([pattern, own])
            if (self.l * pairs.summed(copies) > total[pattern[pairs.first]]).any():
                return False
        return True

    def _learn(self, kind: int, rate: float, seconds: float) -> None:
        self.weights.update(kind, rate)
        factor = _GROW if seconds < self.part_limit / 4 else _SHRINK
        size = self.sizes[kind] * factor
        self.sizes[kind] = min(max(size, _LEAST_SIZE), _MOST_SIZE)

    def _nearest(self, loads: Ints, wanted: int) -> Bools:
        """Free the types that differ least from a random one that pays a star."""
        paying = np.flatnonzero(loads * self.cost)
        if len(paying) == 0:
            return np.zeros(len(self.types), bool)
        chosen = self.patterns.types[self.rng.choice(paying)]
        distance = (self.types.codes != self.types.codes[chosen]).sum(axis=1)
        ties = self.rng.random(len(distance))
        nearest = np.argsort(distance + ties, kind="stable")[:wanted]
        return marked(len(self.types), nearest)

    def _near_groups(self, loads: Ints, wanted: int) -> Bools:
        """Free whole groups that pay much and are near a row that does.

        Where all are too large, the nearest types are freed.
        """
        groups = WholeGroups.of_loads(self.patterns, loads, self.excess)
        paying = np.maximum(groups.excess, 0.0)[groups.of]
        total = paying.sum()
        centre = self.rng.choice(len(paying), p=paying / total if total > 0 else None)
        codes = self.types.codes[groups.types]
        far = groups.mean((codes != codes[centre]).sum(axis=1))
        noise = _NOISE * self.rng.standard_normal(len(far))
        chosen = groups.first(far - _PAYING * groups.excess + noise, wanted)
        if len(chosen) == 0:
            return self._nearest(loads, wanted)
        return marked(len(self.types), chosen)
