"""What a row of a type pays at least, prices of what it shows included."""

from starmin.verify.checker.rules.rule_items import RuleItems
from starmin.verify.checker.words import BeyondError

MOST_UNITS = 20  # of a row that matter


def row_minimum(
    items: RuleItems,
    t: int,
    prices: dict[int, int],
    unit: int,
    once: bool,
    closed: set[int],
) -> int | None:
    """Try all sets of units that matter to a type; return the least it pays.

    It shows no item that is rare or closed; None where that leaves no set. A set of
    units that are shown pays for those that are not, and for the terms within it. So
    costs and prices stand at the least sets that pay them, and are summed over all
    smaller sets, unit by unit. Terms of classes are added one by one.
    """
    never, priced, matters = list[int](), list[int](), 0
    for e, term in items.terms.items():
        own = items.item[e][t]
        if own >= 0 and (items.rare[own] or own in closed):
            never.append(e)
        elif own >= 0 and prices.get(e):
            priced.append(e)
        else:
            continue
        matters |= term.touched
    if not matters:
        return 0
    open_units = matters & ~items.fixed
    free = [u for u in range(len(items.units)) if open_units >> u & 1]
    if len(free) > MOST_UNITS:
        raise BeyondError(f"more than {MOST_UNITS} columns of a row matter")
    place = {u: 1 << i for i, u in enumerate(free)}
    full = (1 << len(free)) - 1
    sums, barred = [0] * (full + 1), [False] * (full + 1)
    if not once:
        sums[0] = unit * sum(items.costs[u] for u in free)
        for u in free:
            sums[place[u]] -= unit * items.costs[u]
    exact = list[tuple[int, int, int, bool]]()
    for e, bars in [*((e, True) for e in never), *((e, False) for e in priced)]:
        term = items.terms[e]
        touched = sum(p for u, p in place.items() if term.touched >> u & 1)
        off = sum(p for u, p in place.items() if term.off >> u & 1)
        price = prices.get(e, 0)
        if term.rule.semantics == "classes":
            exact.append((touched, touched & ~off, price, bars))
        elif bars:
            barred[touched] = True
        else:
            sums[touched] += price
    sum_below(sums, barred)
    for touched, shown, price, rare in exact:
        rest = part = full & ~touched
        while True:
            sums[part | shown] += price
            barred[part | shown] |= rare
            if not part:
                break
            part = (part - 1) & rest
    if once:
        sums = [s + unit * (shown != full) for shown, s in enumerate(sums)]
    least = [s for s, no in zip(sums, barred, strict=True) if not no]
    return min(least) if least else None


def sum_below(sums: list[int], barred: list[bool]) -> None:
    """Add to each set what stands at its subsets."""
    step = 1
    while step < len(sums):
        for high in range(step, len(sums), 2 * step):
            for s in range(high, high + step):
                sums[s] += sums[s - step]
                barred[s] |= barred[s - step]
        step *= 2
