"""The members of a pattern that a choice of negative value can have: compiled loops."""

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import inlined, inner
from starmin.models.price_unit import INFEASIBLE, WORD


@inlined
def add(low: int, high: int, value: int) -> tuple[int, int]:
    """Add a number that is not positive to a sum in two words (``PriceUnit.total``)."""
    low += value
    if low < -WORD:
        low, high = low + WORD, high + 1
    return low, high


@inner
def scan_members(
    members: Int32s, cost: int, counts: Ints, prices: Ints
) -> tuple[int, int, int]:
    """Sum up the members of negative reduced cost, and find the least other one.

    ``members`` are the types of a pattern, in which a row costs ``cost``; ``counts``
    and ``prices``, in the unit of ``cost``, are by type. Returns the reduced cost of
    all copies for which it is negative, their number, and the least reduced cost that
    is not negative, INFEASIBLE if there is none.
    """
    gain, copies, least = 0, 0, INFEASIBLE
    for t in members:
        reduced = cost - prices[t]
        if reduced < 0:
            gain += reduced * counts[t]
            copies += counts[t]
        elif reduced < least:
            least = reduced
    return gain, copies, least


@inner
def list_candidates(
    members: Int32s,
    cost: int,
    prices: Ints,
    low: int,
    high: int,
    keys: Ints,
    items: Int32s,
) -> int:
    """List the members with ``low`` <= reduced cost < ``high``; return their number.

    ``members`` are the types of a pattern, in which a row costs ``cost``; ``prices``,
    by type, and the range are in the same unit. Reduced costs are written to ``keys``
    and types to ``items``, from the front.
    """
    size = 0
    for t in members:
        reduced = cost - prices[t]
        if low <= reduced < high:
            keys[size], items[size] = reduced, t
            size += 1
    return size


@inner
def heapify(keys: Ints, items: Int32s, size: int) -> None:
    """Order the first ``size`` keys as a heap with the least on top, items with them.

    O(size).
    """
    for root in range(size // 2 - 1, -1, -1):
        sift_down(keys, items, root, size)


@inner
def sift_down(keys: Ints, items: Int32s, root: int, size: int) -> None:
    """Move the key at ``root`` down to its place, the rest below being a heap.

    The heap has ``size`` keys, and their items move with them; the key at ``root`` may
    be too large.
    """
    if root >= size:
        return
    key, item = keys[root], items[root]
    while 2 * root + 1 < size:
        child = 2 * root + 1
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[root], items[root] = keys[child], items[child]
        root = child
    keys[root], items[root] = key, item
