"""A search of the distinct program that runs beside the solving of parts."""

import math
from collections.abc import Iterator

import numpy as np

from instances import Run
from models.distinct.program import DistinctProgram
from models.patterns.patterns import threshold
from models.solvers.highs import MipSearch
from models.solvers.program import Floats

_KERNEL = 4  # incidences per type
_KERNEL_SHARE = 0.7  # of the time
_EFFORT, _KERNEL_EFFORT = 0.05, 0.5  # of heuristics


class DistinctKernelSearch:
    """Branch and bound over all incidences or a kernel, in a thread of its own.

    Parameters
    ----------
    program
        The formulation.
    start
        A point to start from.
    run
        Gives the time.
    seed
        For the solver.
    least
        For a kernel: what a release costs at least that uses an incidence. Those with
        the lowest such costs are searched, with much effort on heuristics; whatever
        their optimum, no release costs less than the smaller of it and the cheapest
        incidence left out.
    level
        What releases cost at least that use an incidence the program leaves out.
    """

    def __init__(
        self,
        program: DistinctProgram,
        start: Floats,
        run: Run,
        seed: int,
        least: Floats | None = None,
        level: float = math.inf,
    ) -> None:
        self.program, self.level = program, level
        part = program.core.part
        near, limit, effort = np.ones(len(part.types), bool), run.remaining, _EFFORT
        if least is not None:
            near = least <= threshold(least, _KERNEL * len(program.core.part_types))
            near |= start[: len(least)] > 0
            self.level = min(level, float(least[~near].min(initial=math.inf)))
            limit, effort = _KERNEL_SHARE * limit, _KERNEL_EFFORT
        alive = np.bincount(part.pattern[near], minlength=len(part)) > 0
        self.columns = np.concatenate([near, alive[program.others]])
        self.search = MipSearch(
            program.program.restrict(self.columns),
            limit,
            start[self.columns],
            effort,
            seed,
        )

    @property
    def running(self) -> bool:
        """Whether the search goes on."""
        return self.search.running

    def points(self) -> Iterator[Floats]:
        """The points found since the last call, rounded, that hold."""
        for found in self.search.solutions():
            point = np.zeros(len(self.columns))
            point[self.columns] = np.rint(found)
            if self.program.program.holds(point):
                yield point

    def bound(self) -> float:
        """What no release costs less than."""
        return min(self.search.end(), self.level)

    def stop(self) -> None:
        """End the search."""
        self.search.stop()
