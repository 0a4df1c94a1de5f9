"""What row types pay at least, found level by level without a list of patterns."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor
from functools import partial
from itertools import groupby

import numpy as np
import numpy.typing as npt

from instances import BoolArray, RowTypes, Run, group_by
from models.lagrangian_relaxation.prices import price_certificate
from models.near_patterns.loops import note_own_costs
from models.near_patterns.sizes import MOST_COLUMNS
from models.patterns.listing import star_sets
from models.patterns.unit import DENOMINATOR

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]

_UNKNOWN = np.iinfo(np.int32).max


def own_prices(run: Run, types: RowTypes, k: int, where: Executor) -> None:
    """Tell a run the sum of the own costs as a bound, with its certificate.

    No pattern is listed, so it takes less memory than any other bound.

    Parameters
    ----------
    run
        It learns the bound; its time ends the search for own costs.
    types, k, where
        As for ``own_costs_by_level``.
    """
    own, table = own_costs_by_level(run, types, k, where), run.table
    bound = int(own @ types.counts)
    proof = price_certificate(
        table, types, run.requirement, run.objective, own * DENOMINATOR, bound
    )
    run.raise_bound(bound, "own_pattern", proof)


def own_costs_by_level(run: Run, types: RowTypes, k: int, where: Executor) -> Ints:
    """Return the own cost of each type, or less where the time of the run is up.

    Sets of starred columns are taken in the order of their costs. A type whose own cost
    is not known when the time is up pays the cost of the next sets at least.

    Parameters
    ----------
    run
        The problem, k-anonymity and stars, and its clock.
    types
        The row types by QI.
    k
        The least size of a group.
    where
        Where the sets of one cost are looked at, side by side: threads.

    Raises
    ------
    NotSupportedError
        More than 12 columns may be starred.

    Notes
    -----
    A group-by of the types for each set of columns, until each type has met a pattern
    that k rows fit.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from instances import KAnonymity, Table
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
    own = np.full(len(types), _UNKNOWN, np.int32)

    def note(cost: int, starred: BoolArray) -> None:
        run.check_time()
        kept = np.flatnonzero(~starred)
        grouped, size = np.zeros(len(types), np.int32), 1
        if len(kept):
            groups = group_by([columns[j] for j in kept], [sizes[j] for j in kept])
            grouped, size = groups.inverse, groups.size
        note_own_costs(grouped, size, types.counts, own, cost, k)

    for cost, level in _levels(run):
        try:
            deque(where.map(partial(note, cost), level), 0)
        except TimeoutError:
            own[own > cost] = cost
        if own.max() < _UNKNOWN:
            break
    return own.astype(np.int64)


def _levels(run: Run) -> Iterator[tuple[int, list[BoolArray]]]:
    """Yield the sets of starred columns of each cost, in the order of their costs."""
    sets = np.array(star_sets(run.table, run.objective, MOST_COLUMNS))
    costs = run.objective.row_costs(run.table, sets)
    order = np.argsort(costs, kind="stable").tolist()
    for cost, level in groupby(order, key=lambda at: int(costs[at])):
        yield cost, [sets[at] for at in level]
