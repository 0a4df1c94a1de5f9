"""Bound releases whose groups are unions: of rows of persons, of given classes."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

from starmin.verify.checker.box_pieces import NEVER
from starmin.verify.checker.patterns import Below, Listed, cheapest, reached_by
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

# Nodes of columns as spans of places, and the patterns of members: persons, or classes.

MOST_NODES = 3_000  # of a column
Span = tuple[int, int]  # first and last place: of a range, of what is below a node


class SpannedColumn:
    """What a row pays for each node of a column, by the places that it spans.

    Of several nodes above the same values no release has any but the lowest.
    """

    def __init__(self, problem: Statement, column: int) -> None:
        self.losses = dict[Span, int]()
        self.kept, unit = problem.kept[column], problem.units[column]
        line = self.line = problem.lines[column]
        if line is None:
            self.places = self._add_nodes(problem.chains[column], unit)
        else:
            self.places, last = line.places, len(line.reach) - 1
            for low, reach in enumerate(line.reach):
                for high in range(low, (low if self.kept else reach) + 1):
                    self.losses[low, high] = unit * line.loss(low, high)
                    self._expect_few()
            if not self.kept and line.reach[0] < last:
                self.losses[0, last] = unit * line.whole
        self._expect_few()
        self.by_length = sorted(self.losses, key=lambda span: span[1] - span[0])
        self.smallest = cache(self._smallest)

    def _expect_few(self) -> None:
        if len(self.losses) > MOST_NODES:
            raise BeyondError("a column has too many nodes to check")

    def _add_nodes(self, chains: dict[str, Chain], unit: int) -> dict[str, int]:
        """Add the nodes of a tree; return the places of its values."""
        order = sorted(
            chains, key=lambda text: [repr(node) for node, _ in chains[text]]
        )
        found: dict[Node, tuple[int, int, int, int]] = {}  # depth, first, last, loss
        for place, text in enumerate(order):
            for depth, (node, loss) in enumerate(chains[text]):
                if loss < NEVER and (not self.kept or depth == len(chains[text]) - 1):
                    _, first, *_ = found.get(node, (depth, place))
                    found[node] = depth, first, place, unit * loss
        for _, first, last, loss in sorted(found.values()):
            self.losses[first, last] = loss
        return {text: place for place, text in enumerate(order)}

    def _smallest(self, low: int, high: int) -> Span | None:
        """Return the lowest node above two places, if there is one."""
        for first, last in self.by_length:
            if first <= low and high <= last:
                return first, last
        return None

    def above(self, lows: set[int], highs: set[int]) -> set[Span]:
        """Return the nodes that members with such ends may be published as."""
        if self.line is None:
            return {*self.losses}
        pairs = ((low, high) for low in lows for high in highs if low <= high)
        found = {self.smallest(low, high) for low, high in pairs}
        return {span for span in found if span is not None}


class Members:
    """Persons or classes by their ends in each column, and their patterns."""

    def __init__(self, problem: Statement, rows: list[list[tuple[str, ...]]]) -> None:
        every = range(len(problem.qi))
        self.problem, self.many = problem, len(rows)
        self.columns = [SpannedColumn(problem, j) for j in every]
        # By column and member: its first and last place.
        self.low, self.high = list[list[int]](), list[list[int]]()
        for j, column in enumerate(self.columns):
            placed = [{column.places[row[j]] for row in own} for own in rows]
            self.low.append([*map(min, placed)])
            self.high.append([*map(max, placed)])

    def cover(self, members: list[int]) -> Key:
        """Return the smallest pattern that these members fit, where there is one."""
        return tuple(self._lowest(j, members) for j in range(len(self.columns)))

    def _lowest(self, column: int, members: list[int]) -> Span | None:
        low = min(map(self.low[column].__getitem__, members))
        high = max(map(self.high[column].__getitem__, members))
        return self.columns[column].smallest(low, high)

    def patterns(
        self, unit: int, wanted: Callable[[int, list[int]], bool]
    ) -> Iterator[tuple[Key, int, list[int]]]:
        """Visit the patterns that members have, if those that fit are ``wanted``."""

        def kept(begun: Key, cost: int, members: list[int]) -> list[int]:
            self.problem.expect_time()
            if not members or not wanted(cost, members):
                return []
            lowest = (self._lowest(j, members) == span for j, span in enumerate(begun))
            return members if all(lowest) else []

        return reached_by(self.problem, unit, range(self.many), self._below, kept)

    def _below(self, column: int, members: list[int]) -> Below:
        """Visit the nodes of a column that some members are below."""
        one, low, high = self.columns[column], self.low[column], self.high[column]
        ends = {low[c] for c in members}, {high[c] for c in members}
        for first, last in one.above(*ends):
            some = [c for c in members if first <= low[c] and high[c] <= last]
            yield (first, last), one.losses[first, last], some


# Bounds where all rows of a person are published alike (section "Kind persons").

MOST_PAIRS = 1_000_000  # of a pattern and a type of persons


def person_bound(problem: Statement, data: Content) -> int:
    """Return what the leaves of a tree of prices prove together, times the unit."""
    unit, every = whole(data["denominator"], 1), range(len(problem.types))
    members = Members(problem, [[type_] for type_ in problem.types])
    listed = of_persons(problem, members)
    keys = list(listed)
    place = {key: p for p, key in enumerate(keys)}
    named = list[int]()
    for stated in listed_in(data["patterns"]):
        some = numbers(stated, every)
        at = place.get(members.cover(some)) if some else None
        if at is None:
            raise RefusalError("it names a pattern that too few persons fit")
        named.append(at)
    none, bounds = frozenset[int](), list[int]()
    ahead = [(none, none)]
    for (closed, opened), node in walked(ahead, data["nodes"], {"prices", "split"}):
        if set(node) == {"split"}:
            (p,) = numbers([node["split"]], named)
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


def of_persons(problem: Statement, members: Members) -> Listed:
    """Return the patterns that enough persons fit, and that a group may have."""
    pairs = 0

    def wanted(_: int, some: list[int]) -> bool:
        nonlocal pairs
        if sum(problem.copies[t] for t in some) < problem.least:
            return False
        pairs += len(some)
        if pairs > MOST_PAIRS:
            raise BeyondError("patterns and persons are too many to check")
        return True

    found = members.patterns(1, wanted)
    return {key: (cost, some) for key, cost, some in found}


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


def within_bound(problem: Statement, data: Content) -> int:
    """Return what prices of rows by class prove, times the unit."""
    unit = whole(data["denominator"], 1)
    labels = classes_named(data["classes"], problem.within)
    if len(labels) != problem.n:
        raise RefusalError(f"its classes are not those of {problem.n} rows")
    rows = [count for _, count in sorted(Counter(labels).items())]
    prices = priced(data, len(rows), "classes")
    own: list[list[tuple[str, ...]]] = [[] for _ in rows]
    for label, row in zip(labels, problem.shown, strict=True):
        own[label].append(row)
    total, looked = sum(p * w for p, w in zip(prices, rows, strict=True)), 0

    def wanted(cost: int, members: list[int]) -> bool:
        nonlocal looked
        looked += len(members)
        if looked > MOST_SETS:
            raise BeyondError("patterns and classes are too many to check")
        # It only gets dearer.
        few = sum(rows[c] for c in members) < problem.least
        return not few and any(cost < prices[c] for c in members)

    for _, cost, members in Members(problem, own).patterns(unit, wanted):
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
