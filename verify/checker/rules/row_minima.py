"""What a row of a type pays at least, prices of what it shows included."""

import math
from itertools import product

from starmin.verify.checker.rules.rule_items import RuleItems
from starmin.verify.checker.words import BeyondError

MOST_UNITS = 20  # bits of the number of sets of levels that matter to a row


def row_minimum(
    items: RuleItems,
    t: int,
    prices: dict[int, int],
    unit: int,
    once: bool,
    closed: set[int],
) -> int | None:
    """Try all levels of units that matter to a type; return the least it pays.

    It shows no item that is rare or closed; None where that leaves no levels. A row
    pays for its levels, and for the terms that it shows. So costs and prices
    stand at the highest levels that pay them, and are summed over all lower ones, unit
    by unit. Terms of classes are added one by one.
    """
    never, priced = list[int](), list[int]()
    for e in items.terms:
        own = items.item[e][t]
        if own >= 0 and (items.rare[own] or own in closed):
            never.append(e)
        elif own >= 0 and prices.get(e):
            priced.append(e)
    if not never and not priced:
        return 0
    levels = levels_worth(items, never + priced)
    sizes = [len(own) for own in levels.values()]
    if math.prod(sizes) > 1 << MOST_UNITS:
        raise BeyondError(f"more than {MOST_UNITS} columns of a row matter")
    strides = [math.prod(sizes[:i]) for i in range(len(sizes))]
    count = math.prod(sizes)
    sums, barred = [0] * count, [False] * count
    if not once:
        for (u, worth), stride in zip(levels.items(), strides, strict=True):
            paid = [unit * items.cost(t, u, level) for level in worth]
            sums[-1] += paid[-1]
            for i in range(len(worth) - 1):
                sums[count - 1 - (len(worth) - 1 - i) * stride] += paid[i] - paid[i + 1]
    barring = set(never)
    exact = [e for e in never + priced if items.terms[e].exact]
    for e in never + priced:
        if e in exact:
            continue
        place = 0
        for (u, worth), stride in zip(levels.items(), strides, strict=True):
            most = items.terms[e].by_unit.get(u, worth[-1])
            place += stride * max(i for i, level in enumerate(worth) if level <= most)
        if e in barring:
            barred[place] = True
        else:
            sums[place] += prices.get(e, 0)
    sum_below(sums, barred, sizes)
    for e in exact:
        by_unit = items.terms[e].by_unit
        free = [
            [stride * worth.index(by_unit[u])]
            if u in by_unit
            else [stride * i for i in range(len(worth))]
            for (u, worth), stride in zip(levels.items(), strides, strict=True)
        ]
        price, rare = prices.get(e, 0), e in barring
        for some in product(*free):
            sums[sum(some)] += price
            barred[sum(some)] |= rare
    if once:
        sums = [s + unit * (place > 0) for place, s in enumerate(sums)]
    least = [s for s, no in zip(sums, barred, strict=True) if not no]
    return min(least) if least else None


def levels_worth(items: RuleItems, terms: list[int]) -> dict[int, list[int]]:
    """Return by unit the levels worth trying, where that are several.

    Any other level costs no less than the next lower one, and shows the same terms.
    """
    found: dict[int, set[int]] = {}
    for e in terms:
        term = items.terms[e]
        for u, level in term.by_unit.items():
            if u not in items.fixed:
                some = range(items.last[u] + 1) if term.exact else (0, level + 1)
                found.setdefault(u, set()).update(some)
    return {u: sorted(found[u]) for u in sorted(found)}


def sum_below(sums: list[int], barred: list[bool], sizes: list[int]) -> None:
    """Add to each place what stands at higher levels."""
    step = 1
    for size in sizes:
        for place in range(len(sums) - step - 1, -1, -1):
            if place // step % size < size - 1:
                sums[place] += sums[place + step]
                barred[place] |= barred[place + step]
        step *= size
