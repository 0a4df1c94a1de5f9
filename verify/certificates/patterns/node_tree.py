"""Vectors of nodes that can lower a price bound, found column by column."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Scale
from starmin.verify.beyond import BeyondError, expect_time
from starmin.verify.certificates.patterns.batches import NodeBatch, Waiting
from starmin.verify.certificates.patterns.fills import Fills
from starmin.verify.certificates.patterns.nodes_above import ancestors, barred

MAX_WORK = 20_000_000_000  # types looked at, before a check is given up
_FREE = -1


class NodeWalk:
    """Walks from the set of all types to the patterns, one column after the other.

    In a column the walk goes from the root down, or narrows ranges: from below, then
    from above, so that none is met twice. Missing values are apart from numbers: with
    anything else they are published as the whole column.

    Types are by QI, or by QI and sensitive values if l > 1; the objective is gcp. Their
    ``prices`` are in the unit 1/``denominator`` of the objective's; ``sensitive`` says
    which sensitive column's diversity counts. Why what is left out may be left out says
    ``starmin.verify.certificates.prices.node_prices.node_price_bound``.
    """

    def __init__(
        self,
        table: Table,
        types: RowTypes,
        objective: Objective,
        prices: Ints,
        denominator: int,
        k: int,
        l: int,
        sensitive: int,
    ) -> None:
        order = np.argsort(-prices, kind="stable")
        self.order = order
        scales, kept = objective.scales_of(table), objective.kept(table)
        self.scales, self.kept = scales.scales, kept.tolist()
        self.units = [denominator * unit for unit in objective.units(table)]
        positions = scales.positions(types.codes[order])
        self.positions = np.ascontiguousarray(positions.T, np.int64)
        self.above = [ancestors(scale) for scale in self.scales]
        self.barred = [barred(scale) for scale in self.scales]
        values = np.ascontiguousarray(types.sensitive[order].T)
        self.prices, self.counts = prices[order], types.counts[order]
        self.fills = Fills(self.prices, self.counts, values, k, l, sensitive)
        # Few groups first, so that large losses come early.
        groups = [len(set(p.tolist())) for p in self.positions]
        self.columns = np.argsort(groups, kind="stable")
        self.work = 0

    def total(self) -> int:
        """Return the sum of the negative values of the best fills of all patterns."""
        return sum(
            sum(np.minimum(self.fills.worth(batch), 0).tolist())
            for batch in self.patterns()
        )

    def patterns(self, slack: int = 0) -> Iterator[NodeBatch]:
        """Visit all patterns whose value may be below ``slack``, in batches.

        Types that are in no fill of such a value are left out of a pattern.
        """
        m, d = len(self.prices), len(self.scales)
        one = np.zeros(1, np.int64)
        every = NodeBatch(
            *(np.arange(m), np.array([m]), one, np.zeros((1, d), np.int64)),
            np.full(1, _FREE),
        )
        waiting = Waiting()
        waiting.add(0, 0, every)
        while waiting.batches:
            place, depth, batch = waiting.pop()
            batch = self._prune(batch, place, slack)
            if len(batch.lengths) == 0:
                continue
            if place == d:
                batch = self.fills.settled(
                    batch, slack, lambda some: self._prune(some, d, slack)
                )
                if len(batch.lengths):
                    yield batch
                continue
            self.work += len(batch.members)
            expect_time()
            if self.work > MAX_WORK:
                raise BeyondError(
                    "patterns that can lower the bound are too many to check"
                )
            column = int(self.columns[place])
            if isinstance(scale := self.scales[column], NumericScale):
                chosen, below = self._ranges(batch, column, scale, depth == 0, slack)
                depth = 0  # ranges of any width are narrowed alike
            else:
                chosen, below = self._nodes(batch, column, depth)
            for part in below:
                waiting.add(place, depth + 1, part)
            waiting.add(place + 1, 0, chosen)

    def _nodes(
        self, batch: NodeBatch, column: int, depth: int
    ) -> tuple[NodeBatch, Iterator[NodeBatch]]:
        """Return the sets with a node chosen at this depth, and those at the next."""
        scale, positions = self.scales[column], self.positions[column]
        above = self.above[column]
        own = positions[batch.members]
        low, high = batch.ends(self.positions[column])
        node = above[min(depth, len(above) - 1)][own[batch.starts]]
        closed = self._lowest(scale, low, high) == node
        chosen = self._publish(batch, column, low, high, closed)
        inner = node >= scale.size
        if not inner.any():
            return chosen, iter(())
        batch = batch.keep(inner)
        return chosen, iter((batch.divide(above[depth + 1][positions[batch.members]]),))

    def _dearest(self, batch: NodeBatch) -> Ints:
        """Return how many copies of members are among the dearest that make a group."""
        copies = self.counts[batch.members]
        before = np.cumsum(copies) - copies
        before -= np.repeat(before[batch.starts], batch.lengths)
        return np.asarray(np.clip(self.fills.least - before, 0, copies))

    def _most_paid(self, batch: NodeBatch, slack: int) -> Ints:
        """Return what nodes of a set may cost k rows at most, in a fill below slack.

        A fill has k rows or more, which are worth no more each than the k dearest are
        on average. With a slack below 0 that is said of 0 only: more rows share it.
        """
        worth = self.prices[batch.members] - batch.cost[batch.set_of]
        paid = np.add.reduceat(self._dearest(batch) * worth, batch.starts)
        return np.asarray(paid + max(slack, 0))

    def _ranges(
        self,
        batch: NodeBatch,
        column: int,
        scale: NumericScale,
        is_all: bool,
        slack: int,
    ) -> tuple[NodeBatch, Iterator[NodeBatch]]:
        """Return the sets with their range chosen, and those with narrower ones.

        A range that is hidden is published as all of the column, and only where no
        larger one was. Below a set with missing values and others are each of these,
        and the numbers. What is narrowed from above begins where k rows can pay.
        """
        low, high = batch.ends(self.positions[column])
        met = (batch.fixed == _FREE) | (batch.fixed == low)
        batch, low, high = batch.keep(met), low[met], high[met]
        shown = is_all | ~scale.hidden(low, high)
        chosen = self._publish(batch, column, low, high, shown)
        own, missing = self.positions[column][batch.members], len(scale.missing)
        mixed = (low < missing) & (low < high)  # of missing values with others
        wide = (low < high) & ~mixed
        free = wide & (batch.fixed == _FREE)
        from_below = batch.select(free[batch.set_of] & (own > low[batch.set_of]))
        held = replace(batch, fixed=low)
        least = self.units[column] * scale.extents(low[batch.set_of], own)
        most = self._most_paid(batch, slack)[batch.set_of]
        near = self.fills.least * least < most
        from_above = held.select(wide[batch.set_of] & (own < high[batch.set_of]) & near)
        parts = [from_below, from_above]
        if mixed.any():
            of_mixed = batch.keep(mixed)
            places = self.positions[column][of_mixed.members]
            parts.append(of_mixed.divide(np.minimum(places, missing)))
        return chosen, iter(parts)

    def _publish(
        self, batch: NodeBatch, column: int, low: Ints, high: Ints, allowed: Bools
    ) -> NodeBatch:
        """Publish the allowed sets as the smallest nodes that cover these ends."""
        scale, nodes = self.scales[column], batch.nodes.copy()
        nodes[:, column] = scale.nodes(low, high)
        paid = batch.cost + self.units[column] * scale.extents(low, high)
        allowed &= (low == high) | (not self.kept[column])
        if (barred := self.barred[column]) is not None:
            allowed &= (low == high) | ~barred[self._lowest(scale, low, high)]
        chosen = replace(batch, cost=paid, nodes=nodes, fixed=np.full(len(low), _FREE))
        return chosen.keep(allowed)

    @staticmethod
    def _lowest(scale: Scale, low: Ints, high: Ints) -> Ints:
        nodes = scale.nodes(low, high)
        return np.where(nodes < 0, scale.size - 1 - nodes, nodes)

    def _prune(self, batch: NodeBatch, place: int, slack: int) -> NodeBatch:
        """Drop the types in no fill worth less than ``slack``, then empty sets."""
        if len(batch.lengths):
            batch = self.fills.prune(batch, slack)
        if len(batch.lengths) == 0:
            return batch
        good = self.fills.diverse(batch)
        return batch.keep(good & self._are_closed(batch, place))

    def _are_closed(self, batch: NodeBatch, place: int) -> Bools:
        """Return which sets have no smaller node in common in the columns chosen."""
        closed = np.ones(len(batch.lengths), np.bool_)
        for column in self.columns[:place]:
            ends = batch.ends(self.positions[column])
            closed &= self.scales[column].nodes(*ends) == batch.nodes[:, column]
        return closed
