"""Compiled loops of the price dive: what is left, and what is committed."""

import numba
import numpy as np
import numpy.typing as npt

from heuristics.annealing.reserves import draw, reserves
from models.lagrangian_relaxation.diverse_sets import Ints, Members

Floats = npt.NDArray[np.float64]


@numba.njit(cache=True, nogil=True)
def what_fits(
    starts: Ints, types: Members, values: Members, left: Ints, k: int, l: int
) -> tuple[Ints, Ints, Ints]:
    """The patterns that rows of ``left`` can be a group of, and their members.

    Parameters
    ----------
    starts, types
        The patterns, their members in order of their sensitive values.
    values, left
        The sensitive value of each type, and copies of it that are left.
    k, l
        The requirement.

    Returns
    -------
    The patterns, the starts of their members, the numbers of these incidences.
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


@numba.njit(cache=True, nogil=True)
def distances(
    starts: Ints,
    types: Members,
    shares: Floats,
    values: Members,
    left: Ints,
    k: int,
    l: int,
    add: float,
) -> Floats:
    """How far the shares of each pattern are from a group, by row of that group.

    Parameters
    ----------
    shares
        Copies that each member of a pattern has in its fills on average.
    left
        Copies of each type that can be dealt.
    add
        Shares are rounded to ``floor(share + add)``, or fewer to make a group.

    Returns
    -------
    For each pattern, infinite where the rounded shares hold no group.
    """
    result = np.full(len(starts) - 1, np.inf)
    have = np.zeros(values.max() + 1, np.int64)
    for p in range(len(result)):
        a, b = starts[p], starts[p + 1]
        if shares[a:b].any():
            result[p] = _round(
                types[a:b], shares[a:b], values, left, k, l, add, have, False
            )[0]
    return result


@numba.njit(cache=True, nogil=True)
def commit(
    starts: Ints,
    types: Members,
    shares: Floats,
    values: Members,
    left: Ints,
    k: int,
    l: int,
    add: float,
    order: Ints,
    farthest: float,
    faster: float,
    dealt: Ints,
) -> int:
    """Deal rounded shares that are no farther than that from a group; how many rows.

    A group is left out where the rows that are left without it would have too many of
    one value to be diverse together, for they could go nowhere; or where that comes
    nearer much faster than the rows get fewer.

    Parameters
    ----------
    order
        In which patterns take their rows.
    faster
        How many times as much the reserves may fall as the rows that are left.
    left
        Updated: what earlier patterns took the others cannot have.
    dealt
        The copies dealt to each member. Updated.
    """
    rows, have = 0, np.zeros(values.max() + 1, np.int64)
    first, total = reserves(left, values, l), left.sum()
    reserve, used = first.copy(), np.zeros(values.max() + 1, np.int64)
    for p in order:
        a, b = starts[p], starts[p + 1]
        members = types[a:b]
        far = _round(members, shares[a:b], values, left, k, l, add, have, False)[0]
        if far > farthest:
            continue
        before = left[members]
        size = _round(members, shares[a:b], values, left, k, l, add, have, True)[1]
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


@numba.njit(cache=True)
def _round(
    members: Members,
    shares: Floats,
    values: Members,
    left: Ints,
    k: int,
    l: int,
    add: float,
    have: Ints,
    take: bool,
) -> tuple[float, int]:
    """Round the shares to a group: its distance by row, and its rows.

    With ``take`` its copies are taken from ``left``.
    """
    have[:] = 0
    for i in range(len(members)):
        t = members[i]
        have[values[t]] += min(left[t], int(shares[i] + add))
    cap = _highest_cap(have, k, l)
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


@numba.njit(cache=True)
def _highest_cap(have: Ints, k: int, l: int) -> int:
    """The most copies of a value in a group of these; 0 where there is no group."""
    cap, total = have.max(), have.sum()
    while cap > 0 and total < max(k, l * cap):
        if total < k:
            return 0
        # No cap above total / l has enough copies, for fewer are left below.
        cap = total // l
        total = np.minimum(have, cap).sum()
    return int(cap)
