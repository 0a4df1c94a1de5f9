r"""Which members can be in a diverse fill that is worth something: loops.

As ``starmin.models.lagrangian_relaxation.diverse_sets`` shows, a fill with no value in
more than one of l rows can be dealt to *row sets* of l copies or more, no value twice
in one. Where :math:`k \le l`, any of these sets are a fill as well. So of a best fill
with the fewest copies each set has a negative reduced cost, and where it has more than
l copies, each of them has: else the set, or its dearest copy, could be left out.

Let a pattern cost c, let :math:`m_v` be the highest price among its members of value v,
and let :math:`\mu` be the sum of the l highest :math:`m_v`, the *heads*.

- There is a row set of negative reduced cost if, and only if, :math:`\mu > l c`: the
  heads are the cheapest one of l copies.
- A member t of value v is in one if, and only if, its price and the l - 1 highest heads
  of other values make more than l c together. Where v has one of the l - 1 highest
  heads, this says :math:`\lambda_t > m_v - (\mu - l c)`, else
  :math:`\lambda_t > m_{(l)} - (\mu - l c)`, :math:`m_{(l)}` being the l-th head.

So the cheapest fill of a pattern is one of the members kept. A pattern whose members
kept have a smaller node in common counts as 0. Rows that a release publishes as such a
pattern may be worth less than 0 together; but its row sets of members kept can be
counted as rows of the smaller pattern, where they cost no more, and the others are
worth 0 or more, or have a dearer copy too many (``docs/reference/certificate.md`` has
the proof).

With a threshold above 0 a set must be worth less than that. Then these are not all
members of fills worth less, since other sets of a fill may be worth less than 0; but
they are those that matter for a search.

Below a set of types that lose c so far, members are fewer and losses no less. So what
is in no such row set there is in none below.
"""

from starmin.instances.loops.compiled import inner
from starmin.models.node_walk.node_walk_data import NodeWalk
from starmin.models.price_unit import NO_PRICE


@inner
def keep_sets(
    w: NodeWalk, begin: int, end: int, top: int, cost: int
) -> tuple[int, int]:
    """Keep the members of row sets below the threshold; return where they are.

    Those that do not come first are copied to ``top``. None is kept if there is no such
    set, all are if members need not be in one.
    """
    heads, l = w.heads, w.l
    found, total = _find_heads(w, begin, end)
    slack = w.threshold + total - l * cost
    if found < l or slack <= 0:
        return begin, begin
    if not w.by_sets:
        return begin, end
    members, prices, values, least = w.members, w.prices, w.values[0], w.least_price
    end = _find_end(w, begin, end, prices[heads[l - 1]] - slack)
    for i in range(l - 1):
        least[values[heads[i]]] = prices[heads[i]] - slack
    kept = begin
    while kept < end and prices[members[kept]] > least[values[members[kept]]]:
        kept += 1
    if kept < end:
        at = top
        for i in range(begin, end):
            t = members[i]
            if i < kept or prices[t] > least[values[t]]:
                members[at] = t
                at += 1
        begin, end = top, at
    for i in range(l - 1):
        least[values[heads[i]]] = NO_PRICE
    return begin, end


@inner
def _find_end(w: NodeWalk, begin: int, end: int, price: int) -> int:
    """Return where the members end that have a higher price."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if w.prices[w.members[middle]] > price:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _find_heads(w: NodeWalk, begin: int, end: int) -> tuple[int, int]:
    """List the first members with different values; how many, and their prices' sum."""
    members, values, seen, heads = w.members, w.values[0], w.seen, w.heads
    found, total, i = 0, 0, begin
    while i < end and found < w.l:
        t = members[i]
        if seen[values[t]] < 0:
            seen[values[t]] = 1
            heads[found] = t
            total += w.prices[t]
            found += 1
        i += 1
    for j in range(found):
        seen[values[heads[j]]] = -1
    return found, total


@inner
def has_values(w: NodeWalk, column: int, begin: int, end: int) -> bool:
    """Return whether the members have l different values."""
    members, values, seen = w.members, w.values[column], w.seen
    different, i = 0, begin
    while i < end and different < w.l:
        value = values[members[i]]
        if seen[value] < 0:
            seen[value] = 1
            different += 1
        i += 1
    for j in range(begin, i):
        seen[values[members[j]]] = -1
    return different >= w.l
