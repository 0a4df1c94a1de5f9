"""The best release in some boxes, where groups need several things of their values."""

import numpy as np

from starmin.instances import Partition, RowTypes
from starmin.instances.arrays import Ints
from starmin.models.boxes.master.joint import Joint
from starmin.models.boxes.walk.pool import BoxPool
from starmin.models.solvers.mip_search import solve_small
from starmin.models.solvers.program import INF, Program, Rows

_ROW = 1e6  # what a row can lose at most, for HiGHS


def joint_release(
    types: RowTypes,
    pool: BoxPool,
    joint: Joint,
    boxes: Ints,
    whole: int,
    seconds: float,
    seed: int,
) -> Partition | None:
    """Return a release with one group at most in each of some boxes, by HiGHS.

    Parameters
    ----------
    types, joint
        The problem.
    pool, boxes
        Where the boxes are, and which of them.
    whole
        What a row can lose at most, in the unit of costs.
    seconds, seed
        For HiGHS.
    """
    data = pool.data
    box, type_ = np.nonzero(pool.members(boxes))
    pairs, demand = len(box), types.counts.astype(np.float64)
    every, ones = np.arange(pairs), np.ones(pairs)
    is_open = pairs + np.arange(len(boxes))  # whether a box has a group
    least, most = float(data.least), float(types.counts.sum())
    none, any_number = np.zeros(len(boxes)), np.full(len(boxes), INF)
    sized = np.append(box, np.arange(len(boxes)))
    at = np.append(every, is_open)
    rows = [
        Rows(type_, every, ones, demand, demand),
        Rows(sized, at, np.append(ones, none - least), none, any_number),
        Rows(sized, at, np.append(ones, none - most), -any_number, none),
    ]
    columns = pairs + len(boxes)
    for codes in joint.values.T:
        keys = box * (int(codes.max()) + 1) + codes[type_]
        _, first, value = np.unique(keys, return_index=True, return_inverse=True)
        count, owner = len(first), box[first]
        zeros, free = np.zeros(count), np.full(count, INF)
        if joint.l > 1:  # l times the rows of a value, less all rows of its box
            same = owner[:, np.newaxis] == np.arange(len(boxes))
            own, there = np.nonzero(same[:, box])
            factor = joint.l * (value[there] == own) - 1.0
            rows.append(Rows(own, there, factor, -free, zeros))
        if joint.distinct > 1:  # whether a value is there
            present = columns + np.arange(count)
            columns += count
            asked = np.append(np.arange(count), value)
            where = np.append(present, every)
            rows.append(
                Rows(asked, where, np.append(np.ones(count), -ones), -free, zeros)
            )
            needed = np.full(len(boxes), -float(joint.distinct))
            total = np.append(owner, np.arange(len(boxes)))
            where = np.append(present, is_open)
            factor = np.append(np.ones(count), needed)
            rows.append(Rows(total, where, factor, none, any_number))
    cost = np.zeros(columns)
    cost[:pairs] = (pool.cost[boxes] * (_ROW / whole))[box]
    upper = np.ones(columns)
    upper[:pairs] = demand[type_]
    whole_numbers = np.ones(columns, bool)
    program = Program(cost, np.zeros(columns), upper, whole_numbers, tuple(rows))
    point = solve_small(program, seconds, seed=seed)
    if point is None:
        return None
    copies = np.rint(point[:pairs]).astype(np.int64)
    sent = np.flatnonzero(copies)
    return Partition.from_loads(types, box[sent], type_[sent], copies[sent])
