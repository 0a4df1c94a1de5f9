"""Bounds for releases whose groups are unions: of rows of persons, of given classes."""

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from starmin.instances import Scales, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.verify.certificates.asked import Asked, listed_prices
from starmin.verify.certificates.patterns.batches import Batch
from starmin.verify.certificates.patterns.node_tree import cover
from starmin.verify.certificates.untrusted import (
    ENDLESS,
    LARGEST,
    RefusalError,
    check_keys,
    check_mapping,
    listed,
    numbers,
    walked,
    whole,
)
from starmin.verify.exact import BeyondError, expect_time

_MOST_NODES = 3_000  # of a column


# The patterns that unions of some members may have, column by column.

_MOST_SETS = 8_000_000  # of a pattern begun and a member


@dataclass(eq=False)
class _Begun(Batch):
    """Patterns begun, each with the members that fit; cost is what a row pays."""

    nodes: Ints  # of the first columns, one row a pattern


class _Walk:
    """Visits the patterns of members that are published alike: persons, or classes.

    ``low`` and ``high``, m x d, are the ends of each member in each column, ``counts``
    how many persons or rows it has, of which a pattern has ``least``. The sum over
    columns is taken apart: costs are 0 or more, on top of a base.
    """

    def __init__(
        self, what: str, asked: Asked, low: Ints, high: Ints, counts: Ints, least: int
    ) -> None:
        self.what, self.low, self.high = what, low, high
        self.counts, self.least = counts, least
        table, objective = asked.table, asked.objective
        scales, kept = objective.scales_of(table), objective.kept(table).tolist()
        self.scales = scales.scales
        places = scales.row_positions(table).astype(np.int64)
        # By column its nodes, and what a row pays for each of them.
        self.nodes, self.of_node = list[Ints](), list[Ints]()
        first = cover(scales, places[:1])
        self.base = start = int(objective.node_costs(table, first[None])[0])
        for j, scale in enumerate(self.scales):
            values = np.unique(places[:, j])
            if len(values) > _MOST_NODES:
                raise BeyondError("a column has too many values to check")
            one, other = np.triu_indices(len(values))
            if kept[j]:
                one = other = np.arange(len(values))
            found = np.unique(scale.nodes(values[one], values[other]))
            if len(found) > _MOST_NODES:
                raise BeyondError("a column has too many nodes to check")
            vectors = np.tile(first, (len(found), 1))
            vectors[:, j] = found
            extra = [int(c) - start for c in objective.node_costs(table, vectors)]
            self.base += min(extra)
            if max(extra) - min(extra) >= LARGEST:
                raise BeyondError("its losses are too fine to be checked here")
            self.nodes.append(found)
            self.of_node.append(np.array([e - min(extra) for e in extra], np.int64))

    def patterns(self, most: float = math.inf) -> _Begun:
        """Return them, if on the way to them they have so many members at most."""
        every, none = np.arange(len(self.counts)), np.zeros((1, 0), np.int64)
        begun = _Begun(every, np.full(1, len(every)), np.full(1, self.base), none)
        pairs = len(every)
        for j in range(len(self.nodes)):
            begun = self._extended(begun, j)
            if len(begun.members):
                begun = self._wanted(begun)
            pairs += len(begun.members)
            if pairs > most:
                raise BeyondError(f"patterns and {self.what} are too many to check")
            if len(begun.members) == 0:
                break
        return begun

    def may_pay(self, begun: _Begun) -> Bools:
        """Return which of the patterns may be worth something."""
        return np.ones(len(begun.lengths), bool)

    def _extended(self, begun: _Begun, j: int) -> _Begun:
        """Return patterns with each node of one more column."""
        begins, ends = self.scales[j].spans(self.nodes[j])
        low, high = self.low[begun.members, j], self.high[begun.members, j]
        many, sets, members, pairs = len(begins), [], [], 0
        for node in range(many):
            expect_time()
            some = np.flatnonzero((low >= begins[node]) & (high <= ends[node]))
            sets.append(begun.set_of[some] * many + node)
            members.append(begun.members[some])
            pairs += len(some)
            if pairs > _MOST_SETS:
                raise BeyondError(f"patterns and {self.what} are too many to check")
        keys, member = np.concatenate(sets), np.concatenate(members)
        order = np.argsort(keys, kind="stable")
        found, lengths = np.unique(keys[order], return_counts=True)
        before, node_of = found // many, found % many
        nodes = np.column_stack([begun.nodes[before], self.nodes[j][node_of]])
        paid = begun.cost[before] + self.of_node[j][node_of]
        return _Begun(member[order], lengths, paid, nodes)

    def _wanted(self, begun: _Begun) -> _Begun:
        """Return those that may be worth something, and that a release may have."""
        member, starts = begun.members, begun.starts
        keep = np.add.reduceat(self.counts[member], starts) >= self.least
        keep &= self.may_pay(begun)
        for c in range(begun.nodes.shape[1]):
            low = np.minimum.reduceat(self.low[member, c], starts)
            high = np.maximum.reduceat(self.high[member, c], starts)
            keep &= self.scales[c].nodes(low, high) == begun.nodes[:, c]
        return begun.select(keep[begun.set_of])


