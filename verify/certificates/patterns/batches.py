"""Sets of row types on their way through a walk, many at a time."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Self, TypeVar

import numpy as np

from starmin.instances import RowTypes, group_by
from starmin.instances.arrays import Bools, Int32s, IntArray, Ints
from starmin.instances.tables.grouping import COMPILED_FROM
from starmin.verify.certificates.patterns.pricing_problems import PricingProblems
from starmin.verify.exact import BeyondError, exact_sum, expect_time

BATCH = 1_000_000  # types looked at together, as far as memory is concerned
_MOST_WAITING = 4_000_000  # types that may wait


@dataclass(eq=False)
class Batch:
    """Sets of row types, and what is known of each.

    What subclasses add has an entry for each set, too.
    """

    # the types, numbered by falling price; each set's one after the other, in rising
    # order
    members: Ints
    # lengths, cost: by set: its size, and the price of what it publishes, for one row
    lengths: Ints
    cost: Ints

    @cached_property
    def starts(self) -> Ints:
        """Where each set begins among the members."""
        return np.asarray(np.cumsum(self.lengths) - self.lengths)

    @cached_property
    def set_of(self) -> Ints:
        """The set of each member."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    def _of(self, members: Ints, lengths: Ints, sets: Ints | Bools | slice) -> Self:
        """Return other members for some of the sets."""
        known = (getattr(self, each.name)[sets] for each in fields(self)[2:])
        return type(self)(members, lengths, *known)

    def select(self, members: Bools) -> Self:
        """Select the chosen members, and the sets that have some."""
        lengths = np.bincount(self.set_of[members], minlength=len(self.lengths))
        alive = lengths > 0
        return self._of(self.members[members], lengths[alive], alive)

    def keep(self, sets: Bools) -> Self:
        """Select the chosen sets."""
        return self if sets.all() else self.first(np.where(sets, self.lengths, 0))

    def first(self, lengths: Ints) -> Self:
        """Select so many members of each set, the first ones."""
        alive = lengths > 0
        if len(self.members) < COMPILED_FROM:
            place = np.arange(len(self.members)) - self.starts[self.set_of]
            members = self.members[place < lengths[self.set_of]]
        else:
            from starmin.verify.certificates.patterns.set_loops import first_members

            members = first_members(self.members, self.lengths, lengths)
        return self._of(members, lengths[alive], alive)

    def ends(self, places: IntArray) -> tuple[Ints, Ints]:
        """Return the least and the greatest place of the members of each set."""
        if len(self.members) >= COMPILED_FROM:
            from starmin.verify.certificates.patterns.set_loops import ends_of_sets

            low, high = ends_of_sets(places, self.members, self.lengths)
            return low, high
        own = places[self.members].astype(np.int64)
        low = np.minimum.reduceat(own, self.starts)
        return low, np.maximum.reduceat(own, self.starts)

    def dearest(self, counts: Ints, k: int) -> Ints:
        """Return how many copies of members are among the k dearest of their set.

        ``counts`` has the copies of all types.
        """
        copies = counts[self.members]
        before = np.cumsum(copies) - copies
        before -= before[self.starts][self.set_of]
        return np.asarray(np.clip(k - before, 0, copies))

    def halves(self) -> list[Self]:
        """Split into two batches with half of the sets each."""
        middle = len(self.lengths) // 2
        at = int(self.starts[middle])
        first, last = slice(middle), slice(middle, None)
        return [
            self._of(self.members[:at], self.lengths[first], first),
            self._of(self.members[at:], self.lengths[last], last),
        ]

    @classmethod
    def join(cls, batches: Sequence[Self]) -> Self:
        """Join the sets of these batches, of which there is at least one."""
        if len(batches) == 1:
            return batches[0]
        names = [each.name for each in fields(cls)]
        return cls(*(np.concatenate([getattr(b, n) for b in batches]) for n in names))

    def divide(self, by: IntArray) -> Self:
        """Divide each set into those of its members that have the same number."""
        width = int(by.max()) + 1
        if len(self.members) >= COMPILED_FROM and width <= len(self.members):
            from starmin.verify.certificates.patterns.set_loops import divided_sets

            found = divided_sets(self.members, self.lengths, by, width)
            members, lengths, owner = found
            return self._of(members, lengths, owner)
        parts = group_by([self.set_of, by], [len(self.lengths), width])
        order = np.argsort(parts.inverse, kind="stable")
        return self._of(self.members[order], parts.counts, self.set_of[parts.first])


@dataclass(eq=False)
class StarredBatch(Batch):
    """Sets of row types that agree on the columns kept so far."""

    starred: Ints  # by set: its starred columns as bits


