"""l-diverse groups along a line, of rows that widen its ranges least."""

import numpy as np

from starmin.heuristics.cuts.remaining_rows import (
    all_rows,
    eligible,
    fall_back,
    give_back,
    take,
)
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.scales.scale_arrays import ScaleArrays
from starmin.instances.scales.scale_loops import extent


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
            _widen(low, high, loss, places[best], arrays, weights)
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


@inner
def _widen(
    low: Int32s,
    high: Int32s,
    loss: Floats,
    place: Int32s,
    arrays: ScaleArrays,
    weights: Floats,
) -> None:
    for j in range(len(low)):
        if not low[j] <= place[j] <= high[j]:
            low[j], high[j] = min(low[j], place[j]), max(high[j], place[j])
            loss[j] = weights[j] * extent(arrays, j, low[j], high[j])
