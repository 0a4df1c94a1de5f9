"""The bound that prices of row types and of odd sets prove, for 2-anonymity."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from instances import Objective, Table, group_by
from verify.certificates.untrusted import RefusalError, whole

Ints = npt.NDArray[np.int64]

MOST_COLUMNS = 20  # All sets of starred columns are looked at.
# Sums of prices, costs and rows are kept below this in size.
_LARGEST = 2**62
# Groups that need a look at their odd sets, in one set of columns.
_MOST_GROUPS = 50_000_000


@dataclass(frozen=True, eq=False)
class OddSets:
    """Odd sets of row types and their prices.

    Attributes
    ----------
    sets
        The types in each: with an odd number of rows, each once.
    prices
        One for each set, 0 or more.
    """

    sets: Sequence[npt.NDArray[np.integer]]
    prices: Ints


def read_odd_sets(data: Mapping[str, Any], order: npt.NDArray[np.integer]) -> OddSets:
    """Read odd sets and their prices from a certificate's data, each entry checked.

    Parameters
    ----------
    data
        With ``sets`` and ``set_prices``.
    order
        The types in the canonical order, by which the data number them.
    """
    sets, paid = data["sets"], data["set_prices"]
    if not isinstance(sets, list) or not isinstance(paid, list):
        raise RefusalError("its sets and their prices are not lists")
    if len(sets) != len(paid):
        raise RefusalError("its sets are not as many as their prices")
    for price in paid:
        whole(price, "the price of a set", 0)
    return OddSets(
        [order[_read_set(one, len(order))] for one in sets], np.array(paid, np.int64)
    )


def _read_set(written: object, types: int) -> Ints:
    """Return the numbers of the types in a set, refused if they are none."""
    if not isinstance(written, list) or not written:
        raise RefusalError("a set is not a list of numbers of types")
    for number in written:
        if whole(number, "a number of a type", 0) >= types:
            raise RefusalError(f"a set has a type that is not one of {types}")
    if len(set(written)) < len(written):
        raise RefusalError("a set has a type twice")
    return np.array(written, np.int64)


def odd_set_bound(
    table: Table,
    objective: Objective,
    prices: Ints,
    odd_sets: OddSets,
    denominator: int,
) -> int:
    r"""Compute a number of (weighted) stars that no 2-anonymous release goes below.

    .. math:: LB = \sum_t \lambda_t s_t + \sum_S \mu_S, \qquad
        \sum_{t \in G} \lambda_t + \sum_{S :\, |G \cap S|\ \text{odd}} \mu_S
        \le c_G \quad \text{for all pairs and triples } G.

    Why it is right. A group of four rows or more splits into pairs and triples, which
    need no further stars. A release so split covers the odd number of rows of S, so
    one of its pairs and triples has an odd number of them: all together are paid LB or
    more, and none is paid more than it costs.

    What is looked at. Let the *full price* of a type be its own with those of all sets
    that it is in. A group is never paid more than its full prices. So for each set of
    starred columns, only groups whose full prices add up to more than they cost need a
    look at their sets. The two highest prices of such a triple are those of such a
    pair, so that triples extend pairs.

    Parameters
    ----------
    table
        Equal values merged.
    objective
        Stars: its weights and kept columns.
    prices
        For each row type, in units of 1/denominator.
    odd_sets
        The sets, and their prices in the same unit.
    denominator
        A positive integer.

    Raises
    ------
    ValueError
        A set has an even number of rows, a group is paid more than it costs, or there
        are numbers, columns or groups beyond what is checked.

    Examples
    --------
    >>> from instances import STARS
    >>> rows = [["0", "x"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> sets = OddSets([np.array([0, 1, 2])], np.array([3]))
    >>> odd_set_bound(table, STARS, np.array([1, 1, 1]), sets, 1)
    6
    """
    types = table.row_types
    weights = [objective.weights.get(column, 1) for column in table.qi]
    paid: int = sum(odd_sets.prices.tolist())
    highest = max(abs(int(prices.min())), abs(int(prices.max()))) + paid
    # In Python integers: no sum below is of more than n or, for a group, 3 of these.
    if (3 + table.n) * (highest + denominator * (sum(weights) + 1)) >= _LARGEST:
        raise ValueError("prices, weights and rows multiply beyond 64 bits")
    for number, one in enumerate(odd_sets.sets):
        if int(types.counts[one].sum()) % 2 == 0:
            raise ValueError(f"set {number} of its data has an even number of rows")
    excess = _Excess(prices, odd_sets)
    for cost, classes in _classes(table, objective, weights):
        for size, members in _candidates(
            classes, excess.full_prices, types.counts, denominator * cost
        ):
            if (excess.payments(members) > size * denominator * cost).any():
                raise ValueError("a group is paid more than it costs")
    # At most n times the highest price in size, and all set prices once.
    total = int((prices * types.counts).sum()) + paid
    return max(0, -(-total // denominator))


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


def _classes(
    table: Table, objective: Objective, weights: list[int]
) -> Iterator[tuple[int, npt.NDArray[np.integer]]]:
    """Yield the cost of each set of starred columns, and the classes of row types."""
    types = table.row_types
    free = np.flatnonzero(~objective.kept(table)).tolist()
    if len(free) > MOST_COLUMNS:
        raise ValueError(f"more than {MOST_COLUMNS} columns are too many to check")
    for bits in range(1 << len(free)):
        starred = {a for place, a in enumerate(free) if bits >> place & 1}
        kept = [a for a in range(table.d) if a not in starred]
        classes: npt.NDArray[np.integer] = np.zeros(len(types), np.int64)
        if kept:
            columns = [types.codes[:, a] for a in kept]
            classes = group_by(
                columns, [table.qi_cardinalities[a] for a in kept]
            ).inverse
        yield sum(weights[a] for a in starred), classes


def _candidates(
    classes: npt.NDArray[np.integer], prices: Ints, counts: Ints, cost: int
) -> Iterator[tuple[int, Ints]]:
    """Yield pairs, then triples, whose full prices are more than ``cost`` a row.

    In each class the types are sorted by falling price. Types at a distance of 0, 1,
    2, .. are compared, for as long as some are paid enough: with a greater distance
    the second price only falls.
    """
    order = np.lexsort((-prices, classes))
    classes, prices = classes[order], prices[order]
    firsts, seconds = _extend(classes, prices, np.arange(len(order))[:, None], 2 * cost)
    # A type of one row is in no group twice.
    twice = (firsts[:, 0] != seconds) | (counts[order[seconds]] >= 2)
    pairs = np.column_stack([firsts, seconds])[twice]
    yield 2, order[pairs]
    firsts, thirds = _extend(classes, prices, pairs, 3 * cost)
    uses = 1 + (firsts == thirds[:, None]).sum(axis=1)
    enough = uses <= counts[order[thirds]]
    yield 3, order[np.column_stack([firsts, thirds])[enough]]


def _extend(
    classes: npt.NDArray[np.integer], prices: Ints, parts: Ints, least: int
) -> tuple[Ints, Ints]:
    """Extend parts of groups by a type of their class, their last one or after it.

    Returns parts and types that are paid more than ``least``.
    """
    paid, last = prices[parts].sum(axis=1), parts[:, -1]
    found = [np.zeros((0, parts.shape[1] + 1), np.int64)]
    alive, distance, total = np.arange(len(parts)), 0, 0
    while len(alive):
        alive = alive[last[alive] + distance < len(classes)]
        other = last[alive] + distance
        fits = (classes[other] == classes[last[alive]]) & (
            paid[alive] + prices[other] > least
        )
        alive, other = alive[fits], other[fits]
        found.append(np.column_stack([parts[alive], other]))
        distance, total = distance + 1, total + len(alive)
        if total > _MOST_GROUPS:
            raise ValueError("too many groups are paid nearly as much as they cost")
    groups = np.concatenate(found)
    return groups[:, :-1], groups[:, -1]
