"""Releases made of groups of the program, by branch and bound of HiGHS."""

import numpy as np

from instances import Partition, RowTypes, Run
from models.boxes.box_data import Bools, Ints
from models.boxes.pool import Groups
from models.boxes.relaxation import Relaxation
from models.solvers.mip_search import solve_small
from models.solvers.program import Floats, Program, Rows

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
    dealt = np.repeat(times.astype(np.int64), np.diff(groups.starts)) * groups.copies
    sent = np.bincount(groups.types, dealt, minlength=len(types))
    if not np.array_equal(sent, types.counts):
        return False
    run.offer(partition_of(types, groups, times.astype(np.int64)))
    return True


def offer_best(
    run: Run,
    types: RowTypes,
    relaxation: Relaxation,
    keep: Bools,
    unit: int,
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
    unit
        What costs of the relaxation are multiplied by.
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
    cost = sizes * (relaxation.pool.cost[groups.box[chosen]] // unit)
    lengths = np.diff(groups.starts)[chosen]
    owner = np.repeat(np.arange(len(chosen)), lengths)
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    at = np.repeat(groups.starts[chosen], lengths) + within
    demand = types.counts.astype(np.float64)
    copies = groups.copies[at].astype(np.float64)
    rows = Rows(groups.types[at], owner, copies, demand, demand)
    program = Program(
        cost.astype(np.float64),
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
