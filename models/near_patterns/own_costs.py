"""What row types pay at least, found level by level without a list of patterns."""

import math
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from functools import partial
from itertools import groupby

import numpy as np

from starmin.instances import RowTypes, Run, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.runs.checkpoint import Checkpoint
from starmin.instances.runs.workers.places import Places
from starmin.instances.runs.workers.threads import Threads
from starmin.instances.tables.counted import table_of_types
from starmin.models.near_patterns.column_sets import UNKNOWN, agreeing, sets_by_cost
from starmin.models.near_patterns.near_loops import note_own_costs

_TASKS = 4  # for each worker, so that a lost one costs a quarter of its work


def own_costs(
    run: Run,
    types: RowTypes,
    k: int,
    where: Places,
    checkpoint: Checkpoint | None = None,
) -> Ints:
    """Return the own cost of each type, or less where the time of the run is up.

    No pattern is listed.

    Parameters
    ----------
    run
        The problem, k-anonymity and stars, and its clock.
    types, k
        The distinct rows by quasi-identifier, and the least size of a group.
    where
        Where sets of columns are looked at, side by side.
    checkpoint
        Where own costs are kept that were found in time, to be taken up again.
    """
    if checkpoint is not None and (kept := checkpoint.load()) is not None:
        return kept["own"]
    if where.elsewhere:
        table = table_of_types(run.table, types)
        submit = partial(where.submit, own_costs_of_sets, table)
        own = own_costs_by_ranges(run, len(types), k, submit, where.count)
    else:
        with Threads(where.count) as threads:
            own = own_costs_by_level(run, types, k, threads)
    if checkpoint is not None and run.remaining > 0:
        checkpoint.save({"own": own})
    return own


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
        _note(columns, sizes, types.counts, starred, cost, k, own)

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
    say is told to the tasks that look at all others, which then may end early.

    Where the time of the run is up, types pay the cost of the sets that are missing, if
    that is less.

    ``size`` is the number of types and ``k`` the least size of a group. ``submit``
    calls ``own_costs_of_sets`` with all but its first argument somewhere, where
    ``workers`` tasks run at a time.
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
        _note(columns, sizes, table.counts, starred, cost, k, own)
    return own


def _note(
    columns: Sequence[Int32s],
    sizes: Sequence[int],
    counts: Ints,
    starred: Bools,
    cost: int,
    k: int,
    own: Int32s,
) -> None:
    """Lower own costs to that of the patterns that star these columns."""
    groups, size = agreeing(columns, sizes, starred)
    note_own_costs(groups, size, counts, own, cost, k)
