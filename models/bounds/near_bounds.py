"""Bounds for millions of row types: own costs, and prices that are improved."""

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from starmin.instances import RowTypes, Run, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.runs.checkpoint import Checkpoint
from starmin.instances.runs.cores import Threads, resting
from starmin.instances.runs.places import Places
from starmin.instances.tables.row_types import table_of_types
from starmin.models.bounds.near_listing import (
    NearPrices,
    list_range,
    note_own_costs,
    price_ranges,
    usual_slack,
)
from starmin.models.bounds.pattern_ranges import (
    UNKNOWN,
    SetOfColumns,
    agreeing,
    least_outside,
    pattern_ranges,
    sets_by_cost,
)
from starmin.models.lagrangian_relaxation.price_bound import note_prices
from starmin.models.price_unit import INFEASIBLE, PriceUnit

# What row types pay at least, found level by level without a list of patterns.

_TASKS = 4  # for each worker, so that a lost one costs a quarter of its work


def own_costs_by_level(run: Run, types: RowTypes, k: int, where: Executor) -> Ints:
    """Return the own cost of each type, or less where the time of the run is up.

    Sets of starred columns are taken in the order of their costs; those of one cost are
    looked at side by side in ``where``: threads. A type, by QI, whose own cost is not
    known when the time is up pays the cost of the next sets at least. The problem is
    k-anonymity and stars; raises NotSupportedError where more than 12 columns may be
    starred.

    Notes
    -----
    A group-by of the types for each set of columns, until each type has met a pattern
    that k rows fit.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from starmin.instances import KAnonymity, Table
    >>> rows = [["0", "x"], ["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> with ThreadPoolExecutor(1) as where:
    ...     for limit in (60, 0):
    ...         run = Run(table, KAnonymity(2), time_limit=limit)
    ...         own_costs_by_level(run, table.row_types, 2, where).tolist()
    [0, 1, 1]
    [0, 0, 0]
    """
    sizes = run.table.qi_cardinalities
    columns = [np.ascontiguousarray(column) for column in types.codes.T]
    own = np.full(len(types), UNKNOWN, np.int32)

    def note(cost: int, starred: Bools) -> None:
        run.check_time()
        groups, size = agreeing(columns, sizes, starred)
        note_own_costs(groups, size, types.counts, own, cost, k)

    sets, costs = sets_by_cost(run)
    for cost, level in groupby(range(len(sets)), key=costs.tolist().__getitem__):
        try:
            deque(where.map(partial(note, cost), [sets[at] for at in level]), 0)
        except TimeoutError:
            own[own > cost] = cost
        if own.max() < UNKNOWN:
            break
    return own.astype(np.int64)


def own_costs_by_ranges(
    run: Run, size: int, k: int, submit: Callable[..., "Future[Int32s]"], workers: int
) -> Ints:
    """Return the own cost of each type, found by tasks that look at some sets each.

    The cheapest sets are looked at first, as many as have up to two stars. What they
    say is told to the tasks that look at all others, which then may end early. Where
    the time of the run is up, types pay the cost of the sets that are missing, if that
    is less. ``size`` is the number of types. ``submit`` calls ``own_costs_of_sets``
    with all but its first argument somewhere, where ``workers`` tasks run at a time.
    """
    sets, costs = sets_by_cost(run)
    few = int((sets.sum(axis=1) <= 2).sum())
    own = np.full(size, UNKNOWN, np.int32)
    for level in (range(few), range(few, len(sets))):
        count = min(len(level), _TASKS * workers)
        ranges = [level[first::count] for first in range(count)]
        futures = [
            submit(list(sets[each]), costs[each].tolist(), k, own) for each in ranges
        ]
        for each, future in zip(ranges, futures, strict=True):
            try:
                endless = math.isinf(run.remaining)
                found = future.result(None if endless else run.remaining)
                own = np.minimum(own, found)
            except TimeoutError:
                future.cancel()
                own = np.minimum(own, np.int32(costs[each[0]]))
    return own.astype(np.int64)


