"""The distance of two rows: what a row pays that is published with the other."""

import numba
import numpy as np
import numpy.typing as npt

from instances import Objective, RowTypes, Table

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

FAR = np.iinfo(np.int64).max // 4


def column_prices(table: Table, objective: Objective) -> tuple[Ints, bool]:
    """Of a star in each column, -1 where there must be none; whether once a row.

    Examples
    --------
    >>> table = Table.from_rows(["a", "b"], [["0", "0"]], qi=["a", "b"])
    >>> prices, once = column_prices(table, Objective(weights={"b": 3}, keep=("a",)))
    >>> prices.tolist(), once
    ([-1, 3], False)
    """
    prices = objective.column_weights(table)
    prices[objective.kept(table)] = -1
    return prices, objective.kind == "tuples"


@numba.njit(cache=True)
def row_distance(a: Codes, b: Codes, prices: Ints, once: bool) -> int:
    """The weighted Hamming distance; with ``once`` the discrete one; or ``FAR``.

    A metric in either case. ``FAR`` where the rows differ in a column to be kept.

    Examples
    --------
    >>> a, b = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    >>> row_distance(a, b, np.array([1, 1, 1]), False)
    2
    """
    total = 0
    for j in range(len(prices)):
        if a[j] != b[j]:
            if prices[j] < 0:
                return FAR
            total = max(total, prices[j]) if once else total + prices[j]
    return total


@numba.njit(cache=True)
def row_distances(codes: Codes, prices: Ints, once: bool) -> Ints:
    """The distance of any two rows.

    Examples
    --------
    >>> rows = np.array([[0, 1], [0, 2], [1, 2]], np.int32)
    >>> row_distances(rows, np.array([1, 1]), False).tolist()
    [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    """
    m = len(codes)
    distances = np.zeros((m, m), np.int64)
    for a in range(m):
        for b in range(a):
            far = row_distance(codes[a], codes[b], prices, once)
            distances[a, b] = distances[b, a] = far
    return distances


def distances_to_others(types: RowTypes, prices: Ints, once: bool, apart: int) -> Ints:
    """n x n, the distance of any two rows, at most ``apart``, which is on the diagonal.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["0"], ["0"], ["1"]], qi=["a"])
    >>> distances_to_others(table.row_types, np.array([1]), False, 9).tolist()
    [[9, 0, 1], [0, 9, 1], [1, 1, 9]]
    """
    between = np.minimum(row_distances(types.codes, prices, once), apart)
    distance: Ints = between[np.ix_(types.inverse, types.inverse)]
    np.fill_diagonal(distance, apart)
    return distance
