"""Search for the release of a problem, as all calls in Python do."""

from typing import Any

from starmin.auto.dispatch import AUTO
from starmin.call_arguments import (
    OnProgress,
    control_of,
    expect_time_limit,
    warn,
)
from starmin.defences.defences import NO_DEFENCES, Defences
from starmin.driver import Driver
from starmin.instances import NonHomogeneous, Partition, Problem
from starmin.instances.arguments import expect_kind, expect_whole
from starmin.instances.runs.cores import limited_to
from starmin.process.faults import InternalError
from starmin.solution import Solution


def solve_problem(
    problem: Problem,
    method: str = AUTO,
    *,
    time_limit: float | None = None,
    gap: float | None = None,
    patience: float | None = None,
    on_progress: OnProgress | None = None,
    seed: int | None = None,
    workers: int | None = None,
    work_limit: int | None = None,
    display: bool | None = None,
    initial: Partition | NonHomogeneous | None = None,
    defences: Defences = NO_DEFENCES,
    **options: Any,
) -> Solution:
    """Find the cheapest release of a problem; arguments are those of ``solve``.

    Parameters
    ----------
    problem
        What is asked, checked.
    method, seed
        The name of a method, or ``auto``; the seed of whatever is random.
    time_limit, gap, patience, work_limit
        What ends the search: seconds, a gap that is small enough, seconds without a
        better value or bound, or units of work.
    on_progress, workers
        What is told of each improvement; how many cores are used.
    display, initial
        Whether progress is shown; a release to start from.
    options
        Further arguments of the method.
    defences
        What is hidden in addition.
    """
    defences.expect(problem)
    expect_kind("method", method, str)
    taken = NonHomogeneous if problem.rowwise else Partition
    expect_kind("initial", initial, (taken, type(None)))
    if seed is not None:
        expect_whole("seed", seed, 0)
    for name, count in (("workers", workers), ("work_limit", work_limit)):
        if count is not None:
            expect_whole(name, count, 1)
    if display is not None:
        expect_kind("display", display, bool)
    if work_limit is not None and (time_limit, patience) != (None, None):
        raise ValueError("Expected no time_limit and no patience beside work_limit.")
    control = control_of(gap, patience, on_progress)
    expect_time_limit(time_limit)
    options |= {"seed": seed, "initial": initial}
    options |= {"workers": workers, "work_limit": work_limit}
    quiet = None if display is None else not display
    how = method, time_limit, control
    with limited_to(workers), Driver(*how, quiet=quiet) as driver:
        warn(driver.cautions(problem, options))
        try:
            found = driver.solve(problem, options, defences=defences)
        except InternalError as error:
            error.result = Solution.of(error.result, problem)
            raise
    return Solution.of(found, problem)
