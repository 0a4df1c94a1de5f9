"""The loops of TopDown: seeds far apart, and rows joined to the nearer half."""

import numba
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

_SCANS = 3  # for seeds far apart; more hardly ever find a farther pair


@numba.njit(cache=True)
def split_groups(
    codes: Codes, starts: Ints, picks: Ints, weights: Ints, least: int
) -> npt.NDArray[np.int8]:
    """Split each of many groups in two; O(n d).

    Parameters
    ----------
    codes
        n x d, the rows of one group after the other.
    starts
        Where each group starts, and n.
    picks
        The place of a row of each group to look for seeds from.
    weights
        Of the columns.
    least
        Rows that each half must have, if the group has twice as many.

    Returns
    -------
    array
        The half of each row, 0 or 1.
    """
    half = np.zeros(len(codes), np.int8)
    for g in range(len(starts) - 1):
        low, high = starts[g], starts[g + 1]
        one, other = _seeds(codes, low, high, picks[g], weights)
        _assign(codes, half, low, high, one, other, weights)
        ones = 0
        for row in range(low, high):
            ones += half[row]
        if ones < least:
            _fill(codes, half, low, high, other, 1, least - ones, weights)
        elif high - low - ones < least:
            short = least - (high - low - ones)
            _fill(codes, half, low, high, one, 0, short, weights)
    return half


@numba.njit(cache=True)
def _distance(codes: Codes, row: int, seed: int, weights: Ints) -> int:
    distance = 0
    for j in range(codes.shape[1]):
        if codes[row, j] != codes[seed, j]:
            distance += weights[j]
    return distance


@numba.njit(cache=True)
def _seeds(
    codes: Codes, low: int, high: int, pick: int, weights: Ints
) -> tuple[int, int]:
    """Two rows far apart: the farthest from one, then the farthest from that one."""
    one, other = pick, pick
    farthest = -1
    for _ in range(_SCANS):
        best, at = farthest, -1
        for row in range(low, high):
            distance = _distance(codes, row, other, weights)
            if distance > best:
                best, at = distance, row
        if at == -1:
            break
        one, other, farthest = other, at, best
    return one, other


@numba.njit(cache=True)
def _assign(
    codes: Codes,
    half: npt.NDArray[np.int8],
    low: int,
    high: int,
    one: int,
    other: int,
    weights: Ints,
) -> None:
    """Join each row to the half where it adds less; if equal, to the nearer seed."""
    d = codes.shape[1]
    starred = np.zeros((2, d), np.bool_)
    seeds = (one, other)
    price = np.zeros(2, np.int64)  # weights of the starred columns of each half
    for row in range(low, high):
        if row in (one, other):
            half[row] = row == other
            continue
        costs = np.zeros(2, np.int64)
        distances = np.zeros(2, np.int64)
        mixed = 0  # on a tie, equal rows go the same way
        for j in range(d):
            mixed = (mixed + codes[row, j]) * 0x9E3779B1
        for side in range(2):
            for j in range(d):
                if codes[row, j] != codes[seeds[side], j]:
                    distances[side] += weights[j]
                    if not starred[side, j]:
                        costs[side] += weights[j]
            costs[side] += price[side]
        side = 0
        if costs[1] != costs[0]:
            side = int(costs[1] < costs[0])
        elif distances[1] != distances[0]:
            side = int(distances[1] < distances[0])
        else:
            side = mixed >> 16 & 1
        half[row] = side
        price[side] = costs[side]
        for j in range(d):
            if codes[row, j] != codes[seeds[side], j]:
                starred[side, j] = True


@numba.njit(cache=True)
def _fill(
    codes: Codes,
    half: npt.NDArray[np.int8],
    low: int,
    high: int,
    seed: int,
    side: int,
    short: int,
    weights: Ints,
) -> None:
    """Move the ``short`` rows of the other half that are nearest to this one's seed."""
    distances = np.empty(high - low, np.int64)
    for row in range(low, high):
        distances[row - low] = _distance(codes, row, seed, weights)
        if half[row] == side:
            distances[row - low] = np.iinfo(np.int64).max
    for at in np.argsort(distances, kind="mergesort")[:short]:
        half[low + at] = side
