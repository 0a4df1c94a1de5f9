"""The patterns that matter (section "The list")."""

from collections.abc import Iterator

from starmin.verify.checker.problem.statement import Statement
from starmin.verify.checker.trees.fills import cheapest
from starmin.verify.checker.words import Key, Node

Listed = dict[Key, tuple[int, list[int]]]  # patterns: cost of a row, types


def patterns(problem: Statement, prices: list[int], unit: int, slack: int) -> Listed:
    """Return the patterns that may be worth less than ``slack``, with their types.

    Section "The list": column after column gets a node. A type is dropped where
    every fill with it is worth ``slack`` or more, and a set of types where all of
    its fills are.
    """
    found: Listed = {}
    waiting: list[tuple[Key, int, list[int]]]
    waiting = [((), 0, list(range(len(problem.types))))]
    while waiting:
        begun, cost, among = waiting.pop()
        members = relevant(problem, among, cost, prices, slack)
        if members is None or never(problem, begun, members):
            continue
        if len(begun) == len(problem.qi):
            if members := settled(problem, begun, cost, members, prices, slack):
                found[begun] = (cost, members)
            continue
        for node, loss, some in nodes_below(problem, len(begun), members):
            waiting.append(((*begun, node), cost + unit * loss, some))
    return found


def settled(
    problem: Statement,
    begun: Key,
    cost: int,
    members: list[int],
    prices: list[int],
    slack: int,
) -> list[int] | None:
    """Look at a pattern until nothing more is dropped, in whatever order columns came.

    Return the types that are left, None where the pattern need not be listed.
    """
    while True:
        left = relevant(problem, members, cost, prices, slack)
        if left is None or never(problem, begun, left):
            return None
        if len(left) == len(members):
            return left
        members = left


def nodes_below(
    problem: Statement, column: int, members: list[int]
) -> Iterator[tuple[Node, int, list[int]]]:
    """Visit the nodes of a column, root first: loss of a row, types below."""
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
) -> list[int] | None:
    """Return the types that matter; None where no fill is worth less than slack."""
    gain = sum(
        (prices[t] - cost) * problem.copies[t] for t in members if prices[t] > cost
    )
    members = [t for t in members if cost - prices[t] < gain + slack]
    if problem.l > 1 and problem.distinct == 1:
        members = in_sets(problem, members, cost, prices, slack)
    priced = sorted((cost - prices[t], problem.copies[t]) for t in members)
    worth, _ = cheapest(priced, problem.least)
    return None if worth is None or worth >= slack else members


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
