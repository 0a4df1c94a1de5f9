"""Bound releases whose groups are unions: of rows of persons, of given classes."""

import hashlib
from collections import Counter
from functools import partial

from starmin.verify.checker.patterns import (
    Below,
    Listed,
    cheapest,
    listed_by,
    never,
    reached_by,
)
from starmin.verify.checker.reading import (
    BeyondError,
    Chain,
    Content,
    Key,
    Node,
    RefusalError,
    listed_in,
    numbers,
    priced,
    walked,
    whole,
)
from starmin.verify.checker.statement import Statement

# Bounds where all rows of a person are published alike (section "Kind persons").

MOST_PAIRS = 1_000_000  # of a pattern and a type of persons


def person_bound(problem: Statement, data: Content) -> int:
    """Return what the leaves of a tree of prices prove together, times the unit."""
    listed = of_persons(problem)
    unit, keys = whole(data["denominator"], 1), list(listed)
    place = {key: p for p, key in enumerate(keys)}
    named = [place.get(key) for key in problem.named_in(data)]
    if None in named:
        raise RefusalError("it names a pattern that too few persons fit")
    none, bounds = frozenset[int](), list[int]()
    ahead = [(none, none)]
    for (closed, opened), node in walked(ahead, data["nodes"], {"prices", "split"}):
        if set(node) == {"split"}:
            (p,) = numbers([node["split"]], named)
            assert p is not None
            ahead += [(closed, opened | {p}), (closed | {p}, opened)]
            continue
        if set(node) != {"prices"}:
            raise RefusalError("a node has neither prices nor a split")
        prices = priced(node, len(problem.types), "types", "a leaf")
        if closed & opened:
            continue
        found = sum(p * m for p, m in zip(prices, problem.copies, strict=True))
        for p, key in enumerate(keys):
            if p not in closed:
                worth = worth_of(problem, *listed[key], prices, unit)
                found += worth if p in opened else min(0, worth)
        bounds.append(found)
    return min(bounds)


def of_persons(problem: Statement) -> Listed:
    """Return the patterns that enough persons fit, and that a group may have."""
    pairs = 0

    def kept(begun: Key, _: int, members: list[int]) -> list[int]:
        nonlocal pairs
        many = sum(problem.copies[t] for t in members)
        if many < problem.least or never(problem, begun, members):
            return []
        pairs += len(members)
        if pairs > MOST_PAIRS:
            raise BeyondError("patterns and persons are too many to check")
        return members

    return listed_by(problem, 1, kept)


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


# Bounds for unions of the classes of an earlier release (section "Kind within").

MOST_SETS = 20_000_000  # of a pattern begun and a class

Ways = list[list[Chain]]  # by class and column the nodes above all of its rows


def within_bound(problem: Statement, data: Content) -> int:
    """Return what prices of rows by class prove, times the unit."""
    unit = whole(data["denominator"], 1)
    labels = classes_named(data["classes"], problem.within)
    if len(labels) != problem.n:
        raise RefusalError(f"its classes are not those of {problem.n} rows")
    rows = [count for _, count in sorted(Counter(labels).items())]
    prices = priced(data, len(rows), "classes")
    ways = ways_of(problem, labels, len(rows))
    total, looked = sum(p * w for p, w in zip(prices, rows, strict=True)), 0

    def kept(begun: Key, cost: int, members: list[int]) -> list[int]:
        nonlocal looked
        looked += len(members)
        if looked > MOST_SETS:
            raise BeyondError("patterns and classes are too many to check")
        if sum(rows[c] for c in members) < problem.least:
            return []
        if all(cost >= prices[c] for c in members):
            return []  # it only gets dearer
        nodes = enumerate(begun)
        lower = any(lower_in_common(ways, j, node, members) for j, node in nodes)
        return [] if lower else members

    below = partial(fitting_nodes, problem, ways)
    every = range(len(rows))
    for _, cost, members in reached_by(problem, unit, every, below, kept):
        losses = [(rows[c] * (cost - prices[c]), rows[c]) for c in members]
        total += cheapest_union(losses, problem.least)
    return total


def classes_named(written: object, digest: object) -> list[int]:
    """Return the class of each row, numbered by first rows."""
    labels, known = listed_in(written), 0
    for label in labels:
        if type(label) is not int or not 0 <= label <= known:
            raise RefusalError("its classes are not numbered by their first rows")
        known = max(known, label + 1)
    text = ",".join(map(str, labels)).encode()
    if hashlib.sha256(text).hexdigest() != digest:
        raise RefusalError("its classes are not those that its requirement names")
    return labels


def ways_of(problem: Statement, labels: list[int], classes: int) -> Ways:
    """Return for each class and column the nodes that all of its rows are below."""
    found: Ways = [[] for _ in range(classes)]
    texts: list[list[set[str]]] = [[set() for _ in problem.qi] for _ in range(classes)]
    for label, row in zip(labels, problem.shown, strict=True):
        for column, own in enumerate(texts[label]):
            own.add(row[column])
    for label, columns in enumerate(texts):
        for column, own in enumerate(columns):
            chains = [problem.chains[column][text] for text in own]
            levels = zip(*chains, strict=False)
            common = [a[0] for a in levels if len({node for node, _ in a}) == 1]
            if problem.kept[column]:
                common = common[-1:] if len(own) == 1 else []
            found[label].append(common)
    return found


def fitting_nodes(
    problem: Statement, ways: Ways, column: int, members: list[int]
) -> Below:
    """Visit the nodes of a column that some classes are below."""
    losses: dict[Node, int] = {}
    fits: dict[Node, list[int]] = {}
    for c in members:
        for node, loss in ways[c][column]:
            losses[node] = loss
            fits.setdefault(node, []).append(c)
    for node, some in fits.items():
        yield node, problem.units[column] * losses[node], some


def lower_in_common(ways: Ways, column: int, node: Node, members: list[int]) -> bool:
    """Return whether some classes are all below a lower node than this one."""
    lowest = ways[members[0]][column][-1][0]
    if lowest == node:
        return False
    depth = [node for node, _ in ways[members[0]][column]].index(node) + 1
    below_it = ways[members[0]][column][depth][0]
    return all(
        len(ways[c][column]) > depth and ways[c][column][depth][0] == below_it
        for c in members
    )


def cheapest_union(losses: list[tuple[int, int]], least: int) -> int:
    """Return what the cheapest classes with enough rows together lose, at most 0.

    ``losses`` has (loss, rows). All that lose less than nothing are taken; of the
    others the cheapest that make up for the rows that lack.
    """
    worth = sum(loss for loss, _ in losses if loss < 0)
    lack = least - sum(rows for loss, rows in losses if loss < 0)
    if lack <= 0 or worth == 0:
        return worth
    best: list[int | None] = [0] + [None] * lack
    for loss, rows in losses:
        if loss < 0:
            continue
        for need in range(lack, 0, -1):
            before, here = best[max(0, need - rows)], best[need]
            if before is not None and (here is None or before + loss < here):
                best[need] = before + loss
    last = best[lack]
    return 0 if last is None else min(0, worth + last)
