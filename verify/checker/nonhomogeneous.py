"""Bound releases whose rows are not in groups, by prices or a tree of stars."""

from functools import partial
from itertools import islice

from starmin.verify.checker.patterns import Below, nodes_below, reached_by
from starmin.verify.checker.reading import (
    STAR,
    BeyondError,
    Content,
    Key,
    RefusalError,
    changes,
    listed_in,
    numbers,
    pair,
    walked,
    whole,
)
from starmin.verify.checker.statement import Statement

# What prices prove of releases whose rows are not in groups.


def nonhomogeneous_price_bound(problem: Statement, data: Content) -> int:
    """Return what no such release costs less than, in units of 1/denominator.

    Some release of least cost has each row matched to itself. There row j pays for its
    nodes, and its k - 1 other originals earn it their prices; each original is in k - 1
    of these sets. What is left to a row is the least over all nodes that it fits. For
    losses it is stated (``least``), and lowered where some nodes leave less.
    """
    unit, prices = problem.priced_in(data)
    kept = [column for column, kept in enumerate(problem.kept) if kept]
    rows = dict[tuple[str, ...], int]()
    for type_, copies in zip(problem.types, problem.copies, strict=True):
        key = tuple(type_[column] for column in kept)
        rows[key] = rows.get(key, 0) + copies
    if min(rows.values()) < problem.k:
        raise RefusalError("some row has fewer than k rows it can be matched to")
    left: list[int | None] = [None] * len(prices)
    if "least" in data:
        left = [whole(each, None) for each in listed_in(data["least"])]
        if len(left) != len(prices):
            raise RefusalError("what is left to the types is not stated of each")
    lower(problem, unit, prices, left)
    total = 0
    for price, copies, least in zip(prices, problem.copies, left, strict=True):
        if least is None:
            raise RefusalError("some row has fewer than k rows it can be matched to")
        total += copies * ((problem.k - 1) * price + least)
    return total


def lower(
    problem: Statement, unit: int, prices: list[int], left: list[int | None]
) -> None:
    """Lower what is left to each type to what it has in some nodes, column by column.

    Nodes chosen later cost more, and fewer types fit them: so where no type has less
    than is stated, none has further on.
    """

    def lowered(cost: int, members: list[int]) -> list[tuple[int, int]]:
        here = left_to(problem, cost, members, prices)
        stated = [left[t] for t, _ in here]
        return [a for a, b in zip(here, stated, strict=True) if b is None or a[1] < b]

    def kept(_: Key, cost: int, members: list[int]) -> list[int]:
        return members if lowered(cost, members) else []

    order = sorted(range(len(prices)), key=lambda t: -prices[t])
    below = partial(published, problem)
    for _, cost, members in reached_by(problem, unit, order, below, kept):
        for t, least in lowered(cost, members):
            left[t] = least


def left_to(
    problem: Statement, cost: int, members: list[int], prices: list[int]
) -> list[tuple[int, int]]:
    """Return what a cost less the k - 1 dearest others leaves to each type.

    Nothing where there are fewer than k rows. ``members`` are the dearest first.
    """
    taken, total, last = 0, 0, 0
    for t in members:
        take = min(problem.copies[t], problem.k - taken)
        if take <= 0:
            break
        taken, total, last = taken + take, total + take * prices[t], prices[t]
    if taken < problem.k:
        return []
    # Of the k dearest leave out the type itself or, if it is not there, the last.
    return [(t, cost - total + max(prices[t], last)) for t in members]


def published(problem: Statement, column: int, members: list[int]) -> Below:
    """Visit what types can be published as in a column; ranges have no node."""
    line, unit = problem.lines[column], problem.units[column]
    if line is None:
        yield from nodes_below(problem, column, members)
        return
    at = {t: line.places[problem.types[t][column]] for t in members}
    held = sorted(set(at.values()))
    if not problem.kept[column]:
        yield STAR, unit * line.whole, members
    for first, low in enumerate(held):
        for high in held[first:]:
            if high > line.reach[low] or (problem.kept[column] and high > low):
                break
            some = [t for t in members if low <= at[t] <= high]
            yield STAR, unit * line.loss(low, high), some


