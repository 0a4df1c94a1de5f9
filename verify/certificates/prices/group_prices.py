"""The bound of prices that no group is cheaper than, checked row by row."""

import numpy as np

from starmin.instances import Scales
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.runs.cores import Threads, cores
from starmin.instances.scales.scale import TREE
from starmin.verify.certificates.patterns.node_tree import PricedTypes
from starmin.verify.certificates.prices.cheaper_groups import (
    CHEAPER,
    DONE,
    Rows,
    next_first,
)
from starmin.verify.certificates.untrusted import RefusalError
from starmin.verify.exact import BeyondError, expect_time

MAX_WORK = 50_000_000_000  # rows looked at with a group, before a check is given up
_CELLS = 5_000_000  # of these, between two looks at the time
_LARGEST = 2**59
_TYPES = 2_000  # for a thread at least
_ROOM = 1 << 27  # rows in the lists of a search, of 12 bytes each


def group_price_bound(problem: PricedTypes) -> int:
    """Return the sum of the prices of all rows, if no group costs less than its own.

    docs/reference/certificate.md has the theorem (section "Kind group_prices"). k rows
    are looked for that pay less than their prices. The dearest of them comes first,
    then the others by falling price. Rows chosen so far, with one more, pay no less
    each as others join, and these are no dearer than the last one chosen: if k times
    what a row pays is no less than the prices of the rows chosen, of the one more and,
    for each of the others, of the last one chosen, no such group has that row. A row
    that pays its price whatever group it is in is the dearest of no such group.

    The objective is ``gcp``. Raises RefusalError where some k rows pay less than their
    prices, and ValueError where the sums do not fit 64 bits or the search takes too
    long.

    >>> from starmin.instances import Objective, Scales, Table
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> problem = table, table.row_types, objective, 2, 1
    >>> group_price_bound(PricedTypes(*problem, np.array([1, 1, 7]), 1))
    9
    >>> group_price_bound(PricedTypes(*problem, np.array([1, 2, 7]), 1))
    ... # doctest: +ELLIPSIS
    Traceback (most recent call last):
    starmin.verify.certificates.untrusted.RefusalError: some 2 rows cost less than ...
    """
    table, k = problem.table, problem.least
    row = problem.denominator * (problem.objective.whole(table) // table.n)
    if k * (problem.highest + row) >= _LARGEST:
        raise BeyondError("prices and losses of a group add up beyond 64 bits")
    rows = _rows(problem)
    parts = min(cores(), 1 + len(problem.types) // _TYPES)
    with Threads(parts) as threads:
        rooms = [rows, *(_with_room(rows) for _ in range(1, parts))]
        calls = [
            threads.submit(_look, room, part, parts) for part, room in enumerate(rooms)
        ]
        ends = [call.result() for call in calls]
    if CHEAPER in ends:
        raise RefusalError(f"some {k} rows cost less than their prices")
    if any(end != DONE for end in ends):  # too deep, or too much work
        raise BeyondError("groups that may cost less are too many to check")
    return problem.proven(problem.paid)


def _look(rows: Rows, first: int, step: int) -> int:
    """Look for a group whose dearest row is one of every so many, from the first on.

    Returns CHEAPER, DONE, DEEP, or the row to go on with after too much work.
    """
    some = max(1, _CELLS // rows.low.shape[1])
    for _ in range(MAX_WORK // (step * some)):
        expect_time()
        if (first := next_first(rows, first, step, some)) < 0:
            break
    return first


def _with_room(rows: Rows) -> Rows:
    """Return the same rows with room of their own for a search."""
    filled = "used", "paid", "marked", "levels"
    own = {name: getattr(rows, name).copy() for name in filled}
    # What nobody has written to takes no memory, unlike a copy.
    for name in ("low", "high", "lists", "costs"):
        room = getattr(rows, name)
        own[name] = np.zeros(room.shape, room.dtype)
    return rows._replace(**own)


def _rows(problem: PricedTypes) -> Rows:
    """Return the rows by falling price, and room for the search."""
    table, types, k = problem.table, problem.types, problem.least
    prices, objective = problem.prices, problem.objective
    values = np.zeros(len(types), np.int64)
    if problem.l > 1:
        own = types.sensitive[:, problem.columns[0]]
        values = np.unique(own, return_inverse=True)[1]
    scales = objective.scales_of(table)
    far = 2 * _LARGEST // k  # k times as much is beyond all prices
    arrays = scales.arrays
    units = [problem.denominator * unit for unit in objective.units(table)]
    kept, own_units = objective.kept(table), np.array(units)
    paid, single = arrays.amount.copy(), arrays.single.copy()
    inner = [0] * table.d
    for j in np.flatnonzero(arrays.kind == TREE).tolist():
        layout = scales.scales[j].layout
        inner[j] = len(layout.losses)
        here = slice(arrays.start[j], arrays.start[j] + inner[j])
        paid[here] = np.where(layout.allowed, layout.losses * units[j], far)
        single[here] = paid[here]
        units[j] = 1
    order = np.repeat(np.arange(len(types)), types.counts)
    order = order[np.argsort(-prices[order], kind="stable")]
    positions = scales.positions(types.codes)[order]
    n, d = positions.shape
    costs = _paid_anyway(scales, positions, np.where(kept, 0, own_units), k)
    levels = min(k, max(2, _ROOM // n))
    several = np.array([np.count_nonzero(np.bincount(p)) for p in positions.T])
    columns = np.argsort(-several, kind="stable")
    nodes = np.cumsum([0, *(inner[j] for j in columns)])
    positions = np.ascontiguousarray(positions[:, columns])
    # Of each position how many rows come before it, and all of them at the end.
    begins = [np.cumsum([0, *np.bincount(column)]) for column in positions.T]
    return Rows(
        positions=positions,
        prices=prices[order],
        leads=prices[order] > costs,
        arrays=arrays._replace(
            kind=arrays.kind[columns],
            start=arrays.start[columns],
            amount=paid,
            single=single,
        ),
        units=np.where(kept, -far, units)[columns],
        k=k,
        values=values[order].astype(np.int64),
        most=-(-k // problem.l),
        used=np.zeros(values.max(initial=0) + 1, np.int64),
        nodes=nodes,
        paid=np.zeros(nodes[-1], np.int64),
        marked=np.full(nodes[-1], -1, np.int64),
        low=np.zeros((k, d), np.int32),
        high=np.zeros((k, d), np.int32),
        lists=np.zeros((levels, n), np.int32),
        costs=np.zeros((levels, n), np.int64),
        levels=np.full((4, k), -1, np.int64),
        sorted=np.argsort(positions, axis=0, kind="stable").T.astype(np.int32),
        begins=np.concatenate(begins),
        columns=np.cumsum([0, *map(len, begins)]),
    )


def _paid_anyway(scales: Scales, positions: Int32s, units: Ints, k: int) -> Ints:
    """Return what each row pays at least in any group, each column for itself.

    In a column k rows or more are between two of its positions, with the row. Of all k
    rows that follow one another around it, some cost no more.
    """
    n, d = positions.shape
    total = np.zeros(n, np.int64)
    for j in range(d):
        order = np.argsort(positions[:, j], kind="stable")
        along = positions[order, j]
        costs = np.full((-(-(n + k - 1) // k), k), np.iinfo(np.int64).max)
        windows = scales.scales[j].extents(along[: n - k + 1], along[k - 1 :])
        costs.reshape(-1)[k - 1 : n] = windows * units[j]
        # The least of k that follow one another is that of the end of a block of k, and
        # of the beginning of the next.
        ends = np.minimum.accumulate(costs[:, ::-1], axis=1)[:, ::-1].reshape(-1)
        begins = np.minimum.accumulate(costs, axis=1).reshape(-1)
        total[order] += np.minimum(ends[:n], begins[k - 1 : k - 1 + n])
    return total
