"""Releases made of groups of the program, by branch and bound of HiGHS."""

import numpy as np

from starmin.instances import Partition, RowTypes, Run
from starmin.instances.arrays import Bools, Floats, Ints
from starmin.models.boxes.master.relaxation import Relaxation
from starmin.models.boxes.walk.pool import BoxPool, Groups
from starmin.models.solvers.mip_search import solve_small
from starmin.models.solvers.program import INF, Program, Rows

_ROW = 1e6  # what a row can lose at most, for HiGHS
_WHOLE = 1e-6  # values of groups so near to whole numbers are whole


def partition_of(types: RowTypes, groups: Groups, times: Ints) -> Partition:
    """Return the release that has each group so many times."""
    number = np.repeat(np.arange(len(times)), times)
    lengths = np.diff(groups.starts)[number]
    first = groups.starts[:-1][number]
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    at = np.repeat(first, lengths) + within
    label = np.repeat(np.arange(len(number)), lengths)
    return Partition.from_loads(types, label, groups.types[at], groups.copies[at])


def offer_whole(run: Run, types: RowTypes, relaxation: Relaxation, x: Floats) -> bool:
    """Offer a point of the relaxation if it is whole; whether it is."""
    times = np.rint(x)
    if np.abs(x - times).max() > _WHOLE:
        return False
    groups = relaxation.master.groups()
    times = np.pad(times, (0, len(groups.box) - len(times)))  # some joined since
    dealt = np.repeat(times.astype(np.int64), np.diff(groups.starts)) * groups.copies
    sent = np.bincount(groups.types, dealt, minlength=len(types))
    if not np.array_equal(sent, types.counts):
        return False
    run.offer(partition_of(types, groups, times.astype(np.int64)))
    return True


def offer_in_boxes(
    run: Run, types: RowTypes, pool: BoxPool, times: Ints, whole: int
) -> None:
    """Offer the best release with whole numbers of groups in boxes, if there is one.

    What rows are in them is a flow with lower bounds, so that its relaxation is whole.

    Parameters
    ----------
    run, types
        The problem.
    pool
        The boxes.
    times
        How many groups are in each.
    whole
        What a row can lose at most, in the unit of costs.
    """
    data, used = pool.data, np.flatnonzero(times)
    members, count = pool.members(used), times[used].astype(np.float64)
    box, type_ = np.nonzero(members)
    must = (pool.forced[used][:, :, np.newaxis] == np.arange(len(types))).any(axis=1)
    each, many = np.arange(len(box)), count[box]
    demand = types.counts.astype(np.float64)
    ones = np.ones(len(box))
    rows = [
        Rows(type_, each, ones, demand, demand),
        Rows(box, each, ones, data.least * count, data.most * count),
    ]
    most = many * demand[type_]
    if data.spread:
        most = many
        key = box * (int(data.value.max()) + 1) + data.value[type_]
        _, row = np.unique(key, return_inverse=True)
        limit = np.zeros(int(row.max()) + 1)
        limit[row] = many
        rows.append(Rows(row, each, ones, np.full(len(limit), -INF), limit))
    program = Program(
        *(
            _as_numbers(pool.cost[used], whole)[box],
            np.where(must[box, type_], many, 0.0),
            most,
        ),
        *(np.ones(len(box), bool), tuple(rows)),
    )
    point = solve_small(program, run.remaining)
    if point is not None:
        copies = point.astype(np.int64)
        sent = np.flatnonzero(copies)
        loads = box[sent], type_[sent], copies[sent]
        run.offer(Partition.from_loads(types, *loads))


def offer_best(
    run: Run,
    types: RowTypes,
    relaxation: Relaxation,
    keep: Bools,
    whole: int,
    seconds: float,
    seed: int,
) -> None:
    """Offer the best release that is made of some groups of the program.

    Parameters
    ----------
    run, types
        The problem.
    relaxation
        Its groups.
    keep
        Which of them.
    whole
        What a row can lose at most, in the unit of costs.
    seconds
        For HiGHS.
    seed
        For its random choices.
    """
    chosen = np.flatnonzero(keep)
    if len(chosen) == 0:
        return
    groups = relaxation.master.groups()
    sizes = np.add.reduceat(groups.copies, groups.starts[:-1])[chosen]
    cost = sizes * _as_numbers(relaxation.pool.cost[groups.box[chosen]], whole)
    lengths = np.diff(groups.starts)[chosen]
    owner = np.repeat(np.arange(len(chosen)), lengths)
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    at = np.repeat(groups.starts[chosen], lengths) + within
    demand = types.counts.astype(np.float64)
    copies = groups.copies[at].astype(np.float64)
    rows = Rows(groups.types[at], owner, copies, demand, demand)
    program = Program(
        cost,
        np.zeros(len(chosen)),
        np.full(len(chosen), float(types.counts.max())),
        np.ones(len(chosen), bool),
        (rows,),
    )
    point = solve_small(program, seconds, seed=seed)
    if point is not None:
        times = np.zeros(len(keep), np.int64)
        times[chosen] = point.astype(np.int64)
        run.offer(partition_of(types, groups, times))


def _as_numbers(cost: Ints, whole: int) -> Floats:
    """Return costs of a row as numbers that are moderate for HiGHS."""
    return (cost * (_ROW / whole)).astype(np.float64)