@dataclass(eq=False)
class NodeBatch(Batch):
    """Sets of row types that fit the nodes chosen so far."""

    nodes: Ints  # by set: its nodes, one by column
    # in a column of numbers: the least one of ranges that are narrowed from above,
    # which must stay; -1 where it need not
    fixed: Ints


@dataclass(eq=False)
class PatternList(Batch):
    """Patterns with the row types that each may have, numbered as in the table."""

    nodes: Ints  # by pattern and column: a code, or a node of the scale; -1 for a star

    def __len__(self) -> int:
        return len(self.cost)


AnyBatch = TypeVar("AnyBatch", bound=Batch)


class Waiting:
    """Sets that are still to be looked at, those of one depth of a column together.

    Many small batches would take long. So all of a column come before the next one, as
    long as not too many types wait; then the last column comes first.
    """

    def __init__(self) -> None:
        self.batches: dict[tuple[int, int], list[NodeBatch]] = {}
        self.members = 0

    def add(self, place: int, depth: int, batch: NodeBatch) -> None:
        """Have a batch wait, in parts where it is large."""
        if len(batch.members) > BATCH and len(batch.lengths) > 1:
            for half in batch.halves():
                self.add(place, depth, half)
        elif len(batch.lengths):
            self.batches.setdefault((place, depth), []).append(batch)
            self.members += len(batch.members)

    def pop(self) -> tuple[int, int, NodeBatch]:
        """Return the next sets, and in which column and at which depth they are."""
        key = (min if self.members <= _MOST_WAITING else max)(self.batches)
        there = self.batches[key]
        taken = [there.pop()]
        size = len(taken[0].members)
        while there and size + len(there[-1].members) <= BATCH:
            taken.append(there.pop())
            size += len(taken[-1].members)
        if not there:
            del self.batches[key]
        self.members -= size
        return *key, NodeBatch.join(taken)


# What the rows of types are worth where they fill a pattern, and which may.


