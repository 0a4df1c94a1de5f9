"""The search for the best release under distinct l-diversity."""

import math

import numpy as np

from instances import NotSupportedError, Run, least_diversity
from models.distinct.kernel_search import DistinctKernelSearch
from models.distinct.lending_flow import lending_flow
from models.distinct.neighbourhoods import DistinctParts
from models.distinct.prices import DistinctPrices
from models.distinct.program import DistinctProgram, distinct_program
from models.distinct.reduction import Core, Ints, has_prices, start_core
from models.distinct.repair_by_merging import repair_by_merging
from models.patterns.decode import loads_of, partition_of_loads
from models.patterns.patterns import threshold
from models.patterns.reduced_cost_fixing import reduced_cost_fixing
from models.solvers.bound import note_bound
from models.solvers.highs import LinearSolver
from models.solvers.program import Floats

MAX_INCIDENCES = 2_000_000
_RELAXATIONS = 2
_SHARE = 0.2  # of the time, at most, for the first of them if there is a second one
LARGE = 400_000  # incidences: prices are found sooner than the relaxation is solved
_TOLERANCE = 1e-3  # of the prices
_LONG = 120.0  # seconds that it takes at least to search so many for the bound
_USEFUL = 5  # incidences per type that are searched beside those of the release


def solve_distinct(run: Run, seed: int) -> bool:
    """Solve a run's problem, from its incumbent; whether it ended before the time did.

    As few types as can be are placed at first; those that the loans of the relaxation
    leave short, or of a point found later, are placed as well. In the incidences that
    the relaxation prefers, or prices where it is large, parts of the release are
    solved anew, and beside that a kernel is searched; then all, if there is time.

    Raises
    ------
    NotSupportedError
        Too many columns, or more than two million pairs of a pattern and a row type
        that is to be placed.
    """
    core = start_core(run)
    if len(core.inside) > MAX_INCIDENCES:
        raise NotSupportedError(
            f"Expected at most {MAX_INCIDENCES:,} pairs of a pattern and a row type, "
            f"got {len(core.inside):,}."
        )
    if len(core.inside) == 0:
        none = np.zeros(0, np.int64)
        loads = core.join(none, none)
        run.offer(partition_of_loads(core.types, core.patterns, loads))
        run.raise_bound(0, "pattern_ilp")
        return run.closed
    priced = has_prices(run.requirement, core.types.sensitive.shape[1])
    large = priced and len(core.inside) > LARGE
    found = _by_prices(run, core) if large else _by_relaxation(run, core)
    if found is None:
        return False
    core, least = found
    if not run.closed:
        _Search(run, core, least, seed, _LONG if large else 0.0).improve()
    return run.closed


def _by_prices(run: Run, core: Core) -> tuple[Core, Floats]:
    """What a release costs at least that uses an incidence, by prices."""
    limit = _SHARE * run.remaining
    pricing = Run(run.table, run.requirement, run.objective, limit, run.display)
    prices = DistinctPrices(pricing, core)
    prices.improve(_TOLERANCE)
    run.learn(pricing)
    least = np.full(len(core.patterns.types), -math.inf)
    least[core.inside] = prices.least()
    return core, least


def _by_relaxation(run: Run, core: Core) -> tuple[Core, Floats] | None:
    """The same by the linear relaxation, with the classes placed that it leaves short.

    None where the time is up before.
    """
    least = np.full(len(core.patterns.types), -math.inf)
    for _ in range(_RELAXATIONS):
        began, left = run.elapsed, run.remaining
        program = distinct_program(core, least_diversity(run.requirement))
        relaxed = LinearSolver(program.program).solve(left)
        if relaxed is None:
            return None
        note_bound(run, relaxed.value, "pattern_ilp")
        least[core.inside] = reduced_cost_fixing(program.base, relaxed)
        _, short = lending_flow(program, relaxed.x, whole=False)
        core = core.place(short)
        if len(short) == 0 or run.elapsed - began > _SHARE * left:
            break
    return core, least


