"""The bound of prices for releases whose classes are unions of given ones."""

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from starmin.instances import Objective, Scales, Table
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.scales.scale import Scale
from starmin.verify.certificates.untrusted import (
    LARGEST,
    RefusalError,
    check_keys,
    listed,
    whole,
)
from starmin.verify.exact import BeyondError, expect_time

WITHIN = "within"  # the kind of certificate, and the entry of its requirement
_MOST_PAIRS = 8_000_000  # of a pattern begun and a class
_MOST_NODES = 3_000  # of a column


class _Classes(NamedTuple):
    """The given classes: the ends of their rows by column, their rows, their prices."""

    low: Ints
    high: Ints
    rows: Ints
    prices: Ints


def within_bound(
    data: Mapping[str, Any],
    table: Table,
    digest: object,
    least: int,
    objective: Objective,
) -> int:
    r"""Recompute what no release goes below whose classes are unions of given ones.

    With any prices :math:`\pi_c` of the :math:`w_c` rows of class c it costs at least

    .. math::
        \sum_c w_c \pi_c + \sum_p \min(0, v_p), \qquad
        v_p = \min_S \sum_{c \in S} w_c (cost_p - \pi_c)

    over sets S of classes that fit the pattern p and have K rows together: each class
    of a release is such a set, and no two are published as the same pattern. A pattern
    need not be looked at where no class costs less than its price, where too few rows
    fit, or where all who fit have a lower node in common.

    The ``data`` have ``denominator``, ``classes`` (the class of each row, in the order
    of the table, numbered by first rows) and ``prices`` (of a row, by class). The rows
    of the original are in the order of the earlier release. ``digest`` is that of the
    classes, as the requirement states it; ``least`` is K, and ``objective`` says what a
    row pays. Raises RefusalError where the data are none, or of other classes, and
    BeyondError where there are too many patterns.
    """
    check_keys(data, "its data", {"denominator", "classes", "prices"}, set())
    unit = whole(data["denominator"], "its denominator", 1)
    labels = _labels(data["classes"], table.n, digest)
    written = listed(data["prices"], "its prices")
    if len(written) != labels.max() + 1:
        raise RefusalError("its prices are not as many as its classes")
    prices = [whole(price, "a price", -LARGEST) for price in written]
    scales = objective.scales_of(table)
    costs = _Costs.of(table, objective, scales)
    most = unit * costs.most + max(map(abs, prices))
    if most * table.n >= LARGEST:  # sums of one pattern, and of rows times prices
        raise RefusalError("its prices or its denominator are too large to be added up")
    classes = _classes(table, scales, labels, prices)
    total = sum(int(w) * p for w, p in zip(classes.rows, prices, strict=True))
    total += _worth(classes, costs, scales, least, unit)
    return max(0, -(-total // unit))


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


def _classes(
    table: Table, scales: Scales, labels: Int32s, prices: list[int]
) -> _Classes:
    """Return the ends of the rows of each class."""
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(len(prices)))
    places = scales.row_positions(table)[order].astype(np.int64)
    low = np.minimum.reduceat(places, starts, axis=0)
    high = np.maximum.reduceat(places, starts, axis=0)
    return _Classes(low, high, np.bincount(labels), np.array(prices, np.int64))


class _Costs(NamedTuple):
    """What a row pays for the nodes of each column, and in all, at most."""

    nodes: list[Ints]
    of_node: list[Ints]
    base: int
    most: int

    @classmethod
    def of(cls, table: Table, objective: Objective, scales: Scales) -> "_Costs":
        """Take the sum over columns apart: costs are 0 or more, on top of a base."""
        places = scales.row_positions(table).astype(np.int64)
        kept = objective.kept(table)
        first = np.array(
            [
                int(scale.nodes(places[:1, j], places[:1, j])[0])
                for j, scale in enumerate(scales.scales)
            ],
            np.int64,
        )
        start = int(objective.node_costs(table, first[None])[0])
        nodes, paid, base = [], [], start
        for j, scale in enumerate(scales.scales):
            if len(np.unique(places[:, j])) > _MOST_NODES:
                raise BeyondError("a column has too many values to check")
            found = nodes_between(places[:, j], scale, bool(kept[j]), _MOST_NODES)
            vectors = np.tile(first, (len(found), 1))
            vectors[:, j] = found
            extra = [int(c) - start for c in objective.node_costs(table, vectors)]
            base += min(extra)
            if max(extra) - min(extra) >= LARGEST:
                raise BeyondError("its losses are too fine to be checked here")
            nodes.append(found)
            paid.append(np.array([e - min(extra) for e in extra], np.int64))
        return cls(nodes, paid, base, base + sum(int(each.max()) for each in paid))


def nodes_between(places: Ints, scale: Scale, kept: bool, most: int) -> Ints:
    """Return the nodes of a column that some rows may be published as."""
    values = np.unique(places)
    one, other = np.triu_indices(len(values))
    if kept:
        one = other = np.arange(len(values))
    found = np.unique(scale.nodes(values[one], values[other]))
    if len(found) > most:
        raise BeyondError("a column has too many nodes to check")
    return found


def _worth(
    classes: _Classes, costs: _Costs, scales: Scales, least: int, unit: int
) -> int:
    """Return what all patterns together are worth, each 0 or less, times the unit."""
    sets = _Sets.first(classes, costs)
    for j in range(len(costs.nodes)):
        expect_time()
        sets = sets.extended(classes, costs, scales, j)
        if len(sets.member) == 0:
            return 0
        sets = sets.wanted(classes, scales, least, unit)
        if len(sets.member) == 0:
            return 0
    member, starts = sets.member, sets.starts
    rows, prices = classes.rows[member], classes.prices[member]
    loss = rows * (unit * np.repeat(sets.paid, sets.lengths) - prices)
    gain = np.add.reduceat(np.minimum(loss, 0), starts).tolist()
    taken = np.add.reduceat(np.where(loss < 0, rows, 0), starts).tolist()
    total = 0
    for p, (start, length) in enumerate(zip(starts, sets.lengths, strict=True)):
        lack = least - taken[p]
        if lack <= 0:
            total += gain[p]
            continue
        some = slice(start, start + length)
        others = loss[some] >= 0
        given = rows[some][others].tolist(), loss[some][others].tolist()
        cover = _cover(*given, lack)
        if cover is not None:
            total += min(0, gain[p] + cover)
    return total


class _Sets(NamedTuple):
    """Patterns begun, each with the classes that fit, one after the other."""

    nodes: Ints  # of the first columns
    paid: Ints  # of a row, at least
    member: Ints  # the classes that fit, by pattern
    lengths: Ints  # how many they are

    @classmethod
    def first(cls, classes: _Classes, costs: _Costs) -> "_Sets":
        """Return the one that has no column yet."""
        every = np.arange(len(classes.rows))
        none = np.zeros((1, 0), np.int64)
        return cls(none, np.full(1, costs.base), every, np.full(1, len(every)))

    @property
    def starts(self) -> Ints:
        """Where the classes of each pattern begin."""
        return np.asarray(np.cumsum(self.lengths) - self.lengths, np.int64)

    def extended(
        self, classes: _Classes, costs: _Costs, scales: Scales, j: int
    ) -> "_Sets":
        """Return them with each node of one more column."""
        begins, ends = scales.scales[j].spans(costs.nodes[j])
        of_set = np.repeat(np.arange(len(self.lengths)), self.lengths)
        low, high = classes.low[self.member, j], classes.high[self.member, j]
        many, sets, members, pairs = len(begins), [], [], 0
        for node in range(many):
            some = np.flatnonzero((low >= begins[node]) & (high <= ends[node]))
            sets.append(of_set[some] * many + node)
            members.append(self.member[some])
            pairs += len(some)
            if pairs > _MOST_PAIRS:
                raise BeyondError("patterns and classes are too many to check")
        keys, member = np.concatenate(sets), np.concatenate(members)
        order = np.argsort(keys, kind="stable")
        found, lengths = np.unique(keys[order], return_counts=True)
        before, node_of = found // many, found % many
        nodes = np.column_stack([self.nodes[before], costs.nodes[j][node_of]])
        paid = self.paid[before] + costs.of_node[j][node_of]
        return _Sets(nodes, paid, member[order], lengths)

    def wanted(
        self, classes: _Classes, scales: Scales, least: int, unit: int
    ) -> "_Sets":
        """Return those that may be worth something, and that a release may have."""
        member, starts = self.member, self.starts
        keep = np.add.reduceat(classes.rows[member], starts) >= least
        keep &= unit * self.paid < np.maximum.reduceat(classes.prices[member], starts)
        for c in range(self.nodes.shape[1]):
            low = np.minimum.reduceat(classes.low[member, c], starts)
            high = np.maximum.reduceat(classes.high[member, c], starts)
            keep &= scales.scales[c].nodes(low, high) == self.nodes[:, c]
        chosen = np.repeat(keep, self.lengths)
        return _Sets(
            self.nodes[keep], self.paid[keep], member[chosen], self.lengths[keep]
        )


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
