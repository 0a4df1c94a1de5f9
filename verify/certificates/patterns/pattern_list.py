"""The patterns that a release below a claim may use, as a list."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Ints
from starmin.verify.beyond import BeyondError
from starmin.verify.certificates.exact_sums import exact_sum
from starmin.verify.certificates.patterns.enumeration import PatternEnumeration
from starmin.verify.certificates.patterns.node_tree import NodeWalk
from starmin.verify.certificates.patterns.pricing_problems import PricingProblems
from starmin.verify.certificates.untrusted import LARGEST

_STAR = -1
_MOST_MEMBERS = 50_000_000  # A longer list does not fit into memory.


@dataclass(frozen=True, eq=False)
class PatternList:
    """Patterns, what a row pays in each, and the row types that it may have.

    The types of pattern p are ``types[starts[p]:starts[p + 1]]``.
    """

    # P x d: what each publishes, a code or a node of the scale; -1 for a star
    nodes: Ints
    cost: Ints  # of a row in each pattern, in units of 1/denominator
    starts: Ints
    types: Ints

    def __len__(self) -> int:
        return len(self.cost)

    @property
    def lengths(self) -> Ints:
        """Number of types of each pattern."""
        return np.diff(self.starts)

    @cached_property
    def pattern(self) -> Ints:
        """The pattern of each entry of ``types``."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def thin(self, keep: Bools) -> "PatternList":
        """Select the entries marked, and the patterns that have some."""
        lengths = np.bincount(self.pattern[keep], minlength=len(self))
        alive = lengths > 0
        return PatternList(
            self.nodes[alive],
            self.cost[alive],
            np.concatenate([[0], np.cumsum(lengths[alive])]),
            self.types[keep],
        )


@dataclass(frozen=True, eq=False)
class PricedTypes:
    """A problem with prices of its row types."""

    table: Table
    types: RowTypes  # with sensitive values where diversity is required
    objective: Objective
    k: int  # not below l and ``distinct``, where diversity is required
    l: int  # of diversity by frequency
    prices: Ints  # by type, in the unit 1/denominator of the objective's
    denominator: int
    # which sensitive columns' diversity counts. The walk looks at the first one
    columns: tuple[int, ...]
    # how many distinct values each of them must have, 1 where that is not required
    distinct: int = 1

    @property
    def least(self) -> int:
        """Rows that every group has at least."""
        return max(self.k, self.l)

    def walk(self) -> PatternEnumeration | NodeWalk:
        """Return what visits its patterns."""
        place = self.k, self.l if self.distinct == 1 else 1, self.columns[0]
        if self.objective.by_node:
            return NodeWalk(
                *(self.table, self.types, self.objective, self.prices),
                *(self.denominator, *place),
            )
        weights = [self.objective.weights.get(column, 1) for column in self.table.qi]
        star = [self.denominator * weight for weight in weights]
        for column in np.flatnonzero(self.objective.kept(self.table)):
            star[column] = _STAR
        return PatternEnumeration(self.types, self.prices, star, *place)

    def cover(self, members: list[int]) -> Ints:
        """Return the smallest pattern that some types fit, as a row of ``nodes``."""
        if self.objective.by_node:
            scales = self.objective.scales_of(self.table)
            places = scales.positions(self.types.codes[members]).astype(np.int64)
            low, high = places.min(axis=0), places.max(axis=0)
            ends = zip(scales.scales, low, high, strict=True)
            found = [scale.nodes(a[None], b[None])[0] for scale, a, b in ends]
            return np.array(found, np.int64)
        codes = self.types.codes[members]
        same = (codes == codes[0]).all(axis=0)
        return np.where(same, codes[0], _STAR).astype(np.int64)

    def list_patterns(self, slack: int) -> PatternList:
        """List the patterns whose value is below ``slack``, with types that matter."""
        parts, size = [], 0
        for part in self._visited(slack):
            size += len(part[-1])
            if size > _MOST_MEMBERS:
                raise BeyondError(
                    "patterns that a release may use are too many to list"
                )
            parts.append(part)
        if not parts:
            none = np.zeros(0, np.int64)
            nodes = np.zeros((0, self.table.d), np.int64)
            return PatternList(nodes, none, np.zeros(1, np.int64), none)
        nodes, cost, lengths, members = (
            np.concatenate(part) for part in zip(*parts, strict=True)
        )
        starts = np.concatenate([[0], np.cumsum(lengths)])
        return PatternList(nodes, cost, starts, members)

    def _visited(self, slack: int) -> Iterator[tuple[Ints, Ints, Ints, Ints]]:
        """Visit patterns in batches: nodes, cost, number of types, and the types."""
        walk = self.walk()
        if isinstance(walk, NodeWalk):
            for some in walk.patterns(slack):
                members = walk.order[some.members]
                yield some.nodes.astype(np.int64), some.cost, some.lengths, members
            return
        for batch in walk.patterns(slack):
            members = walk.order[batch.members]
            starred = batch.starred[:, None] >> np.arange(self.table.d) & 1 == 1
            codes = self.types.codes[members[batch.starts]]
            nodes = np.where(starred, _STAR, codes).astype(np.int64)
            yield nodes, batch.cost, batch.lengths, members

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
        order = np.lexsort((reduced, found.pattern))
        reduced, starts = reduced[order], found.starts[:-1]
        copies = self.types.counts[found.types[order]]
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
        types = found.types[order]
        value, possible = self.fills(problems, types, one, problems.support)
        worth = np.where(possible, np.minimum(value + opening, 0), 0)
        slack = min(max(0, goal - paid - exact_sum(worth)), LARGEST)
        more = np.maximum(forced, value[found.pattern])
        more += (opening - worth)[found.pattern]
        possible &= slack > 0
        return found.thin(possible[found.pattern] & (more < slack))
