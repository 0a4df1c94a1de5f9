"""More row types than the memory has room for: parts of them, searched side by side."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import fmean

from starmin.heuristics.near_patterns.memory import SearchMemory
from starmin.heuristics.near_patterns.near_params import NearPatternParams
from starmin.heuristics.near_patterns.near_search import search_near
from starmin.heuristics.near_patterns.table_parts import cut_in_parts, joined
from starmin.heuristics.orders.lexicographic_suppression import columns_by_entropy
from starmin.heuristics.orders.sorted_copies import offer_sorted_copies
from starmin.instances import (
    Objective,
    Partition,
    Requirement,
    RowTypes,
    Run,
    Table,
)
from starmin.instances.arrays import Ints
from starmin.instances.runs.checkpoint import Checkpoint
from starmin.instances.runs.workers.cores import cores, resting
from starmin.instances.runs.workers.places import Places
from starmin.instances.runs.workers.threads import Threads
from starmin.instances.tables.counted import table_of_types
from starmin.models.near_patterns.bounds import prove_own_costs, prove_prices

_LOOK = 0.5  # seconds between two looks at the clock


_BESIDE = 2  # parts that are in memory at a time, on one machine


def search_parts(
    run: Run,
    types: RowTypes,
    seed: int,
    params: NearPatternParams,
    checkpoint: Path | None,
    places: Places,
) -> None:
    """Bound by own costs and by prices; then search parts of the distinct rows.

    Parameters
    ----------
    run
        It learns the bound and the release; its time is shared by the parts.
    types
        The distinct rows by quasi-identifiers.
    seed
        Of all choices.
    params
        Constants that steer the search.
    checkpoint
        A folder where each part is kept; None: nowhere.
    places
        Where own costs are found, patterns are priced and parts are searched.
    """
    k, objective = run.requirement.core.size, run.objective
    table = table_of_types(run.table, types)
    _bound(run, types, k, params, checkpoint, places)
    run.begin("parts")
    pieces = _BESIDE * -(-len(types) // params.most_types)
    parts = cut_in_parts(table, objective, pieces, k)
    with Threads(min(_BESIDE, cores())) as threads:
        problem = table, run.requirement, objective, checkpoint
        begin = partial(_first_release, *problem)
        first = list(threads.map(begin, parts, map(part_name, range(len(parts)))))
    found = [release for release, _ in first]
    used = [seconds for _, seconds in first]
    try:
        for number, part in _searched(
            run, table, parts, used, seed, params, checkpoint, places
        ):
            both = found[number], part
            few = table.take(parts[number])
            found[number] = min(both, key=lambda each: each.value(few, objective))
    finally:  # an interrupt leaves the parts that were not done as they are
        run.offer(joined(zip(parts, found, strict=True), types))


def _bound(
    run: Run,
    types: RowTypes,
    k: int,
    params: NearPatternParams,
    checkpoint: Path | None,
    places: Places,
) -> None:
    """Prove own costs, and improve them as prices where that takes little time."""

    def kept(name: str) -> Checkpoint | None:
        if checkpoint is None:
            return None
        problem = types, run.requirement, run.objective
        return Checkpoint(checkpoint / f"{name}.npz", *problem)

    def within(share: float) -> Run:
        seconds = share * run.remaining
        return Run(run.table, run.requirement, run.objective, seconds)

    first = within(params.bounding)
    own = prove_own_costs(first, types, k, places, kept("own-costs"))
    run.learn(first)
    second, improved = within(params.pricing), kept("prices")
    late = first.remaining == 0 or params.listing * first.elapsed > second.remaining
    if late and (improved is None or not improved.path.exists()):
        return
    run.begin("prices")
    with suppress(TimeoutError):
        problem = second, types, k, own, places
        prove_prices(*problem, params.tolerance, improved)
    run.learn(second)


def _searched(
    run: Run,
    table: Table,
    parts: list[Ints],
    used: list[float],
    seed: int,
    params: NearPatternParams,
    checkpoint: Path | None,
    places: Places,
) -> Iterator[tuple[int, Partition]]:
    """Search parts, each for its share of the time; yield those that are done in time.

    With what they used before they were killed, all parts shall have the same time.
    What a lost worker did is done again: that may be late, and then is not waited for.
    """
    closing = params.closing_of(table.codes.shape[1], run.time_limit)
    beside = places.count if places.elsewhere else min(_BESIDE, places.count)
    waiting, running = deque(range(len(parts))), dict[Future[Partition], int]()
    try:
        while waiting or running:
            while waiting and len(running) < beside:
                waves = -(-len(waiting) // beside)
                left = max(0.0, run.remaining - closing)
                equal = left / waves + fmean(used[each] for each in waiting)
                number = waiting.popleft()
                before = used[number]
                future = places.submit(
                    search_part,
                    table.take(parts[number]),
                    run.requirement,
                    run.objective,
                    min(max(equal, before), before + left),
                    seed,
                    params,
                    checkpoint,
                    part_name(number),
                )
                running[future] = number
            with resting():
                done = wait(running, _LOOK, return_when=FIRST_COMPLETED).done
            for future in done:
                yield running.pop(future), future.result()
            if places.elsewhere and not done and run.remaining < closing / 2:
                return
    finally:
        for future in running:
            future.cancel()


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
    """Return the best release of a part that the search finds in its time.

    What the search used before it was killed, or its worker, is part of that.
    """
    run = Run(table, requirement, objective, time_limit)
    run.offer(Partition.coarsest(table, objective))
    types = table.row_types
    memory = SearchMemory(run, types, checkpoint, name)
    before = memory.restore(run)
    run.time_limit = max(0.0, time_limit - memory.used)
    with suppress(TimeoutError, KeyboardInterrupt), Threads(1) as one:
        search_near(run, types, seed, one, params, memory, before, bounded=False)
    memory.forget_patterns()
    assert run.best is not None
    return run.best


def _first_release(
    whole: Table,
    requirement: Requirement,
    objective: Objective,
    checkpoint: Path | None,
    part: Ints,
    name: str,
) -> tuple[Partition, float]:
    """Return what is kept of a part, or else groups of its sorted row types.

    And the seconds that the search of the part used before.
    """
    table = whole.take(part)
    run = Run(table, requirement, objective)
    run.offer(Partition.coarsest(table, objective))
    memory = SearchMemory(run, table.row_types, checkpoint, name)
    if memory.restore(run) is None:
        offer_sorted_copies(run, columns_by_entropy(table, objective))
    assert run.best is not None
    return run.best, memory.used


def part_name(number: int) -> str:
    """Return what the files of a part are called."""
    return f"part-{number}"
