"""The compiled loop that prices patterns which whole classes fit."""

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.price_unit import INFEASIBLE


@compiled
def price_patterns(
    start: Ints,
    atom: Ints,
    size: Ints,
    cost: Ints,
    prices: Ints,
    least: int,
    worth: Ints,
    used: Int32s,
    cover: Ints,
) -> None:
    """Set what the cheapest choice of atoms is worth by pattern, if below 0, else 0.

    All atoms that cost less than their price are chosen. Where these have fewer than
    ``least`` rows, which a class has at least, the cheapest of the others that make up
    for it are chosen, too (a knapsack, by dynamic programming over the rows that lack).

    ``start`` and ``atom`` are the patterns with the atoms that fit; ``size`` and
    ``prices`` are by atom: its rows, and the price of each of them; ``cost`` is of a
    row by pattern, in the unit of prices. Filled in place are ``worth``, by pattern,
    and ``used``, by atom: how many patterns choose it. Of several that make up for what
    lacks only one is counted, or those that are cheapest for their rows. ``cover`` has
    ``least + 1`` numbers to work with.
    """
    used[:] = 0
    for p in range(len(cost)):
        worth[p] = 0
        total, sum_ = 0, 0
        for e in range(start[p], start[p + 1]):
            a = atom[e]
            loss = size[a] * (cost[p] - prices[a])
            if loss < 0:
                total += size[a]
                sum_ += loss
        if sum_ >= 0:
            continue
        lack, gain = least - total, sum_
        one, many = -1, 0
        if lack > 0:
            cover[1 : lack + 1] = INFEASIBLE
            cover[0] = 0
            cheapest = INFEASIBLE
            for e in range(start[p], start[p + 1]):
                a = atom[e]
                loss = size[a] * (cost[p] - prices[a])
                if loss < 0 or loss >= -sum_:
                    continue  # with the latter the choice is worth nothing
                if size[a] >= lack and loss < cheapest:
                    cheapest, one = loss, a
                for rows in range(lack, 0, -1):
                    before = cover[max(0, rows - size[a])]
                    if before < INFEASIBLE and before + loss < cover[rows]:
                        cover[rows] = before + loss
            if cover[lack] == INFEASIBLE:
                continue
            sum_ += cover[lack]
            if sum_ >= 0:
                continue
            if one < 0 or cheapest > cover[lack]:
                one, many = -1, lack
        worth[p] = sum_
        for e in range(start[p], start[p + 1]):
            a = atom[e]
            loss = cost[p] - prices[a]
            if loss < 0 or a == one:
                used[a] += 1
            elif many > 0 and size[a] * loss < -gain:
                used[a] += 1
                many -= size[a]
