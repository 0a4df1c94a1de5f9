"""Branch and bound of HiGHS in a thread, whose finds the caller's thread takes."""

import math
import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import highspy
import numpy as np

from starmin.instances import Limit, Run
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.runs.cores import give_way
from starmin.instances.runs.result import Best
from starmin.instances.runs.search_control import stopping
from starmin.models.solvers.linear_solver import (
    GRACE,
    HighsCall,
    LinearSolver,
    limit_time,
    load,
    shift_of,
)
from starmin.models.solvers.program import Program, note_bound

# To prove a small program closer than by this share of its cost is not worth the time.
_CLOSE = 1e-5
_SMALL_EFFORT = 0.2  # share of the work of small programs that goes into heuristics
_INTEGRAL = 1e-5  # A value so near to a whole number is one.
_FIXED_LIMIT = 5.0  # Seconds for the flow that is left when the integers are fixed.
# So long for each entry of a large matrix presolve may not look up, on a busy machine:
# where there is less time, it is left out, as is a search at the root that never does.
# The root alone takes so long, too: a search that could not leave it is not begun.
_MANY, _SECONDS_PER_ENTRY = 300_000, 2e-5
_SECONDS_AT_ROOT = 3e-6  # for each entry
_JUMP = "mip_heuristic_run_feasibility_jump"
_MIP_CHECK = highspy.cb.HighsCallbackType.kCallbackMipInterrupt


class MipSearch:
    """A branch and bound that runs in a thread of its own.

    Improving solutions wait in a queue until ``solutions`` hands them out, so that the
    caller's thread, which also hears of Ctrl-C, does all the work on them.

    ``time_limit`` is in seconds, ``start`` is a solution to start from, and ``effort``
    is the share of the work that goes into heuristics (HiGHS: 0.05). The search ends
    where value and bound are as near as ``absolute_gap``; 0.999 for integer costs.
    """

    def __init__(
        self,
        program: Program,
        time_limit: float,
        start: Floats | None = None,
        effort: float = 0.05,
        seed: int = 0,
        absolute_gap: float = 0.999,
    ) -> None:
        self._unit = 2.0 ** shift_of(program)  # HiGHS sees costs divided by this
        smaller = replace(program, cost=program.cost / self._unit)
        self._highs = load(smaller, integer=True)
        self._stop = threading.Event()
        self._found: queue.SimpleQueue[Floats] = queue.SimpleQueue()
        self._ended = False
        self.bound = -math.inf
        for option, value in (
            ("mip_rel_gap", 0.0),
            ("mip_abs_gap", absolute_gap / self._unit),
            ("mip_heuristic_effort", effort),
            ("random_seed", seed),
        ):
            self._highs.setOptionValue(option, value)
        entries = self._highs.getNumNz()
        if entries > _MANY and time_limit < _SECONDS_PER_ENTRY * entries:
            self._highs.setOptionValue("presolve", "off")
            self._highs.setOptionValue(_JUMP, False)
        limit_time(self._highs, time_limit)
        if start is not None:
            solution = highspy.HighsSolution()
            solution.col_value = list(start)
            self._highs.setSolution(solution)
        self._highs.cbMipImprovingSolution.subscribe(self._on_solution)
        self._highs.cbMipInterrupt.subscribe(self._on_check)
        self._highs.cbSimplexInterrupt.subscribe(self._on_check)
        self.call = HighsCall(self._highs, self._stop.set)

    def _on_solution(self, event: Any) -> None:
        self._found.put(np.array(event.data_out.mip_solution))

    def _on_check(self, event: Any) -> None:
        # HiGHS is held here while others have its core.
        give_way()
        if event.callback_type == _MIP_CHECK:
            bound = self._unit * float(event.data_out.mip_dual_bound)
            self.bound = max(self.bound, bound)
        if self._stop.is_set() or stopping():
            event.interrupt()

    def solutions(self) -> Iterator[Floats]:
        """Yield the improving solutions found since the last call."""
        if not self.call.running and not self._ended:
            self._ended = True
            # What presolve alone solves is told to no callback.
            if self.call.status() == highspy.HighsModelStatus.kOptimal:
                self._found.put(np.array(self._highs.getSolution().col_value))
        while not self._found.empty():
            yield self._found.get()

    def stop(self) -> None:
        """Ask the search to end, and wait a moment for it.

        Some parts of HiGHS do not look up for long; what such a search still finds is
        not taken.
        """
        self._stop.set()
        self.call.wait(GRACE)

    def end(self) -> float:
        """Return the bound that is proved so far; infinity if there is no solution.

        It is minus infinity, which proves nothing, where HiGHS gave up: numbers beyond
        its powers are no failure of the program.
        """
        if self.call.running:
            return self.bound
        status = self.call.status()
        known = highspy.HighsModelStatus
        if status == known.kInfeasible:
            return math.inf
        if status == known.kOptimal:
            bound = self._unit * float(self._highs.getInfo().mip_dual_bound)
            return max(self.bound, bound)
        asked = self._stop.is_set() or stopping()
        if asked or status in (known.kTimeLimit, known.kInterrupt):
            return self.bound
        return -math.inf


