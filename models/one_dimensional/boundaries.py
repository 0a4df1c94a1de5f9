"""Dynamic programming over boundaries: how far values are used up, the largest l."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.models.one_dimensional.k_total import as_sorted

LARGEST, TOTAL, WEIGHTED, PRIVACY = 0, 1, 2, 3
_MOST_KEYS = 2**62
MOST_EXACT = 2**53  # whole numbers up to this are exact in floating point


class Domains(NamedTuple):
    """The rows by sensitive value, each value's rows in their order.

    A *boundary* says of each value how many of its rows are used up; ``key`` writes it
    as one number, in mixed radix.
    """

    x: Floats  # the n numbers, ascending; whole ones from 0 on
    # domain, rank: of each row its value, and its place among the rows of that value
    domain: Ints
    rank: Ints
    rows: Ints  # rows, first: the rows of value q are ``rows[first[q]:first[q + 1]]``
    first: Ints
    stride: Ints  # what a row of value q adds to the key

    @classmethod
    def of(
        cls, values: npt.NDArray[np.number], sensitive: npt.NDArray[np.integer]
    ) -> "Domains":
        """Return the rows of sorted values, with a sensitive value each.

        Raises ValueError where there are more boundaries than a key can number, or
        whole numbers that are too far apart for exact differences.
        """
        if values.dtype == np.int64:
            values = values - values[0]
            if values[-1] > MOST_EXACT:
                raise ValueError("Expected whole numbers no more than 2^53 apart.")
        labels, domain = np.unique(sensitive, return_inverse=True)
        counts = np.bincount(domain, minlength=len(labels))
        first = np.append(0, np.cumsum(counts))
        rows = np.argsort(domain, kind="stable")
        rank = np.empty(len(rows), np.int64)
        rank[rows] = np.arange(len(rows)) - np.repeat(first[:-1], counts)
        stride, key = [], 1
        for count in counts.tolist():
            stride.append(key)
            key *= count + 1
        if key > _MOST_KEYS:
            raise ValueError(f"Expected at most 2^62 boundaries, got {key:.1e}.")
        return cls(
            values.astype(np.float64),
            domain.astype(np.int64),
            rank,
            rows,
            first,
            np.array(stride, np.int64),
        )


class Rules(NamedTuple):
    """Which groups are allowed, and what they cost."""

    # LARGEST, TOTAL or WEIGHTED (by size) extent, to be minimised, or PRIVACY: size by
    # rows of the most frequent value, its least to be maximised
    loss: int
    bound: float  # the largest extent of a group
    least: int  # least, most: the sizes of groups
    most: int
    cap: int  # the most rows of one value in a group
    floor: int  # floor, of: the least privacy of a group, as a fraction
    of: int
    earned: float = 0.0  # what each group takes off the TOTAL


@compiled
def best_groups(data: Domains, rules: Rules) -> tuple[float, Ints]:
    """Find the best ordered partition: its value, and the group of each row.

    Groups take rows of each value in their order (group order), and their first and
    last rows are in the same order as they are (border order). So each next group has
    the first row that is left, and ends after all before it. A boundary is reached in
    many ways, of which the best is kept; boundaries are worked off by the first row
    that is left, which every group moves on. Where there is no such partition the value
    is infinity (for PRIVACY 0), and there are no groups.
    """
    n, m = len(data.x), len(data.first) - 1
    sign = -1.0 if rules.loss == PRIVACY else 1.0
    state_of = {np.int64(0): 0}
    keys = [np.int64(0)]
    values = [-np.inf if rules.loss in (LARGEST, PRIVACY) else 0.0]
    before = [-1]
    following = [-1]  # the next state that waits for the same row
    waiting = np.full(n + 1, -1, np.int64)
    waiting[0] = 0
    used = np.empty(m, np.int64)
    room = np.empty(m, np.int64)
    take = np.empty(m, np.int64)
    for row in range(n):
        state = waiting[row]
        while state >= 0:
            key, value = keys[state], values[state]
            end = _read(data, key, used)
            own = data.domain[row]
            for q in range(m):
                room[q] = _room(data, rules, q, used[q], row)
                take[q] = 0
            take[own] = 1
            more = True
            while more:
                cost = _cost(data, rules, used, take, row, end)
                if cost < np.inf:
                    after = key
                    for q in range(m):
                        after += take[q] * data.stride[q]
                    if rules.loss == TOTAL or rules.loss == WEIGHTED:
                        cost += value
                    else:
                        cost = max(cost, value)
                    known = state_of.get(after, -1)
                    if known < 0:
                        state_of[after] = len(keys)
                        left = _first_left(data, used, take, row)
                        keys.append(after)
                        values.append(cost)
                        before.append(state)
                        following.append(waiting[left])
                        waiting[left] = len(keys) - 1
                    elif cost < values[known]:
                        values[known], before[known] = cost, state
                more = _next_take(take, room, own)
            state = following[state]
    groups = np.full(n, -1, np.int64)
    if waiting[n] < 0:
        return sign * np.inf if sign > 0 else 0.0, groups[:0]
    state = waiting[n]
    best = sign * values[state]
    label = 0
    while before[state] >= 0:
        _read(data, keys[state], used)
        _read(data, keys[before[state]], room)
        for q in range(m):
            for place in range(room[q], used[q]):
                groups[data.rows[data.first[q] + place]] = label
        label += 1
        state = before[state]
    return best, label - 1 - groups


@inner
def _read(data: Domains, key: int, used: Ints) -> int:
    """Read how many rows of each value are used up, and the last row that is."""
    end = -1
    for q in range(len(used)):
        size = data.first[q + 1] - data.first[q]
        used[q] = key // data.stride[q] % (size + 1)
        if used[q] > 0:
            end = max(end, data.rows[data.first[q] + used[q] - 1])
    return end


@inner
def _room(data: Domains, rules: Rules, q: int, used: int, row: int) -> int:
    """Return how many rows of value q a group that begins with ``row`` can have."""
    size = data.first[q + 1] - data.first[q]
    room = 0
    while (
        room < rules.cap
        and used + room < size
        and data.x[data.rows[data.first[q] + used + room]] - data.x[row] <= rules.bound
    ):
        room += 1
    return room


@inner
def _next_take(take: Ints, room: Ints, own: int) -> bool:
    """Count on; a group has a row of the value of its first row."""
    for q in range(len(take)):
        if take[q] < room[q]:
            take[q] += 1
            return True
        take[q] = 1 if q == own else 0
    return False


@inner
def _first_left(data: Domains, used: Ints, take: Ints, row: int) -> int:
    left = row + 1
    while left < len(data.x):
        q = data.domain[left]
        if data.rank[left] >= used[q] + take[q]:
            break
        left += 1
    return left


@inner
def _cost(
    data: Domains, rules: Rules, used: Ints, take: Ints, row: int, end: int
) -> float:
    """Return what the group costs; infinite where it is not allowed."""
    size, most, last = 0, 0, -1
    for q in range(len(take)):
        if take[q] > 0:
            size += take[q]
            most = max(most, take[q])
            last = max(last, data.rows[data.first[q] + used[q] + take[q] - 1])
    if last < end or not rules.least <= size <= rules.most:
        return np.inf
    if rules.of * size < rules.floor * most:
        return np.inf
    if rules.cap == 1 and _uncovered(data, used, take):
        return np.inf
    extent = data.x[last] - data.x[row]
    if rules.loss == PRIVACY:
        return -size / most
    if rules.loss == TOTAL:
        return float(extent - rules.earned)
    return float(size * extent if rules.loss == WEIGHTED else extent)


@inner
def _uncovered(data: Domains, used: Ints, take: Ints) -> bool:
    """Check whether the cover property fails whatever comes later.

    It fails if the group has the last row r of a value and leaves all of another
    value, a row before r among them: the later group of that row has none of the
    value of r, and would rather have r.
    """
    last = -1
    for q in range(len(take)):
        if take[q] > 0 and data.first[q] + used[q] + take[q] == data.first[q + 1]:
            last = max(last, data.rows[data.first[q] + used[q]])
    for q in range(len(take)):
        at = data.first[q] + used[q]
        if take[q] == 0 and at < data.first[q + 1] and data.rows[at] < last:
            return True
    return False


# The largest l that groups of bounded extent allow, in one dimension.


class LargestL(NamedTuple):
    """The least privacy of a group, and the group of each row."""

    l: Fraction
    groups: Ints


def l_dual(
    values: npt.ArrayLike,
    sensitive: npt.NDArray[np.integer],
    bound: float,
    at_least: float | Fraction = 1,
) -> LargestL | None:
    r"""Solve the accuracy-constrained problem exactly for l.

    Of all partitions into groups of extent ``bound`` at most it finds one whose least
    *privacy* is largest: size by rows of the most frequent sensitive value, the l of
    l-diversity as a fraction.

    Some best partition has groups that are consecutive among the rows of each
    sensitive value (Lemma 7), in one and the same order, and that begin and end in
    it: rows of one value are exchanged where it is not so. So the program over
    boundaries (``boundaries``) is exact:

    .. math::

        PM(a) = \max_{b \prec a,\ \text{extent}(b, a) \le E}
            \min(PM(b),\ PM(\text{group from b to a}))

    Groups may have many rows of one value, as these numbers are no whole ones.

    ``values`` are n numbers in ascending order, ``sensitive`` has for each a whole
    number, and groups with less privacy than ``at_least`` are not looked for, which is
    read as by ``least_privacy``. None where all partitions have less. Raises ValueError
    for a negative bound, values not in order, or more than 2^62 boundaries.

    Notes
    -----
    O(n c^2m) for m sensitive values and c rows of each within the bound.

    References
    ----------
    Ghinita, Karras, Kalnis, Mamoulis (2009), section 5.1.

    Examples
    --------
    >>> x, sensitive = np.array([0, 1, 2, 10, 11, 12]), np.array([0, 0, 1, 1, 1, 0])
    >>> l_dual(x, sensitive, 2)
    LargestL(l=Fraction(3, 2), groups=array([0, 0, 0, 1, 1, 1]))
    """
    given = as_sorted(values)
    n = len(given)
    if n == 0 or not bound >= 0:
        raise ValueError(f"Expected values and a bound >= 0, got bound = {bound}.")
    floor = least_privacy(at_least, n)
    if floor > n:
        return None
    least = max(1, math.ceil(floor))
    rules = Rules(
        PRIVACY, float(bound), least, n, n, floor.numerator, floor.denominator
    )
    best, groups = best_groups(Domains.of(given, sensitive), rules)
    if len(groups) == 0:
        return None
    return LargestL(Fraction(best).limit_denominator(n), groups)


def least_privacy(l: float | Fraction, n: int) -> Fraction:
    """Return the least privacy that a group of up to n rows can have and l allows.

    A float stands for the fraction of up to n rows that it was rounded from, if it is
    one: 21 / 19 is not larger than 21 of 19.

    Examples
    --------
    >>> least_privacy(21 / 19, 21), least_privacy(2.24, 5)
    (Fraction(21, 19), Fraction(9, 4))
    """
    exact = Fraction(l)
    near = exact.limit_denominator(n)
    if near == exact or float(near) == l:
        return near
    return min(Fraction(math.ceil(exact * rows), rows) for rows in range(1, n + 1))
