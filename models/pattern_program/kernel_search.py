"""Fix incidences by reduced costs, and search the kernel of what is left.

The program was strengthened by its relaxation.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from starmin.instances import Run
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.models.pattern_program.destroy_operators import DestroyOperators
from starmin.models.pattern_program.pattern_program import (
    PatternProgram,
    loads_of,
    partition_of,
    partition_of_loads,
)
from starmin.models.patterns.patterns import threshold
from starmin.models.solvers.linear_solver import LpSolution, whole_dual
from starmin.models.solvers.mip_search import (
    KernelSearch,
    KernelSearchParams,
    RestrictedSearch,
    Restriction,
    integral,
)
from starmin.models.solvers.program import Program, Rows, note_bound

# Kernel search in a pattern program that was strengthened by its relaxation.

_ROUNDING = 1e-6  # The relaxation's costs are floats.


@dataclass(frozen=True, eq=False)
class Strengthened:
    """A pattern program with its cuts, and what its relaxation proved."""

    run: Run  # table, incumbent, bound, clock
    program: PatternProgram
    cuts: tuple[Rows, ...]  # valid inequalities that the relaxation was tightened with
    least: Floats  # for each incidence what a release costs at least that uses it
    rank: Floats  # a weaker bound of the same kind by which kernels are chosen
    seed: int  # for the solver's random choices

    def threshold(self, size: float) -> float:
        """Return the least rank below which lie ``size`` incidences by row type."""
        return threshold(self.rank, int(size * len(self.program.patterns.counts)))


def kernel_search(problem: Strengthened, params: KernelSearchParams) -> bool:
    """Search for the best release, from the incumbent of the problem's run.

    The kernel and the whole program are searched concurrently; neighbourhoods follow
    the kernel. The run learns releases and bounds. Returns whether the search ended
    before the time did.
    """
    PatternKernelSearch(problem, params).search()
    return problem.run.remaining > 0


class PatternKernelSearch(KernelSearch):
    """Kernel and whole at once, then neighbourhoods beside the whole."""

    def __init__(self, problem: Strengthened, params: KernelSearchParams) -> None:
        super().__init__(problem.run, params)
        self.problem = problem
        self._kernel: RestrictedSearch | None = None
        self._whole: RestrictedSearch | None = None
        self._size = 0  # incidences in the search of the whole
        self._neighbourhoods = DestroyOperators(
            problem.program.patterns,
            problem.program.k,
            problem.program.l,
            problem.rank <= problem.threshold(params.neighbourhood_size),
            np.random.default_rng(problem.seed),
            part_limit=params.neighbourhood_limit,
        )

    def _begin(self) -> None:
        level = self.problem.threshold(self.params.kernel_size)
        if not math.isinf(level):  # else it would be the whole
            near = self._useful() & (self.problem.rank <= level)
            limit = self.params.kernel_share * self.run.remaining
            self._kernel = self._start(near, level, limit, self.params.kernel_effort)
        self._whole = self._start_whole()

    def _improve(self) -> None:
        """Solve a neighbourhood, once the kernel has ended."""
        run, program = self.run, self.problem.program
        if self._kernel is not None or (loads := self._loads()) is None:
            return
        better = self._neighbourhoods.step(loads, run.remaining)
        if better is not None:
            run.offer(partition_of_loads(program.patterns, better))

    def _follow(self, ended: RestrictedSearch) -> None:
        """Begin the whole anew after the kernel, where that is much smaller by now."""
        if ended is not self._kernel:
            return
        self._kernel = None
        smaller = self._useful().sum() < self.params.restart_share * self._size
        if self._whole is not None and smaller:
            self._stop(self._whole)
            self._whole = self._start_whole()

    def _start_whole(self) -> RestrictedSearch | None:
        useful = self._useful()
        self._size = int(useful.sum())
        return self._start(useful, math.inf, self.run.remaining, self.params.effort)

    def _useful(self) -> Bools:
        """Mark the incidences that a better release than the incumbent may use."""
        least, value = self.problem.least, self.run.value
        if value is None:
            return np.ones(len(least), bool)
        return np.asarray(least <= value - 1 + _ROUNDING, bool)

    def _start(
        self, used: Bools, least_outside: float, limit: float, effort: float
    ) -> RestrictedSearch | None:
        """Start a search; None where some row type has no incidence left in it.

        Then no better release uses these incidences alone, and that is the bound.
        """
        problem, program = self.problem, self.problem.program
        patterns = program.patterns
        if len(np.unique(patterns.types[used])) < len(patterns.counts):
            note_bound(self.run, least_outside, "pattern_ilp")
            return None
        loads = self._loads()
        restriction = Restriction(
            replace(program.program, rows=program.program.rows + problem.cuts),
            _columns(program, used if loads is None else used | (loads > 0)),
            self._offer,
            None if loads is None else program.point(loads),
            least_outside,
        )
        search = RestrictedSearch(self.run, restriction, limit, effort, problem.seed)
        self.searches.append(search)
        return search

    def _loads(self) -> Ints | None:
        """Return the copies by incidence of the incumbent; None if it has none."""
        run, program = self.run, self.problem.program
        if run.best is None:
            return None
        return loads_of(run.table, run.objective, program.patterns, run.best)

    def _offer(self, point: Floats) -> None:
        program = self.problem.program
        whole = integral(program.program, point) if program.l > 1 else point
        if whole is not None:
            self.run.offer(partition_of(program, whole))


def _columns(program: PatternProgram, used: Bools) -> Bools:
    """Mark the columns of the program that belong to the used incidences."""
    patterns = program.patterns
    alive = np.bincount(patterns.pattern, used, minlength=len(patterns)) > 0
    others = program.pattern_of_columns()[program.incidences :]
    return np.concatenate([used, alive[others]])


# Reduced-cost fixing: lower bounds on the releases that use an incidence.

# A column of at most this value sits at its lower bound.
_ZERO = 1e-9


def reduced_cost_fixing(
    program: PatternProgram, solution: LpSolution, whole: Program | None = None
) -> Floats:
    r"""Bound from below the releases with x[p, t] >= 1, for each pair (p, t).

    In an optimal basis with value v every feasible point costs
    :math:`v + \sum_j d_j (x_j - b_j)`, the sum over the non-basic columns, which sit at
    their bounds :math:`b_j` and have reduced costs :math:`d_j` that make every term
    non-negative. A release with x[p, t] >= 1 also has y[p] = 1, so it costs at least
    :math:`v + d_{pt} + d_p`, counting the columns that sit at zero.

    ``whole`` is the program that was relaxed, if it has more rows or, at the end, more
    columns than the formulation. Bounds are recomputed in whole numbers
    (``starmin.models.solvers.linear_solver``), for any duals: with reduced costs that
    are not negative, other columns count at their better bounds. If costs are too large
    for that, the solver's numbers are used. Callers allow for an error of 1e-6 before
    they round.
    """
    proven = whole_dual(whole or program.program, solution.dual)
    if proven is not None:
        value, at_zero = proven.total / proven.unit, np.maximum(proven.reduced, 0)
        return _through(program, value, at_zero / proven.unit)
    at_zero = np.where(solution.x < _ZERO, np.maximum(solution.reduced_cost, 0.0), 0.0)
    return _through(program, solution.value, at_zero)


def _through(program: PatternProgram, value: float, at_zero: Floats) -> Floats:
    """Add to a bound what an incidence costs and what it costs to open its pattern."""
    bound = value + at_zero[: program.incidences]
    if program.k > 1:
        opening = at_zero[program.first_y : program.first_y + len(program.patterns)]
        bound = bound + opening[program.patterns.pattern]
    return np.asarray(bound)
