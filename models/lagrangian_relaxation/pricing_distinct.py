"""What a pattern gains at best at given prices, under distinct l-diversity."""

import numba
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

_FAR = np.int64(1 << 60)


@numba.njit(cache=True, nogil=True)
def sweep_distinct(
    starts: Ints,
    members: Codes,
    value: Codes,
    values: int,
    cost: Ints,
    counts: Ints,
    prices: Ints,
    lends: npt.NDArray[np.bool_],
    l: int,
    residual: Ints,
    least: Ints,
) -> int:
    """The sum of what the best fills cost by prices, where that is negative.

    A fill takes all copies that are worth more than they pay. While it has fewer than
    l values it takes one row of that other value for which it loses least, or borrows
    one, where it can, for its whole cost. No fill of a pattern costs less.

    Parameters
    ----------
    starts, members, cost
        The patterns: their types, and what a row pays in them.
    value, values
        Of each type its sensitive value; how many there are.
    counts, prices
        Of each type, the prices in the unit of ``cost``.
    lends
        Which patterns can borrow.
    residual
        The copies that the fills take are subtracted from it.
    least
        Where not empty: of each member what its pattern costs at least, by prices,
        beyond its best fill or nothing, if it has a row of that type.
    """
    total = np.int64(0)
    has = np.full(values, -1, np.int64)  # the last pattern whose fill has this value
    best = np.full(values, -1, np.int64)  # the dearest type of values that are lacking
    for p in range(len(cost)):
        c, gain, lack = cost[p], np.int64(0), l
        low, high = starts[p], starts[p + 1]
        for i in range(low, high):
            t = members[i]
            if prices[t] > c:
                gain += (prices[t] - c) * counts[t]
                if has[value[t]] != p:
                    has[value[t]] = p
                    lack -= 1
        if gain == 0 and len(least) == 0:
            continue
        fee, worst = np.int64(0), np.int64(0)
        if lack > 0:
            for i in range(low, high):
                t, v = members[i], value[members[i]]
                if has[v] != p and (best[v] < 0 or prices[t] > prices[best[v]]):
                    best[v] = t
            fee, worst = _add_values(p, lack, c, prices, lends[p], has, best)
        cheapest = min(np.int64(0), fee - gain)
        total += cheapest
        if len(least) > 0:
            for i in range(low, high):
                more = max(np.int64(0), c - prices[members[i]] - worst)
                least[i] = min(_FAR, fee - gain - cheapest + more)
        for i in range(low, high):
            t = members[i]
            v = value[t]
            if cheapest < 0 and prices[t] > c:
                residual[t] -= counts[t]
            elif cheapest < 0 and best[v] == t and has[v] == p:
                residual[t] -= 1
        for i in range(low, high):
            best[value[members[i]]] = -1
    return int(total)


@numba.njit(cache=True, nogil=True)
def _add_values(
    p: int, lack: int, cost: int, prices: Ints, lends: bool, has: Ints, best: Ints
) -> tuple[int, int]:
    """Add the values that are lacking to a fill: what all cost, and the last one."""
    fee = worst = np.int64(0)
    for _ in range(lack):
        chosen = -1
        for v in range(len(best)):
            if best[v] < 0 or has[v] == p:
                continue
            if chosen < 0 or prices[best[v]] > prices[best[chosen]]:
                chosen = v
        if chosen >= 0 and (prices[best[chosen]] >= 0 or not lends):
            has[chosen] = p
            worst = cost - prices[best[chosen]]
        elif lends:
            worst = np.int64(cost)
        else:
            return int(_FAR), int(_FAR)
        fee += worst
    return int(fee), int(worst)
