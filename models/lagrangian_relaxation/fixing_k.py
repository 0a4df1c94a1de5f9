"""What it costs to force a copy into a pattern, for k-anonymity: a compiled loop."""

from starmin.instances.arrays import Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.lagrangian_relaxation.member_scan import (
    add,
    heapify,
    list_candidates,
    scan_members,
    sift_down,
)
from starmin.models.lagrangian_relaxation.pricing_data import PricingData, Workspace
from starmin.models.price_unit import INFEASIBLE


@compiled
def forced_values_k(
    data: PricingData, prices: Ints, workspace: Workspace, forced: Ints
) -> tuple[int, int, float]:
    """Write ``f_p^t - min(0, f_p)`` of each incidence; return the sum of the minima.

    The sum is in two words and in floating point (``PriceUnit.total``). ``prices`` are
    by type, in units of ``PriceUnit``. ``forced`` is written, beside the members: at
    least ``INFEASIBLE`` less the minimum where no group is large enough.

    The best choice has all copies of negative reduced cost, and the cheapest others
    where those are fewer than k. A copy that is forced into it replaces the dearest one
    where there are no more than k. Takes O(incidences), and a heap of the members of
    the patterns that fewer than k copies of negative reduced cost fit.
    """
    low, high, about = 0, 0, 0.0
    for p in range(len(data.cost)):
        a, b = data.starts[p], data.starts[p + 1]
        members, cost = data.members[a:b], data.cost[p]
        value, copies, _ = scan_members(members, cost, data.counts, prices)
        dearest = 0
        if copies < data.k:
            size = list_candidates(
                members, cost, prices, 0, INFEASIBLE, workspace.keys, workspace.items
            )
            paid, dearest = _pay(workspace, size, data.counts, data.k - copies)
            value = value + paid if paid < INFEASIBLE else INFEASIBLE
        gain = min(0, value)
        about += gain
        low, high = add(low, high, gain)
        for i in range(a, b):
            reduced = cost - prices[data.members[i]]
            extra = max(0, reduced - dearest) if value < INFEASIBLE else 0
            forced[i] = value + extra - gain
    return low, high, about


@inner
def _pay(workspace: Workspace, size: int, counts: Ints, need: int) -> tuple[int, int]:
    """Return what the ``need`` cheapest copies in the heap cost, and the dearest."""
    keys, items = workspace.keys, workspace.items
    heapify(keys, items, size)
    paid, dearest = 0, 0
    while need > 0:
        if size == 0:
            return INFEASIBLE, 0
        dearest = keys[0]
        take = min(need, counts[items[0]])
        paid += take * dearest
        need -= take
        size -= 1
        keys[0], items[0] = keys[size], items[size]
        sift_down(keys, items, 0, size)
    return paid, dearest
