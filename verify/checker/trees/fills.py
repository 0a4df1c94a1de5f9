"""The cheapest fill of a pattern (section "Fills")."""

from collections import Counter

from starmin.verify.checker.problem.statement import Statement

Priced = list[tuple[int, int]]  # what a copy costs, and its type


def fill(problem: Statement, priced: Priced, low: int, high: int) -> int | None:
    """Return what the best fill with a height of low..high is worth, or None.

    ``priced`` has (cost of a copy, type), cheapest first. A fill is valid for each
    sensitive column that is looked at: so the largest worth counts. The height is
    that of the first (section "Fills").
    """
    if not problem.diverse:
        return by_rows(problem, priced, low, high)
    worths = []
    for place, values in enumerate(problem.values):
        if problem.l > 1:
            bounds = (1, problem.n) if place else (low, high)
            worths.append(by_frequency(problem, priced, values, *bounds))
        else:
            worths.append(by_distinct(problem, priced, values, low, high))
    found = [worth for worth in worths if worth is not None]
    return max(found) if len(found) == len(worths) else None


def by_rows(problem: Statement, priced: Priced, low: int, high: int) -> int | None:
    """Return the worth of the best fill of low..high rows, diversity aside."""
    offered = [(each, problem.copies[t]) for each, t in priced]
    total, need = sum(copies for _, copies in offered), max(problem.k, low)
    if min(high, total) < need:
        return None
    return cheapest(offered, need, high)[0]


def by_frequency(
    problem: Statement, priced: Priced, values: list[str], low: int, high: int
) -> int | None:
    """Return what the best fill that is diverse in one column is worth, or None.

    For a given height greedy is right; the worth is convex in the height, so that
    its least value is found by bisection.
    """
    heads, rest = heads_first(problem, priced, values)
    if len(heads) < problem.distinct:
        return None
    in_all = sum(copies for _, copies, _ in rest) + len(heads)
    low, high = max(low, 1), min(high, in_all // problem.l)
    while low < high:
        h = (low + high) // 2
        here, total = at_height(problem, heads, rest, h)
        if here is None:
            falls = problem.l * h <= total < problem.k
        else:
            above, _ = at_height(problem, heads, rest, h + 1)
            falls = above is not None and above < here
        low, high = (h + 1, high) if falls else (low, h)
    return None if low > high else at_height(problem, heads, rest, low)[0]


def by_distinct(
    problem: Statement, priced: Priced, values: list[str], low: int, high: int
) -> int | None:
    """Return the worth of the best fill of low..high rows with enough values.

    The cheapest copies of the cheapest values come first, then any.
    """
    heads, rest = heads_first(problem, priced, values)
    offered = [(each, copies) for each, copies, _ in rest]
    need, left = max(problem.k, low), sum(copies for _, copies in offered)
    first = len(heads)
    if first < problem.distinct or min(high, left + first) < need:
        return None
    worth, _ = cheapest(offered, need - first, high - first)
    return None if worth is None else sum(heads.values()) + worth


def heads_first(
    problem: Statement, priced: Priced, values: list[str]
) -> tuple[dict[str, int], list[tuple[int, int, str]]]:
    """Take the cheapest copies of as many of the cheapest values as are required.

    Return their costs by value; and cost, number and value of all other copies.
    """
    heads, rest = dict[str, int](), []
    for each, t in priced:
        first = len(heads) < problem.distinct and values[t] not in heads
        if first:
            heads[values[t]] = each
        if problem.copies[t] > first:
            rest.append((each, problem.copies[t] - first, values[t]))
    return heads, rest


def at_height(
    problem: Statement, heads: dict[str, int], rest: list[tuple[int, int, str]], h: int
) -> tuple[int | None, int]:
    """Return worth and size of the best fill of height h; None if none is valid."""
    used, offered = Counter(list(heads)), []
    for cost, copies, value in rest:
        take = min(copies, h - used[value])
        if take > 0:
            used[value] += take
            offered.append((cost, take))
    need = max(problem.k, problem.l * h) - len(heads)
    worth, _ = cheapest(offered, need)
    total = sum(take for _, take in offered) + len(heads)
    return None if worth is None else sum(heads.values()) + worth, total


def cheapest(
    priced: list[tuple[int, int]], need: int, most: int | None = None
) -> tuple[int | None, int]:
    """Return cost and size of the cheapest choice of ``need`` to ``most`` copies.

    ``priced`` is sorted by the cost of a copy. (None, size) if there are too few.
    """
    total = cost = 0
    for each, copies in priced:
        take = copies if each < 0 else min(copies, need - total)
        if most is not None:
            take = min(take, most - total)
        if take <= 0:
            break
        total, cost = total + take, cost + take * each
    return (cost if total >= need else None), total
