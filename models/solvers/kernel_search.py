"""Kernel search: a few columns are searched for the value, all for the bound."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from starmin.instances import Run
from starmin.instances.arrays import Bools, Floats
from starmin.models.solvers.mip_search import MipSearch
from starmin.models.solvers.program import Program
from starmin.models.solvers.whole_bound import note_bound


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
    it and ``least_outside``: that is the bound the run learns, as proved by ``method``.
    ``time_limit`` is in seconds; ``effort`` is the share of the work that goes into
    heuristics.
    """

    def __init__(
        self,
        run: Run[Any],
        restriction: Restriction,
        time_limit: float,
        effort: float,
        seed: int,
        method: str = "pattern_ilp",
    ) -> None:
        self.run, self.restriction, self.method = run, restriction, method
        columns, start = restriction.columns, restriction.start
        self._search = MipSearch(
            restriction.program.restrict(columns),
            time_limit,
            None if start is None else start[columns],
            effort,
            seed,
        )

    def poll(self, seconds: float) -> bool:
        """Wait so long, take what was found, and return whether the search goes on."""
        self._search.wait(seconds)
        running = self._search.running
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
        note_bound(self.run, bound, self.method)


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
