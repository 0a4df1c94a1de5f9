"""The cheapest set around a row for what it newly covers (see ``greedy_cover``)."""

import numpy as np

from starmin.heuristics.approximation.row_distance import FAR, row_distance
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner

_NONE = -1


@inner
def _insert(far: Ints, near: Ints, distance: int, node: int) -> None:
    """Keep ``near`` the types with the least distances, in ascending order."""
    place = len(far) - 1
    while place > 0 and far[place - 1] > distance:
        far[place], near[place] = far[place - 1], near[place - 1]
        place -= 1
    far[place], near[place] = distance, node


@inner
def _row_cost(codes: Int32s, costs: Ints, once: bool, types: Ints) -> int:
    """Return what a row pays in a group of these types."""
    total = 0
    for j in range(len(costs)):
        for node in types:
            if codes[node, j] != codes[types[0], j]:
                total = max(total, costs[j]) if once else total + costs[j]
                break
    return total


@inner
def _fill(
    near: Ints, counts: Ints, types: Ints, copies: Ints, used: int, missing: int
) -> int:
    """Add ``missing`` rows of the nearest types; return how many types there are."""
    for node in near:
        if missing == 0 or node == _NONE:
            break
        at = 0
        while at < used and types[at] != node:
            at += 1
        if at == used:
            types[at], copies[at] = node, 0
            used += 1
        more = min(missing, counts[node] - copies[at])
        copies[at] += more
        missing -= more
    return used


@compiled
def nearest_set(
    codes: Int32s,
    costs: Ints,
    once: bool,
    centre: int,
    counts: Ints,
    left: Ints,
    k: int,
) -> tuple[int, int, Ints, Ints]:
    """Find the best of the sets of the j nearest uncovered rows, j = 1 .. 2k - 1.

    A set of fewer than k rows is filled up with the nearest rows of all. O(m d + k^2 d)
    for m distinct rows, and O(k) for each of those that are near.

    Parameters
    ----------
    codes, costs, once
        Distinct rows, and what a star costs (``row_distance.column_costs``).
    centre
        A distinct row with an uncovered row.
    counts, left
        Rows of each type; those of them that are uncovered.
    k
        The least size of a group.

    Returns
    -------
    tuple
        What a row pays in the set; the newly covered rows that were counted, j; the
        types in the set; and how many rows of each.
    """
    open_far, open_near = np.full(2 * k - 1, FAR), np.full(2 * k - 1, _NONE)
    all_far, all_near = np.full(k, FAR), np.full(k, _NONE)
    for node in range(len(codes)):
        far = row_distance(codes[centre], codes[node], costs, once)
        # The centre comes before types at distance 0, which weights of 0 allow.
        far = far if node == centre else far + 1
        if far < all_far[-1]:
            _insert(all_far, all_near, far, node)
        if left[node] > 0 and far < open_far[-1]:
            _insert(open_far, open_near, far, node)
    best_cost, best_new = FAR, 1
    best_types, best_copies = open_near[:0], open_near[:0]
    new = 0
    for last in range(2 * k - 1):
        if open_near[last] == _NONE or new == 2 * k - 1:
            break
        new = min(2 * k - 1, new + left[open_near[last]])
        types, copies = np.empty(3 * k, np.int64), np.empty(3 * k, np.int64)
        types[: last + 1] = open_near[: last + 1]
        copies[: last + 1] = left[types[: last + 1]]
        copies[last] -= copies[: last + 1].sum() - new
        used = _fill(all_near, counts, types, copies, last + 1, max(0, k - new))
        cost = _row_cost(codes, costs, once, types[:used])
        if cost * best_new < best_cost * new or best_cost == FAR:
            best_cost, best_new = cost, new
            best_types, best_copies = types[:used], copies[:used]
    return best_cost, best_new, best_types, best_copies
