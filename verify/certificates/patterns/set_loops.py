"""Sets of row types in compiled loops: what ``batches`` does with large ones.

The types of a set are in one array, one set after the other, by falling price.
Imported when first called for: numba takes half a second to load.
"""

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import compiled


@compiled
def fitting_lengths(
    members: Ints,
    lengths: Ints,
    cost: Ints,
    prices: Ints,
    counts: Ints,
    least: int,
    slack: int,
) -> Ints:
    """Return how many types of each set are in fills worth less than ``slack``.

    They are its first ones, as the others are worth more. A set without a fill, which
    has ``least`` copies or more, has none.
    """
    kept = np.zeros(len(lengths), np.int64)
    end = np.int64(0)
    for s in range(len(lengths)):
        begin, end, paid = end, end + lengths[s], cost[s]
        i, copies, worth = begin, np.int64(0), np.int64(0)
        while i < end and prices[members[i]] > paid:
            copies += counts[members[i]]
            worth += (paid - prices[members[i]]) * counts[members[i]]
            i += 1
        most = slack - worth  # what one more row may cost
        if most <= 0:
            continue
        while i < end and paid - prices[members[i]] < most:
            if copies < least:
                more = min(counts[members[i]], least - copies)
                copies += more
                worth += more * (paid - prices[members[i]])
                if worth >= slack:
                    break
            i += 1
        if copies >= least and worth < slack:
            kept[s] = i - begin
    return kept


@compiled
def diverse_members(
    members: Ints,
    lengths: Ints,
    cost: Ints,
    prices: Ints,
    values: Int32s,
    l: int,
    slack: int,
    each: bool,
) -> Bools:
    """Return which members can be in l rows of l values worth less than ``slack``.

    The first member of a value is its cheapest. With ``each``, single members are left
    out that are worth 0 or more with the cheapest ones of l - 1 other values; else only
    sets whose cheapest rows of l values are worth too much.
    """
    kept = np.zeros(len(members), np.bool_)
    width = np.int64(values.max()) + 1
    seen, head = np.full(width, -1, np.int64), np.zeros(width, np.int64)
    end = np.int64(0)
    for s in range(len(lengths)):
        begin, end, paid = end, end + lengths[s], cost[s]
        found, total, last = np.int64(0), np.int64(0), np.int64(0)
        for i in range(begin, end):
            value = values[members[i]]
            if seen[value] == s:
                continue
            # With a member of one of the l cheapest values come the others of these,
            # with one of another value the l - 1 cheapest.
            seen[value], last = s, paid - prices[members[i]]
            head[value] = last
            total += last
            found += 1
            if found == l:
                break
        if found < l or total >= slack:
            continue
        for i in range(begin, end):
            value = values[members[i]]
            own = paid - prices[members[i]]
            without = head[value] if seen[value] == s else last
            kept[i] = not each or own + total - without < 0
    return kept


@compiled
def sets_of_values(members: Ints, lengths: Ints, values: Int32s, l: int) -> Bools:
    """Return which sets have at least ``l`` different values."""
    enough = np.zeros(len(lengths), np.bool_)
    seen = np.full(np.int64(values.max()) + 1, -1, np.int64)
    end = np.int64(0)
    for s in range(len(lengths)):
        i, end, found = end, end + lengths[s], 0
        while i < end and found < l:
            if seen[values[members[i]]] != s:
                seen[values[members[i]]] = s
                found += 1
            i += 1
        enough[s] = found >= l
    return enough


@compiled
def first_members(members: Ints, lengths: Ints, kept: Ints) -> Ints:
    """Return the first members of each set, so many as are kept."""
    found = np.empty(kept.sum(), np.int64)
    at, to = np.int64(0), np.int64(0)
    for s in range(len(lengths)):
        found[to : to + kept[s]] = members[at : at + kept[s]]
        at += lengths[s]
        to += kept[s]
    return found


@compiled
def ends_of_sets(
    places: npt.NDArray[np.integer], members: Ints, lengths: Ints
) -> tuple[Ints, Ints]:
    """Return the least and the greatest place of the members of each set."""
    low, high = np.empty_like(lengths), np.empty_like(lengths)
    end = np.int64(0)
    for s in range(len(lengths)):
        begin, end = end, end + lengths[s]
        least = greatest = np.int64(places[members[begin]])
        for i in range(begin + 1, end):
            place = np.int64(places[members[i]])
            least, greatest = min(least, place), max(greatest, place)
        low[s], high[s] = least, greatest
    return low, high


@compiled
def divided_sets(
    members: Ints, lengths: Ints, by: npt.NDArray[np.integer], width: int
) -> tuple[Ints, Ints, Ints]:
    """Divide each set into those of its members that have the same number.

    Returned are the members, which keep their order; the size of each part; and whose
    part it is.
    """
    parts = 0
    seen, part_of = np.full(width, -1, np.int64), np.empty(width, np.int64)
    end = np.int64(0)
    for s in range(len(lengths)):
        begin, end = end, end + lengths[s]
        for i in range(begin, end):
            if seen[by[i]] != s:
                seen[by[i]] = s
                parts += 1
    sizes, owner = np.zeros(parts, np.int64), np.empty(parts, np.int64)
    seen[:] = -1
    found, to = np.empty_like(members), np.empty(parts, np.int64)
    part, end, at = 0, np.int64(0), np.int64(0)
    for s in range(len(lengths)):
        begin, end, first = end, end + lengths[s], part
        for i in range(begin, end):
            if seen[by[i]] != s:
                seen[by[i]], part_of[by[i]] = s, part
                owner[part] = s
                part += 1
            sizes[part_of[by[i]]] += 1
        for p in range(first, part):
            to[p] = at
            at += sizes[p]
        for i in range(begin, end):
            p = part_of[by[i]]
            found[to[p]] = members[i]
            to[p] += 1
    return found, sizes, owner
