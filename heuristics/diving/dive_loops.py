"""Compiled loops of Lagrangian diving: what is left, and what is committed."""

from typing import NamedTuple

import numpy as np

from starmin.heuristics.annealing.start import draw, reserves
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.lagrangian_relaxation.pattern_fills import highest_cap


class Shares(NamedTuple):
    """Averages of pricing solutions, to be rounded to groups."""

    # starts, types: the patterns, their members in order of their sensitive values
    starts: Ints
    types: Int32s
    # copies that each member of a pattern has in its pricing solutions on average
    shares: Floats
    values: Int32s  # the sensitive value of each type
    left: Ints  # copies of each type that can be dealt
    k: int  # k, l: the requirement
    l: int
    add: float  # shares are rounded to ``floor(share + add)``, or fewer to make a group


@compiled
def what_fits(
    starts: Ints, types: Int32s, values: Int32s, left: Ints, k: int, l: int
) -> tuple[Ints, Ints, Ints]:
    """Find the patterns that rows of ``left`` can be a group of, and their members.

    These are in order of their sensitive values. Returns the patterns, where the
    members of each begin, and the numbers of these incidences.
    """
    patterns, ends = np.empty(len(starts), np.int64), np.zeros(len(starts), np.int64)
    kept = np.empty(len(types), np.int64)
    count, end = 0, 0
    for p in range(len(starts) - 1):
        begin, value, distinct, rows = end, -1, 0, 0
        for i in range(starts[p], starts[p + 1]):
            t = types[i]
            if left[t] > 0:
                kept[end] = i
                end += 1
                rows += left[t]
                if values[t] != value:
                    value = values[t]
                    distinct += 1
        if distinct < l or rows < k:
            end = begin
            continue
        patterns[count] = p
        count += 1
        ends[count] = end
    return patterns[:count].copy(), ends[: count + 1].copy(), kept[:end].copy()


@compiled
def distances(s: Shares) -> Floats:
    """Return by pattern how far its shares are from a group, by row; else infinite."""
    result = np.full(len(s.starts) - 1, np.inf)
    have = np.zeros(s.values.max() + 1, np.int64)
    for p in range(len(result)):
        if s.shares[s.starts[p] : s.starts[p + 1]].any():
            result[p] = _round(s, p, have, False)[0]
    return result


@compiled
def commit(s: Shares, order: Ints, farthest: float, faster: float, dealt: Ints) -> int:
    """Deal rounded shares that are no farther than that from a group; count the rows.

    A group is left out where the rows that are left without it would have too many of
    one value to be diverse together, for they could go nowhere; or where that comes
    nearer much faster than the rows get fewer: reserves may fall ``faster`` times as
    much as the rows that are left. Patterns take their rows in ``order``. ``s.left`` is
    updated: what earlier patterns took, others cannot have. So is ``dealt``, by member.
    """
    values, left, l = s.values, s.left, s.l
    rows, have = 0, np.zeros(values.max() + 1, np.int64)
    first, total = reserves(left, values, l), left.sum()
    reserve, used = first.copy(), np.zeros(values.max() + 1, np.int64)
    for p in order:
        a, b = s.starts[p], s.starts[p + 1]
        members = s.types[a:b]
        far = _round(s, p, have, False)[0]
        if far > farthest:
            continue
        before = left[members]
        size = _round(s, p, have, True)[1]
        taken = before - left[members]
        used[:] = 0
        for i in range(len(members)):
            used[values[members[i]]] += taken[i]
        kept = max(0.0, 1 - faster * (rows + size) / total)
        if not draw(reserve, used, size, l, kept * first - l):
            left[members] = before
            continue
        rows += size
        dealt[a:b] += taken
    return rows


@inner
def _round(s: Shares, p: int, have: Ints, take: bool) -> tuple[float, int]:
    """Round the shares of pattern p to a group; return their distance by row, its rows.

    ``have`` is scratch by value. With ``take`` the copies leave ``s.left``.
    """
    a, b = s.starts[p], s.starts[p + 1]
    members, shares, values, left, add = (
        s.types[a:b],
        s.shares[a:b],
        s.values,
        s.left,
        s.add,
    )
    have[:] = 0
    for i in range(len(members)):
        t = members[i]
        have[values[t]] += min(left[t], int(shares[i] + add))
    cap = highest_cap(have, s.k, s.l)
    if cap == 0:
        return np.inf, 0
    have[:] = cap
    rows, far = 0, 0.0
    # What is rounded down comes first.
    for up in (False, True):
        for i in range(len(members)):
            t, copies = members[i], int(shares[i] + add)
            if (copies > shares[i]) != up:
                continue
            copies = min(copies, left[t], have[values[t]])
            have[values[t]] -= copies
            rows += copies
            far += abs(shares[i] - copies)
            if take:
                left[t] -= copies
    return far / rows, rows
