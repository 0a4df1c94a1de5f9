"""For each row type the types that it loses least with, nearly: nearest neighbours."""

import numpy as np

from starmin.heuristics.ruin_and_recreate.group_state import Losses, joined_loss
from starmin.instances import Run
from starmin.instances.arrays import Floats, Int32s
from starmin.instances.loops.compiled import compiled, inner

_ORDERS = 6  # in which types that follow one another are first compared
_WINDOW = 8
_ROUNDS, _SHARE = 2, 0.15  # a round of neighbours of neighbours has this of the time
_LOOKED_AT = 10  # neighbours of as many neighbours
_AT_ONCE = 10_000  # types between two looks at the clock


def nearest_types(
    losses: Losses,
    positions: Int32s,
    count: int,
    rng: np.random.Generator,
    run: Run | None = None,
) -> Int32s:
    """Return for each distinct row others that it loses little with, the nearest first.

    The loss of two types is what a row pays in a group of these two. Types that follow
    one another in some lexicographic orders are compared first, then neighbours of
    neighbours, which are likely to be neighbours (NN-descent), where that takes little
    of the time that ``run`` has left. Not all of the nearest are found. ``positions``
    is m x d by type; the answer is m x count, -1 where fewer were found.

    References
    ----------
    W. Dong, M. Charikar, K. Li, Efficient k-nearest neighbor graph construction for
    generic similarity measures, WWW 2011.

    Examples
    --------
    >>> from starmin.heuristics.ruin_and_recreate.group_state import losses_of
    >>> from starmin.instances import Objective, Scales, Table
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["4"], ["9"]], qi=["a"])
    >>> scales = Scales.of(table, ["a"])
    >>> losses = losses_of(table, Objective("gcp", scales=scales))
    >>> rng = np.random.default_rng(0)
    >>> nearest_types(losses, scales.type_positions(table), 2, rng).tolist()
    [[1, 2], [0, 2], [1, 0], [2, 1]]
    """
    m, d = positions.shape
    near = np.full((m, count), -1, np.int32)
    distance = np.full((m, count), np.inf)
    began = 0.0 if run is None else run.elapsed
    for _ in range(_ORDERS):
        if run is not None:
            run.check_time()
        order = np.lexsort(positions[:, rng.permutation(d)].T).astype(np.int32)
        _compare_along(losses, positions, order, _WINDOW, near, distance)
    rounds = _ROUNDS
    if run is not None:
        one = (run.elapsed - began) * _LOOKED_AT**2 / (_ORDERS * _WINDOW)
        rounds = _ROUNDS if one <= _SHARE * run.remaining else 0
    for _ in range(rounds):
        known = near.copy()
        for first in range(0, m, _AT_ONCE):
            if run is not None:
                run.check_time()
            part = first, min(first + _AT_ONCE, m)
            given = known, *part, _LOOKED_AT, near, distance
            _compare_neighbours(losses, positions, *given)
    return near


@inner
def _compare(
    s: Losses, positions: Int32s, t: int, u: int, near: Int32s, distance: Floats
) -> None:
    """Put u among the neighbours of t, and t among those of u, where near enough."""
    worst = max(distance[t, -1], distance[u, -1])
    columns, amounts = s.columns, s.amounts
    here = joined_loss(columns, amounts, positions, positions, t, positions, u, worst)
    if here < distance[t, -1]:
        _insert(near, distance, t, u, here)
    if here < distance[u, -1]:
        _insert(near, distance, u, t, here)


@inner
def _insert(near: Int32s, distance: Floats, t: int, u: int, here: float) -> None:
    """Put u in its place among the neighbours of t, by distance, unless it is there."""
    for i in range(near.shape[1]):
        if near[t, i] == u:
            return
    i = near.shape[1] - 1
    while i > 0 and distance[t, i - 1] > here:
        near[t, i], distance[t, i] = near[t, i - 1], distance[t, i - 1]
        i -= 1
    near[t, i], distance[t, i] = u, here


@compiled
def _compare_along(
    s: Losses,
    positions: Int32s,
    order: Int32s,
    window: int,
    near: Int32s,
    distance: Floats,
) -> None:
    """Compare types that are at most ``window`` places from one another."""
    for i in range(len(order)):
        for j in range(i + 1, min(i + 1 + window, len(order))):
            _compare(s, positions, order[i], order[j], near, distance)


@compiled
def _compare_neighbours(
    s: Losses,
    positions: Int32s,
    known: Int32s,
    first: int,
    end: int,
    looked_at: int,
    near: Int32s,
    distance: Floats,
) -> None:
    """Compare some types with the neighbours of neighbours, as they were known."""
    width = min(looked_at, known.shape[1])
    for t in range(first, end):
        for i in range(width):
            u = known[t, i]
            if u < 0:
                break
            for j in range(width):
                v = known[u, j]
                if v < 0:
                    break
                if v != t:
                    _compare(s, positions, t, v, near, distance)