def own_costs_of_sets(
    table: Table, sets: Sequence[Bools], costs: Sequence[int], k: int, known: Int32s
) -> Int32s:
    """Return the least cost of these sets for each row of a counted table.

    The rows are the row types by QI, and ``known`` is by row the least cost that is
    known. The sets of starred columns have the cheapest first, and ``costs`` is what a
    row pays for each; a pattern needs ``k`` rows.

    Examples
    --------
    >>> table = Table(("a",), np.array([[0, 1]], np.int32), (("x", "y"),), ("a",),
    ...               counts=np.array([3, 1]))
    >>> sets = [np.array([False]), np.array([True])]
    >>> own_costs_of_sets(table, sets, [0, 1], 2, np.array([9, 9], np.int32)).tolist()
    [0, 1]
    """
    assert table.counts is not None
    own, sizes = known.astype(np.int32), table.qi_cardinalities
    columns = list(table.codes)
    for starred, cost in zip(sets, costs, strict=True):
        if own.max() <= cost:
            break
        groups, size = agreeing(columns, sizes, starred)
        note_own_costs(groups, size, table.counts, own, cost, k)
    return own


# The price bound of near patterns that are listed and priced by ranges.

_BUNDLES = 2  # of ranges for each worker, so that a lost one costs half of its work
_RANGES = 2  # of a column for each worker, so that bundles are of about the same size


class RangedFunction:
    """The bound that prices prove, and a supergradient, by tasks that price ranges.

    The value is that of ``LagrangianFunction`` on the list of all near patterns, in the
    same integers: each pattern is in one range. The time of the run ends the wait for
    an answer. The row types are by QI. Each of ``bundles`` has the files and the types
    of the ranges that are priced by one task.
    """

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        k: int,
        where: Places,
        bundles: list[tuple[list[Path], list[Ints]]],
    ) -> None:
        self.run = run
        self._types, self._k, self._where = types, k, where
        self._bundles = bundles
        self._unit = PriceUnit.of(run.table, run.objective)
        self._risen = 0
        self._last: Ints | None = None

    def __call__(self, prices: Ints) -> tuple[int, Ints]:
        """Return the bound in units of ``PriceUnit``, and its supergradient.

        Raises TimeoutError where the time of the run was up.
        """
        self._unit.expect(prices)
        if self._last is not None:
            self._risen += max(0, int((prices - self._last).max()))
        self._last = prices
        counts = self._types.counts
        supergradient, gains = counts.copy(), 0
        calls = [
            (price_ranges, prices, self._unit, self._risen, self._k, files)
            for files, _ in self._bundles
        ]
        answers = answered(self.run, self._where, calls)
        for (_, members), answer in zip(self._bundles, answers, strict=True):
            for types, (gain, chosen) in zip(members, answer, strict=True):
                gains += gain
                supergradient[types] += chosen
        self._where.forget(prices)
        return int(prices @ counts) + gains, supergradient


