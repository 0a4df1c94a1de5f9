"""Solve a program by branch and bound for a run, which takes all that is found."""

import math
from collections.abc import Callable
from typing import Any

from starmin.instances import Run
from starmin.instances.arrays import Floats
from starmin.models.solvers.mip_search import MipSearch
from starmin.models.solvers.program import Program
from starmin.models.solvers.whole_bound import note_bound

_WAIT = 0.05  # seconds between two looks at what the solver has found


def solve_program(
    run: Run[Any],
    program: Program,
    method: str,
    take: Callable[[Floats], None],
    start: Floats | None = None,
    seed: int = 0,
) -> None:
    """Search until the program is solved or the time is up.

    Parameters
    ----------
    run
        Its clock ends the search; it learns the bound.
    program
        What to solve.
    method
        The method that is named for the bound.
    take
        Called with each improving solution, in this thread: offers its release.
    start
        A solution to start from.
    seed
        For the solver's random choices.
    """
    search = MipSearch(program, run.remaining, start, seed=seed)
    try:
        while search.running and run.remaining > 0:
            search.wait(_WAIT)
            _take_all(search, take)
    finally:
        search.stop()
    _take_all(search, take)
    if math.isfinite(bound := search.end()):
        note_bound(run, bound, method)


def _take_all(search: MipSearch, take: Callable[[Floats], None]) -> None:
    for point in search.solutions():
        take(point)
