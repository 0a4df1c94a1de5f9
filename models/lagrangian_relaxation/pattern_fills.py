"""The value of every pattern under prices, cuts and what a branch has decided."""

from typing import Any, NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.loops.compiled import Loop, compiled, inlined, inner
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import INFEASIBLE

# The best choice of rows in one pattern: loops that all who price or trim call.
#
# A valid choice has at most h copies of each sensitive value among at least ``l h``
# of them, for some h, its *cap*. ``price_bound`` shows why bisection finds the best
# cap.


class Choices(NamedTuple):
    """The members of all patterns, those of each in order of their reduced costs."""

    reduced: Ints  # reduced cost of each member
    copies: Ints  # number of copies of each member
    values: Ints  # sensitive value of each member
    used: Ints  # room for a count of each value; all zero before and after a call


@inlined
def best_cap_by(
    choose: Loop, choices: Any, low: int, high: int, k: int, l: int, guess: int
) -> int:
    """Return the least cap of ``low`` to ``high`` from which on values fall no more.

    By bisection, which begins near the cap ``guess`` (0 for none). ``choose`` is a loop
    that takes ``choices``, a cap h and how many copies there must be, and returns value
    and copies of the best choice; the value is ``INFEASIBLE`` where copies are too few.
    ``k`` and ``l`` are the requirement.
    """
    probes = 0 if guess > 0 else 2
    while low < high:
        h = (low + high) // 2
        if probes < 2:
            h = max(low, min(high - 1, guess - (probes == 1 and high == guess)))
        probes += 1
        here, total = choose(choices, h, max(k, l * h))
        if here == INFEASIBLE:
            # Too few copies: of k for this h, or of l h since h is too large.
            falls = l * h <= total < k
        else:
            falls = choose(choices, h + 1, max(k, l * (h + 1)))[0] < here
        if falls:
            low = h + 1
        else:
            high = h
    return low


@inner
def most_of_a_value(choices: Choices, a: int, b: int) -> int:
    """Return how many copies the most frequent value has."""
    used, values, copies = choices.used, choices.values, choices.copies
    most = np.int64(0)
    for i in range(a, b):
        used[values[i]] += copies[i]
        most = max(most, used[values[i]])
    for i in range(a, b):
        used[values[i]] = 0
    return int(most)


@compiled
def highest_cap(have: Ints | Int32s, k: int, l: int) -> int:
    """Return the highest cap of a choice among copies of values; 0 if there is none.

    Examples
    --------
    >>> highest_cap(np.array([5, 1, 1]), 3, 2), highest_cap(np.array([5, 1]), 3, 2)
    (2, 0)
    """
    cap, total = have.max(), have.sum()
    while cap > 0 and total < max(k, l * cap):
        if total < k:
            return 0
        # No cap above total / l has enough copies, for fewer are left below.
        cap = total // l
        total = np.minimum(have, cap).sum()
    return int(cap)


@inner
def choose(choices: Choices, a: int, b: int, h: int, need: int) -> tuple[int, int]:
    """Return value and copies of the best choice for this h; or INFEASIBLE.

    It has at most h copies of a value and at least ``need`` copies in all.
    """
    reduced, copies = choices.reduced, choices.copies
    values, used = choices.values, choices.used
    total, value = np.int64(0), np.int64(0)
    for i in range(a, b):
        take = min(copies[i], h - used[values[i]])
        if reduced[i] >= 0:
            if total >= need:
                break
            take = min(take, need - total)
        used[values[i]] += take
        total += take
        value += take * reduced[i]
    for i in range(a, b):
        used[values[i]] = 0
    return (int(value) if total >= need else INFEASIBLE), int(total)


@inner
def _choose_among(span: tuple[Choices, int, int], h: int, need: int) -> tuple[int, int]:
    """Return value and copies of the best choice among those of one pattern."""
    value, total = choose(span[0], span[1], span[2], h, need)
    return value, total


@inner
def best_cap(
    choices: Choices, a: int, b: int, low: int, high: int, k: int, l: int
) -> int:
    """Return the least cap of ``low`` to ``high`` from which on values fall no more."""
    return int(best_cap_by(_choose_among, (choices, a, b), low, high, k, l, 0))


class GroupConditions(NamedTuple):
    """What decides which rows of a pattern are a valid group."""

    patterns: Patterns
    k: int  # k, l: 1 where there is no such requirement; l is for frequency
    l: int
    distinct: int  # different values in each sensitive column; 1 where not required
    sensitive: Int32s  # m x c, the codes of the sensitive values of the row types


class Heights(NamedTuple):
    """The least and the greatest height that each pattern may have.

    The height of a pattern is the number of copies of its most frequent sensitive
    value; for k-anonymity alone, where there is none, of all its copies.
    """

    least: Ints
    most: Ints

    @classmethod
    def free(cls, patterns: int) -> "Heights":
        """No pattern has to be open, and none is closed."""
        return cls(np.zeros(patterns, np.int64), np.full(patterns, INFEASIBLE))


