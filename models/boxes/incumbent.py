"""Make groups of a release, and releases of groups: near a point, or by HiGHS."""

import numpy as np

from starmin.instances import Partition, RowTypes
from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.master.master import Relaxation
from starmin.models.boxes.master.side_constraints import Joint
from starmin.models.boxes.walk.box_data import DISTINCT, PLAIN, SPREAD, BoxData
from starmin.models.boxes.walk.search import BoxPool, Groups
from starmin.models.boxes.walk.walk_bounds import close, closed_loss
from starmin.models.solvers.mip_search import solve_small
from starmin.models.solvers.program import (
    INF,
    Columns,
    PatternColumns,
    Rows,
    at_least,
    capped,
    supported,
)

# Groups of a release.


def groups_of(relaxation: Relaxation, partition: Partition, uncut: bool) -> Groups:
    """Return the groups of a release, split into pieces where they are large.

    Their boxes join the pool.
    """
    pool, inverse = relaxation.pool, relaxation.types.inverse
    pieces = [
        piece
        for rows in partition.members()
        for piece in _pieces(pool.data, np.sort(inverse[rows]), uncut)
    ]
    counted = [np.unique(piece, return_counts=True) for piece in pieces]
    boxes = boxes_around(pool, [members for members, _ in counted])
    starts = np.cumsum([0, *(len(members) for members, _ in counted)])
    members = np.concatenate([members for members, _ in counted]).astype(np.int32)
    copies = np.concatenate([copies for _, copies in counted]).astype(np.int64)
    return Groups(boxes, starts.astype(np.int64), members, copies)