def solve_small(
    program: Program, time_limit: float, start: Floats | None = None, seed: int = 0
) -> Floats | None:
    """Return the best point found of a small integer program, or None.

    ``time_limit`` is in seconds, ``start`` is a solution to start from.
    """
    worth = 0.0 if start is None else float(program.cost @ start)
    gap = max(0.999, _CLOSE * worth)
    search = MipSearch(program, time_limit, start, _SMALL_EFFORT, seed, gap)
    search.call.finish(time_limit)
    found = list(search.solutions())
    return integral(program, found[-1]) if found else None


def integral(program: Program, point: Floats) -> Floats | None:
    """Round a point, or return one as good whose columns are all integers.

    For programs whose continuous columns are a flow once the integer ones are fixed:
    a basic solution of what is left is integral. None where that one is not found, or
    where the rounded point breaks a row: a solver's tolerances are not ours.
    """
    whole = np.rint(point)
    if (np.abs(point - whole) > _INTEGRAL).any():
        free = ~program.integer
        fixed = np.where(program.integer, whole, point)
        try:
            solution = LinearSolver(program.fix(free, fixed)).solve(_FIXED_LIMIT)
        except ArithmeticError:  # nothing is left once the integers are fixed
            return None
        if solution is None:
            return None
        whole[free] = np.rint(solution.x)
        if (np.abs(solution.x - whole[free]) > _INTEGRAL).any():
            return None
    return whole if program.holds(whole) else None


# Kernel search: a few columns are searched for the value, all for the bound.


@dataclass(frozen=True)
class KernelSearchParams:
    """Constants that steer a kernel search."""

    # incidences (columns that place rows) in the kernel, by row type
    kernel_size: int = 6
    # share of the time that is left for the search of the kernel
    kernel_share: float = 0.25
    # kernel_effort, effort: share of the solver's work that goes into heuristics: in
    # the kernel, and in the whole program
    kernel_effort: float = 0.5
    effort: float = 0.05
    neighbourhood_size: int = 15  # incidences that neighbourhoods may use, by row type
    neighbourhood_limit: float = 3.0  # seconds for one neighbourhood
    # a search of the whole program is begun anew after the kernel if fewer than this
    # share of its incidences are left that can be in a better release
    restart_share: float = 0.7
    # seconds for which each concurrent search is waited for between two neighbourhoods
    pause: float = 0.05


@dataclass(frozen=True, eq=False)
class Restriction:
    """A program of which some columns are searched; the others are fixed at zero."""

    program: Program  # the whole program
    columns: Bools  # which of its columns are searched
    # takes a point of the whole program that was found; it need not be rounded
    offer: Callable[[Floats], None]
    # a point of the whole program to start from; its other columns are zero
    start: Floats | None = None
    # what a release costs at least that uses another column
    least_outside: float = math.inf


