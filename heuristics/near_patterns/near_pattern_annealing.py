"""Annealing on the patterns near each row type's least cost, with a lower bound."""

import math
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path

import numpy as np

from heuristics.annealing.rounds import AnnealingRounds
from heuristics.near_patterns import NEAR_PATTERN_ANNEALING
from heuristics.near_patterns.memory import SearchMemory
from heuristics.near_patterns.params import NEAR_PATTERN_PARAMS, NearPatternParams
from heuristics.near_patterns.parts import cut_in_parts, joined, table_of_types
from heuristics.orders.lexicographic_suppression import columns_by_entropy
from heuristics.orders.sorted_copies import offer_sorted_copies
from instances import (
    STARS,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    RowTypes,
    Run,
    Table,
    least_size,
)
from instances.runs.checkpoint import Checkpoint
from instances.runs.threads import Threads
from models.near_patterns.listing import near_patterns
from models.near_patterns.prices import NearPrices, own_prices
from models.pricing.pattern_pool import PatternPool


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
    params: NearPatternParams = NEAR_PATTERN_PARAMS,
) -> Result:
    """Find few stars, and a lower bound, where there are millions of row types.

    No guarantee for the release. A row type rarely pays more than a star beyond what it
    pays at least, the cost of its cheapest pattern that k rows fit. So only the pairs
    of a row type and a pattern that are near that cost are listed
    (``models.near_patterns.listing``), some 25 for each type by eight columns, where
    all are 256. On this list the prices of the Lagrangian bound are improved in one
    thread, kept within a star of the least cost so that the bound holds for all
    patterns, and the release is annealed in another
    (``heuristics.annealing.rounds``).

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity and stars, with weights and kept columns.
    time_limit
        Wall-clock seconds.
    seed
        Of all choices.
    display
        Print a line to stderr at each improvement.
    initial
        A release that is offered first; it is never lost. Default: the row types are
        sorted first, and cut into the best consecutive groups.
    checkpoint
        A folder where release, prices and the time that was used are kept after each
        round; a search that was killed goes on from there.
    params
        Constants that steer the search.

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
    heuristics.large_neighbourhood.large_neighbourhood :
        better where all patterns can be listed, up to some 250,000 row types.

    Notes
    -----
    Memory and the time of a round are linear in the row types. More than 4.5 million of
    them are cut into parts (``heuristics.near_patterns.parts``), which are annealed one
    after the other; the bound is then the sum of the own costs.

    Examples
    --------
    >>> from instances import KAnonymity
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> result = near_pattern_annealing(table, KAnonymity(2), time_limit=1.0)
    >>> result.value, result.lower_bound
    (4, 4)
    """
    run = Run(
        table, requirement, objective, time_limit, display, NEAR_PATTERN_ANNEALING
    )

    def search() -> Limit:
        run.offer(initial or Partition.coarsest(table, objective))
        if checkpoint is None:  # else what was kept is taken up first
            run.check_time()
        types = table.row_types
        if initial is None and len(types) <= params.most_types:
            offer_sorted_copies(run, columns_by_entropy(table, objective))
        if checkpoint is not None:
            checkpoint.mkdir(parents=True, exist_ok=True)
        with Threads(2) as threads:
            if len(types) > params.most_types:
                _search_parts(run, types, seed, threads, params, checkpoint)
            else:
                memory = _memory(run, types, checkpoint, "search")
                _search(run, types, seed, threads, params, memory)
        return Limit.TIME if run.remaining == 0 else Limit.ITERATIONS

    return run.carry_out(search)


def _memory(run: Run, types: RowTypes, folder: Path | None, name: str) -> SearchMemory:
    if folder is None:
        return SearchMemory(types, None)
    file = folder / f"{name}.npz"
    kept = Checkpoint(file, types, run.requirement, run.objective)
    return SearchMemory(types, kept)


def _search_parts(
    run: Run,
    types: RowTypes,
    seed: int,
    threads: Threads,
    params: NearPatternParams,
    checkpoint: Path | None,
) -> None:
    """Anneal the parts one after the other, and find the own costs of all beside."""
    table, k = table_of_types(run.table, types), least_size(run.requirement)
    objective = run.objective
    closing = min(params.closing * len(types), params.most_closing * run.time_limit)
    bounding = threads.submit(own_prices, run, types, k)
    parts = cut_in_parts(table, objective, params.most_types, k)
    columns = columns_by_entropy(table, objective)
    found = [Partition.coarsest(table.take(part), objective) for part in parts]
    try:
        for number, part in enumerate(parts):
            left = (run.remaining - closing) / (len(parts) - number)
            step = Run(table.take(part), run.requirement, objective, max(0.0, left))
            step.offer(found[number])
            offer_sorted_copies(step, columns)
            few = step.table.row_types
            memory = _memory(step, few, checkpoint, f"part-{number}")
            with suppress(TimeoutError), Threads(1) as one:
                _search(step, few, seed, one, params, memory, bounded=False)
            found[number] = step.best or found[number]
    finally:  # an interrupt leaves the parts that were not begun as they are
        run.offer(joined(zip(parts, found, strict=True), types))
    bounding.result()


def _search(
    run: Run,
    types: RowTypes,
    seed: int,
    threads: Threads,
    params: NearPatternParams,
    memory: SearchMemory,
    bounded: bool = True,
) -> None:
    """List the patterns; improve prices and release side by side.

    Without ``bounded`` the prices are only estimated, and nothing is certified.
    """
    k = least_size(run.requirement)
    prices_before = memory.restore(run)
    run.begin("patterns")
    near = near_patterns(run, types, k, threads)
    closing = min(params.closing * len(types), params.most_closing * run.time_limit)
    inner = Run(run.table, run.requirement, run.objective, run.remaining - closing)
    prices = NearPrices(inner, near, types, k)
    if prices_before is not None:
        prices.prices = prices_before
    run.begin("prices")
    prices.estimate(params.estimate if bounded else params.estimate // 4)
    run.learn(inner)
    nothing = np.zeros(0, np.int64)
    pool = PatternPool(types, near.patterns, prices.prices, nothing)
    rounds = AnnealingRounds(run, pool, seed)
    if not bounded:
        _anneal(run, inner, rounds, threads, params, lambda: memory.keep(run, prices))
        return
    refining: Future[None] = threads.submit(prices.improve, params.tolerance)
    try:
        _anneal(run, inner, rounds, threads, params, lambda: memory.keep(run, prices))
        refining.result()
    finally:
        prices.certify(run)


def _anneal(
    run: Run,
    inner: Run,
    rounds: AnnealingRounds,
    threads: Threads,
    params: NearPatternParams,
    keep: Callable[[], None],
) -> None:
    """Anneal in rounds that become longer; tell the run the bound after each."""
    most = params.proposals * len(rounds.pool.types)
    share, last = params.first, params.rounds - 1
    for number in range(params.rounds):
        if inner.remaining == 0 or run.closed:
            return
        run.begin("annealing")
        seconds = inner.remaining * (1.0 if number == last else share)
        rounds.anneal(seconds, threads, 1, most)
        run.learn(inner)
        keep()
        share = min(1.0, share * params.longer)
