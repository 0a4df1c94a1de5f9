"""The pattern formulation solved to proven optimality, or as near as time allows."""

import math
from dataclasses import dataclass, replace

import numpy as np

from instances import (
    STARS,
    BoolArray,
    KAnonymity,
    LDiversity,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
    expect_parts,
    group_by,
)
from models.bounds.pattern_lp import relax, write_program
from models.group_cuts import group_cuts
from models.highs import Floats, LinearSolver, LpSolution, MipSearch, Rows
from models.incumbents import loads_of, partition_of, partition_of_loads
from models.part_search import PartSearch
from models.pattern_program import PatternProgram
from models.patterns import expect_stars
from models.rounding import polish, round_relaxation
from models.through import through

_CUT_ROUNDS = 12
_CUT_SHARE = 0.15  # of the time
_ROUND_SHARE = 0.2  # of the time
_KERNEL = 6  # incidences per type in the first kernel
_KERNEL_SHARE = 0.25
_PARTS_KERNEL = 15
_PART_LIMIT = 3.0  # seconds
_EFFORT = 0.5  # of heuristics in a kernel
_SHRINK = 0.7  # of the incidences: worth a new start of the whole search


def pattern_ilp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    r"""Solves star minimisation exactly: k-anonymity, l-diversity or both.

    The formulation is that of ``models.pattern_program`` over the closed patterns
    with enough support: integer ``x[p, t]`` copies of row type t are released as
    pattern p; for k-anonymity a binary ``y[p]`` opens a pattern. It is exact since
    the groups of a release that render alike are one pattern, and a pattern that is
    not closed can be exchanged for the closed one on the same types.

    The search has three parts. (1) The linear relaxation gives prices, the certified
    bound, and for k-anonymity group-count cuts (``models.group_cuts``) are added to
    it. (2) For each incidence (p, t) the relaxation tells what a release must cost at
    least that uses it (``models.through``). A *kernel* of the incidences with the
    lowest such costs is searched with much effort on heuristics; then parts of the
    incumbent are solved anew (``models.part_search``). Whatever a kernel's own
    optimum, no release costs less than the smaller of it and the cheapest incidence
    left out. (3) Beside it the whole program is searched for the bound, without the
    incidences that cost too much to be in a better release than the best one known.
    The first release comes from the relaxation itself (``models.rounding``).

    Every solution is rounded, dealt to its open patterns anew by a min-cost flow
    (k-anonymity), rebuilt as a partition and recounted.

    Parameters
    ----------
    table, requirement, objective
        The problem: ``KAnonymity``, ``LDiversity`` (frequency; every sensitive
        column) or both; stars, with weights and kept columns.
    time_limit
        Wall-clock seconds; the best release, the bound and the gap are returned.
    seed
        For the solver's random choices.
    display
        Print a line (time, value, bound, gap) to stderr at each improvement.
    initial
        A release to improve on.

    Returns
    -------
    Result
        Its certificate proves the bound of the prices; what branch and bound proves
        beyond that is the solver's word.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or more than 20 columns to star.

    See Also
    --------
    models.bounds.pattern_lp : the relaxation alone.
    models.tuple_ilp : the fewest suppressed tuples.

    Notes
    -----
    Two threads. 214,144 rows by 5 columns (k = 5, 20) are proven in seconds, 30,162
    rows by 4 or 5 columns in seconds (k = 2) to a gap of a few tenths of a per cent
    in two minutes (k = 5). Memory grows with the incidences: at most 2^d per type.

    References
    ----------
    Chakaravarthy, Pandit and Sabharwal (2010), section 4; Bredereck, Nichterlein and
    Niedermeier, Pattern-Guided k-Anonymity (2013).

    Examples
    --------
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> result = pattern_ilp(table, KAnonymity(2))
    >>> result.value, result.status.value
    (4, 'optimal')
    """
    expect_parts(requirement, KAnonymity, LDiversity)
    expect_stars(objective)
    run = Run(table, requirement, objective, time_limit, display)
    if no := run.infeasible():
        return no
    run.offer(initial or coarsest(table, objective))
    try:
        run.check_time()
        done = _solve(run, seed)
    except TimeoutError:
        return run.result(Limit.TIME)
    except KeyboardInterrupt:
        return run.result(Limit.INTERRUPTED)
    return run.result(None if done else Limit.TIME)


def coarsest(table: Table, objective: Objective) -> Partition:
    """One group for each class of the kept columns: feasible if anything is."""
    if not objective.keep:
        return Partition.single(table)
    kept = [table.column(c) for c in objective.keep]
    sizes = [len(table.dictionary(c)) for c in objective.keep]
    return Partition.from_labels(group_by(kept, sizes).inverse)