# The bound of a tree of prices where all rows of a person are published alike.

PERSONS = "persons"  # the kind of certificate
_MOST_PAIRS = 1_000_000  # of a pattern and a type of persons


@dataclass(frozen=True, eq=False)
class PersonTypes:
    """Persons with the same values and as many rows."""

    places: Ints  # m x d: where their values stand on the scales of the columns
    # rows, persons: by type: how many rows each of them has, and how many they are
    rows: list[int]
    persons: list[int]

    @classmethod
    def of(cls, table: Table, column: str, scales: Scales) -> "PersonTypes":
        """Return the types in canonical order: by their texts, then by their rows.

        Raises RefusalError where rows of a person differ.
        """
        ids = table.grouped([column])
        codes = np.array([table.column(name) for name in table.qi]).T
        first = codes[ids.first]
        if (codes != first[ids.inverse]).any():
            raise RefusalError("rows of a person differ, and cannot be alike")
        texts = [table.dictionary(name) for name in table.qi]
        named: dict[tuple[Any, ...], list[int]] = {}
        for who, (row, many) in enumerate(zip(first, ids.counts, strict=True)):
            key = tuple(texts[j][code] or "" for j, code in enumerate(row))
            named.setdefault((*key, int(many)), []).append(who)
        order = sorted(named)
        some = ids.first[[named[key][0] for key in order]]
        places = scales.row_positions(table)[some]
        many = [key[-1] for key in order]
        return cls(places.astype(np.int64), many, [len(named[key]) for key in order])


