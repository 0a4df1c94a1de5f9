"""Annealing on the patterns near each row type's least cost, with a lower bound."""

import math
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path

from starmin.heuristics.near_patterns import NEAR_PATTERN_ANNEALING
from starmin.heuristics.near_patterns.memory import SearchMemory
from starmin.heuristics.near_patterns.search_parts import (
    NEAR_PATTERN_PARAMS,
    Asked,
    NearPatternParams,
    search_beside,
    search_near,
    search_parts,
)
from starmin.heuristics.orders.suppression import (
    columns_by_entropy,
    offer_sorted_copies,
)
from starmin.instances import (
    STARS,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
)
from starmin.instances.runs.checkpoint import Checkpoint, time_counted
from starmin.instances.runs.cores import Threads
from starmin.instances.runs.places import places


def near_pattern_annealing(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    checkpoint: Path | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    params: NearPatternParams = NEAR_PATTERN_PARAMS,
) -> Result:
    """Find few stars, and a lower bound, where there are millions of distinct rows.

    No guarantee for the release. A distinct row rarely pays more than a star beyond
    what it pays at least, the cost of its cheapest pattern that k rows fit. So only the
    pairs of a distinct row and a pattern that are near that cost are listed
    (``starmin.models.bounds.near_listing``), some 25 for each type by eight
    columns, where all are 256. On this list the prices of the Lagrangian bound are
    improved in one thread, kept within a star of the least cost so that the bound holds
    for all patterns, and the release is annealed in another
    (``starmin.heuristics.annealing.pattern_annealing``).

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity and stars, with weights and kept columns.
    time_limit
        Wall-clock seconds.
    seed
        Of all choices.
    initial
        A release that is offered first; it is never lost. Default: the distinct rows
        are sorted first, and cut into the best consecutive groups.
    checkpoint
        A folder where the list of patterns and the own costs are kept, after each round
        release and prices, and twice a second the time that was used; a search that was
        killed goes on from there, for what its limit leaves.
    workers, executor
        Where parts are searched, and so many tasks at a time; the workers read them
        from files, in the folder of the checkpoint if there is one. A table that need
        not be cut is searched here, and in parts there meanwhile
        (``starmin.heuristics.near_patterns.search_parts``). Default: threads.

    Returns
    -------
    Result
        With the bound of the prices and its certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or more than 12 columns to star.

    See Also
    --------
    starmin.heuristics.large_neighbourhood.large_neighbourhood :
        better up to some 700,000 distinct rows by eight columns, where there is a
        minute; it needs twice the memory.

    Notes
    -----
    Memory and the time of a round are linear in the distinct rows. More than 4.5
    million of them are cut into parts, which are annealed two at a time
    (``starmin.heuristics.near_patterns.search_parts``); prices are improved before, on
    near patterns that are listed by ranges
    (``starmin.models.bounds.near_listing``).

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> result = near_pattern_annealing(table, KAnonymity(2), time_limit=1.0)
    >>> result.value, result.lower_bound
    (4, 4)
    """
    run = Run(
        *(table, requirement, objective, time_limit, display, NEAR_PATTERN_ANNEALING),
        workers=None if executor else workers,
    )
    asked = Asked(requirement, objective, seed, params, checkpoint)

    def search_whole(types: RowTypes) -> None:
        memory = SearchMemory(run, types, checkpoint, "search")
        if (before := memory.restore(run)) is None and initial is None:
            offer_sorted_copies(run, columns_by_entropy(table, objective))
        with Threads(2) as threads:
            search_near(run, types, asked, threads, memory, before)
        memory.forget_patterns()

    def search() -> Limit:
        run.offer(initial or Partition.coarsest(table, objective))
        if checkpoint is None:  # else what was kept is taken up first
            run.check_time()
        types = table.row_types
        with ExitStack() as stack:
            if checkpoint is not None:
                checkpoint.mkdir(parents=True, exist_ok=True)
                problem = types, requirement, objective
                kept = Checkpoint(checkpoint, "time-used", *problem)
                stack.enter_context(time_counted(run, kept))
            where = stack.enter_context(places(executor, workers, checkpoint))
            if len(types) > params.most_types:
                search_parts(run, types, asked, where)
            elif where.elsewhere and len(types) >= 2 * params.least_types:
                search_beside(run, types, asked, where, lambda: search_whole(types))
            else:
                search_whole(types)
        return Limit.TIME if run.remaining == 0 else Limit.ITERATIONS

    return run.carry_out(search)
