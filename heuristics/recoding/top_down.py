"""TopDown: rows split around two seeds that are far apart, again and again."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.heuristics.orders.along_order import both_hold
from starmin.heuristics.recoding import TOP_DOWN
from starmin.heuristics.recoding.mondrian import divide
from starmin.instances import (
    STARS,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.scales.scale import ScaleArrays
from starmin.instances.scales.scale_loops import extent


@compiled
def split_groups(
    places: Int32s,
    starts: Ints,
    picks: Ints,
    arrays: ScaleArrays,
    weights: Floats,
    least: int,
    scans: int,
) -> npt.NDArray[np.int8]:
    """Split each of many groups in two; return the half of each row, 0 or 1. O(n d).

    ``places`` are n x d, the positions of the rows of one group after the other.
    ``starts`` says where each group starts, and n; ``picks`` has the place of a row of
    each group to look for seeds from, in ``scans`` scans for seeds that are far apart.
    Each half must have ``least`` rows, if the group has twice as many.
    """
    half = np.zeros(len(places), np.int8)
    for g in range(len(starts) - 1):
        low, high = starts[g], starts[g + 1]
        one, other = _seeds(places, low, high, picks[g], scans, arrays, weights)
        _assign(places, half, low, high, one, other, arrays, weights)
        ones = 0
        for row in range(low, high):
            ones += half[row]
        if ones < least:
            _fill(places, half, low, high, other, 1, least - ones, arrays, weights)
        elif high - low - ones < least:
            short = least - (high - low - ones)
            _fill(places, half, low, high, one, 0, short, arrays, weights)
    return half


@inner
def _distance(
    places: Int32s, row: int, seed: int, arrays: ScaleArrays, weights: Floats
) -> float:
    """Return what a group of the two rows alone costs each of them."""
    distance = 0.0
    for j in range(places.shape[1]):
        a, b = places[row, j], places[seed, j]
        if a != b:
            distance += weights[j] * extent(arrays, j, min(a, b), max(a, b))
    return distance


@inner
def _seeds(
    places: Int32s,
    low: int,
    high: int,
    pick: int,
    scans: int,
    arrays: ScaleArrays,
    weights: Floats,
) -> tuple[int, int]:
    """Find two rows far apart: the farthest from one, then the farthest from that."""
    one, other = pick, pick
    farthest = -1.0
    for _ in range(scans):
        best, at = farthest, -1
        for row in range(low, high):
            distance = _distance(places, row, other, arrays, weights)
            if distance > best:
                best, at = distance, row
        if at == -1:
            break
        one, other, farthest = other, at, best
    return one, other


@inner
def _assign(
    places: Int32s,
    half: npt.NDArray[np.int8],
    low: int,
    high: int,
    one: int,
    other: int,
    arrays: ScaleArrays,
    weights: Floats,
) -> None:
    """Join each row to the half where it adds less; if equal, to the nearer seed."""
    d = places.shape[1]
    seeds = (one, other)
    least = np.stack((places[one], places[other]))  # the ranges of the halves
    most = least.copy()
    lost = np.zeros((2, d))
    costs, distances = np.zeros(2), np.zeros(2)
    for row in range(low, high):
        if row in (one, other):
            half[row] = row == other
            continue
        mixed = 0  # on a tie, equal rows go the same way
        for j in range(d):
            mixed = (mixed + places[row, j]) * 0x9E3779B1
        for side in range(2):
            costs[side] = 0
            for j in range(d):
                place = places[row, j]
                if least[side, j] <= place <= most[side, j]:
                    costs[side] += lost[side, j]
                else:
                    costs[side] += weights[j] * extent(
                        arrays, j, min(least[side, j], place), max(most[side, j], place)
                    )
        side = 0
        if costs[1] != costs[0]:
            side = int(costs[1] < costs[0])
        else:
            for at in range(2):
                distances[at] = _distance(places, row, seeds[at], arrays, weights)
            if distances[1] != distances[0]:
                side = int(distances[1] < distances[0])
            else:
                side = mixed >> 16 & 1
        half[row] = side
        for j in range(d):
            place = places[row, j]
            if not least[side, j] <= place <= most[side, j]:
                least[side, j] = min(least[side, j], place)
                most[side, j] = max(most[side, j], place)
                lost[side, j] = weights[j] * extent(
                    arrays, j, least[side, j], most[side, j]
                )


@inner
def _fill(
    places: Int32s,
    half: npt.NDArray[np.int8],
    low: int,
    high: int,
    seed: int,
    side: int,
    short: int,
    arrays: ScaleArrays,
    weights: Floats,
) -> None:
    """Move the ``short`` rows of the other half that are nearest to this one's seed."""
    distances = np.empty(high - low)
    for row in range(low, high):
        distances[row - low] = _distance(places, row, seed, arrays, weights)
        if half[row] == side:
            distances[row - low] = np.inf
    for at in np.argsort(distances, kind="mergesort")[:short]:
        half[low + at] = side