class _Search:
    """The best release as a point of a program, and the ways to improve it.

    Parameters
    ----------
    run, whole
        The problem, and what is placed.
    least
        For each incidence what a release costs at least that uses it.
    seed
        Of the choice of parts and of the solver.
    enough
        Seconds that must be left for a search of all incidences.
    """

    program: DistinctProgram
    near: Floats
    point: Floats
    parts: DistinctParts

    def __init__(
        self, run: Run, whole: Core, least: Floats, seed: int, enough: float
    ) -> None:
        self.enough = enough
        self.run, self.whole, self.least, self.seed = run, whole, least, seed
        self.level = threshold(least[whole.inside], _USEFUL * len(whole.part_types))
        self._take_up(None)
        self._settle()

    def improve(self) -> None:
        """Search until the gap is closed or the time is up."""
        run, beside = self.run, self._beside(kernel=True)
        try:
            while run.remaining > 0 and not run.closed:
                self._improve_part()
                running = beside.running
                self._collect(beside)
                if not running and not run.closed and run.remaining > self.enough:
                    beside = self._beside(kernel=False)
        finally:
            beside.stop()
        self._collect(beside)

    def _improve_part(self) -> None:
        better = self.parts.improve(self.point, self.run.remaining)
        if better is not None:
            self.point = better
            self._settle()

    def _collect(self, beside: DistinctKernelSearch) -> None:
        """Take what the search beside has found and proved."""
        run, program = self.run, beside.program
        for point in beside.points():
            assert run.value is not None
            if program.program.cost @ point > run.value - 0.5:
                continue
            self._place(self._offer(program, point))
            self._settle()
        note_bound(run, beside.bound(), "pattern_ilp")

    def _settle(self) -> None:
        """Offer the release of the point; place classes until it borrows what it may.

        They make it the point of the best release, which may have rows lent in vain,
        or by classes that are no groups any more.
        """
        while len(short := self._offer(self.program, self.point)):
            self._place(short)

    def _offer(self, program: DistinctProgram, point: Floats) -> Ints:
        """Offer the release of a point; the classes that are short for its loans.

        Where there are such, groups that lack their rows are merged with others.
        """
        run, core = self.run, program.core
        lent, short = lending_flow(program, point)
        copies, _ = program.loads(point)
        loads = core.join(copies, lent)
        release = partition_of_loads(core.types, core.patterns, loads)
        if len(short):
            release = repair_by_merging(
                release, run.table, run.requirement, run.objective
            )
        run.offer(release)
        return short

    def _place(self, short: Ints) -> None:
        """Go on from the best release, with more classes placed."""
        self.whole = self.whole.place(short)
        self._take_up(self.parts)

    def _take_up(self, before: DistinctParts | None) -> None:
        """Write the program around the best release."""
        loads = self._loads()
        core, kept = self.whole.thin((self.least <= self.level) | (loads > 0))
        self.program = self._written(core)
        self.near = self.least[kept][core.inside]
        self.point = self.program.point(*core.split(loads[kept]))
        self.parts = DistinctParts(self.program, self.seed)
        if before is not None:
            self.parts.learn_from(before)

    def _loads(self) -> Ints:
        run, core = self.run, self.whole
        assert run.best is not None
        loads = loads_of(run.table, run.objective, core.types, core.patterns, run.best)
        if loads is None:
            raise ArithmeticError("Expected the patterns of the best release.")
        return loads

    def _written(self, core: Core) -> DistinctProgram:
        return distinct_program(core, least_diversity(self.run.requirement))

    def _beside(self, kernel: bool) -> DistinctKernelSearch:
        """Begin a search in a kernel, or in all."""
        run, seed = self.run, self.seed
        if kernel:
            return DistinctKernelSearch(
                self.program, self.point, run, seed, self.near, self.level
            )
        program = self._written(self.whole)
        return DistinctKernelSearch(
            program, program.point(*self.whole.split(self._loads())), run, seed
        )
