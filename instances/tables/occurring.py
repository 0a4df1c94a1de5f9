"""Which codes of columns occur, and where: asked of thousands of columns at once."""

from collections.abc import Sequence

import numpy as np

from starmin.instances.arrays import IntArray, Ints

_SHORT = 4_000  # rows, up to which sorting columns together beats counting one by one
_BATCH = 4_000_000  # cells that are sorted together
_WIDE = 4  # codes for each row, up to which a place for each code beats sorting


def codes_that_occur(codes: IntArray, sizes: Sequence[int] | Ints) -> Ints:
    """Return for each column how many different codes stand in it.

    Parameters
    ----------
    codes
        Columns x rows.
    sizes
        Of the dictionary of each column.

    Examples
    --------
    >>> codes_that_occur(np.array([[0, 2, 0], [1, 1, 1]]), [3, 2]).tolist()
    [2, 1]
    """
    columns, rows = codes.shape
    if 0 < rows <= _SHORT:
        step = max(1, _BATCH // rows)
        parts = [np.sort(codes[at : at + step], 1) for at in range(0, columns, step)]
        found = [1 + np.count_nonzero(p[:, 1:] != p[:, :-1], axis=1) for p in parts]
        return np.concatenate(found).astype(np.int64)
    counts = (
        np.count_nonzero(np.bincount(column, minlength=size))
        for column, size in zip(codes, sizes, strict=True)
    )
    return np.fromiter(counts, np.int64, columns)


def first_rows(codes: IntArray) -> Ints:
    """Return for each cell the first row of its column that has the same code.

    Parameters
    ----------
    codes
        Columns x rows.

    Examples
    --------
    >>> first_rows(np.array([[5, 7, 5], [1, 1, 1]])).tolist()
    [[0, 1, 0], [0, 0, 0]]
    """
    columns, n = codes.shape
    rows = np.arange(n)
    width = int(codes.max(initial=-1)) + 1
    if 0 < width <= _WIDE * n and int(codes.min()) >= 0:
        places = codes + np.arange(columns)[:, None] * width
        first = np.empty(columns * width, np.int32)
        # What is put last, stays.
        first[places[:, ::-1].ravel()] = np.tile(rows[::-1], columns)
        return np.asarray(first[places], np.int64)
    order = np.argsort(codes, axis=1, kind="stable")
    ordered = np.take_along_axis(codes, order, 1)
    begins = np.ones(codes.shape, bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    if begins.all():
        return np.broadcast_to(rows, codes.shape)
    at = np.maximum.accumulate(np.where(begins, rows, 0), axis=1)
    first = np.empty(codes.shape, np.int64)
    np.put_along_axis(first, order, np.take_along_axis(order, at, 1), 1)
    return first
