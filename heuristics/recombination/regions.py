"""Regions in which releases differ, found by union and find."""

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner


@inner
def find(parent: Ints, item: int) -> int:
    """Return what stands for the set of an item; ways there are halved."""
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item


@inner
def join(parent: Ints, one: int, other: int) -> None:
    """Join the sets of two items; the lower number stands for both."""
    a, b = find(parent, one), find(parent, other)
    if a < b:
        parent[b] = a
    elif b < a:
        parent[a] = b


@compiled
def take_regions(
    starts: Ints,
    types: Int32s,
    cost: Ints,
    best: Ints,
    other: Ints,
    enough: int,
    parent: Ints,
    rise: Ints,
    merged: Ints,
) -> None:
    """Take from another release each region that costs no more there.

    The patterns are as in ``starmin.models.patterns.patterns``; ``best`` and ``other``
    are releases, as copies by incidence. A pattern with ``enough`` copies that both
    have joins no regions. ``parent``, each type by its number, ``rise``, a zero for
    each, and ``merged``, a copy of ``best``, are updated.
    """
    for p in range(len(starts) - 1):
        first, common = -1, 0
        for i in range(starts[p], starts[p + 1]):
            common += min(best[i], other[i])
        if common >= enough:
            continue
        for i in range(starts[p], starts[p + 1]):
            if best[i] != other[i]:
                if first < 0:
                    first = types[i]
                else:
                    join(parent, first, types[i])
    for p in range(len(starts) - 1):
        for i in range(starts[p], starts[p + 1]):
            if best[i] != other[i]:
                rise[find(parent, types[i])] += cost[p] * (other[i] - best[i])
    for i in range(len(types)):
        if best[i] != other[i] and rise[find(parent, types[i])] <= 0:
            merged[i] = other[i]


@compiled
def components(
    starts: Ints, types: Int32s, used: Ints, held: Ints, enough: int, parent: Ints
) -> None:
    """Join the types that some pattern makes depend on one another.

    The patterns are as in ``starmin.models.patterns.patterns``. ``used`` is, by
    incidence, 1 where its type may move there, and ``held`` the copies in each pattern
    that stay there: a pattern that holds ``enough`` is open in any case, and joins no
    types. ``parent``, each type by its number, is updated: afterwards it has one number
    for each component.
    """
    for p in range(len(starts) - 1):
        if held[p] >= enough:
            continue
        first = -1
        for i in range(starts[p], starts[p + 1]):
            if used[i] > 0:
                if first < 0:
                    first = types[i]
                else:
                    join(parent, first, types[i])
    for t in range(len(parent)):
        parent[t] = find(parent, t)
