"""The search for the best release, within a strengthened pattern program."""

import math
from dataclasses import dataclass, replace

import numpy as np

from instances import BoolArray, RowTypes, Run
from models.neighbourhoods.destroy_operators import DestroyOperators
from models.patterns.decode import loads_of, partition_of, partition_of_loads
from models.patterns.pattern_program import PatternProgram
from models.patterns.patterns import threshold
from models.solvers.bound import note_bound
from models.solvers.highs import MipSearch, integral
from models.solvers.program import Floats, Rows

KERNEL = 6  # incidences per type
_KERNEL_SHARE = 0.25  # of the time
_EFFORT = 0.5  # of heuristics in a kernel
_SHRINK = 0.7  # of the incidences: worth a new start of the whole search
_PARTS_KERNEL = 15
_PART_LIMIT = 3.0  # seconds


@dataclass(frozen=True, eq=False)
class Strengthened:
    """A pattern program with its cuts, and what its relaxation proved.

    Attributes
    ----------
    run
        The run: table, incumbent, bound, clock.
    program
        The pattern program.
    cuts
        Valid inequalities that the relaxation was tightened with.
    through
        For each incidence what a release costs at least that uses it.
    rank
        A weaker bound of the same kind by which kernels are chosen.
    seed
        For the solver's random choices.
    """

    run: Run
    program: PatternProgram
    cuts: tuple[Rows, ...]
    through: Floats
    rank: Floats
    seed: int

    @property
    def types(self) -> RowTypes:
        table = self.run.table
        return table.sensitive_types if self.program.l > 1 else table.row_types

    def level(self, per_type: float) -> float:
        """The least cost below which lie ``per_type`` incidences per type."""
        return threshold(self.rank, int(per_type * len(self.program.patterns.counts)))


def search(problem: Strengthened) -> bool:
    """A kernel, then parts, for the value; beside it the whole for the bound.

    Works on the incumbent and the bound of the problem's run; returns whether it
    ended before the time did.
    """
    run = problem.run
    kernel = _kernel(problem)
    whole = _start(problem, None, run.remaining, 0.05)
    parts = _Parts(problem)
    try:
        while not run.closed and run.remaining > 0:
            if kernel is None:
                parts.step()
            elif not kernel.poll():
                kernel = None
                if whole and whole.shrunk() < _SHRINK * whole.size:
                    whole.stop()
                    whole = _start(problem, None, run.remaining, 0.05)
            if (whole is None or not whole.poll()) and kernel is None:
                break
    finally:
        for search in (whole, kernel):
            if search:
                search.stop()
    return run.remaining > 0


def _kernel(problem: Strengthened) -> "_Search | None":
    level = problem.level(KERNEL)
    if math.isinf(level):
        return None
    return _start(problem, level, _KERNEL_SHARE * problem.run.remaining, _EFFORT)


class _Parts:
    """Parts of the incumbent solved anew, within the larger kernel."""

    def __init__(self, problem: Strengthened) -> None:
        self.problem = problem
        self.search = DestroyOperators(
            problem.program.patterns,
            problem.types,
            problem.program.k,
            problem.program.l,
            problem.rank <= problem.level(_PARTS_KERNEL),
            np.random.default_rng(problem.seed),
            part_limit=_PART_LIMIT,
        )

    def step(self) -> None:
        """One part."""
        run, patterns = self.problem.run, self.problem.program.patterns
        if run.best is None:
            return
        loads = loads_of(
            run.table, run.objective, self.problem.types, patterns, run.best
        )
        better = None
        if loads is not None:
            better = self.search.step(loads, run.remaining)
        if better is not None:
            run.offer(partition_of_loads(self.problem.types, patterns, better))


def _start(
    problem: Strengthened, level: float | None, time_limit: float, effort: float
) -> "_Search | None":
    """Start a search; None (and the bound it proves) where it would be empty."""
    search = _Search(problem, level, time_limit, effort)
    if search.start():
        return search
    search.prove(math.inf)
    return None


class _Search:
    """A branch and bound over the incidences that a better release may use.

    Parameters
    ----------
    problem
        The problem; its incumbent is where the search starts.
    level
        A kernel: only incidences with at most this least cost; None for all.
    time_limit, effort
        Seconds, and the share of the work for heuristics.
    """

    def __init__(
        self,
        problem: Strengthened,
        level: float | None,
        time_limit: float,
        effort: float,
    ) -> None:
        self.problem, self.level = problem, level
        self.time_limit, self.effort = time_limit, effort
        self.used = self._useful()
        self.size = int(self.used.sum())

    def _useful(self) -> BoolArray:
        value = self.problem.run.value
        useful = np.ones(len(self.problem.through), bool)
        if value is not None:
            useful &= self.problem.through <= value - 1 + 1e-6
        if self.level is not None:
            useful &= self.problem.rank <= self.level
        return useful

    def shrunk(self) -> int:
        """How many incidences it would have now, with the best value known."""
        return int(self._useful().sum())

    def start(self) -> bool:
        """Start it; False where some type has no incidence left: no better release."""
        problem, program = self.problem, self.problem.program
        patterns = program.patterns
        if len(np.unique(patterns.types[self.used])) < len(patterns.counts):
            return False
        best, loads = problem.run.best, None
        if best is not None:
            loads = loads_of(
                problem.run.table, problem.run.objective, problem.types, patterns, best
            )
        used = self.used if loads is None else self.used | (loads > 0)
        self.columns = _columns(program, used)
        tightened = replace(program.program, rows=program.program.rows + problem.cuts)
        self.search = MipSearch(
            tightened.restrict(self.columns),
            self.time_limit,
            None if loads is None else program.point(loads)[self.columns],
            self.effort,
            problem.seed,
        )
        return True

    def poll(self) -> bool:
        """Wait a moment and take what was found; whether the search goes on."""
        self.search.wait(0.05)
        running = self.search.running
        self._collect()
        return running

    def stop(self) -> None:
        """End it and take what was found."""
        self.search.stop()
        self._collect()

    def _collect(self) -> None:
        run, program = self.problem.run, self.problem.program
        for found in self.search.solutions():
            point = np.zeros(len(self.columns))
            point[self.columns] = found
            if program.l > 1:
                whole = integral(program.program, point)
                if whole is None:
                    continue
                point = whole
            run.offer(partition_of(self.problem.types, program, point))
        self.prove(self.search.end())

    def prove(self, bound: float) -> None:
        """Note the bound: releases it left out cost the value, or more than level."""
        if self.level is not None:
            bound = min(bound, self.level)
        note_bound(self.problem.run, bound, "pattern_ilp")


def _columns(program: PatternProgram, used: BoolArray) -> BoolArray:
    """The columns of the program that belong to the used incidences."""
    patterns = program.patterns
    alive = np.bincount(patterns.pattern, used, minlength=len(patterns)) > 0
    others = program.pattern_of_columns()[program.incidences :]
    return np.concatenate([used, alive[others]])