def person_tree_bound(asked: Asked, least: int) -> int:
    """Recompute what no release with all rows of a person alike goes below.

    docs/reference/certificate.md has the theorem (section "Kind persons"). The ids are
    the sensitive column of the table, ``least`` is how many of them each group has, and
    the objective says what a row pays. Raises RefusalError where the data are no tree,
    and BeyondError where there are too many patterns.
    """
    asked, data = asked.by_stars(), asked.data
    check_keys(data, "its data", {"denominator", "patterns", "nodes"})
    unit = whole(data["denominator"], "its denominator", 1)
    scales = asked.objective.scales_of(asked.table)
    types = PersonTypes.of(asked.table, asked.table.sensitive[0], scales)
    given = types.places, types.places, np.array(types.persons, np.int64)
    begun = _Walk("persons", asked, *given, least).patterns(_MOST_PAIRS)
    place = {tuple(nodes): p for p, nodes in enumerate(begun.nodes.tolist())}
    costs, sets = begun.cost.tolist(), np.split(begun.members, begun.starts[1:])
    patterns = [
        (unit * cost, some.tolist()) for cost, some in zip(costs, sets, strict=False)
    ]
    named = []
    for stated in listed(data["patterns"], "its patterns"):
        members = numbers(stated, "a type of a pattern", range(len(types.rows)))
        if not members:
            raise RefusalError("a pattern has no type")
        at = place.get(tuple(cover(scales, types.places[members]).tolist()))
        if at is None:
            raise RefusalError("it names a pattern that too few persons fit")
        named.append(at)
    bounds, none = list[int](), frozenset[int]()
    ahead = [(none, none)]
    for (closed, opened), node in walked(ahead, listed(data["nodes"], "its nodes")):
        content = check_mapping(node, "a node")
        if set(content) == {"split"}:
            p = named[numbers([content["split"]], "a split", range(len(named)))[0]]
            ahead += [(closed, opened | {p}), (closed | {p}, opened)]
            continue
        check_keys(content, "a node", {"prices"})
        prices = listed_prices(content["prices"], len(types.rows), ENDLESS)
        if closed & opened:
            continue
        total = sum(p * m for p, m in zip(prices, types.persons, strict=True))
        for p, pattern in enumerate(patterns):
            if p not in closed:
                worth = _worth(types, *pattern, prices, least)
                total += worth if p in opened else min(0, worth)
        bounds.append(total)
    return max(0, -(-min(bounds) // unit))


def _worth(
    types: PersonTypes, cost: int, members: list[int], prices: list[int], least: int
) -> int:
    """Return what the cheapest persons are worth who can be published as a pattern.

    A row pays ``cost`` there, in the unit of the prices.
    """
    worth, left = 0, least
    for loss, t in sorted((cost * types.rows[t] - prices[t], t) for t in members):
        if loss >= 0 and left <= 0:
            break
        some = types.persons[t] if loss < 0 else min(left, types.persons[t])
        worth, left = worth + loss * some, left - some
    return worth


# The bound of prices for releases whose classes are unions of given ones.

WITHIN = "within"  # the kind of certificate, and the entry of its requirement


def within_bound(asked: Asked, digest: object) -> int:
    """Recompute what no release goes below whose classes are unions of given ones.

    docs/reference/certificate.md has the theorem (section "Kind within"). A pattern
    need not be looked at where no class costs less than its price.

    The rows of the original are in the order of the earlier release. ``digest`` is that
    of the classes, as the requirement states it; each class has the greatest number of
    rows that is asked for, and the objective says what a row pays. Raises RefusalError
    where the data are none, or of other classes, and BeyondError where there are too
    many patterns.
    """
    data, table = asked.data, asked.table
    if asked.objective.once:
        raise RefusalError("a proof of this kind is for stars and gcp only")
    check_keys(data, "its data", {"denominator", "classes", "prices"})
    unit = whole(data["denominator"], "its denominator", 1)
    labels = _labels(data["classes"], table.n, digest)
    prices = listed_prices(data["prices"], int(labels.max()) + 1, LARGEST)
    unions = _Unions(asked, labels, prices, unit)
    most = unit * unions.most_paid + max(map(abs, prices))
    if most * table.n >= LARGEST:  # sums of one pattern, and of rows times prices
        raise RefusalError("its prices or its denominator are too large to be added up")
    total = sum(int(w) * p for w, p in zip(unions.counts, prices, strict=True))
    return max(0, -(-(total + unions.worth()) // unit))


def _labels(written: object, n: int, digest: object) -> Int32s:
    """Read the class of each row."""
    numbers = listed(written, "its classes")
    if len(numbers) != n:
        raise RefusalError(f"its classes are not those of {n} rows")
    known = 0
    for number in numbers:
        if type(number) is not int or not 0 <= number <= known:
            raise RefusalError("its classes are not numbered by their first rows")
        known = max(known, number + 1)
    text = ",".join(map(str, numbers)).encode()
    if hashlib.sha256(text).hexdigest() != digest:
        raise RefusalError("its classes are not those that its requirement names")
    return np.array(numbers, np.int32)


class _Unions(_Walk):
    """Unions of given classes."""

    def __init__(
        self, asked: Asked, labels: Int32s, prices: list[int], unit: int
    ) -> None:
        self.prices, self.unit = np.array(prices, np.int64), unit
        scales = asked.objective.scales_of(asked.table)
        order = np.argsort(labels, kind="stable")
        starts = np.searchsorted(labels[order], np.arange(len(prices)))
        places = scales.row_positions(asked.table)[order].astype(np.int64)
        low = np.minimum.reduceat(places, starts, axis=0)
        high = np.maximum.reduceat(places, starts, axis=0)
        least = max(asked.k, asked.l, asked.distinct)
        super().__init__("classes", asked, low, high, np.bincount(labels), least)

    @property
    def most_paid(self) -> int:
        """What a row pays at most."""
        return self.base + sum(int(each.max()) for each in self.of_node)

    def may_pay(self, begun: _Begun) -> Bools:
        dearest = np.maximum.reduceat(self.prices[begun.members], begun.starts)
        return np.asarray(self.unit * begun.cost < dearest)

    def worth(self) -> int:
        """Return what all patterns together are worth, each 0 or less, by the unit."""
        begun = self.patterns()
        if len(begun.members) == 0:
            return 0
        starts = begun.starts
        rows, prices = self.counts[begun.members], self.prices[begun.members]
        loss = rows * (self.unit * begun.cost[begun.set_of] - prices)
        gain = np.add.reduceat(np.minimum(loss, 0), starts).tolist()
        taken = np.add.reduceat(np.where(loss < 0, rows, 0), starts).tolist()
        total = 0
        for p, (start, length) in enumerate(zip(starts, begun.lengths, strict=True)):
            lack = self.least - taken[p]
            if lack <= 0:
                total += gain[p]
                continue
            some = slice(start, start + length)
            others = loss[some] >= 0
            given = rows[some][others].tolist(), loss[some][others].tolist()
            made_up = _cover(*given, lack)
            if made_up is not None:
                total += min(0, gain[p] + made_up)
        return total


def _cover(sizes: list[int], losses: list[int], lack: int) -> int | None:
    """Return the least loss of some classes with so many rows together, or None."""
    best: list[int | None] = [0] + [None] * lack
    for size, loss in zip(sizes, losses, strict=True):
        for rows in range(lack, 0, -1):
            before = best[max(0, rows - size)]
            here = best[rows]
            if before is not None and (here is None or before + loss < here):
                best[rows] = before + loss
    return best[lack]
