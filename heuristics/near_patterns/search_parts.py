"""More row types than the memory has room for: parts of them, searched side by side."""

from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from pathlib import Path

from heuristics.near_patterns.memory import SearchMemory
from heuristics.near_patterns.params import NearPatternParams
from heuristics.near_patterns.parts import cut_in_parts, joined, table_of_types
from heuristics.near_patterns.search import search_near
from heuristics.orders.lexicographic_suppression import columns_by_entropy
from heuristics.orders.sorted_copies import offer_sorted_copies
from instances import (
    Objective,
    Partition,
    Requirement,
    RowTypes,
    Run,
    Table,
    least_size,
)
from instances.runs.threads import Threads
from models.near_patterns.own_costs import own_prices


def search_parts(
    run: Run,
    types: RowTypes,
    seed: int,
    params: NearPatternParams,
    checkpoint: Path | None,
) -> None:
    """Bound by own costs; then search parts of the row types, two at a time.

    Parameters
    ----------
    run
        It learns the bound and the release; its time is shared by the parts.
    types
        The row types by QI.
    seed
        Of all choices.
    params
        Constants that steer the search.
    checkpoint
        A folder where each part is kept; None: nowhere.
    """
    k, objective = least_size(run.requirement), run.objective
    closing = min(params.closing * len(types), params.most_closing * run.time_limit)
    with Threads(params.beside) as threads:
        seconds = params.bounding * run.remaining
        first = Run(run.table, run.requirement, objective, seconds)
        own_prices(first, types, k, threads)
        run.learn(first)
        run.begin("parts")
        table = table_of_types(run.table, types)
        pieces = params.beside * -(-len(types) // params.most_types)
        parts = cut_in_parts(table, objective, pieces, k)
        found = list(
            threads.map(
                lambda part: _sorted_release(
                    table.take(part), run.requirement, objective
                ),
                parts,
            )
        )
        waiting, running = deque(range(len(parts))), dict[Future[Partition], int]()
        try:
            while waiting or running:
                while waiting and len(running) < params.beside:
                    waves = -(-len(waiting) // params.beside)
                    number = waiting.popleft()
                    future = threads.submit(
                        search_part,
                        table.take(parts[number]),
                        run.requirement,
                        objective,
                        max(0.0, run.remaining - closing) / waves,
                        seed,
                        params,
                        checkpoint,
                        f"part-{number}",
                    )
                    running[future] = number
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    number = running.pop(future)
                    found[number] = _cheaper(
                        table.take(parts[number]),
                        objective,
                        found[number],
                        future.result(),
                    )
        finally:  # an interrupt leaves the parts that were not done as they are
            run.offer(joined(zip(parts, found, strict=True), types))


def search_part(
    table: Table,
    requirement: Requirement,
    objective: Objective,
    time_limit: float,
    seed: int,
    params: NearPatternParams,
    checkpoint: Path | None,
    name: str,
) -> Partition:
    """Return the best release of a part that the search finds in its time."""
    run = Run(table, requirement, objective, time_limit)
    run.offer(Partition.coarsest(table, objective))
    types = table.row_types
    memory = SearchMemory.of(run, types, checkpoint, name)
    with suppress(TimeoutError, KeyboardInterrupt), Threads(1) as one:
        search_near(run, types, seed, one, params, memory, bounded=False)
    assert run.best is not None
    return run.best


def _sorted_release(
    table: Table, requirement: Requirement, objective: Objective
) -> Partition:
    """Return groups of the sorted row types of a part."""
    run = Run(table, requirement, objective)
    run.offer(Partition.coarsest(table, objective))
    offer_sorted_copies(run, columns_by_entropy(table, objective))
    assert run.best is not None
    return run.best


def _cheaper(
    table: Table, objective: Objective, one: Partition, other: Partition
) -> Partition:
    """Return the one of two releases of a part that costs less."""
    return min(one, other, key=lambda each: each.value(table, objective))
