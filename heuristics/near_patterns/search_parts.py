"""Search parts of more row types than the memory has room for, side by side.

The constants of the annealing on near patterns are here, too.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np

from starmin.heuristics.annealing.pattern_annealing import AnnealingRounds
from starmin.heuristics.near_patterns.memory import SearchMemory, cut_in_parts, joined
from starmin.heuristics.orders.suppression import (
    columns_by_entropy,
    offer_sorted_copies,
)
from starmin.instances import Objective, Partition, Requirement, RowTypes, Run, Table
from starmin.instances.arrays import Ints
from starmin.instances.runs.checkpoint import Checkpoint
from starmin.instances.runs.cores import Threads, cores, resting
from starmin.instances.runs.places import Places
from starmin.instances.tables.row_types import table_of_types
from starmin.models.bounds.near_bounds import prove_own_costs, prove_prices
from starmin.models.bounds.near_listing import NearPrices, near_patterns
from starmin.models.bounds.pattern_ranges import MOST_TYPES
from starmin.models.pricing.pool_sources import PatternPool


@dataclass(frozen=True)
class NearPatternParams:
    """Constants that steer the search."""

    estimate: int = 60  # steps of the prices that the annealing begins with
    # of the time that is left, the share that these steps may take
    estimating: float = 0.25
    # of the time that is left, the share that own costs may take where a table is cut
    # into parts
    bounding: float = 0.3
    pricing: float = 0.25  # of what is left then, the share that their prices may take
    # where that is less than this many times what the own costs took, prices are not
    # improved: to list the patterns takes twice as long
    listing: float = 3.0
    # prices are refined until 500 steps raise the bound by less than this share
    tolerance: float = 1e-4
    # where less time is left than this many times what the list of patterns took, no
    # rows are dealt to them: that could not end in time
    dealing: float = 2.0
    # seconds for each row type that are left for the last release and the certificate
    closing: float = 8e-7
    most_closing: float = 0.2  # of the time limit, the share that this may take
    # first, longer: seconds of the first round of the annealing for each row type, and
    # the length of a further round as a multiple of that of the one before
    first: float = 1e-5
    longer: float = 2.0
    # a round is the last one where no more than this multiple of it is left
    last: float = 1.6
    proposals: float = 200  # moves for each row type and round, at most
    rounds: int = 3  # the search ends after so many rounds in which all moves were made
    # row types that are searched at once, at about 2 kB each; more are cut into parts,
    # which are searched side by side
    most_types: int = MOST_TYPES
    # row types that a part has at least of a table that is searched on other machines,
    # too
    least_types: int = 100_000

    def closing_of(self, types: int, time_limit: float) -> float:
        """Return the seconds that are left for the last release of so many types."""
        return min(self.closing * types, self.most_closing * time_limit)


NEAR_PATTERN_PARAMS = NearPatternParams()


@dataclass(frozen=True)
class Asked:
    """What the searches of a table and of its parts share, wherever they run."""

    requirement: Requirement
    objective: Objective
    seed: int  # of all choices
    params: NearPatternParams
    checkpoint: Path | None  # a folder where each part is kept; None: nowhere

    def taken_up(
        self, table: Table, name: str, time_limit: float = math.inf
    ) -> tuple[Run, SearchMemory, Ints | None]:
        """Return the run of a part, its memory, and prices if a search is to go on."""
        run = Run(table, self.requirement, self.objective, time_limit)
        run.offer(Partition.coarsest(table, self.objective))
        memory = SearchMemory(run, table.row_types, self.checkpoint, name)
        return run, memory, memory.restore(run)


def search_near(
    run: Run,
    types: RowTypes,
    asked: Asked,
    threads: Threads,
    memory: SearchMemory,
    before: Ints | None,
    bounded: bool = True,
) -> None:
    """List the patterns; improve prices and release side by side.

    ``threads`` are two, or one where nothing is bounded: without ``bounded`` the prices
    are only estimated, and nothing is certified. ``memory`` keeps what this search
    finds. ``before`` are the prices of a search that is to go on, whose release the run
    has. Raises TimeoutError where the time was up before the patterns were listed.
    """
    run.begin("patterns")
    params, began = asked.params, run.elapsed
    k = run.requirement.core.size
    near = memory.patterns(lambda: near_patterns(run, types, k, threads))
    listing = run.elapsed - began
    closing = params.closing_of(len(types), run.time_limit)
    seconds = run.remaining - closing
    inner = Run(*run.asked, seconds)
    prices = NearPrices.of_list(inner, near, k)
    try:
        _estimate(prices, before, params)
        run.learn(inner)
        if before is None:
            memory.keep(run, prices, annealed=False)
        if inner.remaining < params.dealing * listing:  # no time for a first deal
            return
        pool = PatternPool(near.patterns, prices.prices, np.zeros(0, np.int64))
        first = run.best if memory.annealed else None
        rounds = AnnealingRounds(run, pool, asked.seed, first)
        refining: Future[None] | None = None
        if bounded:
            refining = threads.submit(prices.improve, params.tolerance)
        _anneal(run, inner, rounds, threads, params, lambda: memory.keep(run, prices))
        if refining is not None:
            refining.result()
    finally:  # also where it is interrupted
        if bounded:
            prices.certify(run)


def _estimate(
    prices: NearPrices, before: Ints | None, params: NearPatternParams
) -> None:
    """Improve prices, or take up those of before, until they do for a search."""
    run = prices.run
    run.begin("prices")
    seconds = params.estimating * run.remaining
    prices.run = Run(*run.asked, seconds)
    try:
        if before is None:
            prices.estimate(params.estimate)
        else:
            prices.take_up(before)
    finally:
        run.learn(prices.run)
        prices.run = run


def _anneal(
    run: Run,
    inner: Run,
    rounds: AnnealingRounds,
    threads: Threads,
    params: NearPatternParams,
    keep: Callable[[], None],
) -> None:
    """Anneal in rounds that become longer; tell the run the bound after each.

    How long they are does not depend on the time limit, but for the last one: a search
    that is stopped early has what a short one finds.
    """
    types = len(rounds.pool.types)
    length, ended = params.first * types, 0
    while inner.remaining > 0 and not run.closed and ended < params.rounds:
        run.begin("annealing")
        left, began = inner.remaining, inner.elapsed
        seconds = length if params.last * length < left < math.inf else left
        rounds.anneal(seconds, threads, 1, params.proposals * types)
        ended += inner.elapsed - began < 0.9 * seconds  # all moves were made
        run.learn(inner)
        keep()
        length *= params.longer


_LOOK = 0.5  # seconds between two looks at the clock


_BESIDE = 2  # parts that are in memory at a time, on one machine


def search_parts(run: Run, types: RowTypes, asked: Asked, places: Places) -> None:
    """Bound by own costs and by prices; then search parts of the distinct rows.

    The run learns the bound and the release; its time is shared by the parts. All is
    done at ``places``.
    """
    k, objective = run.requirement.core.size, run.objective
    table = table_of_types(run.table, types)
    _bound(run, types, asked, places)
    run.begin("parts")
    pieces = _BESIDE * -(-len(types) // asked.params.most_types)
    parts = cut_in_parts(table, objective, pieces, k)
    with Threads(min(_BESIDE, cores())) as threads:
        begin = partial(_first_release, asked, table)
        first = list(threads.map(begin, parts, map(part_name, range(len(parts)))))
    found = [release for release, _ in first]
    used = [seconds for _, seconds in first]
    try:
        for number, part in _searched(run, table, parts, used, asked, places):
            both = found[number], part
            few = table.take(parts[number])
            found[number] = min(both, key=lambda each: each.value(few, objective))
    finally:  # an interrupt leaves the parts that were not done as they are
        run.offer(joined(zip(parts, found, strict=True), types))


def _bound(run: Run, types: RowTypes, asked: Asked, places: Places) -> None:
    """Prove own costs, and improve them as prices where that takes little time."""
    k, params = run.requirement.core.size, asked.params

    def kept(name: str) -> Checkpoint:
        return Checkpoint(asked.checkpoint, name, types, run.requirement, run.objective)

    def within(share: float) -> Run:
        seconds = share * run.remaining
        return Run(*run.asked, seconds)

    first = within(params.bounding)
    own = prove_own_costs(first, types, k, places, kept("own-costs"))
    run.learn(first)
    second, improved = within(params.pricing), kept("prices")
    late = first.remaining == 0 or params.listing * first.elapsed > second.remaining
    if late and (improved.path is None or not improved.path.exists()):
        return
    run.begin("prices")
    with suppress(TimeoutError):
        prove_prices(second, types, k, own, places, params.tolerance, improved)
    run.learn(second)


def _searched(
    run: Run,
    table: Table,
    parts: list[Ints],
    used: list[float],
    asked: Asked,
    places: Places,
) -> Iterator[tuple[int, Partition]]:
    """Search parts, each for its share of the time; yield those that are done in time.

    With what they used before they were killed, all parts shall have the same time.
    What a lost worker did is done again: that may be late, and then is not waited for.
    """
    closing = asked.params.closing_of(table.codes.shape[1], run.time_limit)
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
                seconds = min(max(equal, before), before + left)
                given = table.take(parts[number]), asked, seconds, part_name(number)
                running[places.submit(search_part, *given)] = number
            with resting():
                done = wait(running, _LOOK, return_when=FIRST_COMPLETED).done
            for future in done:
                yield running.pop(future), future.result()
            if places.elsewhere and not done and run.remaining < closing / 2:
                return
    finally:
        for future in running:
            future.cancel()


def search_part(table: Table, asked: Asked, time_limit: float, name: str) -> Partition:
    """Return the best release of a part in its time, counting that before a crash."""
    run, memory, before = asked.taken_up(table, name, time_limit)
    run.time_limit = max(0.0, time_limit - memory.used)
    with suppress(TimeoutError, KeyboardInterrupt), Threads(1) as one:
        types = table.row_types
        search_near(run, types, asked, one, memory, before, bounded=False)
    memory.forget_patterns()
    return run.release


def _first_release(
    asked: Asked, whole: Table, part: Ints, name: str
) -> tuple[Partition, float]:
    """Return what is kept of a part, or its sorted types, and the seconds it used."""
    run, memory, before = asked.taken_up(whole.take(part), name)
    if before is None:
        offer_sorted_copies(run, columns_by_entropy(run.table, run.objective))
    return run.release, memory.used


def part_name(number: int) -> str:
    """Return what the files of a part are called."""
    return f"part-{number}"


def search_beside(
    run: Run, types: RowTypes, asked: Asked, places: Places, search: Callable[[], None]
) -> None:
    """Search a table here, and a part of it on each worker; take the better release.

    The search here, ``search``, has the whole table, and finds the bound. The workers
    have fewer distinct rows each, so more moves for each of them in the same time, but
    no groups across parts. Where a part is not done in time, or its worker failed, that
    here is taken.
    """
    table, params = table_of_types(run.table, types), asked.params
    pieces = min(places.count, len(types) // params.least_types)
    parts = cut_in_parts(table, run.objective, pieces, run.requirement.core.size)
    closing = params.closing_of(len(types), run.time_limit)
    cut = [(table.take(part), part_name(at)) for at, part in enumerate(parts)]
    used = [0.0] * len(cut)
    if asked.checkpoint is not None:
        used = [asked.taken_up(*each)[1].used for each in cut]
    left = max(0.0, run.remaining - 2 * closing)
    there = replace(asked, seed=asked.seed + 1)
    futures: list[Future[Partition]] = [
        places.submit(search_part, part, there, seconds + left, name)
        for (part, name), seconds in zip(cut, used, strict=True)
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
