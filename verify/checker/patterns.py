"""Find the patterns that matter, their cheapest fills, and what prices prove."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from starmin.verify.checker.reading import Key, Node
from starmin.verify.checker.statement import Statement

# The cheapest fill of a pattern (section "Fills").

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


# The patterns that matter (section "The list").

Listed = dict[Key, tuple[int, list[int]]]  # patterns: cost of a row, types


def patterns(problem: Statement, prices: list[int], unit: int, slack: int) -> Listed:
    """Return the patterns that may be worth less than ``slack``, with their types.

    Section "The list": column after column gets a node. A type is dropped where
    every fill with it is worth ``slack`` or more, and a set of types where all of
    its fills are.
    """

    def kept(begun: Key, cost: int, among: list[int]) -> list[int]:
        members = relevant(problem, among, cost, prices, slack)
        return members if members and not never(problem, begun, members) else []

    return listed_by(problem, unit, kept)


Kept = Callable[[Key, int, list[int]], list[int]]
Below = Iterator[tuple[Node, int, list[int]]]  # nodes, what a row loses, what is below


def listed_by(problem: Statement, unit: int, kept: Kept) -> Listed:
    """Return the patterns that are reached with some types, and these types."""
    every = range(len(problem.types))
    found = reached_by(problem, unit, every, partial(nodes_below, problem), kept)
    return {key: (cost, members) for key, cost, members in found}


def reached_by(
    problem: Statement,
    unit: int,
    every: Iterable[int],
    below: Callable[[int, list[int]], Below],
    kept: Kept,
) -> Iterator[tuple[Key, int, list[int]]]:
    """Visit the patterns that are reached column by column, with types or classes.

    ``below`` visits the nodes of a column that some are below. Of those that fit what
    begins so, at a cost of a row, ``kept`` are those to go on with, if any.
    """
    waiting: list[tuple[Key, int, list[int]]] = [((), 0, list(every))]
    while waiting:
        begun, cost, among = waiting.pop()
        members = kept(begun, cost, among)
        if members and len(begun) == len(problem.qi):
            yield begun, cost, members
        elif members:
            for node, loss, some in below(len(begun), members):
                waiting.append(((*begun, node), cost + unit * loss, some))


def nodes_below(problem: Statement, column: int, members: list[int]) -> Below:
    """Visit the nodes of a column, root first."""
    waiting = [(0, members)]
    while waiting:
        depth, some = waiting.pop()
        chain = problem.chains[column][problem.types[some[0]][column]]
        node, loss = chain[depth]
        at_end = depth == len(chain) - 1
        if at_end or not problem.kept[column]:
            yield node, problem.units[column] * loss, some
        if at_end:
            continue
        below: dict[Node, list[int]] = {}
        for t in some:
            chain = problem.chains[column][problem.types[t][column]]
            below.setdefault(chain[depth + 1][0], []).append(t)
        waiting += [(depth + 1, those) for those in below.values()]


def relevant(
    problem: Statement, members: list[int], cost: int, prices: list[int], slack: int
) -> list[int]:
    """Return the types that matter; none where no fill is worth less than slack."""
    gain = sum(
        (prices[t] - cost) * problem.copies[t] for t in members if prices[t] > cost
    )
    members = [t for t in members if cost - prices[t] < gain + slack]
    if problem.l > 1 and problem.distinct == 1:
        members = in_sets(problem, members, cost, prices, slack)
    priced = sorted((cost - prices[t], problem.copies[t]) for t in members)
    worth, _ = cheapest(priced, problem.least)
    return [] if worth is None or worth >= slack else members


def in_sets(
    problem: Statement, members: list[int], cost: int, prices: list[int], slack: int
) -> list[int]:
    """Return the types in some l rows of l values worth less than slack.

    All of them, if there are such rows, where k is more than l or slack is not 0.
    """
    head = dict[str, int]()
    for t in members:
        value = problem.values[0][t]
        head[value] = min(cost - prices[t], head.get(value, cost - prices[t]))
    first = sorted(head, key=lambda value: head[value])[: problem.l]
    worth = sum(head[value] for value in first)
    if len(first) < problem.l or worth >= slack:
        return []
    if slack > 0 or problem.k > problem.l:
        return members
    others = {value: worth - head[value] for value in first}
    last = others[first[-1]]
    return [
        t
        for t in members
        if cost - prices[t] + others.get(problem.values[0][t], last) < 0
    ]


def never(problem: Statement, begun: Key, members: list[int]) -> bool:
    """Return whether no release publishes a pattern that begins so.

    A group is published as the lowest node that all of its rows are below, and it
    has l values of every sensitive column; l is 1 where values are to be distinct.
    """
    first = problem.types[members[0]]
    for column, node in enumerate(begun):
        if node != first[column] and node != problem.lowest(column, members):
            return True
    if problem.distinct > 1:
        return False
    sensitive = range(len(problem.qi), len(first))
    return any(
        len({problem.types[t][j] for t in members}) < problem.l for j in sensitive
    )


# What patterns are worth at given prices (section "Kind prices").


def value_of(
    problem: Statement, cost: int, members: list[int], prices: list[int]
) -> int:
    """Return what the best fill of a pattern is worth, 0 where that is positive.

    By one sensitive column, and for distinct values by rows alone, as for the list.
    """
    priced = sorted((cost - prices[t], t) for t in members)
    if problem.l > 1 and problem.distinct == 1:
        worth = by_frequency(problem, priced, problem.values[0], 1, problem.n)
    else:
        worth = by_rows(problem, priced, 1, problem.n)
    return min(0, worth or 0)
