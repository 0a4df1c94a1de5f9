"""Bound what groups cost: by prices of odd sets, by residues of suppressed tuples."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from starmin.instances import Objective, RowTypes, Table, group_by
from starmin.instances.arrays import Int32s, Ints
from starmin.verify.certificates.patterns.node_tree import PricedTypes, classes_of
from starmin.verify.certificates.untrusted import RefusalError, whole
from starmin.verify.exact import BeyondError, expect_time, summed

# The bound that prices of row types and of odd sets prove: pairs and triples.

MOST_ENTRIES = 32_000_000  # pairs of values in a column, of all columns
# Sums of prices, costs and rows are kept below this in size.
_LARGEST = 2**62
# Pairs that need a look at their odd sets.
_MOST_PAIRS = 200_000


@dataclass(frozen=True, eq=False)
class OddSets:
    """Odd sets of row types and their prices."""

    # the types in each: with an odd number of rows, each once
    sets: Sequence[npt.NDArray[np.integer]]
    prices: Ints  # one for each set, 0 or more


def read_odd_sets(data: Mapping[str, Any], order: npt.NDArray[np.integer]) -> OddSets:
    """Read odd sets and their prices from a certificate's data, each entry checked.

    The ``data`` have ``sets`` and ``set_prices``; ``order`` is the types in the
    canonical order, by which the data number them.
    """
    sets, paid = data["sets"], data["set_prices"]
    if not isinstance(sets, list) or not isinstance(paid, list):
        raise RefusalError("its sets and their prices are not lists")
    if len(sets) != len(paid):
        raise RefusalError("its sets are not as many as their prices")
    prices = [whole(price, "the price of a set", 0) for price in paid]
    found, types = [], len(order)
    for one in sets:
        if not isinstance(one, list) or not one:
            raise RefusalError("a set is not a list of numbers of types")
        if max(whole(number, "a number of a type", 0) for number in one) >= types:
            raise RefusalError(f"a set has a type that is not one of {types}")
        if len(set(one)) < len(one):
            raise RefusalError("a set has a type twice")
        found.append(order[np.array(one, np.int64)])
    return OddSets(found, np.array(prices, np.int64))


def odd_set_bound(problem: PricedTypes, odd_sets: OddSets) -> int:
    """Compute what no 2-anonymous, or no 2-diverse release costs less than.

    docs/reference/certificate.md has the theorem, and which pairs and triples need not
    be looked at (section "Kind odd_sets"): a group is never paid more than the *full
    prices* of its rows, those of all sets that they are in included.

    The objective is stars or losses by generalization, and the prices of sets are in
    the unit of those of types. Of the requirement only counts whether l is 2 or more.
    Raises ValueError where a set has an even number of rows, a group is paid more than
    it costs, or there are numbers, values or groups beyond what is checked.

    >>> from starmin.instances import STARS
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> sets = OddSets([np.array([0, 1, 2])], np.array([3]))
    >>> prices = np.array([1, 1, 1])
    >>> problem = PricedTypes(table, table.row_types, STARS, 2, 1, prices, 1)
    >>> odd_set_bound(problem, sets)
    6
    """
    table, types, denominator = problem.table, problem.types, problem.denominator
    values = np.full(len(types), -1, np.int64)  # of any value
    if problem.l > 1:
        values = types.sensitive[:, problem.columns[0]].astype(np.int64)
    paid: int = sum(odd_sets.prices.tolist())
    dearest = problem.objective.whole(table) // table.n + 1
    # In Python integers: no sum in 64 bits is of more than the 3 rows of a group.
    most = problem.highest + paid + denominator * dearest * (table.d + 1)
    if 3 * most >= _LARGEST:
        raise BeyondError("prices and losses of a group add up beyond 64 bits")
    for number, one in enumerate(odd_sets.sets):
        if int(types.counts[one].sum()) % 2 == 0:
            raise ValueError(f"set {number} of its data has an even number of rows")
    excess = _Excess(problem.prices, odd_sets)
    costs = _Costs(table, types, problem.objective, dearest)
    given = costs, excess.full_prices, types.counts, values, denominator
    for members in _candidates(*given):
        owed = members.shape[1] * denominator * costs.of(members)
        if (excess.payments(members) > owed).any():
            raise ValueError("a group is paid more than it costs")
    return problem.proven(problem.paid + paid)


class _Excess:
    """What groups are paid."""

    def __init__(self, prices: Ints, odd_sets: OddSets) -> None:
        self.prices, self._set_prices = prices, odd_sets.prices
        lengths = np.array([len(one) for one in odd_sets.sets], np.int64)
        number = np.repeat(np.arange(len(lengths)), lengths)
        member = np.concatenate([np.zeros(0, np.int64), *odd_sets.sets])
        order = np.argsort(member, kind="stable")
        self._sets_of = number[order]
        self._starts = np.searchsorted(member[order], np.arange(len(prices) + 1))
        self.full_prices = prices.copy()
        np.add.at(self.full_prices, member, odd_sets.prices[number])

    def payments(self, members: Ints) -> Ints:
        """Return what each group is paid: a row of types for each group."""
        paid = self.prices[members].sum(axis=1)
        group, sets = self._memberships(members)
        order = np.lexsort((sets, group))
        group, sets = group[order], sets[order]
        begins = np.ones(len(group), bool)
        begins[1:] = (group[1:] != group[:-1]) | (sets[1:] != sets[:-1])
        first = np.flatnonzero(begins)
        odd = np.diff(np.append(first, len(group))) % 2 == 1
        np.add.at(paid, group[first[odd]], self._set_prices[sets[first[odd]]])
        return np.asarray(paid)

    def _memberships(self, members: Ints) -> tuple[Ints, Ints]:
        """Return group and set of each member of a group in each of its sets."""
        types = members.ravel()
        group = np.repeat(np.arange(len(members)), members.shape[1])
        lengths = self._starts[types + 1] - self._starts[types]
        offsets = np.arange(lengths.sum()) - np.repeat(
            np.cumsum(lengths) - lengths, lengths
        )
        at = np.repeat(self._starts[types], lengths) + offsets
        return np.repeat(group, lengths), self._sets_of[at]


class _Costs:
    """What a row pays in a group: one published as the ranges that its rows span."""

    def __init__(
        self, table: Table, types: RowTypes, objective: Objective, dearest: int
    ) -> None:
        scales = objective.scales_of(table)
        self._columns: list[tuple[Ints, Ints]] = []
        entries = 0
        for name, scale, unit in zip(
            table.qi, scales.scales, objective.units(table), strict=True
        ):
            codes = np.argsort(scale.positions, kind="stable")
            codes = codes[scale.positions[codes] >= 0]
            entries += len(codes) ** 2
            if entries > MOST_ENTRIES:
                raise BeyondError("columns have too many values to check")
            ends = scale.positions[codes].astype(np.int64)
            low = np.minimum.outer(ends, ends)
            high = np.maximum.outer(ends, ends)
            lost = unit * scale.extents(low.ravel(), high.ravel()).reshape(low.shape)
            if lost.max(initial=0) > unit * scale.domain:
                raise ValueError("a range loses more than all that there is")
            if name in objective.keep:
                lost[~np.eye(len(codes), dtype=bool)] = dearest
            if name in scales.roofs:
                roofs = scales.roofs[name][codes]
                lost[np.not_equal.outer(roofs, roofs)] = dearest
            if not _grows(lost):
                raise ValueError("losses fall where ranges grow")
            rank = np.full(len(scale.positions), -1, np.int64)
            rank[codes] = np.arange(len(codes))
            at = table.qi.index(name)
            self._columns.append((rank[types.codes[:, at]], lost))
        # Most groups are dear by the columns of many values.
        self._columns.sort(key=lambda column: len(column[1]), reverse=True)
        self._dearest = dearest
        # Two types differ in a column, by neighbours there or more; or in their values.
        steps = [np.diagonal(lost, 1) for _, lost in self._columns if len(lost) > 1]
        self.least = min((int(each.min()) for each in steps), default=0)
        if types.sensitive.shape[1]:
            self.least = 0

    def of(self, members: Ints) -> Ints:
        """Return what a row pays in each group: a row of types for each group."""
        total = np.zeros(len(members), np.int64)
        for rank, lost in self._columns:
            places = rank[members]
            total += lost[places.min(axis=1), places.max(axis=1)]
        return total

    def affordable(self, members: Ints, least: Ints) -> npt.NDArray[np.intp]:
        """Return which groups cost a row less than this, column after column."""
        chosen, total = np.arange(len(members)), np.zeros(len(members), np.int64)
        for rank, lost in self._columns:
            places = rank[members[chosen]]
            total = total + lost[places.min(axis=1), places.max(axis=1)]
            kept = total < np.minimum(least[chosen], self._dearest)
            chosen, total = chosen[kept], total[kept]
        return chosen


def _grows(lost: Ints) -> bool:
    """Return whether no range loses less than one within it."""
    ends = np.arange(len(lost))
    inside = np.less_equal.outer(ends, ends)
    right = (lost[:, 1:] < lost[:, :-1]) & inside[:, :-1]
    left = (lost[:-1] < lost[1:]) & inside[1:]
    return not right.any() and not left.any()


def _candidates(
    costs: _Costs, prices: Ints, counts: Ints, values: Ints, unit: int
) -> Iterator[Ints]:
    """Yield pairs, then triples, that are paid more than they cost by full prices.

    Types are sorted by falling price. Those at a distance of 0, 1, 2, .. are compared:
    with a greater distance the second price only falls.
    """
    order = np.argsort(-prices, kind="stable")
    ordered = prices[order]
    found = [np.zeros((0, 2), np.int64)]
    for distance in range(len(order)):
        paid = ordered[: len(order) - distance] + ordered[distance:]
        least = 2 * unit * costs.least if distance else 0
        first = np.arange(np.searchsorted(-paid, -least))
        if len(first) == 0 and distance:
            break
        pairs = np.column_stack([first, first + distance])
        if distance == 0:
            # A type of one row is in no group twice.
            pairs = pairs[counts[order[first]] >= 2]
        pairs = pairs[_apart(values[order[pairs]])]
        expect_time()
        found.append(
            pairs[costs.affordable(order[pairs], -(-paid[pairs[:, 0]] // (2 * unit)))]
        )
        if sum(map(len, found)) > _MOST_PAIRS:
            raise BeyondError("too many groups are paid nearly as much as they cost")
    pairs = np.concatenate(found)
    yield order[pairs]
    for pair, cost in zip(pairs, costs.of(order[pairs]).tolist(), strict=True):
        expect_time()
        # Types from its second on that are paid enough with it.
        first, second = pair.tolist()
        paid = ordered[first] + ordered[second] + ordered[second:]
        paid = paid[: np.searchsorted(-paid, -3 * unit * cost)]
        triples = np.empty((len(paid), 3), np.int64)
        triples[:, :2], triples[:, 2] = pair, second + np.arange(len(paid))
        if len(paid) and counts[order[second]] < 2 + (first == second):
            triples, paid = triples[1:], paid[1:]
        near = costs.affordable(order[triples], -(-paid // (3 * unit)))
        triples = order[triples[near]]
        yield triples[_apart(values[triples])]


def _apart(values: Ints) -> npt.NDArray[np.bool_]:
    """Return which groups have no value twice; one below 0 is any."""
    ordered = np.sort(values, axis=1)
    again = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    return np.asarray(~again.any(axis=1))


# The residue bound on suppressed tuples, recomputed from the table alone.


def residue_bound(
    table: Table, k: int, l: int, objective: Objective, distinct: int = 1
) -> int:
    """Compute a number of suppressed tuples that no valid release goes below.

    The idea: rows without a star share a group with rows of their own type only. Of
    each type count the rows that cannot stay so; all rows that do not stay form,
    together, a valid group. docs/reference/certificate.md has the theorem (section
    "Kind residue").

    Equal values of the table are merged; it has a sensitive column if ``l > 1`` or
    ``distinct > 1``. These and ``k`` are 1 where the requirement asks for none, and at
    most n. Of the objective its kept columns count.

    One sort of the n rows for each sensitive column, log n passes over the pairs of
    type and value. Integers only.

    Xiao, Yi, Tao (2010), section 5: the rows counted are what phase 1 of TP removes.
    """
    types = table.row_types
    diverse = max(l, distinct) > 1
    columns = [_Column(table, name, l) for name in table.sensitive] if diverse else []
    k = max(k, distinct)
    unsuppressed = types.counts.copy()
    for column in columns:
        unsuppressed = np.minimum(unsuppressed, column.unsuppressed)
        unsuppressed[np.bincount(column.type) < distinct] = 0
    unsuppressed[unsuppressed < k] = 0
    kept = np.flatnonzero(objective.kept(table)).tolist()
    among = classes_of(table, types.codes, kept)
    classes, size = among.inverse, among.size
    bounds = summed(types.counts - unsuppressed, classes, size)
    residue = bounds > 0
    bounds[residue] = np.maximum(bounds[residue], k)
    for column in columns:
        heights = np.where(unsuppressed > 0, column.heights, 0)
        bounds = np.maximum(bounds, l * column.highest(heights, classes, size))
    return int(bounds.sum())


class _Column:
    """One sensitive column: its values by row type, and how many can be left."""

    def __init__(self, table: Table, name: str, l: int) -> None:
        types = table.row_types
        values = table.column(name)
        pairs = group_by([types.inverse, values])
        self.type = types.inverse[pairs.first]
        self.value = values[pairs.first]
        self.count = pairs.counts
        self.heights = self._find_heights(types.counts, l)
        self.unsuppressed = self._limited(self.heights)

    def _limited(self, heights: Ints) -> Ints:
        """Count the rows of each type, at most ``heights`` of each value."""
        most = np.minimum(self.count, heights[self.type])
        return summed(most, self.type, len(heights))

    def _find_heights(self, sizes: Ints, l: int) -> Ints:
        """Find h of each type by bisection."""
        low, high = np.zeros_like(sizes), sizes // l + 1
        while (high - low > 1).any():
            middle = (low + high) // 2
            fits = self._limited(middle) >= l * middle
            low, high = np.where(fits, middle, low), np.where(fits, high, middle)
        return low

    def highest(self, heights: Ints, classes: Int32s, size: int) -> Ints:
        """Return for each class the most suppressed rows of one value."""
        suppressed = np.maximum(self.count - heights[self.type], 0)
        class_ = classes[self.type]
        pairs = group_by([class_, self.value])
        highest = np.zeros(size, np.int64)
        sums = summed(suppressed, pairs.inverse, pairs.size)
        np.maximum.at(highest, class_[pairs.first], sums)
        return highest