class RestrictedSearch:
    """Branch and bound over some columns of a program, in a thread of its own.

    Whatever the optimum over these columns, no release costs less than the smaller of
    it and ``least_outside``: that is the bound the run learns. ``time_limit`` is in
    seconds; ``effort`` is the share of the work that goes into heuristics.
    """

    def __init__(
        self,
        run: Run[Any],
        restriction: Restriction,
        time_limit: float,
        effort: float,
        seed: int,
    ) -> None:
        self.run, self.restriction = run, restriction
        columns, start = restriction.columns, restriction.start
        self._search = MipSearch(
            restriction.program.fix(columns, np.zeros(len(columns))),
            time_limit,
            None if start is None else start[columns],
            effort,
            seed,
        )

    def poll(self, seconds: float) -> bool:
        """Wait so long, take what was found, and return whether the search goes on."""
        self._search.call.wait(seconds)
        running = self._search.call.running
        self._collect()
        return running

    def stop(self) -> None:
        """End the search and take what was found."""
        self._search.stop()
        self._collect()

    def _collect(self) -> None:
        columns = self.restriction.columns
        for found in self._search.solutions():
            point = np.zeros(len(columns))
            point[columns] = found
            self.restriction.offer(point)
        bound = min(self._search.end(), self.restriction.least_outside)
        note_bound(self.run, bound, "pattern_ilp")


class KernelSearch(ABC):
    """Improve the value in a kernel and in neighbourhoods, the bound in the whole.

    The kernel has the columns that prices or the relaxation prefer; it is searched with
    much effort on heuristics. Neighbourhoods of the incumbent are solved anew
    (fix-and-optimize). Branch and bound over the whole program, in a thread of its own,
    proves the bound. What is searched first, and what follows what, is said by the
    class that knows the program. The run keeps value, bound and clock.

    References
    ----------
    Angelelli, Mansini and Speranza (2010), Kernel search: a general heuristic for the
    multi-dimensional knapsack problem.
    """

    def __init__(self, run: Run[Any], params: KernelSearchParams) -> None:
        self.run, self.params = run, params
        self.searches: list[RestrictedSearch] = []

    def search(self) -> None:
        """Search until the gap is closed, the time is up or nothing is left to do."""
        run = self.run
        try:
            self._begin()
            while self._goes_on() and run.remaining > 0 and not run.closed:
                self._improve()
                pause = self.params.pause
                ended = [each for each in self.searches if not each.poll(pause)]
                self.searches = [each for each in self.searches if each not in ended]
                for search in ended:
                    self._follow(search)
        finally:
            for search in self.searches:
                search.stop()

    @abstractmethod
    def _begin(self) -> None:
        """Start the first concurrent searches."""

    @abstractmethod
    def _improve(self) -> None:
        """Solve one neighbourhood of the incumbent, where it is time for that."""

    @abstractmethod
    def _follow(self, ended: RestrictedSearch) -> None:
        """Start what follows a search that has ended."""

    def _stop(self, search: RestrictedSearch) -> None:
        """End a search before its time; nothing follows it."""
        search.stop()
        self.searches = [each for each in self.searches if each is not search]

    def _goes_on(self) -> bool:
        """Return whether there is anything left to do."""
        return bool(self.searches)


# Solve a program by branch and bound for a run, which takes all that is found.

_WAIT = 0.05  # seconds between two looks at what the solver has found


def solve_program(
    run: Run[Best],
    program: Program,
    method: str,
    release: Callable[[Ints], Best | None],
    start: Floats | None = None,
    seed: int = 0,
    only_better: bool = False,
) -> Limit | None:
    """Search until the program is solved or the time is up, and say what stopped it.

    The clock of ``run`` ends the search; it learns the bound, for which ``method`` is
    named. ``release`` makes a release of each improving solution in whole numbers,
    None where it is none; it is counted again before the run takes it. ``start`` is a
    solution to start from. With ``only_better`` releases may be left out that are no
    better than the best one: a program without a solution proves that this is optimal.
    """
    entries = sum(len(rows.value) for rows in program.rows)
    if entries > _MANY and run.remaining < _SECONDS_AT_ROOT * entries:
        return Limit.TIME

    def take_all() -> None:
        for point in search.solutions():
            found = release(np.rint(point).astype(np.int64))
            if found is not None and found.violation(*run.asked) is None:
                run.offer(found)

    search = MipSearch(program, run.remaining, start, seed=seed)
    try:
        # A release with a row is better than one without that costs as much.
        going = search.call
        while going.running and run.remaining > 0 and (run.empty or not run.closed):
            going.wait(_WAIT)
            take_all()
    finally:
        search.stop()
    take_all()
    if math.isfinite(bound := search.end()) or only_better:
        note_bound(run, bound, method)
    return None if run.closed or run.remaining > 0 else Limit.TIME