def _pieces(data: BoxData, rows: Int32s, uncut: bool) -> list[Int32s]:
    """Split a group, given by the types of its rows, into smallest ones."""
    if uncut or data.kind == DISTINCT:
        return [rows]
    if data.kind == PLAIN:
        return np.array_split(rows, max(1, len(rows) // data.least))
    # Dealt in turn by sensitive value, no pile has a value twice.
    piles = len(rows) // data.share
    dealt = rows[np.argsort(data.value[rows], kind="stable")]
    pieces = piles // -(-data.least // data.share)
    joined = np.arange(len(dealt)) % piles % pieces if pieces else 0 * dealt
    return [np.sort(dealt[joined == i]) for i in range(max(1, pieces))]


def boxes_around(pool: BoxPool, groups: list[Int32s]) -> Ints:
    """Return the places in the pool of the smallest boxes of some groups."""
    d = len(pool.data.size)
    ends = np.zeros((2, len(groups), d), np.int32)
    for members, low, high in zip(groups, *ends, strict=True):
        if not close(pool.data, members.astype(np.int32), low, high):
            raise ValueError("Expected groups that may be published.")
    return pool.add(*ends)


# Releases made of groups of the program, by branch and bound of HiGHS.

_ROW = 1e6  # what a row can lose at most, for HiGHS
_WHOLE = 1e-6  # values of groups so near to whole numbers are whole


def joint_release(
    relaxation: Relaxation, joint: Joint, boxes: Ints, seconds: float, seed: int
) -> Partition | None:
    """Return a release with one group at most in each of some boxes, by HiGHS."""
    pool, types = relaxation.pool, relaxation.types
    box, type_ = np.nonzero(pool.members(boxes))
    demand, cost = types.counts, _costs(relaxation, boxes)
    made = PatternColumns(box, type_, cost, demand, demand[type_])
    is_open = made.add(made.count)  # whether a box has a group
    each = np.arange(made.count)
    all_rows = (box, made.x, 1), (each, is_open, -demand.sum())
    made.rows.append(made.enough(is_open, pool.data.least))
    made.rows.append(Rows.of(made.count, -INF, 0, *all_rows))
    for codes in joint.values.T:
        pairs = made.pairs(codes[type_])
        count, value, owner = len(pairs.pattern), pairs.number, pairs.pattern
        if joint.l > 1:  # l times the rows of a value, less all rows of its box
            same = owner[:, np.newaxis] == each
            own, there = np.nonzero(same[:, box])
            factor = joint.l * (value[there] == own) - 1
            made.rows.append(Rows.of(count, -INF, 0, (own, there, factor)))
        if joint.distinct > 1:  # whether a value is there
            present = made.add(count)
            made.rows.append(supported(present, value, made.x))
            made.rows.append(at_least(owner, present, is_open, joint.distinct))
    point = solve_small(made.program(), seconds, seed=seed)
    if point is None:
        return None
    copies = np.rint(point[: len(box)]).astype(np.int64)
    sent = np.flatnonzero(copies)
    return Partition.from_loads(types, box[sent], type_[sent], copies[sent])


def partition_of(types: RowTypes, groups: Groups, times: Ints) -> Partition:
    """Return the release that has each group so many times."""
    number = np.repeat(np.arange(len(times)), times)
    at, label = groups.entries(number)
    return Partition.from_loads(types, label, groups.types[at], groups.copies[at])


def offer_whole(relaxation: Relaxation, x: Floats) -> bool:
    """Offer a point of the relaxation if it is whole; whether it is."""
    times, types = np.rint(x), relaxation.types
    if np.abs(x - times).max() > _WHOLE:
        return False
    groups = relaxation.master.groups()
    times = np.pad(times, (0, len(groups.box) - len(times)))  # some joined since
    dealt = np.repeat(times.astype(np.int64), np.diff(groups.starts)) * groups.copies
    sent = np.bincount(groups.types, dealt, minlength=len(types))
    if not np.array_equal(sent, types.counts):
        return False
    relaxation.run.offer(partition_of(types, groups, times.astype(np.int64)))
    return True


def offer_in_boxes(relaxation: Relaxation, times: Ints) -> None:
    """Offer the best release with whole numbers of groups in boxes, if there is one.

    What rows are in them is a flow with lower bounds, so that its relaxation is whole.
    ``times`` says by box of the pool how many groups are in it.
    """
    run, types, used = relaxation.run, relaxation.types, np.flatnonzero(times)
    pool, data = relaxation.pool, relaxation.data
    members, count = pool.members(used), times[used].astype(np.float64)
    box, type_ = np.nonzero(members)
    must = (pool.forced[used][:, :, np.newaxis] == np.arange(len(types))).any(axis=1)
    each, many = np.arange(len(box)), count[box]
    demand, made = types.counts, Columns()
    cost, upper = _costs(relaxation, used)[box], many * demand[type_]
    made.add(len(box), cost, upper, lower=np.where(must[box, type_], many, 0))
    rows = [
        Rows.of(len(demand), demand, demand, (type_, each, 1)),
        Rows.of(len(used), data.least * count, data.most * count, (box, each, 1)),
    ]
    key = box * (int(data.value.max()) + 1) + data.value[type_]
    _, place, row = np.unique(key, return_index=True, return_inverse=True)
    rows += _value_rows(made, data, count, box[place], row)
    point = solve_small(made.program(rows), run.remaining)
    if point is not None:
        copies = point[: len(box)].astype(np.int64)
        sent = np.flatnonzero(copies)
        loads = box[sent], type_[sent], copies[sent]
        run.offer(Partition.from_loads(types, *loads))


def _value_rows(
    made: Columns, data: BoxData, count: Floats, box: Ints, pair: Ints
) -> list[Rows]:
    """Return what groups need of sensitive values; columns that takes are added.

    ``box`` is that of each pair of a box and a value, ``pair`` that of each column,
    which sends rows of a type to a box; ``count`` is how many groups a box has.
    ``CAPPED`` groups have a column for each box: no value is more often in it, and it
    has so many times as many rows. ``DISTINCT`` ones have a column for each pair: there
    is a row of its value, which counts.
    """
    pairs, every = np.arange(len(box)), np.arange(made.size)
    if data.kind == PLAIN:
        return []
    if data.kind == SPREAD:
        return [Rows.of(len(box), -INF, count[box], (pair, every, 1))]
    if data.kind == DISTINCT:
        there = made.add(len(box), 0, INF)
        return [
            supported(there, pair, every),
            Rows.of(len(box), -INF, count[box], (pairs, there, 1)),
            Rows.of(len(count), data.values * count, INF, (box, there, 1)),
        ]
    most = made.add(len(count), 0, INF)
    return [
        capped(most[box], pair, every),
        at_least(box[pair], every, most, data.share),
    ]


def offer_best(relaxation: Relaxation, keep: Bools, seconds: float, seed: int) -> None:
    """Offer the best release made of the groups of the relaxation in ``keep``."""
    chosen, types = np.flatnonzero(keep), relaxation.types
    if len(chosen) == 0:
        return
    groups = relaxation.master.groups()
    cost = groups.sizes[chosen] * _costs(relaxation, groups.box[chosen])
    at, owner = groups.entries(chosen)
    demand, made = types.counts, Columns()
    made.add(len(chosen), cost, demand.max())
    dealt = groups.types[at], owner, groups.copies[at]
    program = made.program([Rows.of(len(demand), demand, demand, dealt)])
    point = solve_small(program, seconds, seed=seed)
    if point is not None:
        times = np.zeros(len(keep), np.int64)
        times[chosen] = point.astype(np.int64)
        relaxation.run.offer(partition_of(types, groups, times))


def _costs(relaxation: Relaxation, boxes: Ints) -> Floats:
    """Return what a row pays in some boxes as numbers that are moderate for HiGHS."""
    cost = relaxation.pool.cost[boxes] * (_ROW / relaxation.whole)
    return cost.astype(np.float64)


# Releases near a fractional point: its groups, and the rows that are left over.

_NEVER = 1 << 61


def round_point(
    relaxation: Relaxation, groups: Groups, rank: Floats
) -> Partition | None:
    """Return the release that takes groups in an order as long as they are disjoint.

    Those of the least ``rank`` are first. Rows that are left over join the groups where
    they cost least; None where they fit into no group.
    """
    order = np.argsort(rank, kind="stable")
    loads = round_groups(relaxation.data, groups, order)
    if len(loads) == 0:
        return None
    group, type_ = np.nonzero(loads)
    return Partition.from_loads(relaxation.types, group, type_, loads[group, type_])


@inner
def loss_with(b: BoxData, low: Int32s, high: Int32s, t: int) -> int:
    """Return what a row pays in a group that a type joins; -1: it may not."""
    total = 0
    for j in range(len(low)):
        place = b.place[j, t]
        loss = closed_loss(b, j, min(low[j], place), max(high[j], place))
        if loss < 0:
            return -1
        total += loss
    return int(total)


@inner
def join(b: BoxData, low: Int32s, high: Int32s, t: int) -> None:
    for j in range(len(low)):
        place = b.place[j, t]
        low[j], high[j] = min(low[j], place), max(high[j], place)


@compiled
def round_groups(b: BoxData, groups: Groups, order: Ints) -> Ints:
    """Return the copies by type of the groups of a release; none if rows are left over.

    ``groups`` are taken in ``order``.
    """
    _, starts, types, copies = groups
    left, count, most = b.counts.copy(), 0, b.counts.sum() // b.least
    loads = np.zeros((most, len(left)), np.int64)
    # The least and the greatest place in each column, and the rows by sensitive value.
    lows = np.zeros((most, len(b.size)), np.int32)
    highs, heights = lows.copy(), np.zeros((most, b.value.max() + 1), np.int64)
    sizes, tops = np.zeros(most, np.int64), np.zeros(most, np.int64)
    for g in order:
        fits = True
        for i in range(starts[g], starts[g + 1]):
            fits &= copies[i] <= left[types[i]]
        if not fits:
            continue
        first = types[starts[g]]
        lows[count] = b.place[:, first]
        highs[count] = b.place[:, first]
        for i in range(starts[g], starts[g + 1]):
            t = types[i]
            left[t] -= copies[i]
            loads[count, t] = copies[i]
            heights[count, b.value[t]] += copies[i]
            sizes[count] += copies[i]
            tops[count] = max(tops[count], heights[count, b.value[t]])
            join(b, lows[count], highs[count], t)
        count += 1
    for t in range(len(left)):
        while left[t] > 0:
            best, least = -1, _NEVER
            for g in range(count):
                top = max(tops[g], heights[g, b.value[t]] + 1)
                if b.share > 1 and b.share * top > sizes[g] + 1:
                    continue
                loss = loss_with(b, lows[g], highs[g], t)
                if loss < 0:
                    continue
                before = 0
                for j in range(len(b.size)):
                    before += closed_loss(b, j, lows[g, j], highs[g, j])
                more = (sizes[g] + 1) * loss - sizes[g] * before
                if more < least:
                    best, least = g, more
            if best < 0:
                return loads[:0]
            loads[best, t] += 1
            heights[best, b.value[t]] += 1
            sizes[best] += 1
            tops[best] = max(tops[best], heights[best, b.value[t]])
            left[t] -= 1
            join(b, lows[best], highs[best], t)
    return loads
