"""l-diverse groups along a line, of rows that widen its ranges least."""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.scales.scale import ScaleArrays
from starmin.instances.scales.scale_loops import extent


class RemainingRows(NamedTuple):
    """The rows that no group has taken; all arrays change in place."""

    after: Ints  # of each row the next one of the same value, n where there is none
    # head, counts: of each value the first row that remains, and how many do
    head: Ints
    counts: Ints
    with_count: Ints  # how many values have 0, 1, .. rows that remain
    # left, most: one number each: all rows that remain, and those of the most frequent
    # value
    left: Ints
    most: Ints


@compiled
def all_rows(sensitive: Int32s) -> RemainingRows:
    """Return the state in which all rows remain.

    Examples
    --------
    >>> rows = all_rows(np.array([0, 1, 0], np.int32))
    >>> rows.head.tolist(), rows.after.tolist(), rows.counts.tolist()
    ([0, 1], [2, 3, 3], [2, 1])
    """
    n, values = len(sensitive), sensitive.max() + 1
    after, head = np.empty(n, np.int64), np.full(values, n, np.int64)
    count = np.zeros(values, np.int64)
    for row in range(n - 1, -1, -1):
        value = sensitive[row]
        after[row], head[value] = head[value], row
        count[value] += 1
    with_count = np.zeros(n + 1, np.int64)
    for value in range(values):
        with_count[count[value]] += 1
    most = np.array([count.max()])
    return RemainingRows(after, head, count, with_count, np.array([n]), most)


@inner
def take(rows: RemainingRows, value: int) -> None:
    """Count one row of a value as taken; ``head`` stays."""
    rows.with_count[rows.counts[value]] -= 1
    rows.counts[value] -= 1
    rows.with_count[rows.counts[value]] += 1
    rows.left[0] -= 1
    if rows.with_count[rows.most[0]] == 0:
        rows.most[0] -= 1


@inner
def give_back(rows: RemainingRows, value: int) -> None:
    """Undo ``take``."""
    rows.with_count[rows.counts[value]] -= 1
    rows.counts[value] += 1
    rows.with_count[rows.counts[value]] += 1
    rows.left[0] += 1
    rows.most[0] = max(rows.most[0], rows.counts[value])


@inner
def eligible(rows: RemainingRows, l: int) -> bool:
    """Check whether no value has more than 1/l of the rows that remain."""
    return bool(l * rows.most[0] <= rows.left[0])


@inner
def fall_back(rows: RemainingRows, l: int) -> list[int]:
    """Take rows of the most frequent values until l or more and the rest l-eligible.

    Of equally frequent values that of the first row is first.
    """
    n = len(rows.after)
    here = np.flatnonzero(rows.counts > 0)
    by_count = here[np.argsort(rows.head[here] - rows.counts[here] * n)]
    members = [0 for _ in range(0)]
    for value in by_count:
        members.append(rows.head[value])
        take(rows, value)
        if len(members) >= l and eligible(rows, l):
            break
    return members


@compiled
def l_groups_by_ncp(
    sensitive: Int32s,
    places: Int32s,
    arrays: ScaleArrays,
    weights: Floats,
    l: int,
    width: int,
    most_work: int,
) -> Int32s:
    """Form groups of different values that begin with the first row that is left.

    As ``l_groups_by_extent``, but the other rows are chosen by what the group loses: of
    the ``width`` first rows of the frontier (the first row that is left of each value)
    always the one that adds least. If they do not do the next ones are looked at, too;
    if all of the frontier does not do it falls back on the most frequent values.

    Better than ``l_groups_by_extent`` where groups are small and there are many
    sensitive values to choose from; worse where rows that are passed over have far to
    go.

    Parameters
    ----------
    sensitive
        n codes in the order of the line, no value more than n / l times.
    places
        n x d, the positions of the rows on their scales.
    arrays, weights
        Those of ``Scales.arrays`` and ``Objective.range_prices``; rows agree where a
        weight is negative.
    l
        The least number of values in a group.
    width
        How many values of the frontier are compared at first, at least l.
    most_work
        Rows of the frontier that are looked at before it is given up.

    Returns
    -------
    array
        The group of each row; empty if it was given up.

    Notes
    -----
    O(n width d), and O(m log m) for each group, with m sensitive values. Where one
    value is so frequent that most groups have to have it, groups may grow until they
    do: O(m^2 d) for each group.
    """
    rows = all_rows(sensitive)
    group = np.full(len(sensitive), -1, np.int32)
    of_value = np.full(len(rows.head), -1, np.int64)  # the last group that has it
    low, high = places[0].copy(), places[0].copy()
    loss = np.zeros(len(low))
    label, work = 0, 0
    while rows.left[0] > 0:
        if work > most_work:
            return group[:0]
        heads = np.sort(rows.head[rows.counts > 0])
        work += len(heads)
        low[:], high[:], loss[:] = places[heads[0]], places[heads[0]], 0
        members = [heads[0]]
        looked_at = min(width, len(heads))
        while True:
            value = sensitive[members[-1]]
            of_value[value] = label
            take(rows, value)
            if len(members) >= l and eligible(rows, l):
                break
            best = -1
            while best < 0 and len(members) < len(heads):
                best = _cheapest(
                    heads[:looked_at],
                    sensitive,
                    of_value,
                    label,
                    places,
                    arrays,
                    weights,
                    (low, high, loss),
                )
                work += looked_at
                looked_at = looked_at if best >= 0 else min(len(heads), 2 * looked_at)
            if best < 0:
                for row in members:  # rolled back
                    give_back(rows, sensitive[row])
                members = fall_back(rows, l)
                break
            for j in range(len(low)):
                place = places[best, j]
                if not low[j] <= place <= high[j]:
                    low[j], high[j] = min(low[j], place), max(high[j], place)
                    loss[j] = weights[j] * extent(arrays, j, low[j], high[j])
            members.append(best)
        for row in members:
            group[row] = label
            rows.head[sensitive[row]] = rows.after[row]
        label += 1
    return group


@inner
def _cheapest(
    heads: Ints,
    sensitive: Int32s,
    of_value: Ints,
    label: int,
    places: Int32s,
    arrays: ScaleArrays,
    weights: Floats,
    ranges: tuple[Int32s, Int32s, Floats],
) -> int:
    """Return the row with which the group loses least; -1 if all values are in it."""
    low, high, loss = ranges
    best, least = -1, np.inf
    for row in heads:
        if of_value[sensitive[row]] == label:
            continue
        cost = 0.0
        for j in range(len(low)):
            place = places[row, j]
            if low[j] <= place <= high[j]:
                cost += loss[j]
            else:
                cost += weights[j] * extent(
                    arrays, j, min(low[j], place), max(high[j], place)
                )
            if cost >= least:
                break
        if cost < least:
            best, least = row, cost
    return best