@dataclass(frozen=True, eq=False)
class _Problem:
    """The program with its cuts, and what its relaxation proved."""

    run: Run
    program: PatternProgram
    cuts: tuple[Rows, ...]
    through: Floats
    seed: int

    @property
    def types(self) -> RowTypes:
        table = self.run.table
        return table.sensitive_types if self.program.l > 1 else table.row_types

    def level(self, per_type: float) -> float:
        """The least cost below which lie ``per_type`` incidences per type."""
        at = int(per_type * len(self.program.patterns.counts))
        if at >= self.program.incidences:
            return math.inf
        return float(np.partition(self.through, at)[at])


def _solve(run: Run, seed: int) -> bool:
    program = write_program(run)
    solver = LinearSolver(program.program)
    solution = relax(run, program, solver)
    if solution is None:
        return False
    solution, cuts = _tighten(run, program, solver, solution)
    _raise(run, solution.value)
    problem = _Problem(run, program, cuts, through(program, solution), seed)
    _round(problem, solution)
    return run.closed or _search(problem)


def _round(problem: _Problem, solution: LpSolution) -> None:
    """Take the release that the relaxation suggests."""
    run, program = problem.run, problem.program
    useful = problem.through <= problem.level(_KERNEL)
    limit = _ROUND_SHARE * run.remaining
    loads = round_relaxation(
        program, problem.types, solution.x, useful, limit, problem.seed
    )
    if loads is not None:
        loads = polish(program, loads)
        run.offer(partition_of_loads(problem.types, program.patterns, loads))


def _tighten(
    run: Run, program: PatternProgram, solver: LinearSolver, solution: LpSolution
) -> tuple[LpSolution, tuple[Rows, ...]]:
    """Add group-count cuts as long as they raise the bound."""
    cuts: list[Rows] = []
    started, budget = run.elapsed, _CUT_SHARE * run.remaining
    while program.k > 1 and len(cuts) < _CUT_ROUNDS:
        found = group_cuts(program, solution.x)
        if found is None or run.elapsed - started > budget:
            break
        solver.add(found)
        tighter = solver.solve(run.remaining)
        if tighter is None:
            break
        cuts.append(found)
        gained, solution = tighter.value - solution.value, tighter
        if gained < 1e-4 * max(1.0, solution.value) and len(cuts) > 1:
            break
    return solution, tuple(cuts)


def _search(problem: _Problem) -> bool:
    """A kernel, then parts, for the value; beside it the whole for the bound."""
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


def _kernel(problem: _Problem) -> "_Search | None":
    level = problem.level(_KERNEL)
    if math.isinf(level):
        return None
    return _start(problem, level, _KERNEL_SHARE * problem.run.remaining, _EFFORT)


class _Parts:
    """Parts of the incumbent solved anew, within the larger kernel."""

    def __init__(self, problem: _Problem) -> None:
        self.problem = problem
        self.search = PartSearch(
            problem.program,
            problem.types,
            problem.through <= problem.level(_PARTS_KERNEL),
            np.random.default_rng(problem.seed),
            _PART_LIMIT,
        )

    def step(self) -> None:
        """One part."""
        run, patterns = self.problem.run, self.problem.program.patterns
        if run.best is None:
            return
        loads = loads_of(run.table, self.problem.types, patterns, run.best)
        better = None
        if loads is not None:
            better = self.search.step(loads, run.remaining)
        if better is not None:
            run.offer(partition_of_loads(self.problem.types, patterns, better))


def _start(
    problem: _Problem, level: float | None, time_limit: float, effort: float
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
        self, problem: _Problem, level: float | None, time_limit: float, effort: float
    ) -> None:
        self.problem, self.level = problem, level
        self.time_limit, self.effort = time_limit, effort
        self.used = self._useful()
        self.size = int(self.used.sum())

    def _useful(self) -> BoolArray:
        value = self.problem.run.value
        cutoff = math.inf if value is None else value - 1 + 1e-6
        if self.level is not None:
            cutoff = min(cutoff, self.level)
        return np.asarray(self.problem.through <= cutoff, bool)

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
            loads = loads_of(problem.run.table, problem.types, patterns, best)
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
            run.offer(partition_of(self.problem.types, program, point))
        self.prove(self.search.end())

    def prove(self, bound: float) -> None:
        """Note the bound: releases it left out cost the value, or more than level."""
        value = self.problem.run.value
        for other in (value, self.level):
            if other is not None:
                bound = min(bound, other)
        _raise(self.problem.run, bound)


def _columns(program: PatternProgram, used: BoolArray) -> BoolArray:
    """The columns of the program that belong to the used incidences."""
    patterns = program.patterns
    alive = np.bincount(patterns.pattern, used, minlength=len(patterns)) > 0
    return np.concatenate([used] + [alive] * ((program.l > 1) + (program.k > 1)))


def _raise(run: Run, bound: float) -> None:
    if math.isfinite(bound):
        run.raise_bound(math.ceil(bound - 1e-6), "pattern_ilp")