@contextmanager
def ranged_function(
    run: Run, types: RowTypes, k: int, own: Ints, slack: int, where: Places
) -> Iterator[RangedFunction]:
    """List the near patterns by ranges; their files are removed in the end.

    The problem is k-anonymity and stars; types are distinct rows by quasi-identifier.
    ``own`` is the own cost of each type, and prices may be higher by ``slack``. Raises
    TimeoutError where the time of the run was up.

    Notes
    -----
    Some 250 bytes for each distinct row, in files that are mapped to memory while they
    are priced.
    """
    table, small = table_of_types(run.table, types), own.astype(np.int32)
    unit = PriceUnit.of(run.table, run.objective)
    sets = _listed_sets(run, small, slack)
    most = max(1, -(-len(types) // (_RANGES * where.count)))
    pieces = [
        (piece, those)
        for piece in pattern_ranges(table, most)
        if (those := [each for each in sets if piece.has(each.starred)])
    ]
    # A worker that is late may write to it while it is removed.
    with TemporaryDirectory(
        prefix="starmin.", dir=where.folder, ignore_cleanup_errors=True
    ) as scratch:
        files = [Path(scratch, str(number)) for number in range(len(pieces))]
        calls = [
            (list_range, table, small, piece, those, k, unit, file)
            for (piece, those), file in zip(pieces, files, strict=True)
        ]
        ranges: list[tuple[int, Path, Ints]] = []
        for file, (used, pairs) in zip(files, answered(run, where, calls), strict=True):
            if used is not None:
                ranges.append((pairs, file, used))
        bundles = _bundles(ranges, _BUNDLES * where.count)
        yield RangedFunction(run, types, k, where, bundles)


def _listed_sets(run: Run, own: Int32s, slack: int) -> list[SetOfColumns]:
    """Return the sets of starred columns that are near for some type.

    Of the coarsest patterns all types are listed, as in ``listing.near_patterns``.
    """
    sets, costs = sets_by_cost(run)
    unit = PriceUnit.of(run.table, run.objective)
    found = [
        SetOfColumns(sets[at], cost, slack, outside)
        for at, cost in enumerate(costs[:-1].tolist())
        if (outside := least_outside(own, cost, slack, unit)) is not None
    ]
    return [*found, SetOfColumns(sets[-1], int(costs[-1]), UNKNOWN, INFEASIBLE)]


def _bundles(
    ranges: list[tuple[int, Path, Ints]], count: int
) -> list[tuple[list[Path], list[Ints]]]:
    """Deal ranges, those with the most pairs first, to the bundle with the fewest."""
    bundles: list[tuple[list[Path], list[Ints]]] = [([], []) for _ in range(count)]
    loads = [0] * count
    for pairs, file, types in sorted(ranges, key=lambda each: -each[0]):
        least = loads.index(min(loads))
        loads[least] += pairs
        bundles[least][0].append(file)
        bundles[least][1].append(types)
    return [each for each in bundles if each[0]]


def answered(
    run: Run, where: Places, calls: list[tuple[Callable[..., Any], *tuple[Any, ...]]]
) -> Iterator[Any]:
    """Yield what tasks answer, in their order, while the run has time.

    Raises TimeoutError where it has none; tasks that have not begun are cancelled.
    """
    futures: list[Future[Any]] = [where.submit(*call) for call in calls]
    try:
        for future in futures:
            left = run.remaining
            yield future.result(None if math.isinf(left) else left)
    finally:
        for future in futures:
            future.cancel()
        if not where.elsewhere:
            with resting():
                wait(futures)  # for what the tasks that have begun write to


def prove_own_costs(
    run: Run,
    types: RowTypes,
    k: int,
    where: Places,
    checkpoint: Checkpoint | None = None,
) -> Ints:
    """Tell a run the sum of the own costs as a bound, with its certificate.

    Returns the own cost of each type, or less where the time of the run is up. Types
    are distinct rows by quasi-identifier; the problem is k-anonymity and stars. No
    pattern is listed: sets of columns are looked at side by side in ``where``. Own
    costs that were found in time are kept in ``checkpoint``, to be taken up again.
    """
    if checkpoint is not None and (kept := checkpoint.load()) is not None:
        own = kept["own"]
    else:
        if where.elsewhere:
            table = table_of_types(run.table, types)
            submit = partial(where.submit, own_costs_of_sets, table)
            own = own_costs_by_ranges(run, len(types), k, submit, where.count)
        else:
            with Threads(where.count) as threads:
                own = own_costs_by_level(run, types, k, threads)
        if checkpoint is not None and run.remaining > 0:
            checkpoint.save({"own": own})
    unit = PriceUnit.of(run.table, run.objective)
    note_prices(run, types, own * unit.per_cost, int(own @ types.counts), "own_pattern")
    return own


def prove_prices(
    run: Run,
    types: RowTypes,
    k: int,
    own: Ints,
    where: Places,
    tolerance: float,
    checkpoint: Checkpoint | None = None,
) -> None:
    """Improve prices on the near patterns, which are priced range by range.

    Each step is a task for each worker. Prices, bound and steps are those of
    ``NearPrices`` on one list of all near patterns, where time does not end them. Where
    that of the run is up TimeoutError is raised, and it knows the best bound by then.
    The row types are by QI, with their ``own`` costs. The search ends with a round that
    raises the bound by less than the share ``tolerance``. In the end the best prices
    are kept in the checkpoint, from which prices are taken at first.
    """
    if checkpoint is not None and (kept := checkpoint.load()) is not None:
        bound = int(kept["bound"])
        note_prices(run, types, kept["prices"], bound, NearPrices.method)
        return
    slack = usual_slack(run)
    with ranged_function(run, types, k, own, slack, where) as function:
        found = NearPrices(run, types, own, slack, function)
        try:
            found.improve(tolerance)
        finally:
            if checkpoint is not None and found.iterations:
                best = {"prices": found.prices, "bound": np.array(found.bound)}
                checkpoint.save(best)
            run.stats["iterations"] = found.iterations
            found.certify(run)
