"""The bound of prices of originals, and who is matched too often or too seldom."""

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.nonhomogeneous.star_sets import StarSets
from starmin.models.price_unit import INFEASIBLE, exact_product


def price_bound(sets: StarSets, k: int, prices: Ints) -> tuple[int, Ints]:
    """Compute what the prices prove, and how many matches each type lacks.

    ``sets`` are those for k, which is at least 2; ``prices`` has one for each row type,
    in units of ``PriceUnit``. Returns the bound in the same unit, not rounded; and for
    each type k - 1 matches for each of its rows, less those that the released rows
    choose: a supergradient.

    Notes
    -----
    A pass over the types of each star set in the order of falling prices, ended as
    soon as all classes have k rows. 256 sets x 90,000 types take 0.3 s.
    """
    sets.unit.expect(prices)
    order = np.argsort(-prices, kind="stable").astype(np.int32)
    values, used = _choose(
        sets.class_of,
        sets.sizes,
        sets.cost * sets.unit.per_cost,
        sets.counts,
        prices,
        order,
        k,
    )
    total = (k - 1) * int(prices @ sets.counts) + exact_product(values, sets.counts)
    return total, (k - 1) * sets.counts - used


@compiled
def _choose(
    class_of: Int32s,
    sizes: Ints,
    cost: Ints,
    counts: Ints,
    prices: Ints,
    order: Int32s,
    k: int,
) -> tuple[Ints, Ints]:
    """Find for each type its least value, and how often it is matched then."""
    sets, m = class_of.shape
    least = np.full(m, INFEASIBLE)
    choice = np.zeros(m, np.int32)
    most = sizes.max()
    have, total = np.empty(most, np.int32), np.empty(most, np.int64)
    last = np.empty(most, np.int32)
    for s in range(sets):
        classes = class_of[s]
        _fill(classes, sizes[s], counts, prices, order, k, have, total, last)
        for t in range(m):
            c = classes[t]
            if c >= 0:
                out = max(prices[t], prices[order[last[c]]])
                value = cost[s] - total[c] + out
                if value < least[t]:
                    least[t] = value
                    choice[t] = s
    return least, _count_matches(class_of, sizes, counts, order, choice, k)


@inner
def _fill(
    classes: Int32s,
    size: int,
    counts: Ints,
    prices: Ints,
    order: Int32s,
    k: int,
    have: Int32s,
    total: Ints,
    last: Int32s,
) -> None:
    """Sum the k highest prices of each class, and find the place of the last."""
    have[:size] = 0
    total[:size] = 0
    full = 0
    for place in range(len(order)):
        t = order[place]
        c = classes[t]
        if c < 0 or have[c] == k:
            continue
        taken = min(counts[t], k - have[c])
        have[c] += taken
        total[c] += taken * prices[t]
        if have[c] == k:
            last[c] = place
            full += 1
            if full == size:
                break


@inner
def _count_matches(
    class_of: Int32s, sizes: Ints, counts: Ints, order: Int32s, choice: Int32s, k: int
) -> Ints:
    """Count how often each type is matched to rows other than itself."""
    sets, m = class_of.shape
    used = np.zeros(m, np.int64)
    place = np.empty(m, np.int32)
    place[order] = np.arange(m).astype(np.int32)
    most = sizes.max()
    have, last = np.empty(most, np.int32), np.empty(most, np.int32)
    rows = np.empty(most, np.int64)
    for s in range(sets):
        classes = class_of[s]
        rows[: sizes[s]] = 0
        open_classes = 0
        for t in range(m):
            if choice[t] == s:
                if rows[classes[t]] == 0:
                    open_classes += 1
                rows[classes[t]] += counts[t]
        if open_classes == 0:
            continue
        have[: sizes[s]] = 0
        for p in range(m):
            t = order[p]
            c = classes[t]
            if c < 0 or rows[c] == 0 or have[c] == k:
                continue
            taken = min(counts[t], k - have[c])
            have[c] += taken
            used[t] += taken * rows[c]
            if have[c] == k:
                last[c] = p
                open_classes -= 1
                if open_classes == 0:
                    break
        for t in range(m):
            if choice[t] == s:
                # Of the k dearest rows it leaves out itself, or else the last one.
                left_out = (
                    t if place[t] <= last[classes[t]] else order[last[classes[t]]]
                )
                used[left_out] -= counts[t]
    return used
