"""What prices say of single patterns and types: bounds through each incidence."""

import numba
import numpy as np
import numpy.typing as npt

from instances import RowTypes
from models.patterns.patterns import Patterns
from models.patterns.unit import DENOMINATOR

Ints = npt.NDArray[np.int64]
Members = npt.NDArray[np.int32]

NEVER = 1 << 60


def lagrangian_fixing(
    patterns: Patterns,
    types: RowTypes,
    prices: Ints,
    k: int = 1,
    l: int = 1,
) -> Ints:
    r"""For each incidence (p, t) a lower bound on the releases with x[p, t] >= 1.

    Where pattern p is used for a copy of t, its part of the price bound
    (``models.lagrangian_relaxation.prices``) is not :math:`\min(0, f_p)` but the value
    :math:`f_p^t` of its best fill with a copy of t:

    .. math::
        LB(\lambda) - \min(0, f_p(\lambda)) + f_p^t(\lambda), \qquad
        f_p^t = \min_h \big(f_p(h) + e_t(h)\big),

    with h the most copies of a sensitive value and :math:`e_t(h) \ge 0` what it costs
    to force one copy of t into the best fill for h:

    - nothing where t is in it;
    - where h copies of the value of t are: t takes the place of the dearest of them;
    - else t is added, or takes the place of the dearest copy of all if there are no
      more copies than there must be and that one has a positive reduced cost.

    One exchange is enough since the fills for one h are, but for their least total,
    the independent sets of a laminar matroid. For k-anonymity alone there is one h
    only, infinite. As :math:`e_t \ge 0` and f is convex, h goes up from 1 until f
    rises and is by itself no better than what all members have.

    Parameters
    ----------
    patterns, types, prices, k, l
        As for ``models.lagrangian_relaxation.prices.price_bound``.

    Returns
    -------
    One integer for each incidence, in units of 1/DENOMINATOR: no release that uses it
    costs less. At least 2^40 stars where no release uses it at all.

    Notes
    -----
    Exact integer arithmetic. Sorts the members of each pattern; with l, a pass over
    them for each h that is tried, of which there are few.

    Examples
    --------
    >>> from instances import STARS, Table
    >>> from models.patterns.listing import closed_patterns
    >>> rows = [["0", "x"], ["0", "x"], ["1", "x"], ["1", "x"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> patterns = closed_patterns(table, table.row_types, STARS, least_support=2)
    >>> patterns.cost[patterns.pattern].tolist()
    [0, 0, 1, 1]
    >>> prices = np.zeros(2, np.int64)
    >>> least = lagrangian_fixing(patterns, table.row_types, prices, k=2)
    >>> (least / DENOMINATOR).tolist()
    [0.0, 0.0, 2.0, 2.0]
    """
    values = types.sensitive[:, 0] if l > 1 else np.zeros(len(types), np.int32)
    forced = np.empty(len(patterns.types), np.int64)
    gains = _force(
        patterns.starts,
        patterns.types,
        patterns.cost * DENOMINATOR,
        patterns.counts,
        prices,
        values.astype(np.int32),
        int(values.max()) + 1,
        k,
        l,
        forced,
    )
    bound = int(prices @ patterns.counts) + int(gains)
    return np.asarray(bound + forced)


@numba.njit(cache=True)
def _force(
    starts: Ints,
    types: Members,
    cost: Ints,
    counts: Ints,
    prices: Ints,
    values: Members,
    distinct: int,
    k: int,
    l: int,
    forced: Ints,
) -> int:
    """``f_p^t - min(0, f_p)`` into ``forced``; the sum of ``min(0, f_p)``."""
    total = 0
    used, dearest = np.zeros(distinct, np.int64), np.zeros(distinct, np.int64)
    for p in range(len(cost)):
        a, b = starts[p], starts[p + 1]
        reduced = cost[p] - prices[types[a:b]]
        order = np.argsort(reduced)
        reduced, members = reduced[order], types[a:b][order]
        best = np.full(b - a, NEVER)
        if l == 1:
            least = _at(reduced, members, counts, values, used, dearest, NEVER, k, best)
        else:
            least = _over_caps(
                reduced, members, counts, values, used, dearest, k, l, best
            )
        gain = min(0, least)
        total += gain
        for i in range(b - a):
            forced[a + order[i]] = best[i] - gain
    return total


@numba.njit(cache=True)
def _over_caps(
    reduced: Ints,
    members: Members,
    counts: Ints,
    values: Members,
    used: Ints,
    dearest: Ints,
    k: int,
    l: int,
    best: Ints,
) -> int:
    """The best over all h, for f and for each member; f at its best."""
    support, least, highest = 0, NEVER, 0
    for t in members:
        support += counts[t]
        used[values[t]] += counts[t]
        highest = max(highest, used[values[t]])
    for t in members:
        used[values[t]] = 0
    for h in range(1, min(highest, support // l) + 1):
        here = _at(
            reduced, members, counts, values, used, dearest, h, max(k, l * h), best
        )
        rising = here > least
        least = min(least, here)
        # f is convex: from here on it rises, and what is forced costs no less than f.
        if rising and here >= best.max():
            break
    return least


@numba.njit(cache=True)
def _at(
    reduced: Ints,
    members: Members,
    counts: Ints,
    values: Members,
    used: Ints,
    dearest: Ints,
    h: int,
    need: int,
    best: Ints,
) -> int:
    """f at this h; ``best`` is lowered to it plus what each member costs to force."""
    total, value, top, end = 0, 0, 0, len(members)
    for i in range(len(members)):
        if reduced[i] >= 0 and total >= need:
            end = i
            break
        t = members[i]
        take = min(counts[t], h - used[values[t]])
        if reduced[i] >= 0:
            take = min(take, need - total)
        if take > 0:
            used[values[t]] += take
            total += take
            value += take * reduced[i]
            dearest[values[t]] = top = reduced[i]
    if total >= need:
        swap = max(top, 0) if total == need else 0
        for i in range(len(members)):
            v = values[members[i]]
            instead = dearest[v] if used[v] >= h else swap
            best[i] = min(best[i], value + max(0, reduced[i] - instead))
    for i in range(end):
        used[values[members[i]]] = 0
    return value if total >= need else NEVER