# What a tree of starred cells proves (section "Kind nonhomogeneous_tree").

MOST_CELLS = 2**26  # pairs of rows, times sets of starred columns


def nonhomogeneous_tree_bound(problem: Statement, data: Content) -> int:
    """Return the least bound of a leaf, in units of 1/denominator."""
    cells = Cells(problem, whole(data["denominator"], 1))
    n, d = problem.n, len(problem.qi)
    ahead, bounds = [([0] * n, [0] * n, [cells.free] * n)], []
    for (prices, must, may), node in walked(ahead, data["nodes"], {"prices", "split"}):
        new = changes(node.get("prices", []), range(n), None)
        prices = [new.get(row, price) for row, price in enumerate(prices)]
        if "split" not in node:
            bounds.append(cells.bound(prices, must, may))
            continue
        row, column = pair(node["split"])
        numbers([row], range(n))
        numbers([column], range(d))
        bit = 1 << column
        if not cells.free & bit:
            raise RefusalError("a split names a column that is never starred")
        starred, unstarred = list(must), list(may)
        starred[row] |= bit
        unstarred[row] &= ~bit
        ahead += [(prices, starred, may), (prices, must, unstarred)]
    proven = [bound for bound in bounds if bound is not None]
    if not proven:
        raise RefusalError("no release agrees with any of its leaves")
    return min(proven)


class Cells:
    """Which originals each released row may have, by its starred columns as bits."""

    def __init__(self, problem: Statement, unit: int) -> None:
        self.k, self.n, self.expect_time = problem.k, problem.n, problem.expect_time
        columns = range(len(problem.qi))
        if self.n**2 << problem.kept.count(False) > MOST_CELLS:
            raise BeyondError("too many rows and columns for a tree of cells")
        self.types = [
            t for t, copies in enumerate(problem.copies) for _ in range(copies)
        ]
        self.free = sum(1 << j for j in columns if not problem.kept[j])
        costs = {0: 0}
        for j in columns:
            if not problem.kept[j]:
                more = unit * problem.units[j]
                costs |= {s | 1 << j: c + more for s, c in costs.items()}
        self.costs = sorted(costs.items(), key=lambda each: each[1])
        self.differ = [
            [
                sum(1 << j for j in columns if type_[j] != other[j])
                for other in problem.types
            ]
            for type_ in problem.types
        ]

    def bound(self, prices: list[int], must: list[int], may: list[int]) -> int | None:
        """Return what a leaf proves; None if no release agrees with it."""
        dearest = sorted(range(self.n), key=lambda i: -prices[i])
        most = sum(prices[i] for i in dearest[: self.k - 1])
        total: int = (self.k - 1) * sum(prices)
        fitting = dict[tuple[int, int], list[int]]()
        for j, own in enumerate(self.types):
            self.expect_time()
            least = None
            for starred, cost in self.costs:
                if least is not None and cost - most >= least:
                    break  # those that follow cost as much, and none earns more
                if must[j] & ~starred or starred & ~may[j]:
                    continue
                if (own, starred) not in fitting:
                    fitting[own, starred] = self.fitting(dearest, own, starred)
                others = [i for i in fitting[own, starred] if i != j][: self.k - 1]
                if len(others) == self.k - 1:
                    worth = cost - sum(prices[i] for i in others)
                    least = worth if least is None else min(least, worth)
            if least is None:
                return None
            total += least
        return total

    def fitting(self, dearest: list[int], own: int, starred: int) -> list[int]:
        """Return the k dearest originals that agree with a type but where starred."""
        differ = self.differ[own]
        fit = (i for i in dearest if not differ[self.types[i]] & ~starred)
        return list(islice(fit, self.k))