def fill_values(
    groups: GroupConditions,
    reduced: Ints,
    heights: Heights,
    without: Bools | None = None,
) -> Ints:
    """Return what the best rows of each pattern cost that are a valid group.

    By pattern; INFEASIBLE where no fill is valid. That a pattern may have no rows at
    all is not considered. ``reduced`` is what one copy of each incidence costs; rows
    are not taken from the incidences that ``without`` marks. ``heights`` is what a
    branch has decided of each pattern.

    The best fill of a given height is greedy, and its worth is convex in the height, so
    that the best height is found by bisection.

    Examples
    --------
    >>> from starmin.instances import STARS, Table
    >>> from starmin.models.patterns.closed_listing import closed_patterns
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["2"]], qi=["a"])
    >>> patterns = closed_patterns(table, table.row_types, STARS, least_support=2)
    >>> groups = GroupConditions(patterns, 2, 1, 1, table.row_types.sensitive)
    >>> fill_values(groups, np.array([-5, 3, 4]), Heights.free(1)).tolist()
    [-2]
    """
    patterns = groups.patterns
    order = np.lexsort((reduced, patterns.pattern))
    members = patterns.types[order]
    copies = patterns.counts[members]
    if without is not None:
        copies[without[order]] = 0
    if groups.distinct > 1 and groups.l == 1:
        return _distinct_values(groups, members, reduced[order], copies, heights)
    worth = np.full(len(patterns), -INFEASIBLE)
    for column in range(groups.sensitive.shape[1] if groups.l > 1 else 1):
        values = np.zeros(len(patterns.counts), np.int64)
        if groups.l > 1:
            values = groups.sensitive[:, column].astype(np.int64)
        if column:
            heights = Heights.free(len(patterns))
        priced = Choices(
            reduced[order],
            copies,
            values[members],
            np.zeros(int(values.max()) + 1, np.int64),
        )
        if groups.distinct > 1:
            found = _with_heads(groups, priced, heights)
        else:
            found = best_fills(patterns.starts, priced, heights, groups.k, groups.l)
        worth = np.maximum(worth, found)
    return worth


def _with_heads(groups: GroupConditions, priced: Choices, heights: Heights) -> Ints:
    """Return what the best rows of enough values cost by frequency.

    Their heads become so cheap that they are chosen before all others.
    """
    patterns = groups.patterns
    heads = _heads(groups, priced.values, priced.copies)
    entries = np.flatnonzero(heads)
    discount = 1 + 2 * int(np.abs(priced.reduced).max())
    reduced = np.append(priced.reduced, priced.reduced[entries] - discount)
    pattern = np.append(patterns.pattern, patterns.pattern[entries])
    order = np.lexsort((reduced, pattern))
    split = Choices(
        reduced[order],
        np.append(priced.copies - heads, np.ones(len(entries), np.int64))[order],
        np.append(priced.values, priced.values[entries])[order],
        priced.used,
    )
    starts = np.searchsorted(pattern[order], np.arange(len(patterns) + 1))
    found = best_fills(starts.astype(np.int64), split, heights, groups.k, groups.l)
    enough = np.add.reduceat(heads, patterns.starts[:-1]) >= groups.distinct
    possible = enough & (found < INFEASIBLE)
    return np.where(possible, found + discount * groups.distinct, INFEASIBLE)


def _distinct_values(
    groups: GroupConditions,
    members: Int32s,
    reduced: Ints,
    copies: Ints,
    heights: Heights,
) -> Ints:
    """Return what the best rows with enough distinct values cost, as above.

    A group may be supposed to have the cheapest copies of the cheapest values; any
    other copies follow by rising cost. Incidences stand in this order in each pattern.
    """
    patterns, starts = groups.patterns, groups.patterns.starts[:-1]
    need = np.maximum(groups.k, heights.least)
    worth = np.full(len(patterns), -INFEASIBLE)
    for codes in groups.sensitive.T:
        first = _heads(groups, codes.astype(np.int64)[members], copies)
        rest = copies - first
        gainful = np.add.reduceat(np.where(reduced < 0, rest, 0), starts)
        until = np.minimum(
            np.maximum(gainful, need - groups.distinct), heights.most - groups.distinct
        )[patterns.pattern]
        taken = first + np.clip(until - _before(patterns, rest), 0, rest)
        size = np.add.reduceat(taken, starts)
        enough = np.add.reduceat(first, starts) >= groups.distinct
        fails = ~enough | (size < need) | (size > heights.most)
        found = np.where(fails, INFEASIBLE, np.add.reduceat(reduced * taken, starts))
        worth = np.maximum(worth, found)
    return worth


def _heads(groups: GroupConditions, values: Ints, copies: Ints) -> Ints:
    """Return 1 for the cheapest copies of the cheapest values that are asked for."""
    patterns = groups.patterns
    offered = np.flatnonzero(copies > 0)
    pairs = patterns.pattern[offered] * (int(values.max()) + 1) + values[offered]
    heads = np.zeros(len(copies), np.int64)
    heads[offered[np.unique(pairs, return_index=True)[1]]] = 1
    return np.asarray(heads * (_before(patterns, heads) < groups.distinct))


def _before(patterns: Patterns, numbers: Ints) -> Ints:
    """Return the sum of the numbers before each one in its pattern."""
    before = np.cumsum(numbers) - numbers
    return np.asarray(before - before[patterns.starts[:-1]][patterns.pattern])


@compiled
def best_fills(
    starts: Ints, members: Choices, heights: Heights, k: int, l: int
) -> Ints:
    """Return what the best rows of each pattern cost, in order of reduced costs."""
    found = np.empty(len(starts) - 1, np.int64)
    for p in range(len(found)):
        a, b = starts[p], starts[p + 1]
        low, high = max(1, heights.least[p]), heights.most[p]
        if l == 1:
            found[p] = choose(members, a, b, high, max(k, low))[0]
        else:
            found[p] = _best_height(members, a, b, low, high, k, l)
    return found


@inner
def _best_height(
    members: Choices, a: int, b: int, low: int, high: int, k: int, l: int
) -> int:
    """Return the least value over all heights, by bisection."""
    high = min(high, max(low, most_of_a_value(members, a, b)))
    if low > high:
        return int(INFEASIBLE)
    h = best_cap(members, a, b, low, high, k, l)
    return int(choose(members, a, b, h, max(k, l * h))[0])
