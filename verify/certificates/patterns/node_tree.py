"""Vectors of nodes that can lower a price bound, found column by column."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from starmin.instances import Objective, RowTypes, Scales, Table, group_by
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.tables.grouping import Grouping
from starmin.verify.certificates.patterns.batches import (
    NodeBatch,
    PatternList,
    Waiting,
    Walk,
)
from starmin.verify.certificates.patterns.pricing_problems import PricingProblems
from starmin.verify.certificates.patterns.ranges import (
    STAR,
    PatternEnumeration,
    PricedPatterns,
)
from starmin.verify.certificates.untrusted import LARGEST
from starmin.verify.exact import BeyondError, exact_sum

_FREE = -1


def cover(scales: Scales, places: Ints) -> Ints:
    """Return the smallest node of each column that rows at these places are below."""
    ends = zip(scales.scales, places.min(axis=0), places.max(axis=0), strict=False)
    return np.array([s.nodes(low[None], high[None])[0] for s, low, high in ends])


def classes_of(table: Table, codes: Int32s, columns: Sequence[int]) -> Grouping:
    """Return the classes of types that agree in some columns; ``codes`` are m x d."""
    if not len(columns):
        return group_by([np.zeros(len(codes), np.int32)], [1])
    sizes = [table.qi_cardinalities[j] for j in columns]
    return group_by([codes[:, j] for j in columns], sizes)


class NodeWalk(Walk):
    """Walks from the set of all types to the patterns of nodes.

    In a column the walk goes from the root down, or narrows ranges: from below, then
    from above, so that none is met twice. Missing values are apart from numbers: with
    anything else they are published as the whole column.

    The objective is gcp. Why what is left out may be left out says
    docs/reference/certificate.md.
    """

    def __init__(self, problem: "PricedTypes") -> None:
        table, types, objective = problem.table, problem.types, problem.objective
        super().__init__(types, problem.prices, problem.asked)
        scales, kept = objective.scales_of(table), objective.kept(table)
        self.scales, self.kept = scales.scales, kept.tolist()
        self.units = [problem.denominator * unit for unit in objective.units(table)]
        positions = scales.positions(types.codes[self.order])
        self.positions = np.ascontiguousarray(positions.T, np.int64)
        # Few groups first, so that large losses come early.
        groups = [len(set(p.tolist())) for p in self.positions]
        self.columns = np.argsort(groups, kind="stable")

    def patterns(self, slack: int = 0) -> Iterator[NodeBatch]:
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
            self.look_at(batch)
            column = int(self.columns[place])
            if self.scales[column].layout.is_line:
                chosen, below = self._ranges(batch, column, depth == 0, slack)
                depth = 0  # ranges of any width are narrowed alike
            else:
                chosen, below = self._nodes(batch, column, depth)
            for part in below:
                waiting.add(place, depth + 1, part)
            waiting.add(place + 1, 0, chosen)

    def listed(self, slack: int) -> Iterator[PatternList]:
        for some in self.patterns(slack):
            members, nodes = self.order[some.members], some.nodes.astype(np.int64)
            yield PatternList(members, some.lengths, some.cost, nodes)

    def _nodes(
        self, batch: NodeBatch, column: int, depth: int
    ) -> tuple[NodeBatch, Iterator[NodeBatch]]:
        """Return the sets with a node chosen at this depth, and those at the next."""
        scale, positions = self.scales[column], self.positions[column]
        above = scale.layout.path
        own = positions[batch.members]
        low, high = batch.ends(self.positions[column])
        node = above[min(depth, len(above) - 1)][own[batch.starts]]
        closed = scale.lowest(low, high) == node
        chosen = self._publish(batch, column, low, high, closed)
        inner = node >= scale.size
        if not inner.any():
            return chosen, iter(())
        batch = batch.keep(inner)
        return chosen, iter((batch.divide(above[depth + 1][positions[batch.members]]),))

    def _most_paid(self, batch: NodeBatch, slack: int) -> Ints:
        """Return what nodes of a set may cost k rows at most, in a fill below slack.

        A fill has k rows or more, which are worth no more each than the k dearest are
        on average. With a slack below 0 that is said of 0 only: more rows share it.
        """
        worth = self.prices[batch.members] - batch.cost[batch.set_of]
        taken = batch.dearest(self.counts, self.fills.least)
        paid = np.add.reduceat(taken * worth, batch.starts)
        return np.asarray(paid + max(slack, 0))

    def _ranges(
        self, batch: NodeBatch, column: int, is_all: bool, slack: int
    ) -> tuple[NodeBatch, Iterator[NodeBatch]]:
        """Return the sets with their range chosen, and those with narrower ones.

        A range that is hidden is published as all of the column, and only where no
        larger one was. Below a set with missing values and others are each of these,
        and the numbers. What is narrowed from above begins where k rows can pay.
        """
        scale, layout = self.scales[column], self.scales[column].layout
        low, high = batch.ends(self.positions[column])
        met = (batch.fixed == _FREE) | (batch.fixed == low)
        batch, low, high = batch.keep(met), low[met], high[met]
        shown = is_all | (high <= layout.reach[low]) | (low == high)
        chosen = self._publish(batch, column, low, high, shown)
        own, missing = self.positions[column][batch.members], len(layout.missing)
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
        told = scale.layout.allowed[scale.lowest(low, high)] & (not self.kept[column])
        allowed &= (low == high) | told
        chosen = replace(batch, cost=paid, nodes=nodes, fixed=np.full(len(low), _FREE))
        return chosen.keep(allowed)

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


# What prices of row types are of, and the patterns that they leave.

_MOST_MEMBERS = 50_000_000  # A longer list does not fit into memory.


@dataclass(frozen=True, eq=False)
class PricedTypes:
    """A problem with prices of its row types."""

    table: Table  # equal values are merged
    types: RowTypes  # with sensitive values where diversity is required
    objective: Objective
    # k, l: of k-anonymity, and of diversity by frequency; 1 where there is none, at
    # most n. With distinct values k is not below their number, nor below l
    k: int
    l: int
    prices: Ints  # by type, in the unit 1/denominator of the objective's
    denominator: int
    # which sensitive columns' diversity counts: to leave out the condition on others
    # keeps a bound valid. The walk looks at the first one
    columns: tuple[int, ...] = (0,)
    # how many distinct values each of them must have, 1 where that is not required
    distinct: int = 1

    @property
    def least(self) -> int:
        """Rows that every group has at least."""
        return max(self.k, self.l)

    @property
    def highest(self) -> int:
        """The greatest price, in size."""
        return max(abs(int(self.prices.min())), abs(int(self.prices.max())))

    @property
    def paid(self) -> int:
        """What the prices of all rows come to, whatever their size."""
        counts = self.types.counts.tolist()
        return sum(p * c for p, c in zip(self.prices.tolist(), counts, strict=True))

    def proven(self, total: int) -> int:
        """Return the bound in the unit of the objective, at least 0."""
        return max(0, -(-total // self.denominator))

    @property
    def asked(self) -> tuple[int, int, int]:
        """The k and the l of fills, and the sensitive column of which this is asked."""
        return self.k, self.l if self.distinct == 1 else 1, self.columns[0]

    @property
    def star_patterns(self) -> PricedPatterns:
        """What says its patterns of stars."""
        weights = self.objective.column_weights(self.table).tolist()
        star = [self.denominator * weight for weight in weights]
        for column in np.flatnonzero(self.objective.kept(self.table)):
            star[column] = STAR
        return PricedPatterns(star, *self.asked)

    def walk(self) -> Walk:
        """Return what visits its patterns."""
        if self.objective.by_node:
            return NodeWalk(self)
        return PatternEnumeration(self.types, self.prices, self.star_patterns)

    def cover(self, members: list[int]) -> Ints:
        """Return the smallest pattern that some types fit, as a row of ``nodes``."""
        if self.objective.by_node:
            scales = self.objective.scales_of(self.table)
            places = scales.positions(self.types.codes[members]).astype(np.int64)
            return cover(scales, places)
        codes = self.types.codes[members]
        same = (codes == codes[0]).all(axis=0)
        return np.where(same, codes[0], STAR).astype(np.int64)

    def list_patterns(self, slack: int) -> PatternList:
        """List the patterns whose value is below ``slack``, with types that matter."""
        parts, size = [], 0
        for part in self.walk().listed(slack):
            size += len(part.members)
            if size > _MOST_MEMBERS:
                raise BeyondError(
                    "patterns that a release may use are too many to list"
                )
            parts.append(part)
        if not parts:
            none = np.zeros(0, np.int64)
            nodes = np.zeros((0, self.table.d), np.int64)
            return PatternList(none, none, none, nodes)
        return PatternList.join(parts)

    def fills(
        self, problems: PricingProblems, types: Ints, least: Ints, most: Ints
    ) -> tuple[Ints, Bools]:
        """Return the worth of the best fills, and where there is one.

        Of several sensitive columns each alone makes a fill worth so much or more, so
        that the largest worth counts. Heights are those of the first column. ``types``
        has the row type of each entry of the patterns ``problems``; ``least`` and
        ``most`` bound heights, and are at least 1.
        """
        if self.l == 1 and self.distinct == 1:
            return problems.between(self.k, 1, least, most)
        one = np.ones_like(least)
        worth, possible = np.full_like(least, -LARGEST), np.ones(len(least), bool)
        for place, column in enumerate(self.columns):
            problems.separate(self.types.sensitive[types, column], self.distinct)
            bounds = (one, problems.support) if place and self.l > 1 else (least, most)
            if self.l > 1:
                found = problems.between(self.k, self.l, *bounds)
            else:
                found = problems.distinct(self.k, *bounds)
            worth, possible = np.maximum(worth, found[0]), possible & found[1]
        return np.where(possible, worth, 0), possible

    def thin(
        self, found: PatternList, reduced: Ints, opening: Ints, paid: int, goal: int
    ) -> PatternList:
        """Drop types from patterns where every release with them costs too much.

        Be F the least worth of at least ``least`` copies, diversity left aside. If a
        copy is not among them, it is added, or replaces the last one that was taken
        where that costs more than nothing and there are no more than there must be.

        ``reduced`` is what a copy costs, by entry of the list; ``opening`` what each of
        its patterns costs beside that, once it has rows; ``paid`` what a release
        without rows costs. Releases that cost ``goal`` or more need not be considered.
        Returned is what is left: nothing if no release costs less than the goal.
        """
        order = np.lexsort((reduced, found.set_of))
        reduced, starts, types = reduced[order], found.starts, found.members[order]
        copies = self.types.counts[types]
        problems = PricingProblems(reduced, copies, found.lengths)
        fill = problems.least_cost(self.least)
        gainful = np.add.reduceat(np.where(reduced < 0, copies, 0), starts)
        before = np.cumsum(copies) - copies
        before -= before[starts][problems.pattern]
        taken = before < np.maximum(gainful, self.least)[problems.pattern]
        last = np.maximum.reduceat(np.where(taken, reduced, 0), starts)
        last = np.where(gainful <= self.least, np.maximum(last, 0), 0)
        forced = np.empty_like(reduced)
        exchange = np.maximum(reduced - last[problems.pattern], 0)
        forced[order] = fill[problems.pattern] + exchange
        one = np.ones_like(problems.support)
        value, possible = self.fills(problems, types, one, problems.support)
        worth = np.where(possible, np.minimum(value + opening, 0), 0)
        slack = min(max(0, goal - paid - exact_sum(worth)), LARGEST)
        more = np.maximum(forced, value[found.set_of])
        more += (opening - worth)[found.set_of]
        possible &= slack > 0
        return found.select(possible[found.set_of] & (more < slack))
