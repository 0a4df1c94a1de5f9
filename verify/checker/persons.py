"""Bounds where all rows of a person are published alike (section "Kind persons")."""

from starmin.verify.checker.problem.statement import Statement
from starmin.verify.checker.reading import listed_in, numbers, whole
from starmin.verify.checker.trees.fills import cheapest
from starmin.verify.checker.trees.walk import never, nodes_below
from starmin.verify.checker.words import BeyondError, Content, Key, RefusalError

MOST_PAIRS = 1_000_000  # of a pattern and a type of persons

Fitting = dict[Key, tuple[int, list[int]]]  # patterns: cost of a row, types


def person_bound(problem: Statement, data: Content) -> int:
    """Return what the leaves of a tree of prices prove together, times the unit."""
    listed = of_persons(problem)
    unit, keys = whole(data["denominator"], 1), list(listed)
    place = {key: p for p, key in enumerate(keys)}
    every = range(len(problem.types))
    named = [
        place.get(problem.cover(numbers(types, every)))
        for types in listed_in(data["patterns"])
    ]
    if None in named:
        raise RefusalError("it names a pattern that too few persons fit")
    waiting: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset())]
    least: int | None = None
    for node in listed_in(data["nodes"]):
        if not waiting or not isinstance(node, dict):
            raise RefusalError("there are nodes beyond its tree, or that are none")
        closed, opened = waiting.pop()
        if set(node) == {"split"}:
            (p,) = numbers([node["split"]], named)
            assert p is not None
            waiting += [(closed, opened | {p}), (closed | {p}, opened)]
            continue
        if set(node) != {"prices"}:
            raise RefusalError("a node has neither prices nor a split")
        prices = [whole(price, None) for price in listed_in(node["prices"])]
        if len(prices) != len(problem.types):
            raise RefusalError(
                f"a leaf has {len(prices)} prices for {len(every)} types"
            )
        if closed & opened:
            continue
        found = sum(p * m for p, m in zip(prices, problem.copies, strict=True))
        for p, key in enumerate(keys):
            if p not in closed:
                worth = worth_of(problem, *listed[key], prices, unit)
                found += worth if p in opened else min(0, worth)
        least = found if least is None else min(least, found)
    if waiting or least is None:
        raise RefusalError("a node of its tree is missing")
    return least


def of_persons(problem: Statement) -> Fitting:
    """Return the patterns that enough persons fit, and that a group may have."""
    found: Fitting = {}
    waiting: list[tuple[Key, int, list[int]]]
    waiting, pairs = [((), 0, list(range(len(problem.types))))], 0
    while waiting:
        begun, cost, members = waiting.pop()
        if sum(problem.copies[t] for t in members) < problem.least:
            continue
        if never(problem, begun, members):
            continue
        pairs += len(members)
        if pairs > MOST_PAIRS:
            raise BeyondError("patterns and persons are too many to check")
        if len(begun) == len(problem.qi):
            found[begun] = (cost, members)
            continue
        for node, loss, some in nodes_below(problem, len(begun), members):
            waiting.append(((*begun, node), cost + loss, some))
    return found


def worth_of(
    problem: Statement, cost: int, members: list[int], prices: list[int], unit: int
) -> int:
    """Return what the cheapest persons are worth who can be published as a pattern."""
    priced = sorted(
        (unit * cost * problem.rows_of(t) - prices[t], problem.copies[t])
        for t in members
    )
    worth, _ = cheapest(priced, problem.least)
    assert worth is not None
    return worth
