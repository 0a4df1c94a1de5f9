"""Releases near a fractional point: its groups, and the rows that are left over."""

import numpy as np

from starmin.instances import Partition, RowTypes
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.boxes.walk.box_data import BoxData
from starmin.models.boxes.walk.search import Groups
from starmin.models.boxes.walk.walk_bounds import closed_loss

_NEVER = 1 << 61


def round_point(
    data: BoxData, types: RowTypes, groups: Groups, rank: Floats
) -> Partition | None:
    """Return the release that takes groups in an order as long as they are disjoint.

    Those of the least ``rank`` are first. Rows that are left over join the groups where
    they cost least; None where they fit into no group.
    """
    order = np.argsort(rank, kind="stable")
    most = int(data.counts.sum()) // data.least
    loads = np.zeros((most, len(data.counts)), np.int64)
    ends = np.zeros((2, most, len(data.size)), np.int32)
    heights = np.zeros((most, int(data.value.max()) + 1), np.int64)
    given = groups.starts, groups.types, groups.copies
    if not round_groups(data, order, *given, loads, *ends, heights):
        return None
    group, type_ = np.nonzero(loads)
    return Partition.from_loads(types, group, type_, loads[group, type_])


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
def round_groups(
    b: BoxData,
    order: Ints,
    starts: Ints,
    types: Int32s,
    copies: Ints,
    loads: Ints,
    lows: Int32s,
    highs: Int32s,
    heights: Ints,
) -> bool:
    """Fill in the groups of a release; whether all rows are in one.

    Groups, of which ``starts``, ``types`` and ``copies`` say what is in them, are taken
    in ``order``. Of the groups of the release, ``loads`` are the copies by type,
    ``lows`` and ``highs`` the least and the greatest place in each column, and
    ``heights`` the rows by sensitive value; all four are overwritten.
    """
    left, count = b.counts.copy(), 0
    sizes, tops = np.zeros(len(loads), np.int64), np.zeros(len(loads), np.int64)
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
                return False
            loads[best, t] += 1
            heights[best, b.value[t]] += 1
            sizes[best] += 1
            tops[best] = max(tops[best], heights[best, b.value[t]])
            left[t] -= 1
            join(b, lows[best], highs[best], t)
    return True