@dataclass(frozen=True)
class TopDownParams:
    """Constants that steer the search."""

    tries: int = 3  # splits of a group, each from other seeds, before it is final
    # scans of a group for a row that is farther from the last one found; more hardly
    # ever find a farther pair of seeds
    scans: int = 3


def top_down(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    params: TopDownParams = TopDownParams(),
) -> Result:
    """Split the rows in two around seeds that are far apart, again and again.

    No guarantee.

    The idea: of a group two rows that differ in many columns (for ``gcp``: that would
    lose much together) are the seeds of its halves: the farthest row from a random
    one, then the farthest from that. Each other row joins the half that has fewer
    stars (loses less) with it, or whose seed is nearer. A half with fewer than k (or
    l) rows gets the nearest rows of the other. Splits that violate the requirement are
    tried again from other seeds; after three tries the group is final. All groups of a
    round are split at once.

    Parameters
    ----------
    table, requirement, objective
        Any problem. Rows that differ in columns to be kept are apart from the start.
    time_limit
        Seconds; what is not split by then is published as it is.
    seed
        Draws the rows from which seeds are looked for.

    Notes
    -----
    O(n d) for each round; about log2(n / k) rounds where halves are balanced, up to
    n / k where they are not. Xu et al. repair small groups at the end instead.

    References
    ----------
    J. Xu, W. Wang, J. Pei, X. Wang, B. Shi, A. Fu, Utility-based anonymization using
    local recoding, KDD 2006.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["1", "a"], ["2", "b"], ["1", "a"], ["2", "b"], ["2", "c"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> top_down(table, KAnonymity(2)).value
    3
    """
    run = Run(table, requirement, objective, time_limit, display, TOP_DOWN)

    def search() -> Limit | None:
        groups, limit = _split(run, np.random.default_rng(seed), params)
        run.offer(Partition(groups))
        return limit

    return run.carry_out(search)


def _split(
    run: Run, rng: np.random.Generator, params: TopDownParams
) -> tuple[Int32s, Limit | None]:
    """Split the rows until all groups are final, or the time is up."""
    table, objective = run.table, run.objective
    # The rows in random order, those together that may share a group.
    rows, final = rng.permutation(table.n), np.full(table.n, -1, np.int32)
    limit = None
    classes = Partition.coarsest(table, objective).groups[rows]
    by_class = np.argsort(classes, kind="stable")
    rows, group = rows[by_class], classes[by_class]
    while len(rows):
        side = np.full(len(rows), -1, np.int8)
        if run.remaining > 0:
            side = _halves(run, rows, group, rng, params)
        else:
            limit = Limit.TIME
        rows, group = divide(final, rows, group, side)
    return final, limit


def _halves(
    run: Run, rows: Ints, group: Int32s, rng: np.random.Generator, params: TopDownParams
) -> npt.NDArray[np.int8]:
    """Return for each row its half, or -1 where its group stays whole."""
    table, requirement = run.table, run.requirement
    least = max(requirement.core.size, requirement.core.diversity)
    scales = run.objective.scales_of(table)
    weights = run.objective.range_prices(table)
    places = scales.row_positions(table)[rows]
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    sizes = np.diff(np.append(starts, len(rows)))
    differ = (places != places[starts][group]).any(axis=1)
    undecided = np.bincount(group, differ) > 0
    undecided &= sizes >= 2 * least
    side = np.full(len(rows), -1, np.int8)
    for _ in range(params.tries):
        if not undecided.any():
            break
        at = np.flatnonzero(undecided[group])
        size = sizes[undecided]
        begin = np.append(0, np.cumsum(size))
        picks = begin[:-1] + (rng.random(len(size)) * size).astype(np.int64)
        half = split_groups(
            places[at], begin, picks, scales.arrays, weights, least, params.scans
        )
        part = np.repeat(np.arange(len(size)), size)
        good = both_hold(table, requirement, 2 * part + half, rows[at])
        side[at[good[part]]] = half[good[part]]
        undecided[np.flatnonzero(undecided)[good]] = False
    return side
