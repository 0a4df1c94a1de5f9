"""A table that is searched here, and in parts on other machines meanwhile."""

import math
from collections.abc import Callable
from concurrent.futures import Future, wait
from pathlib import Path

from starmin.heuristics.near_patterns.memory import SearchMemory
from starmin.heuristics.near_patterns.near_params import NearPatternParams
from starmin.heuristics.near_patterns.search_parts import part_name, search_part
from starmin.heuristics.near_patterns.table_parts import cut_in_parts, joined
from starmin.instances import Partition, RowTypes, Run, Table
from starmin.instances.runs.workers.cores import resting
from starmin.instances.runs.workers.places import Places
from starmin.instances.tables.counted import table_of_types


def search_beside(
    run: Run,
    types: RowTypes,
    seed: int,
    params: NearPatternParams,
    checkpoint: Path | None,
    places: Places,
    search: Callable[[], None],
) -> None:
    """Search a table here, and a part of it on each worker; take the better release.

    The search here has the whole table, and finds the bound. The workers have fewer
    distinct rows each, so more moves for each of them in the same time, but no groups
    across parts. Where a part is not done in time, or its worker failed, that here is
    taken.

    Parameters
    ----------
    run
        It learns the releases; its time ends all searches.
    types
        The distinct rows by quasi-identifiers.
    seed
        Of all choices.
    params
        Constants that steer the searches.
    checkpoint
        A folder where each part is kept; None: nowhere.
    places
        Where parts are searched.
    search
        Searches the table here.
    """
    table = table_of_types(run.table, types)
    pieces = min(places.count, len(types) // params.least_types)
    parts = cut_in_parts(table, run.objective, pieces, run.requirement.core.size)
    closing = params.closing_of(len(types), run.time_limit)
    problem = run.requirement, run.objective

    def used(part: Table, name: str) -> float:
        if checkpoint is None:
            return 0.0
        before = Run(part, *problem)
        memory = SearchMemory(before, part.row_types, checkpoint, name)
        memory.restore(before)
        return memory.used

    cut = [(table.take(part), part_name(at)) for at, part in enumerate(parts)]
    before = [used(*each) for each in cut]
    left = max(0.0, run.remaining - 2 * closing)
    futures: list[Future[Partition]] = [
        places.submit(
            search_part,
            part,
            *problem,
            seconds + left,
            seed + 1,
            params,
            checkpoint,
            name,
        )
        for (part, name), seconds in zip(cut, before, strict=True)
    ]
    try:
        search()
    except TimeoutError:
        pass  # there was no time to search the whole; there may have been for parts
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    left = run.remaining - closing / 2
    with resting():
        done = wait(futures, None if math.isinf(left) else max(0.0, left)).done
    for future in futures:
        future.cancel()
    found = [f.result() for f in futures if f in done and f.exception() is None]
    run.stats["parts_elsewhere"] = len(found)
    if len(found) == len(parts):
        run.offer(joined(zip(parts, found, strict=True), types))
