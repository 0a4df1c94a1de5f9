"""Exact cover by Knuth's Algorithm X."""

from collections.abc import Sequence


def exact_cover(universe: int, sets: Sequence[Sequence[int]]) -> list[int] | None:
    """Find ``sets`` that cover each of 0 .. ``universe`` - 1 exactly once, or None.

    Exact. The item with the fewest sets left is branched on, so an item without a set
    ends a branch at once.

    Parameters
    ----------
    universe
        Number of items.
    sets
        Each a list of different items.

    Returns
    -------
    The numbers of the chosen sets, ascending; None where no exact cover exists.

    Notes
    -----
    Exponential in the worst case; some 10,000 sets over 100 items of random matching
    and edge partition problems take seconds.

    References
    ----------
    D. E. Knuth, Dancing Links, in: Millennial Perspectives in Computer Science, 2000.

    Examples
    --------
    >>> exact_cover(4, [[0, 1], [1, 2], [2, 3], [0, 3]])
    [0, 2]
    >>> exact_cover(3, [[0, 1], [1, 2]]) is None
    True
    """
    holders: dict[int, set[int]] = {item: set() for item in range(universe)}
    for number, members in enumerate(sets):
        for item in members:
            holders[item].add(number)
    chosen: list[int] = []
    return sorted(chosen) if _search(holders, sets, chosen) else None


def _search(
    holders: dict[int, set[int]], sets: Sequence[Sequence[int]], chosen: list[int]
) -> bool:
    if not holders:
        return True
    item = min(holders, key=lambda i: len(holders[i]))
    for number in sorted(holders[item]):
        removed = _cover(number, holders, sets)
        chosen.append(number)
        if _search(holders, sets, chosen):
            return True
        chosen.pop()
        _uncover(removed, holders, sets)
    return False


def _cover(
    number: int, holders: dict[int, set[int]], sets: Sequence[Sequence[int]]
) -> dict[int, set[int]]:
    """Take the items of a set and every set that meets it out of ``holders``."""
    removed: dict[int, set[int]] = {}
    for item in sets[number]:
        for other in holders[item]:
            for shared in sets[other]:
                if shared != item and shared in holders:
                    holders[shared].discard(other)
        removed[item] = holders.pop(item)
    return removed


def _uncover(
    removed: dict[int, set[int]],
    holders: dict[int, set[int]],
    sets: Sequence[Sequence[int]],
) -> None:
    for item in reversed(removed):
        holders[item] = removed[item]
        for other in removed[item]:
            for shared in sets[other]:
                if shared in holders:
                    holders[shared].add(other)