@dataclass(frozen=True, eq=False)
class Fills:
    """Prices of row types, and what a requirement asks of the rows of a pattern."""

    prices: Ints  # prices, counts: of each type, by falling price
    counts: Ints
    values: Int32s  # q x m: the sensitive values of the types, by column
    k: int
    l: int
    sensitive: int  # which sensitive column's diversity counts

    @property
    def least(self) -> int:
        """Copies that each fill has at least."""
        return max(self.k, self.l)

    def worth(self, batch: AnyBatch) -> Ints:
        """Return what the best fill of each set costs beyond its prices."""
        problems = self._problems(batch)
        if self.l == 1:
            return problems.least_cost(self.k)
        problems.separate(self.values[self.sensitive][batch.members])
        one = np.ones_like(problems.support)
        return problems.between(self.k, self.l, one, problems.support)[0]

    def prune(self, batch: AnyBatch, slack: int) -> AnyBatch:
        """Drop types in no fill worth less than ``slack``, then sets without one."""
        batch = self._fitting(batch, slack)
        if self.l == 1 or len(batch.lengths) == 0:
            return batch
        batch = batch.select(self.in_sets(batch, slack))
        return self._fitting(batch, slack) if len(batch.lengths) else batch

    def in_sets(self, batch: Batch, slack: int) -> Bools:
        """Return which members can be in l rows of l values worth less than ``slack``.

        Each fill is made of sets of l rows or more, no value twice in one. One of these
        is worth less than ``slack`` if the fill is. With no slack, and where sets are
        large enough to be groups, all are worth less than 0 in a best fill, and those
        of more than l rows have only rows that are: so a type and the cheapest types of
        l - 1 other values are worth less than 0, or it is not needed.

        The sets of ``batch`` have the cheapest types first.
        """
        each, l, values = self.leaves_out(slack), self.l, self.values[self.sensitive]
        if len(batch.members) >= COMPILED_FROM:
            from starmin.verify.certificates.patterns.set_loops import diverse_members

            sets = batch.members, batch.lengths, batch.cost
            given = self.prices, values, l, slack, each
            return np.asarray(diverse_members(*sets, *given))
        values, reduced = values[batch.members], self._reduced(batch)
        pairs = group_by([batch.set_of, values])
        # Members are in order of price: the first one of a value is its cheapest.
        owner, head = batch.set_of[pairs.first], reduced[pairs.first]
        order = np.lexsort((head, owner))
        rank = np.empty(len(order), np.int64)
        begins = np.searchsorted(owner[order], np.arange(len(batch.lengths)))
        rank[order] = np.arange(len(order)) - begins[owner[order]]
        count, chosen = len(batch.lengths), rank < l
        total, last = np.zeros(count, np.int64), np.zeros(count, np.int64)
        np.add.at(total, owner[chosen], head[chosen])
        last[owner[rank == l - 1]] = head[rank == l - 1]
        good = (np.bincount(owner, minlength=count) >= l) & (total < slack)
        if not each:
            return np.asarray(good[batch.set_of])
        others = total[owner] - np.where(rank < l - 1, head, last[owner])
        return np.asarray(good[batch.set_of] & (reduced + others[pairs.inverse] < 0))

    def _fitting(self, batch: AnyBatch, slack: int) -> AnyBatch:
        """Drop the types in no such fill, whatever their sensitive values.

        Those that stay are the first ones of their set, as the others cost more.
        """
        if len(batch.members) >= COMPILED_FROM:
            from starmin.verify.certificates.patterns.set_loops import fitting_lengths

            priced = batch.cost, self.prices, self.counts
            kept = fitting_lengths(
                batch.members, batch.lengths, *priced, self.least, slack
            )
            return batch.first(kept)
        reduced = self._reduced(batch)
        copies = self.counts[batch.members]
        gain = -np.add.reduceat(np.minimum(reduced, 0) * copies, batch.starts)
        batch = batch.select(reduced < gain[batch.set_of] + slack)
        if len(batch.lengths) == 0:
            return batch
        problems = self._problems(batch)
        good = problems.least_cost(self.least) < slack
        return batch.keep(good & (problems.support >= self.least))

    def diverse(self, batch: Batch) -> Bools:
        """Return which sets have at least l values in each sensitive column."""
        count = len(batch.lengths)
        good = np.ones(count, np.bool_)
        for values in self.values if self.l > 1 else ():
            if len(batch.members) >= COMPILED_FROM:
                from starmin.verify.certificates.patterns import set_loops

                sets = batch.members, batch.lengths
                good &= set_loops.sets_of_values(*sets, values, self.l)
                continue
            pairs = group_by([batch.set_of, values[batch.members]])
            good &= np.bincount(batch.set_of[pairs.first], minlength=count) >= self.l
        return good

    def leaves_out(self, slack: int) -> bool:
        """Return whether a type can be left out of a set of which others stay.

        What is then left may have fewer again: it is looked at until nothing changes,
        so that the order of the columns does not matter.
        """
        return self.l > 1 and self.k <= self.l and slack <= 0

    def settled(
        self, batch: AnyBatch, slack: int, prune: Callable[[AnyBatch], AnyBatch]
    ) -> AnyBatch:
        """Prune patterns until nothing changes, where single types may be left out."""
        if not self.leaves_out(slack):
            return batch
        while True:
            left = prune(batch)
            if len(left.members) in (0, len(batch.members)):
                return left
            batch = left

    def _problems(self, batch: Batch) -> PricingProblems:
        copies = self.counts[batch.members]
        return PricingProblems(self._reduced(batch), copies, batch.lengths)

    def _reduced(self, batch: Batch) -> Ints:
        """Return what a row of each member costs beyond its price."""
        return np.asarray(batch.cost[batch.set_of] - self.prices[batch.members])


# What walks from the set of all types to the patterns have in common.

# A check is given up when so many types have been looked at.
MAX_WORK = 20_000_000_000


class Walk(ABC):
    """Goes from the set of all types to the patterns, one column after the other."""

    def __init__(self, types: RowTypes, prices: Ints, asked: Sequence[int]) -> None:
        self.order = np.argsort(-prices, kind="stable")  # the types by falling price
        values = np.ascontiguousarray(types.sensitive[self.order].T)
        self.prices, self.counts = prices[self.order], types.counts[self.order]
        self.fills = Fills(self.prices, self.counts, values, *asked)
        self.work = 0

    @abstractmethod
    def patterns(self, slack: int = 0) -> Iterator[Batch]:
        """Visit all patterns whose value may be below ``slack``, in batches.

        Types that are in no fill of such a value are left out of a pattern, and other
        patterns need not be visited.
        """

    @abstractmethod
    def listed(self, slack: int) -> Iterator[PatternList]:
        """Visit them as parts of a list."""

    def total(self) -> int:
        """Return the sum of the negative values of the best fills of all patterns."""
        return sum(
            exact_sum(np.minimum(self.fills.worth(batch), 0))
            for batch in self.patterns()
        )

    def look_at(self, batch: Batch) -> None:
        """Count types that are looked at; raise BeyondError where they are too many."""
        self.work += len(batch.members)
        expect_work(self.work)


def expect_work(work: int) -> None:
    """Raise BeyondError where so many types were looked at that a check is given up."""
    expect_time()
    if work > MAX_WORK:
        raise BeyondError("patterns that can lower the bound are too many to check")
